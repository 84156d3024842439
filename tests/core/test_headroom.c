/* test_headroom.c - the terms of a headroom against numbers worked out by hand and those that papers print. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "weir/headroom.h"
#include "weir/random.h"

static void terms__100g_2us(void **unused)
{
    struct weir_headroom_link link = {100000000000, 2 * WEIR_PS_PER_US, 1500};
    const int64_t expected[WEIR_HEADROOM_COUNT] = {1500, 25000, 3840, 1500, 25000, 64, 1500};
    int64_t bytes[WEIR_HEADROOM_COUNT];
    (void)unused;
    weir_headroom_terms(&link, bytes);
    assert_memory_equal(bytes, expected, sizeof bytes);
    assert_int_equal(weir_headroom_equation(&link), 56840);
    assert_int_equal(weir_headroom_safe(&link), 58404);
}

static void equation__trident2(void **unused)
{
    struct weir_headroom_link link = {40000000000, 3 * WEIR_PS_PER_US / 2, 1500};
    (void)unused;
    int64_t all = weir_headroom_equation(&link) * 32 * 8;
    assert_int_equal(all, 5591040);                         /* 5.33 MiB */
    assert_int_equal(1000 * all / (12 * 1024 * 1024), 444); /* 44.4 % of 12 MiB */
}

static void terms__are_rounded_up(void **unused)
{
    struct weir_headroom_link link = {8000000001, 1000, 64}; /* one byte and a little in one nanosecond */
    int64_t bytes[WEIR_HEADROOM_COUNT];
    (void)unused;
    weir_headroom_terms(&link, bytes);
    assert_int_equal(bytes[WEIR_HEADROOM_PAUSE], 2);
    assert_int_equal(bytes[WEIR_HEADROOM_DATA], 2);
    link.rate_bps = 8000000000;
    weir_headroom_terms(&link, bytes);
    assert_int_equal(bytes[WEIR_HEADROOM_PAUSE], 1);
    link.delay_ps = 0;
    assert_int_equal(weir_headroom_equation(&link), 2 * 64 + 3840);
}

static void terms__fast_and_long_links(void **unused)
{
    struct weir_headroom_link link = {WEIR_RATE_BPS_MAX, 100 * WEIR_PS_PER_S, WEIR_PACKET_BYTES_MAX};
    int64_t bytes[WEIR_HEADROOM_COUNT];
    (void)unused;
    weir_headroom_terms(&link, bytes); /* bits times picoseconds pass 64 bits */
    assert_true(bytes[WEIR_HEADROOM_PAUSE] == INT64_C(1250000000000000));
}

/* The worst size is found by trying each. */
static void safe_cells__of_the_worst_packet(void **unused)
{
    struct weir_random random = weir_random_stream(1, "cells");
    (void)unused;
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t mtu = 1 + weir_random_below(&random, 3000), cell_bytes = 2 + weir_random_below(&random, 600);
        struct weir_uplink uplink = {.delay_ps = 1000 * weir_random_below(&random, 2000),
                                     .mtu_bytes = mtu,
                                     .least_bytes = weir_random_below(&random, mtu + 1),
                                     .gap_bytes = weir_random_below(&random, 2) * weir_random_below(&random, 800),
                                     .processing_bytes = weir_random_below(&random, 10000)};
        struct weir_headroom_link link = {100000000000, uplink.delay_ps, mtu};
        int64_t bytes = weir_headroom_safe(&link), worst = 0;
        bytes += uplink.processing_bytes > 3840 ? uplink.processing_bytes - 3840 : 0;
        for (int64_t size = uplink.least_bytes > 0 ? uplink.least_bytes : 1; size <= mtu; size++) {
            int64_t cells = bytes * ((size + cell_bytes - 1) / cell_bytes) / (size + uplink.gap_bytes);
            worst = cells > worst ? cells : worst;
        }
        int64_t found = weir_headroom_safe_cells(&uplink, link.rate_bps, cell_bytes);
        if (found <= worst || found > worst + 2)
            fail_msg("draw %u: %lld cells, the worst packets take %lld", i, (long long)found, (long long)worst);
        assert_int_equal(weir_headroom_safe_cells(&uplink, link.rate_bps, 1), bytes);
    }
}

static void term_name__each(void **unused)
{
    (void)unused;
    for (int term = 0; term < WEIR_HEADROOM_COUNT; term++) {
        assert_true(strlen(weir_headroom_term_name((enum weir_headroom_term)term)) > 0);
        for (int other = 0; other < term; other++)
            assert_string_not_equal(weir_headroom_term_name((enum weir_headroom_term)term),
                                    weir_headroom_term_name((enum weir_headroom_term)other));
    }
    assert_string_equal(weir_headroom_term_name(WEIR_HEADROOM_PAUSE), "propagation of the PAUSE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms__100g_2us),
        cmocka_unit_test(equation__trident2),
        cmocka_unit_test(terms__are_rounded_up),
        cmocka_unit_test(terms__fast_and_long_links),
        cmocka_unit_test(safe_cells__of_the_worst_packet),
        cmocka_unit_test(term_name__each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
