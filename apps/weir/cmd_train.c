/*
 * cmd_train.c - `weir train`: from training rows to a random forest that Credence can ask, and how good it is.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/output.h"
#include "forest/score.h"
#include "forest/train.h"
#include "learning/quality.h"
#include "learning/rows_file.h"

struct choice {
    const char *model, *test, *of_switch;
    uint64_t trees, depth, features, leaf, seed, threads;
    int64_t part, weight; /* weir_q16 */
    bool balanced, all_once, json;
};

static const struct weir_param part_param = {.unit = WEIR_UNIT_RATIO, .min = 1, .max = WEIR_Q16_ONE};
static const struct weir_param weight_param = {.unit = WEIR_UNIT_RATIO, .min = 1, .max = 1000 * WEIR_Q16_ONE};

static const struct cli_option options[] = {
    {.name = "model",
     .value = "FILE",
     .help = "write the forest to this file",
     .more = "Without it the forest is only judged.",
     .letter = 'm',
     .offer = CLI_FILES,
     CLI_TEXT(struct choice, model)},
    {.name = "train-part",
     .value = "P",
     .help = "learn from this part of the rows, judge by the others (0.4)",
     .more = "Each row is drawn by lot from the seed. 1: learn from all of them, and be judged by the same.",
     .not_with = "test",
     CLI_VALUE(struct choice, part, &part_param)},
    {.name = "test",
     .value = "ROWS",
     .help = "learn from all rows, and judge by those of this file",
     .offer = CLI_FILES,
     CLI_TEXT(struct choice, test)},
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
    {.name = "json", .help = "print the report as JSON", CLI_FLAG(struct choice, json)},
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "ROWS", .what = "rows", .expected = "a file of training rows", .offer = CLI_FILES, .repeats = true},
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
        "The same rows, options and seed give the same forest, on any machine and number of threads.",
    .options = options,
    .operands = operands,
    .examples = "weir train --model websearch.forest rows.csv.zst",
    .run = run,
};

struct material {
    struct rows_about about;
    struct forest_rows train, test;
    bool same; /* judged by what it learnt from */
};

static void material_free(struct material *m)
{
    forest_rows_free(&m->train);
    forest_rows_free(&m->test);
}

static bool read_material(const struct choice *choice, const struct cli_line *line, struct material *m,
                          struct weir_error *error)
{
    struct forest_rows rows = {0};
    for (uint32_t i = 0; i < line->count; i++)
        if (!rows_file_read(line->operands[i], choice->of_switch, &m->about, &rows, error)) {
            forest_rows_free(&rows);
            return false;
        }
    bool whole = true;
    m->same = !choice->test && choice->part == WEIR_Q16_ONE;
    if (choice->test || m->same) {
        m->train = rows;
        return m->same || rows_file_read(choice->test, choice->of_switch, &m->about, &m->test, error);
    }
    whole = forest_rows_split(&rows, (double)choice->part / WEIR_Q16_ONE, choice->seed, &m->train, &m->test, error);
    forest_rows_free(&rows);
    return whole;
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

static struct forest_settings settings_of(const struct choice *choice)
{
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
    return settings;
}

static int train(const struct choice *choice, const struct material *m)
{
    struct weir_error error = {0};
    struct forest_importance importance;
    struct forest_quality quality;
    struct forest_settings settings = settings_of(choice);
    struct forest *forest = forest_train(&m->train, &settings, &importance, NULL, &error);
    if (!forest)
        return cli_report(&error);
    forest->counters = m->about.counters;
    forest->average_ps = m->about.average_ps;
    const struct forest_rows *judges = m->same ? &m->train : &m->test;
    int code = forest_judge(forest, judges, &quality, &error) ? CLI_OK : cli_report(&error);
    if (code == CLI_OK && choice->model && !save(choice->model, forest))
        code = CLI_INTERNAL;
    if (code == CLI_OK) {
        struct quality_report report = {forest,        &quality,       &importance, m->train.count,
                                        judges->count, m->about.ports, m->same};
        code = choice->json ? quality_put_json(&report) : quality_put(&report);
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
                            .weight = WEIR_Q16_ONE};
    struct cli_line line;
    if (!cli_read(&line, &cmd_train, argc, argv, &choice))
        return line.code;
    struct material material = {0};
    struct weir_error error = {0};
    int code = read_material(&choice, &line, &material, &error) ? train(&choice, &material) : cli_report(&error);
    material_free(&material);
    return code;
}
