/*
 * digest.c - see digest.h. Each value is mixed into the state by weir_hash, which for a given value is a bijection of
 * the state: a difference, once it is there, never vanishes by later equal values.
 */
#include <assert.h>
#include <string.h>

#include "sim/digest.h"
#include "sim/net/pfc_measure.h"
#include "weir/random.h"

void digest_init(struct digest *digest)
{
    *digest = (struct digest){.state = UINT64_C(0x7765697264696765)};
}

void digest_u64(struct digest *digest, uint64_t value)
{
    digest->state = weir_hash(digest->state, value);
    digest->count++;
}

/* Of a number its bits count. */
static void digest_double(struct digest *digest, double value)
{
    uint64_t bits;
    static_assert(sizeof bits == sizeof value, "a double has 64 bits");
    memcpy(&bits, &value, sizeof bits);
    digest_u64(digest, bits);
}

uint64_t digest_value(const struct digest *digest)
{
    return weir_hash(digest->state, digest->count);
}

static void digest_list(struct digest *digest, const uint64_t *values, size_t count)
{
    digest_u64(digest, count);
    for (size_t i = 0; i < count; i++)
        digest_u64(digest, values[i]);
}

void digest_records(struct digest *digest, const struct records *records)
{
    digest_u64(digest, records->count);
    for (uint32_t i = 0; i < records->count; i++) {
        const struct flow_record *record = &records->at[i];
        const uint64_t values[] = {
            record->id,
            record->source,
            record->destination,
            record->traffic,
            record->tag,
            record->group,
            (uint64_t)record->bytes,
            (uint64_t)record->delivered_bytes,
            (uint64_t)record->start_ps,
            (uint64_t)record->finish_ps,
            (uint64_t)record->ideal_ps,
            (uint64_t)record->first_ps,
            record->timeouts,
            record->again,
            record->sent,
            record->packets,
            (uint64_t)record->delay_max_ps,
        };
        digest_list(digest, values, sizeof values / sizeof values[0]);
        digest_double(digest, record->delay_sum_ps);
        digest_double(digest, record->delay_squares);
    }
}

void digest_job(struct digest *digest, const struct job *job)
{
    const uint32_t ranks = job_goal(job)->ranks, rounds = job_settings(job)->rounds;
    const struct job_outcome *outcome = job_outcomes(job);
    for (uint32_t r = 0; r < ranks; r++) {
        const uint64_t values[] = {outcome[r].ended, outcome[r].rounds, outcome[r].first, (uint64_t)outcome[r].busy_ps,
                                   outcome[r].received_bytes};
        digest_list(digest, values, sizeof values / sizeof values[0]);
    }
    digest_list(digest, (const uint64_t *)job_round_ends(job), (size_t)ranks * rounds);
}

static void digest_switch(struct digest *digest, const struct measure_switch *sw)
{
    size_t queues = (size_t)sw->ports * sw->classes;
    for (size_t i = 0; i < queues; i++) {
        digest_list(digest, sw->queue[i].refused, WEIR_REASON_COUNT);
        digest_list(digest, sw->queue[i].lost, WEIR_CAUSE_COUNT);
        if (sw->queue[i].watchdog > 0) /* few runs have any */
            digest_u64(digest, sw->queue[i].watchdog);
        if (sw->queue[i].trimmed > 0 || sw->queue[i].copies_lost > 0) { /* likewise */
            digest_u64(digest, sw->queue[i].trimmed);
            digest_u64(digest, sw->queue[i].copies_lost);
        }
    }
    digest_list(digest, sw->marked, queues);
    for (uint32_t i = 0; i < sw->mmus; i++) {
        digest_list(digest, sw->memory[i].buffer_at_loss, MEASURE_BINS);
        digest_list(digest, sw->memory[i].bandwidth_at_loss, MEASURE_BINS);
        /* Few runs have any. */
        uint64_t looks = 0;
        for (uint32_t bin = 0; bin < MEASURE_BINS; bin++)
            looks += sw->memory[i].in_use[bin];
        if (looks > 0)
            digest_list(digest, sw->memory[i].in_use, MEASURE_BINS);
    }
    digest_u64(digest, sw->unroutable);
    if (sw->pfc) {
        const struct pfc_measure *pfc = sw->pfc;
        const struct pfc_loss *first = &pfc->first;
        digest_list(digest, pfc->use, MEASURE_BINS);
        digest_list(digest, pfc->pool_use, MEASURE_BINS);
        digest_list(digest, pfc->queues, MEASURE_BINS);
        digest_list(digest, pfc->arrival_rate, MEASURE_BINS);
        digest_list(digest, pfc->departure_rate, MEASURE_BINS);
        digest_u64(digest, (uint64_t)pfc->peak_cells);
        digest_u64(digest, pfc->lost);
        digest_u64(digest, (uint64_t)first->when);
        digest_u64(digest, first->term);
    }
}

void digest_measure(struct digest *digest, const struct measure *measure)
{
    digest_u64(digest, measure->switches);
    for (uint32_t i = 0; i < measure->switches; i++)
        digest_switch(digest, &measure->sw[i]);
    digest_u64(digest, measure->probe_count);
    for (uint32_t i = 0; i < measure->probe_count; i++) {
        const struct series *series = &measure->probe[i];
        digest_u64(digest, series->count);
        digest_u64(digest, series->full);
        for (uint32_t j = 0; j < series->count; j++) {
            const struct series_point *point = &series->points[j];
            digest_u64(digest, (uint64_t)point->when);
            digest_u64(digest, (uint64_t)point->queue_cells);
            digest_u64(digest, (uint64_t)point->threshold_cells);
            digest_u64(digest, (uint64_t)point->used_cells);
            digest_u64(digest, (uint64_t)point->reading_bps);
        }
    }
    digest_u64(digest, measure->goodput ? measure->tag_count : 0);
    for (uint32_t tag = 0; measure->goodput && tag < measure->tag_count; tag++)
        for (uint32_t bin = 0; bin < measure->goodput_bins; bin++)
            digest_u64(digest, (uint64_t)measure->goodput[tag][bin]);
    for (uint32_t tag = 0; tag < measure->tag_count; tag++) {
        const struct measure_packets *listed = &measure->listed[tag];
        digest_u64(digest, listed->sent);
        digest_u64(digest, listed->delivered);
        digest_u64(digest, listed->bytes);
        digest_u64(digest, (uint64_t)listed->delay_sum_ps);
        digest_u64(digest, (uint64_t)listed->delay_max_ps);
    }
    digest_u64(digest, measure->made);
    digest_u64(digest, measure->delivered);
    digest_u64(digest, measure->strays);
    if (measure->unread)
        digest_u64(digest, measure->unread);
    if (measure->lost_at_hosts)
        digest_u64(digest, measure->lost_at_hosts);
    if (measure->deadlock.found) {
        const struct measure_deadlock *deadlock = &measure->deadlock;
        digest_u64(digest, (uint64_t)deadlock->onset_ps);
        digest_u64(digest, (uint64_t)deadlock->found_ps);
        digest_u64(digest, (uint64_t)deadlock->ended_ps);
        for (uint32_t i = 0; i < deadlock->length && i < MEASURE_CYCLE_MAX; i++)
            digest_u64(digest, deadlock->node[i]);
    }
}
