/*
 * test_scale.c - ranges and ticks of axes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "show/draw/scale.h"

static void scale_ticks__round_numbers(void **state)
{
    (void)state;
    static const struct {
        double min, max;
        bool log;
        const char *ticks;
    } cases[] = {
        {0, 10, false, "0 2 4 6 8 10 "},
        {0, 0.31, false, "0 0.1 0.2 0.3 "},
        {-1, 1, false, "-1 -0.5 0 0.5 1 "},
        {20, 100, false, "20 40 60 80 100 "},
        {0, 123456, false, "0 50\u202f000 100\u202f000 "},
        {1, 100, true, "1 2 5 10 20 50 100 "},
        {0.5, 3, true, "0.5 1 2 "},
        {1, 10, true, "1 2 5 10 "},
        {96, 101, true, "96 97 98 99 100 101 "}, /* powers of ten would be one tick, or none */
        {101, 120, true, "105 110 115 120 "},
        {1e-6, 1, true, "10\u207b\u2076 10\u207b\u2075 0.0001 0.001 0.01 0.1 1 "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scale scale = {.min = cases[i].min, .max = cases[i].max, .log = cases[i].log};
        double ticks[SCALE_TICKS_MAX];
        uint32_t count = scale_ticks(&scale, 6, ticks);
        char text[256] = "", one[SCALE_TEXT_MAX];
        for (uint32_t t = 0; t < count; t++) {
            scale_text(ticks[t], one);
            strncat(text, one, sizeof text - strlen(text) - 1);
            strncat(text, " ", sizeof text - strlen(text) - 1);
        }
        assert_string_equal(text, cases[i].ticks);
    }
}

/* Ranges of any size: always some ticks, never too many, all within. */
static void scale_ticks__any_range(void **state)
{
    (void)state;
    for (int power = -12; power <= 12; power++) {
        for (int part = 1; part < 40; part++) {
            struct scale scale = {.min = part % 5 * pow(10, power), .max = (part % 5 + part / 7.0) * pow(10, power)};
            double ticks[SCALE_TICKS_MAX];
            uint32_t count = scale_ticks(&scale, 6, ticks);
            assert_in_range(count, 1, 8);
            double room = 1e-6 * (scale.max - scale.min);
            assert_true(ticks[0] >= scale.min - room && ticks[count - 1] <= scale.max + room);
        }
    }
}

static void scale_places__few_points_are_ticks(void **state)
{
    (void)state;
    double x[] = {12, 4, 8, 16, 20, 24, 28, 32, 36, 40, 44}, y[11] = {0}, places[SCALE_PLACES_MAX];
    struct chart_line lines[] = {{.count = 3, .x = x, .y = y, .markers = true},
                                 {.count = 2, .x = x + 2, .y = y, .markers = true}};
    struct chart chart = {.kind = CHART_LINES, .lines = lines, .line_count = 2};
    assert_int_equal(scale_places(&chart, places), 4);
    assert_true(places[0] == 4 && places[1] == 8 && places[2] == 12 && places[3] == 16);
    lines[0].count = 11;
    assert_int_equal(scale_places(&chart, places), 0); /* too many */
    lines[0].count = 3;
    lines[0].markers = lines[1].markers = false;
    assert_int_equal(scale_places(&chart, places), 0); /* a curve */
}

static void scale_of_y__covers_what_is_drawn(void **state)
{
    (void)state;
    double x[] = {1, 2, 3}, y[] = {5, NAN, 10}, low[] = {4, NAN, -20}, high[] = {6, NAN, 40};
    struct chart_line line = {.count = 3, .x = x, .y = y};
    struct chart chart = {.lines = &line, .line_count = 1, .x_min = NAN, .x_max = NAN, .y_max = NAN};
    struct scale plain = scale_of_y(&chart);
    assert_true(plain.min == 0 && plain.max > 10 && plain.max < 11);
    line.low = low;
    line.high = high;
    struct scale with_bars = scale_of_y(&chart);
    assert_true(with_bars.min < -20 && with_bars.max > 40);
    chart.log_y = true;
    struct scale log = scale_of_y(&chart);
    assert_true(log.min > 3 && log.min < 4 && log.max > 40 && log.max < 50); /* near what is drawn */
    chart.line_count = 0;
    struct scale empty = scale_of_y(&chart);
    assert_true(empty.min > 0 && empty.max > empty.min);
}

/* Numbers near the ends of what a double holds: a few ticks, all finite. */
static void scale_ticks__extreme_numbers(void **state)
{
    (void)state;
    double x[] = {1, 2},
           extremes[][2] = {{1, 1e308}, {1e308, 1.7e308}, {5e-324, 1}, {5e-324, 5e-324}, {-1.7e308, 1.7e308}};
    for (uint32_t i = 0; i < 2 * sizeof extremes / sizeof extremes[0]; i++) {
        struct chart_line line = {.count = 2, .x = i % 2 == 0 ? x : extremes[i / 2], .y = extremes[i / 2]};
        struct chart chart = {.lines = &line, .line_count = 1, .x_min = NAN, .x_max = NAN, .y_max = NAN};
        chart.log_x = chart.log_y = i % 2 == 0;
        struct scale scales[] = {scale_of_x(&chart), scale_of_y(&chart)};
        for (uint32_t s = 0; s < 2; s++) {
            double ticks[SCALE_TICKS_MAX];
            assert_true(isfinite(scales[s].max - scales[s].min) && scales[s].min < scales[s].max);
            uint32_t count = scale_ticks(&scales[s], 6, ticks);
            assert_in_range(count, 1, SCALE_TICKS_MAX - 1);
            assert_true(isfinite(ticks[0]) && isfinite(ticks[count - 1]));
        }
    }
}

static void scale_of_x__one_point(void **state)
{
    (void)state;
    double x[] = {7}, y[] = {1};
    struct chart_line line = {.count = 1, .x = x, .y = y};
    struct chart chart = {.lines = &line, .line_count = 1, .x_min = NAN, .x_max = NAN, .y_max = NAN};
    struct scale scale = scale_of_x(&chart);
    scale.from = 0;
    scale.to = 100;
    assert_true(scale.min < 7 && scale.max > 7);
    assert_true(fabs(scale_place(&scale, 7) - 50) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scale_ticks__round_numbers),         cmocka_unit_test(scale_ticks__any_range),
        cmocka_unit_test(scale_places__few_points_are_ticks), cmocka_unit_test(scale_of_y__covers_what_is_drawn),
        cmocka_unit_test(scale_ticks__extreme_numbers),       cmocka_unit_test(scale_of_x__one_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
