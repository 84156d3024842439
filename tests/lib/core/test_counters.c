/*
 * test_counters.c - counters add up, and the three watermark views are cleared independently.
 */
#include "tests/support/fixture.h"
#include "tests/support/headroom_policy.h"
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

/* Two inputs; class 1 is lossless with XOFF at 100 cells of 10 bytes, and has headroom. */
static void build_lossless(struct fixture *f)
{
    fixture_config(f, 2, 2, 1000);
    f->config.cell_bytes = 10;
    f->config.lossless_mask = 2;
    f->config.headroom_cells = 200;
    f->config.ingress = &headroom_policy;
    fixture_build(f, "cs", NULL);
}

static struct weir_group_counters group_of(const struct fixture *f, uint32_t input, uint32_t tc)
{
    const struct weir_geometry *g = &weir_mmu_ingress_view(f->mmu)->geometry;
    return weir_mmu_group_counters(f->mmu, weir_account_of(g, (weir_port){input}, (weir_class){tc}));
}

static void group_counters__add_up(void **state)
{
    struct fixture f;
    (void)state;
    build_lossless(&f);
    f.input.i = 1;
    fixture_fill(&f, 0, 1, 80, 0);
    fixture_fill(&f, 0, 1, 50, 0);                                           /* headroom, and paused */
    assert_int_equal(fixture_offer(&f, 0, 1, 1600, 0), WEIR_REASON_NO_ROOM); /* 210 > 200 */
    fixture_fill(&f, 0, 0, 7, 0);
    struct weir_group_counters c = group_of(&f, 1, 1);
    assert_int_equal(c.packets, 2);
    assert_int_equal(c.refused_packets, 1);
    assert_int_equal(c.dropped_packets, 1);
    assert_int_equal(c.current_bytes, 1300);
    assert_int_equal(c.shared_bytes, 800);
    assert_int_equal(c.headroom_bytes, 500);
    assert_int_equal(c.pauses, 1);
    assert_int_equal(c.resumes, 0);
    assert_int_equal(group_of(&f, 1, 0).current_bytes, 70);
    assert_int_equal(group_of(&f, 0, 1).packets, 0);
    weir_mmu_flush(f.mmu, (weir_port){0}, 1);
    c = group_of(&f, 1, 1);
    assert_int_equal(c.packets, 2);
    assert_int_equal(c.dropped_packets, 3);
    assert_int_equal(c.current_bytes, 0);
    assert_int_equal(c.resumes, 1);
    assert_int_equal(group_of(&f, 1, 0).dropped_packets, 1);
    assert_int_equal(group_of(&f, 1, 0).pauses, 0);
    fixture_free(&f);
}

/* Classes 0 and 1 are lossy and lossless; dt and sih are those whose lossy packets go the short way. */
static void group_counters__count_what_left(void **state)
{
    const char *const egress[] = {"dt", "lqd", "abm"};
    (void)state;
    for (size_t i = 0; i < sizeof egress / sizeof egress[0]; i++) {
        struct fixture f;
        fixture_config(&f, 2, 2, 100000);
        f.config.ingress = weir_policy_find("sih");
        f.config.lossless_mask = 2;
        fixture_build(&f, egress[i], NULL);
        for (uint32_t packet = 0; packet < 8; packet++) {
            f.input.i = packet / 4;
            fixture_fill(&f, packet & 1, packet >> 1 & 1, 100 + packet, packet);
        }
        fixture_drain(&f, 0, 4, 10);
        fixture_drain(&f, 1, 3, 10); /* one of class 1 stays */
        for (uint32_t group = 0; group < 4; group++) {
            uint32_t input = group % 2, tc = group / 2;
            const struct weir_holding *a = weir_view_account(weir_mmu_ingress_view(f.mmu), (weir_account){group});
            assert_int_equal(group_of(&f, input, tc).packets, 2);
            assert_int_equal(a->sent_cells + a->cells, 2 * (100 + 4 * input + 2 * tc) + 1);
        }
        assert_null(weir_mmu_check(f.mmu));
        fixture_free(&f);
    }
}

static void clear_watermarks__of_groups(void **state)
{
    struct fixture f;
    (void)state;
    build_lossless(&f);
    fixture_fill(&f, 0, 1, 80, 0);
    fixture_fill(&f, 0, 1, 50, 0);
    fixture_drain(&f, 0, 1, 1); /* 80 leave: 50 of them headroom's, so that 50 stay shared */
    weir_mmu_clear_watermarks(f.mmu, WEIR_WM_USER);
    struct weir_group_counters c = group_of(&f, 0, 1);
    assert_int_equal(c.watermark_bytes[WEIR_WM_PERSISTENT], 1300);
    assert_int_equal(c.shared_watermark_bytes[WEIR_WM_PERIODIC], 800);
    assert_int_equal(c.headroom_watermark_bytes[WEIR_WM_PERSISTENT], 500);
    assert_int_equal(c.watermark_bytes[WEIR_WM_USER], 500);
    assert_int_equal(c.shared_watermark_bytes[WEIR_WM_USER], 500);
    assert_int_equal(c.headroom_watermark_bytes[WEIR_WM_USER], 0);
    fixture_fill(&f, 0, 1, 20, 1);
    c = group_of(&f, 0, 1);
    assert_int_equal(c.watermark_bytes[WEIR_WM_USER], 700);
    assert_int_equal(c.watermark_bytes[WEIR_WM_PERIODIC], 1300);
    fixture_free(&f);
}

static void group_counters__are_zero_without_an_ingress_policy(void **state)
{
    struct fixture f;
    (void)state;
    fixture_config(&f, 2, 1, 100);
    fixture_build(&f, "cs", NULL);
    fixture_fill(&f, 0, 0, 10, 0);
    assert_int_equal(weir_mmu_group_counters(f.mmu, (weir_account){0}).packets, 0);
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
        cmocka_unit_test(group_counters__add_up),
        cmocka_unit_test(group_counters__count_what_left),
        cmocka_unit_test(clear_watermarks__of_groups),
        cmocka_unit_test(group_counters__are_zero_without_an_ingress_policy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
