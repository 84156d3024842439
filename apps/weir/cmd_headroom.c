/*
 * cmd_headroom.c - `weir headroom`: how much buffer lossless classes need. This is the command line; the numbers are
 * in operate/headroom/plan.c, the pages in operate/headroom/show.c and, for scenarios, operate/headroom/tiers.c; for
 * configurations of switches in operate/show_headroom.c.
 */
#include <string.h>

#include "cli/command.h"
#include "lab/plan/plan.h"
#include "operate/headroom/plan.h"
#include "operate/options.h"
#include "operate/show_headroom.h"
#include "scenario/keys/key.h"
#include "weir/fixed.h"

#define SIZE_SAFE INT64_C(-1)
#define SIZE_BYTES_MAX (INT64_C(1) << 40) /* times all queues of a switch it still fits 64 bits */
#define DELAY_MAX (100 * WEIR_PS_PER_MS)
#define PROCESSING_MAX (1 << 20)
#define PROCESSING_STANDARD INT64_C(-1)
#define CABLE_MAX 20000000            /* m */
#define METRE_PS (5 * WEIR_PS_PER_NS) /* of fibre: 0.2 m in a nanosecond */

/* Values of a plan are those of its options that were given. */
struct choice {
    int64_t rate, delay, cable, metre, mtu, least, cell, small, ports, buffer, classes, size, measured, ratio;
    struct headroom_span processing, own; /* PROCESSING_STANDARD bytes: as IEEE 802.3 allows */
    const struct headroom_plan *chip;
    struct plan_changes changes;
    bool json, trend;
    struct sonic_given given; /* of a configuration */
    const char *lookup;
};

/* A value with the unit and range of a key of scenario files, option->data. */
static int read_key(void *target, const struct cli_option *option, const char *text)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (key_parse(option->data, &(struct key_scale){.hosts = 0}, text, target, &error))
        return CLI_OK;
    weir_fail_within(&error, "--%s: ", option->name);
    return cli_report_usage(&error);
}

/* "300m", "2.5km": billionths of a metre. */
static int read_cable(void *target, const struct cli_option *option, const char *text)
{
    static const struct key metres = {.kind = KEY_REAL, .max = CABLE_MAX * KEY_BILLION};
    static const struct key kilometres = {.kind = KEY_REAL, .max = CABLE_MAX / 1000 * KEY_BILLION};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    char number[64];
    size_t length = strlen(text), digits = strspn(text, "0123456789.");
    bool is_km = strcmp(text + digits, "km") == 0;
    if (digits == 0 || digits >= sizeof number || length == digits || (!is_km && strcmp(text + digits, "m") != 0))
        return cli_error(CLI_USAGE, "--%s: '%s' is no length (expected metres, such as 300m or 2km)", option->name,
                         text);
    memcpy(number, text, digits);
    number[digits] = '\0';
    if (!key_parse(is_km ? &kilometres : &metres, &(struct key_scale){.hosts = 0}, number, target, &error)) {
        weir_fail_within(&error, "--%s: ", option->name);
        return cli_report_usage(&error);
    }
    *(int64_t *)target *= is_km ? 1000 : 1;
    return CLI_OK;
}

/* A size, one of the key's words, or a time. */
static int read_span(void *target, const struct cli_option *option, const char *text)
{
    static const struct key time = {.kind = KEY_TIME, .max = DELAY_MAX};
    struct headroom_span *span = target;
    const struct cli_option of_time = {.name = option->name, .data = &time};
    size_t length = strlen(text);
    bool is_time = length > 1 && text[length - 1] == 's' && strchr("numps0123456789", text[length - 2]) != NULL;
    *span = (struct headroom_span){.bytes = 0};
    return is_time ? read_key(&span->ps, &of_time, text) : read_key(&span->bytes, option, text);
}

static int read_size(void *target, const struct cli_option *option, const char *text)
{
    if (strcmp(text, "equation") != 0)
        return read_key(target, option, text);
    *(int64_t *)target = 0;
    return CLI_OK;
}

static int read_chip(void *target, const struct cli_option *option, const char *text)
{
    const struct headroom_plan **chip = target;
    (void)option;
    *chip = headroom_find_chip(text);
    return *chip != NULL ? CLI_OK : CLI_INPUT;
}

static const char *chip_name(uint32_t i)
{
    return headroom_chips[i].name;
}

#define KEY(...)                                                                                                       \
    .data = &(const struct key)                                                                                        \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

static const struct cli_option options[] = {
    {.name = "rate",
     .value = "RATE",
     .help = "port rate, such as 100Gbps",
     CLI_READ(struct choice, rate, read_key),
     KEY(.kind = KEY_RATE, .min = WEIR_RATE_BPS_MIN, .max = WEIR_RATE_BPS_MAX)},
    {.name = "delay",
     .value = "TIME",
     .help = "one-way delay of the link; default: 1.5us (300 m of fibre)",
     CLI_READ(struct choice, delay, read_key),
     KEY(.kind = KEY_TIME, .max = DELAY_MAX)},
    {.name = "cable",
     .value = "LENGTH",
     .help = "length of the link instead of its delay, such as 300m",
     CLI_READ(struct choice, cable, read_cable)},
    {.name = "metre",
     .value = "TIME",
     .help = "delay of a metre of that cable; default: 5ns (fibre)",
     CLI_READ(struct choice, metre, read_key),
     KEY(.kind = KEY_TIME, .min = 1, .max = WEIR_PS_PER_US)},
    {.name = "mtu",
     .value = "SIZE",
     .help = "largest packet; default: 1500B",
     CLI_READ(struct choice, mtu, read_key),
     KEY(.kind = KEY_SPACE, .min = 64, .max = UINT16_MAX)},
    {.name = "least",
     .value = "SIZE",
     .help = "smallest packet; default: 64B",
     CLI_READ(struct choice, least, read_key),
     KEY(.kind = KEY_SPACE, .min = 1, .max = UINT16_MAX)},
    {.name = "cell",
     .value = "SIZE",
     .help = "cell of the buffer, such as 208B; default: the chip's, else 1B, a buffer that counts bytes",
     .more = "A packet fills its last cell in part only: 65 bytes in cells of 64 take twice their size.",
     CLI_READ(struct choice, cell, read_key),
     KEY(.kind = KEY_SPACE, .min = 1, .max = UINT16_MAX)},
    {.name = "small",
     .value = "RATIO",
     .help = "share of the worst packet size in the bytes of the wire; the rest is of the largest packets; default: 1. "
             "With less the sum is no bound",
     CLI_READ(struct choice, small, read_key),
     KEY(.kind = KEY_RATIO, .min = 0, .max = WEIR_Q16_ONE)},
    {.name = "processing",
     .value = "SIZE|TIME",
     .help = "how long the peer takes to obey a PAUSE: standard (the default: what IEEE 802.3, 31B.3.7 allows at the "
             "rate), paper (3840B), a size or a time",
     .more = "Equation 1 has 3840B whatever this says.",
     .offer = CLI_WORDS("standard paper"),
     CLI_READ(struct choice, processing, read_span),
     KEY(.kind = KEY_SPACE, .max = PROCESSING_MAX, .word = "standard", .word_value = PROCESSING_STANDARD,
         .other_word = "paper", .other_value = WEIR_PFC_PROCESSING_BYTES)},
    {.name = "own-processing",
     .value = "SIZE|TIME",
     .help = "how long this switch takes from the decision to the PAUSE at its port, and from the wire to the buffer; "
             "default: 0B",
     CLI_READ(struct choice, own, read_span),
     KEY(.kind = KEY_SPACE, .max = PROCESSING_MAX)},
    {.name = "ports",
     .value = "N",
     .help = "ports of the switch; with --buffer: print totals",
     CLI_READ(struct choice, ports, read_key),
     KEY(.kind = KEY_COUNT, .min = 1, .max = WEIR_PORTS_MAX)},
    {.name = "buffer",
     .value = "SIZE",
     .help = "buffer of the switch, such as 16MiB",
     CLI_READ(struct choice, buffer, read_key),
     KEY(.kind = KEY_SPACE, .min = 1, .max = WEIR_BUFFER_CELLS_MAX)},
    {.name = "classes",
     .value = "N",
     .help = "lossless classes, 1 to 8; default: 8",
     CLI_READ(struct choice, classes, read_key),
     KEY(.kind = KEY_COUNT, .min = 1, .max = HEADROOM_CLASSES_MAX)},
    {.name = "headroom-size",
     .value = "SIZE",
     .help = "headroom of one queue: equation (the default), safe (all terms, in cells), or bytes",
     .offer = CLI_WORDS("equation safe"),
     CLI_READ(struct choice, size, read_size),
     KEY(.kind = KEY_SPACE, .min = 1, .max = SIZE_BYTES_MAX, .word = "safe", .word_value = SIZE_SAFE)},
    {.name = "measured-delay",
     .value = "TIME",
     .help = "link delay found by schemes that measure it; default: the delay",
     CLI_READ(struct choice, measured, read_key),
     KEY(.kind = KEY_TIME, .max = DELAY_MAX)},
    {.name = "ratio",
     .value = "RATIO",
     .help = "share of the headroom that schemes with a ratio reserve; default: 0.8",
     CLI_READ(struct choice, ratio, read_key),
     KEY(.kind = KEY_RATIO, .min = 1, .max = WEIR_Q16_ONE)},
    {.name = "chip",
     .value = "NAME",
     .help = "take rate, ports, buffer and, where it is public, the cell from a chip; other options override them. "
             "Chips",
     .offer = CLI_NAMES(chip_name),
     CLI_READ(struct choice, chip, read_chip)},
    {.name = "trend",
     .help = "compare six chips: buffer per capacity, and headroom's share of it",
     CLI_FLAG(struct choice, trend)},
    SONIC_PLATFORM(struct choice),
    SONIC_LOOKUP(struct choice),
    SONIC_FORMULA(struct choice),
    SONIC_MEMORY(struct choice),
    {.name = "set",
     .value = "KEY=VALUE",
     .help = "change a value of FILE, such as switch.headroom=dsh",
     .more = "As in weir-run(1).",
     CLI_LIST(struct choice, changes.set, changes.sets)},
    {.name = "json",
     .help = "print everything as JSON",
     .more = "Sizes are in bytes; where headroom does not fit the buffer, `shared_bytes` is negative.",
     CLI_FLAG(struct choice, json)},
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "FILE|CONFIG", .offer = CLI_FILES},
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_headroom = {
    .name = "headroom",
    .summary = "size the headroom of lossless classes",
    .usage = "--rate RATE [--delay TIME | --cable LENGTH] [--cell SIZE] [--ports N --buffer SIZE] [OPTION...]\n"
             "--chip NAME [OPTION...]\n"
             "--trend [--json]\n"
             "[--set KEY=VALUE]... [--json] FILE\n"
             "[--platform NAME|FILE] [--lookup FILE] [--rate RATE] [--cable LENGTH] [--cell SIZE] [--mmu SIZE] "
             "[--pipes N] [--xoff PLACE] [--json] CONFIG",
    .about =
        "After a switch decides to pause a class, packets of it still arrive. Prints how many bytes, term by term, "
        "and how much buffer each headroom scheme reserves for them. With a scenario FILE: what its switches reserve, "
        "tier by tier.\n\n"
        "With the CONFIG of a switch (config_db.json, buffers.json, a folder of them): what each lossless group has, "
        "beside what SONiC's formula, equation 1 and the no-loss bound ask for, and how many groups a shared headroom "
        "pool is for. `--rate`, `--cable` and `--cell` then stand for what the configuration does not say.",
    .options = options,
    .operands = operands,
    .examples = "weir headroom --chip trident2",
    .run = run,
};

/* Any of the options that describe a switch. */
static bool describes_switch(const struct cli_line *line)
{
    static const char *const names[] = {"rate",  "delay",  "cable",   "metre",         "mtu",
                                        "least", "cell",   "small",   "processing",    "own-processing",
                                        "ports", "buffer", "classes", "headroom-size", "measured-delay",
                                        "ratio", "chip"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (cli_given(line, names[i]))
            return true;
    return false;
}

/* Of a configuration, only what it may not say. */
static int check_config(const struct cli_line *line)
{
    static const char *const names[] = {"delay",          "metre", "mtu",    "least",   "processing",
                                        "own-processing", "ports", "buffer", "classes", "headroom-size",
                                        "measured-delay", "ratio", "chip",   "trend",   "set"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (cli_given(line, names[i]))
            return cli_error(CLI_USAGE,
                             "headroom: --%s is not of a configuration (expected --platform, --lookup, "
                             "--formula, --mmu, --pipes, --xoff, --rate, --cable, --cell or --small)",
                             names[i]);
    return CLI_OK;
}

/* Options that do not go together: of a plan with --trend or FILE, --set without FILE, half of a switch. */
static int check(const struct cli_line *line, const struct choice *choice)
{
    bool file = line->count > 0, ports = cli_given(line, "ports");
    bool of_totals = cli_given(line, "classes") || cli_given(line, "headroom-size") ||
                     cli_given(line, "measured-delay") || cli_given(line, "ratio");
    static const char *const of_config[] = {"platform", "lookup", "formula", "mmu", "pipes", "xoff"};
    for (size_t i = 0; i < sizeof of_config / sizeof of_config[0]; i++)
        if (cli_given(line, of_config[i]))
            return cli_error(
                CLI_USAGE,
                "headroom: --%s is of a configuration (expected config_db.json, buffers.json or a folder of "
                "them)",
                of_config[i]);
    if (file && (choice->trend || describes_switch(line)))
        return cli_error(CLI_USAGE, "headroom: a scenario file, and options of a switch (expected one of them)");
    if (choice->trend && describes_switch(line))
        return cli_error(CLI_USAGE, "headroom: --trend is of fixed chips (expected no options but --json)");
    if (!file && choice->changes.sets > 0)
        return cli_error(CLI_USAGE, "headroom: --set changes a scenario (expected a file)");
    if (cli_given(line, "delay") && cli_given(line, "cable"))
        return cli_error(CLI_USAGE, "headroom: --delay and --cable (expected one of them)");
    if (cli_given(line, "metre") && !cli_given(line, "cable"))
        return cli_error(CLI_USAGE, "headroom: --metre is of a cable (expected --cable)");
    if (cli_given(line, "small") && !cli_given(line, "cell") && choice->chip == NULL)
        return cli_error(CLI_USAGE, "headroom: --small matters where packets fill cells (expected --cell)");
    if (file || choice->trend || choice->chip != NULL)
        return CLI_OK;
    if (!cli_given(line, "rate"))
        return cli_error(CLI_USAGE, "headroom: --rate is missing (expected it, --chip, --trend or a scenario file)");
    if (ports != cli_given(line, "buffer"))
        return cli_error(CLI_USAGE, "headroom: --%s is missing (totals need --ports and --buffer)",
                         ports ? "buffer" : "ports");
    if (!ports && of_totals)
        return cli_error(CLI_USAGE, "headroom: --ports and --buffer are missing (totals need them)");
    return CLI_OK;
}

static void change(const struct cli_line *line, const char *option, int64_t given, int64_t *value)
{
    if (cli_given(line, option))
        *value = given;
}

/* What depends on several of the values. */
static int check_plan(const struct headroom_plan *plan)
{
    if (plan->delay_ps > DELAY_MAX)
        return cli_error(CLI_INPUT, "headroom: --cable is too long (expected a delay of 100ms at most)");
    if (plan->least_bytes > plan->mtu_bytes)
        return cli_error(CLI_INPUT, "headroom: --least %uB is more than --mtu %uB", plan->least_bytes, plan->mtu_bytes);
    return CLI_OK;
}

/* The chip, or the values that all chips have, changed by the options. */
static struct headroom_plan make_plan(const struct cli_line *line, const struct choice *choice, int64_t cell)
{
    struct headroom_plan plan = choice->chip != NULL ? *choice->chip : headroom_chips[0];
    bool of_chip = choice->chip != NULL;
    int64_t ports = of_chip ? plan.ports : 0, classes = plan.classes, size = choice->size;
    int64_t mtu = plan.mtu_bytes, least = plan.least_bytes;
    change(line, "rate", choice->rate, &plan.rate_bps);
    change(line, "delay", choice->delay, &plan.delay_ps);
    if (cli_given(line, "cable"))
        plan.delay_ps =
            (weir_ps)(((weir_wide)choice->cable * (weir_wide)choice->metre + KEY_BILLION - 1) / KEY_BILLION);
    change(line, "mtu", choice->mtu, &mtu);
    change(line, "least", choice->least, &least);
    change(line, "cell", choice->cell, &cell);
    change(line, "small", choice->small, &plan.small);
    if (cli_given(line, "processing"))
        plan.processing = choice->processing;
    plan.is_standard = !cli_given(line, "processing") || plan.processing.bytes == PROCESSING_STANDARD;
    plan.own = choice->own;
    change(line, "ports", choice->ports, &ports);
    change(line, "classes", choice->classes, &classes);
    change(line, "buffer", choice->buffer, &plan.buffer_bytes);
    change(line, "ratio", choice->ratio, &plan.ratio);
    plan.measured_delay_ps = plan.delay_ps;
    change(line, "measured-delay", choice->measured, &plan.measured_delay_ps);
    plan.name = of_chip ? plan.name : NULL;
    plan.mtu_bytes = (uint32_t)mtu;
    plan.least_bytes = (uint32_t)least;
    plan.cell_bytes = (uint32_t)cell;
    plan.ports = (uint32_t)ports;
    plan.classes = (uint32_t)classes;
    plan.size = size == 0 ? SIM_HEADROOM_EQUATION : size == SIZE_SAFE ? SIM_HEADROOM_SAFE : SIM_HEADROOM_BYTES;
    plan.size_bytes = size;
    return plan;
}

static int show_config(const struct cli_line *line, struct choice *choice)
{
    struct sonic_config config;
    struct sonic_model model;
    int code = check_config(line);
    if (code != CLI_OK)
        return code;
    change(line, "cell", choice->cell, &choice->given.cell);
    if (cli_given(line, "rate"))
        choice->given.speed_mbps = choice->rate / 1000000;
    if (cli_given(line, "cable"))
        choice->given.cable_m = (double)choice->cable / KEY_BILLION;
    if (cli_given(line, "small"))
        choice->given.small_percent = choice->small * 100 / WEIR_Q16_ONE;
    code = sonic_open(&config, &model, line->operands[0], choice->lookup, &choice->given);
    if (code == CLI_OK)
        code = sonic_show_headroom(&model, choice->json);
    sonic_model_free(&model);
    sonic_config_free(&config);
    return code;
}

static int run(int argc, char **argv)
{
    struct choice choice = {.size = 0, .metre = METRE_PS};
    struct cli_line line;
    sonic_given_init(&choice.given);
    if (!cli_read(&line, &cmd_headroom, argc, argv, &choice))
        return line.code;
    if (line.count > 0 && sonic_is_config(line.operands[0]))
        return show_config(&line, &choice);
    int code = check(&line, &choice);
    if (code != CLI_OK)
        return code;
    if (line.count > 0)
        return headroom_show_tiers(line.operands[0], &choice.changes, choice.json);
    if (choice.trend)
        return headroom_show_trend(choice.json);
    int64_t cell = 1;
    if (choice.chip != NULL) {
        /* The cell of a chip, as its platform file has it; else it stays as it is. An exit code. */
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        struct sonic_config config;
        struct platform platform;
        sonic_config_init(&config);
        bool good = platform_find(&platform, &config, choice.chip->name, &error);
        if (good && platform.cell != SONIC_ABSENT)
            cell = platform.cell;
        sonic_config_free(&config);
        code = good || error.code == WEIR_ERROR_UNKNOWN ? CLI_OK : cli_report(&error);
    }
    if (code != CLI_OK)
        return code;
    struct headroom_plan plan = make_plan(&line, &choice, cell);
    code = check_plan(&plan);
    return code == CLI_OK ? headroom_show(&plan, choice.json) : code;
}
