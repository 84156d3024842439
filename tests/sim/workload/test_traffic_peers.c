/*
 * test_traffic_peers.c - random orders are orders and fair, and each pattern allows the hosts that it is meant to.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/workload/peers.h"
#include "tests/support/error_line.h"

static void shuffle_at__is_a_permutation(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 3, 7, 16, 127, 1000, 65537};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        uint32_t n = sizes[s];
        bool *seen = calloc(n, sizeof *seen);
        for (uint32_t k = 0; k < n; k++) {
            uint32_t at = shuffle_at(n + 77, n, k);
            assert_true(at < n && !seen[at]);
            seen[at] = true;
        }
        free(seen);
    }
}

/* Place of an order of n <= 5 elements in the list of all orders. */
static uint32_t order_index(uint64_t key, uint32_t n)
{
    uint32_t order[5], index = 0;
    for (uint32_t k = 0; k < n; k++) {
        order[k] = shuffle_at(key, n, k);
        uint32_t rank = order[k];
        for (uint32_t j = 0; j < k; j++)
            rank -= order[j] < order[k];
        index = index * (n - k) + rank;
    }
    return index;
}

/* Every order of few elements is as likely as any other: chi-square below its 0.9999 quantile. */
static void shuffle_at__is_fair(void **state)
{
    (void)state;
    static const struct {
        uint32_t n, orders;
        double limit;
    } cases[] = {{2, 2, 15.2}, {3, 6, 25.8}, {4, 24, 56.5}, {5, 120, 185.0}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        enum { DRAWS = 48000 };
        uint32_t count[120] = {0};
        struct weir_random random = weir_random_stream(3, "orders");
        for (uint32_t d = 0; d < DRAWS; d++)
            count[order_index(weir_random_bits(&random), cases[c].n)]++;
        double expected = (double)DRAWS / cases[c].orders, chi = 0;
        for (uint32_t o = 0; o < cases[c].orders; o++)
            chi += (count[o] - expected) * (count[o] - expected) / expected;
        if (chi > cases[c].limit)
            fail_msg("orders of %u: chi-square %g", cases[c].n, chi);
    }
}

/* 5 switches: 0 has no hosts; the others have 2, 3, 1 and 2, unsorted. */
static const uint32_t host_switch[8] = {4, 1, 2, 2, 1, 3, 2, 4};
enum { HOSTS = 8, SWITCHES = 5 };

static struct peers_setup setup_of(enum traffic_pattern pattern, struct peers_range asking, struct peers_range eligible)
{
    return (struct peers_setup){.pattern = pattern,
                                .asking = asking,
                                .eligible = eligible,
                                .hosts = HOSTS,
                                .switches = SWITCHES,
                                .host_switch = host_switch,
                                .random = weir_random_stream(1, "permutation")};
}

static bool is_allowed(enum traffic_pattern pattern, uint32_t from, uint32_t to)
{
    static const uint32_t next_switch[SWITCHES] = {1, 2, 3, 4, 1};
    switch (pattern) {
    case TRAFFIC_PATTERN_OTHER_RACK:
        return host_switch[from] != host_switch[to];
    case TRAFFIC_PATTERN_NEXT_RACK:
        return host_switch[to] == next_switch[host_switch[from]];
    default:
        return from != to;
    }
}

/* Compares the eligible hosts of one with the rule; returns whether the rule allows any. */
static bool check_set(const struct peers *peers, bool made, uint32_t host)
{
    bool seen[HOSTS] = {false};
    struct peers_set set = {0};
    if (made)
        set = peers_of(peers, host);
    for (uint32_t k = 0; k < set.count; k++) {
        uint32_t peer = peers_at(&set, k);
        assert_true(peer < HOSTS && !seen[peer]);
        seen[peer] = true;
    }
    bool any = false;
    for (uint32_t to = 0; to < HOSTS; to++) {
        bool in_range = to - peers->eligible.first < peers->eligible.count;
        bool expected = in_range && is_allowed(peers->pattern, host, to);
        any = any || expected;
        if (made && seen[to] != expected)
            fail_msg("pattern %d: host %u to %u", (int)peers->pattern, host, to);
    }
    return any;
}

static void peers_of__are_exactly_the_allowed_hosts(void **state)
{
    (void)state;
    static const enum traffic_pattern patterns[] = {TRAFFIC_PATTERN_UNIFORM, TRAFFIC_PATTERN_OTHER_RACK,
                                                    TRAFFIC_PATTERN_NEXT_RACK};
    static const struct peers_range ranges[] = {{0, HOSTS}, {1, 6}, {2, 4}};
    for (size_t c = 0; c < 9; c++) {
        enum traffic_pattern pattern = patterns[c / 3];
        struct peers_range asking = pattern == TRAFFIC_PATTERN_NEXT_RACK ? (struct peers_range){1, 4} : ranges[0];
        struct peers_setup setup = setup_of(pattern, asking, ranges[c % 3]);
        struct peers peers;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        bool made = peers_init(&peers, &setup, &error);
        bool possible = true;
        for (uint32_t h = asking.first; h < asking.first + asking.count; h++)
            possible = check_set(&peers, made, h) && possible;
        assert_int_equal(made, possible);
        peers_free(&peers);
    }
}

static void peers_init__permutation_has_no_fixed_point(void **state)
{
    (void)state;
    static const struct peers_range cases[][2] = {
        {{0, 8}, {0, 8}}, {{0, 2}, {0, 2}}, {{0, 4}, {4, 4}}, {{1, 5}, {3, 5}}, {{2, 1}, {5, 1}}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        for (uint32_t seed = 0; seed < 50; seed++) {
            struct peers_setup setup = setup_of(TRAFFIC_PATTERN_PERMUTATION, cases[c][0], cases[c][1]);
            setup.random = weir_random_stream(seed, "permutation");
            struct peers peers;
            struct weir_error error = {.code = WEIR_ERROR_NONE};
            bool seen[HOSTS] = {false};
            assert_true(peers_init(&peers, &setup, &error));
            for (uint32_t h = cases[c][0].first; h < cases[c][0].first + cases[c][0].count; h++) {
                struct peers_set set = peers_of(&peers, h);
                assert_int_equal(set.count, 1);
                uint32_t peer = peers_at(&set, 0);
                assert_int_not_equal(peer, h);
                assert_true(peer - cases[c][1].first < cases[c][1].count && !seen[peer]);
                seen[peer] = true;
            }
            peers_free(&peers);
        }
    }
}

static void peers_init__one_to_one_is_half_way_round(void **state)
{
    (void)state;
    struct peers_setup setup =
        setup_of(TRAFFIC_PATTERN_ONE_TO_ONE, (struct peers_range){0, 8}, (struct peers_range){0, 8});
    struct peers peers;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    assert_true(peers_init(&peers, &setup, &error));
    for (uint32_t h = 0; h < HOSTS; h++) {
        struct peers_set set = peers_of(&peers, h);
        assert_int_equal(peers_at(&set, 0), (h + 4) % 8);
    }
    peers_free(&peers);
}

static void peers_init__says_what_is_wrong(void **state)
{
    (void)state;
    static const struct {
        enum traffic_pattern pattern;
        struct peers_range asking, eligible;
        const char *expected;
    } cases[] = {
        {TRAFFIC_PATTERN_UNIFORM, {0, 8}, {3, 1}, "pattern uniform: host 3 has no eligible peer"},
        {TRAFFIC_PATTERN_OTHER_RACK, {0, 8}, {2, 2}, "pattern other-rack: host 2 has no eligible peer"},
        {TRAFFIC_PATTERN_NEXT_RACK, {0, 8}, {1, 1}, "pattern next-rack: host 1 has no eligible peer"},
        {TRAFFIC_PATTERN_PERMUTATION, {0, 4}, {3, 5}, "as many destinations as sources"},
        {TRAFFIC_PATTERN_PERMUTATION, {4, 1}, {4, 1}, "to itself"},
        {TRAFFIC_PATTERN_ONE_TO_ONE, {0, 4}, {5, 3}, "not among the destinations"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct peers_setup setup = setup_of(cases[c].pattern, cases[c].asking, cases[c].eligible);
        struct peers peers;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        assert_false(peers_init(&peers, &setup, &error));
        if (!strstr(ERROR_LINE(&error), cases[c].expected))
            fail_msg("case %zu: %s", c, ERROR_LINE(&error));
        peers_free(&peers);
    }
}

static void peers_init__one_rack_has_no_other(void **state)
{
    (void)state;
    static const uint32_t one[4] = {0, 0, 0, 0};
    static const enum traffic_pattern patterns[] = {TRAFFIC_PATTERN_OTHER_RACK, TRAFFIC_PATTERN_NEXT_RACK};
    for (size_t c = 0; c < 2; c++) {
        struct peers_setup setup = setup_of(patterns[c], (struct peers_range){0, 4}, (struct peers_range){0, 4});
        setup.hosts = 4;
        setup.switches = 1;
        setup.host_switch = one;
        struct peers peers;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        assert_false(peers_init(&peers, &setup, &error));
        peers_free(&peers);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffle_at__is_a_permutation),
        cmocka_unit_test(shuffle_at__is_fair),
        cmocka_unit_test(peers_of__are_exactly_the_allowed_hosts),
        cmocka_unit_test(peers_init__permutation_has_no_fixed_point),
        cmocka_unit_test(peers_init__one_to_one_is_half_way_round),
        cmocka_unit_test(peers_init__says_what_is_wrong),
        cmocka_unit_test(peers_init__one_rack_has_no_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
