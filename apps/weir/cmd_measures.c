/*
 * cmd_measures.c - `weir measures`: what a run measures, from the table that also makes the values.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "lab/plan/plan.h"
#include "run/measures/names.h"
#include "run/run.h"
#include "show/writers/write.h"

struct choice {
    bool json;
};

static const struct cli_option options[] = {
    {.name = "json", .help = "print those of FILE as JSON", CLI_FLAG(struct choice, json)},
    CLI_POLICY_FILE,
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "FILE", .expected = "a scenario", .offer = CLI_SCENARIOS},
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_measures = {
    .name = "measures",
    .summary = "list what a run measures: names, units, meaning",
    .about = "Prints every measure and curve of a run as Markdown tables: its name, with words in capitals for what "
             "varies (T a tag, STAT a statistic), its unit, and what it means. Figures and claims of a scenario name "
             "measures; weir export has them as columns. With FILE: those that this scenario can give, with its own "
             "tags and probes.",
    .options = options,
    .operands = operands,
    .examples = "weir measures scenarios/demo.yaml",
    .run = run,
};

/* The first run of the experiment is built, and not made. */
static int list(const char *file, bool json)
{
    struct plan plan;
    struct run_result result;
    struct run *tried = malloc(sizeof *tried);
    const struct plan_changes none = {.sets = 0};
    if (tried == NULL)
        return cli_error_memory();
    int code = plan_make(&plan, file, &none, NULL);
    if (code == CLI_OK) {
        const struct run_source source = plan_source(&plan, 0);
        if (!run_open(tried, &source, NULL) || !run_try(tried))
            code = cli_report(&tried->error);
        else if (!run_measure(tried, &result))
            code = cli_error_memory();
        else {
            code = write_result(write_possible(&result), json);
            run_result_free(&result);
        }
        run_close(tried);
    }
    plan_free(&plan);
    free(tried);
    return code;
}

static int run(int argc, char **argv)
{
    struct choice choice = {.json = false};
    struct cli_line line;
    if (!cli_read(&line, &cmd_measures, argc, argv, &choice))
        return line.code;
    if (line.count > 0)
        return list(line.operands[0], choice.json);
    if (choice.json)
        return cli_error(CLI_USAGE, "measures: --json is of a scenario (expected a file)");
    measures_reference(stdout);
    return CLI_OK;
}
