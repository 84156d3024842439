/*
 * test_wheel.c - the wheel gives its entries back in the total order of events: by time, then by number, or in an order
 * drawn for the moment.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "sim/engine/wheel.h"
#include "weir/random.h"

#define ENTRIES 40u
#define DRAWN 10u /* the first of those whose ties are drawn */
#define DRAWN_AFTER 18u
#define SALT 77u

struct fixture {
    struct wheel wheel;
    struct wheel_place at[ENTRIES];
    weir_ps times[ENTRIES];
};

static void start(struct fixture *f, weir_ps base, uint32_t shift)
{
    memset(f, 0xa5, sizeof *f);
    memset(&f->wheel, 0, offsetof(struct wheel, first));
    wheel_set_window(&f->wheel, (weir_ps)WHEEL_BUCKETS << shift);
    assert_int_equal(f->wheel.shift, shift);
    f->wheel.at = f->at;
    f->wheel.places = ENTRIES;
    wheel_begin(&f->wheel, base, (struct wheel_ties){SALT, DRAWN, DRAWN_AFTER});
}

static void insert(struct fixture *f, uint32_t entry, weir_ps when)
{
    f->times[entry] = when;
    wheel_insert(&f->wheel, entry, when, entry);
}

static void expect(struct fixture *f, uint32_t entry)
{
    assert_int_equal(wheel_pop(&f->wheel), entry);
}

static void wheel__is_empty_at_first(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 0, 0);
    assert_int_equal(wheel_pop(&f.wheel), WHEEL_NONE);
}

static void wheel__orders_within_and_across_buckets(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 1000, 4);
    insert(&f, 0, 1000 + 16 * WHEEL_BUCKETS - 1); /* the last moment it can hold */
    insert(&f, 1, 1015);
    insert(&f, 2, 1016);
    insert(&f, 3, 1000); /* the first one */
    insert(&f, 4, 1007);
    expect(&f, 3);
    expect(&f, 4);
    expect(&f, 1);
    expect(&f, 2);
    expect(&f, 0);
    assert_int_equal(wheel_pop(&f.wheel), WHEEL_NONE);
}

static void wheel__breaks_ties_by_number(void **state)
{
    static const uint32_t order[] = {5, 2, 9, 0, 7};
    struct fixture f;
    (void)state;
    start(&f, 0, 10);
    for (uint32_t i = 0; i < 5; i++)
        insert(&f, order[i], 77); /* none of them drawn */
    expect(&f, 0);
    expect(&f, 2);
    expect(&f, 5);
    expect(&f, 7);
    expect(&f, 9);
}

/* Eight drawn entries, one below and one above them, all due at the same moment: the order in which they come. */
static void draw(uint32_t order[10], weir_ps when, bool backwards)
{
    struct fixture f;
    start(&f, when / 4096 * 4096, 10);
    for (uint32_t i = 0; i < 10; i++)
        insert(&f, DRAWN - 1 + (backwards ? 9 - i : i), when);
    for (uint32_t i = 0; i < 10; i++)
        order[i] = wheel_pop(&f.wheel);
}

/* 8000 moments: each of 8 entries is at each place 1000 times, with a standard deviation of 30. */
static void wheel__draws_ties_evenly(void **state)
{
    uint32_t at[8][8] = {{0}};
    (void)state;
    for (weir_ps when = 0; when < 8000; when++) {
        uint32_t order[10];
        draw(order, when * 1200, false);
        assert_int_equal(order[0], DRAWN - 1);
        assert_int_equal(order[9], DRAWN_AFTER);
        for (uint32_t i = 0; i < 8; i++)
            at[order[1 + i] - DRAWN][i]++;
    }
    for (uint32_t i = 0; i < 64; i++)
        assert_in_range(at[i / 8][i % 8], 1000 - 4 * 30, 1000 + 4 * 30);
}

static void wheel__draws_forget_the_order_of_insertion(void **state)
{
    (void)state;
    for (weir_ps when = 0; when < 100; when++) {
        uint32_t order[10], other[10];
        draw(order, when, false);
        draw(other, when, true);
        assert_memory_equal(order, other, sizeof order);
    }
}

/* A bucket that ran empty holds nothing of its past. */
static void wheel__a_bucket_is_used_again(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 0, 10);
    insert(&f, 3, 5);
    insert(&f, 1, 5);
    expect(&f, 1);
    expect(&f, 3);
    insert(&f, 2, 6);
    expect(&f, 2);
    assert_int_equal(wheel_pop(&f.wheel), WHEEL_NONE);
}

/* From the front, the middle and the end of a bucket, and the last one of it. */
static void wheel__an_entry_can_be_taken_out(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 0, 10);
    for (uint32_t i = 0; i < 5; i++)
        insert(&f, i, 77);
    insert(&f, 5, 500000);
    wheel_remove(&f.wheel, 2);
    wheel_remove(&f.wheel, 0);
    wheel_remove(&f.wheel, 4);
    expect(&f, 1);
    wheel_remove(&f.wheel, 3);
    insert(&f, 3, 400000);
    expect(&f, 3);
    wheel_remove(&f.wheel, 5);
    assert_int_equal(wheel_pop(&f.wheel), WHEEL_NONE);
}

static bool is_drawn(uint32_t entry)
{
    return entry >= DRAWN && entry < DRAWN_AFTER;
}

static bool comes_before(const struct fixture *f, uint32_t a, uint32_t b)
{
    if (f->times[a] != f->times[b])
        return f->times[a] < f->times[b];
    if (!is_drawn(a) || !is_drawn(b))
        return a < b;
    uint64_t moment = weir_hash(SALT, (uint64_t)f->times[a]);
    return weir_hash(moment, a) < weir_hash(moment, b);
}

/* The entry that comes first of those in `in`, by looking at all. */
static uint32_t first_of(const struct fixture *f, uint64_t in)
{
    uint32_t first = WHEEL_NONE;
    for (uint32_t i = 0; i < ENTRIES; i++)
        if ((in >> i & 1) && (first == WHEEL_NONE || comes_before(f, i, first)))
            first = i;
    return first;
}

/* As a switch uses it: entries come back later in the window as they are taken. */
static void wheel__agrees_with_a_search(void **state)
{
    struct fixture f;
    struct weir_random random = weir_random_stream(1, "wheel");
    (void)state;
    for (uint32_t round = 0; round < 500; round++) {
        uint32_t shift = weir_random_below(&random, 20), span = WHEEL_BUCKETS << shift;
        uint64_t in = 0;
        start(&f, 12345, shift);
        for (uint32_t i = 0; i < ENTRIES; i++, in = in << 1 | 1)
            insert(&f, i, 12345 + weir_random_below(&random, weir_random_below(&random, 2) ? span : 1 + span / 32));
        for (uint32_t more = 200; in != 0; more -= more > 0) {
            uint32_t moved = weir_random_below(&random, ENTRIES);
            if (in >> moved & 1 && f.times[moved] > f.times[first_of(&f, in)]) {
                wheel_remove(&f.wheel, moved);
                insert(&f, moved, f.times[moved] - 1);
            }
            uint32_t entry = wheel_pop(&f.wheel);
            if (entry != first_of(&f, in))
                fail_msg("round %u: entry %u instead of %u", round, entry, first_of(&f, in));
            in &= ~(UINT64_C(1) << entry);
            weir_ps later = f.times[entry] + weir_random_below(&random, 1 + span / 8);
            if (more == 0 || later >= 12345 + (weir_ps)span)
                continue;
            insert(&f, entry, later);
            in |= UINT64_C(1) << entry;
        }
        assert_int_equal(wheel_pop(&f.wheel), WHEEL_NONE);
    }
}

/* As a switch sorts what arrives: several events of a rank, in places that say nothing of their order. */
static void wheel__sorts_as_a_search(void **state)
{
    struct fixture f;
    struct weir_random random = weir_random_stream(2, "wheel");
    (void)state;
    for (uint32_t round = 0; round < 500; round++) {
        uint32_t shift = weir_random_below(&random, 20), span = WHEEL_BUCKETS << shift, order[ENTRIES];
        uint32_t count = weir_random_below(&random, ENTRIES + 1);
        uint64_t in = 0;
        start(&f, 12345, shift);
        for (uint32_t i = 0; i < count; i++, in = in << 1 | 1) {
            f.times[i] = 12345 + weir_random_below(&random, weir_random_below(&random, 2) ? span : 1 + span / 32);
            wheel_put(&f.wheel, ENTRIES - 1 - i, f.times[i], i);
        }
        wheel_sort(&f.wheel, order, count);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t entry = ENTRIES - 1 - order[i];
            if (entry != first_of(&f, in))
                fail_msg("round %u: entry %u instead of %u", round, entry, first_of(&f, in));
            in &= ~(UINT64_C(1) << entry);
        }
        for (uint32_t i = 0; i < WHEEL_WORDS; i++)
            assert_int_equal(f.wheel.occupied[i], 0);
        assert_int_equal(f.wheel.words, 0);
    }
}

/* The first event is known after whatever happened. */
static void wheel__knows_its_first_event(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 0, 10);
    assert_int_equal(f.wheel.next_ps, WEIR_NEVER);
    insert(&f, 7, 900);
    insert(&f, 5, 900);
    assert_int_equal(f.wheel.next, 5);
    insert(&f, 9, 4000);
    assert_int_equal(f.wheel.next, 5);
    insert(&f, 3, 100);
    assert_int_equal(f.wheel.next, 3);
    assert_int_equal(f.wheel.next_ps, 100);
    wheel_remove(&f.wheel, 3);
    assert_int_equal(f.wheel.next, 5);
    expect(&f, 5);
    expect(&f, 7);
    assert_int_equal(f.wheel.next_ps, 4000);
    expect(&f, 9);
    assert_int_equal(f.wheel.next_ps, WEIR_NEVER);
}

static void wheel__reserves_and_keeps(void **state)
{
    struct wheel wheel = {.at = NULL};
    (void)state;
    assert_true(wheel_reserve(&wheel, 2));
    wheel.at[1].when = 77;
    assert_true(wheel_reserve(&wheel, 1));
    assert_int_equal(wheel.places, 2);
    assert_true(wheel_reserve(&wheel, 100));
    assert_int_equal(wheel.at[1].when, 77);
    wheel_free(&wheel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wheel__draws_ties_evenly),
        cmocka_unit_test(wheel__draws_forget_the_order_of_insertion),
        cmocka_unit_test(wheel__is_empty_at_first),
        cmocka_unit_test(wheel__orders_within_and_across_buckets),
        cmocka_unit_test(wheel__breaks_ties_by_number),
        cmocka_unit_test(wheel__a_bucket_is_used_again),
        cmocka_unit_test(wheel__an_entry_can_be_taken_out),
        cmocka_unit_test(wheel__agrees_with_a_search),
        cmocka_unit_test(wheel__sorts_as_a_search),
        cmocka_unit_test(wheel__knows_its_first_event),
        cmocka_unit_test(wheel__reserves_and_keeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
