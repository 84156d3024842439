/*
 * test_fig14.c - the curve of Figure 14 in a small size: its ends, its order, and the reading of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fig14.h"

#define PORTS 4u

static struct slot_fig14 run_small(void)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct slot_fig14_config config;
    struct slot_fig14 figure;
    slot_fig14_config_init(&config, 1);
    slot_traffic_init(&config.traffic, PORTS, 8 * PORTS, 2500);
    config.traffic.burst_interval = 11 * PORTS;
    config.seeds = 3;
    assert_int_equal(slot_fig14_run(&config, &figure, NULL, &error), WEIR_ERROR_NONE);
    return figure;
}

static void slot_fig14_run__starts_at_one_and_rises(void **state)
{
    struct slot_fig14 figure = run_small();
    (void)state;
    assert_true(figure.credence[0].mean == 1 && figure.credence[0].half == 0);
    for (uint32_t i = 1; i < SLOT_FIG14_POINTS; i++)
        assert_true(figure.credence[i].mean > figure.credence[i - 1].mean);
    assert_true(figure.credence[SLOT_FIG14_POINTS - 1].mean < PORTS);
    assert_true(figure.other[SLOT_FIG14_DT_HALF].mean > figure.other[SLOT_FIG14_DT_ONE].mean);
    assert_true(figure.other[SLOT_FIG14_DT_ONE].mean > 1);
    assert_true(figure.credence[1].half > 0);
    assert_true(figure.lqd_loss > 0 && figure.lqd_loss < 1);
}

static void slot_fig14_run__is_repeatable(void **state)
{
    struct slot_fig14 a = run_small(), b = run_small();
    (void)state;
    assert_memory_equal(a.credence, b.credence, sizeof a.credence);
    assert_memory_equal(a.other, b.other, sizeof a.other);
}

static void slot_fig14_ahead__is_the_last_point_not_behind(void **state)
{
    struct slot_fig14 figure = {.other = {{2, 0}, {1, 0}, {0.5, 0}}};
    (void)state;
    for (uint32_t i = 0; i < SLOT_FIG14_POINTS; i++)
        figure.credence[i].mean = 1 + i * 0.25;
    assert_int_equal(slot_fig14_ahead(&figure, SLOT_FIG14_DT_HALF), 4);
    assert_int_equal(slot_fig14_ahead(&figure, SLOT_FIG14_DT_ONE), 0);
    assert_int_equal(slot_fig14_ahead(&figure, SLOT_FIG14_CS), -1);
}

static void count_report(void *context, uint32_t done, uint32_t all)
{
    uint32_t *reports = context;
    *reports += 1;
    assert_int_equal(done, *reports);
    assert_int_equal(all, 3);
}

static void slot_fig14_run__reports_progress(void **state)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct slot_fig14_config config;
    struct slot_fig14 figure;
    uint32_t reports = 0;
    struct slot_progress progress = {count_report, &reports};
    (void)state;
    slot_fig14_config_init(&config, 100);
    config.seeds = 3;
    assert_int_equal(slot_fig14_run(&config, &figure, &progress, &error), WEIR_ERROR_NONE);
    assert_int_equal(reports, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slot_fig14_run__starts_at_one_and_rises),
        cmocka_unit_test(slot_fig14_run__is_repeatable),
        cmocka_unit_test(slot_fig14_ahead__is_the_last_point_not_behind),
        cmocka_unit_test(slot_fig14_run__reports_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
