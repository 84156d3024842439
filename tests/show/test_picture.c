/*
 * test_picture.c - what a chart becomes before it is drawn, and that every format has all of its marks.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "show/draw/picture.h"

#define SIGN "\u2020" /* of CENSORING_PARTIAL */

static double x[] = {1, 10, 100}, y[] = {1, 2, 3}, low[] = {-1, 1.5, 2.5}, high[] = {2, 2.5, 3.5};
static uint8_t partial[] = {CENSORING_NONE, CENSORING_PARTIAL, CENSORING_PARTIAL};

static void make_chart(struct chart *chart, struct chart_line lines[2])
{
    for (uint32_t l = 0; l < 2; l++)
        lines[l] = (struct chart_line){.label = l == 0 ? "one" : "other",
                                       .count = 3,
                                       .x = x,
                                       .y = y,
                                       .low = low,
                                       .high = high,
                                       .censoring = partial,
                                       .colour = l,
                                       .markers = true};
    *chart = (struct chart){.title = "T", .x_title = "x", .y_title = "y", .log_x = true, .log_y = true};
    chart->x_min = chart->x_max = chart->y_max = chart->y_from = chart->y_to = NAN;
    chart->lines = lines;
    chart->line_count = 2;
}

enum format { SVG, GNUPLOT, MATPLOTLIB, FORMATS };

static uint32_t count_in(enum format format, const struct chart *chart, const char *part)
{
    struct report_style style = REPORT_STYLE;
    char *text = NULL;
    size_t size = 0;
    uint32_t count = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_true(format == SVG       ? report_svg(chart, &style, out)
                : format == GNUPLOT ? report_gnuplot(chart, &style, "name", out)
                                    : report_matplotlib(chart, &style, "name", out));
    fclose(out);
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
        count++;
    free(text);
    return count;
}

/* Lines with intervals stand beside each other, on both sides of their x, within the axis. */
static void picture_make__dodges_whole_points(void **state)
{
    struct chart chart;
    struct chart_line lines[2];
    struct picture picture;
    (void)state;
    make_chart(&chart, lines);
    assert_true(picture_make(&picture, &chart, &REPORT_STYLE));
    for (uint32_t i = 0; i < 3; i++) {
        const struct picture_point *one = &picture.series[0].points[i], *other = &picture.series[1].points[i];
        assert_true(one->x < x[i] && other->x > x[i]);
        assert_true(fabs(one->x * other->x - x[i] * x[i]) < 1e-9 * x[i] * x[i]);
        assert_true(one->x > picture.x.scale.min && other->x < picture.x.scale.max);
    }
    picture_free(&picture);
    lines[1].low = lines[1].high = NULL; /* nothing is hidden */
    assert_true(picture_make(&picture, &chart, &REPORT_STYLE));
    assert_true(picture.series[0].points[1].x == 10 && picture.series[1].points[1].x == 10);
    picture_free(&picture);
}

/* An interval that reaches below what a logarithm shows ends at the axis, and is not lost. */
static void picture_make__interval_below_zero(void **state)
{
    struct chart chart;
    struct chart_line lines[2];
    struct picture picture;
    (void)state;
    make_chart(&chart, lines);
    assert_true(picture_make(&picture, &chart, &REPORT_STYLE));
    assert_true(picture.series[0].points[0].low == picture.y.scale.min);
    assert_true(picture.series[0].points[0].high == 2);
    picture_free(&picture);
}

static void report__every_format_has_every_mark(void **state)
{
    static const char *const signs[FORMATS] = {SIGN "</text>", SIGN, "\\U00002020"};
    struct chart chart;
    struct chart_line lines[2];
    (void)state;
    for (uint32_t kind = 0; kind < 3; kind++) {
        const char *const names[] = {"a", "b", "c"};
        make_chart(&chart, lines);
        double places[] = {0, 1, 2};
        chart.kind = (enum chart_kind)kind;
        if (kind != CHART_LINES) {
            lines[0].x = lines[1].x = places;
            chart.x_labels = names;
            chart.x_label_count = 3;
        }
        for (enum format format = 0; format < FORMATS; format++) /* at four points, and in the legend */
            assert_int_equal(count_in(format, &chart, signs[format]), 5);
    }
    make_chart(&chart, lines);
    assert_int_equal(count_in(SVG, &chart, "stroke-width=\"1.2\""), 6);
    assert_int_equal(count_in(GNUPLOT, &chart, "with vectors"), 2);
    assert_int_equal(count_in(MATPLOTLIB, &chart, "low=["), 2);
}

/* Letters stay as they are, and there are more lines of them. */
static void report_svg__long_titles(void **state)
{
    struct chart chart;
    struct chart_line lines[2];
    (void)state;
    make_chart(&chart, lines);
    uint32_t before = count_in(SVG, &chart, "rotate(-90");
    chart.y_title = "A title that is longer than the axis it stands at, which is three hundred pixels high";
    assert_int_equal(count_in(SVG, &chart, "rotate(-90"), before + 1);
    assert_int_equal(count_in(SVG, &chart, "pixels high</text>"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(picture_make__dodges_whole_points),
        cmocka_unit_test(picture_make__interval_below_zero),
        cmocka_unit_test(report__every_format_has_every_mark),
        cmocka_unit_test(report_svg__long_titles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
