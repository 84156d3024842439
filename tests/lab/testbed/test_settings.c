/*
 * test_settings.c - what hosts of the testbed are set to, and what a testbed cannot do.
 */
#include "lab/testbed/switch.h"
#include "tests/support/error_line.h"
#include "tests/support/testbed_scenario.h"

#define UNTIL "until: 100ms\n"

static void read__scales_rates_and_timeouts(void **state)
{
    (void)state;
    struct scenario scenario;
    struct testbed_settings settings;
    char text[16];
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    scenario_from_text(&scenario, UNTIL NETWORK SWITCH TRANSPORTS TRAFFIC TESTBED);
    assert_true(testbed_settings_read(&settings, &scenario, NULL, &error));
    assert_int_equal(settings.hosts, 3);
    assert_int_equal(settings.rate_bps[2], 100000000);
    assert_int_equal(settings.min_rto_ms, 20000);
    assert_int_equal(settings.mtu_bytes, 1500);
    assert_int_equal(settings.overhead_bytes, 24);
    assert_int_equal(settings.initial_window, 10);
    assert_int_equal(settings.warm_up, 1);
    assert_true(settings.dctcp_gain == WEIR_Q16_ONE / 16 && settings.dctcp_initial == WEIR_Q16_ONE);
    assert_true(settings.quick_acks && settings.dctcp && !settings.ecn && !settings.placed);
    testbed_address(&settings, 2, text);
    assert_string_equal(text, "10.77.0.3");
    char *all = testbed_addresses(&settings);
    assert_string_equal(all, "10.77.0.1,10.77.0.2,10.77.0.3");
    free(all);
    scenario_free(&scenario);
}

static void read__names_what_cannot_be(void **state)
{
    (void)state;
    static const struct {
        const char *text, *network, *message;
    } rows[] = {
        {UNTIL NETWORK SWITCH
         "transports: {q: {kind: dctcp, min_rto: 200ms}, b: {kind: cubic, min_rto: 10ms}}\n" TRAFFIC TESTBED,
         NULL, "transports: min_rto differs between them (expected one value: hosts of the testbed have one)"},
        {UNTIL NETWORK SWITCH "transports: {q: {kind: dctcp, ack_every: 2}, b: {kind: cubic}}\n" TRAFFIC TESTBED, NULL,
         "transports: ack_every differs between them (expected one value: hosts of the testbed have one)"},
        {UNTIL NETWORK SWITCH
         "transports: {q: {kind: dctcp, restart_after_idle: yes}, b: {kind: cubic}}\n" TRAFFIC TESTBED,
         NULL,
         "transports: restart_after_idle differs between them (expected one value: hosts of the testbed have one)"},
        {UNTIL NETWORK SWITCH "transports: {q: {kind: newreno, ecn: yes}, b: {kind: cubic}}\n" TRAFFIC TESTBED, NULL,
         "transports: ecn differs between those that are not dctcp (expected one value: hosts of the testbed have "
         "one)"},
        {UNTIL NETWORK SWITCH
         "transports: {q: {kind: dctcp}, b: {kind: udp, rate: 1Gbps, poisson: yes}}\n" TRAFFIC TESTBED,
         NULL, "transports: the testbed has no udp (expected newreno, cubic, dctcp or a steady udp)"},
        {UNTIL NETWORK SWITCH TRANSPORTS TRAFFIC "testbed: {use: yes, scale: 1000}\n", NULL,
         "transports: a min_rto of 200 s after scaling is beyond the kernel's (expected at most 120 s: a smaller "
         "testbed.scale)"},
        {UNTIL "topology: {kind: single, hosts: 3, rate: 1Mbps}\n" SWITCH
               "transports: {q: {kind: dctcp, min_rto: 1us}, b: {kind: cubic, min_rto: 1us}}\n" TRAFFIC
               "testbed: {use: yes, scale: 10000}\n",
         NULL, "testbed.scale: 10000 leaves a link 100 bit/s (expected at least 1000)"},
        {UNTIL NETWORK "wire: {mss: 8960B}\n" SWITCH TRANSPORTS TRAFFIC TESTBED, NULL,
         "wire: mss and header of 9030 B together do not suit the testbed (expected 594 to 1518 B)"},
        {UNTIL NETWORK SWITCH TRANSPORTS TRAFFIC TESTBED, "10.1.2.3",
         "--network: '10.1.2.3' is not a /24 network (expected one like 10.77.0.0)"},
        {UNTIL NETWORK SWITCH TRANSPORTS TRAFFIC TESTBED, "x",
         "--network: 'x' is not a /24 network (expected one like 10.77.0.0)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct scenario scenario;
        struct testbed_settings settings;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        scenario_from_text(&scenario, rows[i].text);
        assert_false(testbed_settings_read(&settings, &scenario, rows[i].network, &error));
        assert_string_equal(ERROR_LINE(&error), rows[i].message);
        scenario_free(&scenario);
    }
}

/* Frames of 1538 B on a wire of 100 Mb/s and of 1 Gb/s; a round of 3 queues in 5 us, a hundred times slower. */
static void read__bmv2(void **state)
{
    struct scenario scenario;
    struct testbed_settings settings;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    scenario_from_text(
        &scenario,
        UNTIL "topology: {kind: single, hosts: 3, rates: [10Gbps, 100Gbps, 10Gbps], delay: 0s}\n"
              "switch: {cell: 100B, buffer: 100KB, policy: {name: occamy-p4, alpha: 2, sync: 5us}}\n" TRANSPORTS TRAFFIC
              "testbed: {use: yes, switch: bmv2}\n");
    assert_true(testbed_settings_read(&settings, &scenario, NULL, &error));
    assert_ptr_equal(settings.sw, &testbed_bmv2);
    const struct testbed_bmv2_settings *bmv2 = &settings.bmv2;
    assert_int_equal(bmv2->queue_pps[0], 8127);
    assert_int_equal(bmv2->queue_pps[1], 81274);
    assert_int_equal(bmv2->sync_pps, 6000);
    assert_int_equal(bmv2->cell_bytes, 100);
    assert_int_equal(bmv2->buffer_cells, 1000);
    assert_int_equal(bmv2->threshold_cells, 2000);
    assert_int_equal(bmv2->admit_margin_cells, 16);
    assert_int_equal(bmv2->drop_margin_cells, 32);
    assert_string_equal(bmv2->alpha, "alpha_2");
    assert_true(bmv2->expels);
    scenario_free(&scenario);
}

static void name_is_good__letters_and_digits(void **state)
{
    (void)state;
    assert_true(testbed_name_is_good("a") && testbed_name_is_good("my_bed2"));
    assert_false(testbed_name_is_good("") || testbed_name_is_good("a-b") || testbed_name_is_good("../x") ||
                 testbed_name_is_good("seventeen_letters"));
}

static void of_space__only_those_of_testbeds(void **state)
{
    (void)state;
    static const struct {
        const char *space, *name; /* null: of no testbed */
    } rows[] = {{"weir-default-h0", "default"},
                {"weir-a-h12", "a"},
                {"weir-a_1-switch", "a_1"},
                {"weir-a-h", NULL},
                {"weir-a-h1x", NULL},
                {"weir-a-b-h1", NULL},
                {"weir-switch", NULL},
                {"weir-a-switch2", NULL},
                {"other-a-h1", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char name[TESTBED_NAME_MAX];
        assert_int_equal(testbed_of_space(rows[i].space, name), rows[i].name != NULL);
        if (rows[i].name != NULL)
            assert_string_equal(name, rows[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read__scales_rates_and_timeouts),
        cmocka_unit_test(read__names_what_cannot_be),
        cmocka_unit_test(read__bmv2),
        cmocka_unit_test(name_is_good__letters_and_digits),
        cmocka_unit_test(of_space__only_those_of_testbeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
