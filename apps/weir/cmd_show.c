/*
 * cmd_show.c - `weir show`: the table of results that are there, also while `weir run` still adds to them.
 */
#include "experiment/run.h"
#include "results/violations.h"
#include "tables/results_show.h"

static const char show_help[] =
    "usage: weir show [OPTION...] FILE...\n"
    "\n"
    "Shows the results in a database of weir run: a row per point of the sweep with the mean\n"
    "over its seeds and half of the 95 % confidence interval, or a table per figure where\n"
    "there are many points; the claims with their verdicts; and the runs that failed. Runs that\n"
    "lost packets of lossless classes or found a deadlock unexpectedly come first, and the exit\n"
    "status is 1. Works while the database is being written.\n"
    "\n"
    "  --points          a row per point, however many there are\n"
    "  --runs            every run: id, state, what it took\n"
    "  -h, --help        this text\n"
    "\n"
    "example: weir show incast.db\n";

enum { OPT_RUNS = CLI_OPTION_FIRST, OPT_POINTS };

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
            output_table_cell(out, "%llu", (unsigned long long)run->hops);
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
        code = output_table_print(runs_table(&table));
    if (code == CLI_OK && violations_count(&table) > 0)
        code = CLI_VIOLATION;
    table_free(&table);
    return code;
}

static int show_results(const char *path, enum results_view view)
{
    struct results_page page;
    int code = results_page_make(&page, path, view);
    if (code == CLI_OK)
        code = results_page_put(&page, NULL);
    results_page_free(&page);
    return code;
}

int weir_cmd_show(int argc, char **argv)
{
    static const struct option options[] = {
        {"runs", no_argument, NULL, OPT_RUNS}, {"points", no_argument, NULL, OPT_POINTS}, CLI_OPTIONS_END};
    static const struct cli_command command = {"show", show_help, options};
    int code = CLI_OK, worst = CLI_OK;
    bool runs = false, points = false;
    cli_start_options();
    for (int option; (option = cli_next_option(&command, argc, argv, &code)) != CLI_OPTION_END;) {
        if (option == CLI_OPTION_STOP)
            return code;
        runs |= option == OPT_RUNS;
        points |= option == OPT_POINTS;
    }
    if (optind >= argc)
        return cli_error(CLI_USAGE, "show: no results (expected a database; see 'weir show --help')");
    for (int first = optind; optind < argc; optind++) {
        fputs(optind > first ? "\n" : "", stdout);
        code =
            runs ? show_runs(argv[optind]) : show_results(argv[optind], points ? RESULTS_BY_POINT : RESULTS_OF_A_FILE);
        worst = code > worst ? code : worst;
    }
    return worst;
}
