/*
 * traces.h - traces in memory for tests: a sink that collects the bytes, a configuration that uses every field, random
 * records, and writing a record that was read.
 */
#ifndef TESTS_SUPPORT_TRACES_H
#define TESTS_SUPPORT_TRACES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "trace_internal.h"
#include "weir/random.h"

#define TRACES_LOST_MAX 5u

struct traces_sink {
    uint8_t *bytes;
    size_t size, capacity;
    uint32_t calls, fail_at; /* the call that fails, counted from 1; 0: none */
    uint8_t buffer[WEIR_TRACE_BUFFER_MIN];
    struct weir_trace trace;
};

static inline bool traces_collect(void *context, const uint8_t *bytes, size_t count)
{
    struct traces_sink *sink = context;
    if (++sink->calls == sink->fail_at)
        return false;
    if (sink->size + count > sink->capacity) {
        sink->capacity = 2 * (sink->size + count);
        sink->bytes = realloc(sink->bytes, sink->capacity);
        assert_non_null(sink->bytes);
    }
    memcpy(sink->bytes + sink->size, bytes, count);
    sink->size += count;
    return true;
}

static inline struct traces_sink *traces_begin(const struct weir_mmu_config *config)
{
    struct traces_sink *sink = calloc(1, sizeof *sink);
    assert_non_null(sink);
    sink->trace = (struct weir_trace){
        .buffer = sink->buffer, .size = sizeof sink->buffer, .flush = traces_collect, .context = sink};
    weir_trace_begin(&sink->trace, config);
    return sink;
}

/* Hands over what is in the buffer, without an END record. */
static inline void traces_spill(struct traces_sink *sink)
{
    assert_true(traces_collect(sink, sink->buffer, sink->trace.used));
    sink->trace.used = 0;
}

static inline void traces_free(struct traces_sink *sink)
{
    free(sink->bytes);
    free(sink);
}

/* A small MMU; `values` are given for both sides. 3 output ports, 5 input ports, 2 classes. */
static inline void traces_config(struct weir_mmu_config *config, const weir_bps *rates,
                                 const struct weir_values *values)
{
    memset(config, 0, sizeof *config);
    config->ports = 3;
    config->inputs = 5;
    config->classes = 2;
    config->cell_bytes = 80;
    config->buffer_cells = 10000;
    config->headroom_cells = 1000;
    config->packets_max = 512;
    config->evictions_max = TRACES_LOST_MAX;
    config->rates_bps = rates;
    config->rate_bps = 10000000000;
    config->uplink.headroom_cells = 77;
    config->uplink.delay_ps = 2000000;
    config->uplink.mtu_bytes = 1500;
    config->uplink.least_bytes = 64;
    config->uplink.gap_bytes = 20;
    config->uplink.processing_bytes = 3840;
    config->lossless_mask = 2;
    config->scheduler = (struct weir_scheduler_config){WEIR_SCHED_STRICT_DRR, 1500, {1, 4}, 1};
    config->memory_bps = 77;
    config->memory_cell_bytes = 200;
    config->memory_depth_cells = 8;
    config->seed = UINT64_MAX - 5;
    config->egress = weir_policy_find("abm");
    config->egress_values = values;
    config->ingress = weir_policy_find("dt");
    for (uint32_t c = 0; c < config->classes; c++) {
        config->private_cells[c] = 3 + c;
        config->ingress_private_cells[c] = 30 + c;
        config->marking[c] = (struct weir_marking){WEIR_MARK_RED, 100 + c, 200 + c, 6554 + c};
    }
}

/* Writes a record as the MMU would have. */
static inline void traces_write(struct weir_trace *trace, const struct weir_record *record)
{
    struct weir_effects effects = {.accepted = record->accepted,
                                   .marked = record->marked,
                                   .reason = record->reason,
                                   .departed = record->departed,
                                   .departed_index = record->index,
                                   .account = record->account,
                                   .lost_count = record->lost_count,
                                   .lost = record->lost};
    switch (record->kind) {
    case WEIR_REC_ARRIVE:
        weir_trace_arrive(trace, &record->packet, record->now, &effects);
        break;
    case WEIR_REC_DEPART:
        weir_trace_depart(trace, record->port, record->now, &effects);
        break;
    case WEIR_REC_EXPEL:
        weir_trace_expel(trace, record->now, &effects);
        break;
    case WEIR_REC_PAUSE:
        weir_trace_pause(trace, record->port, record->class_mask, record->until, record->now);
        break;
    case WEIR_REC_FLUSH:
        weir_trace_flush(trace, record->port, record->class_mask, record->now, &effects);
        break;
    case WEIR_REC_ADVANCE:
        weir_trace_advance(trace, record->now);
        break;
    case WEIR_REC_HASH:
        weir_trace_hash(trace, record->hash);
        break;
    case WEIR_REC_CHANGE:
        weir_trace_change(trace, record->ingress, &record->values, record->now);
        break;
    case WEIR_REC_END:
    case WEIR_REC_KINDS:
        fail();
    }
}

/* A value its parameter allows; in a list, classes beyond those in use repeat the last one, as in what is read. */
static inline void traces_random_values(struct weir_random *r, const struct weir_policy *policy, uint32_t classes,
                                        struct weir_values *values)
{
    weir_values_init(values, policy);
    for (uint32_t p = 0; p < policy->param_count; p++) {
        const struct weir_param *param = &policy->params[p];
        int64_t *row = values->of[p];
        for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++) {
            if (c >= (param->per_class ? classes : 1))
                row[c] = row[c - 1];
            else if (param->unit != WEIR_UNIT_CHOICE && param->unit != WEIR_UNIT_FLAG)
                row[c] = weir_random_below(r, 2) ? param->max : param->min;
        }
    }
}

/* Any record but END that an MMU of this configuration could write after `now`. */
static inline void traces_random_record(struct weir_random *r, const struct weir_mmu_config *config, weir_ps now,
                                        struct weir_record *record)
{
    uint32_t accounts = config->ports * config->classes;
    memset(record, 0, sizeof *record);
    record->kind = (enum weir_record_kind)(1 + weir_random_below(r, WEIR_REC_KINDS - 1));
    record->now = now;
    if (record->kind == WEIR_REC_HASH) {
        record->hash = weir_random_bits(r);
        return;
    }
    record->now += (weir_ps)(weir_random_bits(r) >> (24 + weir_random_below(r, 40)));
    if (record->kind == WEIR_REC_CHANGE) {
        record->ingress = weir_random_below(r, 2);
        traces_random_values(r, record->ingress ? config->ingress : config->egress, config->classes, &record->values);
        return;
    }
    bool may_lose = record->kind != WEIR_REC_PAUSE && record->kind != WEIR_REC_ADVANCE;
    record->lost_count = may_lose ? weir_random_below(r, TRACES_LOST_MAX + 1) : 0;
    record->lost_count += record->kind == WEIR_REC_EXPEL && record->lost_count == 0;
    for (uint32_t i = 0; i < record->lost_count; i++)
        record->lost[i] = (struct weir_lost){
            .index = (uint32_t)weir_random_bits(r),
            .account = {weir_random_below(r, accounts)},
            .cause = (enum weir_cause)(1 + weir_random_below(r, WEIR_CAUSE_COUNT - 1)),
        };
    if (record->kind == WEIR_REC_ARRIVE) {
        record->accepted = weir_random_below(r, 2);
        record->marked = record->accepted && weir_random_below(r, 2);
        record->reason =
            record->accepted ? WEIR_REASON_NONE : (enum weir_reason)(1 + weir_random_below(r, WEIR_REASON_COUNT - 1));
        record->packet = (struct weir_packet){.output.i = weir_random_below(r, config->ports),
                                              .input.i = weir_random_below(r, config->inputs),
                                              .tc.i = weir_random_below(r, config->classes),
                                              .bytes = 1 + weir_random_below(r, WEIR_PACKET_BYTES_MAX),
                                              .flags = weir_random_below(r, 4) * WEIR_FLAG_ECN};
    } else if (record->kind == WEIR_REC_DEPART) {
        record->port.i = weir_random_below(r, config->ports);
        record->departed = weir_random_below(r, 2);
        if (record->departed) {
            record->account.i = weir_random_below(r, config->classes) * config->ports + record->port.i;
            record->index = (uint32_t)weir_random_bits(r);
        }
    } else if (record->kind == WEIR_REC_PAUSE) {
        record->port.i = weir_random_below(r, config->ports);
        record->class_mask = (uint32_t)weir_random_bits(r);
        record->until = weir_random_below(r, 3) ? record->now + weir_random_below(r, 1000000) : WEIR_NEVER;
    } else if (record->kind == WEIR_REC_FLUSH) {
        record->port.i = weir_random_below(r, config->ports);
        record->class_mask = weir_random_below(r, 1u << config->classes);
    }
}

#endif
