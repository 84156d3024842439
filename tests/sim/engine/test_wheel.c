/*
 * test_wheel.c - the wheel gives its entries back in the total order of events: by time, then by number.
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
    wheel_begin(&f->wheel, base);
}

static void insert(struct fixture *f, uint32_t entry, weir_ps when)
{
    f->times[entry] = when;
    wheel_insert(&f->wheel, entry, when);
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
        insert(&f, order[i], 77);
    expect(&f, 0);
    expect(&f, 2);
    expect(&f, 5);
    expect(&f, 7);
    expect(&f, 9);
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

static bool comes_before(const struct fixture *f, uint32_t a, uint32_t b)
{
    return f->times[a] != f->times[b] ? f->times[a] < f->times[b] : a < b;
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
        cmocka_unit_test(wheel__is_empty_at_first),         cmocka_unit_test(wheel__orders_within_and_across_buckets),
        cmocka_unit_test(wheel__breaks_ties_by_number),     cmocka_unit_test(wheel__a_bucket_is_used_again),
        cmocka_unit_test(wheel__an_entry_can_be_taken_out), cmocka_unit_test(wheel__agrees_with_a_search),
        cmocka_unit_test(wheel__knows_its_first_event),     cmocka_unit_test(wheel__reserves_and_keeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
