/*
 * cmd_train.c - `weir train`: from training rows to a random forest that Credence can ask, and how good it is. Rows
 * come from files, from a recorded trace, or from a scenario that is run for them.
 */
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/output.h"
#include "lab/spread/options.h"
#include "lab/spread/quality_page.h"
#include "lib/forest/score.h"
#include "lib/forest/train.h"
#include "lib/learning/quality.h"
#include "lib/learning/rows_file.h"
#include "show/writers/quality_show.h"

struct choice {
    struct spread_choice run; /* of a scenario: set, quick, only */
    const char *model, *test, *of_switch, *report;
    int64_t average; /* ps */
    uint64_t gap;    /* bytes */
    uint64_t trees, depth, features, leaf, seed, threads;
    int64_t part, weight; /* weir_q16 */
    bool balanced, all_once, json;
};

static const struct weir_param part_param = {.unit = WEIR_UNIT_RATIO, .min = 1, .max = WEIR_Q16_ONE};
static const struct weir_param weight_param = {.unit = WEIR_UNIT_RATIO, .min = 1, .max = 1000 * WEIR_Q16_ONE};

static const struct weir_param average_param = {.unit = WEIR_UNIT_TIME, .min = 1, .max = 10 * WEIR_PS_PER_S};

static const struct cli_option options[] = {
    {.name = "model",
     .value = "FILE",
     .help = "write the forest to this file",
     .more = "Without it the forest is only judged.",
     .letter = 'm',
     CLI_FILE(struct choice, model)},
    {.name = "train-part",
     .value = "P",
     .help = "learn from this part of the rows, judge by the others (0.4)",
     .more = "Each row is drawn by lot from the seed. 1: learn from all of them, and be judged by the same.",
     .not_with = "test",
     CLI_VALUE(struct choice, part, &part_param)},
    {.name = "test",
     .value = "ROWS",
     .help = "learn from all rows, and judge by those of this file",
     CLI_FILE(struct choice, test)},
    {.name = "switch", .value = "NAME", .help = "only the rows of this switch", CLI_TEXT(struct choice, of_switch)},
    {.name = "trees",
     .value = "N",
     .help = "number of trees (4)",
     CLI_NUMBER(struct choice, trees, 1, FOREST_TREES_MAX)},
    {.name = "depth",
     .value = "N",
     .help = "questions from root to leaf, at most (4)",
     CLI_NUMBER(struct choice, depth, 0, FOREST_DEPTH_MAX)},
    {.name = "features",
     .value = "N",
     .help = "features that each question is chosen from, by lot (2)",
     CLI_NUMBER(struct choice, features, 1, WEIR_FEATURE_COUNT)},
    {.name = "leaf",
     .value = "N",
     .help = "rows of a leaf, at least (1)",
     CLI_NUMBER(struct choice, leaf, 1, UINT32_MAX)},
    {.name = "weight",
     .value = "W",
     .help = "a lost row counts as W kept ones (1)",
     .more = "More predictions of loss: a higher recall, a lower precision.",
     .not_with = "balanced",
     CLI_VALUE(struct choice, weight, &weight_param)},
    {.name = "balanced",
     .help = "the lost rows count as much as the kept ones together",
     CLI_FLAG(struct choice, balanced)},
    {.name = "no-bootstrap",
     .help = "each tree learns from every row once, not from a draw with replacement",
     CLI_FLAG(struct choice, all_once)},
    {.name = "seed", .value = "N", .help = "of all draws (1)", CLI_NUMBER(struct choice, seed, 0, UINT64_MAX)},
    {.name = "threads",
     .value = "N",
     .help = "trees that grow at the same time (all processors)",
     .more = "The forest is the same for any number.",
     CLI_NUMBER(struct choice, threads, 1, 256)},
    {.name = "average",
     .value = "TIME",
     .help = "of a trace: time constant of the moving averages (24us)",
     .more = "It is `tau` of the policy that will ask. A scenario says it in `measure.rows`.",
     CLI_VALUE(struct choice, average, &average_param)},
    {.name = "gap",
     .value = "BYTES",
     .help = "of a trace: what a packet takes on the wire beyond its bytes (0)",
     CLI_NUMBER(struct choice, gap, 0, UINT16_MAX)},
    SPREAD_OPTION_SET(struct choice),
    {.name = "quick", .help = "use the quick size of a scenario", CLI_FLAG(struct choice, run.changes.quick)},
    {.name = "only",
     .value = "RUN",
     .help = "of a scenario with several runs, take this one: the start of its id, or AXIS=LABEL",
     CLI_LIST(struct choice, run.only.word, run.only.count)},
    {.name = "report",
     .value = "FILE",
     .help = "write the report as a page, with ROC curve, calibration and importance",
     .more = "One HTML file that needs nothing else.",
     CLI_FILE(struct choice, report)},
    {.name = "json", .help = "print the report as JSON", CLI_FLAG(struct choice, json)},
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "FILE",
     .what = "rows",
     .expected = "a file of training rows, a trace (.wtr) or a scenario (.yaml)",
     .offer = CLI_FILES,
     .repeats = true},
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_train = {
    .name = "train",
    .summary = "learn from training rows which packets LQD would lose",
    .about =
        "Grows a random forest from training rows (CSV, or CSV in zstd), for the policy `credence` to ask, and reports "
        "how good its predictions are on rows that it has not seen: confusion matrix, accuracy, precision, recall, F1, "
        "Credence's 1/eta, area under the ROC curve, calibration, and how much each feature matters.\n\n"
        "Each arrival of a trace (.wtr) gives a row, and of a scenario (.yaml), which is run at its size with LQD in "
        "its switches; the policies it names have no part in it.\n\n"
        "The same rows, options and seed give the same forest, on any machine and number of threads.",
    .options = options,
    .operands = operands,
    .notes = "SIGINT stops: nothing is written, and the exit status is 130.",
    .examples = "weir train --model websearch.forest rows.csv.zst\nweir train --model incast.forest "
                "scenarios/examples/incast.yaml",
    .run = run,
};

struct material {
    struct rows_about about;
    struct forest_rows train, test;
    bool same; /* judged by what it learnt from */
};

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), wanted = strlen(end);
    return length >= wanted && strcmp(name + length - wanted, end) == 0;
}

/* Adds the rows of a file of any kind: an exit code. */
static int read_rows(const char *path, const struct choice *choice, struct rows_about *about, struct forest_rows *rows)
{
    struct weir_error error = {0};
    const struct spread_learning learning = {&choice->run.changes, &choice->run.only, choice->of_switch, about, rows};
    if (ends_with(path, ".yaml") || ends_with(path, ".yml"))
        return spread_learn(path, &learning);
    const struct spread_learning_trace traced = {choice->average, (uint32_t)choice->gap, about, rows};
    if (ends_with(path, ".wtr") && choice->of_switch)
        return cli_error(CLI_USAGE, "train: --switch: a trace is of one MMU (%s)", path);
    if (ends_with(path, ".wtr"))
        return spread_learn_trace(path, &traced);
    return rows_file_read(path, choice->of_switch, about, rows, &error) ? CLI_OK : cli_report(&error);
}

static int read_material(const struct choice *choice, const struct cli_line *line, struct material *m)
{
    struct forest_rows rows = {0};
    struct weir_error error = {0};
    int code = CLI_OK;
    for (uint32_t i = 0; code == CLI_OK && i < line->count; i++)
        code = read_rows(line->operands[i], choice, &m->about, &rows);
    m->same = !choice->test && choice->part == WEIR_Q16_ONE;
    if (code != CLI_OK || choice->test || m->same) {
        m->train = rows;
        return code == CLI_OK && choice->test ? read_rows(choice->test, choice, &m->about, &m->test) : code;
    }
    if (!forest_rows_split(&rows, (double)choice->part / WEIR_Q16_ONE, choice->seed, &m->train, &m->test, &error))
        code = cli_report(&error);
    forest_rows_free(&rows);
    return code;
}

static bool save(const char *path, const struct forest *forest)
{
    struct output_file file;
    if (!output_file_open(&file, path))
        return false;
    if (!output_file_stream(&file))
        return false;
    forest_write(forest, file.stream);
    return output_file_flush(&file) && output_file_commit(&file);
}

/* A handler can only reach globals. */
static struct forest_progress progress;

static void stop(int number)
{
    (void)number;
    atomic_store(&progress.stop, true);
}

/* Trees end in any order of threads; the line shows the most that are done. */
static void show_tree(uint32_t done, uint32_t all)
{
    static char title[] = "growing, trees";
    flockfile(stderr);
    if (done == atomic_load(&progress.trees_done))
        cli_progress(title, done, all);
    funlockfile(stderr);
}

static int train(const struct choice *choice, const struct material *m)
{
    struct weir_error error = {0};
    struct forest_importance importance;
    struct forest_quality quality;
    struct forest_settings settings;
    forest_settings_init(&settings);
    settings.trees = (uint32_t)choice->trees;
    settings.depth = (uint32_t)choice->depth;
    settings.features = (uint32_t)choice->features;
    settings.leaf = (uint32_t)choice->leaf;
    settings.weight = choice->balanced ? 0 : (double)choice->weight / WEIR_Q16_ONE;
    settings.bootstrap = !choice->all_once;
    settings.seed = choice->seed;
    settings.threads = (uint32_t)choice->threads;
    /* Null after an error, or after SIGINT. */
    struct sigaction action = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND}, before;
    bool line = isatty(STDERR_FILENO) == 1;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &before);
    if (line) {
        fprintf(stderr, "growing %" PRIu32 " trees from %" PRIu64 " rows", settings.trees, m->train.count);
        progress.tree_done = show_tree;
    }
    struct forest *forest = forest_train(&m->train, &settings, &importance, &progress, &error);
    if (line)
        fputs("\r\033[K", stderr);
    sigaction(SIGINT, &before, NULL);
    if (!forest)
        return atomic_load(&progress.stop) ? CLI_INTERRUPTED : cli_report(&error);
    forest->counters = m->about.counters;
    forest->average_ps = m->about.average_ps;
    const struct forest_rows *judges = m->same ? &m->train : &m->test;
    int code = forest_judge(forest, judges, &quality, &error) ? CLI_OK : cli_report(&error);
    if (code == CLI_OK && choice->model && !save(choice->model, forest))
        code = CLI_INTERNAL;
    if (code == CLI_OK) {
        struct quality_report report = {.forest = forest,
                                        .quality = &quality,
                                        .importance = &importance,
                                        .trained = m->train.count,
                                        .judged = judges->count,
                                        .ports = m->about.ports,
                                        .same = m->same};
        if (choice->report)
            code = quality_page_write(choice->report, choice->model ? choice->model : "A forest", &report);
        if (code == CLI_OK)
            code = quality_show(&report, choice->json);
    }
    if (code == CLI_OK && choice->model && !choice->json)
        cli_print("%-12s%s", "written to", choice->model);
    forest_free(forest);
    return code;
}

static int run(int argc, char **argv)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct choice choice = {.trees = 4,
                            .depth = 4,
                            .features = 2,
                            .leaf = 1,
                            .seed = 1,
                            .threads = processors > 0 && processors < 256 ? (uint64_t)processors : 1,
                            .part = WEIR_Q16_ONE * 4 / 10,
                            .weight = WEIR_Q16_ONE,
                            .average = 24 * WEIR_PS_PER_US};
    struct cli_line line;
    if (!cli_read(&line, &cmd_train, argc, argv, &choice))
        return line.code;
    struct material material = {0};
    int code = read_material(&choice, &line, &material);
    if (code == CLI_OK)
        code = train(&choice, &material);
    forest_rows_free(&material.train);
    forest_rows_free(&material.test);
    return code;
}
