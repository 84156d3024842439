/*
 * replay.c - the two passes over a trace: see replay.h.
 */
#define _GNU_SOURCE 1
#include "lib/trace/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "lib/plugin/plugin.h"
#include "weir/fixed.h"
#include "weir/oracle.h"

#define REPLAY_MEMORY_MAX ((size_t)1 << 29) /* of one MMU: a header that asks for more is damaged or hostile */
#define REPLAY_ALIGNMENT 64u
#define REPLAY_ROWS_MAX (UINT32_C(1) << 22) /* training rows that wait for one before them */
#define REPLAY_VALUE_MAX 64u                /* characters of a value of a parameter */

struct replay {
    const char *path;
    const struct replay_options *options;
    struct replay_report *report;
    struct trace_input input;
    struct weir_record *record;
    struct replay_outcome *recorded, *core_says, *naive_says;
    struct weir_mmu_config config;
    struct weir_table_oracle oracle;
    struct weir_flip_oracle flipped; /* around the model, if one was given */
    struct weir_training *training;  /* null: no rows are wanted */
    bool learns_itself;              /* the MMU ran LQD: rows have its fates */
    weir_ps last_sent_ps;            /* the last departure; WEIR_NEVER: none yet */
    weir_ps busy_ps;                 /* the last call that was about a packet; likewise */
    bool sends_first;                /* its host sends before the arrivals of the same moment, else after them */
    uint8_t *predicted;              /* bit per arrival: refused as predicted; only for a policy that needs an oracle */
    size_t predicted_bytes;
    void *memory; /* of mmu */
    struct weir_mmu *mmu;
    struct weir_naive *naive; /* null: not compared */
};

static int replay_bad(const struct replay *r, struct weir_error *error)
{
    char line[WEIR_ERROR_LINE_MAX];
    const char *nearest = error->code == WEIR_ERROR_UNKNOWN ? cli_nearest_policy(error->name) : NULL;
    size_t used = strlen(error->text);
    if (nearest != NULL)
        snprintf(error->text + used, sizeof error->text - used, " (did you mean '%s'?)", nearest);
    snprintf(r->report->error, sizeof r->report->error, "%.*s", (int)sizeof r->report->error - 1,
             weir_error_line(error, line));
    weir_fail_at(error, r->path, 0, 0);
    return cli_report(error);
}

static bool replay_has_time(enum weir_record_kind kind)
{
    return kind != WEIR_REC_HASH && kind != WEIR_REC_CHANGE && kind != WEIR_REC_END;
}

static bool replay_count(struct replay *r, const struct weir_record *record)
{
    struct replay_report *report = r->report;
    if (replay_has_time(record->kind)) {
        if (report->first_ps == WEIR_NEVER)
            report->first_ps = record->now;
        report->last_ps = record->now;
        bool busy = record->kind == WEIR_REC_ARRIVE || record->kind == WEIR_REC_PAUSE || record->lost_count > 0 ||
                    (record->kind == WEIR_REC_DEPART && record->departed);
        if (busy || r->busy_ps == WEIR_NEVER)
            r->busy_ps = record->now;
    }
    for (uint32_t i = 0; i < record->lost_count; i++)
        report->lost[record->lost[i].cause]++;
    if (record->kind == WEIR_REC_END)
        report->hash = record->hash;
    else
        report->records++;
    report->changes += record->kind == WEIR_REC_CHANGE;
    if (record->kind == WEIR_REC_DEPART) {
        report->departed += record->departed;
        r->last_sent_ps = record->now;
    }
    if (record->kind != WEIR_REC_ARRIVE)
        return true;
    r->sends_first = r->sends_first || record->now == r->last_sent_ps;
    uint64_t arrival = report->arrivals++;
    if (record->packet.bytes > report->rtl.packet_bytes_max)
        report->rtl.packet_bytes_max = record->packet.bytes;
    if (record->accepted) {
        report->accepted++;
        return true;
    }
    report->refused[record->reason]++;
    bool asked = r->config.egress->needs & WEIR_NEED_ORACLE && record->reason == WEIR_REASON_PREDICTED;
    if (!asked)
        return true;
    /* Remembers that the oracle said "lost" to this arrival. */
    size_t byte = arrival / 8;
    if (byte >= r->predicted_bytes) {
        size_t bytes = byte < 4096 ? 8192 : 2 * byte;
        uint8_t *predicted = realloc(r->predicted, bytes);
        if (predicted == NULL)
            return false;
        memset(predicted + r->predicted_bytes, 0, bytes - r->predicted_bytes);
        r->predicted = predicted;
        r->predicted_bytes = bytes;
    }
    r->predicted[byte] |= (uint8_t)(1u << arrival % 8);
    return true;
}

/* The first pass. */
static int replay_survey(struct replay *r)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    enum weir_trace_status status;
    while ((status = trace_input_next(&r->input, r->record, &error)) == WEIR_TRACE_RECORD) {
        if (!replay_count(r, r->record))
            return cli_error_memory();
        if (r->record->now > WEIR_TIME_MAX) {
            weir_fail(&error, WEIR_ERROR_RANGE, "the time is beyond 2^62 ps");
            weir_fail_in(&error, "byte", r->input.reader.at);
            return replay_bad(r, &error);
        }
    }
    if (r->report->first_ps == WEIR_NEVER)
        r->report->first_ps = 0;
    if (status == WEIR_TRACE_BROKEN || !trace_input_rewind(&r->input, &error))
        return replay_bad(r, &error);
    return CLI_OK;
}

/* "dt:alpha=8,1": every parameter, each list as short as it can be. Null when memory is short. */
static char *replay_policy_text(const struct weir_policy *policy, const struct weir_values *values, uint32_t classes)
{
    size_t room = strlen(policy->name) + 1, used;
    for (uint32_t p = 0; p < policy->param_count; p++)
        room += strlen(policy->params[p].name) + 1 + (size_t)classes * REPLAY_VALUE_MAX;
    char *text = malloc(room), value[REPLAY_VALUE_MAX];
    if (text == NULL)
        return NULL;
    used = (size_t)snprintf(text, room, "%s", policy->name);
    for (uint32_t p = 0; p < policy->param_count; p++) {
        const int64_t *of = values->of[p];
        uint32_t shown = policy->params[p].per_class ? classes : 1;
        while (shown > 1 && of[shown - 1] == of[shown - 2])
            shown--;
        used += (size_t)snprintf(text + used, room - used, ":%s", policy->params[p].name);
        for (uint32_t c = 0; c < shown; c++) {
            weir_value_format(value, sizeof value, &policy->params[p], of[c]);
            used += (size_t)snprintf(text + used, room - used, "%c%s", c == 0 ? '=' : ',', value);
        }
    }
    return text;
}

/* The model that answers, if it is the one that the header names. */
static int replay_ask_model(struct replay *r)
{
    const struct weir_oracle *model = r->options->model;
    const struct weir_oracle_about *about = &r->input.reader.oracle_about;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (model == NULL)
        return CLI_OK;
    if (about->digest != model->about.digest) {
        if (about->digest == 0)
            weir_fail(&error, WEIR_ERROR_INPUT,
                      "header: no model gave the answers (expected a replay without --model)");
        else
            weir_fail(&error, WEIR_ERROR_INPUT,
                      "header: the model with digest %016" PRIx64 " gave the answers, and this one has %016" PRIx64,
                      about->digest, model->about.digest);
        return replay_bad(r, &error);
    }
    weir_flip_oracle_init(&r->flipped, model, about->flip, about->seed);
    r->config.oracle = &r->flipped.base;
    return CLI_OK;
}

static int replay_build_training(struct replay *r)
{
    const struct replay_rows *rows = r->options->rows;
    if (rows == NULL)
        return CLI_OK;
    r->learns_itself = strcmp(r->config.egress->name, "lqd") == 0;
    uint64_t waiting = r->report->arrivals > r->config.packets_max ? r->report->arrivals : r->config.packets_max;
    struct weir_training_config config = {.mmu = &r->config,
                                          .tail = true,
                                          .real = r->learns_itself,
                                          .virtual_counters = rows->virtual_counters,
                                          .departures_first = r->sends_first,
                                          .gap_bytes = rows->gap_bytes,
                                          .average_ps = rows->average_ps,
                                          .rows_max = waiting < REPLAY_ROWS_MAX ? (uint32_t)waiting
                                                      : r->config.packets_max < REPLAY_ROWS_MAX
                                                          ? REPLAY_ROWS_MAX
                                                          : r->config.packets_max};
    void *memory = aligned_alloc(REPLAY_ALIGNMENT, weir_align(weir_training_size(&config)));
    if (memory == NULL)
        return cli_error_memory();
    r->training = weir_training_init(memory, &config);
    return rows->open(rows->context, r->config.ports) ? CLI_OK : CLI_INTERNAL;
}

/* After it: what became of packets, and the rows that are finished by it. */
static bool replay_learn(struct replay *r, uint64_t arrival)
{
    const struct weir_record *record = r->record;
    struct weir_training_row row;
    if (r->training == NULL)
        return true;
    if (record->kind == WEIR_REC_DEPART && record->departed)
        weir_training_depart(r->training, weir_mmu_view(r->mmu), record->account, record->now);
    if (r->learns_itself) {
        if (record->kind == WEIR_REC_ARRIVE && !record->accepted)
            weir_training_settle(r->training, (uint32_t)arrival, true);
        if (record->kind == WEIR_REC_DEPART && record->departed)
            weir_training_settle(r->training, record->index, false);
        for (uint32_t i = 0; i < record->lost_count; i++)
            weir_training_settle(r->training, record->lost[i].index, true);
    }
    if (record->kind == WEIR_REC_END)
        weir_training_finish(r->training);
    while (weir_training_take(r->training, &row))
        if (!r->options->rows->take(r->options->rows->context, &row))
            return false;
    return true;
}

/* Builds what the header describes, once the oracle's answers are known. */
static int replay_build(struct replay *r)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    size_t size = weir_mmu_size(&r->config);
    if (size > REPLAY_MEMORY_MAX) {
        weir_fail(&error, WEIR_ERROR_INPUT, "header: this MMU needs %zu bytes of memory (expected at most %zu)", size,
                  REPLAY_MEMORY_MAX);
        return replay_bad(r, &error);
    }
    weir_table_oracle_init(&r->oracle, r->predicted, 8 * (uint64_t)r->predicted_bytes, 0, 0);
    r->memory = aligned_alloc(REPLAY_ALIGNMENT, size);
    if (r->memory == NULL)
        return cli_error_memory();
    r->mmu = weir_mmu_init(r->memory, &r->config);
    if (!r->options->naive)
        r->report->naive_skipped = "not asked for";
    else if (plugin_of_policy(r->config.egress) != NULL ||
             (r->config.ingress != NULL && plugin_of_policy(r->config.ingress) != NULL))
        r->report->naive_skipped = "a policy from a file has no naive twin";
    else if ((r->naive = weir_naive_new(&r->config)) == NULL)
        return cli_error_memory();
    return CLI_OK;
}

static int replay_disagree(const struct replay *r, uint64_t number, bool core, bool naive)
{
    struct replay_disagreement *first = &r->report->first;
    enum weir_record_kind kind = r->record->kind;
    first->core = core;
    first->naive = naive;
    first->record = number;
    first->at = r->input.reader.at;
    first->now = r->record->now;
    outcome_format_event(first->event, r->record);
    outcome_format(first->recorded, r->recorded, kind, r->config.ports);
    outcome_format(first->core_says, r->core_says, kind, r->config.ports);
    if (r->naive != NULL)
        outcome_format(first->naive_says, r->naive_says, kind, r->config.ports);
    return cli_error(CLI_VIOLATION, "%s: record %" PRIu64 " at byte %zu: %s %s not agree with the recording", r->path,
                     number, r->input.reader.at,
                     core && naive ? "core and the naive model"
                     : core        ? "core"
                                   : "the naive model",
                     core && naive ? "do" : "does");
}

/* The second pass. */
static int replay_compare(struct replay *r)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    enum weir_trace_status status;
    uint64_t number = 0, arrivals = 0;
    const struct replay_watch *watch = r->options->watch;
    while ((status = trace_input_next(&r->input, r->record, &error)) == WEIR_TRACE_RECORD) {
        number++;
        outcome_from_record(r->recorded, r->record);
        if (r->options->print) {
            char now[64], event[OUTCOME_TEXT_MAX], outcome[OUTCOME_TEXT_MAX];
            outcome_format_time(now, sizeof now, r->record->now);
            outcome_format_event(event, r->record);
            outcome_format(outcome, r->recorded, r->record->kind, r->config.ports);
            printf("%" PRIu64 " byte %zu %s %s: %s\n", number, r->input.reader.at, now, event, outcome);
        }
        /* Before the MMU sees the record. */
        if (r->training != NULL && r->record->kind == WEIR_REC_ARRIVE)
            weir_training_arrive(r->training, weir_mmu_view(r->mmu), &r->record->packet, r->record->now);
        bool watched = watch != NULL && replay_has_time(r->record->kind);
        if (watched)
            watch->before(watch->context, r->mmu, r->record);
        outcome_from_core(r->core_says, r->mmu, r->record, arrivals);
        if (watched)
            watch->after(watch->context, r->mmu, r->record);
        if (!replay_learn(r, arrivals))
            return CLI_INTERNAL;
        arrivals += r->record->kind == WEIR_REC_ARRIVE;
        if (r->naive != NULL)
            outcome_from_naive(r->naive_says, r->naive, r->record);
        bool core = !outcome_equal(r->recorded, r->core_says);
        bool naive = r->naive != NULL && !outcome_equal(r->recorded, r->naive_says);
        if (r->naive != NULL && r->core_says->pauses != r->naive_says->pauses) /* not recorded: core is the measure */
            naive = true;
        if (core || naive)
            return replay_disagree(r, number, core, naive);
    }
    if (status != WEIR_TRACE_BROKEN && watch != NULL)
        watch->finish(watch->context, r->mmu);
    return status == WEIR_TRACE_BROKEN ? replay_bad(r, &error) : CLI_OK;
}

static int replay_passes(struct replay *r)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    const struct weir_trace_reader *reader = &r->input.reader;
    struct replay_report *report = r->report;
    report->ports = reader->config.ports;
    report->classes = reader->config.classes;
    report->cell_bytes = reader->config.cell_bytes;
    report->buffer_cells = reader->config.buffer_cells;
    report->first_ps = WEIR_NEVER;
    rtl_shape_init(&report->rtl, &reader->config, &reader->egress_values);
    report->egress = replay_policy_text(reader->config.egress, &reader->egress_values, report->classes);
    if (reader->config.ingress != NULL)
        report->ingress = replay_policy_text(reader->config.ingress, &reader->ingress_values, report->classes);
    bool short_of_memory = report->egress == NULL || (reader->config.ingress != NULL && report->ingress == NULL);
    int code = short_of_memory ? cli_error_memory() : CLI_OK;
    if (code != CLI_OK)
        return code;
    r->config = r->input.reader.config;
    r->config.oracle = &r->oracle.base;
    if (!weir_mmu_config_check(&r->config, &error)) {
        weir_fail_within(&error, "header: ");
        return replay_bad(r, &error);
    }
    r->record = malloc(sizeof *r->record);
    r->recorded = malloc(sizeof *r->recorded);
    r->core_says = malloc(sizeof *r->core_says);
    r->naive_says = malloc(sizeof *r->naive_says);
    if (r->record == NULL || r->recorded == NULL || r->core_says == NULL || r->naive_says == NULL)
        return cli_error_memory();
    code = replay_ask_model(r);
    if (code == CLI_OK)
        code = replay_survey(r);
    if (code == CLI_OK)
        code = replay_build(r);
    if (code == CLI_OK)
        code = replay_build_training(r);
    const struct replay_watch *watch = r->options->watch;
    if (code == CLI_OK && watch != NULL)
        code = watch->begin(watch->context, &r->config, r->report->first_ps, r->report->last_ps, r->busy_ps);
    return code == CLI_OK ? replay_compare(r) : code;
}

int replay_trace(const char *path, const struct replay_options *options, struct replay_report *report)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct replay r = {
        .path = path, .options = options, .report = report, .last_sent_ps = WEIR_NEVER, .busy_ps = WEIR_NEVER};
    *report = (struct replay_report){.egress = NULL};
    if (!trace_input_open(&r.input, path, &error))
        return replay_bad(&r, &error);
    int code = replay_passes(&r);
    weir_naive_free(r.naive);
    free(r.memory);
    free(r.training);
    free(r.predicted);
    free(r.record);
    free(r.recorded);
    free(r.core_says);
    free(r.naive_says);
    trace_input_close(&r.input);
    return code;
}

void replay_report_free(struct replay_report *report)
{
    free(report->egress);
    free(report->ingress);
    report->egress = report->ingress = NULL;
}
