/*
 * cmd_slot_fig14.c - `weir slot fig14`: Figure 14 of the Credence paper, and how it depends on what the paper leaves
 * open.
 */
#include <inttypes.h>

#include "cli/command.h"
#include "show/writers/printout.h"
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

static void curve_put_heading(const struct slot_fig14_config *config)
{
    const struct slot_traffic *t = &config->traffic;
    printf("LQD/ALG under bursts: N = %u ports, B = %u packets, a burst of B every %g slots on average (Poisson),\n"
           "at most N arrivals per slot, overlapping bursts %s, %" PRIu64 " slots, %u seed%s from %" PRIu64 ".\n"
           "The paper gives neither N, B nor the interval.\n\n",
           t->ports, t->buffer, t->burst_interval, t->burst_in_turn ? "in turn" : "share the slot", t->slots,
           config->seeds, config->seeds > 1 ? "s" : "", t->seed);
}

/* What files have of curves: a row per algorithm and probability. One seed has no interval. */
static struct data_frame *new_rows(void)
{
    static const struct data_column columns[] = {
        DATA_COLUMN("ports", NULL, INTEGER),         DATA_COLUMN("buffer", NULL, INTEGER),
        DATA_COLUMN("burst_interval", NULL, NUMBER), DATA_COLUMN("slots", NULL, INTEGER),
        DATA_COLUMN("seeds", NULL, INTEGER),         DATA_COLUMN("seed", NULL, INTEGER),
        DATA_COLUMN("algorithm", NULL, WORD),        DATA_COLUMN("false_predictions", NULL, NUMBER),
        DATA_COLUMN("lqd_over_alg", NULL, NUMBER),   DATA_COLUMN("half_interval", NULL, NUMBER)};
    return data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
}

static void add_rows(struct data_frame *rows, const struct slot_fig14_config *config, const struct slot_fig14 *f)
{
    const struct slot_traffic *t = &config->traffic;
    for (uint32_t i = 0; i < SLOT_FIG14_POINTS + SLOT_FIG14_OTHERS; i++) {
        bool credence = i < SLOT_FIG14_POINTS;
        struct slot_estimate e = credence ? f->credence[i] : f->other[i - SLOT_FIG14_POINTS];
        data_row(rows, cell_integer(t->ports), cell_integer(t->buffer), cell_number(t->burst_interval),
                 cell_integer((int64_t)t->slots), cell_integer(config->seeds), cell_integer((int64_t)t->seed),
                 cell_text(credence ? "Credence" : slot_fig14_other_name(i - SLOT_FIG14_POINTS)),
                 cell_if(credence, cell_number(i / 10.0)), cell_number(e.mean),
                 cell_if(config->seeds > 1, cell_number(e.half)));
    }
}

/* The same for reading: a column per algorithm. */
static struct data_frame *curve_frame(const struct slot_fig14_config *config, const struct slot_fig14 *f)
{
#define ESTIMATE(heading) DATA_COLUMN(NULL, heading, NUMBER, .digits = 3), DATA_COLUMN(NULL, "+-", NUMBER, .digits = 3)
    static const struct data_column columns[] = {DATA_COLUMN(NULL, "false predictions", NUMBER, .digits = 1),
                                                 ESTIMATE("Credence"), ESTIMATE("DT 0.5"), ESTIMATE("DT 1"),
                                                 ESTIMATE("CS")};
#undef ESTIMATE
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = 0; i < SLOT_FIG14_POINTS; i++) {
        data_row(frame, cell_number(i / 10.0));
        for (uint32_t other = 0; other <= SLOT_FIG14_OTHERS; other++) {
            struct slot_estimate e = other == 0 ? f->credence[i] : f->other[other - 1];
            data_row(frame, cell_number(e.mean), cell_if(config->seeds > 1, cell_number(e.half)));
        }
    }
    return frame;
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
    const struct slot_progress progress = {cli_progress, title};
    struct printout out;
    struct slot_fig14 f;
    int code = cli_report_code(slot_fig14_run(&config, &f, cli_progress_is_seen() ? &progress : NULL, &error), &error);
    if (code != CLI_OK)
        return code;
    const struct slot_traffic *t = &config.traffic;
    struct data_frame *rows = new_rows(), *curve = curve_frame(&config, &f);
    add_rows(rows, &config, &f);
    struct data_frame *result =
        data_object({"ports", cell_integer(t->ports)}, {"buffer", cell_integer(t->buffer)},
                    {"burst_interval", cell_number(t->burst_interval)}, {"in_turn", cell_flag(t->burst_in_turn)},
                    {"slots", cell_integer((int64_t)t->slots)}, {"seeds", cell_integer(config.seeds)},
                    {"seed", cell_integer((int64_t)t->seed)}, {"lqd_loss", cell_number(f.lqd_loss)},
                    {"points", cell_frame(rows)}, {NULL, cell_frame(curve)});
    code = printout_make(&out, result, rows, c->csv, c->json);
    code = printout_close(&out, code);
    out.table = curve;
    if (out.is_shown && !c->json)
        curve_put_heading(&config);
    printout_put(&out);
    if (out.is_shown && !c->json)
        curve_put_conclusion(&f);
    printout_free(&out);
    return code == CLI_OK ? judge(&config, &f) : code;
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

static struct data_frame *new_sweep(void)
{
#define RATIO(heading) DATA_COLUMN(NULL, heading, NUMBER, .digits = 2)
    static const struct data_column columns[] = {DATA_COLUMN(NULL, "N", INTEGER),
                                                 DATA_COLUMN(NULL, "B", INTEGER),
                                                 DATA_COLUMN(NULL, "interval", NUMBER, .digits = -6),
                                                 DATA_COLUMN(NULL, "LQD loss %", NUMBER, .digits = 1),
                                                 RATIO("p=0"),
                                                 RATIO("0.1"),
                                                 RATIO("0.3"),
                                                 RATIO("0.5"),
                                                 RATIO("0.7"),
                                                 RATIO("0.9"),
                                                 RATIO("1"),
                                                 RATIO("DT 0.5"),
                                                 RATIO("DT 1"),
                                                 RATIO("CS"),
                                                 DATA_COLUMN(NULL, "ahead of DT 0.5 to", NUMBER, .digits = 1)};
#undef RATIO
    return data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
}

static void add_sweep_row(struct data_frame *frame, const struct slot_fig14_config *config, const struct slot_fig14 *f)
{
    static const uint32_t shown[] = {0, 1, 3, 5, 7, 9, 10};
    data_row(frame, cell_integer(config->traffic.ports), cell_integer(config->traffic.buffer),
             cell_number(config->traffic.burst_interval), cell_number(100 * f->lqd_loss));
    for (uint32_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
        data_row(frame, cell_number(f->credence[shown[i]].mean));
    for (uint32_t other = 0; other < SLOT_FIG14_OTHERS; other++)
        data_row(frame, cell_number(f->other[other].mean));
    int ahead = slot_fig14_ahead(f, SLOT_FIG14_DT_HALF);
    data_row(frame, ahead >= 0 ? cell_number(ahead / 10.0) : cell_shown(cell_none(), "never"));
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

static int run_sweep(const struct choice *c, struct data_frame *rows, struct data_frame *table)
{
    const uint32_t count = sizeof sweep_points / sizeof sweep_points[0];
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    static char title[] = "fig14 --sweep";
    const struct slot_progress progress = {cli_progress, title};
    const struct slot_progress *listener = cli_progress_is_seen() ? &progress : NULL;
    int code = CLI_OK;
    for (uint32_t i = 0; i < count && code == CLI_OK; i++) {
        struct slot_fig14_config config = sweep_config(c, &sweep_points[i]);
        struct slot_fig14 figure;
        code = cli_report_code(slot_fig14_run(&config, &figure, NULL, &error), &error);
        if (code != CLI_OK)
            break;
        add_rows(rows, &config, &figure);
        add_sweep_row(table, &config, &figure);
        slot_progress_report(listener, i + 1, count);
        code = judge(&config, &figure);
    }
    return code;
}

static int show_sweep(const struct choice *c)
{
    struct data_frame *rows = new_rows(), *table = new_sweep();
    struct printout out = {.result = NULL};
    int code = run_sweep(c, rows, table);
    struct data_frame *result = data_object({"points", cell_frame(rows)}, {NULL, cell_frame(table)});
    if (code != CLI_OK) {
        data_frame_free(result);
        return code;
    }
    code = printout_make(&out, result, rows, c->csv, c->json);
    code = printout_close(&out, code);
    out.table = table;
    if (out.is_shown && !c->json)
        print_sweep_parameters(c);
    printout_put(&out);
    printout_free(&out);
    return code;
}

static int run(int argc, char **argv)
{
    struct choice choice = {.ports = SLOT_FIG14_PORTS, .buffer = SLOT_FIG14_BUFFER, .seed = 1};
    struct cli_line line;
    if (!cli_read(&line, &cmd_slot_fig14, argc, argv, &choice))
        return line.code;
    int code = printout_check(cmd_slot_fig14.name, choice.csv, choice.json);
    if (code != CLI_OK)
        return code;
    choice.interval = (double)choice.interval_q16 / (double)WEIR_Q16_ONE;
    return choice.sweep ? show_sweep(&choice) : show_curve(&choice);
}
