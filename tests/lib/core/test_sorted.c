/*
 * test_sorted.c - the ranking against sorting, after every step of random growth and shrinkage.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "lib/core/sorted.h"
#include "weir/random.h"

#define ACCOUNTS 24u

struct ranking {
    uint32_t order[ACCOUNTS], run_of[ACCOUNTS], rank_of[ACCOUNTS];
    struct weir_rank_run run[ACCOUNTS + 1];
    struct weir_sorted ranks;
    weir_cells length[ACCOUNTS];
};

static void start(struct ranking *r, uint32_t classes, uint32_t lossless_mask)
{
    struct weir_geometry g = {
        .ports = ACCOUNTS / classes, .classes = classes, .accounts = ACCOUNTS, .lossless_mask = lossless_mask};
    *r = (struct ranking){.length = {0}};
    r->ranks = (struct weir_sorted){.order = r->order, .run_of = r->run_of, .rank_of = r->rank_of, .run = r->run};
    weir_sorted_init(&r->ranks, &g);
}

static void set(struct ranking *r, uint32_t account, weir_cells length)
{
    r->length[account] = length;
    weir_sorted_update(&r->ranks, (weir_account){account}, length);
}

/* Sorted, ranks and runs consistent, equal lengths in one run. */
static void expect_sorted(const struct ranking *r)
{
    for (uint32_t rank = 0; rank < r->ranks.count; rank++) {
        uint32_t account = r->order[rank];
        const struct weir_rank_run *run = &r->run[r->run_of[account]];
        assert_int_equal(r->rank_of[account], rank);
        assert_int_equal(run->length, r->length[account]);
        assert_in_range(rank, run->first, run->first + run->count - 1);
        if (rank == 0)
            continue;
        weir_cells above = r->length[r->order[rank - 1]];
        assert_true(above >= r->length[account]);
        assert_int_equal(above == r->length[account], r->run_of[r->order[rank - 1]] == r->run_of[account]);
    }
}

static void update__moves_past_whole_runs(void **state)
{
    struct ranking r;
    (void)state;
    start(&r, 1, 0);
    for (uint32_t i = 0; i < 6; i++)
        set(&r, i, 5);
    set(&r, 9, 3);
    set(&r, 10, 8);
    expect_sorted(&r);
    set(&r, 9, 8); /* past six equals, joins account 10 */
    expect_sorted(&r);
    assert_int_equal(r.rank_of[9], 1);
    set(&r, 10, 1); /* and back down past all */
    expect_sorted(&r);
    assert_int_equal(r.rank_of[10], 7);
    set(&r, 10, 1); /* no change */
    expect_sorted(&r);
}

static void init__leaves_lossless_classes_out(void **state)
{
    struct ranking r;
    (void)state;
    start(&r, 3, 2); /* accounts 8 .. 15 */
    assert_int_equal(r.ranks.count, 16);
    for (uint32_t rank = 0; rank < 16; rank++)
        assert_false(r.order[rank] >= 8 && r.order[rank] < 16);
}

static void update__random_walk_stays_sorted(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct weir_random random = weir_random_stream(seed, "ranks");
        struct ranking r;
        start(&r, 2, 0);
        for (uint32_t step = 0; step < 5000; step++) {
            uint32_t account = weir_random_below(&random, ACCOUNTS);
            set(&r, account, weir_random_below(&random, seed % 2 ? 6 : 1000));
            expect_sorted(&r);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(update__moves_past_whole_runs),
        cmocka_unit_test(init__leaves_lossless_classes_out),
        cmocka_unit_test(update__random_walk_stays_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
