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
    struct weir_headroom_link link = {100000000000, 2 * WEIR_PS_PER_US, 1500, 0, 0};
    const int64_t expected[WEIR_HEADROOM_COUNT] = {1500, 25000, 3840, 1500, 25000, 64, 1500};
    int64_t bytes[WEIR_HEADROOM_COUNT];
    (void)unused;
    weir_headroom_terms(&link, bytes);
    assert_memory_equal(bytes, expected, sizeof bytes);
    assert_int_equal(weir_headroom_equation(&link), 56840);
    assert_int_equal(weir_headroom_safe(&link), 58404);
    link.processing_bytes = 100; /* less than 3840 as that */
    assert_int_equal(weir_headroom_safe(&link), 58404);
}

/* A peer as slow as the standard allows, and what this switch takes: outside of equation 1. */
static void terms__slower_peer(void **unused)
{
    struct weir_headroom_link link = {100000000000, 2 * WEIR_PS_PER_US, 1500, 25216, 1000};
    const int64_t expected[WEIR_HEADROOM_COUNT] = {1500, 25000, 3840, 1500, 25000, 64, 1500, 21376, 1000};
    int64_t bytes[WEIR_HEADROOM_COUNT];
    (void)unused;
    weir_headroom_terms(&link, bytes);
    assert_memory_equal(bytes, expected, sizeof bytes);
    assert_int_equal(weir_headroom_equation(&link), 56840);
    assert_int_equal(weir_headroom_safe(&link), 58404 + 21376 + 1000);
}

/* IEEE 802.3ba-2010, 31B.3.7, and rows that SONiC has. */
static void response__by_rate(void **unused)
{
    const struct {
        weir_bps rate_bps;
        uint32_t bytes;
    } cases[] = {
        {WEIR_RATE_BPS_MIN, 64},
        {1000000000, 128},
        {1000000001, 74 * 64},
        {10000000000, 74 * 64},
        {25000000000, 80 * 64},
        {40000000000, 118 * 64},
        {30000000000, 118 * 64}, /* no speed of the standard: as the next one */
        {100000000000, 25216},
        {400000000000, 57920},
        {800000000000, 57920},
        {1600000000000, 2 * 57920}, /* as long as at 800 Gb/s */
        {WEIR_RATE_BPS_MAX, 125 * 57920},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(weir_pfc_response_bytes(cases[i].rate_bps), cases[i].bytes);
    for (const struct weir_pfc_response *row = weir_pfc_responses; row->rate_bps > 0; row++) {
        assert_int_equal(weir_pfc_response(row->rate_bps).quanta, row->quanta);
        assert_ptr_equal(weir_pfc_response(row->rate_bps).source, row->source);
        assert_true(row[1].rate_bps == 0 || (row[1].rate_bps > row->rate_bps && row[1].quanta >= row->quanta));
    }
}

static void equation__trident2(void **unused)
{
    struct weir_headroom_link link = {40000000000, 3 * WEIR_PS_PER_US / 2, 1500, 0, 0};
    (void)unused;
    int64_t all = weir_headroom_equation(&link) * 32 * 8;
    assert_int_equal(all, 5591040);                         /* 5.33 MiB */
    assert_int_equal(1000 * all / (12 * 1024 * 1024), 444); /* 44.4 % of 12 MiB */
}

static void terms__are_rounded_up(void **unused)
{
    struct weir_headroom_link link = {8000000001, 1000, 64, 0, 0}; /* one byte and a little in one nanosecond */
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
    struct weir_headroom_link link = {WEIR_RATE_BPS_MAX, 100 * WEIR_PS_PER_S, WEIR_PACKET_BYTES_MAX, 0, 0};
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
        struct weir_headroom_link link = {100000000000, uplink.delay_ps, mtu, 0, 0};
        int64_t bytes = weir_headroom_safe(&link), worst = 0;
        bytes += uplink.processing_bytes > 3840 ? uplink.processing_bytes - 3840 : 0;
        int64_t wire = bytes + 4 * (int64_t)uplink.gap_bytes;
        for (int64_t size = uplink.least_bytes > 0 ? uplink.least_bytes : 1; size <= mtu; size++) {
            int64_t cells = wire * ((size + cell_bytes - 1) / cell_bytes) / (size + uplink.gap_bytes);
            worst = cells > worst ? cells : worst;
        }
        int64_t found = weir_headroom_safe_cells(&uplink, link.rate_bps, cell_bytes);
        if (found <= worst || found > worst + 2)
            fail_msg("draw %u: %lld cells, the worst packets take %lld", i, (long long)found, (long long)worst);
        assert_int_equal(weir_headroom_safe_cells(&uplink, link.rate_bps, 1), bytes);
    }
}

#define WIRE_MAX 8192

/* The most cells of packets that begin within so many bytes of the wire, by trying every size for the last of them. */
static int64_t most_cells(const struct weir_uplink *uplink, uint32_t cell_bytes, int64_t wire_bytes)
{
    static int64_t most[WIRE_MAX];
    assert_true(wire_bytes < WIRE_MAX);
    for (int64_t at = 0; at <= wire_bytes; at++) {
        most[at] = at > 0 ? most[at - 1] : 0;
        for (uint32_t size = uplink->least_bytes; size <= uplink->mtu_bytes; size++) {
            int64_t begins = at - size - uplink->gap_bytes;
            int64_t cells = begins >= 0 ? most[begins] + (size + cell_bytes - 1) / cell_bytes : 0;
            most[at] = cells > most[at] ? cells : most[at];
        }
    }
    return most[wire_bytes];
}

/*
 * A byte takes a nanosecond. The peer begins packets, of any sizes in any order, until the PAUSE takes effect: after a
 * packet and its gap, the frame and its gap, twice the delay and the processing. The last of them may be of any size,
 * and the one that triggered the pause is in the headroom too.
 */
static void safe_cells__no_arrangement_of_packets_exceeds_it(void **unused)
{
    struct weir_random random = weir_random_stream(2, "arrangements");
    uint32_t reached = 0;
    (void)unused;
    for (uint32_t i = 0; i < 300; i++) {
        uint32_t cell_bytes = 1 + weir_random_below(&random, 300), least = 1 + weir_random_below(&random, 300);
        uint32_t more = weir_random_below(&random, 2) * weir_random_below(&random, 300);
        struct weir_uplink uplink = {.delay_ps = 1000 * weir_random_below(&random, 500),
                                     .mtu_bytes = least + more,
                                     .least_bytes = least,
                                     .gap_bytes = weir_random_below(&random, 40),
                                     .processing_bytes = WEIR_PFC_PROCESSING_BYTES};
        int64_t last = (uplink.mtu_bytes + cell_bytes - 1) / cell_bytes;
        int64_t time = 2 * uplink.delay_ps / 1000 + uplink.mtu_bytes + 64 + 2 * uplink.gap_bytes + 3840;
        int64_t worst = most_cells(&uplink, cell_bytes, time - 1) + last + last;
        int64_t bound = weir_headroom_safe_cells(&uplink, 8000000000, cell_bytes);
        if (worst > bound)
            fail_msg("draw %u: cells of %u B, packets of %u to %u B, gap %u B: %lld cells, the bound is %lld", i,
                     cell_bytes, least, uplink.mtu_bytes, uplink.gap_bytes, (long long)worst, (long long)bound);
        reached += worst >= bound - 1;
    }
    assert_true(reached > 0); /* and it is not far above */
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
        cmocka_unit_test(terms__slower_peer),
        cmocka_unit_test(response__by_rate),
        cmocka_unit_test(safe_cells__no_arrangement_of_packets_exceeds_it),
        cmocka_unit_test(term_name__each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
