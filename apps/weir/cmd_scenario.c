/*
 * cmd_scenario.c - `weir scenario`: the configuration of a switch as a scenario. The mapping is in
 * operate/evaluate/scenario.c.
 */
#include "cli/command.h"
#include "cli/output.h"
#include "operate/evaluate/scenario.h"
#include "operate/options.h"

struct choice {
    struct sonic_given given;
    const char *lookup, *output;
    uint64_t ports, until_us;
    int64_t bytes;
};

static const struct weir_param bytes_range = {.unit = WEIR_UNIT_SPACE, .min = 1, .max = INT64_C(1) << 40};

static const struct cli_option options[] = {
    SONIC_PLATFORM(struct choice),
    SONIC_LOOKUP(struct choice),
    SONIC_FORMULA(struct choice),
    SONIC_CHIP(struct choice),
    {.name = "ports",
     .value = "N",
     .help = "take the first N ports that are up; default: all",
     CLI_NUMBER(struct choice, ports, 2, SONIC_PORTS_MAX)},
    {.name = "incast",
     .value = "SIZE",
     .help = "bytes of the burst that all ports but one send to it; default: 1MB",
     CLI_VALUE(struct choice, bytes, &bytes_range)},
    {.name = "until",
     .value = "US",
     .help = "simulated microseconds; default: 5000",
     CLI_NUMBER(struct choice, until_us, 1, 1000000)},
    {.name = "output",
     .value = "FILE",
     .letter = 'o',
     .help = "write the scenario there; default: print it",
     CLI_FILE(struct choice, output)},
    {.name = NULL},
};

static const struct cli_operand operands[] = {
    {.name = "CONFIG", .what = "configuration", .expected = "a file or a folder", .offer = CLI_FILES},
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_scenario = {
    .name = "scenario",
    .summary = "write the configuration of a switch as a scenario",
    .about =
        "Reads the configuration of a SONiC switch as weir-lint(1) does and writes a scenario for weir-run(1): a host "
        "at each port with its speed and cable; pools, headroom, minimums, thresholds, schedulers, ECN and PFC "
        "watchdog as they are set; a burst from all ports to one, and web traffic beside it. Comments say what a "
        "scenario cannot express. Change the traffic to yours.",
    .options = options,
    .operands = operands,
    .examples = "weir scenario config_db.json --ports 16 -o switch.yaml\nweir run switch.yaml",
    .run = run,
};

static int write_scenario(const struct sonic_model *model, const struct choice *choice)
{
    struct sonic_traffic traffic = {.until_us = (int64_t)choice->until_us,
                                    .incast_bytes = choice->bytes,
                                    .ports = (uint32_t)choice->ports,
                                    .kind = SONIC_TRAFFIC_MIX};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (choice->output == NULL || output_is_stdout(choice->output))
        return sonic_write_scenario(model, &traffic, stdout, &error) ? CLI_OK : cli_report(&error);
    struct output_file file;
    if (!output_file_open(&file, choice->output) || !output_file_stream(&file))
        return CLI_INTERNAL;
    if (!sonic_write_scenario(model, &traffic, file.stream, &error)) {
        output_file_discard(&file);
        return cli_report(&error);
    }
    return output_file_flush(&file) && output_file_commit(&file) ? CLI_OK : CLI_INTERNAL;
}

static int run(int argc, char **argv)
{
    struct choice choice = {.until_us = 5000, .bytes = 1000000};
    struct cli_line line;
    struct sonic_config config;
    struct sonic_model model;
    sonic_given_init(&choice.given);
    if (!cli_read(&line, &cmd_scenario, argc, argv, &choice))
        return line.code;
    int code = sonic_open(&config, &model, line.operands[0], choice.lookup, &choice.given);
    if (code == CLI_OK)
        code = write_scenario(&model, &choice);
    sonic_model_free(&model);
    sonic_config_free(&config);
    return code;
}
