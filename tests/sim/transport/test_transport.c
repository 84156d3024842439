/*
 * test_transport.c - the table of transports and the default settings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "sim/transport/roce_dcqcn.h"
#include "sim/transport/roce_hpcc.h"
#include "sim/transport/tcp_dctcp.h"

static void transport_find__every_name(void **state)
{
    (void)state;
    for (const struct transport *const *at = transport_table; *at; at++) {
        assert_ptr_equal(transport_find((*at)->name), *at);
        assert_true(strlen((*at)->title) > 0 && strlen((*at)->source) > 0);
        assert_true((*at)->open && (*at)->emit && (*at)->data && (*at)->sender_timer);
    }
    assert_ptr_equal(transport_find("dctcp"), &transport_dctcp);
    assert_null(transport_find("tcp"));
    assert_null(transport_find(""));
}

/* Every default lies in its own range, and settings fit where they are held. */
static void sim_transport_check__defaults(void **state)
{
    const struct sim_wire wire = {.mss_bytes = 1460, .header_bytes = 40, .ack_bytes = 40};
    (void)state;
    for (const struct transport *const *at = transport_table; *at; at++) {
        struct sim_transport settings;
        struct weir_error error;
        memset(&settings, 0xff, sizeof settings);
        sim_transport_init(&settings, *at);
        assert_ptr_equal(settings.kind, *at);
        if (!sim_transport_check(&settings, &wire, &error))
            fail_msg("%s: %s", (*at)->name, error.text);
        assert_in_range((*at)->settings.size, 1, TRANSPORT_PARAMS_BYTES);
        for (uint32_t i = 0; i < (*at)->settings.count; i++) {
            const struct setting *setting = &(*at)->settings.at[i];
            assert_true(setting->offset + setting->size <= (*at)->settings.size);
            assert_ptr_equal(settings_find(&(*at)->settings, setting->name), setting);
            assert_true(strlen(setting->help) > 0);
        }
    }
}

static void sim_transport_init__usual_values(void **state)
{
    struct sim_transport settings;
    (void)state;
    sim_transport_init(&settings, &transport_dctcp);
    const struct tcp_params *tcp = tcp_params(&settings);
    assert_int_equal(tcp->initial_window_segments, 10);
    assert_int_equal(tcp->min_rto_ps, 10 * WEIR_PS_PER_MS);
    assert_true(tcp->sack && tcp->slow_start && !tcp->handshake && !tcp->ecn);
    assert_int_equal(dctcp_params(&settings)->gain * 16, WEIR_Q16_ONE);
    sim_transport_init(&settings, &transport_dcqcn);
    assert_true(dcqcn_params(&settings)->gain == 1.0 / 256);
    assert_int_equal(roce_params(&settings)->min_rate_bps, 1000000000);
    assert_int_equal(roce_params(&settings)->additive_bps, 5000000);
    sim_transport_init(&settings, &transport_hpcc);
    assert_true(hpcc_params(&settings)->utilisation == 0.95);
    assert_int_equal(roce_params(&settings)->min_rate_bps, 100000000);
}

static void sim_transport_set__by_name(void **state)
{
    struct sim_transport settings;
    (void)state;
    sim_transport_init(&settings, &transport_dcqcn);
    assert_true(sim_transport_set(&settings, "gain", SETTING_BILLION / 2));
    assert_true(sim_transport_set(&settings, "fast_recoveries", 7));
    assert_true(sim_transport_set(&settings, "clamp_target", true));
    assert_true(dcqcn_params(&settings)->gain == 0.5 && dcqcn_params(&settings)->fast_recoveries == 7);
    assert_true(dcqcn_params(&settings)->clamp_target);
    assert_false(sim_transport_set(&settings, "stages", 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transport_find__every_name),
        cmocka_unit_test(sim_transport_check__defaults),
        cmocka_unit_test(sim_transport_init__usual_values),
        cmocka_unit_test(sim_transport_set__by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
