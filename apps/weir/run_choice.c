/*
 * run_choice.c - the command line of `weir run`: see cmd_run.h.
 */
#include <limits.h>
#include <stdio.h>
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
    "  --losses FILE     write one row per queue that lost or marked packets as CSV\n"
    "  --trace sK=FILE   write a trace of switch K's memory for weir replay; sK.M: of its\n"
    "                    memory M; may be repeated\n"
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
    OPT_LOSSES,
    OPT_TRACE,
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
                                            {"losses", required_argument, NULL, OPT_LOSSES},
                                            {"trace", required_argument, NULL, OPT_TRACE},
                                            {"csv", required_argument, NULL, OPT_CSV},
                                            {"json", no_argument, NULL, OPT_JSON},
                                            {"quiet", no_argument, NULL, OPT_QUIET},
                                            {"reference", no_argument, NULL, OPT_REFERENCE},
                                            CLI_OPTIONS_END};
static const struct cli_command run_command = {"run", run_help, run_options};

/* A number below 2^32; moves *text behind it. */
static bool take_number(const char **text, uint32_t *number)
{
    uint64_t value = 0;
    const char *start = *text;
    for (; **text >= '0' && **text <= '9' && value <= UINT32_MAX; (*text)++)
        value = value * 10 + (uint64_t)(**text - '0');
    *number = (uint32_t)value;
    return *text > start && value <= UINT32_MAX;
}

static int take_trace(struct run_choice *choice, const char *text)
{
    struct run_trace_choice *trace = &choice->trace[choice->traces];
    if (choice->traces == RUN_TRACES_MAX)
        return cli_error(CLI_USAGE, "run: --trace: too many (expected at most %u)", RUN_TRACES_MAX);
    *trace = (struct run_trace_choice){.text = text};
    bool good = *text++ == 's' && take_number(&text, &trace->sw);
    if (good && *text == '.') {
        text++;
        good = take_number(&text, &trace->memory);
    }
    if (!good || text[0] != '=' || text[1] == '\0')
        return cli_error(CLI_USAGE, "--trace: '%s' names no memory and file (expected s0=FILE or s0.1=FILE)",
                         trace->text);
    trace->path = text + 1;
    if (output_is_stdout(trace->path))
        return cli_error(CLI_USAGE, "--trace: %s: a trace is not written to standard output", trace->text);
    for (uint32_t i = 0; i < choice->traces; i++)
        if (choice->trace[i].sw == trace->sw && choice->trace[i].memory == trace->memory)
            return cli_error(CLI_USAGE, "--trace: %s and %s are of the same memory (expected one trace of it)",
                             choice->trace[i].text, trace->text);
    choice->traces++;
    return CLI_OK;
}

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
    case OPT_LOSSES:
        choice->losses = optarg;
        break;
    case OPT_TRACE:
        return take_trace(choice, optarg);
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

/* The files that a run writes. */
struct outputs {
    const char *name[4 + RUN_TRACES_MAX], *path[4 + RUN_TRACES_MAX];
    uint32_t count;
};

static void add_output(struct outputs *outputs, const char *name, const char *path)
{
    if (path == NULL)
        return;
    outputs->name[outputs->count] = name;
    outputs->path[outputs->count++] = path;
}

static struct outputs outputs_of(const struct run_choice *c)
{
    struct outputs outputs = {.count = 0};
    add_output(&outputs, "--records", c->records);
    add_output(&outputs, "--series", c->series);
    add_output(&outputs, "--losses", c->losses);
    add_output(&outputs, "--csv", c->csv);
    for (uint32_t i = 0; i < c->traces; i++)
        add_output(&outputs, "--trace", c->trace[i].path);
    return outputs;
}

/* Two outputs on one file or on standard output would be lost in one another. */
static int check_outputs(const struct run_choice *c)
{
    const struct outputs outputs = outputs_of(c);
    const char *printed = c->json ? "--json" : NULL;
    for (uint32_t i = 0; i < outputs.count; i++) {
        const char *name = outputs.name[i], *path = outputs.path[i];
        if (c->print_config)
            return cli_error(CLI_USAGE, "run: %s does not go with --print-config, which runs nothing", name);
        for (uint32_t j = 0; j < i; j++)
            if (output_same_file(path, outputs.path[j]))
                return cli_error(CLI_USAGE, "run: %s and %s are the same file (expected two)", outputs.name[j], name);
        if (!output_is_stdout(path))
            continue;
        if (printed != NULL)
            return cli_error(CLI_USAGE, "run: %s and %s both write to standard output (expected one of them)", printed,
                             name);
        printed = name;
    }
    if (c->json && c->print_config)
        return cli_error(CLI_USAGE, "run: --json does not go with --print-config, which prints a scenario");
    return CLI_OK;
}

int run_check_input(const struct run_choice *choice, const char *input)
{
    const struct outputs outputs = outputs_of(choice);
    for (uint32_t i = 0; i < outputs.count; i++) {
        char partial[PATH_MAX]; /* what an interrupted run writes */
        if (output_is_stdout(outputs.path[i]))
            continue;
        snprintf(partial, sizeof partial, "%s.partial", outputs.path[i]);
        if (output_same_file(outputs.path[i], input) || output_same_file(partial, input))
            return cli_error(CLI_USAGE, "run: %s would overwrite %s, which the run reads (expected another file)",
                             outputs.name[i], input);
    }
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
    if (code == CLI_OK)
        code = check_outputs(c);
    if (code != CLI_OK)
        return code;
    return run_check_input(c, strcmp(c->file, "-") == 0 ? "/dev/stdin" : c->file);
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
        if (option != OPT_SET && option != OPT_TRACE)
            code = cli_option_once(&run_command, option, &given);
        else
            given |= CLI_OPTION_BIT(option);
        if (code == CLI_OK)
            code = take_option(choice, option);
        if (code != CLI_OK)
            return code;
    }
    return check_choice(choice, argc, argv, given);
}
