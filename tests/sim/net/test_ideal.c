/*
 * test_ideal.c - the time of a lone flow in closed form against the same flow sent segment by segment, hop by hop.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/engine/link.h"
#include "sim/net/ideal.h"
#include "weir/fixed.h"

#define GBPS ((weir_bps)1000000000)
#define ROUNDS 3000u
#define HOPS_MAX 8u

static void ps_per_byte__is_the_nearest(void **state)
{
    const weir_wide second = (weir_wide)(8 * WEIR_PS_PER_S) << LINK_FRACTION_BITS;
    (void)state;
    assert_true(link_ps_per_byte(8 * GBPS) == UINT64_C(1000) << LINK_FRACTION_BITS);
    assert_true(link_ps_per_byte(100 * GBPS) == UINT64_C(80) << LINK_FRACTION_BITS);
    assert_true(link_ps_per_byte(WEIR_RATE_BPS_MIN) == UINT64_C(8000000) << LINK_FRACTION_BITS);
    for (uint64_t i = 0; i < 10000; i++) {
        uint64_t span = WEIR_RATE_BPS_MAX - WEIR_RATE_BPS_MIN + 1;
        weir_bps rate = WEIR_RATE_BPS_MIN + (weir_bps)(weir_hash(3, i) % span >> weir_hash(4, i) % 27);
        weir_wide twice = (weir_wide)link_ps_per_byte(rate) * (weir_wide)rate * 2;
        if (twice > 2 * second + (weir_wide)rate || twice + (weir_wide)rate < 2 * second)
            fail_msg("%lld b/s: %llu is not the nearest", (long long)rate, (unsigned long long)link_ps_per_byte(rate));
    }
}

/* Every segment in turn over every hop: it starts when it is there and the one before it has left. */
static weir_ps naive_time(const struct ideal_hop *hops, uint32_t count, const struct sim_wire *wire, int64_t bytes)
{
    weir_ps hop_free[HOPS_MAX] = {0}, there = 0;
    for (; bytes > 0; bytes -= wire->mss_bytes) {
        uint32_t payload = bytes < wire->mss_bytes ? (uint32_t)bytes : wire->mss_bytes;
        there = 0;
        for (uint32_t h = 0; h < count; h++) {
            struct link link = {.ps_per_byte = link_ps_per_byte(hops[h].rate_bps), .gap_bytes = wire->gap_bytes};
            weir_ps start = there > hop_free[h] ? there : hop_free[h];
            hop_free[h] = start + link_time(&link, payload + wire->header_bytes);
            there = hop_free[h] + hops[h].delay_ps;
        }
    }
    return there;
}

static void time__equals_segment_by_segment(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < ROUNDS; seed++) {
        struct weir_random random = {.key = weir_hash(23, seed)};
        struct ideal_hop hops[HOPS_MAX];
        uint32_t count = 1 + weir_random_below(&random, HOPS_MAX);
        struct sim_wire wire = {.mss_bytes = 1 + weir_random_below(&random, 9000),
                                .header_bytes = 1 + weir_random_below(&random, 100),
                                .gap_bytes = weir_random_below(&random, 30)};
        for (uint32_t h = 0; h < count; h++)
            hops[h] = (struct ideal_hop){WEIR_RATE_BPS_MIN + weir_random_below(&random, 3000000) * (weir_bps)33333,
                                         weir_random_below(&random, 2) ? weir_random_below(&random, 50000000) : 0};
        int64_t bytes = 1 + weir_random_below(&random, 40 * wire.mss_bytes);
        weir_ps expected = naive_time(hops, count, &wire, bytes);
        if (ideal_time(hops, count, &wire, bytes) != expected)
            fail_msg("seed %u: %lld instead of %lld ps", seed, (long long)ideal_time(hops, count, &wire, bytes),
                     (long long)expected);
    }
}

/* 8 Gb/s: a byte takes 1 ns. The third segment, 60 long, has left the first hop after 260, waits 40 for the second
 * segment to leave the next hop, and takes 60 there; delays are 5 and 2. */
static void time__by_hand(void **state)
{
    const struct ideal_hop hops[] = {{8 * GBPS, 5000}, {8 * GBPS, 2000}};
    const struct sim_wire wire = {.mss_bytes = 90, .header_bytes = 10};
    (void)state;
    assert_int_equal(ideal_time(hops, 2, &wire, 50), (60 + 60 + 7) * 1000);
    assert_int_equal(ideal_time(hops, 2, &wire, 90), (100 + 100 + 7) * 1000);
    assert_int_equal(ideal_time(hops, 2, &wire, 230), (260 + 40 + 60 + 7) * 1000);
}

static void time__saturates(void **state)
{
    const struct ideal_hop hop = {WEIR_RATE_BPS_MIN, 0};
    const struct sim_wire wire = {.mss_bytes = 1460, .header_bytes = 40};
    (void)state;
    assert_true(ideal_time(&hop, 1, &wire, INT64_MAX) == WEIR_NEVER);
}

/* The first flow that leaf 0 (node 4) sends by this one of two spines. */
static uint32_t flow_by_spine(uint32_t spine)
{
    uint32_t flow = 1;
    while (routes_choose(routes_salt(1, 4), flow, false, 2) != spine)
        flow++;
    return flow;
}

static void path__is_the_lowest_numbered(void **state)
{
    const struct topology_leaf_spine shape = {2, 2, 2, 1, 10 * GBPS, 40 * GBPS, 7, 9};
    struct topology t;
    struct routes r;
    struct ideal_hop hops[IDEAL_HOPS_MAX];
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    bool up[8] = {true, true, true, true, false, true, true, false};
    (void)state;
    assert_true(topology_leaf_spine(&t, &shape, &error));
    t.links[0].delay_ps = 1;
    t.links[3].delay_ps = 2;
    t.links[4].delay_ps = 3; /* leaf 0 to spine 0 */
    t.links[6].delay_ps = 4; /* leaf 1 to spine 0 */
    assert_true(routes_init(&r, &t, (struct routes_hash){.seed = 1}));
    assert_int_equal(ideal_path(&t, &r, &(struct ideal_way){0, 3, flow_by_spine(0), false}, hops), 4);
    for (uint32_t h = 0; h < 4; h++) {
        assert_int_equal(hops[h].delay_ps, ((weir_ps[]){1, 3, 4, 2})[h]);
        assert_int_equal(hops[h].rate_bps, (h == 1 || h == 2 ? 40 : 10) * GBPS);
    }
    assert_int_equal(ideal_path(&t, &r, &(struct ideal_way){1, 0, 1, false}, hops), 2);
    assert_int_equal(hops[0].delay_ps, 7);
    assert_int_equal(hops[1].delay_ps, 1);
    assert_int_equal(ideal_path(&t, &r, &(struct ideal_way){0, 3, flow_by_spine(1), false}, hops), 4);
    for (uint32_t h = 1; h < 3; h++)
        assert_int_equal(hops[h].delay_ps, 9);
    assert_int_equal(ideal_path(&t, &r, &(struct ideal_way){0, 3, 1, true}, hops), 4);
    assert_int_equal(hops[1].rate_bps, 80 * GBPS); /* two links to spines as one, with the shorter delay */
    assert_int_equal(hops[1].delay_ps, 3);
    assert_true(routes_compute(&r, &t, up));
    assert_int_equal(ideal_path(&t, &r, &(struct ideal_way){0, 3, 1, false}, hops), 0);
    routes_free(&r);
    topology_free(&t);
}

/* A row of switches with hosts at both ends: 64 hops fit, 65 do not. */
static void path__is_bounded(void **state)
{
    struct topology_link links[66];
    struct ideal_hop hops[IDEAL_HOPS_MAX];
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    for (uint32_t switches = 63; switches <= 64; switches++) {
        struct topology t;
        struct routes r;
        links[0] = (struct topology_link){0, 2, GBPS, 0};
        for (uint32_t i = 1; i < switches; i++)
            links[i] = (struct topology_link){i + 1, i + 2, GBPS, 0};
        links[switches] = (struct topology_link){switches + 1, 1, GBPS, 0};
        struct topology_explicit shape = {2, switches, links, switches + 1};
        assert_true(topology_explicit(&t, &shape, &error));
        assert_true(routes_init(&r, &t, (struct routes_hash){.seed = 1}));
        assert_int_equal(ideal_path(&t, &r, &(struct ideal_way){0, 1, 1, false}, hops), switches == 63 ? 64 : 0);
        routes_free(&r);
        topology_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ps_per_byte__is_the_nearest),
        cmocka_unit_test(time__equals_segment_by_segment),
        cmocka_unit_test(time__by_hand),
        cmocka_unit_test(time__saturates),
        cmocka_unit_test(path__is_the_lowest_numbered),
        cmocka_unit_test(path__is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
