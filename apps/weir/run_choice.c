/*
 * run_choice.c - the command line of `weir run`: see cmd_run.h.
 */
#include <string.h>

#include "cmd_run.h"

static const char run_help[] =
    "usage: weir run [OPTION...] FILE\n"
    "       weir run --reference\n"
    "\n"
    "Simulates the network that a scenario file describes, packet by packet, and shows what\n"
    "became of its flows: completion times, slowdowns, losses by cause and place. The same\n"
    "file and seed give the same digest on every machine.\n"
    "\n"
    "  --set KEY=VALUE   change a value of the file; KEY is a path, switch.policy.alpha or\n"
    "                    traffic.0.load, VALUE is YAML; may be repeated\n"
    "  --seed N          the same as --set seed=N\n"
    "  --print-config    print every effective value as a scenario, and run nothing\n"
    "  --records FILE    write one row per flow as CSV\n"
    "  --series FILE     write queue and goodput series as CSV\n"
    "  --csv FILE        write the table of tags as CSV; -: instead of the tables\n"
    "  --json            everything as JSON\n"
    "  --quiet           no progress line\n"
    "  --reference       print the keys of scenario files as Markdown\n"
    "  -h, --help        this text\n"
    "\n"
    "SIGINT ends a run early: what has been measured is shown, files get the ending\n"
    ".partial, and the exit status is 130.\n"
    "\n"
    "example: weir run scenarios/examples/incast.yaml --set switch.policy=lqd\n";

enum {
    OPT_SET = CLI_OPTION_FIRST,
    OPT_SEED,
    OPT_PRINT_CONFIG,
    OPT_RECORDS,
    OPT_SERIES,
    OPT_CSV,
    OPT_JSON,
    OPT_QUIET,
    OPT_REFERENCE
};

static const struct option run_options[] = {{"set", required_argument, NULL, OPT_SET},
                                            {"seed", required_argument, NULL, OPT_SEED},
                                            {"print-config", no_argument, NULL, OPT_PRINT_CONFIG},
                                            {"records", required_argument, NULL, OPT_RECORDS},
                                            {"series", required_argument, NULL, OPT_SERIES},
                                            {"csv", required_argument, NULL, OPT_CSV},
                                            {"json", no_argument, NULL, OPT_JSON},
                                            {"quiet", no_argument, NULL, OPT_QUIET},
                                            {"reference", no_argument, NULL, OPT_REFERENCE},
                                            CLI_OPTIONS_END};
static const struct cli_command run_command = {"run", run_help, run_options};

static int take_option(struct run_choice *choice, int option)
{
    switch (option) {
    case OPT_SET:
        if (choice->sets == RUN_SETS_MAX)
            return cli_error(CLI_USAGE, "run: --set: too many (expected at most %u)", RUN_SETS_MAX);
        choice->set[choice->sets++] = optarg;
        break;
    case OPT_SEED:
        choice->seed_given = true;
        return cli_parse_number("--seed", optarg, 0, INT64_MAX, &choice->seed);
    case OPT_PRINT_CONFIG:
        choice->print_config = true;
        break;
    case OPT_RECORDS:
        choice->records = optarg;
        break;
    case OPT_SERIES:
        choice->series = optarg;
        break;
    case OPT_CSV:
        choice->csv = optarg;
        break;
    case OPT_JSON:
        choice->json = true;
        break;
    case OPT_QUIET:
        choice->quiet = true;
        break;
    default:
        choice->reference = true;
        break;
    }
    return CLI_OK;
}

/* Two outputs on one file or on standard output would be lost in one another. */
static int check_outputs(const struct run_choice *c)
{
    const char *const names[] = {"--records", "--series", "--csv"};
    const char *const paths[] = {c->records, c->series, c->csv};
    const char *printed = c->json ? "--json" : NULL;
    for (uint32_t i = 0; i < 3; i++) {
        if (paths[i] == NULL)
            continue;
        if (c->print_config)
            return cli_error(CLI_USAGE, "run: %s does not go with --print-config, which runs nothing", names[i]);
        for (uint32_t j = 0; j < i; j++)
            if (paths[j] != NULL && output_same_file(paths[i], paths[j]))
                return cli_error(CLI_USAGE, "run: %s and %s are the same file (expected two)", names[j], names[i]);
        if (!output_is_stdout(paths[i]))
            continue;
        if (printed != NULL)
            return cli_error(CLI_USAGE, "run: %s and %s both write to standard output (expected one of them)", printed,
                             names[i]);
        printed = names[i];
    }
    if (c->json && c->print_config)
        return cli_error(CLI_USAGE, "run: --json does not go with --print-config, which prints a scenario");
    return CLI_OK;
}

static int check_choice(struct run_choice *c, int argc, char **argv, uint64_t given)
{
    if (c->reference && (given != CLI_OPTION_BIT(OPT_REFERENCE) || optind < argc))
        return cli_error(CLI_USAGE, "run: --reference stands alone (expected no other arguments)");
    if (c->reference)
        return CLI_OK;
    if (optind >= argc)
        return cli_error(CLI_USAGE, "run: no scenario (expected a file; see 'weir run --help')");
    c->file = argv[optind++];
    int code = cli_no_operands(&run_command, argc, argv);
    return code == CLI_OK ? check_outputs(c) : code;
}

int run_choice_read(struct run_choice *choice, int argc, char **argv, bool *stop)
{
    int code = CLI_OK;
    uint64_t given = 0;
    *choice = (struct run_choice){.file = NULL};
    *stop = false;
    cli_start_options();
    for (int option; (option = cli_next_option(&run_command, argc, argv, &code)) != CLI_OPTION_END;) {
        if (option == CLI_OPTION_STOP) {
            *stop = true;
            return code;
        }
        if (option != OPT_SET)
            code = cli_option_once(&run_command, option, &given);
        else
            given |= CLI_OPTION_BIT(OPT_SET);
        if (code == CLI_OK)
            code = take_option(choice, option);
        if (code != CLI_OK)
            return code;
    }
    return check_choice(choice, argc, argv, given);
}
