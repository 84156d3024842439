/*
 * main.c - the `weir-traffic` command: its table of commands.
 */
#include "cli/command.h"

static const struct cli_command self = {
    .name = "",
    .summary = "the flows of a scenario over the TCP of the kernel",
    .about = "The flows of a scenario between real hosts, over the TCP of the kernel.",
    .status =
        "0 ok, 1 dctcp is not registered, 2 wrong usage, 3 bad input, 4 out of memory, cannot listen or cannot write",
    .examples = "weir-traffic run --host 0 --addresses 10.0.0.1,10.0.0.2 scenario.yaml",
};

extern const struct cli_command cmd_run, cmd_serve, cmd_dctcp;

static const struct cli_command *const commands[] = {&cmd_run, &cmd_serve, &cmd_dctcp, NULL};

int main(int argc, char **argv)
{
    const struct cli_program program = {&self, commands};
    return cli_main("weir-traffic", &program, argc, argv);
}
