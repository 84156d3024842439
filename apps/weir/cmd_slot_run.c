/*
 * cmd_slot_run.c - `weir slot run`: policies side by side on one arrival sequence.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd_slot.h"
#include "slot/measure.h"
#include "slot_choice.h"
#include "slot_comparison.h"
#include "slot_sinks.h"

#define RUN_CALLS_PER_SECOND UINT64_C(5000000) /* arrivals and departures; a slow machine makes about as many */

static int read_arrivals(const struct slot_choice *c, struct slot_arrivals *arrivals)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
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
    return cmd_slot_report(status, &error);
}

static int generate_arrivals(const struct slot_choice *c, struct slot_arrivals *arrivals)
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
        traffic.burst_interval = c->interval;
    if (c->width_given)
        traffic.width = (uint32_t)c->width;
    return cmd_slot_report(slot_generate(c->generator, &traffic, arrivals, &error), &error);
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
    const struct slot_choice *choice;
    struct slot_case sequence;
    struct slot_comparison comparison;
    struct slot_sinks *sinks;      /* of the one policy that is recorded; null: none is */
    struct slot_progress progress; /* of one policy */
    struct cmd_slot_progress shown;
    const struct slot_progress *listener; /* for percent of the whole; null: nobody */
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
    return !(policy->needs & WEIR_NEED_INGRESS);
}

/* Progress is shown for what takes about a second or more, by the number of calls: commands look at no clock. */
static void start_progress(struct run *run)
{
    const struct slot_arrivals *arrivals = run->sequence.arrivals;
    run->policies = run->choice->policies;
    for (uint32_t i = 0; run->choice->policies == 0 && i < weir_policy_count; i++)
        run->policies += runs_by_default(weir_policies[i]);
    uint64_t calls = arrivals->count + arrivals->slots * arrivals->ports;
    if (calls * (run->policies + 1) < RUN_CALLS_PER_SECOND) /* LQD runs in any case */
        return;
    run->listener = cmd_slot_progress(&run->shown, "slot run, percent");
    run->progress = (struct slot_progress){report_slots, run};
    run->sequence.progress = run->listener != NULL ? &run->progress : NULL;
}

static int open_sinks(struct run *run, const struct slot_algorithm *algorithm)
{
    const struct slot_choice *c = run->choice;
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
    struct weir_error error = {.code = WEIR_ERROR_NONE};
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
    code = cmd_slot_report(slot_case_run(&run->sequence, &algorithm, recording, &result, &error), &error);
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
    const struct slot_choice *c = run->choice;
    struct slot_comparison *comparison = &run->comparison;
    int code = CLI_OK;
    if (c->optimum)
        comparison->row[comparison->rows++] = (struct slot_comparison_row){
            "OPT (LateQD)", comparison->optimum, comparison->arrived - comparison->optimum, 0, NULL};
    for (uint32_t i = 0; i < c->policies && code == CLI_OK; i++)
        code = run_policy(run, c->policy[i]);
    for (uint32_t i = 0; c->policies == 0 && i < weir_policy_count && code == CLI_OK; i++)
        if (runs_by_default(weir_policies[i]) && comparison->rows < SLOT_COMPARISON_ROWS_MAX)
            code = run_policy(run, weir_policies[i]->name);
    return code;
}

/* Makes the files appear, the arrivals in `saved` too, and prints the result. */
static int show(struct run *run, struct output_file *saved)
{
    const struct slot_choice *c = run->choice;
    struct cmd_slot_page page = {.json = NULL};
    struct output_file csv;
    bool csv_only = cmd_slot_csv_only(c->csv);
    int code = cmd_slot_csv_open(&csv, c->csv);
    if (code == CLI_OK && csv.stream != NULL)
        slot_comparison_put_csv(&run->comparison, csv.stream);
    if (code == CLI_OK && csv.stream != NULL && !csv_only)
        code = output_file_flush(&csv) ? CLI_OK : CLI_INTERNAL;
    if (code == CLI_OK && !csv_only)
        code = c->json ? cmd_slot_page_json(&page, slot_comparison_json(&run->comparison))
                       : cmd_slot_page_table(&page, slot_comparison_table(&run->comparison));
    if (run->sinks != NULL)
        code = slot_sinks_close(run->sinks, code);
    code = cmd_slot_file_close(&csv, code);
    code = cmd_slot_file_close(saved, code);
    bool shown = code == CLI_OK && !csv_only;
    if (shown && !c->json)
        slot_comparison_put_heading(&run->comparison);
    if (shown)
        cmd_slot_page_put(&page);
    cmd_slot_page_free(&page);
    return code;
}

static int compare(const struct slot_choice *c, const struct slot_arrivals *arrivals, struct output_file *saved)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct run run = {.choice = c};
    uint32_t buffer = (uint32_t)c->buffer;
    int code = cmd_slot_report(slot_case_open(&run.sequence, arrivals, buffer, c->optimum, &error), &error);
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
    start_progress(&run);
    code = run_policies(&run);
    slot_progress_report(run.listener, 100, 100); /* clears the line */
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
    struct slot_choice choice;
    struct slot_arrivals arrivals;
    struct output_file saved = OUTPUT_FILE_NONE;
    bool stop;
    int code = slot_choice_read(&choice, argc, argv, &stop);
    if (stop || code != CLI_OK)
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
