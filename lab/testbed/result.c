/*
 * result.c - a run on real packets in the numbers of run_result.h. What can only be seen from inside of a
 * simulation (who lost which packet, series of queues) stays unknown, and such a run has no measures of it.
 */
#include <stdlib.h>

#include "lab/testbed/point.h"
#include "lab/testbed/records.h"

static bool timeouts_are_known(const struct records *records)
{
    for (uint32_t i = 0; i < records->count; i++)
        if (records->at[i].timeouts == TESTBED_TIMEOUTS_UNKNOWN)
            return false;
    return true;
}

bool testbed_result_make(struct run_result *result, const struct scenario *scenario, const struct testbed_point *point)
{
    const struct testbed_counters *counters = &point->counters;
    *result = (struct run_result){.scenario = scenario, .losses = counters->losses, .emulation = counters->emulation};
    result->totals = (struct sim_progress){.now = scenario->config.until_ps,
                                           .until = scenario->config.until_ps,
                                           .packet_hops = counters->hops,
                                           .flows_started = point->records.count};
    result->timeouts_unknown = !timeouts_are_known(&point->records);
    result->memories = calloc(1, sizeof *result->memories);
    if (result->memories == NULL || !run_result_add_tags(result, &point->records))
        return false;
    /* UDP: each datagram that did not arrive was lost. */
    for (uint32_t i = 0; i < point->records.count; i++) {
        struct run_packets *packets = &result->tags[point->records.at[i].tag].packets;
        packets->sent += point->records.at[i].sent;
        packets->delivered += point->records.at[i].packets;
    }
    result->memories[0] =
        (struct run_memory){.peak_bytes = counters->peak_bytes, .buffer_bytes = counters->buffer_bytes};
    result->memory_count = 1;
    struct run_lost *lost = &result->lost;
    for (uint32_t reason = 0; reason < WEIR_REASON_COUNT; reason++)
        lost->refused += counters->losses.refused[reason];
    for (uint32_t cause = 0; cause < WEIR_CAUSE_COUNT; cause++)
        lost->after_acceptance += counters->losses.lost[cause];
    lost->unroutable = counters->unroutable;
    lost->total = lost->refused + lost->after_acceptance + lost->unroutable + counters->emulation.behind;
    return true;
}
