/*
 * test_charts.c - figures become the right numbers, in the right units, with the right words below them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "show/charts/charts.h"
#include "tests/support/failing_alloc.h"
#include "tests/support/report_file.h"

#define HALF (12.7062047 * 0.5) /* of the interval of two seeds that differ by 1 */

static void assert_numbers(const double *numbers, const double *expected, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (isnan(expected[i]) ? !isnan(numbers[i]) : !(fabs(numbers[i] - expected[i]) < 1e-6))
            fail_msg("number %u is %.9g and not %.9g", i, numbers[i], expected[i]);
    }
}

static void line__means_and_intervals(void **state)
{
    (void)state;
    struct report_world world;
    report_world_make(&world,
                      RESULTS_SWEEP "figures: [{kind: line, title: T, x: size, lines: policy, y: q.qct.mean}]\n",
                      REPORT_NONE);
    assert_int_equal(world.charts.count, 1);
    const struct chart *chart = &world.charts.charts[0];
    assert_int_equal(chart->kind, CHART_LINES);
    assert_int_equal(chart->line_count, 2);
    assert_string_equal(chart->x_title, "size (KB)");
    assert_string_equal(chart->x_unit, "KB");
    assert_string_equal(chart->y_title, "q: mean query completion time (ms)");
    assert_string_equal(chart->note, "Error bars: 95 % confidence interval over 2 seeds.");
    assert_null(chart->x_labels);
    /* 100KB, 300KB, 200KB in the file: from left to right in the chart. */
    assert_numbers(chart->lines[0].x, (double[]){100, 200, 300}, 3);
    assert_numbers(chart->lines[0].y, (double[]){0.5, 4.5, 2.5}, 3);
    assert_numbers(chart->lines[0].low, (double[]){0, 0, 0}, 3);
    assert_numbers(chart->lines[0].high, (double[]){0.5 + HALF, 4.5 + HALF, 2.5 + HALF}, 3);
    assert_string_equal(chart->lines[1].label, "Pushout");
    assert_numbers(chart->lines[1].y, (double[]){6.5, 10.5, 8.5}, 3);
    assert_int_not_equal(chart->lines[0].colour, chart->lines[1].colour);
    report_world_free(&world);
}

/* The first axis gives the colour, the second the dashes. */
static void line__dashes_are_a_second_axis(void **state)
{
    (void)state;
    struct report_world world;
    report_world_make(&world,
                      RESULTS_SWEEP "figures: [{kind: bar, title: T, x: policy, dashes: size, y: q.qct.mean}, "
                                    "{kind: line, title: T, x: size, dashes: policy, y: q.qct.mean}]\n",
                      REPORT_NONE);
    const struct chart *bars = &world.charts.charts[0], *lines = &world.charts.charts[1];
    assert_int_equal(bars->line_count, 3);
    assert_string_equal(bars->lines[1].label, "300KB");
    assert_numbers(bars->lines[1].y, (double[]){2.5, 8.5}, 2);
    assert_int_equal(lines->line_count, 2);
    assert_string_equal(lines->lines[1].label, "Pushout");
    assert_int_equal(lines->lines[0].colour, lines->lines[1].colour);
    assert_int_not_equal(lines->lines[0].pattern, lines->lines[1].pattern);
    assert_numbers(lines->lines[1].y, (double[]){6.5, 10.5, 8.5}, 3);
    report_world_free(&world);
}

static void bar__averages_what_is_not_shown(void **state)
{
    (void)state;
    struct report_world world;
    report_world_make(&world, RESULTS_SWEEP "figures: [{kind: bar, title: T, x: policy, y: q.qct.mean, note: N}]\n",
                      REPORT_NONE);
    const struct chart *chart = &world.charts.charts[0];
    assert_int_equal(chart->kind, CHART_BARS);
    assert_int_equal(chart->x_label_count, 2);
    assert_string_equal(chart->x_labels[1], "Pushout");
    /* Seed by seed: 2 and 3, 8 and 9. */
    assert_numbers(chart->lines[0].y, (double[]){2.5, 8.5}, 2);
    assert_numbers(chart->lines[0].high, (double[]){2.5 + HALF, 8.5 + HALF}, 2);
    assert_string_equal(chart->note, "N. Mean over size. Error bars: 95 % confidence interval over 2 seeds.");
    report_world_free(&world);
}

static void line__unit_of_the_title(void **state)
{
    (void)state;
    struct report_world world;
    report_world_make(&world,
                      RESULTS_SWEEP "figures: [{kind: line, title: T, x: size, y: q.qct.mean, where: {policy: DT}, "
                                    "x_title: Buffer (MB), y_title: Mean (us)}]\n",
                      REPORT_NONE);
    const struct chart *chart = &world.charts.charts[0];
    assert_string_equal(chart->x_title, "Buffer (MB)");
    assert_string_equal(chart->y_title, "Mean (us)");
    assert_string_equal(chart->y_unit, "us");
    assert_numbers(chart->lines[0].x, (double[]){0.1, 0.2, 0.3}, 3);
    assert_numbers(chart->lines[0].y, (double[]){500, 4500, 2500}, 3);
    assert_memory_equal(chart->note, "At policy=DT. ", 14);
    report_world_free(&world);
}

static void line__missing_runs(void **state)
{
    (void)state;
    struct report_world world;
    /* Run 2 is the first seed of DT at 300KB: the point has one value and no interval. */
    report_world_make(&world,
                      RESULTS_SWEEP "figures: [{kind: line, title: T, x: size, lines: policy, y: q.qct.mean}]\n", 2);
    const struct chart_line *line = &world.charts.charts[0].lines[0];
    assert_numbers(line->y, (double[]){0.5, 4.5, 3}, 3);
    assert_true(isnan(line->low[2]) && isnan(line->high[2]));
    report_world_free(&world);
}

static void line__unknown_measure(void **state)
{
    (void)state;
    struct report_world world;
    report_world_make(&world, RESULTS_SWEEP "figures: [{kind: line, title: T, x: size, y: q.qct.meen}]\n", REPORT_NONE);
    assert_int_equal(world.charts.charts[0].line_count, 0);
    assert_string_equal(world.charts.charts[0].note,
                        "No finished run has the measure q.qct.meen (did you mean q.qct.mean?).");
    report_world_free(&world);
}

static void cdf__merges_seeds(void **state)
{
    (void)state;
    struct report_world world;
    report_world_make(&world,
                      RESULTS_SWEEP "figures: [{kind: cdf, title: T, curve: q.qct.cdf, lines: policy, "
                                    "where: {size: 100KB}}]\n",
                      REPORT_NONE);
    const struct chart *chart = &world.charts.charts[0];
    assert_int_equal(chart->line_count, 2);
    assert_string_equal(chart->x_unit, "ms");
    assert_string_equal(chart->note, "At size=100KB. 2 seeds merged, each with the same weight.");
    /* 1 and 2 ms of one seed, 2 and 3 of the other, from nothing on the left to all on the right. */
    assert_int_equal(chart->lines[0].count, 5);
    assert_numbers(chart->lines[0].x + 1, (double[]){1, 2, 3}, 3);
    assert_numbers(chart->lines[0].y, (double[]){0, 0.25, 0.75, 1, 1}, 5);
    assert_true(chart->lines[0].steps && chart->lines[0].x[4] > 9);
    assert_numbers(chart->lines[1].x + 1, (double[]){7, 8, 9}, 3);
    report_world_free(&world);
}

/* Forty distributions between 1 and 81 ms: as many looks as there are, and no time below zero. */
static void cdf__many_lines(void **state)
{
    (void)state;
    struct report_world world;
    report_world_make(&world,
                      RESULTS_BASE "sweep: {size: {switch.buffer: {from: 100KB, to: 4000KB, step: 100KB}}}\n"
                                   "figures: [{kind: cdf, title: T, curve: q.qct.cdf, lines: size}]\n",
                      REPORT_NONE);
    const struct chart *chart = &world.charts.charts[0];
    assert_int_equal(chart->line_count, 40);
    assert_string_equal(chart->x_title, "q: query completion time (ms)");
    bool used[CHART_COLOURS][CHART_PATTERNS] = {{false}};
    for (uint32_t l = 0; l < CHART_COLOURS * CHART_PATTERNS; l++) {
        assert_false(used[chart->lines[l].colour][chart->lines[l].pattern]);
        used[chart->lines[l].colour][chart->lines[l].pattern] = true;
    }
    assert_true(chart->lines[0].x[0] == 0);
    assert_true(chart->lines[0].x[chart->lines[0].count - 1] > 81);
    report_world_free(&world);
}

static void cdf__lines_without_data(void **state)
{
    (void)state;
    struct report_world world;
    report_world_make(&world,
                      "name: trial\nseed: 3\nuntil: 1ms\n"
                      "topology: {kind: single, hosts: 4, rate: 10Gbps, delay: 1us}\n"
                      "switch: {buffer: 100KB, policy: dt}\ntransports: {t: {kind: cubic}}\n"
                      "traffic: [{kind: long, tag: long, transport: t, sources: h0-h1, destinations: h2}]\n"
                      "sweep: {policy: {labels: [DT, Pushout], switch.policy: [dt, lqd]}}\n"
                      "figures: [{kind: cdf, title: T, curve: q.qct.cdf, lines: policy}]\n",
                      1);
    assert_int_equal(world.charts.charts[0].line_count, 1);
    assert_string_equal(world.charts.charts[0].note, "Without a value: Pushout.");
    report_world_free(&world);
}

static void log__what_it_cannot_show(void **state)
{
    (void)state;
    struct report_world world;
    report_world_make(&world,
                      RESULTS_SWEEP "figures:\n"
                                    "  - {kind: line, title: T, x: size, lines: policy, log: y,\n"
                                    "     y: 'q.qct.mean - q.qct.mean[policy=DT]'}\n"
                                    "  - {kind: line, title: T, x: size, log: y, y: q.qct.mean - q.qct.mean}\n"
                                    "  - {kind: cdf, title: T, curve: q.qct.cdf, lines: policy, log: x}\n",
                      REPORT_NONE);
    const struct chart *chart = world.charts.charts;
    assert_non_null(strstr(chart[0].note, " Left out, as a logarithm cannot show zero or less: 3 points."));
    assert_true(chart[0].log_y);
    assert_non_null(strstr(chart[1].note, " The y axis is linear: no value is above zero, and a logarithm needs one."));
    assert_false(chart[1].log_y);
    assert_null(strstr(chart[2].note, "logarithm"));
    assert_true(chart[2].log_x && chart[2].lines[0].x[0] > 0);
    report_world_free(&world);
}

static void charts_words__names(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"burst.qct.mean", "burst: mean query completion time"},
        {"web.short.fct.p99", "web.short: 99th percentile of flow completion time"},
        {"burst.qct.cdf", "burst: query completion time"},
        {"a.b.lossless", "a.b: fraction without a loss"},
        {"x.goodput", "x: goodput"},
        {"lost.total", "packets lost"},
        {"qct.mean", "qct.mean"},
        {"mean", "mean"},
        {".qct", ".qct"},
        {"x.unknown.mean", "x.unknown.mean"},
        {"", ""},
    };
    struct report_charts charts = {.count = 0};
    struct charts_builder builder = {.out = &charts};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(charts_words(&builder, cases[i][0]), cases[i][1]);
    report_charts_free(&charts);
}

/* How often `part` is in the drawing of the chart. */
static uint32_t drawn(const struct chart *chart, const char *part)
{
    char *text = NULL;
    size_t size = 0;
    uint32_t count = 0;
    FILE *out = open_memstream(&text, &size);
    assert_true(out != NULL && report_svg(chart, &REPORT_STYLE, out));
    fclose(out);
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
        count++;
    free(text);
    return count;
}

static void svg__many_bars(void **state)
{
    (void)state;
    double x[40], y[40];
    const char *names[40];
    for (uint32_t i = 0; i < 40; i++) {
        x[i] = i;
        y[i] = i + 1;
        names[i] = "a-long-name";
    }
    struct chart_line lines[] = {{.label = "full", .count = 40, .x = x, .y = y},
                                 {.label = "light", .count = 40, .x = x, .y = y, .pattern = 1}};
    struct chart chart = {.title = "T", .x_title = "", .y_title = "", .kind = CHART_BARS, .x_min = NAN};
    chart.x_max = chart.y_max = NAN;
    chart.lines = lines;
    chart.line_count = 2;
    chart.x_labels = names;
    chart.x_label_count = 40;
    assert_in_range(drawn(&chart, "rotate(-30"), 10, 28);
    assert_int_equal(drawn(&chart, "fill-opacity=\"0.55\""), 41); /* and in the legend */
}

static void svg__log_axis_has_gaps(void **state)
{
    (void)state;
    double x[] = {1, 2, 3, 4}, y[] = {1, 0, 1e308, 3};
    struct chart_line line = {.label = "l", .count = 4, .x = x, .y = y, .markers = true, .colour = 1};
    struct chart chart = {.title = "T", .x_title = "", .y_title = "", .log_y = true, .x_min = NAN};
    chart.x_max = chart.y_max = NAN;
    chart.lines = &line;
    chart.line_count = 1;
    assert_int_equal(drawn(&chart, "class=\"s1 f1\""), 2); /* 1 and 3; one line needs no legend */
    assert_int_equal(drawn(&chart, "inf") + drawn(&chart, "nan"), 0);
}

/* The first sentence of a page: best and worst, by how much, seed by seed. */
static void finding__best_and_worst(void **state)
{
    (void)state;
    struct report_world world;
    report_world_make(&world,
                      RESULTS_SWEEP "figures:\n"
                                    "  - {kind: line, title: T, x: size, lines: policy, y: q.qct.mean}\n"
                                    "  - {kind: bar, title: T, x: policy, y: q.qct.mean}\n"
                                    "  - {kind: cdf, title: T, curve: q.qct.cdf, lines: policy, where: {size: 100KB}}\n"
                                    "  - {kind: evolution, title: T, where: {policy: DT, size: 100KB}}\n",
                      REPORT_NONE);
    const struct chart *charts = world.charts.charts;
    /* 0 and 1 ms beside 6 and 7: the first seed has no ratio. */
    assert_string_equal(charts[0].finding,
                        "DT is best at 3 of 3 points; the gap is widest at 100 KB, where DT has 0.5 \u00b1 6.4 ms and "
                        "Pushout 6.5 \u00b1 6.4 ms.");
    /* 2 and 3 beside 8 and 9: 4 and 3 times. */
    assert_string_equal(charts[1].finding,
                        "DT is best with 2.5 \u00b1 6.4 ms, Pushout worst with 8.5 \u00b1 6.4 ms (3.5 "
                        "\u00b1 6.4 times as much, which the seeds do not confirm).");
    assert_string_equal(charts[2].finding,
                        "Median 2 ms (DT) to 8 ms (Pushout); 99th percentile 3 ms (DT) to 9 ms (Pushout).");
    assert_string_equal(charts[3].finding, "Greatest: s0-h1 queue with 200 KB at 7.777 ms.");
    report_world_free(&world);
}

/* Where the seeds overlap nobody is best for certain; a number alone says what it is a number of. */
static void finding__what_the_seeds_confirm(void **state)
{
    (void)state;
    double x[] = {4, 8}, a[] = {2, 2}, b[] = {3, 2.5}, none[] = {NAN, NAN};
    double a_seeds[] = {2, 2, 1, 3}, b_seeds[] = {3, 3.01, 3, 2};
    struct chart_line lines[] = {
        {.label = "A", .count = 2, .x = x, .y = a, .low = none, .high = none, .seeds = a_seeds, .markers = true},
        {.label = "B", .count = 2, .x = x, .y = b, .low = none, .high = none, .seeds = b_seeds, .markers = true}};
    struct chart chart = {.kind = CHART_LINES,
                          .title = "T",
                          .x_title = "Hosts that answer",
                          .y_title = "",
                          .x_unit = "",
                          .y_unit = "",
                          .seeds = 2,
                          .lines = lines,
                          .line_count = 2,
                          .numbers = CHART_NUMBERS_POINTS,
                          .better = CHART_BETTER_LOWER};
    struct report_charts charts = {.count = 0};
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    struct charts_builder builder = {.out = &charts, .status = &status};
    assert_true(charts_find(&builder, &chart));
    assert_string_equal(chart.finding,
                        "A is best at 2 of 2 points, which the seeds confirm at 1; the gap is widest at 4 "
                        "(Hosts that answer), where A has 2 and B 3 (50.2 \u00b1 3.2 % more).");
    report_charts_free(&charts);
}

/* A policy has one colour wherever it is: as a line, as a bar, in the title of a chart of its own. */
static void colours__one_per_policy(void **state)
{
    (void)state;
    struct report_world world;
    report_world_make(&world,
                      RESULTS_SWEEP "figures:\n"
                                    "  - {kind: line, title: T, x: size, lines: policy, y: q.qct.mean}\n"
                                    "  - {kind: bar, title: T, x: policy, y: q.qct.mean}\n"
                                    "  - {kind: bar, title: T, x: policy, lines: size, y: q.qct.mean}\n"
                                    "  - {kind: cdf, title: T, curve: q.qct.cdf, lines: policy}\n"
                                    "  - {kind: evolution, title: T, lines: policy}\n",
                      REPORT_NONE);
    const struct chart *charts = world.charts.charts;
    for (uint32_t policy = 0; policy < 2; policy++) {
        uint32_t colour = charts[0].lines[policy].colour;
        assert_int_equal(charts[1].x_colours[policy], colour);
        assert_int_equal(charts[2].x_colours[policy], colour);
        assert_int_equal(charts[3].lines[policy].colour, colour);
        assert_int_equal(charts[4 + policy].colour, colour);
    }
    assert_int_not_equal(charts[2].lines[0].pattern, charts[2].lines[1].pattern); /* sizes differ in shade */
    report_world_free(&world);
}

/* And in every file: whatever it is compared with, and in whatever order. */
static void charts_look__policies_keep_their_colours(void **state)
{
    (void)state;
    static const char *const names[] = {"lqd", "es", "dt", "dt", "occamy", "harmonic"};
    struct node nodes[6];
    const struct node *at[6];
    struct axis_value values[6];
    for (uint32_t i = 0; i < 6; i++) {
        nodes[i] = (struct node){.kind = NODE_SCALAR, .text = names[i]};
        at[i] = &nodes[i];
        values[i] = (struct axis_value){.label = names[i], .nodes = &at[i]};
    }
    static const char *const paths[] = {"switch.policy"};
    struct axis axis = {.name = "policy", .paths = paths, .path_count = 1, .values = values, .count = 6};
    struct experiment experiment = {.axis_count = 1, .axes = {axis}};
    static const uint32_t colours[] = {3, 2, 0, 4, 1, 5};
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(charts_look(&experiment, 0, i).colour, colours[i]);
        assert_int_equal(charts_look(&experiment, 0, i).repeat, 0);
    }
    experiment.axes[0].paths = (const char *const[]){"switch.policy.alpha"}; /* not a policy: by order */
    assert_int_equal(charts_look(&experiment, 0, 2).colour, 2);
    assert_int_equal(charts_look(&experiment, FIGURE_NO_AXIS, 9).colour, 1);
    assert_int_equal(charts_look(&experiment, FIGURE_NO_AXIS, 9).repeat, 1);
}

static void heat__two_axes(void **state)
{
    (void)state;
    struct report_world world;
    report_world_make(&world,
                      RESULTS_SWEEP "figures: [{kind: heat, title: T, x: size, lines: policy, y: q.qct.mean}]\n",
                      REPORT_NONE);
    const struct chart *chart = &world.charts.charts[0];
    assert_int_equal(chart->kind, CHART_HEAT);
    assert_int_equal(chart->line_count, 2);
    assert_int_equal(chart->x_label_count, 3);
    assert_string_equal(chart->x_labels[1], "300KB");
    assert_numbers(chart->lines[1].y, (double[]){6.5, 8.5, 10.5}, 3);
    assert_int_equal(drawn(chart, "<rect x="), 6);
    assert_int_equal(drawn(chart, ">10.5</text>"), 1);
    report_world_free(&world);
}

static void evolution__a_chart_per_value(void **state)
{
    (void)state;
    struct report_world world;
    report_world_make(&world, RESULTS_SWEEP "figures: [{kind: evolution, title: Queues, lines: policy}]\n",
                      REPORT_NONE);
    assert_int_equal(world.charts.count, 2);
    const struct chart *chart = &world.charts.charts[1];
    assert_string_equal(chart->title, "Queues: Pushout");
    assert_string_equal(chart->note, "The first seed.");
    assert_int_equal(chart->line_count, 2); /* what the whole buffer holds is not a queue */
    assert_string_equal(chart->lines[0].label, "s0-h1 queue");
    assert_string_equal(chart->lines[1].label, "s0-h1 threshold");
    assert_int_equal(chart->lines[0].colour, chart->lines[1].colour);
    assert_int_equal(chart->lines[0].pattern, 0);
    assert_int_equal(chart->lines[1].pattern, 1);
    /* Thinned, and the peak of one point is still there. */
    assert_in_range(chart->lines[0].count, 1000, 2000);
    double greatest = 0;
    for (uint32_t i = 0; i < chart->lines[0].count; i++)
        greatest = fmax(greatest, chart->lines[0].y[i]);
    assert_numbers(&greatest, (double[]){200}, 1);
    assert_numbers(&chart->y_max, (double[]){250}, 1);
    report_world_free(&world);
}

static void evolution__a_part(void **state)
{
    (void)state;
    struct report_world world;
    report_world_make(&world, RESULTS_SWEEP "figures: [{kind: evolution, title: Q, from: 100us, until: 103us}]\n",
                      REPORT_NONE);
    assert_int_equal(world.charts.count, 1);
    const struct chart_line *line = &world.charts.charts[0].lines[0];
    assert_numbers(line->x, (double[]){99, 100, 101, 102, 103, 104}, 6);
    assert_int_equal(line->count, 6);
    assert_numbers(&world.charts.charts[0].x_min, (double[]){100, 103}, 2);
    report_world_free(&world);
}

static void usual_figures__without_any_named(void **state)
{
    (void)state;
    struct report_world world;
    report_world_make(&world, RESULTS_SWEEP, REPORT_NONE);
    assert_int_equal(world.charts.count, 4);
    assert_string_equal(world.charts.charts[0].title, "Mean query completion time: q");
    assert_string_equal(world.charts.charts[0].x_title, "size (KB)");
    assert_string_equal(world.charts.charts[1].title, "Query completion time: q");
    assert_memory_equal(world.charts.charts[1].note, "At size=200KB. ", 15);
    assert_string_equal(world.charts.charts[2].title, "Queue and threshold: DT");
    report_world_free(&world);
    report_world_make(&world, RESULTS_BASE, REPORT_NONE);
    assert_int_equal(world.charts.count, 2); /* one point: nothing to compare, but curves */
    assert_int_equal(world.charts.charts[0].line_count, 1);
    report_world_free(&world);
}

static void charts__memory(void **state)
{
    (void)state;
    struct report_world world;
    report_world_make(&world,
                      RESULTS_SWEEP "figures:\n"
                                    "  - {kind: line, title: T, x: size, lines: policy, y: q.qct.mean}\n"
                                    "  - {kind: cdf, title: T, curve: q.qct.cdf, lines: policy}\n"
                                    "  - {kind: evolution, title: T, lines: policy}\n",
                      REPORT_NONE);
    bool failed = true;
    for (uint64_t n = 1; failed; n++) {
        struct report_charts charts;
        struct weir_error status;
        failing_alloc_start(n);
        bool made = report_charts_make(&charts, &world.table, &status);
        report_charts_free(&charts);
        failed = failing_alloc_stop();
        if (made == failed || failing_alloc_held() != 0 || (failed && status.code == WEIR_ERROR_NONE))
            fail_msg("allocation %llu: made %d, held %lld", (unsigned long long)n, made,
                     (long long)failing_alloc_held());
    }
    report_world_free(&world);
}

static void words_rounded__no_exponent_where_people_read(void **state)
{
    static const struct {
        double number;
        int digits;
        const char *text;
    } cases[] = {{233.7, 2, "230"}, {99.7, 2, "100"},        {1234567, 3, "1230000"}, {0.04172, 2, "0.042"},
                 {0, 2, "0"},       {5.25, 3, "5.25"},       {-850.4, 2, "-850"},     {23456789, 2, "2.3e+07"},
                 {1, 3, "1"},       {0.000012, 2, "1.2e-05"}};
    char text[ROUNDED_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(words_rounded(cases[i].number, cases[i].digits, text), cases[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_rounded__no_exponent_where_people_read),
        cmocka_unit_test(line__means_and_intervals),
        cmocka_unit_test(line__dashes_are_a_second_axis),
        cmocka_unit_test(bar__averages_what_is_not_shown),
        cmocka_unit_test(line__unit_of_the_title),
        cmocka_unit_test(line__missing_runs),
        cmocka_unit_test(line__unknown_measure),
        cmocka_unit_test(cdf__merges_seeds),
        cmocka_unit_test(cdf__many_lines),
        cmocka_unit_test(cdf__lines_without_data),
        cmocka_unit_test(log__what_it_cannot_show),
        cmocka_unit_test(charts_words__names),
        cmocka_unit_test(svg__many_bars),
        cmocka_unit_test(svg__log_axis_has_gaps),
        cmocka_unit_test(finding__best_and_worst),
        cmocka_unit_test(finding__what_the_seeds_confirm),
        cmocka_unit_test(colours__one_per_policy),
        cmocka_unit_test(charts_look__policies_keep_their_colours),
        cmocka_unit_test(heat__two_axes),
        cmocka_unit_test(evolution__a_chart_per_value),
        cmocka_unit_test(evolution__a_part),
        cmocka_unit_test(usual_figures__without_any_named),
        cmocka_unit_test(charts__memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
