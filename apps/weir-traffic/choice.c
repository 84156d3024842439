/*
 * choice.c - see choice.h; choice_network is in choice_network.c.
 */
#include "choice.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"

#define PORT_FIRST 7700u
#define WARM_UP_MAX 10000u

static const char run_help[] =
    "usage: weir-traffic run --host N --addresses A,B,... [OPTION...] SCENARIO\n"
    "\n"
    "The flows of a scenario over the TCP of the kernel: this process is host N. It asks the\n"
    "sources of its flows for them, each at its time, and answers what the other hosts ask,\n"
    "until all flows of this host are done or the run is over. Prints a table of what was\n"
    "asked and what was sent. Every host needs the same scenario, changes and scale.\n"
    "\n"
    "  --host N              which host of the scenario this is, from 0\n"
    "  --addresses A,B,...   IPv4 addresses of all hosts, in order\n"
    "  --set KEY=VALUE       change the scenario; may be repeated\n"
    "  --scale S             time passes S times slower than in the scenario; default:\n"
    "                        its testbed.scale\n"
    "  --start NS            when the run begins, in nanoseconds of CLOCK_MONOTONIC;\n"
    "                        default: half a second from now\n"
    "  --warm-up N           connections to each host and transport that are opened before\n"
    "                        the start: 1\n"
    "  --port N              of the first transport, the next ones follow: 7700\n"
    "  --congestion T=NAME   congestion control of the kernel for transport T, such as bbr;\n"
    "                        may be repeated; default: weir_dctcp, cubic or reno, by its kind\n"
    "  --records FILE        write one row per flow as CSV\n"
    "  --json                the summary as JSON\n"
    "  --quiet               no progress\n"
    "  -h, --help            this text\n"
    "\n"
    "SIGINT and SIGTERM end the run: records are written, flows under way are unfinished.\n"
    "\n"
    "example: weir-traffic run --host 0 --addresses 10.0.0.1,10.0.0.2 scenario.yaml\n";

static const char serve_help[] = "usage: weir-traffic serve --host N --addresses A,B,... [OPTION...] SCENARIO\n"
                                 "\n"
                                 "Answers what other hosts ask host N for, and asks for nothing itself: see\n"
                                 "'weir-traffic run --help'.\n"
                                 "\n"
                                 "  --host N              which host of the scenario this is, from 0\n"
                                 "  --addresses A,B,...   IPv4 addresses of all hosts, in order\n"
                                 "  --set KEY=VALUE       change the scenario; may be repeated\n"
                                 "  --scale S             time passes S times slower than in the scenario\n"
                                 "  --start NS            when the run begins, in nanoseconds of CLOCK_MONOTONIC\n"
                                 "  --port N              of the first transport, the next ones follow: 7700\n"
                                 "  --congestion T=NAME   congestion control of the kernel for transport T\n"
                                 "  --records FILE        write one row per flow as CSV\n"
                                 "  --json                the summary as JSON\n"
                                 "  --quiet               no progress\n"
                                 "  -h, --help            this text\n"
                                 "\n"
                                 "example: weir-traffic serve --host 1 --addresses 10.0.0.1,10.0.0.2 scenario.yaml\n";

enum {
    OPT_HOST = CLI_OPTION_FIRST,
    OPT_ADDRESSES,
    OPT_SET,
    OPT_SCALE,
    OPT_START,
    OPT_PORT,
    OPT_CONGESTION,
    OPT_RECORDS,
    OPT_JSON,
    OPT_QUIET,
    OPT_WARM_UP
};

#define BOTH_OPTIONS                                                                                                   \
    {"host", required_argument, NULL, OPT_HOST}, {"addresses", required_argument, NULL, OPT_ADDRESSES},                \
        {"set", required_argument, NULL, OPT_SET}, {"scale", required_argument, NULL, OPT_SCALE},                      \
        {"start", required_argument, NULL, OPT_START}, {"port", required_argument, NULL, OPT_PORT},                    \
        {"congestion", required_argument, NULL, OPT_CONGESTION}, {"records", required_argument, NULL, OPT_RECORDS},    \
        {"json", no_argument, NULL, OPT_JSON},                                                                         \
    {                                                                                                                  \
        "quiet", no_argument, NULL, OPT_QUIET                                                                          \
    }

static const struct option run_options[] = {
    BOTH_OPTIONS, {"warm-up", required_argument, NULL, OPT_WARM_UP}, CLI_OPTIONS_END};
static const struct option serve_options[] = {BOTH_OPTIONS, CLI_OPTIONS_END};
static const struct cli_command run_command = {"run", run_help, run_options};
static const struct cli_command serve_command = {"serve", serve_help, serve_options};

static int take_number(struct choice *choice, int option)
{
    switch (option) {
    case OPT_HOST:
        return cli_parse_number("--host", optarg, 0, NETWORK_HOSTS_MAX - 1, &choice->host);
    case OPT_SCALE:
        return cli_parse_number("--scale", optarg, 1, 1000000, &choice->scale);
    case OPT_START:
        return cli_parse_number("--start", optarg, 1, INT64_MAX / 4, &choice->start_ns);
    case OPT_PORT:
        return cli_parse_number("--port", optarg, 1, UINT16_MAX, &choice->port);
    default:
        return cli_parse_number("--warm-up", optarg, 0, WARM_UP_MAX, &choice->warm_up);
    }
}

static int take_option(struct choice *choice, const struct cli_command *command, int option)
{
    switch (option) {
    case OPT_ADDRESSES:
        choice->addresses = optarg;
        return CLI_OK;
    case OPT_RECORDS:
        choice->records = optarg;
        return CLI_OK;
    case OPT_JSON:
        choice->json = true;
        return CLI_OK;
    case OPT_QUIET:
        choice->quiet = true;
        return CLI_OK;
    case OPT_SET:
        if (choice->changes.sets == RUN_SETS_MAX)
            return cli_error(CLI_USAGE, "%s: --set: too many (expected at most %u)", command->name, RUN_SETS_MAX);
        choice->changes.set[choice->changes.sets++] = optarg;
        return CLI_OK;
    case OPT_CONGESTION:
        if (choice->congestions == NETWORK_TRANSPORTS_MAX)
            return cli_error(CLI_USAGE, "%s: --congestion: too many (expected at most %u)", command->name,
                             NETWORK_TRANSPORTS_MAX);
        choice->congestion[choice->congestions++] = optarg;
        return CLI_OK;
    default:
        return take_number(choice, option);
    }
}

static int check_choice(struct choice *choice, const char *name, uint64_t given)
{
    static const struct {
        int option;
        const char *name, *what;
    } needed[] = {{OPT_HOST, "--host", "the number of this host"},
                  {OPT_ADDRESSES, "--addresses", "those of all hosts"}};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if ((given & CLI_OPTION_BIT(needed[i].option)) == 0)
            return cli_error(CLI_USAGE, "%s: %s is missing (expected %s)", name, needed[i].name, needed[i].what);
    if (choice->records != NULL && output_is_stdout(choice->records))
        return cli_error(CLI_USAGE, "%s: --records: standard output has the summary (expected a file)", name);
    return CLI_OK;
}

int choice_read(struct choice *choice, int argc, char **argv, bool *stop)
{
    const struct cli_command *command = strcmp(argv[0], "serve") == 0 ? &serve_command : &run_command;
    uint64_t given = 0;
    int code = CLI_OK;
    *choice = (struct choice){.only_serves = command == &serve_command, .port = PORT_FIRST, .warm_up = 1};
    *stop = true;
    cli_start_options();
    for (int option; (option = cli_next_option(command, argc, argv, &code)) != CLI_OPTION_END;) {
        if (option == CLI_OPTION_STOP)
            return code;
        if (option != OPT_SET && option != OPT_CONGESTION)
            code = cli_option_once(command, option, &given);
        if (code == CLI_OK)
            code = take_option(choice, command, option);
        if (code != CLI_OK)
            return code;
    }
    if (argc - optind != 1)
        return cli_error(CLI_USAGE, "%s: %s (expected one file; see 'weir-traffic %s --help')", command->name,
                         optind < argc ? "several scenarios" : "no scenario", command->name);
    choice->file = argv[optind];
    *stop = false;
    return check_choice(choice, command->name, given);
}
