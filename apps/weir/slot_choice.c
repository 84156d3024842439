/*
 * slot_choice.c - the options of `weir slot run`: see slot_choice.h.
 *
 * An option that would change nothing is refused: whoever gives it expects it to matter.
 */
#include "slot_choice.h"

#include <string.h>

#include "cmd_slot.h"

static const char run_help[] =
    "usage: weir slot run [OPTION...]\n"
    "\n"
    "Runs policies over the same arrivals and compares what they send. LQD/ALG is against LQD\n"
    "with tail removal. Without --policy every policy runs with its defaults. An option that\n"
    "does not apply to the traffic or the policies is an error.\n"
    "\n"
    "  --policy NAME[:param=value...]  a policy; may be repeated\n"
    "  --ports N            ports (8)\n"
    "  --buffer B           packets (128)\n"
    "  --slots S            length (10000), not for a file; adversaries finish their round\n"
    "  --seed X             of random traffic and false predictions (1)\n"
    "  --traffic KIND       bursts (default), uniform, onoff, cs-adversary, dt-adversary,\n"
    "                       followlqd-adversary, lqd-adversary, file\n"
    "  --arrivals FILE      for --traffic file: one line per slot, port numbers, # comments\n"
    "  --load L             uniform, onoff: packets per input port and slot (0.9)\n"
    "  --burst P            bursts: packets of a burst (B); onoff: mean of one (B/N)\n"
    "  --burst-interval I   bursts: mean slots between starts (B/N)\n"
    "  --burst-rate R       bursts: most packets of one burst per slot (as many as fit)\n"
    "  --in-turn            bursts: wait for one another instead of sharing the slots\n"
    "  --width W            bursts, adversaries: most arrivals per slot (N); 0: any number\n"
    "  --oracle O           for credence: perfect (default), wrong, or flip=P\n"
    "  --optimum            add the offline optimum and OPT/ALG\n"
    "  --save-arrivals FILE write the arrivals for --arrivals\n"
    "  --trace FILE         record the run for weir replay (one policy)\n"
    "  --rows FILE          write training rows as CSV (one policy)\n"
    "  --csv FILE           write the table as CSV; -: instead of the table\n"
    "  --json               everything as JSON\n"
    "  -h, --help           this text\n"
    "\n"
    "example: weir slot run --policy lqd --policy dt:alpha=0.5 --policy credence --optimum\n";

enum {
    OPT_POLICY = CLI_OPTION_FIRST,
    OPT_PORTS,
    OPT_BUFFER,
    OPT_SLOTS,
    OPT_SEED,
    OPT_TRAFFIC,
    OPT_ARRIVALS,
    OPT_LOAD,
    OPT_BURST,
    OPT_INTERVAL,
    OPT_RATE,
    OPT_IN_TURN,
    OPT_WIDTH,
    OPT_ORACLE,
    OPT_OPTIMUM,
    OPT_SAVE,
    OPT_TRACE,
    OPT_ROWS,
    OPT_CSV,
    OPT_JSON
};

static const struct option run_options[] = {{"policy", required_argument, NULL, OPT_POLICY},
                                            {"ports", required_argument, NULL, OPT_PORTS},
                                            {"buffer", required_argument, NULL, OPT_BUFFER},
                                            {"slots", required_argument, NULL, OPT_SLOTS},
                                            {"seed", required_argument, NULL, OPT_SEED},
                                            {"traffic", required_argument, NULL, OPT_TRAFFIC},
                                            {"arrivals", required_argument, NULL, OPT_ARRIVALS},
                                            {"load", required_argument, NULL, OPT_LOAD},
                                            {"burst", required_argument, NULL, OPT_BURST},
                                            {"burst-interval", required_argument, NULL, OPT_INTERVAL},
                                            {"burst-rate", required_argument, NULL, OPT_RATE},
                                            {"in-turn", no_argument, NULL, OPT_IN_TURN},
                                            {"width", required_argument, NULL, OPT_WIDTH},
                                            {"oracle", required_argument, NULL, OPT_ORACLE},
                                            {"optimum", no_argument, NULL, OPT_OPTIMUM},
                                            {"save-arrivals", required_argument, NULL, OPT_SAVE},
                                            {"trace", required_argument, NULL, OPT_TRACE},
                                            {"rows", required_argument, NULL, OPT_ROWS},
                                            {"csv", required_argument, NULL, OPT_CSV},
                                            {"json", no_argument, NULL, OPT_JSON},
                                            CLI_OPTIONS_END};
static const struct cli_command run_command = {"slot run", run_help, run_options};

static int parse_oracle(const char *text, weir_q16 *flip)
{
    const struct weir_param param = {.name = "--oracle flip", .unit = WEIR_UNIT_RATIO, .max = WEIR_Q16_ONE};
    if (strcmp(text, "perfect") == 0)
        *flip = 0;
    else if (strcmp(text, "wrong") == 0)
        *flip = WEIR_Q16_ONE;
    else if (strncmp(text, "flip=", 5) == 0)
        return cli_parse_value(&param, text + 5, flip);
    else
        return cli_error(CLI_USAGE, "--oracle: '%s' is unknown (expected perfect, wrong or flip=P)", text);
    return CLI_OK;
}

static int parse_number(int option, struct slot_choice *c)
{
    const struct weir_param load = {.name = "--load", .unit = WEIR_UNIT_RATIO, .min = 1, .max = WEIR_Q16_ONE};
    switch (option) {
    case OPT_PORTS:
        return cli_parse_number("--ports", optarg, 1, CMD_SLOT_PORTS_MAX, &c->ports);
    case OPT_BUFFER:
        return cli_parse_number("--buffer", optarg, 1, CMD_SLOT_BUFFER_MAX, &c->buffer);
    case OPT_SLOTS:
        return cli_parse_number("--slots", optarg, 1, CMD_SLOT_SLOTS_MAX, &c->slots);
    case OPT_SEED:
        return cli_parse_number("--seed", optarg, 0, UINT32_MAX, &c->seed);
    case OPT_BURST:
        return cli_parse_number("--burst", optarg, 1, UINT32_MAX, &c->burst);
    case OPT_RATE:
        return cli_parse_number("--burst-rate", optarg, 1, UINT32_MAX, &c->rate);
    case OPT_WIDTH:
        return cli_parse_number("--width", optarg, 0, UINT32_MAX, &c->width);
    case OPT_LOAD:
        return cli_parse_value(&load, optarg, &c->load);
    case OPT_INTERVAL:
        return cmd_slot_parse_interval("--burst-interval", optarg, &c->interval);
    default:
        return parse_oracle(optarg, &c->flip);
    }
}

static int parse_option(int option, struct slot_choice *c)
{
    const char **texts[] = {[OPT_TRAFFIC - OPT_POLICY] = &c->traffic, [OPT_ARRIVALS - OPT_POLICY] = &c->arrivals,
                            [OPT_SAVE - OPT_POLICY] = &c->save,       [OPT_TRACE - OPT_POLICY] = &c->trace,
                            [OPT_ROWS - OPT_POLICY] = &c->rows,       [OPT_CSV - OPT_POLICY] = &c->csv};
    switch (option) {
    case OPT_POLICY:
        if (c->policies == SLOT_CHOICE_POLICIES_MAX)
            return cli_error(CLI_USAGE, "slot run: --policy: too many (expected at most %u)", SLOT_CHOICE_POLICIES_MAX);
        c->policy[c->policies++] = optarg;
        return CLI_OK;
    case OPT_IN_TURN:
        c->in_turn = true;
        return CLI_OK;
    case OPT_OPTIMUM:
        c->optimum = true;
        return CLI_OK;
    case OPT_JSON:
        c->json = true;
        return CLI_OK;
    case OPT_TRAFFIC:
    case OPT_ARRIVALS:
    case OPT_SAVE:
    case OPT_TRACE:
    case OPT_ROWS:
    case OPT_CSV:
        *texts[option - OPT_POLICY] = optarg;
        return CLI_OK;
    default:
        return parse_number(option, c);
    }
}

/* Options that only some kinds of traffic read. */
static const struct {
    int option;
    const char *name;
    enum slot_use use;
} uses[] = {
    {OPT_LOAD, "--load", SLOT_USE_LOAD},
    {OPT_BURST, "--burst", SLOT_USE_BURST},
    {OPT_INTERVAL, "--burst-interval", SLOT_USE_INTERVAL},
    {OPT_RATE, "--burst-rate", SLOT_USE_RATE},
    {OPT_IN_TURN, "--in-turn", SLOT_USE_IN_TURN},
    {OPT_WIDTH, "--width", SLOT_USE_WIDTH},
};

static int report_unused(const char *option, const char *traffic, enum slot_use use)
{
    char names[256] = "";
    for (uint32_t i = 0; i < slot_generator_count; i++)
        if (slot_generators[i]->uses & use)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", names[0] != '\0' ? ", " : "",
                     slot_generators[i]->name);
    return cli_error(CLI_USAGE, "slot run: %s: does not apply to --traffic %s (expected with: %s)", option, traffic,
                     names);
}

static int report_traffic(const char *typed)
{
    const char *names[16] = {"file"};
    for (uint32_t i = 0; i < slot_generator_count; i++)
        names[i + 1] = slot_generators[i]->name;
    const char *nearest = typed[0] != '\0' ? weir_nearest_name(typed, names, slot_generator_count + 1) : NULL;
    if (nearest != NULL)
        return cli_error(CLI_USAGE, "--traffic: '%s' is unknown (did you mean '%s'?)", typed, nearest);
    return cli_error(CLI_USAGE, "--traffic: '%s' is unknown (see 'weir slot run --help')", typed);
}

static int check_traffic(struct slot_choice *c, uint64_t given)
{
    if (c->traffic == NULL)
        c->traffic = c->arrivals != NULL ? "file" : "bursts";
    bool from_file = strcmp(c->traffic, "file") == 0;
    c->generator = slot_generator_find(c->traffic);
    if (c->generator == NULL && !from_file)
        return report_traffic(c->traffic);
    if (c->arrivals != NULL && !from_file)
        return cli_error(CLI_USAGE, "slot run: --arrivals: does not apply to --traffic %s (expected with: file)",
                         c->traffic);
    if (c->arrivals == NULL && from_file)
        return cli_error(CLI_USAGE, "slot run: --traffic file: no file (expected --arrivals FILE)");
    if (from_file && given & CLI_OPTION_BIT(OPT_SLOTS))
        return cli_error(CLI_USAGE, "slot run: --slots: does not apply to --traffic file (expected the file to tell)");
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++)
        if (given & CLI_OPTION_BIT(uses[i].option) && (from_file || !(c->generator->uses & uses[i].use)))
            return report_unused(uses[i].name, c->traffic, uses[i].use);
    c->width_given = (given & CLI_OPTION_BIT(OPT_WIDTH)) != 0;
    return CLI_OK;
}

/* A list has values for several classes, and the model has one: the others would never be looked at. */
static int check_one_class(const char *text, const struct weir_policy *policy)
{
    const char *comma = strchr(text, ','), *start = text;
    if (comma == NULL)
        return CLI_OK;
    for (const char *at = text; at < comma; at++)
        start = *at == ':' ? at + 1 : start;
    return cli_error(CLI_INPUT, "policy %s: %.*s has several values (expected one: the slotted model has one class)",
                     policy->name, (int)strcspn(start, "="), start);
}

static int check_policies(const struct slot_choice *c, uint64_t given)
{
    bool asks = c->policies == 0;
    for (uint32_t i = 0; i < c->policies; i++) {
        struct cli_policy parsed; /* only to report mistakes before anything runs */
        int code = cli_parse_policy(c->policy[i], &parsed);
        if (code == CLI_OK)
            code = check_one_class(c->policy[i], parsed.policy);
        if (code != CLI_OK)
            return code;
        asks |= (parsed.policy->needs & WEIR_NEED_ORACLE) != 0;
    }
    if (given & CLI_OPTION_BIT(OPT_ORACLE) && !asks)
        return cli_error(CLI_USAGE, "slot run: --oracle: no policy asks one (expected with: credence)");
    return CLI_OK;
}

static int check_files(const struct slot_choice *c)
{
    const struct {
        const char *option, *path;
    } files[] = {{"--save-arrivals", c->save}, {"--trace", c->trace}, {"--rows", c->rows}, {"--csv", c->csv}};
    if ((c->trace != NULL || c->rows != NULL) && c->policies != 1)
        return cli_error(CLI_USAGE, "slot run: %s: records one run (expected exactly one --policy)",
                         c->trace != NULL ? "--trace" : "--rows");
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < i; j++)
            if (files[i].path != NULL && files[j].path != NULL && output_same_file(files[i].path, files[j].path))
                return cli_error(CLI_USAGE, "slot run: %s and %s: the same file '%s' (expected two files)",
                                 files[j].option, files[i].option, files[i].path);
    return cmd_slot_csv_check(run_command.name, c->csv, c->json);
}

int slot_choice_read(struct slot_choice *c, int argc, char **argv, bool *stop)
{
    uint64_t given = 0;
    int code = CLI_OK;
    *stop = false;
    *c = (struct slot_choice){.ports = 8, .buffer = 128, .slots = 10000, .seed = 1, .load = WEIR_Q16_ONE * 9 / 10};
    cli_start_options();
    for (int option; (option = cli_next_option(&run_command, argc, argv, &code)) != CLI_OPTION_END;) {
        *stop = option == CLI_OPTION_STOP;
        if (!*stop && option != OPT_POLICY)
            code = cli_option_once(&run_command, option, &given);
        if (!*stop && code == CLI_OK)
            code = parse_option(option, c);
        if (*stop || code != CLI_OK)
            return code;
    }
    code = cli_no_operands(&run_command, argc, argv);
    if (code == CLI_OK)
        code = check_traffic(c, given);
    if (code == CLI_OK)
        code = check_policies(c, given);
    return code == CLI_OK ? check_files(c) : code;
}
