/*
 * cmd_measures.c - `weir measures`: what a run measures, from the table that also makes the values.
 */
#include <stdio.h>

#include "cli/command.h"
#include "run/measures/names.h"

static int run(int argc, char **argv);

const struct cli_command cmd_measures = {
    .name = "measures",
    .summary = "list what a run measures: names, units, meaning",
    .about = "Prints every measure and curve of a run as Markdown tables: its name, with words in capitals for what "
             "varies (T a tag, STAT a statistic), its unit, and what it means. Figures and claims of a scenario name "
             "measures; weir export has them as columns.",
    .examples = "weir measures",
    .run = run,
};

static int run(int argc, char **argv)
{
    struct cli_line line;
    if (!cli_read(&line, &cmd_measures, argc, argv, NULL))
        return line.code;
    measures_reference(stdout);
    return CLI_OK;
}
