/*
 * cmd_show.c - `weir show`: the table of results that are there, also while `weir run` still adds to them.
 */
#include "cli/command.h"
#include "lab/spread/spread.h"
#include "lab/spread/stale.h"
#include "lab/store/violations.h"
#include "show/writers/results_show.h"
#include "show/writers/write.h"

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
    {.name = "FILE",
     .what = "results",
     .expected = "a database or its scenario",
     .offer = CLI_RESULTS,
     .repeats = true},
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

static struct data_frame *runs_frame(const struct table *table)
{
    static const struct data_column columns[] = {DATA_COLUMN("run", "run", WORD),
                                                 DATA_COLUMN("state", "state", WORD),
                                                 DATA_COLUMN("cost_seconds", "time", TIME),
                                                 DATA_COLUMN("hops", "hops", COUNT),
                                                 DATA_COLUMN("cost_memory_bytes", "memory", SIZE),
                                                 DATA_COLUMN("what", "what", TEXT)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    uint32_t violated = violations_next(table, 0);
    for (uint32_t i = 0; i < experiment_runs(&table->experiment); i++) {
        const struct table_run *run = &table->runs[i];
        bool failed = run->failure != NULL && !run->finished;
        char name[256], what[1024];
        experiment_run_name(&table->experiment, i, name);
        snprintf(what, sizeof what, "%s%s%s", name, failed ? ": " : "", failed ? run->failure : "");
        data_row(frame, cell_text(run->id), cell_text(violated == i ? "violated" : results_state(run)),
                 cell_if(run->finished, cell_number(run->seconds)),
                 cell_if(run->finished, cell_integer((int64_t)run->hops)),
                 cell_if(run->finished, cell_number((double)run->memory_bytes)), cell_text(what));
        if (violated == i)
            violated = violations_next(table, i + 1);
    }
    return frame;
}

static int show_runs(const char *path)
{
    struct table table;
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    int code = table_load(&table, path, &status) ? CLI_OK : cli_report(&status);
    if (code == CLI_OK)
        stale_warn(&table);
    if (code == CLI_OK)
        code = write_result(runs_frame(&table), false);
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
