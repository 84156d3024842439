/*
 * cmd_slot_fig14.c - `weir slot fig14`: Figure 14 of the Credence paper, and how it depends on what the paper leaves
 * open.
 */
#include <inttypes.h>

#include "cli/output.h"
#include "cmd_slot.h"
#include "slot_curve.h"

#define FIG14_BURSTS 200.0 /* bursts per seed by default */
#define FIG14_QUICK_BURSTS 60.0
#define FIG14_SWEEP_BURSTS 100.0

static const char fig14_help[] =
    "usage: weir slot fig14 [OPTION...]\n"
    "\n"
    "Figure 14 of the Credence paper: packets sent by LQD over packets sent by Credence, whose\n"
    "predictions are false with probability 0 to 1, beside DT and complete sharing; mean and\n"
    "95 % interval over the seeds. Bursts of B packets arrive at Poisson times, each for one\n"
    "random port, at most N packets per slot. The paper does not give N, B and the interval\n"
    "between bursts; the defaults are chosen to give its shape, and --sweep shows what they do.\n"
    "\n"
    "  --ports N             ports (16)\n"
    "  --buffer B            packets (256)\n"
    "  --burst-interval I    mean slots between bursts (1.375 B)\n"
    "  --in-turn             bursts wait for one another instead of sharing the slots\n"
    "  --slots S             length of a run (200 intervals)\n"
    "  --seeds K             runs (10)\n"
    "  --seed X              seed of the first run (1)\n"
    "  --quick               4 runs of 60 intervals\n"
    "  --sweep               a table over N, B and I instead of the curve: 3 runs of 100 intervals\n"
    "                        per row, with --quick 2 of 20, unless --seeds and --slots say else\n"
    "  --csv FILE            write the numbers as CSV; -: instead of the table\n"
    "  --json                everything as JSON\n"
    "  -h, --help            this text\n"
    "\n"
    "exit status: 1 when Credence with perfect predictions differs from LQD though N divides B\n"
    "example: weir slot fig14 --quick\n";

enum {
    OPT_PORTS = CLI_OPTION_FIRST,
    OPT_BUFFER,
    OPT_INTERVAL,
    OPT_IN_TURN,
    OPT_SLOTS,
    OPT_SEEDS,
    OPT_SEED,
    OPT_QUICK,
    OPT_SWEEP,
    OPT_CSV,
    OPT_JSON
};

static const struct option fig14_options[] = {{"ports", required_argument, NULL, OPT_PORTS},
                                              {"buffer", required_argument, NULL, OPT_BUFFER},
                                              {"burst-interval", required_argument, NULL, OPT_INTERVAL},
                                              {"in-turn", no_argument, NULL, OPT_IN_TURN},
                                              {"slots", required_argument, NULL, OPT_SLOTS},
                                              {"seeds", required_argument, NULL, OPT_SEEDS},
                                              {"seed", required_argument, NULL, OPT_SEED},
                                              {"quick", no_argument, NULL, OPT_QUICK},
                                              {"sweep", no_argument, NULL, OPT_SWEEP},
                                              {"csv", required_argument, NULL, OPT_CSV},
                                              {"json", no_argument, NULL, OPT_JSON},
                                              CLI_OPTIONS_END};
static const struct cli_command fig14_command = {"slot fig14", fig14_help, fig14_options};

struct fig14_choice {
    uint64_t ports, buffer, slots, seeds, seed; /* slots, seeds 0: by the other options */
    double interval;                            /* 0: 1.375 buffers */
    bool in_turn, quick, sweep, json;
    const char *csv;
};

static int parse_option(int option, struct fig14_choice *c)
{
    switch (option) {
    case OPT_PORTS:
        return cli_parse_number("--ports", optarg, 2, CMD_SLOT_PORTS_MAX, &c->ports);
    case OPT_BUFFER:
        return cli_parse_number("--buffer", optarg, 1, CMD_SLOT_BUFFER_MAX, &c->buffer);
    case OPT_INTERVAL:
        return cmd_slot_parse_interval("--burst-interval", optarg, &c->interval);
    case OPT_SLOTS:
        return cli_parse_number("--slots", optarg, 1, CMD_SLOT_SLOTS_MAX, &c->slots);
    case OPT_SEEDS:
        return cli_parse_number("--seeds", optarg, 1, SLOT_FIG14_SEEDS_MAX, &c->seeds);
    case OPT_SEED:
        return cli_parse_number("--seed", optarg, 0, UINT32_MAX, &c->seed);
    case OPT_IN_TURN:
        c->in_turn = true;
        return CLI_OK;
    case OPT_QUICK:
        c->quick = true;
        return CLI_OK;
    case OPT_SWEEP:
        c->sweep = true;
        return CLI_OK;
    case OPT_CSV:
        c->csv = optarg;
        return CLI_OK;
    default:
        c->json = true;
        return CLI_OK;
    }
}

/* The configuration of one curve; `bursts` per seed unless the length is given. */
static struct slot_fig14_config make_config(const struct fig14_choice *c, double bursts)
{
    struct slot_fig14_config config;
    double usual = SLOT_FIG14_INTERVAL / SLOT_FIG14_BUFFER * (double)c->buffer;
    double interval = c->interval > 0 ? c->interval : usual;
    slot_fig14_config_init(&config, c->slots > 0 ? c->slots : (uint64_t)(bursts * interval) + 1);
    config.traffic.ports = (uint32_t)c->ports;
    config.traffic.width = (uint32_t)c->ports;
    config.traffic.buffer = (uint32_t)c->buffer;
    config.traffic.burst_interval = interval;
    config.traffic.burst_in_turn = c->in_turn;
    config.traffic.seed = c->seed;
    config.seeds = c->seeds > 0 ? (uint32_t)c->seeds : c->quick ? 4 : 10;
    return config;
}

/* A perfect oracle makes Credence lose the same packets as LQD when N divides B. */
static int judge(const struct slot_fig14_config *config, const struct slot_fig14 *f)
{
    double perfect = f->credence[0].mean;
    if (config->traffic.buffer % config->traffic.ports != 0 || (perfect > 0.999999999 && perfect < 1.000000001))
        return CLI_OK;
    return cli_error(CLI_VIOLATION,
                     "slot fig14: N = %u, B = %u: LQD/Credence is %.6f with perfect predictions (expected 1)",
                     config->traffic.ports, config->traffic.buffer, perfect);
}

static int show_curve(const struct fig14_choice *c)
{
    struct slot_fig14_config config = make_config(c, c->quick ? FIG14_QUICK_BURSTS : FIG14_BURSTS);
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct cmd_slot_progress progress;
    struct cmd_slot_page page = {.json = NULL};
    struct output_file csv = OUTPUT_FILE_NONE;
    struct slot_fig14 figure;
    bool csv_only = cmd_slot_csv_only(c->csv);
    enum weir_error_code status = slot_fig14_run(&config, &figure, cmd_slot_progress(&progress, "fig14"), &error);
    int code = cmd_slot_report(status, &error);
    if (code == CLI_OK)
        code = cmd_slot_csv_open(&csv, c->csv);
    if (code == CLI_OK && csv.stream != NULL) {
        slot_curve_put_csv_heading(csv.stream);
        slot_curve_put_csv(&config, &figure, csv.stream);
    }
    if (code == CLI_OK && !csv_only)
        code = c->json ? cmd_slot_page_json(&page, slot_curve_json(&config, &figure))
                       : cmd_slot_page_table(&page, slot_curve_table(&config, &figure));
    code = cmd_slot_file_close(&csv, code);
    bool shown = code == CLI_OK && !csv_only;
    if (shown && !c->json)
        slot_curve_put_heading(&config);
    if (shown)
        cmd_slot_page_put(&page);
    if (shown && !c->json)
        slot_curve_put_conclusion(&figure);
    cmd_slot_page_free(&page);
    return code == CLI_OK ? judge(&config, &figure) : code;
}

/* What the sweep changes, one thing at a time from the chosen point. */
struct sweep_point {
    double ports, buffer, interval; /* factors */
};

static const struct sweep_point sweep_points[] = {
    {1, 1, 1},    {0.25, 0.25, 0.25}, {0.5, 0.5, 0.5}, {2, 2, 2}, {0.25, 1, 1},   {0.5, 1, 1},
    {2, 1, 1},    {1, 0.25, 0.25},    {1, 0.5, 0.5},   {1, 2, 2}, {1, 1, 0.0625}, {1, 1, 0.125},
    {1, 1, 0.25}, {1, 1, 0.5},        {1, 1, 2},       {1, 1, 4},
};

static void add_sweep_row(struct output_table *table, const struct slot_fig14_config *config,
                          const struct slot_fig14 *f)
{
    static const uint32_t shown[] = {0, 1, 3, 5, 7, 9, 10};
    output_table_cell(table, "%u", config->traffic.ports);
    output_table_cell(table, "%u", config->traffic.buffer);
    output_table_cell(table, "%g", config->traffic.burst_interval);
    output_table_cell(table, "%.1f", 100 * f->lqd_loss);
    for (uint32_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
        output_table_cell(table, "%.2f", f->credence[shown[i]].mean);
    for (uint32_t other = 0; other < SLOT_FIG14_OTHERS; other++)
        output_table_cell(table, "%.2f", f->other[other].mean);
    int ahead = slot_fig14_ahead(f, SLOT_FIG14_DT_HALF);
    if (ahead >= 0)
        output_table_cell(table, "%.1f", ahead / 10.0);
    else
        output_table_cell(table, "never");
}

/* Sixteen curves instead of one: shorter and fewer runs for each. */
static double sweep_bursts(const struct fig14_choice *c)
{
    return c->quick ? FIG14_QUICK_BURSTS / 3 : FIG14_SWEEP_BURSTS;
}

static struct slot_fig14_config sweep_config(const struct fig14_choice *c, const struct sweep_point *point)
{
    struct fig14_choice here = *c;
    double ports = point->ports * (double)c->ports, buffer = point->buffer * (double)c->buffer;
    double usual = SLOT_FIG14_INTERVAL / SLOT_FIG14_BUFFER * (double)c->buffer;
    here.ports = ports > 2 ? (uint64_t)ports : 2;
    here.buffer = buffer > 2 ? (uint64_t)buffer : 2;
    here.interval = point->interval * (c->interval > 0 ? c->interval : usual);
    here.seeds = c->seeds > 0 ? c->seeds : c->quick ? 2 : 3;
    return make_config(&here, sweep_bursts(c));
}

static void print_sweep_parameters(const struct fig14_choice *c)
{
    struct slot_fig14_config config = sweep_config(c, &sweep_points[0]);
    printf("LQD/Credence by the probability p of false predictions; N, B and interval varied one at a time\n"
           "or together, bursts of B at Poisson times; per row the mean of %u seed%s from %" PRIu64 ", each ",
           config.seeds, config.seeds > 1 ? "s" : "", c->seed);
    if (c->slots > 0)
        printf("%" PRIu64 " slots.\n\n", c->slots);
    else
        printf("%g intervals.\n\n", sweep_bursts(c));
}

/* Filled point by point. */
struct sweep {
    struct output_table *table; /* one of the two, by the choice */
    json_t *curves;
    struct output_file csv;
};

static int run_sweep(const struct fig14_choice *c, struct sweep *sweep)
{
    const uint32_t count = sizeof sweep_points / sizeof sweep_points[0];
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct cmd_slot_progress progress;
    const struct slot_progress *listener = cmd_slot_progress(&progress, "fig14 --sweep");
    int code = CLI_OK;
    for (uint32_t i = 0; i < count && code == CLI_OK; i++) {
        struct slot_fig14_config config = sweep_config(c, &sweep_points[i]);
        struct slot_fig14 figure;
        code = cmd_slot_report(slot_fig14_run(&config, &figure, NULL, &error), &error);
        if (code != CLI_OK)
            break;
        if (c->json)
            sweep->curves = output_json_append(sweep->curves, slot_curve_json(&config, &figure));
        else
            add_sweep_row(sweep->table, &config, &figure);
        if (sweep->csv.stream != NULL)
            slot_curve_put_csv(&config, &figure, sweep->csv.stream);
        slot_progress_report(listener, i + 1, count);
        code = judge(&config, &figure);
    }
    return code;
}

static int show_sweep(const struct fig14_choice *c)
{
    static const struct output_column columns[] = {
        {"N", true},   {"B", true},      {"interval", true}, {"LQD loss %", true}, {"p=0", true},
        {"0.1", true}, {"0.3", true},    {"0.5", true},      {"0.7", true},        {"0.9", true},
        {"1", true},   {"DT 0.5", true}, {"DT 1", true},     {"CS", true},         {"ahead of DT 0.5 to", true}};
    struct cmd_slot_page page = {.json = NULL};
    struct sweep sweep;
    int code = cmd_slot_csv_open(&sweep.csv, c->csv);
    if (sweep.csv.stream != NULL)
        slot_curve_put_csv_heading(sweep.csv.stream);
    sweep.table = c->json ? NULL : output_table_new(columns, sizeof columns / sizeof columns[0]);
    sweep.curves = c->json ? json_array() : NULL;
    if (code == CLI_OK)
        code = run_sweep(c, &sweep);
    if (code != CLI_OK) {
        output_table_free(sweep.table);
        json_decref(sweep.curves);
    } else {
        code = c->json ? cmd_slot_page_json(&page, json_pack("{s:o}", "curves", sweep.curves))
                       : cmd_slot_page_table(&page, sweep.table);
    }
    code = cmd_slot_file_close(&sweep.csv, code);
    bool shown = code == CLI_OK && !cmd_slot_csv_only(c->csv);
    if (shown && !c->json)
        print_sweep_parameters(c);
    if (shown)
        cmd_slot_page_put(&page);
    cmd_slot_page_free(&page);
    return code;
}

int weir_cmd_slot_fig14(int argc, char **argv)
{
    struct fig14_choice choice = {.ports = SLOT_FIG14_PORTS, .buffer = SLOT_FIG14_BUFFER, .seed = 1};
    uint64_t given = 0;
    int code = CLI_OK;
    cli_start_options();
    for (int option; (option = cli_next_option(&fig14_command, argc, argv, &code)) != CLI_OPTION_END;) {
        if (option == CLI_OPTION_STOP)
            return code;
        code = cli_option_once(&fig14_command, option, &given);
        if (code == CLI_OK)
            code = parse_option(option, &choice);
        if (code != CLI_OK)
            return code;
    }
    code = cli_no_operands(&fig14_command, argc, argv);
    if (code == CLI_OK)
        code = cmd_slot_csv_check(fig14_command.name, choice.csv, choice.json);
    if (code != CLI_OK)
        return code;
    return choice.sweep ? show_sweep(&choice) : show_curve(&choice);
}
