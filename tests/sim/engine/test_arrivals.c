/*
 * test_arrivals.c - arrivals come in their order: by time, and those of the same moment in an order drawn for it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "sim/engine/arrivals.h"
#include "weir/random.h"

#define INPUTS 8u
#define ARRIVALS 200u
#define SALT 77u
#define FIRST_RANK 10u

struct fixture {
    struct arrivals arrivals;
    uint32_t count, read;     /* put in, and read in their order */
    uint32_t order[ARRIVALS]; /* places */
    weir_ps when[ARRIVALS];   /* by place */
    uint32_t input[ARRIVALS];
    bool is_read[ARRIVALS];
};

static void start(struct fixture *f, weir_ps base, uint32_t shift)
{
    memset(f, 0, sizeof *f);
    memset(f->arrivals.first, 0xa5, sizeof f->arrivals.first);
    arrivals_set_window(&f->arrivals, (weir_ps)ARRIVALS_BUCKETS << shift);
    assert_int_equal(f->arrivals.scale.shift, shift);
    arrivals_begin(&f->arrivals, base, SALT, FIRST_RANK);
}

static void put(struct fixture *f, weir_ps when, uint32_t input)
{
    assert_true(arrivals_reserve(&f->arrivals, f->count + 1));
    f->when[f->count] = when;
    f->input[f->count] = input;
    arrivals_put(&f->arrivals, f->arrivals.scale, f->count++, (struct arrival){.when = when, .input = input});
}

/* Reads all of them; the buckets are empty then. */
static void sort(struct fixture *f)
{
    uint32_t heads = arrivals_heads(&f->arrivals);
    for (uint32_t i = 0; i < heads; i++)
        for (uint32_t at = f->arrivals.heads[i]; at != ARRIVALS_NONE; at = f->arrivals.at[at].next)
            f->order[f->read++] = at;
    assert_int_equal(f->read, f->count);
    for (uint32_t i = 0; i < ARRIVALS_WORDS; i++)
        assert_int_equal(f->arrivals.occupied[i], 0);
}

static void arrivals__none(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 0, 10);
    sort(&f);
    arrivals_free(&f.arrivals);
}

static void arrivals__orders_within_and_across_buckets(void **state)
{
    static const weir_ps times[] = {1000 + 16 * ARRIVALS_BUCKETS - 1, 1015, 1016, 1000, 1007};
    static const uint32_t order[] = {3, 4, 1, 2, 0};
    struct fixture f;
    (void)state;
    start(&f, 1000, 4);
    for (uint32_t i = 0; i < 5; i++)
        put(&f, times[i], i);
    sort(&f);
    assert_memory_equal(f.order, order, sizeof order);
    arrivals_free(&f.arrivals);
}

/* More of them in one word of the bitmap than are looked at together, and in all of it. */
static void arrivals__a_word_may_be_full(void **state)
{
    struct fixture f;
    (void)state;
    for (uint32_t count = 1; count <= 64; count++) {
        start(&f, 0, 0);
        put(&f, 300, 0);
        for (uint32_t i = 0; i < count; i++)
            put(&f, 128 + i * 37 % 64, 0);
        put(&f, 5, 0);
        sort(&f);
        for (uint32_t i = 1; i < f.count; i++)
            assert_true(f.when[f.order[i - 1]] < f.when[f.order[i]]);
        arrivals_free(&f.arrivals);
    }
}

/* Eight inputs at the same moment: the order in which they come. */
static void draw(uint32_t order[INPUTS], weir_ps when, bool backwards)
{
    struct fixture f;
    start(&f, when / 4096 * 4096, 10);
    for (uint32_t i = 0; i < INPUTS; i++)
        put(&f, when, backwards ? INPUTS - 1 - i : i);
    sort(&f);
    for (uint32_t i = 0; i < INPUTS; i++)
        order[i] = f.input[f.order[i]];
    arrivals_free(&f.arrivals);
}

/* 8000 moments: each of 8 inputs is at each place 1000 times, with a standard deviation of 30. */
static void arrivals__draws_ties_evenly(void **state)
{
    uint32_t at[INPUTS][INPUTS] = {{0}};
    (void)state;
    for (weir_ps when = 0; when < 8000; when++) {
        uint32_t order[INPUTS];
        draw(order, when * 1200, false);
        for (uint32_t i = 0; i < INPUTS; i++)
            at[order[i]][i]++;
    }
    for (uint32_t i = 0; i < INPUTS * INPUTS; i++)
        assert_in_range(at[i / INPUTS][i % INPUTS], 1000 - 4 * 30, 1000 + 4 * 30);
}

static void arrivals__draws_forget_the_order_of_putting(void **state)
{
    (void)state;
    for (weir_ps when = 0; when < 100; when++) {
        uint32_t order[INPUTS], other[INPUTS];
        draw(order, when, false);
        draw(other, when, true);
        assert_memory_equal(order, other, sizeof order);
    }
}

static bool comes_before(const struct fixture *f, uint32_t a, uint32_t b)
{
    if (f->when[a] != f->when[b])
        return f->when[a] < f->when[b];
    uint64_t moment = weir_hash(SALT, (uint64_t)f->when[a]);
    return weir_hash(moment, FIRST_RANK + f->input[a]) < weir_hash(moment, FIRST_RANK + f->input[b]);
}

/* The first of those that were not read, by looking at all. */
static uint32_t first_of(const struct fixture *f)
{
    uint32_t first = ARRIVALS_NONE;
    for (uint32_t i = 0; i < f->count; i++)
        if (!f->is_read[i] && (first == ARRIVALS_NONE || comes_before(f, i, first)))
            first = i;
    return first;
}

/* Each input has a moment once, as links have. */
static bool is_taken(const struct fixture *f, weir_ps when, uint32_t input)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (f->when[i] == when && f->input[i] == input)
            return true;
    return false;
}

static void arrivals__agree_with_a_search(void **state)
{
    struct fixture f;
    struct weir_random random = weir_random_stream(2, "arrivals");
    (void)state;
    for (uint32_t round = 0; round < 300; round++) {
        uint32_t shift = weir_random_below(&random, 20), span = ARRIVALS_BUCKETS << shift;
        uint32_t tries = weir_random_below(&random, ARRIVALS + 1);
        start(&f, 12345, shift);
        for (uint32_t i = 0; i < tries; i++) {
            weir_ps when = 12345 + weir_random_below(&random, weir_random_below(&random, 2) ? span : 1 + span / 32);
            uint32_t input = weir_random_below(&random, INPUTS);
            if (!is_taken(&f, when, input))
                put(&f, when, input);
        }
        sort(&f);
        for (uint32_t i = 0; i < f.count; i++) {
            uint32_t first = first_of(&f);
            if (f.order[i] != first)
                fail_msg("round %u: arrival %u instead of %u", round, f.order[i], first);
            f.is_read[first] = true;
        }
        arrivals_free(&f.arrivals);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrivals__none),
        cmocka_unit_test(arrivals__orders_within_and_across_buckets),
        cmocka_unit_test(arrivals__a_word_may_be_full),
        cmocka_unit_test(arrivals__draws_ties_evenly),
        cmocka_unit_test(arrivals__draws_forget_the_order_of_putting),
        cmocka_unit_test(arrivals__agree_with_a_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
