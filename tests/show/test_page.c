/*
 * test_page.c - hostile texts in every place that a file of results can bring one: none of them becomes markup,
 * script or a command, in any format.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/charts/report.h"
#include "show/draw/picture.h"
#include "show/page/assets.h"
#include "show/page/page.h"

#define HOSTILE                                                                                                        \
    "</script><script>alert(1)</script>\"'><img src=x onerror=alert(2)><!--\nsystem 'touch x'\n\xff\xe2\x80\xa8"

static const struct axis_value values[] = {{.label = HOSTILE}, {.label = "b" HOSTILE}};
static const struct expression expression = {.kind = EXPRESSION_MEASURE, .name = HOSTILE};
static const struct claim_trial trial = {.idea = HOSTILE, .done = HOSTILE, .outcome = HOSTILE, .set = HOSTILE};
static const struct claim claims[] = {
    {.id = HOSTILE,
     .text = HOSTILE,
     .paper_text = HOSTILE,
     .finding = HOSTILE,
     .trials = &trial,
     .trial_count = 1,
     .paper = 1,
     .of = CLAIM_NOT_NARROWED,
     .value = &expression},
    {.id = HOSTILE,
     .text = HOSTILE,
     .paper_text = HOSTILE,
     .finding = HOSTILE,
     .narrowed = HOSTILE,
     .of = 0,
     .paper = 1,
     .value = &expression},
};

/* A report with hostile texts wherever there are texts. */
struct world {
    struct table table;
    struct table_run runs[4];
    struct table_measure measures[1];
    double values[4];
    struct judgement judgements[2];
    double x[2], y[2], low[2], high[2];
    const char *labels[2];
    struct chart_line line;
    struct chart charts[4];
    struct report_charts all;
    struct report report;
};

static void make_table(struct world *world)
{
    struct table *table = &world->table;
    *table = (struct table){.path = HOSTILE, .source = HOSTILE, .version = HOSTILE, .scenario = HOSTILE};
    table->experiment = (struct experiment){.name = HOSTILE, .title = HOSTILE, .paper = HOSTILE, .figure = HOSTILE};
    table->experiment.axes[0] = (struct axis){.name = HOSTILE, .title = HOSTILE, .values = values, .count = 2};
    table->experiment.axis_count = 1;
    table->experiment.point_count = 2;
    table->experiment.seed_count = 2;
    table->experiment.claims = claims;
    table->experiment.claim_count = 2;
    for (uint32_t i = 0; i < 4; i++) {
        world->runs[i] =
            (struct table_run){.id = HOSTILE, .finished = i != 3, .config = HOSTILE, .version = HOSTILE, .code = "x"};
        world->runs[i].failure = i == 3 ? HOSTILE : NULL;
        world->values[i] = i;
    }
    world->measures[0] = (struct table_measure){.name = "<b>.qct.mean", .unit = "s"};
    table->runs = world->runs;
    table->finished = 3;
    table->measures = world->measures;
    table->measure_count = 1;
    table->values = world->values;
}

static void make_charts(struct world *world)
{
    for (uint32_t i = 0; i < 2; i++) {
        world->x[i] = i;
        world->y[i] = i + 1;
        world->low[i] = i;
        world->high[i] = i + 2;
        world->labels[i] = HOSTILE;
    }
    world->line = (struct chart_line){.label = HOSTILE, .count = 2, .x = world->x, .y = world->y, .markers = true};
    world->line.low = world->low;
    world->line.high = world->high;
    for (uint32_t i = 0; i < 4; i++) {
        struct chart *chart = &world->charts[i];
        *chart = (struct chart){.title = HOSTILE, .note = HOSTILE, .x_title = HOSTILE, .y_title = HOSTILE};
        chart->x_unit = chart->y_unit = HOSTILE;
        chart->kind = i == 0 ? CHART_BARS : CHART_LINES;
        chart->numbers = i == 2 ? CHART_NUMBERS_QUANTILES : i == 3 ? CHART_NUMBERS_EXTREMES : CHART_NUMBERS_POINTS;
        chart->x_labels = i < 2 ? world->labels : NULL;
        chart->x_label_count = i < 2 ? 2 : 0;
        chart->lines = &world->line;
        chart->line_count = 1;
        chart->x_min = chart->x_max = chart->y_max = NAN;
    }
    world->all = (struct report_charts){.charts = world->charts, .count = 4};
}

static void make_world(struct world *world)
{
    *world = (struct world){.table.path = NULL};
    make_table(world);
    make_charts(world);
    world->judgements[0] = (struct judgement){.verdict = VERDICT_MISSED,
                                              .ours = {.count = 2, .mean = 1, .half = 2},
                                              .free_axes = 1,
                                              .points = 2,
                                              .agreeing = 1};
    world->judgements[1] = (struct judgement){.verdict = VERDICT_NO_DATA};
    snprintf(world->judgements[1].message, sizeof world->judgements[1].message, "%s", HOSTILE);
    world->report = (struct report){&world->table, &world->all, world->judgements, HOSTILE};
}

static uint32_t count_of(const char *text, const char *part)
{
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        count++;
    return count;
}

static char *page_of(const struct world *world)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_true(report_page(&world->report, out));
    fclose(out);
    assert_int_equal(strlen(text), size);
    return text;
}

static void report_page__hostile_texts(void **state)
{
    (void)state;
    struct world world;
    make_world(&world);
    char *page = page_of(&world);
    assert_int_equal(count_of(page, "<script"), 2); /* the data, and ours */
    assert_int_equal(count_of(page, "</script"), 2);
    assert_int_equal(count_of(page, "<style"), 1);
    assert_int_equal(count_of(page, "<img"), 0);
    assert_int_equal(count_of(page, "<b>"), 0);
    assert_int_equal(count_of(page, "<!--"), 0);
    assert_int_equal(count_of(page, " style=\""), 0);
    assert_null(strchr(page, '\xff'));
    assert_null(strstr(page, "\xe2\x80\xa8"));
    assert_true(count_of(page, "&lt;script&gt;alert(1)&lt;/script&gt;") > 40);
    free(page);
}

/* In the script element with the data, nothing can end it, and no string runs over the end of its line. */
/* The runs that must not be as they are come before everything else; one that has no data is not among them. */
static void report_page__violations(void **state)
{
    (void)state;
    struct world world;
    make_world(&world);
    char *page = page_of(&world);
    assert_int_equal(count_of(page, "class=\"violations\""), 0);
    free(page);
    world.measures[0].name = "violations";
    world.values[0] = 0;
    world.values[1] = NAN;
    world.values[2] = world.values[3] = 1; /* the last one has failed */
    page = page_of(&world);
    const char *block = strstr(page, "<div class=\"violations\" role=\"note\"><p><strong>1 of 3 runs lost packets");
    assert_non_null(block);
    assert_true(block < strstr(page, "How to read this page"));
    assert_non_null(strstr(block, ", seed 0: lost 0 packets of lossless classes, no deadlock</li>"));
    assert_int_equal(count_of(page, "<img"), 0);
    free(page);
}

static void report_page__data(void **state)
{
    (void)state;
    struct world world;
    make_world(&world);
    char *page = page_of(&world);
    const char *data = strstr(page, "id=\"data\">") + strlen("id=\"data\">"), *end = strstr(data, "</script>");
    uint32_t quotes = 0;
    for (const char *at = data; at < end; at++) {
        assert_true(*at != '<' && *at != '>' && *at != '&');
        if (*at == '\\')
            at++;
        else if (*at == '"')
            quotes++;
        assert_true(*at != '\n' || quotes % 2 == 0);
    }
    assert_true(quotes > 50 && quotes % 2 == 0);
    free(page);
}

/* Every attribute of every tag is one that we write: none comes out of a text. */
static void report_page__attributes(void **state)
{
    (void)state;
    struct world world;
    make_world(&world);
    char *page = page_of(&world);
    assert_int_equal(count_of(page, "<svg"), 12); /* each drawing has an inner one, each title a swatch */
    for (const char *tag = strchr(strstr(page, "<body>"), '<'); tag != NULL; tag = strchr(tag + 1, '<')) {
        if (strncmp(tag, "<script>", 8) == 0)
            break;
        bool quoted = false;
        const char *at = tag;
        for (; *at != '\0' && (quoted || *at != '>'); at++) {
            quoted ^= *at == '"';
            assert_true(quoted || strncmp(at, " on", 3) != 0);
        }
        assert_true(isalpha((unsigned char)tag[1]) || tag[1] == '/');
    }
    free(page);
}

static void report_svg__hostile_texts(void **state)
{
    (void)state;
    struct world world;
    make_world(&world);
    for (uint32_t i = 0; i < 4; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        assert_true(report_svg(&world.charts[i], &REPORT_STYLE, out));
        fclose(out);
        assert_int_equal(count_of(text, "<script"), 0);
        assert_int_equal(count_of(text, "<img"), 0);
        assert_int_equal(count_of(text, "<svg"), 2);
        assert_null(strchr(text, '\xff'));
        assert_null(strstr(text, "nan"));
        free(text);
    }
}

static void report_gnuplot__hostile_texts(void **state)
{
    (void)state;
    struct world world;
    make_world(&world);
    for (uint32_t i = 0; i < 4; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        assert_true(report_gnuplot(&world.charts[i], &REPORT_STYLE, "name", out));
        fclose(out);
        assert_null(strstr(text, "\nsystem"));
        for (const char *at = text; (at = strstr(at, "touch x")) != NULL; at++)
            assert_true(at[-1] == '\'' && at[-2] == '\''); /* doubled: within a string */
        free(text);
    }
}

/* Nothing of a chart that the same gnuplot drew before is left, and `format` is. */
static void report_gnuplot__starts_anew(void **state)
{
    (void)state;
    struct world world;
    make_world(&world);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_true(report_gnuplot(&world.charts[0], &REPORT_STYLE, "name", out));
    fclose(out);
    assert_int_equal(strncmp(text, "reset\n", 6), 0);
    free(text);
}

static const struct claim true_claim = {.id = "i", .text = "t", .rule = CLAIM_HOLDS, .value = &expression};

/* A point is named where one decides, and a claim that is true at all of them has none. */
static void report_page__where(void **state)
{
    static const struct {
        enum claim_rule rule;
        uint32_t agreeing;
        bool named;
    } cases[] = {{CLAIM_HOLDS, 2, false}, {CLAIM_HOLDS, 1, true}, {CLAIM_AT_LEAST, 2, true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct world world;
        make_world(&world);
        struct claim claim = true_claim;
        claim.rule = cases[i].rule;
        world.table.experiment.claims = &claim;
        world.table.experiment.claim_count = 1;
        world.judgements[0].agreeing = cases[i].agreeing;
        char *page = page_of(&world);
        assert_int_equal(count_of(page, "<small>at "), cases[i].named);
        assert_int_equal(count_of(page, " of 2 points agree"), 1);
        free(page);
    }
}

/* A verdict stands with what is known of it, and only with that. */
static void report_page__verdicts(void **state)
{
    static const struct {
        enum verdict verdict;
        const char *said, *not_said;
    } cases[] = {
        {VERDICT_MET, "</span> met<", "why short"},
        {VERDICT_BEYOND, "</span> beyond<small>why beyond</small>", "why short"},
        {VERDICT_UNDECIDED, "</span> undecided<small>why short</small><small>Tried: I D O</small>", "why beyond"},
        {VERDICT_DIRECTION, "</span> direction<small>why short</small><small>Tried: I D O</small>", "why beyond"},
        {VERDICT_MISSED, "</span> missed<small>why short</small><small>Tried: I D O</small>", "why beyond"}};
    static const struct claim_trial tried = {.idea = "I", .done = "D", .outcome = "O"};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct world world;
        make_world(&world);
        struct claim claim = true_claim;
        claim.rule = CLAIM_UP_TO;
        claim.reason = "why beyond";
        claim.finding = "why short";
        claim.trials = &tried;
        claim.trial_count = 1;
        world.table.experiment.claims = &claim;
        world.table.experiment.claim_count = 1;
        world.judgements[0].verdict = cases[i].verdict;
        world.judgements[0].open = 1;
        world.judgements[0].truth = (struct truth){.margin = spread_even(3, 1), .unit = "1"};
        char *page = page_of(&world);
        assert_int_equal(count_of(page, cases[i].said), 1);
        assert_int_equal(count_of(page, cases[i].not_said), 0);
        assert_int_equal(count_of(page, "<small>1 undecided</small><small>margin 3 \u00b1 1 of "), 1);
        free(page);
    }
}

/* The page's style has the colours of the drawings. */
static void palette__same_in_the_style(void **state)
{
    (void)state;
    char *style = calloc(asset_style.size + 1, 1);
    memcpy(style, asset_style.bytes, asset_style.size);
    for (uint32_t i = 0; i < CHART_COLOURS; i++) {
        char light[32], dark[32];
        snprintf(light, sizeof light, "--c%u: %s;", i, palette_light[i]);
        snprintf(dark, sizeof dark, "--c%u: %s;", i, palette_dark[i]);
        assert_int_equal(count_of(style, light), 1);
        assert_int_equal(count_of(style, dark), 2);
    }
    free(style);
}

static void page_put_frame__escapes(void **state)
{
    static const struct data_column columns[] = {DATA_COLUMN("x", "a < b", TEXT), DATA_COLUMN("y", "fct.mean", COUNT),
                                                 DATA_COLUMN("z", NULL, TEXT)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    (void)state;
    data_row(frame, cell_text("<b>"), cell_integer(1), cell_text("not there"));
    data_row(frame, cell_text("c"), cell_none(), cell_none());
    assert_true(page_put_frame(frame, "c < d", out));
    assert_false(page_put_frame(NULL, NULL, out));
    fclose(out);
    assert_non_null(strstr(text, "aria-label=\"c &lt; d\"><table>\n<caption>c &lt; d</caption>"));
    assert_non_null(
        strstr(text, "<th scope=\"col\" class=\"text\">a &lt; b</th><th scope=\"col\">fct.<wbr>mean</th></tr>"));
    assert_non_null(strstr(text, "<tr><th scope=\"row\">&lt;b&gt;</th><td>1</td></tr>"));
    assert_non_null(strstr(text, "<tr><th scope=\"row\">c</th><td>\u2013</td></tr>"));
    assert_null(strstr(text, "not there"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(report_page__hostile_texts),
        cmocka_unit_test(report_page__data),
        cmocka_unit_test(report_page__violations),
        cmocka_unit_test(report_page__attributes),
        cmocka_unit_test(report_svg__hostile_texts),
        cmocka_unit_test(report_gnuplot__starts_anew),
        cmocka_unit_test(report_page__where),
        cmocka_unit_test(report_page__verdicts),
        cmocka_unit_test(report_gnuplot__hostile_texts),
        cmocka_unit_test(page_put_frame__escapes),
        cmocka_unit_test(palette__same_in_the_style),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
