/* test_sai_groups.c - priority groups with pools and profiles: by class, static and dynamic, by port, xon, headroom of
 * their own and shared, lossy groups; and T = alpha B / (1 + alpha N) to the cell. */
#include <math.h>

#include "tests/support/lossless.h"
#include "weir/counters.h"

#define HEADROOM_POOL (4 * 3 * 100) /* ports, lossless classes, Phi */

static void admit__alpha_by_class(void **unused)
{
    static const struct lossless_step steps[] = {
        {0, 0, 200, SHARED, 0, 0},                              /* T = 400 of 1000 */
        {0, 1, 160, SHARED, 2, 0},                              /* T = 640 / 4 = 160 */
        {0, 1, 100, HEADROOM, 2, 0},                            /* its own */
        {0, 1, 1, REFUSED, 2, 0},    {0, 0, 200, SHARED, 3, 0}, /* 400 >= 440 / 2 */
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + HEADROOM_POOL, 100);
    lossless_build(&l, "sai-groups", "alpha=0.5,0.25");
    LOSSLESS_EXPECT(&l, steps);
    lossless_free(&l);
}

static void admit__static_limit(void **unused)
{
    static const struct lossless_step steps[] = {
        {0, 0, 149, SHARED, 0, 0},
        {1, 1, 700, SHARED, 2, 0}, /* by alpha: 700 >= 151; the limit of class 0 does not move */
        {0, 0, 1, SHARED, 1, 0},
        {0, 0, 1, HEADROOM, 1, 0},
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + HEADROOM_POOL, 100);
    lossless_build(&l, "sai-groups", "limit=150B,auto");
    LOSSLESS_EXPECT(&l, steps);
    lossless_free(&l);
}

static void admit__pools_apart(void **unused)
{
    static const struct lossless_step steps[] = {
        {0, 0, 300, SHARED, 1, 0}, /* pool 0 has 600: 300 >= 300 */
        {1, 1, 99, SHARED, 0, 0},  /* pool 1 has 200: 99 < 101 */
        {1, 1, 1, SHARED, 2, 0},   /* 100 >= 100 */
        {2, 2, 100, SHARED, 4, 0}, /* of the same pool: 100 >= 0 */
        {3, 1, 1, HEADROOM, 2, 0}, /* nothing is left of it, whatever the memory has */
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + HEADROOM_POOL, 100);
    lossless_build(&l, "sai-groups", "alpha=1:pool=0,1:size=600B,200B");
    LOSSLESS_EXPECT(&l, steps);
    lossless_free(&l);
}

static void admit__threshold_of_the_port(void **unused)
{
    static const struct lossless_step steps[] = {
        {0, 0, 200, SHARED, 0, 0}, /* port 200 < 800 / 4 - 0: T_p = 200 is reached only by >= */
        {1, 0, 190, SHARED, 1, 0}, /* T_p = 610 / 4 */
    };
    static const struct lossless_step both[] = {
        {0, 0, 90, SHARED, 0, 0}, /* T_p = 227 */
        {0, 1, 90, SHARED, 0, 0}, /* 180 < 205 */
        {0, 2, 30, SHARED, 4, 0}, /* 210 >= 197: nobody is over alone, the port is */
        {1, 0, 90, SHARED, 0, 0}, /* others are not */
    };
    static const struct lossless_step fixed[] = {
        {0, 0, 90, SHARED, 0, 0}, {0, 1, 30, SHARED, 2, 0}, {1, 0, 119, SHARED, 0, 0}, {1, 0, 1, SHARED, 1, 0}};
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + HEADROOM_POOL, 100);
    lossless_build(&l, "sai-groups", "alpha=8:port_alpha=0.25");
    lossless_expect(&l, &(struct lossless_step){0, 0, 199, SHARED, 0, 0}, 1);
    lossless_expect(&l, &(struct lossless_step){0, 0, 1, SHARED, 1, 0}, 1); /* 200 >= 200 */
    lossless_expect(&l, &steps[1], 1);
    lossless_free(&l);
    lossless_config(&l, 1000 + HEADROOM_POOL, 100);
    lossless_build(&l, "sai-groups", "alpha=8:port_alpha=0.25");
    LOSSLESS_EXPECT(&l, both);
    lossless_free(&l);
    lossless_config(&l, 1000 + HEADROOM_POOL, 100);
    lossless_build(&l, "sai-groups", "alpha=8:port_limit=120B");
    LOSSLESS_EXPECT(&l, fixed);
    lossless_free(&l);
}

static void pause_mask__xon_and_offset(void **unused)
{
    static const struct lossless_step offset[] = {
        {0, 0, 100, SHARED, 0, 0}, {0, 0, 100, SHARED, 0, 0}, {0, 0, 100, SHARED, 1, 0}, /* T = 300 = limit */
        {0, 0, 100, LEAVES, 1, 0},                                                       /* 200 > 300 - 150 */
        {0, 0, 100, LEAVES, 0, 0},
    };
    static const struct lossless_step xon[] = {
        {0, 0, 100, SHARED, 0, 0},
        {0, 0, 100, SHARED, 0, 0},
        {0, 0, 100, SHARED, 1, 0},
        {0, 0, 100, LEAVES, 0, 0}, /* 200 <= xon, the larger of both */
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + HEADROOM_POOL, 100);
    lossless_build(&l, "sai-groups", "limit=300B:delta=150B");
    LOSSLESS_EXPECT(&l, offset);
    lossless_free(&l);
    lossless_config(&l, 1000 + HEADROOM_POOL, 100);
    lossless_build(&l, "sai-groups", "limit=300B:delta=150B:xon=200B");
    LOSSLESS_EXPECT(&l, xon);
    lossless_free(&l);
}

static void admit__shared_headroom_pool(void **unused)
{
    static const struct lossless_step steps[] = {
        {0, 0, 10, SHARED, 1, 0},   {1, 0, 10, SHARED, 1, 0},  {0, 0, 81, REFUSED, 1, 0}, /* xoff is 80 */
        {0, 0, 80, HEADROOM, 1, 0}, {1, 0, 41, REFUSED, 1, 0},                            /* 120 for all */
        {1, 0, 40, HEADROOM, 1, 0},
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + 120, 100);
    lossless_build(&l, "sai-groups", "limit=10B:delta=1B:headroom=80B:headroom_pool=120B");
    assert_int_equal(l.f.config.headroom_cells, 120);
    LOSSLESS_EXPECT(&l, steps);
    lossless_free(&l);
}

/* Lossy classes of one group fill one limit and one minimum; the pool counts them once. */
static void admit__lossy_classes_of_a_group(void **unused)
{
    static const struct lossless_step steps[] = {
        {2, 2, 25, PRIVATE, 0, 0}, /* a minimum of 20, and 5 of the limit of 10 */
        {2, 3, 6, REFUSED, 0, 0},  {2, 3, 5, PRIVATE, 0, 0},  {2, 2, 1, REFUSED, 0, 0},
        {1, 3, 30, PRIVATE, 0, 0}, {2, 2, 25, LEAVES, 0, 0},  {2, 3, 26, REFUSED, 0, 0},
        {2, 3, 25, PRIVATE, 0, 0}, {0, 0, 489, SHARED, 0, 0}, {0, 0, 1, SHARED, 1, 0}, /* 490 >= 1000 - 20 - 490 */
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + HEADROOM_POOL, 100);
    l.f.config.lossless_mask = 3;
    l.f.config.private_cells[2] = l.f.config.private_cells[3] = 50;
    lossless_build(&l, "sai-groups",
                   "alpha=1:limit=auto,auto,10B,auto:minimum=0B,0B,20B,0B:size=1000B:group=auto,auto,5,5");
    LOSSLESS_EXPECT(&l, steps);
    lossless_free(&l);
}

/* Lossless classes of one group have one minimum, one threshold and one headroom, and are paused together. */
static void admit__lossless_classes_of_a_group(void **unused)
{
    static const struct lossless_step steps[] = {
        {0, 1, 10, PRIVATE, 0, 0}, /* the minimum is the group's, whichever class comes */
        {0, 0, 200, SHARED, 0, 0}, /* T = 400 */
        {0, 1, 134, SHARED, 3, 0}, /* 334 >= 333 */
        {0, 2, 1, SHARED, 3, 0},   /* of another group, which takes a cell of the pool; the two were paused before */
        {0, 0, 60, HEADROOM, 3, 0}, {0, 1, 41, REFUSED, 3, 0}, {0, 1, 40, HEADROOM, 3, 0},
        {0, 0, 1, REFUSED, 3, 0},   {0, 1, 10, LEAVES, 3, 0}, /* gives back headroom, though class 0 brought it: 90 are
                                                                 left */
        {0, 0, 200, LEAVES, 0, 0},                            /* the rest of it, and 110 of the pool */
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + 4 * 10 + 4 * 2 * 100, 100);
    l.f.config.ingress_private_cells[0] = 10;
    lossless_build(&l, "sai-groups", "alpha=0.5:group=7,7,auto,7"); /* class 3 is lossy: no part of it */
    assert_int_equal(l.f.config.headroom_cells, 4 * 2 * 100);
    LOSSLESS_EXPECT(&l, steps);
    const struct weir_geometry *g = &weir_mmu_ingress_view(l.f.mmu)->geometry;
    struct weir_group_counters first =
        weir_mmu_group_counters(l.f.mmu, weir_account_of(g, (weir_port){0}, (weir_class){0}));
    struct weir_group_counters other =
        weir_mmu_group_counters(l.f.mmu, weir_account_of(g, (weir_port){0}, (weir_class){1}));
    assert_int_equal(first.shared_watermark_bytes[WEIR_WM_USER], 334);
    assert_int_equal(first.headroom_watermark_bytes[WEIR_WM_USER], 100);
    assert_int_equal(first.dropped_packets, 2);
    assert_int_equal(other.packets + other.shared_watermark_bytes[WEIR_WM_USER], 0);
    assert_true(first.pauses == 1 && other.pauses == 1 && other.resumes == 1);
    lossless_free(&l);
}

/* A lossy group is refused at the ingress, even where its queue has a minimum left. */
static void admit__lossy_group(void **unused)
{
    static const struct lossless_step steps[] = {
        {2, 3, 30, PRIVATE, 0, 0}, /* a minimum of 20, and 10 of its limit */
        {2, 3, 1, REFUSED, 0, 0},  {1, 3, 30, PRIVATE, 0, 0}, {2, 3, 30, LEAVES, 0, 0}, {2, 3, 31, REFUSED, 0, 0},
    };
    struct lossless l;
    (void)unused;
    lossless_config(&l, 1000 + HEADROOM_POOL, 100);
    l.f.config.private_cells[3] = 100;
    lossless_build(&l, "sai-groups", "limit=auto,auto,auto,10B:minimum=0B,0B,0B,20B");
    LOSSLESS_EXPECT(&l, steps);
    lossless_free(&l);
}

/* N groups filled cell by cell until all are paused: each holds alpha_i B / (1 + sum of alpha), to a cell and what a
 * cell of the free pool is to it, alpha_i. */
static void admit__thresholds_to_the_cell(void **unused)
{
    static const struct {
        const char *settings;
        double alpha[3];
        uint32_t groups; /* of each of the 3 classes, one per port */
    } table[] = {
        {"alpha=1", {1, 1, 1}, 1},
        {"alpha=1", {1, 1, 1}, 4},
        {"alpha=0.125", {.125, .125, .125}, 3},
        {"alpha=8", {8, 8, 8}, 4},
        {"alpha=2,0.5,0.0625", {2, .5, .0625}, 4},
        {"alpha=0.00390625,128,1", {1. / 256, 128, 1}, 2},
    };
    (void)unused;
    for (size_t row = 0; row < sizeof table / sizeof table[0]; row++) {
        struct lossless l;
        uint32_t want = 3 * table[row].groups;
        double sum = 0;
        lossless_config(&l, 3500 + 4 * 3 * 7 + 4 * 3 * 1000, 1000);
        for (uint32_t tc = 0; tc < 3; tc++) {
            l.f.config.ingress_private_cells[tc] = 7;
            sum += table[row].alpha[tc] * table[row].groups;
        }
        l.f.config.packets_max = 65536;
        lossless_build(&l, "sai-groups", table[row].settings);
        double most = fmax(table[row].alpha[0], fmax(table[row].alpha[1], table[row].alpha[2])), credit[12] = {0};
        for (uint32_t i = 0; i < want; i++) { /* their minimums */
            l.f.input.i = i / 3;
            assert_true(fixture_accepts(&l.f, 0, i % 3, 7, 0));
        }
        for (bool any = true; any;) { /* in proportion to alpha, so that all arrive at their thresholds together */
            any = false;
            for (uint32_t i = 0; i < want; i++) {
                l.f.input.i = i / 3;
                credit[i] += table[row].alpha[i % 3] / most;
                if (lossless_paused(&l, i / 3) >> i % 3 & 1)
                    continue;
                any = true;
                for (; credit[i] >= 1; credit[i]--)
                    assert_true(fixture_accepts(&l.f, 0, i % 3, 1, 0));
            }
        }
        for (uint32_t i = 0; i < want; i++) {
            double exact = table[row].alpha[i % 3] * 3500 / (1 + sum);
            weir_cells cells = lossless_queue(&l, i / 3, i % 3).cells - 7;
            if ((double)cells < exact - 1 - table[row].alpha[i % 3] ||
                (double)cells > exact + 1 + table[row].alpha[i % 3])
                fail_msg("row %zu, group %u: %lld cells, %.2f expected", row, i, (long long)cells, exact);
        }
        lossless_free(&l);
    }
}

static void reserve__own_or_pool(void **unused)
{
    struct lossless l;
    (void)unused;
    lossless_config(&l, 5000, 100);
    lossless_build(&l, "sai-groups", "headroom=50B,auto,30B");
    assert_int_equal(l.f.config.headroom_cells, 4 * (50 + 100 + 30));
    assert_int_equal(weir_mmu_headroom_limit(l.f.mmu, (weir_port){0}), 100);
    lossless_free(&l);
}

/* New values count what is there anew. */
static void change__recounts(void **unused)
{
    struct lossless l;
    struct weir_values values;
    (void)unused;
    lossless_config(&l, 1000 + HEADROOM_POOL, 100);
    lossless_build(&l, "sai-groups", "alpha=1");
    lossless_expect(&l, &(struct lossless_step){0, 0, 300, SHARED, 0, 0}, 1);
    fixture_values(&values, l.f.config.ingress, "alpha=1:pool=1,0:size=1000B,400B");
    weir_mmu_change(l.f.mmu, true, &values, 0);
    weir_naive_change_ingress(l.naive, &values, 0);
    assert_int_equal(lossless_paused(&l, 0), 1); /* 300 >= 100 */
    lossless_expect(&l, &(struct lossless_step){1, 1, 499, SHARED, 0, 0}, 1);
    lossless_expect(&l, &(struct lossless_step){1, 1, 1, SHARED, 2, 0}, 1);
    lossless_free(&l);
}

/* Packets are counted where they came: groups stay as they are. */
static void change__refuses_other_groups(void **unused)
{
    struct lossless l;
    struct weir_values values;
    (void)unused;
    lossless_config(&l, 1000 + HEADROOM_POOL, 100);
    lossless_build(&l, "sai-groups", "group=5,5");
    fixture_values(&values, l.f.config.ingress, "group=5,4,5");
    assert_null(weir_mmu_change(l.f.mmu, true, &values, 0));
    fixture_values(&values, l.f.config.ingress, "alpha=2:group=1,1"); /* the same by another number */
    assert_non_null(weir_mmu_change(l.f.mmu, true, &values, 0));
    lossless_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(admit__alpha_by_class),
        cmocka_unit_test(admit__static_limit),
        cmocka_unit_test(admit__pools_apart),
        cmocka_unit_test(admit__threshold_of_the_port),
        cmocka_unit_test(pause_mask__xon_and_offset),
        cmocka_unit_test(admit__shared_headroom_pool),
        cmocka_unit_test(admit__lossy_classes_of_a_group),
        cmocka_unit_test(admit__lossless_classes_of_a_group),
        cmocka_unit_test(admit__lossy_group),
        cmocka_unit_test(admit__thresholds_to_the_cell),
        cmocka_unit_test(reserve__own_or_pool),
        cmocka_unit_test(change__recounts),
        cmocka_unit_test(change__refuses_other_groups),
    };
    return cmocka_run_group_tests_name("sai-groups", tests, NULL, NULL);
}
