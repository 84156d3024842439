/*
 * test_transport.c - the table of transports and the default settings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "sim/transport/transport.h"

static void transport_find__every_name(void **state)
{
    uint32_t count = 0;
    (void)state;
    for (const struct transport *const *at = transport_table; *at; at++, count++) {
        assert_ptr_equal(transport_find((*at)->name), *at);
        assert_true(strlen((*at)->title) > 0 && strlen((*at)->source) > 0);
        assert_true((*at)->open && (*at)->emit && (*at)->data && (*at)->sender_timer);
    }
    assert_int_equal(count, 10);
    assert_ptr_equal(transport_find("dctcp"), &transport_dctcp);
    assert_null(transport_find("tcp"));
    assert_null(transport_find(""));
}

static void sim_transport_init__usual_values(void **state)
{
    struct sim_transport settings;
    (void)state;
    memset(&settings, 0xff, sizeof settings);
    sim_transport_init(&settings, &transport_cubic);
    assert_ptr_equal(settings.kind, &transport_cubic);
    assert_int_equal(settings.initial_window_segments, 10);
    assert_int_equal(settings.min_rto_ps, 10 * WEIR_PS_PER_MS);
    assert_int_equal(settings.dctcp_gain * 16, WEIR_Q16_ONE);
    assert_int_equal(settings.off_ps, 0);
    assert_true(settings.sack && settings.slow_start && !settings.handshake && !settings.ecn && !settings.poisson);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transport_find__every_name),
        cmocka_unit_test(sim_transport_init__usual_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
