/*
 * digest.c - see digest.h.
 */
#include <string.h>

#include "sim/digest.h"
#include "weir/random.h"

void digest_init(struct digest *digest)
{
    digest->value = 0;
}

void digest_u64(struct digest *digest, uint64_t value)
{
    digest->value = weir_hash(digest->value, value);
}

void digest_double(struct digest *digest, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    digest_u64(digest, bits);
}

static void digest_array(struct digest *digest, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        digest_u64(digest, values[i]);
}

void digest_records(struct digest *digest, const struct records *records)
{
    for (uint32_t i = 0; i < records->count; i++) {
        const struct flow_record *r = &records->at[i];
        const uint64_t numbers[] = {r->id,
                                    r->source,
                                    r->destination,
                                    r->traffic,
                                    r->tag,
                                    r->group,
                                    (uint64_t)r->bytes,
                                    (uint64_t)r->delivered_bytes,
                                    (uint64_t)r->start_ps,
                                    (uint64_t)r->finish_ps,
                                    (uint64_t)r->ideal_ps,
                                    r->timeouts,
                                    r->again,
                                    r->packets,
                                    (uint64_t)r->delay_max_ps};
        digest_array(digest, numbers, sizeof(numbers) / sizeof(numbers[0]));
        digest_double(digest, r->delay_sum_ps);
        digest_double(digest, r->delay_squares);
    }
}

static void digest_switch(struct digest *digest, const struct measure_switch *sw)
{
    size_t queues = (size_t)sw->ports * sw->classes;
    for (size_t q = 0; q < queues; q++) {
        digest_array(digest, sw->queue[q].refused, WEIR_REASON_COUNT);
        digest_array(digest, sw->queue[q].lost, WEIR_CAUSE_COUNT);
    }
    digest_array(digest, sw->marked, queues);
    for (uint32_t m = 0; m < sw->mmus; m++) {
        digest_array(digest, sw->memory[m].buffer_at_loss, MEASURE_BINS);
        digest_array(digest, sw->memory[m].bandwidth_at_loss, MEASURE_BINS);
    }
    digest_u64(digest, sw->unroutable);
}

static void digest_series(struct digest *digest, const struct series *series)
{
    for (uint32_t i = 0; i < series->count; i++) {
        digest_u64(digest, (uint64_t)series->points[i].when);
        digest_u64(digest, (uint64_t)series->points[i].queue_cells);
        digest_u64(digest, (uint64_t)series->points[i].threshold_cells);
        digest_u64(digest, (uint64_t)series->points[i].used_cells);
    }
    digest_u64(digest, series->full);
}

void digest_measure(struct digest *digest, const struct measure *measure)
{
    for (uint32_t s = 0; s < measure->switches; s++)
        digest_switch(digest, &measure->sw[s]);
    for (uint32_t p = 0; p < measure->probe_count; p++)
        digest_series(digest, &measure->probe[p]);
    for (uint32_t tag = 0; measure->goodput && tag < measure->tag_count; tag++)
        for (uint32_t bin = 0; bin < measure->goodput_bins; bin++)
            digest_u64(digest, (uint64_t)measure->goodput[tag][bin]);
    digest_u64(digest, measure->made);
    digest_u64(digest, measure->delivered);
    digest_u64(digest, measure->strays);
}
