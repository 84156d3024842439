/*
 * run_choice.c - the command line of `weir run`: see cmd_run.h. What goes with what among the files that it writes is
 * in run_outputs.c.
 */
#include <string.h>

#include "experiment/run.h"

#define RUN_JOBS_MAX 1024u

static const char run_help[] =
    "usage: weir run [OPTION...] FILE...\n"
    "       weir run --reference | --schema\n"
    "\n"
    "Runs the experiment that a scenario file describes: every point of its sweep with every\n"
    "seed, simulated packet by packet, on all processors. Results go to NAME.db as runs finish;\n"
    "what is there already is not made again, so that the same command resumes after a stop.\n"
    "The same file and seed give the same results on every machine. Runs on real packets\n"
    "(testbed.use) are left out: 'weir testbed run' makes them.\n"
    "\n"
    "  --set KEY=VALUE   change a value of the file; KEY is a path, switch.policy.alpha or\n"
    "                    traffic.0.load, VALUE is YAML; may be repeated\n"
    "  --seed N          the same as --set seed=N\n"
    "  --seeds N         the same as --set seeds=N: runs per point\n"
    "  --quick           the quick size, as the section `quick` of the file says, to NAME-quick.db\n"
    "  -o, --output FILE the database, instead of NAME.db\n"
    "  --jobs N          runs at once; default: one per processor\n"
    "  --again           make every run again, also those that are there\n"
    "  --only ID         make one run of the sweep; the start of its id is enough\n"
    "  --list            print the runs and which are done, and run nothing\n"
    "  --print-config    print every effective value as a scenario, and run nothing\n"
    "  --quiet           no progress\n"
    "  --reference       print the keys of scenario files as Markdown\n"
    "  --schema          print the JSON Schema of scenario files, for editors\n"
    "  -h, --help        this text\n"
    "\n"
    "An experiment of one run, or --only, is shown in detail, and takes these as well:\n"
    "  --records FILE    write one row per flow as CSV\n"
    "  --series FILE     write queue and goodput series as CSV\n"
    "  --losses FILE     write one row per queue that lost or marked packets as CSV\n"
    "  --pauses FILE     write one row per port and class that paused or was paused as CSV\n"
    "  --trace sK=FILE   write a trace of switch K's memory for weir replay; sK.M: of its\n"
    "                    memory M; may be repeated\n"
    "  --csv FILE        write the table of tags as CSV; -: instead of the tables\n"
    "  --json            everything as JSON\n"
    "\n"
    "SIGINT stops: finished runs are kept, and the exit status is 130. Of a single run, what\n"
    "has been measured is shown, files get the ending .partial, and nothing is stored.\n"
    "\n"
    "example: weir run scenarios/examples/incast.yaml --set switch.policy=lqd\n";

enum {
    OPT_SET = CLI_OPTION_FIRST,
    OPT_SEED,
    OPT_SEEDS,
    OPT_QUICK,
    OPT_OUTPUT,
    OPT_JOBS,
    OPT_AGAIN,
    OPT_ONLY,
    OPT_LIST,
    OPT_PRINT_CONFIG,
    OPT_RECORDS,
    OPT_SERIES,
    OPT_LOSSES,
    OPT_PAUSES,
    OPT_TRACE,
    OPT_CSV,
    OPT_JSON,
    OPT_QUIET,
    OPT_REFERENCE,
    OPT_SCHEMA
};

static const struct option run_options[] = {{"set", required_argument, NULL, OPT_SET},
                                            {"seed", required_argument, NULL, OPT_SEED},
                                            {"seeds", required_argument, NULL, OPT_SEEDS},
                                            {"quick", no_argument, NULL, OPT_QUICK},
                                            {"output", required_argument, NULL, OPT_OUTPUT},
                                            {"jobs", required_argument, NULL, OPT_JOBS},
                                            {"again", no_argument, NULL, OPT_AGAIN},
                                            {"only", required_argument, NULL, OPT_ONLY},
                                            {"list", no_argument, NULL, OPT_LIST},
                                            {"print-config", no_argument, NULL, OPT_PRINT_CONFIG},
                                            {"records", required_argument, NULL, OPT_RECORDS},
                                            {"series", required_argument, NULL, OPT_SERIES},
                                            {"losses", required_argument, NULL, OPT_LOSSES},
                                            {"pauses", required_argument, NULL, OPT_PAUSES},
                                            {"trace", required_argument, NULL, OPT_TRACE},
                                            {"csv", required_argument, NULL, OPT_CSV},
                                            {"json", no_argument, NULL, OPT_JSON},
                                            {"quiet", no_argument, NULL, OPT_QUIET},
                                            {"reference", no_argument, NULL, OPT_REFERENCE},
                                            {"schema", no_argument, NULL, OPT_SCHEMA},
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

static int take_set(struct run_changes *changes, const char *text)
{
    if (changes->sets == RUN_SETS_MAX)
        return cli_error(CLI_USAGE, "run: --set: too many (expected at most %u)", RUN_SETS_MAX);
    changes->set[changes->sets++] = text;
    return CLI_OK;
}

/* Options with a number or a text of their own kind. */
static int take_value(struct run_choice *choice, int option)
{
    switch (option) {
    case OPT_SET:
        return take_set(&choice->changes, optarg);
    case OPT_TRACE:
        return take_trace(choice, optarg);
    case OPT_SEED:
        choice->changes.seed_given = true;
        return cli_parse_number("--seed", optarg, 0, INT64_MAX, &choice->changes.seed);
    case OPT_SEEDS:
        choice->changes.seeds_given = true;
        return cli_parse_number("--seeds", optarg, 1, EXPERIMENT_RUNS_MAX, &choice->changes.seeds);
    default:
        return cli_parse_number("--jobs", optarg, 1, RUN_JOBS_MAX, &choice->jobs);
    }
}

static int take_option(struct run_choice *c, int option)
{
    const struct {
        int option;
        const char **text;
        bool *flag;
    } simple[] = {{OPT_OUTPUT, &c->output, NULL},
                  {OPT_ONLY, &c->only, NULL},
                  {OPT_RECORDS, &c->records, NULL},
                  {OPT_SERIES, &c->series, NULL},
                  {OPT_LOSSES, &c->losses, NULL},
                  {OPT_PAUSES, &c->pauses, NULL},
                  {OPT_CSV, &c->csv, NULL},
                  {OPT_QUICK, NULL, &c->changes.quick},
                  {OPT_AGAIN, NULL, &c->again},
                  {OPT_LIST, NULL, &c->list},
                  {OPT_PRINT_CONFIG, NULL, &c->print_config},
                  {OPT_JSON, NULL, &c->json},
                  {OPT_QUIET, NULL, &c->quiet},
                  {OPT_REFERENCE, NULL, &c->reference},
                  {OPT_SCHEMA, NULL, &c->schema}};
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

/* --reference and --schema are questions of their own. */
static int check_alone(const struct run_choice *c, bool operands, uint64_t given)
{
    const char *name = c->reference ? "--reference" : "--schema";
    uint64_t bit = CLI_OPTION_BIT(c->reference ? OPT_REFERENCE : OPT_SCHEMA);
    if (given != bit || operands)
        return cli_error(CLI_USAGE, "run: %s stands alone (expected no other arguments)", name);
    return CLI_OK;
}

static int check_files(const struct run_choice *c, uint64_t given)
{
    const uint64_t one = CLI_OPTION_BIT(OPT_OUTPUT) | CLI_OPTION_BIT(OPT_ONLY) | CLI_OPTION_BIT(OPT_PRINT_CONFIG);
    for (int option = OPT_SET; option <= OPT_SCHEMA && c->file_count > 1; option++) {
        if ((given & one & CLI_OPTION_BIT(option)) != 0)
            return cli_error(CLI_USAGE, "run: --%s goes with one scenario (expected one file, found %u)",
                             run_options[option - OPT_SET].name, c->file_count);
    }
    for (uint32_t i = 0; i < c->file_count; i++) {
        int code = run_check_input(c, strcmp(c->files[i], "-") == 0 ? "/dev/stdin" : c->files[i]);
        if (code != CLI_OK)
            return code;
    }
    return CLI_OK;
}

static int check_choice(struct run_choice *c, int argc, char **argv, uint64_t given)
{
    if (c->reference || c->schema)
        return check_alone(c, optind < argc, given);
    if (optind >= argc)
        return cli_error(CLI_USAGE, "run: no scenario (expected a file; see 'weir run --help')");
    c->files = argv + optind;
    c->file_count = (uint32_t)(argc - optind);
    int code = run_check_outputs(c);
    return code == CLI_OK ? check_files(c, given) : code;
}

int run_choice_read(struct run_choice *choice, int argc, char **argv, bool *stop)
{
    int code = CLI_OK;
    uint64_t given = 0;
    *choice = (struct run_choice){.files = NULL};
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
