/*
 * test_lossless.c - lossless classes, PFC and RoCE transports in documents: what they become, and that what
 * is shown reads back as the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenario/read/scenario.h"
#include "sim/transport/roce_dcqcn.h"
#include "sim/transport/roce_powertcp.h"
#include "sim/transport/roce_timely.h"
#include "tests/support/error_line.h"
#include "tests/support/scenario_text.h"

#define TOP                                                                                                            \
    "until: 1ms\n"                                                                                                     \
    "topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 4}\n"
#define SWITCH(keys) "switch: {buffer: 16MiB, classes: 8, policy: dt, " keys "}\n"
#define TRANSPORTS "transports: {d: {kind: dcqcn, class: 0-6, ack_class: 7}}\n"
#define DCQCN(classes) "transports: {d: {kind: dcqcn, class: " classes ", ack_class: 7}}\n"
#define TRAFFIC "traffic: [{kind: long, transport: d}]\n"

/* What is shown is a scenario that is shown the same. */
static void check_round_trip(const struct scenario *scenario)
{
    struct scenario again;
    char *text = node_text(scenario->effective);
    assert_non_null(text);
    scenario_from_text(&again, text);
    char *shown = node_text(again.effective);
    assert_string_equal(text, shown);
    free(shown);
    free(text);
    scenario_free(&again);
}

static bool shows(const struct scenario *scenario, const char *line)
{
    char *text = node_text(scenario->effective);
    assert_non_null(text);
    bool found = strstr(text, line) != NULL;
    free(text);
    return found;
}

static void scenario_build__lossless_classes(void **state)
{
    struct scenario s;
    (void)state;
    scenario_from_text(&s, TOP SWITCH("lossless: [0, 2-4], headroom: {name: dsh, alpha: 1/8}, headroom_size: 60000B, "
                                      "private: [3KB, 2KB, 1KB]") TRANSPORTS TRAFFIC);
    const struct sim_switch *sw = &s.config.tiers[1];
    assert_int_equal(s.config.tier_count, 2);
    assert_int_equal(sw->mmu.lossless_mask, 0x1d);
    assert_string_equal(sw->mmu.ingress->name, "dsh");
    uint32_t alpha = 0;
    while (strcmp(sw->mmu.ingress->params[alpha].name, "alpha") != 0)
        alpha++;
    assert_int_equal(sw->mmu.ingress_values->of[alpha][0], WEIR_Q16_ONE / 8);
    assert_int_equal(sw->headroom_size, SIM_HEADROOM_BYTES);
    assert_int_equal(sw->headroom_bytes, 60000);
    assert_int_equal(sw->mmu.ingress_private_cells[0], 3000);
    assert_int_equal(sw->mmu.private_cells[1], 2000);
    assert_true(shows(&s, "lossless: [0, 2-4]\n"));
    check_round_trip(&s);
    scenario_free(&s);
}

static void scenario_build__headroom_size(void **state)
{
    static const struct {
        const char *text;
        enum sim_headroom_size size;
    } cases[] = {
        {TOP SWITCH("lossless: 0-6, headroom: sih") TRANSPORTS TRAFFIC, SIM_HEADROOM_SAFE},
        {TOP SWITCH("lossless: 0-6, headroom: sih, headroom_size: safe") TRANSPORTS TRAFFIC, SIM_HEADROOM_SAFE},
        {TOP SWITCH("lossless: 6, headroom: sih, headroom_size: equation") TRANSPORTS TRAFFIC, SIM_HEADROOM_EQUATION},
        {TOP SWITCH("lossless: 6, headroom: sih, headroom_size: 0B") TRANSPORTS TRAFFIC, SIM_HEADROOM_BYTES},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scenario s;
        scenario_from_text(&s, cases[i].text);
        assert_int_equal(s.config.tiers[0].headroom_size, cases[i].size);
        assert_int_equal(s.config.tiers[1].headroom_size, cases[i].size);
        assert_true(shows(&s, "headroom_size: "));
        check_round_trip(&s);
        scenario_free(&s);
    }
}

/* A scheme may differ by tier; `none` stands for having no lossless classes. */
static void scenario_build__headroom_by_tier_and_none(void **state)
{
    struct scenario s;
    (void)state;
    scenario_from_text(&s, TOP SWITCH("lossless: 0, headroom: sih, tiers: {spine: {headroom: oversubscribed}}")
                               TRANSPORTS TRAFFIC);
    assert_string_equal(s.config.tiers[0].mmu.ingress->name, "sih");
    assert_string_equal(s.config.tiers[1].mmu.ingress->name, "oversubscribed");
    check_round_trip(&s);
    scenario_free(&s);
    scenario_from_text(&s,
                       TOP SWITCH("lossless: none, headroom: none, ecn: {kind: red, low: 1KB, high: 2KB, chance: 20%}")
                           TRANSPORTS TRAFFIC);
    assert_null(s.config.tiers[0].mmu.ingress);
    assert_int_equal(s.config.tiers[0].mmu.lossless_mask, 0);
    assert_null(s.warnings);
    scenario_free(&s);
}

/* Scenarios without lossless classes look as they did before there were any, so that their ids stay. */
static void scenario_build__nothing_new_without_lossless_classes(void **state)
{
    static const char *const lines[] = {"lossless", "headroom", "pfc", "batch", "load: 0\n"};
    struct scenario s;
    (void)state;
    scenario_from_text(
        &s, TOP SWITCH("private: 0B") "transports: {d: {kind: dctcp}}\n"
                                      "traffic: [{kind: poisson, transport: d, sizes: hadoop, load: 0.5}, "
                                      "{kind: bursts, transport: d, destination: h0, bytes: 9KB, rate: 9/s}]\n");
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        assert_false(shows(&s, lines[i]));
    scenario_free(&s);
}

#define LOSSLESS TOP SWITCH("lossless: 0-6, headroom: sih") TRANSPORTS TRAFFIC

/* Descriptors never run out before memory does, whatever the size of packets. */
static void scenario_build__descriptors_for_the_smallest_packet(void **state)
{
    static const struct {
        const char *wire;
        uint32_t least_bytes;
    } cases[] = {
        {"", 64},
        {"wire: {mss: 1B, header: 20B, ack: 64B}\n", 21},
        {"wire: {header: 70B, ack: 40B}\n", 40},
        {"wire: {header: 63B, ack: 100B}\n", 64},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        struct scenario scenario;
        snprintf(text, sizeof text, "%s%s%s%s%s", TOP, cases[i].wire, SWITCH("lossless: 0-6, headroom: dsh"),
                 TRANSPORTS, TRAFFIC);
        scenario_from_text(&scenario, text);
        assert_int_equal(scenario.config.tiers[0].mmu.packets_max, (16 << 20) / cases[i].least_bytes + 1);
        scenario_free(&scenario);
    }
}

/* By a number, at every rate, or by the standard at the rate of each link. */
static void scenario_build__pfc_processing(void **state)
{
    const struct {
        const char *value;
        uint32_t at_10g, at_100g;
    } cases[] = {{"1KB", 1000, 1000}, {"paper", 3840, 3840}, {"standard", 74 * 64, 394 * 64}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scenario s;
        char text[1024];
        snprintf(text, sizeof text, LOSSLESS "pfc: {processing: %s}\n", cases[i].value);
        scenario_from_text(&s, text);
        assert_int_equal(sim_pfc_processing_bytes(&s.config.pfc, 10000000000), cases[i].at_10g);
        assert_int_equal(sim_pfc_processing_bytes(&s.config.pfc, 100000000000), cases[i].at_100g);
        check_round_trip(&s);
        scenario_free(&s);
    }
}

static void scenario_build__pfc(void **state)
{
    struct scenario s;
    (void)state;
    scenario_from_text(&s, LOSSLESS);
    assert_int_equal(s.config.pfc.quanta, 65535);
    assert_int_equal(s.config.pfc.processing_bytes, 3840);
    assert_false(s.config.pfc.loss_expected || s.config.pfc.deadlock_expected || s.config.pfc.deadlock_stops);
    assert_int_equal(s.config.pfc.look_ps, 100 * WEIR_PS_PER_US);
    assert_int_equal(s.config.pfc.watchdog_detect_ps, 0);
    check_round_trip(&s);
    scenario_free(&s);
    scenario_from_text(&s,
                       LOSSLESS "pfc: {quanta: 100, processing: 0B, loss: expected, deadlock: expected, look: never, "
                                "watchdog: {detect: 200us, restore: 300us, action: forward}}\n");
    assert_int_equal(s.config.pfc.quanta, 100);
    assert_int_equal(s.config.pfc.processing_bytes, 0);
    assert_int_equal(sim_pfc_processing_bytes(&s.config.pfc, 100000000000), 0);
    assert_true(s.config.pfc.loss_expected && s.config.pfc.deadlock_expected && !s.config.pfc.deadlock_stops);
    assert_int_equal(s.config.pfc.look_ps, 0);
    assert_int_equal(s.config.pfc.watchdog_detect_ps, 200 * WEIR_PS_PER_US);
    assert_int_equal(s.config.pfc.watchdog_restore_ps, 300 * WEIR_PS_PER_US);
    assert_int_equal(s.config.pfc.watchdog_action, SIM_WATCHDOG_FORWARD);
    check_round_trip(&s);
    scenario_free(&s);
    scenario_from_text(&s, LOSSLESS "pfc: {deadlock: stop}\n");
    assert_true(!s.config.pfc.loss_expected && s.config.pfc.deadlock_expected && s.config.pfc.deadlock_stops);
    scenario_free(&s);
}

static void scenario_build__pfc_without_lossless_classes_is_warned_of(void **state)
{
    struct scenario s;
    (void)state;
    scenario_from_text(&s, TOP SWITCH("private: 0B") TRANSPORTS TRAFFIC "pfc: {look: never}\n");
    assert_non_null(s.warnings);
    assert_string_equal(s.warnings->text, "f:6:6: pfc has no effect: no class is lossless");
    scenario_free(&s);
}

/* DCQCN slows down by marks: some switch has to make them, in a class of its data. */
static void scenario_build__dcqcn_without_marks_is_warned_of(void **state)
{
    static const struct {
        const char *text;
        bool warned;
    } cases[] = {
        {TOP SWITCH("private: 0B") DCQCN("0-1"), true},
        {TOP SWITCH("ecn: {kind: [none, none, red, red, none, none, none, none], low: 1KB, high: 2KB, chance: 20%}")
             DCQCN("0-1"),
         true},
        {TOP SWITCH("ecn: {kind: [none, none, red, red, none, none, none, none], low: 1KB, high: 2KB, chance: 20%}")
             DCQCN("1-2"),
         false},
        {TOP SWITCH("tiers: {spine: {ecn: {kind: red, low: 1KB, high: 2KB, chance: 20%}}}") DCQCN("0"), false},
        {TOP SWITCH("private: 0B") "transports: {d: {kind: hpcc, class: 0, ack_class: 7}}\n", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scenario s;
        char text[2048];
        snprintf(text, sizeof text, "%s%s", cases[i].text, TRAFFIC);
        scenario_from_text(&s, text);
        assert_int_equal(s.warnings != NULL, cases[i].warned);
        if (cases[i].warned)
            assert_string_equal(s.warnings->text, "f:4:17: dcqcn always sends at full rate: no switch marks packets of "
                                                  "its classes (see 'switch.ecn')");
        scenario_free(&s);
    }
}

static void scenario_build__classes_of_transports(void **state)
{
    struct scenario s;
    (void)state;
    scenario_from_text(
        &s, TOP SWITCH("private: 0B") "transports: {a: {kind: dctcp}, b: {kind: none, class: 3}, "
                                      "c: {kind: udp, class: [6, 1-2]}, d: {kind: timely, class: 0-7}}\n" TRAFFIC);
    static const struct {
        uint32_t classes, first;
    } expected[] = {{0, 0}, {0, 3}, {0x46, 1}, {0xff, 0}};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(s.config.transports[i].data_classes, expected[i].classes);
        assert_int_equal(s.config.transports[i].data_class, expected[i].first);
    }
    assert_true(shows(&s, "class: [1-2, 6]\n"));
    check_round_trip(&s);
    scenario_free(&s);
}

/* Every kind is there, with sim's defaults. */
static void scenario_build__roce_kinds(void **state)
{
    static const char *const kinds[] = {"none", "dcqcn", "hpcc", "powertcp", "powertcp-delay", "timely"};
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char text[512];
        struct scenario s;
        struct sim_transport usual;
        snprintf(text, sizeof text, TOP SWITCH("private: 0B") "transports: {d: {kind: %s}}\n" TRAFFIC, kinds[i]);
        scenario_from_text(&s, text);
        assert_string_equal(s.config.transports[0].kind->name, kinds[i]);
        sim_transport_init(&usual, transport_find(kinds[i]));
        assert_memory_equal(s.config.transports[0].params, usual.params, sizeof usual.params);
        check_round_trip(&s);
        scenario_free(&s);
    }
}

static void scenario_build__roce_settings(void **state)
{
    struct scenario s;
    (void)state;
    scenario_from_text(
        &s,
        TOP SWITCH("private: 0B") "transports:\n"
                                  "  d: {kind: dcqcn, gain: 1/16, rto: never, windowed: yes, base_rtt: 20us, "
                                  "increase_bytes: 10MB, fast_recoveries: 5, cnp_interval: 50us, clamp_target: yes}\n"
                                  "  p: {kind: powertcp, gamma: 0.8, utilisation: 90%, additive: 50Mbps}\n"
                                  "  t: {kind: timely, beta: 0.5, weight: 0.5, low_rtt: 10us, high_rtt: 90us, "
                                  "ack_every: 16}\n" TRAFFIC);
    const struct dcqcn_params *d = dcqcn_params(&s.config.transports[0]);
    const struct powertcp_params *p = powertcp_params(&s.config.transports[1]);
    const struct timely_params *t = timely_params(&s.config.transports[2]);
    assert_true(d->gain == 0.0625 && d->roce.rto_ps == 0 && d->roce.windowed && d->increase_bytes == 10000000);
    assert_true(d->roce.base_rtt_ps == 20 * WEIR_PS_PER_US && d->fast_recoveries == 5 && d->clamp_target);
    assert_int_equal(d->roce.cnp_interval_ps, 50 * WEIR_PS_PER_US);
    assert_true(p->gamma == 0.8 && p->utilisation == 0.9 && p->roce.additive_bps == 50000000);
    assert_true(t->beta == 0.5 && t->weight == 0.5 && t->roce.ack_every == 16);
    assert_true(t->low_rtt_ps == 10 * WEIR_PS_PER_US && t->high_rtt_ps == 90 * WEIR_PS_PER_US);
    check_round_trip(&s);
    scenario_free(&s);
}

static void scenario_build__drawn_traffic(void **state)
{
    struct scenario s;
    (void)state;
    scenario_from_text(
        &s, TOP SWITCH("private: 0B") TRANSPORTS
        "traffic:\n"
        "  - {kind: query, transport: d, sizes: hadoop, fan_out: 1-15, load: 0.5, pattern: other-rack}\n"
        "  - {kind: bursts, transport: d, load: 0.4, bytes: 128KB, fan_out: 2, destination: h3, sources: h0-h1}\n"
        "  - {kind: poisson, transport: d, batch: 8, load: 0.4, sizes: websearch}\n"
        "  - {kind: incast, transport: d, sizes: [[1KB, 0], [2KB, 1]], fan_out: 3-3, destination: h0}\n");
    const struct traffic_settings *t = s.config.traffic;
    assert_true(t[0].fan_out == 15 && t[0].fan_out_min == 1 && t[0].bytes == 0);
    assert_ptr_equal(t[0].sizes, size_table_find("hadoop"));
    assert_true(t[1].load == 0.4 && t[1].rate_per_s == 0 && t[1].bytes == 128000);
    assert_true(t[1].fan_out == 2 && t[1].fan_out_min == 0);
    assert_int_equal(t[2].batch, 8);
    assert_true(t[3].fan_out == 3 && t[3].fan_out_min == 0 && t[3].sizes->mean_bytes == 1500);
    check_round_trip(&s);
    struct weir_error error;
    struct sim *sim = scenario_create(&s, &error);
    if (sim == NULL)
        fail_msg("%s", ERROR_LINE(&error));
    sim_free(sim);
    scenario_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenario_build__lossless_classes),
        cmocka_unit_test(scenario_build__headroom_size),
        cmocka_unit_test(scenario_build__headroom_by_tier_and_none),
        cmocka_unit_test(scenario_build__nothing_new_without_lossless_classes),
        cmocka_unit_test(scenario_build__descriptors_for_the_smallest_packet),
        cmocka_unit_test(scenario_build__pfc_processing),
        cmocka_unit_test(scenario_build__pfc),
        cmocka_unit_test(scenario_build__pfc_without_lossless_classes_is_warned_of),
        cmocka_unit_test(scenario_build__dcqcn_without_marks_is_warned_of),
        cmocka_unit_test(scenario_build__classes_of_transports),
        cmocka_unit_test(scenario_build__roce_kinds),
        cmocka_unit_test(scenario_build__roce_settings),
        cmocka_unit_test(scenario_build__drawn_traffic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
