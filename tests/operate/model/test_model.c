/*
 * test_model.c - what a configuration says of ports, pools and thresholds, at the edges of what it may say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/sonic_text.h"

/* The small switch, whose numbers each test changes where it needs others. */
static struct sonic_judged *judged;

static int judge(void **state)
{
    const struct sonic_given given = sonic_given_small();
    (void)state;
    judged = sonic_judge(sonic_sane, NULL, &given);
    return !judged->good;
}

static int release(void **state)
{
    (void)state;
    sonic_judged_free(judged);
    return 0;
}

static struct sonic_pool *lossless_pool(void)
{
    return (struct sonic_pool *)(uintptr_t)model_lossless_pool(&judged->model, SONIC_INGRESS);
}

static void ports__ranges(void **state)
{
    static const struct {
        int64_t said, given, speed, mtu;
    } rows[] = {
        {SONIC_ABSENT, SONIC_ABSENT, SONIC_ABSENT, SONIC_MTU_DEFAULT},
        {SONIC_ABSENT, 100, 100, SONIC_MTU_DEFAULT},
        {0, 100, SONIC_ABSENT, SONIC_MTU_DEFAULT},
        {1, 100, 1, 1},
        {-1, 100, SONIC_ABSENT, SONIC_MTU_DEFAULT},
        {UINT16_MAX, 100, UINT16_MAX, UINT16_MAX},
        {UINT16_MAX + 1, 100, UINT16_MAX + 1, SONIC_MTU_DEFAULT},
        {SONIC_SPEED_MAX, 100, SONIC_SPEED_MAX, SONIC_MTU_DEFAULT},
        {SONIC_SPEED_MAX + 1, 100, SONIC_ABSENT, SONIC_MTU_DEFAULT},
    };
    static const double cables[][3] = {{-1, 7, 7}, {0, 7, 0}, {0.5, 7, 0.5}, {-1, -1, -1}};
    struct sonic_model *model = &judged->model;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct sonic_port port = {.speed_mbps = rows[i].said, .mtu = rows[i].said};
        model->given.speed_mbps = rows[i].given;
        assert_int_equal(model_speed(model, &port), rows[i].speed);
        assert_int_equal(model_mtu(&port), rows[i].mtu);
    }
    for (size_t i = 0; i < sizeof cables / sizeof cables[0]; i++) {
        struct formula_link link;
        const struct sonic_port port = {.speed_mbps = 100000, .mtu = 9100, .cable_m = cables[i][0]};
        model->given.cable_m = cables[i][1];
        assert_true(model_cable(model, &port) == cables[i][2]);
        assert_int_equal(model_link(model, &port, &link), cables[i][2] >= 0);
    }
    assert_int_equal(model_pfc_mask(model, "Ethernet0"), 3 << 3);
    assert_int_equal(model_pfc_mask(model, "Ethernet1"), 0);
}

/* Of a pool of 1000 bytes of which 100 are kept, in one pipe or two. */
static void alone__thresholds(void **state)
{
    static const struct {
        int64_t size, pipes, dynamic_th, static_th, bytes;
    } rows[] = {
        {SONIC_ABSENT, 1, 0, SONIC_ABSENT, SONIC_ABSENT},
        {0, 1, 0, SONIC_ABSENT, SONIC_ABSENT},
        {101, 1, SONIC_ABSENT, 0, 1},
        {1000, 1, 0, SONIC_ABSENT, 450},
        {1000, 2, 0, SONIC_ABSENT, 225},
        {1000, SONIC_ABSENT, 0, SONIC_ABSENT, 450},
        {1000, 1, 1, SONIC_ABSENT, 600},
        {1000, 1, -8, SONIC_ABSENT, 3},  /* 900/257, rounded down */
        {1000, 1, 7, SONIC_ABSENT, 893}, /* 900 * 128/129 */
        {1000, 1, -9, SONIC_ABSENT, SONIC_ABSENT},
        {1000, 1, 8, SONIC_ABSENT, SONIC_ABSENT},
        {1000, 1, 8, 77, 77},
        {1000, 1, 0, 77, 450}, /* the dynamic one */
        {1000, 1, SONIC_ABSENT, 0, 900},
        {1000, 1, SONIC_ABSENT, 1, 1},
        {1000, 1, SONIC_ABSENT, 899, 899},
        {1000, 1, SONIC_ABSENT, 901, 900},
        {1001, 2, SONIC_ABSENT, 451, 450}, /* 450.5 */
        {1000, 1, SONIC_ABSENT, SONIC_ABSENT, SONIC_ABSENT},
    };
    struct sonic_model *model = &judged->model;
    struct sonic_pool *pool = lossless_pool();
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        pool->size = rows[i].size;
        model->kept[pool - SONIC_AT(model->config, sonic_pool, SONIC_BUFFER_POOL, 0)] = 100;
        model->platform.pipes = rows[i].pipes;
        assert_int_equal(model_alone(model, pool, rows[i].dynamic_th, rows[i].static_th), rows[i].bytes);
    }
    assert_int_equal(model_alone(model, NULL, 0, 0), SONIC_ABSENT);
}

static void profile_name__parts(void **state)
{
    static const struct {
        const char *name;
        int64_t speed_mbps; /* 0: it is no such name */
        double cable_m;
    } rows[] = {
        {"pg_lossless_100000_40m_profile", 100000, 40},
        {"pg_lossless_1_0.5m", 1, 0.5},
        {"pg_lossless_100000_40m", 100000, 40},
        {"pg_lossless_100000_40mx", 0, 0},
        {"pg_lossless_100000_40", 0, 0},
        {"pg_lossless_100000_40_profile", 0, 0},
        {"pg_lossless_100000", 0, 0},
        {"pg_lossless_0_40m_profile", 0, 0},
        {"pg_lossless_-1_40m_profile", 0, 0},
        {"pg_lossless_100a_40m_profile", 0, 0},
        {"pg_lossless100000_40m_profile", 0, 0},
        {"pg_lossless-100000_40m_profile", 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t speed;
        double cable;
        if (model_read_profile_name(rows[i].name, &speed, &cable) != (rows[i].speed_mbps != 0))
            fail_msg("%s", rows[i].name);
        if (rows[i].speed_mbps != 0)
            assert_true(speed == rows[i].speed_mbps && cable == rows[i].cable_m);
    }
}

/* The pool is shared as soon as it has a byte of headroom. */
static void groups__edges(void **state)
{
    static const struct {
        int64_t pool_xoff, size, xoff, minimum;
    } minimums[] = {
        {1, 1000, 100, 1000},      {0, 1000, 100, 900},     {SONIC_ABSENT, 1000, 100, 900},
        {0, 100, 100, 0},          {0, 101, 100, 1},        {0, 99, 100, 0},
        {0, SONIC_ABSENT, 100, 0}, {0, 7, SONIC_ABSENT, 7}, {1, INT64_MAX, 1, INT64_C(1) << 40},
    };
    struct sonic_model *model = &judged->model;
    struct sonic_group *group = &MODEL_GROUPS(model)[0];
    struct sonic_pool *pool = lossless_pool();
    (void)state;
    for (size_t i = 0; i < sizeof minimums / sizeof minimums[0]; i++) {

        pool->xoff = minimums[i].pool_xoff;
        group->size = minimums[i].size;
        group->xoff = minimums[i].xoff;
        assert_int_equal(model_is_shared(model, pool), minimums[i].pool_xoff > 0);
        assert_int_equal(model_minimum(model, group), minimums[i].minimum);
    }
    assert_false(model_is_shared(model, NULL));
    /* Whole cells of the share and of the minimum, each rounded up. */
    static const int64_t points[][3] = {
        {512, 256, 512}, {514, 256, 768}, {512, 257, 768}, {514, 257, 1024}, {514, 0, 512}};
    group->dynamic_th = 0;
    pool->xoff = 1;
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        model->kept[pool - SONIC_AT(model->config, sonic_pool, SONIC_BUFFER_POOL, 0)] = 0;
        pool->size = points[i][0];
        group->size = points[i][1];
        assert_int_equal(model_pause_point(model, group), points[i][2]);
    }
    pool->size = 0;
    assert_int_equal(model_pause_point(model, group), SONIC_ABSENT);
    assert_ptr_equal(model_group(model, group->port, group->number), group);
    assert_null(model_group(model, group->port, 0));
    assert_null(model_group(model, group->port, 5));
}

/* A profile for a slower or shorter link than the port's: not one for the same, or for less than a millimetre. */
static void other_link__by_its_name(void **state)
{
    static const struct {
        int64_t speed_mbps;
        double cable_m;
        bool other;
    } rows[] = {{100000, 40, false},      {99999, 40, false},     {100001, 40, true},
                {100000, 40.0005, false}, {100000, 40.002, true}, {100000, 39, false},
                {0, -1, false},           {0, 41, true},          {200000, -1, true}};
    struct sonic_model *model = &judged->model;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct sonic_port port = {.speed_mbps = rows[i].speed_mbps, .cable_m = rows[i].cable_m};
        struct sonic_group group = MODEL_GROUPS(model)[0];
        group.port = &port;
        assert_int_equal(model_is_of_other_link(model, &group), rows[i].other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ports__ranges, judge, release),
        cmocka_unit_test_setup_teardown(alone__thresholds, judge, release),
        cmocka_unit_test_setup_teardown(profile_name__parts, judge, release),
        cmocka_unit_test_setup_teardown(groups__edges, judge, release),
        cmocka_unit_test_setup_teardown(other_link__by_its_name, judge, release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
