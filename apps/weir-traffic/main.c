/*
 * main.c - the `weir-traffic` command: finds the command meant and runs it.
 */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/version.h"
#include "commands.h"

static const char main_help[] = "usage: weir-traffic run|serve --host N --addresses A,B,... [OPTION...] SCENARIO\n"
                                "       weir-traffic dctcp load|hold|unload|status [OPTION...]\n"
                                "       weir-traffic help COMMAND\n"
                                "       weir-traffic --help | --version\n"
                                "\n"
                                "The flows of a scenario between real hosts, over the TCP of the kernel.\n"
                                "\n"
                                "commands:\n"
                                "  run     be a host of a scenario: ask for flows and answer\n"
                                "  serve   be a host of a scenario that only answers\n"
                                "  dctcp   DCTCP for a kernel that has none\n"
                                "\n"
                                "exit status: 0 ok, 1 dctcp is not there, 2 wrong usage, 3 bad input,\n"
                                "             4 out of memory, cannot listen or cannot write\n"
                                "\n"
                                "example: weir-traffic run --host 0 --addresses 10.0.0.1,10.0.0.2 scenario.yaml\n";

static const struct cli_entry main_commands[] = {
    {"run", traffic_cmd_run}, {"serve", traffic_cmd_run}, {"dctcp", traffic_cmd_dctcp}, {NULL, NULL}};

enum { OPT_VERSION = CLI_OPTION_FIRST };

static int main_run(int argc, char **argv)
{
    static const struct option options[] = {{"version", no_argument, NULL, OPT_VERSION}, CLI_OPTIONS_END};
    static const struct cli_command command = {"", main_help, options};
    if (argc < 2 || (argc == 2 && strcmp(argv[1], "help") == 0)) {
        fputs(main_help, stdout);
        return CLI_OK;
    }
    if (argv[1][0] != '-')
        return cli_dispatch(NULL, main_commands, argc - 1, argv + 1);
    int code = CLI_OK;
    cli_start_options();
    int option = cli_next_option(&command, 2, argv, &code); /* only the first: the rest belongs to a command */
    if (option == OPT_VERSION)
        printf("weir-traffic %s\n", version_text());
    else if (option == CLI_OPTION_END)
        return cli_error(CLI_USAGE, "unexpected '%s' (expected a command)", argv[1]);
    return code;
}

int main(int argc, char **argv)
{
    cli_set_program("weir-traffic");
    return output_finish(main_run(argc, argv));
}
