/*
 * cmd_slot_run.c - `weir slot run`: policies side by side on one arrival sequence.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd_slot.h"
#include "slot/measure.h"
#include "slot/traffic.h"
#include "slot_comparison.h"
#include "slot_sinks.h"

static const char run_help[] =
    "usage: weir slot run [OPTION...]\n"
    "\n"
    "Runs policies over the same arrivals and compares what they send. LQD/ALG is against LQD\n"
    "with tail removal. Without --policy every policy runs with its defaults.\n"
    "\n"
    "  --policy NAME[:param=value...]  a policy; may be repeated\n"
    "  --ports N            ports (8)\n"
    "  --buffer B           packets (128)\n"
    "  --slots S            length (10000); adversaries finish the round they are in\n"
    "  --seed X             of random traffic and false predictions (1)\n"
    "  --traffic KIND       bursts (default), uniform, onoff, cs-adversary, dt-adversary,\n"
    "                       followlqd-adversary, lqd-adversary, file\n"
    "  --arrivals FILE      for --traffic file: one line per slot, port numbers, # comments\n"
    "  --load L             uniform, onoff: packets per input port and slot (0.9)\n"
    "  --burst P            bursts: packets of a burst (B); onoff: mean of one (B/N)\n"
    "  --burst-interval I   bursts: mean slots between starts (B/N)\n"
    "  --burst-rate R       bursts: most packets of one burst per slot (as many as fit)\n"
    "  --in-turn            bursts: wait for one another instead of sharing the slots\n"
    "  --width W            most arrivals per slot (N); 0: any number\n"
    "  --oracle O           for credence: perfect (default), wrong, or flip=P\n"
    "  --optimum            add the offline optimum and OPT/ALG\n"
    "  --save-arrivals FILE write the arrivals for --arrivals\n"
    "  --trace FILE         record the run for weir replay (one policy)\n"
    "  --rows FILE          write training rows as CSV (one policy)\n"
    "  --csv FILE           write the table as CSV\n"
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

#define RUN_POLICIES_MAX (SLOT_COMPARISON_ROWS_MAX - 1) /* the optimum has a row too */

struct run_choice {
    const char *policy[RUN_POLICIES_MAX];
    uint32_t policies;
    uint64_t ports, buffer, slots, seed, burst, rate, width;
    bool width_given, in_turn, optimum, json;
    int64_t load;
    double interval; /* 0: B / N */
    weir_q16 flip;
    const char *traffic, *arrivals, *save, *trace, *rows, *csv;
};

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
        return cli_error(CLI_USAGE, "unknown oracle '%s': --oracle: expected perfect, wrong or flip=P", text);
    return CLI_OK;
}

static int parse_number(int option, struct run_choice *c)
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
        c->width_given = true;
        return cli_parse_number("--width", optarg, 0, UINT32_MAX, &c->width);
    case OPT_LOAD:
        return cli_parse_value(&load, optarg, &c->load);
    case OPT_INTERVAL:
        return cmd_slot_parse_interval("--burst-interval", optarg, &c->interval);
    default:
        return parse_oracle(optarg, &c->flip);
    }
}

static int parse_option(int option, struct run_choice *c)
{
    const char **texts[] = {[OPT_TRAFFIC - OPT_POLICY] = &c->traffic, [OPT_ARRIVALS - OPT_POLICY] = &c->arrivals,
                            [OPT_SAVE - OPT_POLICY] = &c->save,       [OPT_TRACE - OPT_POLICY] = &c->trace,
                            [OPT_ROWS - OPT_POLICY] = &c->rows,       [OPT_CSV - OPT_POLICY] = &c->csv};
    switch (option) {
    case OPT_POLICY:
        if (c->policies == RUN_POLICIES_MAX)
            return cli_error(CLI_USAGE, "too many policies: --policy: at most %u", RUN_POLICIES_MAX);
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

static int check_choice(struct run_choice *c)
{
    if (c->traffic == NULL)
        c->traffic = c->arrivals != NULL ? "file" : "bursts";
    bool from_file = strcmp(c->traffic, "file") == 0;
    if (from_file != (c->arrivals != NULL))
        return cli_error(CLI_USAGE, "--traffic file and --arrivals FILE belong together");
    if ((c->trace != NULL || c->rows != NULL) && c->policies != 1)
        return cli_error(CLI_USAGE, "--trace and --rows record one run: give exactly one --policy");
    int code = CLI_OK;
    for (uint32_t i = 0; i < c->policies && code == CLI_OK; i++) {
        struct cli_policy parsed; /* only to report mistakes before anything runs */
        code = cli_parse_policy(c->policy[i], &parsed);
    }
    return code;
}

static int read_arrivals(const struct run_choice *c, struct slot_arrivals *arrivals)
{
    char message[WEIR_MESSAGE_MAX];
    FILE *in = fopen(c->arrivals, "r");
    if (in == NULL)
        return errno == ENOMEM ? cli_error_memory()
                               : cli_error(CLI_INPUT, "cannot open '%s': %s", c->arrivals, strerror(errno));
    enum slot_status status = slot_arrivals_read(arrivals, in, c->arrivals, message);
    fclose(in);
    return cmd_slot_report(status, message);
}

static int generate_arrivals(const struct run_choice *c, struct slot_arrivals *arrivals)
{
    char message[WEIR_MESSAGE_MAX];
    struct slot_traffic traffic;
    const struct slot_generator *generator = slot_generator_find(c->traffic);
    if (generator == NULL) {
        const char *names[16] = {"file"};
        for (uint32_t i = 0; i < slot_generator_count; i++)
            names[i + 1] = slot_generators[i]->name;
        const char *nearest = weir_nearest_name(c->traffic, names, slot_generator_count + 1);
        return cli_error(CLI_USAGE, "unknown traffic '%s': --traffic: %s%s%s", c->traffic,
                         nearest != NULL ? "did you mean '" : "see weir slot run --help",
                         nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
    }
    slot_traffic_init(&traffic, (uint32_t)c->ports, (uint32_t)c->buffer, c->slots);
    traffic.seed = c->seed;
    traffic.load = (double)c->load / (double)WEIR_Q16_ONE;
    traffic.burst = (uint32_t)c->burst;
    traffic.burst_rate = (uint32_t)c->rate;
    traffic.burst_in_turn = c->in_turn;
    if (c->interval > 0)
        traffic.burst_interval = c->interval;
    if (c->width_given)
        traffic.width = (uint32_t)c->width;
    return cmd_slot_report(slot_generate(generator, &traffic, arrivals, message), message);
}

static int write_arrivals(struct output_file *file, const struct slot_arrivals *arrivals, const char *path)
{
    int code = cmd_slot_file_open(file, path);
    if (code != CLI_OK || file->stream == NULL)
        return code;
    slot_arrivals_write(arrivals, file->stream);
    return output_file_flush(file) ? CLI_OK : CLI_INTERNAL;
}

/* One run of the command. */
struct run {
    const struct run_choice *choice;
    struct slot_case sequence;
    struct slot_comparison comparison;
    struct slot_sinks *sinks; /* of the one policy that is recorded; null: none is */
};

static int open_sinks(struct run *run, const struct slot_algorithm *algorithm)
{
    const struct run_choice *c = run->choice;
    struct slot_switch sw = {.ports = run->sequence.arrivals->ports,
                             .buffer = run->sequence.buffer,
                             .policy = algorithm->policy,
                             .values = &algorithm->values};
    if (c->trace == NULL && c->rows == NULL)
        return CLI_OK;
    struct slot_sinks *sinks = malloc(sizeof *sinks);
    if (sinks == NULL)
        return cli_error_memory();
    int code = slot_sinks_open(sinks, &sw, c->trace, c->rows);
    if (code == CLI_OK)
        run->sinks = sinks;
    else
        free(sinks);
    return code;
}

static int run_policy(struct run *run, const char *text)
{
    char message[WEIR_MESSAGE_MAX];
    struct cli_policy parsed;
    struct slot_result result;
    int code = cli_parse_policy(text, &parsed);
    if (code != CLI_OK)
        return code;
    struct slot_algorithm algorithm = {text, parsed.policy, parsed.values, run->choice->flip, run->choice->seed};
    code = open_sinks(run, &algorithm);
    if (code != CLI_OK)
        return code;
    const struct slot_recording *recording = run->sinks != NULL ? &run->sinks->recording : NULL;
    code = cmd_slot_report(slot_case_run(&run->sequence, &algorithm, recording, &result, message), message);
    if (code != CLI_OK)
        return code;
    run->comparison.row[run->comparison.rows++] =
        (struct slot_comparison_row){text, result.sent, result.lost, result.refused, result.port_sent};
    result.port_sent = NULL;
    slot_result_free(&result);
    return CLI_OK;
}

static int run_policies(struct run *run)
{
    const struct run_choice *c = run->choice;
    struct slot_comparison *comparison = &run->comparison;
    int code = CLI_OK;
    if (c->optimum)
        comparison->row[comparison->rows++] = (struct slot_comparison_row){
            "OPT (LateQD)", comparison->optimum, comparison->arrived - comparison->optimum, 0, NULL};
    for (uint32_t i = 0; i < c->policies && code == CLI_OK; i++)
        code = run_policy(run, c->policy[i]);
    for (uint32_t i = 0; c->policies == 0 && i < weir_policy_count && code == CLI_OK; i++)
        if (!(weir_policies[i]->needs & WEIR_NEED_INGRESS) && comparison->rows < SLOT_COMPARISON_ROWS_MAX)
            code = run_policy(run, weir_policies[i]->name);
    return code;
}

/* Makes the files appear, the arrivals in `saved` too, and prints the result. */
static int show(struct run *run, struct output_file *saved)
{
    const struct run_choice *c = run->choice;
    struct cmd_slot_page page = {.json = NULL};
    struct output_file csv;
    int code = cmd_slot_file_open(&csv, c->csv);
    if (code == CLI_OK && csv.stream != NULL) {
        slot_comparison_put_csv(&run->comparison, csv.stream);
        code = output_file_flush(&csv) ? CLI_OK : CLI_INTERNAL;
    }
    if (code == CLI_OK)
        code = c->json ? cmd_slot_page_json(&page, slot_comparison_json(&run->comparison))
                       : cmd_slot_page_table(&page, slot_comparison_table(&run->comparison));
    if (run->sinks != NULL)
        code = slot_sinks_close(run->sinks, code);
    code = cmd_slot_file_close(&csv, code);
    code = cmd_slot_file_close(saved, code);
    if (code == CLI_OK && !c->json)
        slot_comparison_put_heading(&run->comparison);
    if (code == CLI_OK)
        cmd_slot_page_put(&page);
    cmd_slot_page_free(&page);
    return code;
}

static int compare(const struct run_choice *c, const struct slot_arrivals *arrivals, struct output_file *saved)
{
    char message[WEIR_MESSAGE_MAX];
    struct run run = {.choice = c};
    uint32_t buffer = (uint32_t)c->buffer;
    int code = cmd_slot_report(slot_case_open(&run.sequence, arrivals, buffer, c->optimum, message), message);
    if (code != CLI_OK)
        return code;
    run.comparison = (struct slot_comparison){.traffic = c->arrivals != NULL ? c->arrivals : c->traffic,
                                              .ports = (uint32_t)c->ports,
                                              .buffer = buffer,
                                              .slots = arrivals->slots,
                                              .seed = c->seed,
                                              .arrived = arrivals->count,
                                              .with_optimum = c->optimum,
                                              .optimum = run.sequence.optimum,
                                              .lqd = run.sequence.lqd.sent};
    code = run_policies(&run);
    if (code == CLI_OK)
        code = show(&run, saved);
    else if (run.sinks != NULL)
        slot_sinks_close(run.sinks, code);
    free(run.sinks);
    slot_comparison_free(&run.comparison);
    slot_case_close(&run.sequence);
    return code;
}

int weir_cmd_slot_run(int argc, char **argv)
{
    struct run_choice choice = {.ports = 8, .buffer = 128, .slots = 10000, .seed = 1, .load = WEIR_Q16_ONE * 9 / 10};
    struct slot_arrivals arrivals;
    struct output_file saved = OUTPUT_FILE_NONE;
    int code = CLI_OK;
    cli_start_options();
    for (int option; (option = cli_next_option(&run_command, argc, argv, &code)) != CLI_OPTION_END;) {
        if (option == CLI_OPTION_STOP)
            return code;
        code = parse_option(option, &choice);
        if (code != CLI_OK)
            return code;
    }
    code = cli_no_operands(&run_command, argc, argv);
    if (code == CLI_OK)
        code = check_choice(&choice);
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
    return code;
}
