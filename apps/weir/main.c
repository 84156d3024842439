/*
 * main.c - the `weir` command: finds the command meant and runs it. Everything else is in the commands (cmd_*.c) and
 * in what they share (cli.h, output.h).
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/version.h"

static const char main_help[] = "usage: weir COMMAND [ARGUMENT...]\n"
                                "       weir help COMMAND...\n"
                                "       weir --help | --version\n"
                                "\n"
                                "Buffer policies of shared-memory switches: who may enter, who is pushed out,\n"
                                "who must pause.\n"
                                "\n"
                                "commands:\n"
                                "  policies   list the policies, or show one with its parameters\n"
                                "  headroom   size the headroom of lossless classes\n"
                                "  slot       run policies in the slotted model of the theory papers\n"
                                "  run        run the experiment of a scenario file, packet by packet\n"
                                "  show       show the results of an experiment\n"
                                "  export     write results as CSV or JSON\n"
                                "  report     show results as a page with charts, or draw them for papers\n"
                                "  repro      reproduce figures of the papers and check what they claim\n"
                                "  replay     run a recorded trace again and compare every decision\n"
                                "  switch     look at a running weir-switch and change it\n"
                                "  testbed    run experiments on real packets, with the TCP of this kernel\n"
                                "\n"
                                "exit status: 0 ok, 1 violation found, 2 wrong usage, 3 bad input,\n"
                                "             4 out of memory or cannot write\n"
                                "\n"
                                "example: weir policies dt\n";

static const struct cli_entry main_commands[] = {
    {"policies", weir_cmd_policies}, {"headroom", weir_cmd_headroom}, {"slot", weir_cmd_slot},
    {"run", weir_cmd_run},           {"show", weir_cmd_show},         {"export", weir_cmd_export},
    {"report", weir_cmd_report},     {"repro", weir_cmd_repro},       {"replay", weir_cmd_replay},
    {"switch", weir_cmd_switch},     {"testbed", weir_cmd_testbed},   {NULL, NULL},
};

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
        printf("weir %s\n", version_text());
    else if (option == CLI_OPTION_END)
        return cli_error(CLI_USAGE, "unexpected '%s' (expected a command)", argv[1]);
    return code;
}

/* A standard descriptor that the caller closed would be the next file that is opened, and messages would be written
 * into it. What takes its place fails when used, as the closed one would. */
static void fill_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(CLI_INTERNAL); /* there is nowhere to say why */
}

int main(int argc, char **argv)
{
    fill_standard_descriptors();
    return output_finish(main_run(argc, argv));
}
