/*
 * testbed_choice.c - the command lines of `weir testbed`: see cmd_testbed.h.
 */
#define _GNU_SOURCE 1
#include <inttypes.h>
#include <string.h>

#include "cmd_testbed.h"

#define SCALE_MAX 1000000u
#define JOBS_MAX 1024u

#define OF_A_TESTBED                                                                                                   \
    "  --scale S         the same as --set testbed.scale=S: rates divided by S, times multiplied\n"                    \
    "  --name NAME       of the testbed, instead of " TESTBED_NAME "\n"                                                \
    "  --network N       of the hosts' addresses, instead of " TESTBED_NETWORK "\n"

static const char up_help[] =
    "usage: weir testbed up [OPTION...] FILE\n"
    "\n"
    "Makes the hosts of a scenario as network namespaces, with their links, and starts\n"
    "weir-switch between them. They stay until 'weir testbed down'. Needs root.\n"
    "\n"
    "  --set KEY=VALUE   change a value of the file; may be repeated\n" OF_A_TESTBED "  -h, --help        this text\n"
    "\n"
    "example: weir testbed up scenarios/examples/incast.yaml --scale 1000\n"
    "         ip netns exec weir-" TESTBED_NAME "-h0 ping 10.77.0.2\n";

static const char run_help[] =
    "usage: weir testbed run [OPTION...] FILE\n"
    "\n"
    "Runs the experiment of a scenario file as 'weir run' does, and with it the runs that it\n"
    "wants on real packets (testbed.use: yes): each in a testbed of its own, with the TCP of\n"
    "this kernel, one after the other, after all that are simulated. Leave the machine alone\n"
    "meanwhile. Results go to NAME.db as runs finish; the same command resumes. Needs root.\n"
    "\n"
    "  --set KEY=VALUE   change a value of the file; may be repeated\n"
    "  --seed N          the same as --set seed=N\n"
    "  --seeds N         the same as --set seeds=N: runs per point\n"
    "  --quick           the quick size, to NAME-quick.db\n"
    "  -o, --output FILE the database, instead of NAME.db\n"
    "  --jobs N          simulated runs at once; default: one per processor\n"
    "  --again           make every run again, also those that are there\n"
    "  --only ID         make one run of the sweep; the start of its id is enough\n"
    "  --list            print the runs and which are done, and run nothing\n"
    "  --quiet           no progress\n" OF_A_TESTBED "  -h, --help        this text\n"
    "\n"
    "example: weir testbed run scenarios/testbed/occamy-fig12.yaml --quick\n";

static const char down_help[] =
    "usage: weir testbed down [--name NAME | --all]\n"
    "\n"
    "Ends what runs in a testbed and removes its namespaces, also those that a crash has left.\n"
    "A testbed that is not there is no mistake. Needs root.\n"
    "\n"
    "  --name NAME       of the testbed, instead of " TESTBED_NAME "\n"
    "  --all             every testbed of this machine\n"
    "  -h, --help        this text\n"
    "\n"
    "example: weir testbed down\n";

static const char status_help[] = "usage: weir testbed status [--json]\n"
                                  "\n"
                                  "Lists the testbeds of this machine.\n"
                                  "\n"
                                  "  --json            as JSON\n"
                                  "  -h, --help        this text\n"
                                  "\n"
                                  "example: weir testbed status\n";

enum {
    OPT_SET = CLI_OPTION_FIRST,
    OPT_SCALE,
    OPT_NAME,
    OPT_NETWORK,
    OPT_SEED,
    OPT_SEEDS,
    OPT_QUICK,
    OPT_OUTPUT,
    OPT_JOBS,
    OPT_AGAIN,
    OPT_ONLY,
    OPT_LIST,
    OPT_QUIET,
    OPT_ALL,
    OPT_JSON
};

#define BED_OPTIONS                                                                                                    \
    {"set", required_argument, NULL, OPT_SET}, {"scale", required_argument, NULL, OPT_SCALE},                          \
        {"name", required_argument, NULL, OPT_NAME},                                                                   \
    {                                                                                                                  \
        "network", required_argument, NULL, OPT_NETWORK                                                                \
    }

static const struct option up_options[] = {BED_OPTIONS, CLI_OPTIONS_END};
static const struct option run_options[] = {BED_OPTIONS,
                                            {"seed", required_argument, NULL, OPT_SEED},
                                            {"seeds", required_argument, NULL, OPT_SEEDS},
                                            {"quick", no_argument, NULL, OPT_QUICK},
                                            {"output", required_argument, NULL, OPT_OUTPUT},
                                            {"jobs", required_argument, NULL, OPT_JOBS},
                                            {"again", no_argument, NULL, OPT_AGAIN},
                                            {"only", required_argument, NULL, OPT_ONLY},
                                            {"list", no_argument, NULL, OPT_LIST},
                                            {"quiet", no_argument, NULL, OPT_QUIET},
                                            CLI_OPTIONS_END};
static const struct option down_options[] = {
    {"name", required_argument, NULL, OPT_NAME}, {"all", no_argument, NULL, OPT_ALL}, CLI_OPTIONS_END};
static const struct option status_options[] = {{"json", no_argument, NULL, OPT_JSON}, CLI_OPTIONS_END};

static const struct cli_command up_command = {"testbed up", up_help, up_options};
static const struct cli_command run_command = {"testbed run", run_help, run_options};
static const struct cli_command down_command = {"testbed down", down_help, down_options};
static const struct cli_command status_command = {"testbed status", status_help, status_options};

static int take_set(struct run_changes *changes, const char *text)
{
    if (changes->sets == RUN_SETS_MAX)
        return cli_error(CLI_USAGE, "testbed: --set: too many (expected at most %u)", RUN_SETS_MAX);
    changes->set[changes->sets++] = text;
    return CLI_OK;
}

static int take_scale(struct bed_choice *choice)
{
    uint64_t scale;
    int code = cli_parse_number("--scale", optarg, 1, SCALE_MAX, &scale);
    if (code != CLI_OK)
        return code;
    snprintf(choice->scale, sizeof choice->scale, "testbed.scale=%" PRIu64, scale);
    return take_set(&choice->run.changes, choice->scale);
}

static int take_name(struct bed_choice *choice)
{
    choice->testbed.name = optarg;
    if (testbed_name_is_good(optarg))
        return CLI_OK;
    return cli_error(CLI_USAGE, "--name: '%s' cannot name a testbed (expected 1 to %u letters, digits or '_')", optarg,
                     TESTBED_NAME_MAX - 1);
}

/* Options with a value of their own kind. */
static int take_value(struct bed_choice *choice, int option)
{
    struct run_changes *changes = &choice->run.changes;
    switch (option) {
    case OPT_SET:
        return take_set(changes, optarg);
    case OPT_SCALE:
        return take_scale(choice);
    case OPT_NAME:
        return take_name(choice);
    case OPT_SEED:
        changes->seed_given = true;
        return cli_parse_number("--seed", optarg, 0, INT64_MAX, &changes->seed);
    case OPT_SEEDS:
        changes->seeds_given = true;
        return cli_parse_number("--seeds", optarg, 1, EXPERIMENT_RUNS_MAX, &changes->seeds);
    default:
        return cli_parse_number("--jobs", optarg, 1, JOBS_MAX, &choice->run.jobs);
    }
}

static int take_option(struct bed_choice *c, int option)
{
    const struct {
        int option;
        const char **text;
        bool *flag;
    } simple[] = {
        {OPT_NETWORK, &c->testbed.network, NULL}, {OPT_OUTPUT, &c->run.output, NULL}, {OPT_ONLY, &c->run.only, NULL},
        {OPT_QUICK, NULL, &c->run.changes.quick}, {OPT_AGAIN, NULL, &c->run.again},   {OPT_LIST, NULL, &c->run.list},
        {OPT_QUIET, NULL, &c->run.quiet},         {OPT_ALL, NULL, &c->all},           {OPT_JSON, NULL, &c->json}};
    for (size_t i = 0; i < sizeof simple / sizeof simple[0]; i++) {
        if (simple[i].option != option)
            continue;
        if (simple[i].flag != NULL)
            *simple[i].flag = true;
        else
            *simple[i].text = optarg;
        return CLI_OK;
    }
    return take_value(c, option);
}

static int read_options(const struct cli_command *command, struct bed_choice *choice, int argc, char **argv, bool *stop)
{
    int code = CLI_OK;
    uint64_t given = 0;
    *choice = (struct bed_choice){.testbed = testbed_runs(TESTBED_NAME, NULL)};
    *stop = false;
    cli_start_options();
    for (int option; (option = cli_next_option(command, argc, argv, &code)) != CLI_OPTION_END;) {
        if (option == CLI_OPTION_STOP) {
            *stop = true;
            return code;
        }
        if (option != OPT_SET)
            code = cli_option_once(command, option, &given);
        if (code == CLI_OK)
            code = take_option(choice, option);
        if (code != CLI_OK)
            return code;
    }
    return CLI_OK;
}

static int read_file(const struct cli_command *command, struct bed_choice *choice, int argc, char **argv, bool *stop)
{
    int code = read_options(command, choice, argc, argv, stop);
    if (code != CLI_OK || *stop)
        return code;
    if (optind >= argc)
        return cli_error(CLI_USAGE, "%s: no scenario (expected a file; see 'weir %s --help')", command->name,
                         command->name);
    choice->run.files = argv + optind++;
    choice->run.file_count = 1;
    choice->run.testbed = &choice->testbed;
    return cli_no_operands(command, argc, argv);
}

static int read_no_file(const struct cli_command *command, struct bed_choice *choice, int argc, char **argv, bool *stop)
{
    int code = read_options(command, choice, argc, argv, stop);
    return code != CLI_OK || *stop ? code : cli_no_operands(command, argc, argv);
}

int bed_choice_up(struct bed_choice *choice, int argc, char **argv, bool *stop)
{
    return read_file(&up_command, choice, argc, argv, stop);
}

int bed_choice_run(struct bed_choice *choice, int argc, char **argv, bool *stop)
{
    int code = read_file(&run_command, choice, argc, argv, stop);
    return code != CLI_OK || *stop ? code : run_check_input(&choice->run, choice->run.files[0]);
}

int bed_choice_down(struct bed_choice *choice, int argc, char **argv, bool *stop)
{
    int code = read_no_file(&down_command, choice, argc, argv, stop);
    if (code == CLI_OK && choice->all && strcmp(choice->testbed.name, TESTBED_NAME) != 0)
        return cli_error(CLI_USAGE, "testbed down: --name and --all do not go together (expected one of them)");
    return code;
}

int bed_choice_status(struct bed_choice *choice, int argc, char **argv, bool *stop)
{
    return read_no_file(&status_command, choice, argc, argv, stop);
}
