/*
 * test_counters.c - counters add up, and the three watermark views are cleared independently.
 */
#include "fixture.h"
#include "weir/counters.h"

static void account_counters__add_up(void **state)
{
    struct fixture f;
    (void)state;
    fixture_config(&f, 2, 1, 100);
    f.config.cell_bytes = 10;
    f.config.marking[0] = (struct weir_marking){.kind = WEIR_MARK_STEP, .low_cells = 60};
    fixture_build(&f, "dt", "alpha=1");
    f.flags = WEIR_FLAG_ECN;
    assert_true(fixture_accepts(&f, 0, 0, 395, 0));
    assert_false(fixture_accepts(&f, 0, 0, 205, 0)); /* 61 > 60 */
    assert_true(fixture_accepts(&f, 0, 0, 100, 0));
    assert_false(fixture_accepts(&f, 0, 0, 1001, 0)); /* too large */
    fixture_drain(&f, 0, 1, 1);
    weir_mmu_flush(f.mmu, (weir_port){0}, 2);
    struct weir_account_counters c = weir_mmu_account_counters(f.mmu, (weir_account){0});
    assert_int_equal(c.packets, 1);
    assert_int_equal(c.bytes, 395);
    assert_int_equal(c.dropped_packets, 3);
    assert_int_equal(c.dropped_bytes, 205 + 1001 + 100);
    assert_int_equal(c.refused_by_reason[WEIR_REASON_OVER_THRESHOLD], 1);
    assert_int_equal(c.refused_by_reason[WEIR_REASON_TOO_LARGE], 1);
    assert_int_equal(c.dropped_by_cause[WEIR_CAUSE_REFUSED], 2);
    assert_int_equal(c.dropped_by_cause[WEIR_CAUSE_FLUSHED], 1);
    assert_int_equal(c.marked_packets, 0);
    assert_int_equal(c.current_bytes, 0);
    assert_int_equal(c.watermark_bytes[WEIR_WM_USER], 500);
    assert_int_equal(weir_mmu_account_counters(f.mmu, (weir_account){1}).dropped_packets, 0);
    fixture_free(&f);
}

static void clear_watermarks__leaves_the_other_views(void **state)
{
    struct fixture f;
    (void)state;
    fixture_config(&f, 1, 1, 1000);
    fixture_build(&f, "cs", NULL);
    fixture_fill(&f, 0, 0, 300, 0);
    fixture_fill(&f, 0, 0, 100, 0);
    fixture_drain(&f, 0, 1, 1);
    weir_mmu_clear_watermarks(f.mmu, WEIR_WM_PERIODIC);
    struct weir_account_counters c = weir_mmu_account_counters(f.mmu, (weir_account){0});
    assert_int_equal(c.watermark_bytes[WEIR_WM_PERIODIC], 100);
    assert_int_equal(c.watermark_bytes[WEIR_WM_USER], 400);
    fixture_fill(&f, 0, 0, 50, 2);
    weir_mmu_clear_watermarks(f.mmu, WEIR_WM_USER);
    fixture_fill(&f, 0, 0, 10, 2);
    c = weir_mmu_account_counters(f.mmu, (weir_account){0});
    assert_int_equal(c.watermark_bytes[WEIR_WM_PERIODIC], 160);
    assert_int_equal(c.watermark_bytes[WEIR_WM_USER], 160);
    assert_int_equal(c.watermark_bytes[WEIR_WM_PERSISTENT], 400);
    struct weir_pool_counters p = weir_mmu_pool_counters(f.mmu);
    assert_int_equal(p.current_bytes, 160);
    assert_int_equal(p.watermark_bytes[WEIR_WM_PERSISTENT], 400);
    assert_int_equal(p.watermark_bytes[WEIR_WM_PERIODIC], 160);
    fixture_free(&f);
}

static void watermark__is_not_raised_by_a_plan_that_was_undone(void **state)
{
    struct fixture f;
    (void)state;
    fixture_config(&f, 2, 1, 100);
    fixture_build(&f, "lqd", NULL);
    for (uint32_t i = 0; i < 9; i++)
        fixture_fill(&f, 0, 0, 10, 0);
    assert_false(fixture_accepts(&f, 1, 0, 60, 0)); /* 90 -> 40 would be shorter than 60 */
    assert_int_equal(weir_mmu_pool_counters(f.mmu).watermark_bytes[WEIR_WM_USER], 90);
    assert_int_equal(weir_mmu_account_counters(f.mmu, (weir_account){0}).watermark_bytes[WEIR_WM_USER], 90);
    fixture_free(&f);
}

static void pool_counters__memory_reads(void **state)
{
    struct fixture f;
    (void)state;
    fixture_config(&f, 2, 1, 10000);
    fixture_build(&f, "occamy", "alpha=0.25");
    fixture_fill(&f, 0, 0, 1000, 0);
    fixture_fill(&f, 0, 0, 900, 0); /* T = 2025 before, 2025 - ... after */
    fixture_fill(&f, 1, 0, 1500, 0);
    assert_int_equal(weir_mmu_offer_expel(f.mmu, 0)->lost_count, 1);
    fixture_drain(&f, 0, 1, 1);
    struct weir_pool_counters c = weir_mmu_pool_counters(f.mmu);
    assert_int_equal(c.expelled_bytes, 1000);
    assert_int_equal(c.memory_read_bytes, 1900);
    assert_int_equal(weir_mmu_pause_counters(f.mmu, (weir_port){0}).class_pauses, 0);
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(account_counters__add_up),
        cmocka_unit_test(clear_watermarks__leaves_the_other_views),
        cmocka_unit_test(watermark__is_not_raised_by_a_plan_that_was_undone),
        cmocka_unit_test(pool_counters__memory_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
