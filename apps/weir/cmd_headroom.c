/*
 * cmd_headroom.c - `weir headroom`: how much memory lossless classes need. This is the command line; the numbers are
 * in headroom_plan.c, the pages in headroom_show.c and, for scenarios, headroom_tiers.c.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "experiment/plan.h"
#include "headroom/plan.h"
#include "scenario/keys/key.h"

static const char headroom_help[] =
    "usage: weir headroom --rate RATE [--delay TIME] [--mtu SIZE]\n"
    "                     [--ports N --buffer SIZE [--classes N] [--headroom-size SIZE]\n"
    "                      [--measured-delay TIME] [--ratio RATIO]] [--json]\n"
    "       weir headroom --chip NAME [OPTION...]\n"
    "       weir headroom --trend [--json]\n"
    "       weir headroom [--set KEY=VALUE]... [--json] FILE\n"
    "\n"
    "After a switch has decided to pause a class, packets of it still arrive. Prints how\n"
    "many bytes, term by term, and what each headroom scheme sets aside of the memory\n"
    "for them. FILE is a scenario: what its switches set aside, tier by tier.\n"
    "\n"
    "  --rate RATE            of every port, such as 100Gbps\n"
    "  --delay TIME           one way on the link: 1.5us (300 m of fibre)\n"
    "  --mtu SIZE             largest packet: 1500B\n"
    "  --ports N              with --buffer: totals for a switch of so many ports\n"
    "  --buffer SIZE          its memory, such as 16MiB\n"
    "  --classes N            lossless classes, 1 to 8: 8\n"
    "  --headroom-size SIZE   of one queue: equation (the default), safe (with the PAUSE\n"
    "                         frame and the packet that triggers it), or bytes\n"
    "  --measured-delay TIME  what schemes that measure the delay find: the delay\n"
    "  --ratio RATIO          what schemes with a ratio set aside: 0.8\n"
    "  --chip NAME            rate, ports and memory of a chip; other options change it\n"
    "  --trend                six chips: memory per capacity, and headroom's share of it\n"
    "  --set KEY=VALUE        change a value of FILE, such as switch.headroom=dsh\n"
    "  --json                 everything as JSON\n"
    "  -h, --help             this text\n"
    "\n"
    "example: weir headroom --chip trident2\n";

enum {
    OPT_RATE = CLI_OPTION_FIRST,
    OPT_DELAY,
    OPT_MTU,
    OPT_PORTS,
    OPT_BUFFER,
    OPT_CLASSES,
    OPT_SIZE,
    OPT_MEASURED,
    OPT_RATIO,
    OPT_CHIP,
    OPT_TREND,
    OPT_SET,
    OPT_JSON,
    OPT_COUNT = OPT_JSON - CLI_OPTION_FIRST + 1
};

static const struct option headroom_options[] = {
    {"rate", required_argument, NULL, OPT_RATE},
    {"delay", required_argument, NULL, OPT_DELAY},
    {"mtu", required_argument, NULL, OPT_MTU},
    {"ports", required_argument, NULL, OPT_PORTS},
    {"buffer", required_argument, NULL, OPT_BUFFER},
    {"classes", required_argument, NULL, OPT_CLASSES},
    {"headroom-size", required_argument, NULL, OPT_SIZE},
    {"measured-delay", required_argument, NULL, OPT_MEASURED},
    {"ratio", required_argument, NULL, OPT_RATIO},
    {"chip", required_argument, NULL, OPT_CHIP},
    {"trend", no_argument, NULL, OPT_TREND},
    {"set", required_argument, NULL, OPT_SET},
    {"json", no_argument, NULL, OPT_JSON},
    CLI_OPTIONS_END,
};
static const struct cli_command headroom_command = {"headroom", headroom_help, headroom_options};

#define SIZE_SAFE INT64_C(-1)
#define SIZE_BYTES_MAX (INT64_C(1) << 40) /* times all queues of a switch it still fits 64 bits */
#define DELAY_MAX (100 * WEIR_PS_PER_MS)

/* The values of a plan as keys, so that they are read as in scenario files. */
static const struct key value_keys[OPT_COUNT] = {
    [OPT_RATE - CLI_OPTION_FIRST] = {.kind = KEY_RATE, .min = WEIR_RATE_BPS_MIN, .max = WEIR_RATE_BPS_MAX},
    [OPT_DELAY - CLI_OPTION_FIRST] = {.kind = KEY_TIME, .max = DELAY_MAX},
    [OPT_MTU - CLI_OPTION_FIRST] = {.kind = KEY_SPACE, .min = 64, .max = UINT16_MAX},
    [OPT_PORTS - CLI_OPTION_FIRST] = {.kind = KEY_COUNT, .min = 1, .max = WEIR_PORTS_MAX},
    [OPT_BUFFER - CLI_OPTION_FIRST] = {.kind = KEY_SPACE, .min = 1, .max = WEIR_BUFFER_CELLS_MAX},
    [OPT_CLASSES - CLI_OPTION_FIRST] = {.kind = KEY_COUNT, .min = 1, .max = HEADROOM_CLASSES_MAX},
    [OPT_SIZE - CLI_OPTION_FIRST] =
        {.kind = KEY_SPACE, .min = 1, .max = SIZE_BYTES_MAX, .word = "safe", .word_value = SIZE_SAFE},
    [OPT_MEASURED - CLI_OPTION_FIRST] = {.kind = KEY_TIME, .max = DELAY_MAX},
    [OPT_RATIO - CLI_OPTION_FIRST] = {.kind = KEY_RATIO, .min = 1, .max = WEIR_Q16_ONE},
};

struct headroom_choice {
    uint64_t given;           /* options, by CLI_OPTION_BIT */
    int64_t value[OPT_COUNT]; /* of those that have a key */
    const struct headroom_plan *chip;
    struct run_changes changes;
    bool json, trend;
};

static int read_value(int option, int64_t *value)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    const char *name = headroom_options[option - CLI_OPTION_FIRST].name;
    if (option == OPT_SIZE && strcmp(optarg, "equation") == 0) {
        *value = 0;
        return CLI_OK;
    }
    if (key_parse(&value_keys[option - CLI_OPTION_FIRST], &(struct key_scale){.hosts = 0}, optarg, value, &error))
        return CLI_OK;
    weir_fail_within(&error, "--%s: ", name);
    return cli_report_usage(&error);
}

static int read_option(struct headroom_choice *choice, int option)
{
    switch (option) {
    case OPT_TREND:
        choice->trend = true;
        return CLI_OK;
    case OPT_JSON:
        choice->json = true;
        return CLI_OK;
    case OPT_CHIP:
        choice->chip = headroom_find_chip(optarg);
        return choice->chip != NULL ? CLI_OK : CLI_INPUT;
    case OPT_SET:
        if (choice->changes.sets == RUN_SETS_MAX)
            return cli_error(CLI_USAGE, "headroom: more than %u changes (--set)", RUN_SETS_MAX);
        choice->changes.set[choice->changes.sets++] = optarg;
        return CLI_OK;
    default:
        return read_value(option, &choice->value[option - CLI_OPTION_FIRST]);
    }
}

static bool is_given(const struct headroom_choice *choice, int option)
{
    return (choice->given & CLI_OPTION_BIT(option)) != 0;
}

/* Options that do not go together: of a plan with --trend or FILE, --set without FILE, half of a switch. */
static int check_choice(const struct headroom_choice *choice, const char *file)
{
    const uint64_t plan = CLI_OPTION_BIT(OPT_TREND) - 1;
    const uint64_t of_switch = CLI_OPTION_BIT(OPT_CLASSES) | CLI_OPTION_BIT(OPT_SIZE) | CLI_OPTION_BIT(OPT_MEASURED) |
                               CLI_OPTION_BIT(OPT_RATIO);
    if (file != NULL && (choice->trend || choice->given & plan))
        return cli_error(CLI_USAGE, "headroom: a scenario file, and options of a switch (expected one of them)");
    if (choice->trend && choice->given & plan)
        return cli_error(CLI_USAGE, "headroom: --trend is of fixed chips (expected no options but --json)");
    if (file == NULL && choice->changes.sets > 0)
        return cli_error(CLI_USAGE, "headroom: --set changes a scenario (expected a file)");
    if (file != NULL || choice->trend || choice->chip != NULL)
        return CLI_OK;
    if (!is_given(choice, OPT_RATE))
        return cli_error(CLI_USAGE, "headroom: --rate is missing (expected it, --chip, --trend or a scenario file)");
    if (is_given(choice, OPT_PORTS) != is_given(choice, OPT_BUFFER))
        return cli_error(CLI_USAGE, "headroom: --%s is missing (totals need --ports and --buffer)",
                         is_given(choice, OPT_PORTS) ? "buffer" : "ports");
    if (!is_given(choice, OPT_PORTS) && choice->given & of_switch)
        return cli_error(CLI_USAGE, "headroom: --ports and --buffer are missing (totals need them)");
    return CLI_OK;
}

static int64_t value_or(const struct headroom_choice *choice, int option, int64_t otherwise)
{
    return is_given(choice, option) ? choice->value[option - CLI_OPTION_FIRST] : otherwise;
}

/* The chip, or the values that all chips have, changed by the options. */
static struct headroom_plan make_plan(const struct headroom_choice *choice)
{
    struct headroom_plan plan = choice->chip != NULL ? *choice->chip : headroom_chips[0];
    int64_t size = value_or(choice, OPT_SIZE, 0);
    bool of_chip = choice->chip != NULL;
    plan.name = of_chip ? plan.name : NULL;
    plan.link.rate_bps = value_or(choice, OPT_RATE, plan.link.rate_bps);
    plan.link.delay_ps = value_or(choice, OPT_DELAY, plan.link.delay_ps);
    plan.link.mtu_bytes = (uint32_t)value_or(choice, OPT_MTU, plan.link.mtu_bytes);
    plan.ports = (uint32_t)value_or(choice, OPT_PORTS, of_chip ? plan.ports : 0);
    plan.classes = (uint32_t)value_or(choice, OPT_CLASSES, plan.classes);
    plan.buffer_bytes = value_or(choice, OPT_BUFFER, plan.buffer_bytes);
    plan.size = size == 0 ? SIM_HEADROOM_EQUATION : size == SIZE_SAFE ? SIM_HEADROOM_SAFE : SIM_HEADROOM_BYTES;
    plan.size_bytes = size;
    plan.measured_delay_ps = value_or(choice, OPT_MEASURED, plan.link.delay_ps);
    plan.ratio = value_or(choice, OPT_RATIO, plan.ratio);
    return plan;
}

int weir_cmd_headroom(int argc, char **argv)
{
    struct headroom_choice choice = {.given = 0};
    int code = CLI_OK;
    cli_start_options();
    for (int option; (option = cli_next_option(&headroom_command, argc, argv, &code)) != CLI_OPTION_END;) {
        if (option == CLI_OPTION_STOP)
            return code;
        code = option == OPT_SET ? CLI_OK : cli_option_once(&headroom_command, option, &choice.given);
        if (code == CLI_OK)
            code = read_option(&choice, option);
        if (code != CLI_OK)
            return code;
    }
    const char *file = optind < argc ? argv[optind++] : NULL;
    code = cli_no_operands(&headroom_command, argc, argv);
    if (code == CLI_OK)
        code = check_choice(&choice, file);
    if (code != CLI_OK)
        return code;
    if (file != NULL)
        return headroom_show_tiers(file, &choice.changes, choice.json);
    if (choice.trend)
        return headroom_show_trend(choice.json);
    struct headroom_plan plan = make_plan(&choice);
    return headroom_show(&plan, choice.json);
}
