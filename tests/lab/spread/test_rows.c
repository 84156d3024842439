/*
 * test_rows.c - `measure.rows.model`: a forest that is asked about every training row of a run, and judged by it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/spread/spread.h"
#include "lib/forest/forest.h"
#include "run/measures/measures.h"
#include "scenario/experiment/experiment.h"
#include "tests/support/error_line.h"

#define SCENE                                                                                                          \
    "until: 3ms\n"                                                                                                     \
    "topology: {kind: single, hosts: 4, rate: 10Gbps, delay: 1us}\n"                                                   \
    "wire: {mss: 960B, header: 40B, gap: 20B}\n"                                                                       \
    "switch: {buffer: 32000B, policy: %s}\n"                                                                           \
    "transports: {cbr: {kind: udp, rate: 10Gbps}}\n"                                                                   \
    "traffic:\n"                                                                                                       \
    "  - {kind: bursts, transport: cbr, tag: a, rate: 10000/s, fan_out: 3, bytes: 60pkt, destination: h3}\n"           \
    "  - {kind: bursts, transport: cbr, tag: b, rate: 10000/s, fan_out: 2, bytes: 60pkt, destination: h2}\n"           \
    "measure: {rows: %s}\n"

#define QUEUE_LIMIT 20000 /* of the forest below */

/* One question: a queue above the limit is lost. */
static void write_forest(const char *path, weir_ps average_ps, enum forest_counters counters, int64_t limit)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct forest *forest = forest_new(1, 3);
    assert_non_null(forest);
    forest->average_ps = average_ps;
    forest->counters = counters;
    forest->node[0] = (struct forest_node){limit, 1, WEIR_FEATURE_QUEUE};
    for (uint32_t leaf = 1; leaf < 3; leaf++) {
        forest->node[leaf] = (struct forest_node){.limit = FOREST_LEAF_LIMIT, .child = leaf};
        forest->lean[leaf] = forest_lean_of(leaf - 1);
    }
    assert_true(forest_seal(forest, &error));
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(forest_write(forest, out));
    fclose(out);
    forest_free(forest);
}

static bool build(struct scenario *scenario, const char *policy, const char *rows, struct weir_error *error)
{
    static const struct scenario_files files = {.folder = "."};
    struct document document;
    char text[2048];
    snprintf(text, sizeof text, SCENE, policy, rows);
    *scenario = (struct scenario){.name = NULL};
    bool good = document_read(&document, "test.yaml", text, strlen(text), error) &&
                scenario_build(scenario, &document, &files, error);
    document_free(&document);
    return good;
}

static void open_run(struct run *run, const char *policy, const char *rows, const struct run_options *options)
{
    static const struct scenario_files files = {.folder = "."};
    char text[2048];
    snprintf(text, sizeof text, SCENE, policy, rows);
    const struct run_source source = {.text = text, .size = strlen(text), .origin = "test.yaml", .files = &files};
    if (!run_open(run, &source, options))
        fail_msg("%s", ERROR_LINE(&run->error));
}

static double value_of(const struct measures *measures, const char *name)
{
    for (uint32_t i = 0; i < measures->value_count; i++)
        if (strcmp(measures->values[i].name, name) == 0)
            return measures->values[i].value;
    return NAN;
}

/* The rows of a run in a file, and what they say of the forest: counted here by hand. */
struct counted {
    double rows, lost, right, said, hits;
};

static struct counted count_rows(const char *path, int64_t limit)
{
    struct counted c = {.rows = 0};
    char line[512];
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in) != NULL) {
        unsigned long long index;
        long long queue, queue_average, buffer, buffer_average;
        int lost;
        if (sscanf(line, "s0,%llu,%lld,%lld,%lld,%lld,%d", &index, &queue, &queue_average, &buffer, &buffer_average,
                   &lost) != 6)
            continue;
        bool said = queue > limit;
        c.rows++;
        c.lost += lost;
        c.said += said;
        c.right += said == lost;
        c.hits += said && lost;
    }
    fclose(in);
    return c;
}

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-12 * fabs(b)))
        fail_msg("%.17g, not %.17g", a, b);
}

static void judged__by_every_row(void **state)
{
    static const struct {
        const char *policy;
        int64_t limit;
    } of[] = {{"{name: lqd, remove: tail}", QUEUE_LIMIT}, {"dt", 15000}}; /* real fates, and a virtual LQD's */
    char model[64], file[64], rows_text[128];
    (void)state;
    snprintf(model, sizeof model, "judged-%ld.forest", (long)getpid());
    snprintf(file, sizeof file, "judged-%ld.csv", (long)getpid());
    snprintf(rows_text, sizeof rows_text, "{model: %s}", model);
    for (uint32_t p = 0; p < 2; p++) {
        write_forest(model, 24 * WEIR_PS_PER_US, FOREST_COUNTERS_REAL, of[p].limit);
        struct run run;
        struct spread_rows rows = {.open = false};
        struct measures measures;
        const struct run_options options = {.take_row = spread_rows_take, .rows_context = &rows};
        open_run(&run, of[p].policy, rows_text, &options);
        assert_non_null(run.scenario.rows.forest);
        assert_int_equal(run_begin(&run), RUN_PAUSED);
        assert_true(spread_rows_open(&rows, file, &run));
        assert_int_equal(run_go(&run, WEIR_NEVER), RUN_DONE);
        assert_true(spread_rows_commit(&rows, false));
        assert_true(run_measures(&run, &measures));
        struct counted c = count_rows(file, of[p].limit);
        if (!(c.hits > 100 && c.said > c.hits && c.lost > c.hits && c.rows > c.said))
            fail_msg("%g rows, %g lost, %g said, %g of them lost", c.rows, c.lost, c.said, c.hits);
        assert_near(value_of(&measures, "rows.count"), c.rows);
        assert_near(value_of(&measures, "rows.lost"), c.lost / c.rows);
        assert_near(value_of(&measures, "rows.accuracy"), c.right / c.rows);
        assert_near(value_of(&measures, "rows.precision"), c.hits / c.said);
        assert_near(value_of(&measures, "rows.recall"), c.hits / c.lost);
        assert_near(value_of(&measures, "rows.f1"), 2 * c.hits / (c.said + c.lost));
        measures_free(&measures);
        run_close(&run);
        remove(file);
    }
    remove(model);
}

static void judged__nobody_without_a_model(void **state)
{
    struct run run;
    struct measures measures;
    (void)state;
    open_run(&run, "dt", "{counters: real}", NULL);
    assert_null(run.scenario.rows.forest);
    assert_int_equal(run_go(&run, WEIR_NEVER), RUN_DONE);
    assert_true(run_measures(&run, &measures));
    assert_true(isnan(value_of(&measures, "rows.count")));
    measures_free(&measures);
    run_close(&run);
}

static void read_id(const char *rows, char id[EXPERIMENT_ID_MAX])
{
    struct scenario scenario;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (!build(&scenario, "dt", rows, &error))
        fail_msg("%s", ERROR_LINE(&error));
    assert_true(experiment_run_id(&scenario, "1", id));
    scenario_free(&scenario);
}

/* A run is known by what the forest is, not by what its file is called. */
static void model__is_in_the_id_by_its_content(void **state)
{
    char name[3][64], text[128], id[3][EXPERIMENT_ID_MAX];
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        snprintf(name[i], sizeof name[i], "id%u-%ld.forest", i, (long)getpid());
        snprintf(text, sizeof text, "{model: %s}", name[i]);
        write_forest(name[i], 0, FOREST_COUNTERS_REAL, i < 2 ? QUEUE_LIMIT : QUEUE_LIMIT + 1);
        read_id(text, id[i]);
    }
    assert_string_equal(id[0], id[1]);
    assert_string_not_equal(id[0], id[2]);
    for (uint32_t i = 0; i < 3; i++)
        remove(name[i]);
}

static void assert_wrong(const char *rows, const char *expected)
{
    struct scenario scenario;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (build(&scenario, "dt", rows, &error))
        fail_msg("no error; expected '%s'", expected);
    if (strstr(ERROR_LINE(&error), expected) == NULL)
        fail_msg("'%s' where '%s' was expected", ERROR_LINE(&error), expected);
    scenario_free(&scenario);
}

static void model__must_have_learnt_from_such_rows(void **state)
{
    struct scenario scenario;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    char name[64], text[128];
    (void)state;
    assert_wrong("{model: none.forest}", "model: 'none.forest': cannot open");
    snprintf(name, sizeof name, "other-%ld.forest", (long)getpid());
    write_forest(name, 48 * WEIR_PS_PER_US, FOREST_COUNTERS_REAL, QUEUE_LIMIT);
    snprintf(text, sizeof text, "{model: %s}", name);
    assert_wrong(text, "learnt from real counters and averages over 48000000 ps (expected those of the rows: real, "
                       "24000000 ps)");
    snprintf(text, sizeof text, "{model: %s, average: 48us, counters: virtual}", name);
    assert_wrong(text, "(expected those of the rows: virtual, 48000000 ps)");
    snprintf(text, sizeof text, "{model: %s, average: 48us}", name);
    assert_true(build(&scenario, "dt", text, &error));
    scenario_free(&scenario);
    FILE *out = fopen(name, "w");
    assert_non_null(out);
    fclose(out);
    assert_wrong(text, "no forest in it");
    remove(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judged__by_every_row),
        cmocka_unit_test(judged__nobody_without_a_model),
        cmocka_unit_test(model__is_in_the_id_by_its_content),
        cmocka_unit_test(model__must_have_learnt_from_such_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
