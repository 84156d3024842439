/*
 * switch_options.c - see switch_options.h. Options that are keys of the scenario too become part of it before it is
 * read, so that --print-config shows them and mistakes are found in one place.
 */
#include "switch_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/version.h"

static const char switch_help[] =
    "usage: weir-switch [OPTION...] FILE\n"
    "\n"
    "A software switch on DPDK: forwards Ethernet frames between the ports that a scenario file\n"
    "describes, with the buffer, policy and rates of its section `switch`, until SIGINT, SIGTERM or\n"
    "'weir switch stop'. The topology is of kind single; port i is the link of host i. The section\n"
    "`dataplane` says which devices the ports are; see docs/scenarios.md.\n"
    "\n"
    "  --set KEY=VALUE    change a value of the file, as in 'weir run'; may be repeated\n"
    "  --device DEVICE    the device of the next port, instead of dataplane.devices; one per port,\n"
    "                     as DPDK names them: net_af_packet0,iface=veth0 or 0000:03:00.0\n"
    "  --scale S          the same as --set dataplane.scale=S: all rates divided by S, times\n"
    "                     multiplied\n"
    "  --control PATH     the socket for 'weir switch'; default: /run/weir/switch.sock for root,\n"
    "                     else $XDG_RUNTIME_DIR/weir-switch.sock\n"
    "  --prometheus PORT  counters for Prometheus at http://127.0.0.1:PORT/metrics\n"
    "  --trace FILE       write a trace for 'weir replay'\n"
    "  --memory M         the memory that is traced; default: 0\n"
    "  --drops FILE       write dropped frames with their reasons as pcapng\n"
    "  --drops-max SIZE   end that file before it is larger, such as 100MB; default: 1GiB\n"
    "  --print-config     print every effective value as a scenario, and start nothing\n"
    "  --quiet            print nothing but errors\n"
    "  --version          the version\n"
    "  -h, --help         this text\n"
    "\n"
    "It prints one line that begins with 'ready:' when frames are forwarded, and totals at the end.\n"
    "\n"
    "exit status: 0 ok, 2 wrong usage, 3 bad input, 4 a device, socket or file cannot be used\n"
    "\n"
    "example: weir-switch --device net_tap0 --device net_tap1 two-ports.yaml\n";

enum {
    OPT_SET = CLI_OPTION_FIRST,
    OPT_DEVICE,
    OPT_SCALE,
    OPT_CONTROL,
    OPT_PROMETHEUS,
    OPT_TRACE,
    OPT_MEMORY,
    OPT_DROPS,
    OPT_DROPS_MAX,
    OPT_PRINT_CONFIG,
    OPT_QUIET,
    OPT_VERSION
};

static const struct option switch_option_list[] = {{"set", required_argument, NULL, OPT_SET},
                                                   {"device", required_argument, NULL, OPT_DEVICE},
                                                   {"scale", required_argument, NULL, OPT_SCALE},
                                                   {"control", required_argument, NULL, OPT_CONTROL},
                                                   {"prometheus", required_argument, NULL, OPT_PROMETHEUS},
                                                   {"trace", required_argument, NULL, OPT_TRACE},
                                                   {"memory", required_argument, NULL, OPT_MEMORY},
                                                   {"drops", required_argument, NULL, OPT_DROPS},
                                                   {"drops-max", required_argument, NULL, OPT_DROPS_MAX},
                                                   {"print-config", no_argument, NULL, OPT_PRINT_CONFIG},
                                                   {"quiet", no_argument, NULL, OPT_QUIET},
                                                   {"version", no_argument, NULL, OPT_VERSION},
                                                   CLI_OPTIONS_END};
static const struct weir_param drops_max = {.name = "--drops-max",
                                            .unit = WEIR_UNIT_SPACE,
                                            .initial = (int64_t)1 << 30,
                                            .min = 1 << 16,
                                            .max = (int64_t)1 << 50};
static const struct cli_command switch_command = {"", switch_help, switch_option_list};

static int take_repeated(struct switch_options *o, int option)
{
    if (option == OPT_SET && o->changes.sets == RUN_SETS_MAX)
        return cli_error(CLI_USAGE, "--set: too many (expected at most %u)", RUN_SETS_MAX);
    if (option == OPT_DEVICE && o->device_count == DATAPLANE_PORTS_MAX)
        return cli_error(CLI_USAGE, "--device: too many (expected at most %u)", DATAPLANE_PORTS_MAX);
    if (option == OPT_SET)
        o->changes.set[o->changes.sets++] = optarg;
    else
        o->devices[o->device_count++] = optarg;
    return CLI_OK;
}

static int take_option(struct switch_options *o, int option)
{
    switch (option) {
    case OPT_SET:
    case OPT_DEVICE:
        return take_repeated(o, option);
    case OPT_SCALE:
        return cli_parse_number("--scale", optarg, 1, 1000000, &o->scale);
    case OPT_CONTROL:
        o->control = optarg;
        return CLI_OK;
    case OPT_PROMETHEUS:
        return cli_parse_number("--prometheus", optarg, 1, UINT16_MAX, &o->prometheus);
    case OPT_TRACE:
        o->trace = optarg;
        return CLI_OK;
    case OPT_MEMORY:
        return cli_parse_number("--memory", optarg, 0, DATAPLANE_PORTS_MAX - 1, &o->memory);
    case OPT_DROPS:
        o->drops = optarg;
        return CLI_OK;
    case OPT_DROPS_MAX:
        return cli_parse_value(&drops_max, optarg, &o->drops_max_bytes);
    case OPT_PRINT_CONFIG:
        o->print_config = true;
        return CLI_OK;
    default:
        o->quiet = true;
        return CLI_OK;
    }
}

int switch_options_read(struct switch_options *options, int argc, char **argv, bool *stop)
{
    int code = CLI_OK;
    uint64_t given = 0;
    *options = (struct switch_options){.drops_max_bytes = drops_max.initial};
    *stop = false;
    cli_start_options();
    for (int option; (option = cli_next_option(&switch_command, argc, argv, &code)) != CLI_OPTION_END;) {
        *stop = option == CLI_OPTION_STOP || option == OPT_VERSION;
        if (option == OPT_VERSION)
            printf("weir-switch %s\n", version_text());
        if (*stop)
            return code;
        code = option == OPT_SET || option == OPT_DEVICE ? CLI_OK : cli_option_once(&switch_command, option, &given);
        if (code == CLI_OK)
            code = take_option(options, option);
        if (code != CLI_OK)
            return code;
    }
    if (optind >= argc)
        return cli_error(CLI_USAGE, "no scenario (expected a file; see 'weir-switch --help')");
    options->file = argv[optind++];
    if (given & CLI_OPTION_BIT(OPT_MEMORY) && options->trace == NULL)
        return cli_error(CLI_USAGE, "--memory goes with --trace");
    if (given & CLI_OPTION_BIT(OPT_DROPS_MAX) && options->drops == NULL)
        return cli_error(CLI_USAGE, "--drops-max goes with --drops");
    return cli_no_operands(&switch_command, argc, argv);
}

static bool put(struct document *document, const char *option, const char *path, struct node *value,
                struct weir_error *error)
{
    const struct mark mark = {option, 0, 0};
    if (value == NULL)
        return weir_fail_memory(error);
    value->mark = mark;
    for (struct node *item = value->first; item != NULL; item = item->next)
        item->mark = mark;
    return document_put(&document->arena, document->root, &(struct document_change){mark, path, value}, error);
}

/* What options say of the section `dataplane`. */
static bool put_options(const struct switch_options *o, struct document *document, struct weir_error *error)
{
    char scale[24];
    struct node *list = node_collection(&document->arena, NODE_LIST);
    snprintf(scale, sizeof scale, "%" PRIu64, o->scale);
    for (uint32_t i = 0; i < o->device_count; i++)
        if (node_add(list, node_scalar(&document->arena, o->devices[i])) == NULL)
            return weir_fail_memory(error);
    return (o->device_count == 0 || put(document, "--device", "dataplane.devices", list, error)) &&
           (o->scale == 0 || put(document, "--scale", "dataplane.scale", node_scalar(&document->arena, scale), error));
}

int switch_options_scenario(const struct switch_options *options, struct scenario *scenario)
{
    struct run_plan plan = {.file = NULL};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    *scenario = (struct scenario){.name = NULL};
    int code = run_plan_read(&plan, options->file, &options->changes);
    if (code == CLI_OK &&
        !(put_options(options, &plan.document, &error) && scenario_build_switch(scenario, &plan.document, &error)))
        code = cli_report(&error);
    for (const struct scenario_warning *w = scenario->warnings; code == CLI_OK && w != NULL; w = w->next)
        cli_error(CLI_OK, "warning: %s", w->text);
    document_free(&plan.document);
    free(plan.folder);
    return code;
}
