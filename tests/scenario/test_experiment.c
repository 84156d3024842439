/*
 * test_experiment.c - documents to experiments: axes and ranges, the quick size, figures, claims; and that the
 * document as it was used reads back as the same experiment.
 */
#include <glob.h>
#include <math.h>

#include "tests/support/error_line.h"
#include "tests/support/experiment_text.h"

static char *file_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 20);
    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

static void experiment_read__one_run(void **state)
{
    struct experiment e;
    struct scenario s;
    char name[256];
    (void)state;
    read_good(&e, BASE, false);
    assert_string_equal(e.name, "f");
    assert_null(e.title);
    assert_int_equal(e.axis_count, 0);
    assert_int_equal(e.point_count, 1);
    assert_int_equal(experiment_runs(&e), 1);
    assert_int_equal(e.first_seed, 1);
    assert_int_equal(e.limits.time_ps, 0);
    assert_int_equal(e.figure_count + e.claim_count, 0);
    assert_false(e.quick);
    build_run(&e, 0, &s);
    assert_int_equal(s.config.seed, 1);
    experiment_run_name(&e, 0, name);
    assert_string_equal(name, "seed 1");
    scenario_free(&s);
    experiment_free(&e);
}

static void experiment_read__sweep(void **state)
{
    static const char *const sizes[] = {"10% buffer", "20% buffer", "30% buffer", "40% buffer"};
    struct experiment e;
    char name[256];
    (void)state;
    read_good(&e, BASE SWEEP, false);
    assert_string_equal(e.name, "n");
    assert_string_equal(e.title, "T");
    assert_string_equal(e.paper, "Occamy");
    assert_string_equal(e.figure, "12");
    assert_true(e.expected_quick_s == 6 && e.expected_full_s == 200);
    assert_int_equal(e.limits.time_ps, 600 * WEIR_PS_PER_S);
    assert_int_equal(e.limits.memory_bytes, 2000000000);
    assert_int_equal(e.axis_count, 2);
    assert_int_equal(e.point_count, 12);
    assert_int_equal(e.seed_count, 3);
    assert_int_equal(experiment_runs(&e), 36);
    assert_string_equal(e.axes[0].name, "policy");
    assert_string_equal(e.axes[0].title, "Buffer policy");
    assert_null(e.axes[0].unit);
    assert_string_equal(e.axes[0].values[1].label, "Occamy");
    assert_false(e.axes[0].values[1].numeric);
    assert_string_equal(e.axes[1].title, "size");
    assert_string_equal(e.axes[1].unit, "");
    assert_int_equal(e.axes[1].path_count, 2);
    assert_string_equal(e.axes[1].paths[1], "traffic.0.concurrency");
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(e.axes[1].values[i].label, sizes[i]);
        assert_true(e.axes[1].values[i].number == (i + 1) / 10.0);
    }
    experiment_run_name(&e, 35, name);
    assert_string_equal(name, "policy=LQD, size=40% buffer, seed 9");
    experiment_free(&e);
}

/* What values are called, and the unit that their numbers have in common. */
static void experiment_read__labels(void **state)
{
    static const struct {
        const char *axis, *labels, *unit;
    } cases[] = {
        {"{until: [1ms, 2us]}", "1ms|2us", "s"},
        {"{until: [1ms, 2]}", "1ms|2", NULL},
        {"{until: [1ms, x, 2ms]}", "1ms|x|2ms", NULL},
        {"{switch.buffer: [10KB per port, 1MB]}", "10KB per port|1MB", "B"},
        {"{traffic.0.load: [50%, 0.6]}", "50%|0.6", ""},
        {"{topology.rate: [10Gbps]}", "10Gbps", "bit/s"},
        {"{until: [1ms, 2ms], labels: [short, long]}", "short|long", NULL},
        {"{until: [1ms, 2ms], labels: [1, 2]}", "1|2", ""},
        {"{switch.policy: [dt, {name: occamy, alpha: [8, 1], select: longest}, {alpha: 1}]}",
         "dt|occamy:alpha=8,1,select=longest|alpha=1", NULL},
        {"{measure.size_bins: [[], [1KB, 1MB]]}", "none|1KB,1MB", NULL},
        {"{switch.ecn: [{}, {kind: step, low: []}]}", "none|kind=step,low=none", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024], labels[256] = "";
        struct experiment e;
        snprintf(text, sizeof text, BASE "sweep: {p: %s}\n", cases[i].axis);
        read_good(&e, text, false);
        for (uint32_t k = 0; k < e.axes[0].count; k++) {
            size_t used = strlen(labels);
            snprintf(labels + used, sizeof labels - used, "%s%s", k > 0 ? "|" : "", e.axes[0].values[k].label);
        }
        assert_string_equal(labels, cases[i].labels);
        if (cases[i].unit == NULL)
            assert_null(e.axes[0].unit);
        else
            assert_string_equal(e.axes[0].unit, cases[i].unit);
        experiment_free(&e);
    }
}

static void experiment_read__ranges(void **state)
{
    static const struct {
        const char *range, *labels;
    } cases[] = {
        {"{from: 0.1, to: 0.9, step: 0.1}", "0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9"},
        {"{from: 0, to: 1, step: 0.25}", "0 0.25 0.5 0.75 1"},
        {"{from: 1ms, to: 3ms, step: 1ms}", "1ms 2ms 3ms"},
        {"{from: 9.5us, to: 10.5us, step: 0.5us}", "9.5us 10us 10.5us"},
        {"{from: -1, to: 1, step: 0.5}", "-1 -0.5 0 0.5 1"},
        {"{from: 0, to: 1, count: 3}", "0 0.5 1"},
        {"{from: 0, to: 1, count: 4}", "0 0.333333 0.666667 1"},
        {"{from: 10KB, to: 40KB, count: 4}", "10KB 20KB 30KB 40KB"},
        {"{from: 1, to: 1000, count: 4, scale: log}", "1 10 100 1000"},
        {"{from: 8, to: 128, count: 5, scale: log}", "8 16 32 64 128"},
        {"{from: 10us, to: 100us, count: 3, scale: log}", "10us 31.62us 100us"},
        {"{from: 0.001, to: 1, count: 4, scale: log}", "0.001 0.01 0.1 1"},
        {"{from: 999999999999, to: 999999999999.000001, count: 2}", "999999999999 999999999999.000001"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024], labels[256] = "";
        struct experiment e;
        snprintf(text, sizeof text, BASE "sweep: {p: {traffic.0.interval: %s}}\n", cases[i].range);
        read_good(&e, text, false);
        for (uint32_t k = 0; k < e.axes[0].count; k++) {
            size_t used = strlen(labels);
            snprintf(labels + used, sizeof labels - used, "%s%s", k > 0 ? " " : "", e.axes[0].values[k].label);
            assert_string_equal(e.axes[0].values[k].nodes[0]->text, e.axes[0].values[k].label);
        }
        assert_string_equal(labels, cases[i].labels);
        experiment_free(&e);
    }
}

static void experiment_read__figures(void **state)
{
    struct experiment e;
    (void)state;
    read_good(&e, BASE SWEEP CLAIMS, false);
    assert_int_equal(e.figure_count, 4);
    const struct figure *f = e.figures;
    assert_int_equal(f[0].kind, FIGURE_LINE);
    assert_string_equal(f[0].title, "Mean");
    assert_string_equal(f[0].note, "n");
    assert_string_equal(f[0].y_title, "ms");
    assert_null(f[0].x_title);
    assert_int_equal(f[0].x, 1);
    assert_int_equal(f[0].lines, 0);
    assert_false(f[0].log_x);
    assert_true(f[0].log_y);
    assert_int_equal(f[0].y->kind, EXPRESSION_MULTIPLY);
    assert_int_equal(f[1].x, 0);
    assert_int_equal(f[1].lines, FIGURE_NO_AXIS);
    assert_int_equal(f[1].y->value, 3);
    assert_int_equal(f[2].where_count, 1);
    assert_int_equal(f[2].where[0].axis, 1);
    assert_int_equal(f[2].where[0].value, 1);
    assert_string_equal(f[2].curve, "query.qct.cdf");
    assert_int_equal(f[3].from_ps, 10 * WEIR_PS_PER_US);
    assert_int_equal(f[3].until_ps, 20 * WEIR_PS_PER_US);
    assert_null(f[3].curve);
    experiment_free(&e);
}

static void experiment_read__claims(void **state)
{
    struct experiment e;
    (void)state;
    read_good(&e, BASE SWEEP CLAIMS, false);
    assert_int_equal(e.claim_count, 3);
    const struct claim *c = e.claims;
    assert_string_equal(c[0].id, "a");
    assert_int_equal(c[0].rule, CLAIM_UP_TO);
    assert_true(c[0].paper == 0.55);
    assert_string_equal(c[0].paper_text, "55%");
    assert_false(c[0].times);
    assert_true(c[0].quick);
    assert_int_equal(c[0].mark.line, 26);
    assert_true(c[1].paper == 8);
    assert_true(c[1].times);
    assert_false(c[1].quick);
    assert_string_equal(c[1].finding, "f");
    assert_int_equal(c[1].where[0].value, 2);
    assert_true(isnan(c[2].paper));
    assert_null(c[2].paper_text);
    assert_int_equal(c[2].value->kind, EXPRESSION_LESS);
    experiment_free(&e);
}

static void experiment_read__claims_with_a_story(void **state)
{
    struct experiment e;
    (void)state;
    read_good(&e,
              BASE
              "claims:\n"
              "  - {id: a, text: A, rule: up-to, paper: 5%, value: 1, reason: R, tried: [{idea: I, done: D, outcome: "
              "O, set: a=1}, {idea: J, done: E, outcome: P}]}\n"
              "  - {id: b, text: B, rule: invariant, value: 1, expected: yes}\n"
              "  - {id: c, text: C, rule: at-least, paper: 1, value: 1, of: a, narrowed: N}\n",
              false);
    const struct claim *c = e.claims;
    assert_int_equal(e.claim_count, 3);
    assert_string_equal(c[0].reason, "R");
    assert_int_equal(c[0].of, CLAIM_NOT_NARROWED);
    assert_int_equal(c[0].trial_count, 2);
    assert_string_equal(c[0].trials[0].idea, "I");
    assert_string_equal(c[0].trials[0].done, "D");
    assert_string_equal(c[0].trials[0].outcome, "O");
    assert_string_equal(c[0].trials[0].set, "a=1");
    assert_string_equal(c[0].trials[1].idea, "J");
    assert_null(c[0].trials[1].set);
    assert_int_equal(c[1].rule, CLAIM_INVARIANT);
    assert_true(isnan(c[1].paper));
    assert_true(c[1].expected);
    assert_false(c[0].expected);
    assert_int_equal(c[1].trial_count, 0);
    assert_int_equal(c[2].of, 0);
    assert_string_equal(c[2].narrowed, "N");
    experiment_free(&e);
}

struct uses {
    char text[1024];
    uint32_t stop; /* after so many */
};

static bool note_use(void *context, const struct experiment_measure *use)
{
    struct uses *uses = context;
    size_t length = strlen(uses->text);
    snprintf(uses->text + length, sizeof uses->text - length, "%s:%u:%u %s%s|", use->mark.origin, use->mark.line,
             use->mark.column, use->name, use->curve ? " curve" : "");
    return --uses->stop > 0;
}

static void experiment_each_measure__figures_and_claims(void **state)
{
    struct experiment e;
    struct uses uses = {.stop = 100}, first = {.stop = 1};
    (void)state;
    read_good(&e, BASE SWEEP CLAIMS, false);
    assert_true(experiment_each_measure(&e, note_use, &uses));
    assert_string_equal(uses.text, "runs/f.yaml:21:58 query.qct.mean|"
                                   "runs/f.yaml:22:44 query.lost|"
                                   "runs/f.yaml:23:34 query.qct.cdf curve|"
                                   "runs/f.yaml:26:60 q|runs/f.yaml:26:60 q|"
                                   "runs/f.yaml:27:57 q|"
                                   "runs/f.yaml:28:45 q|runs/f.yaml:28:45 q|");
    assert_false(experiment_each_measure(&e, note_use, &first));
    assert_string_equal(first.text, "runs/f.yaml:21:58 query.qct.mean|");
    experiment_free(&e);
}

static void experiment_read__quick(void **state)
{
    struct experiment e;
    struct scenario s;
    (void)state;
    read_good(&e, BASE SWEEP CLAIMS QUICK, true);
    assert_true(e.quick);
    assert_int_equal(experiment_runs(&e), 6);
    assert_string_equal(e.axes[0].name, "policy");
    assert_string_equal(e.axes[0].title, "Buffer policy");
    assert_string_equal(e.axes[0].values[0].label, "LQD");
    assert_string_equal(e.axes[0].values[1].label, "cs");
    assert_string_equal(e.axes[0].values[2].label, "Occamy");
    assert_string_equal(e.axes[1].values[1].label, "30% buffer");
    assert_int_equal(e.figure_count, 2); /* those without a value that was left out */
    assert_int_equal(e.figures[1].kind, FIGURE_CDF);
    assert_int_equal(e.figures[1].where[0].value, 0);
    assert_int_equal(e.claim_count, 3);
    assert_int_equal(e.claims[0].value->right->right->value, EXPRESSION_NO_VALUE);
    assert_int_equal(e.claims[1].where[0].value, 0);
    build_run(&e, 5, &s);
    assert_int_equal(s.config.until_ps, 2 * WEIR_PS_PER_MS);
    assert_int_equal(s.config.traffic[1].rounds, 2);
    assert_int_equal(s.config.traffic[1].bytes, 30000);
    assert_string_equal(s.config.tiers[0].mmu.egress->name, "occamy");
    scenario_free(&s);
    experiment_free(&e);
    read_good(&e, BASE SWEEP CLAIMS QUICK, false);
    assert_false(e.quick);
    assert_int_equal(experiment_runs(&e), 36);
    experiment_free(&e);
}

static void assert_same(const struct experiment *a, const struct experiment *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->quick, b->quick);
    assert_int_equal(experiment_runs(a), experiment_runs(b));
    assert_int_equal(a->axis_count, b->axis_count);
    assert_int_equal(a->figure_count, b->figure_count);
    assert_int_equal(a->claim_count, b->claim_count);
    for (uint32_t i = 0; i < a->axis_count; i++) {
        assert_string_equal(a->axes[i].title, b->axes[i].title);
        assert_int_equal(a->axes[i].count, b->axes[i].count);
        for (uint32_t k = 0; k < a->axes[i].count; k++)
            assert_string_equal(a->axes[i].values[k].label, b->axes[i].values[k].label);
    }
    for (uint32_t run = 0; run < experiment_runs(a); run++) {
        struct document x, y;
        struct weir_error error;
        assert_true(experiment_run(a, run, &x, &error));
        assert_true(experiment_run(b, run, &y, &error));
        assert_true(node_equal(x.root, y.root));
        document_free(&x);
        document_free(&y);
    }
}

static void experiment_read__whole_reads_back(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct experiment first, again;
        read_good(&first, BASE SWEEP CLAIMS QUICK, i & 1);
        char *text = node_text(first.whole), *text_again;
        read_good(&again, text, i & 2 && first.quick);
        text_again = node_text(again.whole);
        assert_string_equal(text, text_again);
        if ((i & 1) == 0)
            again.name = first.name; /* of the file */
        assert_same(&first, &again);
        free(text);
        free(text_again);
        experiment_free(&first);
        experiment_free(&again);
    }
}

/* What was used reads back, and every point can be built. */
static void check_file(const char *path, const char *text, bool quick)
{
    struct experiment first, again;
    char folder[4096];
    read_good(&first, text, quick);
    char *whole = node_text(first.whole);
    read_good(&again, whole, false);
    assert_same(&first, &again);
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    for (uint32_t run = 0; run < experiment_runs(&first); run += first.seed_count) {
        const struct scenario_files files = {folder, NULL};
        struct document document;
        struct scenario scenario = {.name = NULL};
        struct weir_error error;
        if (!experiment_run(&first, run, &document, &error) || !scenario_build(&scenario, &document, &files, &error))
            fail_msg("%s: %s", path, ERROR_LINE(&error));
        document_free(&document);
        scenario_free(&scenario);
    }
    free(whole);
    experiment_free(&again);
    experiment_free(&first);
}

/* Every scenario of the project, at its sizes. */
static void experiment_read__scenarios(void **state)
{
    static const char *const folders[] = {"scenarios", "scenarios/*"};
    const char *root = getenv("WEIR_ROOT");
    glob_t files = {.gl_pathc = 0};
    (void)state;
    if (root == NULL) {
        print_message("skipped: WEIR_ROOT is not set\n");
        skip();
    }
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char pattern[4096];
        snprintf(pattern, sizeof pattern, "%s/%s/*.yaml", root, folders[i]);
        glob(pattern, i > 0 ? GLOB_APPEND : 0, NULL, &files);
    }
    assert_true(files.gl_pathc > 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        char *text = file_text(files.gl_pathv[i]);
        check_file(files.gl_pathv[i], text, false);
        if (strstr(text, "\nquick:") != NULL)
            check_file(files.gl_pathv[i], text, true);
        free(text);
    }
    globfree(&files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(experiment_read__one_run),
        cmocka_unit_test(experiment_read__sweep),
        cmocka_unit_test(experiment_read__labels),
        cmocka_unit_test(experiment_read__ranges),
        cmocka_unit_test(experiment_read__figures),
        cmocka_unit_test(experiment_read__claims),
        cmocka_unit_test(experiment_read__claims_with_a_story),
        cmocka_unit_test(experiment_read__quick),
        cmocka_unit_test(experiment_read__whole_reads_back),
        cmocka_unit_test(experiment_read__scenarios),
        cmocka_unit_test(experiment_each_measure__figures_and_claims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
