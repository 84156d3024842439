/*
 * cmd_show.c - `weir show`: the table of results that are there, also while `weir run` still adds to them.
 */
#include "cli/command.h"
#include "lab/spread/spread.h"
#include "lab/spread/stale.h"
#include "lab/store/violations.h"
#include "show/writers/results_show.h"

struct choice {
    bool points, runs;
    const char *relative;
};

static const struct cli_option options[] = {
    {.name = "points", .help = "show a row per point, however many", CLI_FLAG(struct choice, points)},
    {.name = "runs",
     .help = "list every run: id, state, cost",
     .more =
         "The state is done, failed, missing or violated; the cost is time, memory and packet-hops. The run's place "
         "in the sweep comes last.",
     CLI_FLAG(struct choice, runs)},
    {.name = "relative-to",
     .value = "LABEL",
     .help = "show figures as multiples of one of their lines or bars, such as DT",
     .more = "Seed by seed: the mean of the ratios.",
     .not_with = "points",
     CLI_TEXT(struct choice, relative)},
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "FILE", .what = "results", .expected = "a database", .offer = CLI_RESULTS, .repeats = true},
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_show = {
    .name = "show",
    .summary = "show the results of an experiment",
    .usage = "[OPTION...] FILE...",
    .about =
        "Shows the results of weir run: for each point of the sweep the mean over its seeds and half of the 95 % "
        "confidence interval (a table per figure where there are many points), the claims with their verdicts, and "
        "failed runs. Runs that unexpectedly lost lossless packets or deadlocked come first; the exit status is then "
        "1. Works while the database is being written.",
    .options = options,
    .operands = operands,
    .examples = "weir show incast.db",
    .run = run,
};

static struct output_table *runs_table(const struct table *table)
{
    static const struct output_column columns[] = {{"run", false}, {"state", false}, {"time", true},
                                                   {"hops", true}, {"memory", true}, {"what", false}};
    struct output_table *out = output_table_new(columns, sizeof columns / sizeof columns[0]);
    uint32_t violated = violations_next(table, 0);
    for (uint32_t i = 0; i < experiment_runs(&table->experiment); i++) {
        const struct table_run *run = &table->runs[i];
        char name[256], text[32];
        experiment_run_name(&table->experiment, i, name);
        output_table_cell(out, "%s", run->id);
        output_table_cell(out, "%s", violated == i ? "violated" : results_state(run));
        if (violated == i)
            violated = violations_next(table, i + 1);
        output_table_cell(out, "%s", run->finished ? run_duration(run->seconds * 1e12, text) : "-");
        if (run->finished)
            output_table_count(out, run->hops);
        else
            output_table_cell(out, "-");
        output_table_cell(out, "%s", run->finished ? run_size((double)run->memory_bytes, text) : "-");
        output_table_cell(out, "%s%s%s", name, run->failure != NULL && !run->finished ? ": " : "",
                          run->failure != NULL && !run->finished ? run->failure : "");
    }
    return out;
}

static int show_runs(const char *path)
{
    struct table table;
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    int code = table_load(&table, path, &status) ? CLI_OK : cli_report(&status);
    if (code == CLI_OK)
        stale_warn(&table);
    if (code == CLI_OK)
        code = output_table_print(runs_table(&table));
    if (code == CLI_OK && violations_count(&table) > 0)
        code = CLI_VIOLATION;
    table_free(&table);
    return code;
}

static int show_results(const char *path, enum results_view view, const char *relative)
{
    struct results_page page;
    int code =
        relative != NULL ? results_page_make_relative(&page, path, relative) : results_page_make(&page, path, view);
    if (code == CLI_OK)
        stale_warn(&page.table);
    if (code == CLI_OK)
        code = results_page_put(&page, NULL);
    results_page_free(&page);
    return code;
}

static int run(int argc, char **argv)
{
    struct choice choice = {.runs = false};
    struct cli_line line;
    int worst = CLI_OK;
    if (!cli_read(&line, &cmd_show, argc, argv, &choice))
        return line.code;
    for (uint32_t i = 0; i < line.count; i++) {
        fputs(i > 0 ? "\n" : "", stdout);
        int code = choice.runs ? show_runs(line.operands[i])
                               : show_results(line.operands[i], choice.points ? RESULTS_BY_POINT : RESULTS_OF_A_FILE,
                                              choice.relative);
        worst = code > worst ? code : worst;
    }
    return worst;
}
