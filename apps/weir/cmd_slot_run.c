/*
 * cmd_slot_run.c - `weir slot run`: policies side by side on one arrival sequence.
 *
 * An option without effect is an error: the user expects it to matter.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "lib/learning/rows_file.h"
#include "lib/plugin/plugin.h"
#include "lib/trace/file.h"
#include "show/writers/printout.h"
#include "sim/slot/eta.h"
#include "sim/slot/measure.h"
#include "sim/slot/run.h"
#include "sim/slot/traffic.h"

#define RUN_CALLS_PER_SECOND UINT64_C(5000000) /* arrivals and departures; a slow machine makes about as many */
#define ROWS_MAX 64u
#define POLICIES_MAX (ROWS_MAX - 1) /* the optimum has a row too */

/* Who answers credence: LQD's own losses, flipped now and then, or a forest, or always the same. */
struct oracle_choice {
    weir_q16 flip;
    bool fixed;        /* never a loss, before the flip */
    const char *model; /* file; null: none */
    struct forest *forest;
};

struct choice {
    const char *policy[POLICIES_MAX]; /* as typed; each can be parsed */
    uint32_t policies;
    uint64_t ports, buffer, slots, seed, burst, rate, width;
    bool width_given, in_turn, optimum, eta, json;
    int64_t load;     /* Q16.16 */
    int64_t interval; /* slots, Q16.16; 0: B / N */
    struct oracle_choice oracle;
    uint32_t traffic;                       /* of slot_generators; behind them: the file `arrivals` */
    const struct slot_generator *generator; /* null: from that file */
    const char *arrivals, *save, *trace, *rows, *csv;
};

static int read_oracle(void *target, const struct cli_option *option, const char *text)
{
    struct oracle_choice *oracle = target;
    const struct weir_param param = {.name = "--oracle flip", .unit = WEIR_UNIT_RATIO, .max = WEIR_Q16_ONE};
    (void)option;
    *oracle = (struct oracle_choice){.fixed = strcmp(text, "lost") == 0 || strcmp(text, "kept") == 0};
    if (strcmp(text, "wrong") == 0 || strcmp(text, "lost") == 0)
        oracle->flip = WEIR_Q16_ONE;
    else if (strncmp(text, "flip=", 5) == 0)
        return cli_parse_value(&param, text + 5, &oracle->flip);
    else if (strncmp(text, "model=", 6) == 0 && text[6] != '\0')
        oracle->model = text + 6;
    else if (strcmp(text, "perfect") != 0 && !oracle->fixed)
        return cli_error(CLI_USAGE,
                         "--oracle: '%s' is unknown (expected perfect, wrong, lost, kept, flip=P or model=FILE)", text);
    return CLI_OK;
}

static const char *traffic_name(uint32_t i)
{
    return i < slot_generator_count ? slot_generators[i]->name : i == slot_generator_count ? "file" : NULL;
}

/* Slots with a fraction, "352" or "12.5". */
static const struct weir_param interval_range = {.unit = WEIR_UNIT_RATIO, .min = 1, .max = INT64_C(1) << 46};
static const struct weir_param load_range = {.unit = WEIR_UNIT_RATIO, .min = 1, .max = WEIR_Q16_ONE};

static const struct cli_option options[] = {
    {.name = "policy",
     .value = "NAME[:PARAMETER=VALUE...]",
     .help = "run this policy; default: every policy with its defaults",
     .offer = CLI_POLICIES,
     CLI_LIST(struct choice, policy, policies)},
    CLI_POLICY_FILE,
    {.name = "ports", .value = "N", .help = "ports (8)", CLI_NUMBER(struct choice, ports, 1, SLOT_PORTS_MAX)},
    {.name = "buffer", .value = "B", .help = "packets (128)", CLI_NUMBER(struct choice, buffer, 1, SLOT_BUFFER_MAX)},
    {.name = "slots",
     .value = "S",
     .help = "length (10000), not with a file; adversaries finish their round",
     CLI_NUMBER(struct choice, slots, 1, SLOT_SLOTS_MAX)},
    {.name = "seed",
     .value = "X",
     .help = "seed of random traffic and false predictions (1)",
     CLI_NUMBER(struct choice, seed, 0, UINT32_MAX)},
    {.name = "traffic",
     .value = "KIND",
     .help = "kind of arrivals (bursts)",
     .offer = CLI_NAMES(traffic_name),
     CLI_WORD(struct choice, traffic)},
    {.name = "arrivals",
     .value = "FILE",
     .help = "for --traffic file: one line per slot, port numbers, # comments",
     CLI_FILE(struct choice, arrivals)},
    {.name = "load",
     .value = "L",
     .help = "uniform, onoff: packets per input port and slot (0.9)",
     CLI_VALUE(struct choice, load, &load_range)},
    {.name = "burst",
     .value = "P",
     .help = "bursts: packets of a burst (B); onoff: mean of one (B/N)",
     CLI_NUMBER(struct choice, burst, 1, UINT32_MAX)},
    {.name = "burst-interval",
     .value = "I",
     .help = "bursts: mean slots between starts (B/N)",
     CLI_VALUE(struct choice, interval, &interval_range)},
    {.name = "burst-rate",
     .value = "R",
     .help = "bursts: most packets of one burst per slot (as many as fit)",
     CLI_NUMBER(struct choice, rate, 1, UINT32_MAX)},
    {.name = "in-turn",
     .help = "bursts: wait for one another instead of sharing the slots",
     CLI_FLAG(struct choice, in_turn)},
    {.name = "width",
     .value = "W",
     .help = "bursts, adversaries: most arrivals per slot (N); 0: any number",
     CLI_NUMBER(struct choice, width, 0, UINT32_MAX)},
    {.name = "oracle",
     .value = "O",
     .help = "for credence: perfect (default), wrong, lost, kept, flip=P or model=FILE",
     .more =
         "With flip=P predictions are false with probability P; lost and kept always answer this; model=FILE asks a "
         "forest of weir train.",
     .offer = CLI_WORDS("perfect wrong lost kept flip= model="),
     CLI_READ(struct choice, oracle, read_oracle)},
    {.name = "optimum", .help = "add the offline optimum and OPT/ALG", CLI_FLAG(struct choice, optimum)},
    {.name = "eta",
     .help = "for credence: add the error of its predictions",
     .more = "Eta of Definition 1 of its paper: what LQD sends over what FollowLQD sends of the arrivals that are not "
             "predicted lost. 1: perfect. eta all: the same with FollowLQD's thresholds following all arrivals.",
     CLI_FLAG(struct choice, eta)},
    {.name = "save-arrivals",
     .value = "FILE",
     .help = "write the arrivals for --arrivals",
     CLI_FILE(struct choice, save)},
    {.name = "trace",
     .value = "FILE",
     .help = "record the run for weir replay (one policy)",
     .more = "See weir-replay(1).",
     CLI_FILE(struct choice, trace)},
    {.name = "rows",
     .value = "FILE",
     .help = "write training rows for weir train (one policy); .zst: compressed",
     CLI_FILE(struct choice, rows)},
    CLI_CSV_FILE(struct choice, "table"),
    CLI_JSON(struct choice),
    {.name = NULL},
};

static int run(int argc, char **argv);

const struct cli_command cmd_slot_run = {
    .name = "slot run",
    .summary = "run policies over one arrival sequence and compare them",
    .about = "Runs policies over the same arrivals and compares what they send. LQD/ALG compares with LQD with tail "
             "removal. An option that does not apply to the traffic or the policies is an error.",
    .options = options,
    .examples = "weir slot run --policy lqd --policy dt:alpha=0.5 --policy credence --optimum",
    .run = run,
};

/* Options that only some kinds of traffic read. */
static const struct {
    const char *option;
    enum slot_use use;
} uses[] = {
    {"load", SLOT_USE_LOAD},       {"burst", SLOT_USE_BURST},     {"burst-interval", SLOT_USE_INTERVAL},
    {"burst-rate", SLOT_USE_RATE}, {"in-turn", SLOT_USE_IN_TURN}, {"width", SLOT_USE_WIDTH},
};

static int report_unused(const char *option, const char *traffic, enum slot_use use)
{
    char names[256] = "";
    for (uint32_t i = 0; i < slot_generator_count; i++)
        if (slot_generators[i]->uses & use)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", names[0] != '\0' ? ", " : "",
                     slot_generators[i]->name);
    return cli_error(CLI_USAGE, "slot run: --%s: does not apply to --traffic %s (expected with: %s)", option, traffic,
                     names);
}

static int check_traffic(const struct cli_line *line, struct choice *c)
{
    if (!cli_given(line, "traffic") && c->arrivals != NULL)
        c->traffic = slot_generator_count;
    bool from_file = c->traffic == slot_generator_count;
    const char *name = traffic_name(c->traffic);
    c->generator = from_file ? NULL : slot_generators[c->traffic];
    if (c->arrivals != NULL && !from_file)
        return cli_error(CLI_USAGE, "slot run: --arrivals: does not apply to --traffic %s (expected with: file)", name);
    if (c->arrivals == NULL && from_file)
        return cli_error(CLI_USAGE, "slot run: --traffic file: no file (expected --arrivals FILE)");
    if (from_file && cli_given(line, "slots"))
        return cli_error(CLI_USAGE, "slot run: --slots: does not apply to --traffic file (expected the file to tell)");
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++)
        if (cli_given(line, uses[i].option) && (from_file || !(c->generator->uses & uses[i].use)))
            return report_unused(uses[i].option, name, uses[i].use);
    c->width_given = cli_given(line, "width");
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

static int check_policies(const struct cli_line *line, const struct choice *c)
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
    const char *useless = cli_given(line, "oracle") ? "oracle" : cli_given(line, "eta") ? "eta" : NULL;
    if (useless && !asks)
        return cli_error(CLI_USAGE, "slot run: --%s: no policy asks an oracle (expected with: credence)", useless);
    return CLI_OK;
}

static int check_files(const struct choice *c)
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
    return printout_check(cmd_slot_run.name, c->csv, c->json);
}

/* The result: one row per policy, as a table, CSV or JSON. */
struct comparison_row {
    const char *policy; /* as typed */
    uint64_t sent, lost, refused;
    uint64_t *port_sent; /* [ports], owned; null for the optimum */
    double eta, eta_all; /* with with_eta; NaN: the policy asks no oracle */
};

struct comparison {
    const char *traffic; /* name of the generator or of the file */
    uint32_t ports, buffer;
    uint64_t slots, seed, arrived;
    uint64_t optimum; /* packets sent; only with with_optimum */
    bool with_optimum, with_eta;
    uint64_t lqd; /* packets sent by LQD */
    struct comparison_row row[ROWS_MAX];
    uint32_t rows;
};

/* Ratios of what is not shown are left out. */
static struct data_frame *comparison_frame(const struct comparison *c)
{
    const struct data_column columns[] = {
        DATA_COLUMN("policy", "policy", TEXT),
        DATA_COLUMN("arrived", "arrived", INTEGER),
        DATA_COLUMN("sent", "sent", INTEGER),
        DATA_COLUMN("lost", "lost", INTEGER),
        DATA_COLUMN("refused", NULL, INTEGER),
        DATA_COLUMN(NULL, "loss %", NUMBER, .digits = 2),
        DATA_COLUMN("loss", NULL, NUMBER),
        DATA_COLUMN("opt_over_alg", c->with_optimum ? "OPT/ALG" : NULL, NUMBER, .digits = 4),
        DATA_COLUMN("lqd_over_alg", "LQD/ALG", NUMBER, .digits = 4),
        DATA_COLUMN("port_sent", NULL, NESTED),
        DATA_COLUMN(c->with_eta ? "eta" : NULL, c->with_eta ? "eta" : NULL, NUMBER, .digits = 4),
        DATA_COLUMN(c->with_eta ? "eta_all" : NULL, c->with_eta ? "eta all" : NULL, NUMBER, .digits = 4)};
    struct data_frame *rows = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = 0; i < c->rows; i++) {
        const struct comparison_row *row = &c->row[i];
        double loss = c->arrived > 0 ? (double)row->lost / (double)c->arrived : 0;
        struct data_frame *ports = data_frame_new_list();
        for (uint32_t at = 0; row->port_sent != NULL && at < c->ports; at++)
            data_row(ports, cell_integer((int64_t)row->port_sent[at]));
        data_row(rows, cell_text(row->policy), cell_integer((int64_t)c->arrived), cell_integer((int64_t)row->sent),
                 cell_integer((int64_t)row->lost), cell_integer((int64_t)row->refused), cell_number(100 * loss),
                 cell_number(loss), cell_if(c->with_optimum, cell_number(slot_ratio(c->optimum, row->sent))),
                 cell_number(slot_ratio(c->lqd, row->sent)), cell_frame(ports), cell_number(row->eta),
                 cell_number(row->eta_all));
    }
    return rows;
}

static void comparison_put_heading(const struct comparison *c)
{
    printf("%s: N = %" PRIu32 " ports, B = %" PRIu32 " packets, %" PRIu64 " slots, seed %" PRIu64 "\n\n", c->traffic,
           c->ports, c->buffer, c->slots, c->seed);
}

static void comparison_free(struct comparison *c)
{
    for (uint32_t i = 0; i < c->rows; i++)
        free(c->row[i].port_sent);
    c->rows = 0;
}

/* The files that a run can leave behind: a trace, and training rows. */
struct sinks {
    struct slot_recording recording; /* for slot_run; points to this struct, which must not move */
    struct trace_writer trace;
    struct rows_writer rows;
    const char *trace_path, *rows_path; /* null: not wanted */
};

static bool take_row(void *context, const struct weir_training_row *row)
{
    struct sinks *sinks = context;
    return rows_writer_put(&sinks->rows, "s0", row);
}

static bool end_trace(void *context, const struct weir_mmu *mmu)
{
    struct sinks *sinks = context;
    return trace_writer_end(&sinks->trace, mmu);
}

static int open_rows(struct sinks *sinks, uint32_t ports)
{
    const struct rows_about about = {FOREST_COUNTERS_REAL, SLOT_AVERAGE_PS, ports};
    if (!rows_writer_open(&sinks->rows, sinks->rows_path, &about))
        return CLI_INTERNAL;
    sinks->recording.take_row = take_row;
    return CLI_OK;
}

/* After the run and all else that can fail: makes the files appear if `code` is CLI_OK, else removes them. Returns an
 * exit code. */
static int sinks_close(struct sinks *sinks, int code)
{
    if (code == CLI_OK && sinks->rows_path != NULL && !rows_writer_commit(&sinks->rows))
        code = CLI_INTERNAL;
    if (code == CLI_OK && sinks->trace_path != NULL && !trace_writer_commit(&sinks->trace))
        code = CLI_INTERNAL;
    if (sinks->rows_path != NULL)
        rows_writer_discard(&sinks->rows); /* both do nothing when the file has appeared */
    if (sinks->trace_path != NULL)
        trace_writer_discard(&sinks->trace);
    return code;
}

/* Creates the wanted files for a switch of this kind. Returns an exit code; on failure there is nothing to close. */
static int sinks_open(struct sinks *sinks, const struct slot_switch *sw, const char *trace_path, const char *rows_path)
{
    struct weir_mmu_config config;
    *sinks = (struct sinks){.trace_path = trace_path, .rows_path = rows_path};
    sinks->recording.context = sinks;
    if (rows_path != NULL) {
        int code = open_rows(sinks, sw->ports);
        if (code != CLI_OK)
            return code;
    }
    if (trace_path == NULL)
        return CLI_OK;
    slot_mmu_config(&config, sw);
    if (!trace_writer_create(&sinks->trace, trace_path, &config, 0)) {
        sinks->trace_path = NULL;
        return sinks_close(sinks, CLI_INTERNAL);
    }
    sinks->recording.trace = &sinks->trace.trace;
    sinks->recording.end_trace = end_trace;
    return CLI_OK;
}

static int read_arrivals(const struct choice *c, struct slot_arrivals *arrivals)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (output_is_fifo(c->arrivals))
        return cli_error(CLI_INPUT, "%s: is a pipe (expected a file of arrivals)", c->arrivals);
    FILE *in = fopen(c->arrivals, "r");
    if (in == NULL)
        return errno == ENOMEM ? cli_error_memory()
                               : cli_error(CLI_INPUT, "%s: cannot open: %s", c->arrivals, strerror(errno));
    struct stat about;
    if (fstat(fileno(in), &about) == 0 && S_ISDIR(about.st_mode)) {
        fclose(in);
        return cli_error(CLI_INPUT, "%s: is a directory (expected a file of arrivals)", c->arrivals);
    }
    enum weir_error_code status = slot_arrivals_read(arrivals, in, c->arrivals, &error);
    fclose(in);
    return cli_report_code(status, &error);
}

static int generate_arrivals(const struct choice *c, struct slot_arrivals *arrivals)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct slot_traffic traffic;
    slot_traffic_init(&traffic, (uint32_t)c->ports, (uint32_t)c->buffer, c->slots);
    traffic.seed = c->seed;
    traffic.load = (double)c->load / (double)WEIR_Q16_ONE;
    traffic.burst = (uint32_t)c->burst;
    traffic.burst_rate = (uint32_t)c->rate;
    traffic.burst_in_turn = c->in_turn;
    if (c->interval > 0)
        traffic.burst_interval = (double)c->interval / (double)WEIR_Q16_ONE;
    if (c->width_given)
        traffic.width = (uint32_t)c->width;
    return cli_report_code(slot_generate(c->generator, &traffic, arrivals, &error), &error);
}

static int write_arrivals(struct output_file *file, const struct slot_arrivals *arrivals, const char *path)
{
    int code = printout_file_open(file, path);
    if (code != CLI_OK || file->stream == NULL)
        return code;
    slot_arrivals_write(arrivals, file->stream);
    return output_file_flush(file) ? CLI_OK : CLI_INTERNAL;
}

/* One run of the command. */
struct run {
    const struct choice *choice;
    struct slot_case sequence;
    struct comparison comparison;
    struct sinks *sinks;                  /* of the one policy that is recorded; null: none is */
    struct slot_progress progress;        /* of one policy */
    const struct slot_progress *listener; /* for percent of the whole; null: none */
    uint32_t policies;                    /* to run */
};

/* A policy's slots as a share of the whole command. */
static void report_slots(void *context, uint32_t done, uint32_t all)
{
    const struct run *run = context;
    uint32_t before = run->comparison.rows - run->choice->optimum;
    uint64_t percent = (100 * (uint64_t)before + 100 * (uint64_t)done / all) / run->policies;
    slot_progress_report(run->listener, (uint32_t)percent, 100);
}

static bool runs_by_default(const struct weir_policy *policy)
{
    return !(policy->needs & (WEIR_NEED_INGRESS | WEIR_NEED_FLOW)); /* slotted packets have no flows */
}

/* Progress is shown for what takes about a second or more, by the number of calls: commands look at no clock. */
static void start_progress(struct run *run)
{
    static char title[] = "slot run, percent";
    static const struct slot_progress shown = {cli_progress, title};
    const struct slot_arrivals *arrivals = run->sequence.arrivals;
    run->policies = run->choice->policies;
    for (uint32_t i = 0; run->choice->policies == 0 && i < plugin_policy_count(); i++)
        run->policies += runs_by_default(plugin_policy_at(i));
    uint64_t calls = arrivals->count + arrivals->slots * arrivals->ports;
    if (calls * (run->policies + 1) < RUN_CALLS_PER_SECOND) /* LQD runs in any case */
        return;
    run->listener = cli_progress_is_seen() ? &shown : NULL;
    run->progress = (struct slot_progress){report_slots, run};
    run->sequence.progress = run->listener != NULL ? &run->progress : NULL;
}

static int open_sinks(struct run *run, const struct slot_algorithm *algorithm)
{
    const struct choice *c = run->choice;
    struct slot_switch sw = {.ports = run->sequence.arrivals->ports,
                             .buffer = run->sequence.buffer,
                             .policy = algorithm->policy,
                             .values = &algorithm->values,
                             .oracle = algorithm->oracle};
    if (c->trace == NULL && c->rows == NULL)
        return CLI_OK;
    struct sinks *sinks = malloc(sizeof *sinks);
    if (sinks == NULL)
        return cli_error_memory();
    int code = sinks_open(sinks, &sw, c->trace, c->rows);
    if (code == CLI_OK)
        run->sinks = sinks;
    else
        free(sinks);
    return code;
}

/* An oracle other than LQD's losses; a forest must know the averages that the policy shows. */
static int choose_oracle(const struct oracle_choice *choice, struct slot_algorithm *algorithm,
                         struct weir_table_oracle *fixed)
{
    const struct forest *forest = choice->forest;
    int tau = weir_param_find(algorithm->policy, "tau");
    weir_table_oracle_init(fixed, NULL, 0, choice->flip, algorithm->flip_seed);
    algorithm->oracle = forest != NULL ? &forest->base : choice->fixed ? &fixed->base : NULL;
    if (forest == NULL || !(algorithm->policy->needs & WEIR_NEED_ORACLE))
        return CLI_OK;
    int counters = weir_param_find(algorithm->policy, "counters");
    int64_t shows = counters < 0 ? FOREST_COUNTERS_REAL : algorithm->values.of[counters][0];
    if ((int64_t)forest->counters != shows)
        return cli_error(CLI_INPUT, "%s: learnt from %s counters, and policy %s shows %s ones (expected the same)",
                         choice->model, forest_counters_name(forest->counters), algorithm->policy->name,
                         forest_counters_name((enum forest_counters)shows));
    if (tau >= 0 && forest->average_ps > 0 && forest->average_ps != algorithm->values.of[tau][0])
        return cli_error(CLI_INPUT,
                         "%s: learnt from averages over %" PRId64 " ps, and tau of policy %s is %" PRId64
                         " ps (expected the same)",
                         choice->model, forest->average_ps, algorithm->policy->name, algorithm->values.of[tau][0]);
    return CLI_OK;
}

static int run_policy(struct run *run, const char *text)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct cli_policy parsed;
    struct slot_result result;
    int code = cli_parse_policy(text, &parsed);
    if (code != CLI_OK)
        return code;
    struct weir_table_oracle fixed;
    struct slot_algorithm algorithm = {text, parsed.policy, parsed.values, run->choice->oracle.flip, run->choice->seed,
                                       NULL};
    code = choose_oracle(&run->choice->oracle, &algorithm, &fixed);
    if (code != CLI_OK)
        return code;
    code = open_sinks(run, &algorithm);
    if (code != CLI_OK)
        return code;
    const struct slot_recording *recording = run->sinks != NULL ? &run->sinks->recording : NULL;
    code = cli_report_code(slot_case_run(&run->sequence, &algorithm, recording, &result, &error), &error);
    if (code != CLI_OK)
        return code;
    struct comparison_row *row = &run->comparison.row[run->comparison.rows++];
    *row = (struct comparison_row){text, result.sent, result.lost, result.refused, result.port_sent, NAN, NAN};
    result.port_sent = NULL;
    slot_result_free(&result);
    if (!run->choice->eta || !(algorithm.policy->needs & WEIR_NEED_ORACLE))
        return CLI_OK;
    struct slot_eta eta;
    code = cli_report_code(slot_eta_ask(&run->sequence, &algorithm, &eta, &error), &error);
    if (code == CLI_OK) {
        row->eta = slot_ratio(run->sequence.lqd.sent, eta.follow);
        row->eta_all = slot_ratio(run->sequence.lqd.sent, eta.follow_all);
    }
    return code;
}

static int run_policies(struct run *run)
{
    const struct choice *c = run->choice;
    struct comparison *comparison = &run->comparison;
    int code = CLI_OK;
    if (c->optimum)
        comparison->row[comparison->rows++] = (struct comparison_row){
            "OPT (LateQD)", comparison->optimum, comparison->arrived - comparison->optimum, 0, NULL, NAN, NAN};
    for (uint32_t i = 0; i < c->policies && code == CLI_OK; i++)
        code = run_policy(run, c->policy[i]);
    for (uint32_t i = 0; c->policies == 0 && i < plugin_policy_count() && code == CLI_OK; i++)
        if (runs_by_default(plugin_policy_at(i)) && comparison->rows < ROWS_MAX)
            code = run_policy(run, plugin_policy_at(i)->name);
    return code;
}

/* Makes the files appear, the arrivals in `saved` too, and prints the result. */
static int show(struct run *run, struct output_file *saved)
{
    const struct choice *c = run->choice;
    const struct comparison *of = &run->comparison;
    struct printout out;
    struct data_frame *rows = comparison_frame(of);
    struct data_frame *result =
        data_object({"traffic", cell_text(of->traffic)}, {"ports", cell_integer(of->ports)},
                    {"buffer", cell_integer(of->buffer)}, {"slots", cell_integer((int64_t)of->slots)},
                    {"seed", cell_integer((int64_t)of->seed)}, {"rows", cell_frame(rows)});
    int code = printout_make(&out, result, rows, c->csv, c->json);
    if (run->sinks != NULL)
        code = sinks_close(run->sinks, code);
    code = printout_close(&out, code);
    code = printout_file_close(saved, code);
    if (code == CLI_OK && out.is_shown && !c->json)
        comparison_put_heading(of);
    if (code == CLI_OK)
        printout_put(&out);
    printout_free(&out);
    return code;
}

static int compare(const struct choice *c, const struct slot_arrivals *arrivals, struct output_file *saved)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct run run = {.choice = c};
    uint32_t buffer = (uint32_t)c->buffer;
    int code = cli_report_code(slot_case_open(&run.sequence, arrivals, buffer, c->optimum, &error), &error);
    if (code != CLI_OK)
        return code;
    run.comparison = (struct comparison){.traffic = c->arrivals != NULL ? c->arrivals : traffic_name(c->traffic),
                                         .ports = (uint32_t)c->ports,
                                         .buffer = buffer,
                                         .slots = arrivals->slots,
                                         .seed = c->seed,
                                         .arrived = arrivals->count,
                                         .with_optimum = c->optimum,
                                         .with_eta = c->eta,
                                         .optimum = run.sequence.optimum,
                                         .lqd = run.sequence.lqd.sent};
    start_progress(&run);
    code = run_policies(&run);
    slot_progress_report(run.listener, 100, 100); /* clears the line */
    if (code == CLI_OK)
        code = show(&run, saved);
    else if (run.sinks != NULL)
        sinks_close(run.sinks, code);
    free(run.sinks);
    comparison_free(&run.comparison);
    slot_case_close(&run.sequence);
    return code;
}

static int check(const struct cli_line *line, struct choice *choice)
{
    int code = check_traffic(line, choice);
    if (code == CLI_OK)
        code = check_policies(line, choice);
    return code == CLI_OK ? check_files(choice) : code;
}

static int run(int argc, char **argv)
{
    struct choice choice = {.ports = 8, .buffer = 128, .slots = 10000, .seed = 1, .load = WEIR_Q16_ONE * 9 / 10};
    struct cli_line line;
    struct slot_arrivals arrivals;
    struct output_file saved = OUTPUT_FILE_NONE;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (!cli_read(&line, &cmd_slot_run, argc, argv, &choice))
        return line.code;
    int code = check(&line, &choice);
    if (code == CLI_OK && choice.oracle.model != NULL &&
        !(choice.oracle.forest = forest_open(choice.oracle.model, &error)))
        code = cli_report(&error);
    if (code != CLI_OK)
        return code;
    slot_arrivals_init(&arrivals, (uint32_t)choice.ports);
    code = choice.arrivals != NULL ? read_arrivals(&choice, &arrivals) : generate_arrivals(&choice, &arrivals);
    if (code == CLI_OK)
        code = write_arrivals(&saved, &arrivals, choice.save);
    if (code == CLI_OK)
        code = compare(&choice, &arrivals, &saved);
    output_file_discard(&saved); /* does nothing when it has appeared */
    slot_arrivals_free(&arrivals);
    forest_free(choice.oracle.forest);
    return code;
}
