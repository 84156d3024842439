/*
 * test_tcp_ring.c - the ring of bits against a plain array, with a base that moves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "sim/transport/tcp_ring.h"
#include "tests/support/fake_host.h"

#define SEGMENTS 4000u

static void tcp_ring__null_is_the_empty_set(void **state)
{
    (void)state;
    assert_int_equal(tcp_ring_count(NULL, 0, UINT32_MAX), 0);
    assert_int_equal(tcp_ring_remove(NULL, 0, 100), 0);
    assert_int_equal(tcp_ring_gap(NULL, 17), 17);
    assert_int_equal(tcp_ring_nth_highest(NULL, 3, 9), 9);
    assert_false(tcp_ring_has(NULL, 0));
}

static void tcp_ring_reserve__keeps_what_is_there(void **state)
{
    struct fake_host fake;
    struct tcp_ring *ring = NULL;
    (void)state;
    fake_init(&fake, &transport_newreno, 1);
    assert_true(tcp_ring_reserve(&fake.host, &ring, 100, 120));
    assert_int_equal(tcp_ring_add(ring, 101, 121), 20);
    assert_int_equal(tcp_ring_add(ring, 110, 130), 9);
    ring->recent[0] = 120;
    assert_true(tcp_ring_reserve(&fake.host, &ring, 100, 5000));
    assert_int_equal(tcp_ring_add(ring, 5000, 5001), 1);
    assert_int_equal(tcp_ring_count(ring, 100, 6000), 30);
    assert_int_equal(tcp_ring_gap(ring, 101), 130);
    assert_int_equal(ring->recent[0], 120);
    fake.no_words = true;
    assert_false(tcp_ring_reserve(&fake.host, &ring, 100, 500000));
    assert_int_equal(tcp_ring_count(ring, 100, 6000), 30);
    tcp_ring_free(&fake.host, ring);
    fake_free(&fake);
}

static uint32_t plain_count(const bool *set, uint32_t from, uint32_t until)
{
    uint32_t count = 0;
    for (uint32_t i = from; i < until; i++)
        count += set[i];
    return count;
}

static uint32_t plain_nth(const bool *set, uint32_t n, uint32_t floor)
{
    for (uint32_t i = SEGMENTS; i-- > floor;) {
        if (set[i] && --n == 0)
            return i;
    }
    return floor;
}

static void compare(const struct tcp_ring *ring, const bool *set, uint32_t base, struct weir_random *draw)
{
    uint32_t a = base + weir_random_below(draw, SEGMENTS - base), b = a + weir_random_below(draw, SEGMENTS - a);
    assert_int_equal(tcp_ring_count(ring, a, b), plain_count(set, a, b));
    assert_int_equal(tcp_ring_has(ring, a), set[a]);
    uint32_t gap = a;
    while (gap < SEGMENTS && set[gap])
        gap++;
    assert_int_equal(tcp_ring_gap(ring, a), gap);
    if (set[a]) {
        uint32_t first = a;
        while (first > base && set[first - 1])
            first--;
        assert_int_equal(tcp_ring_run(ring, a, base), first);
    }
    for (uint32_t n = 1; n <= 4; n++)
        assert_int_equal(tcp_ring_nth_highest(ring, n, a), plain_nth(set, n, a));
}

static void tcp_ring__against_an_array(void **state)
{
    static bool set[SEGMENTS + 1];
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct fake_host fake;
        struct tcp_ring *ring = NULL;
        struct weir_random draw = weir_random_stream(seed, "test_tcp_ring");
        uint32_t base = 0, reach = 50 + weir_random_below(&draw, 600);
        fake_init(&fake, &transport_newreno, 1);
        memset(set, 0, sizeof set);
        while (base + reach + 100 < SEGMENTS) {
            uint32_t from = base + weir_random_below(&draw, reach), until = from + 1 + weir_random_below(&draw, 90);
            assert_true(tcp_ring_reserve(&fake.host, &ring, base, until - 1));
            uint32_t fresh = until - from - plain_count(set, from, until);
            assert_int_equal(tcp_ring_add(ring, from, until), fresh);
            memset(set + from, 1, until - from);
            compare(ring, set, base, &draw);
            uint32_t next = base + weir_random_below(&draw, 60);
            assert_int_equal(tcp_ring_remove(ring, base, next), plain_count(set, base, next));
            memset(set + base, 0, next - base);
            base = next;
            compare(ring, set, base, &draw);
        }
        tcp_ring_free(&fake.host, ring);
        fake_free(&fake);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tcp_ring__null_is_the_empty_set),
        cmocka_unit_test(tcp_ring_reserve__keeps_what_is_there),
        cmocka_unit_test(tcp_ring__against_an_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
