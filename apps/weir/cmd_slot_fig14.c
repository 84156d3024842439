/*
 * cmd_slot_fig14.c - `weir slot fig14`: Figure 14 of the Credence paper, and how it depends on what the paper leaves
 * open.
 */
#include <inttypes.h>

#include "cli/command.h"
#include "cli/page.h"
#include "sim/slot/fig14.h"

#define FIG14_BURSTS 200.0 /* bursts per seed by default */
#define FIG14_QUICK_BURSTS 60.0
#define FIG14_SWEEP_BURSTS 100.0

struct choice {
    uint64_t ports, buffer, slots, seeds, seed; /* slots, seeds 0: by the other options */
    int64_t interval_q16;                       /* slots */
    double interval;                            /* the same; 0: 1.375 buffers */
    bool in_turn, quick, sweep, json;
    const char *csv;
};

/* Slots with a fraction, "352" or "12.5". */
static const struct weir_param interval_range = {.unit = WEIR_UNIT_RATIO, .min = 1, .max = INT64_C(1) << 46};

static const struct cli_option options[] = {
    {.name = "ports", .value = "N", .help = "ports (16)", CLI_NUMBER(struct choice, ports, 2, SLOT_PORTS_MAX)},
    {.name = "buffer", .value = "B", .help = "packets (256)", CLI_NUMBER(struct choice, buffer, 1, SLOT_BUFFER_MAX)},
    {.name = "burst-interval",
     .value = "I",
     .help = "mean slots between bursts (1.375 B)",
     CLI_VALUE(struct choice, interval_q16, &interval_range)},
    {.name = "in-turn",
     .help = "bursts wait for one another instead of sharing the slots",
     CLI_FLAG(struct choice, in_turn)},
    {.name = "slots",
     .value = "S",
     .help = "length of a run (200 intervals)",
     CLI_NUMBER(struct choice, slots, 1, SLOT_SLOTS_MAX)},
    {.name = "seeds",
     .value = "K",
     .help = "runs (10)",
     .more = "A single run has no interval: -.",
     CLI_NUMBER(struct choice, seeds, 1, SLOT_FIG14_SEEDS_MAX)},
    {.name = "seed", .value = "X", .help = "seed of the first run (1)", CLI_NUMBER(struct choice, seed, 0, UINT32_MAX)},
    {.name = "quick", .help = "4 runs of 60 intervals", CLI_FLAG(struct choice, quick)},
    {.name = "sweep",
     .help =
         "print a table over N, B and I instead of the curve: 3 runs of 100 intervals per row, with --quick 2 of 20, "
         "unless --seeds and --slots say otherwise",
     CLI_FLAG(struct choice, sweep)},
    CLI_CSV_FILE(struct choice, "table"),
    CLI_JSON(struct choice),
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_slot_fig14 = {
    .name = "slot fig14",
    .summary = "Credence's Figure 14: throughput under false predictions",
    .about =
        "Figure 14 of the Credence paper: packets sent by LQD over packets sent by Credence, whose predictions are "
        "false with probability 0 to 1, beside DT and complete sharing; mean and 95 % interval over the seeds. "
        "Bursts of B packets arrive at Poisson times, each for one random port, at most N packets per slot. The "
        "paper does not give N, B and the interval between bursts; the defaults are chosen to give its shape, and "
        "--sweep shows what they do.",
    .options = options,
    .status = "1 when Credence with perfect predictions differs from LQD though N divides B",
    .examples = "weir slot fig14 --quick",
    .run = run,
};

/* The curve over the probability of false predictions, as a table, CSV or JSON. A curve of one seed has no intervals:
 * "-", an empty field, null. */
static void curve_put_heading(const struct slot_fig14_config *config)
{
    const struct slot_traffic *t = &config->traffic;
    printf("LQD/ALG under bursts: N = %u ports, B = %u packets, a burst of B every %g slots on average (Poisson),\n"
           "at most N arrivals per slot, overlapping bursts %s, %" PRIu64 " slots, %u seed%s from %" PRIu64 ".\n"
           "The paper gives neither N, B nor the interval.\n\n",
           t->ports, t->buffer, t->burst_interval, t->burst_in_turn ? "in turn" : "share the slot", t->slots,
           config->seeds, config->seeds > 1 ? "s" : "", t->seed);
}

/* One seed has no interval. */
static void add_half(struct output_table *table, const struct slot_fig14_config *config, struct slot_estimate e)
{
    if (config->seeds > 1)
        output_table_cell(table, "%.3f", e.half);
    else
        output_table_cell(table, "-");
}

static struct output_table *curve_table(const struct slot_fig14_config *config, const struct slot_fig14 *f)
{
    static const struct output_column columns[] = {{"false predictions", true},
                                                   {"Credence", true},
                                                   {"+-", true},
                                                   {"DT 0.5", true},
                                                   {"+-", true},
                                                   {"DT 1", true},
                                                   {"+-", true},
                                                   {"CS", true},
                                                   {"+-", true}};
    struct output_table *table = output_table_new(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < SLOT_FIG14_POINTS; i++) {
        output_table_cell(table, "%.1f", i / 10.0);
        output_table_cell(table, "%.3f", f->credence[i].mean);
        add_half(table, config, f->credence[i]);
        for (uint32_t other = 0; other < SLOT_FIG14_OTHERS; other++) {
            output_table_cell(table, "%.3f", f->other[other].mean);
            add_half(table, config, f->other[other]);
        }
    }
    return table;
}

static void curve_put_conclusion(const struct slot_fig14 *f)
{
    printf("\nLQD loses %.1f %% of the arrivals.", 100 * f->lqd_loss);
    for (uint32_t other = 0; other < 2; other++) {
        int ahead = slot_fig14_ahead(f, other);
        if (ahead >= 0)
            printf(" Credence is ahead of %s up to %.1f.", slot_fig14_other_name(other), ahead / 10.0);
        else
            printf(" Credence is never ahead of %s.", slot_fig14_other_name(other));
    }
    putchar('\n');
}

static json_t *pack_estimate(const struct slot_fig14_config *config, struct slot_estimate e)
{
    return json_pack("{s:o, s:o}", "mean", output_json_number(e.mean), "half_interval",
                     config->seeds > 1 ? json_real(e.half) : json_null());
}

static json_t *curve_json(const struct slot_fig14_config *config, const struct slot_fig14 *f)
{
    const struct slot_traffic *t = &config->traffic;
    json_t *points = json_array();
    for (uint32_t i = 0; i < SLOT_FIG14_POINTS; i++)
        points = output_json_append(points, json_pack("{s:f, s:o}", "false_predictions", i / 10.0, "credence",
                                                      pack_estimate(config, f->credence[i])));
    return json_pack("{s:i, s:i, s:f, s:b, s:I, s:i, s:I, s:f, s:o, s:o, s:o, s:o}", "ports", (int)t->ports, "buffer",
                     (int)t->buffer, "burst_interval", t->burst_interval, "in_turn", (int)t->burst_in_turn, "slots",
                     (json_int_t)t->slots, "seeds", (int)config->seeds, "seed", (json_int_t)t->seed, "lqd_loss",
                     f->lqd_loss, "points", points, "dt_0.5", pack_estimate(config, f->other[SLOT_FIG14_DT_HALF]),
                     "dt_1", pack_estimate(config, f->other[SLOT_FIG14_DT_ONE]), "cs",
                     pack_estimate(config, f->other[SLOT_FIG14_CS]));
}

static void curve_put_csv_heading(FILE *out)
{
    fputs("ports,buffer,burst_interval,slots,seeds,seed,algorithm,false_predictions,lqd_over_alg,half_interval\n", out);
}

static void curve_put_csv(const struct slot_fig14_config *config, const struct slot_fig14 *f, FILE *out)
{
    const struct slot_traffic *t = &config->traffic;
    for (uint32_t i = 0; i < SLOT_FIG14_POINTS + SLOT_FIG14_OTHERS; i++) {
        bool credence = i < SLOT_FIG14_POINTS;
        struct slot_estimate e = credence ? f->credence[i] : f->other[i - SLOT_FIG14_POINTS];
        fprintf(out, "%u,%u,%g,%" PRIu64 ",%u,%" PRIu64 ",%s,", t->ports, t->buffer, t->burst_interval, t->slots,
                config->seeds, t->seed, credence ? "Credence" : slot_fig14_other_name(i - SLOT_FIG14_POINTS));
        if (credence)
            fprintf(out, "%.1f", i / 10.0);
        fprintf(out, config->seeds > 1 ? ",%.6f,%.6f\n" : ",%.6f,\n", e.mean, e.half);
    }
}

/* The configuration of one curve; `bursts` per seed unless the length is given. */
static struct slot_fig14_config make_config(const struct choice *c, double bursts)
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

static int show_curve(const struct choice *c)
{
    struct slot_fig14_config config = make_config(c, c->quick ? FIG14_QUICK_BURSTS : FIG14_BURSTS);
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    static char title[] = "fig14";
    const struct slot_progress progress = {page_progress, title};
    struct page page = {.json = NULL};
    struct output_file csv = OUTPUT_FILE_NONE;
    struct slot_fig14 figure;
    bool csv_only = page_csv_only(c->csv);
    enum weir_error_code status = slot_fig14_run(&config, &figure, page_progress_is_seen() ? &progress : NULL, &error);
    int code = cli_report_code(status, &error);
    if (code == CLI_OK)
        code = page_csv_open(&csv, c->csv);
    if (code == CLI_OK && csv.stream != NULL) {
        curve_put_csv_heading(csv.stream);
        curve_put_csv(&config, &figure, csv.stream);
    }
    if (code == CLI_OK && !csv_only)
        code = c->json ? page_make_json(&page, curve_json(&config, &figure))
                       : page_make_table(&page, curve_table(&config, &figure));
    code = page_file_close(&csv, code);
    bool shown = code == CLI_OK && !csv_only;
    if (shown && !c->json)
        curve_put_heading(&config);
    if (shown)
        page_put(&page);
    if (shown && !c->json)
        curve_put_conclusion(&figure);
    page_free(&page);
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
static double sweep_bursts(const struct choice *c)
{
    return c->quick ? FIG14_QUICK_BURSTS / 3 : FIG14_SWEEP_BURSTS;
}

static struct slot_fig14_config sweep_config(const struct choice *c, const struct sweep_point *point)
{
    struct choice here = *c;
    double ports = point->ports * (double)c->ports, buffer = point->buffer * (double)c->buffer;
    double usual = SLOT_FIG14_INTERVAL / SLOT_FIG14_BUFFER * (double)c->buffer;
    here.ports = ports > 2 ? (uint64_t)ports : 2;
    here.buffer = buffer > 2 ? (uint64_t)buffer : 2;
    here.interval = point->interval * (c->interval > 0 ? c->interval : usual);
    here.seeds = c->seeds > 0 ? c->seeds : c->quick ? 2 : 3;
    return make_config(&here, sweep_bursts(c));
}

static void print_sweep_parameters(const struct choice *c)
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

static int run_sweep(const struct choice *c, struct sweep *sweep)
{
    const uint32_t count = sizeof sweep_points / sizeof sweep_points[0];
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    static char title[] = "fig14 --sweep";
    const struct slot_progress progress = {page_progress, title};
    const struct slot_progress *listener = page_progress_is_seen() ? &progress : NULL;
    int code = CLI_OK;
    for (uint32_t i = 0; i < count && code == CLI_OK; i++) {
        struct slot_fig14_config config = sweep_config(c, &sweep_points[i]);
        struct slot_fig14 figure;
        code = cli_report_code(slot_fig14_run(&config, &figure, NULL, &error), &error);
        if (code != CLI_OK)
            break;
        if (c->json)
            sweep->curves = output_json_append(sweep->curves, curve_json(&config, &figure));
        else
            add_sweep_row(sweep->table, &config, &figure);
        if (sweep->csv.stream != NULL)
            curve_put_csv(&config, &figure, sweep->csv.stream);
        slot_progress_report(listener, i + 1, count);
        code = judge(&config, &figure);
    }
    return code;
}

static int show_sweep(const struct choice *c)
{
    static const struct output_column columns[] = {
        {"N", true},   {"B", true},      {"interval", true}, {"LQD loss %", true}, {"p=0", true},
        {"0.1", true}, {"0.3", true},    {"0.5", true},      {"0.7", true},        {"0.9", true},
        {"1", true},   {"DT 0.5", true}, {"DT 1", true},     {"CS", true},         {"ahead of DT 0.5 to", true}};
    struct page page = {.json = NULL};
    struct sweep sweep;
    int code = page_csv_open(&sweep.csv, c->csv);
    if (sweep.csv.stream != NULL)
        curve_put_csv_heading(sweep.csv.stream);
    sweep.table = c->json ? NULL : output_table_new(columns, sizeof columns / sizeof columns[0]);
    sweep.curves = c->json ? json_array() : NULL;
    if (code == CLI_OK)
        code = run_sweep(c, &sweep);
    if (code != CLI_OK) {
        output_table_free(sweep.table);
        json_decref(sweep.curves);
    } else {
        code = c->json ? page_make_json(&page, json_pack("{s:o}", "curves", sweep.curves))
                       : page_make_table(&page, sweep.table);
    }
    code = page_file_close(&sweep.csv, code);
    bool shown = code == CLI_OK && !page_csv_only(c->csv);
    if (shown && !c->json)
        print_sweep_parameters(c);
    if (shown)
        page_put(&page);
    page_free(&page);
    return code;
}

static int run(int argc, char **argv)
{
    struct choice choice = {.ports = SLOT_FIG14_PORTS, .buffer = SLOT_FIG14_BUFFER, .seed = 1};
    struct cli_line line;
    if (!cli_read(&line, &cmd_slot_fig14, argc, argv, &choice))
        return line.code;
    int code = page_csv_check(cmd_slot_fig14.name, choice.csv, choice.json);
    if (code != CLI_OK)
        return code;
    choice.interval = (double)choice.interval_q16 / (double)WEIR_Q16_ONE;
    return choice.sweep ? show_sweep(&choice) : show_curve(&choice);
}
