/*
 * cmd_check.c - `weir check`: every mistake of scenario files at once. The work is in lab/plan/check.c.
 */

#include "cli/command.h"
#include "lab/plan/check.h"

static const struct cli_option options[] = {
    CLI_POLICY_FILE,
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "FILE", .what = "scenario", .expected = "a file", .offer = CLI_SCENARIOS, .repeats = true},
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_check = {
    .name = "check",
    .summary = "list every mistake in scenario files",
    .about =
        "Reads scenario files as weir run does, without running anything, and lists all mistakes: after each one it "
        "goes on as if that value were right. Every value of the sweep is tried, at full and at quick size. A file "
        "with 'dataplane' and nothing of a run is read as weir-switch does; its devices may be left to --device.",
    .options = options,
    .operands = operands,
    .status = "0 nothing is wrong, 2 wrong usage, 3 mistakes, 4 out of memory",
    .examples = "weir check mine.yaml",
    .run = run,
};

static int run(int argc, char **argv)
{
    struct cli_line line;
    int worst = CLI_OK;
    if (!cli_read(&line, &cmd_check, argc, argv, &line)) /* no option stores anything */
        return line.code;
    for (uint32_t i = 0; i < line.count; i++) {
        int code = plan_print_mistakes(line.operands[i]);
        worst = code > worst ? code : worst;
    }
    return worst;
}
