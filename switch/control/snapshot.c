/*
 * snapshot.c - see snapshot.h; reading them from the switch is in take.c.
 */
#include "switch/control/snapshot.h"

#include <stdlib.h>

bool switch_snapshot_init(struct switch_snapshot *s, const struct dataplane_config *config)
{
    const struct weir_mmu_config *mmu = config->sw.mmu;
    uint32_t per_memory = config->sw.ports_per_mmu;
    *s = (struct switch_snapshot){.ports = config->ports,
                                  .classes = mmu->classes,
                                  .memories = (config->ports + per_memory - 1) / per_memory,
                                  .ports_per_memory = per_memory,
                                  .lossless_mask = mmu->lossless_mask,
                                  .limited_mask = mmu->egress->threshold != NULL ? ~mmu->lossless_mask : 0,
                                  .cell_bytes = mmu->cell_bytes,
                                  .reaction_ps = config->reaction_ps,
                                  .buffer_bytes = (uint64_t)mmu->buffer_cells * mmu->cell_bytes};
    size_t queues = (size_t)s->ports * s->classes;
    s->port = calloc(s->ports, sizeof *s->port);
    s->queue = calloc(queues, sizeof *s->queue);
    s->threshold_bytes = calloc(queues, sizeof *s->threshold_bytes);
    s->group = calloc(queues * s->memories, sizeof *s->group);
    s->pause = calloc((size_t)s->ports * s->memories, sizeof *s->pause);
    s->pool = calloc(s->memories, sizeof *s->pool);
    return s->port != NULL && s->queue != NULL && s->threshold_bytes != NULL && s->group != NULL && s->pause != NULL &&
           s->pool != NULL;
}

void switch_snapshot_free(struct switch_snapshot *s)
{
    free(s->port);
    free(s->queue);
    free(s->threshold_bytes);
    free(s->group);
    free(s->pause);
    free(s->pool);
    *s = (struct switch_snapshot){.ports = 0};
}

struct switch_totals switch_snapshot_totals(const struct switch_snapshot *s, uint32_t port)
{
    struct switch_totals totals = {0};
    uint32_t first = port < s->ports ? port * s->classes : 0;
    uint32_t end = port < s->ports ? first + s->classes : s->ports * s->classes;
    for (uint32_t i = first; i < end; i++) {
        const struct weir_account_counters *queue = &s->queue[i];
        totals.sent_packets += queue->packets;
        totals.sent_bytes += queue->bytes;
        totals.dropped_packets += queue->dropped_packets;
        totals.marked_packets += queue->marked_packets;
        totals.current_bytes += queue->current_bytes;
        totals.trim_packets += queue->trim_packets;
        totals.tx_trim_packets += queue->tx_trim_packets;
        totals.dropped_trim_packets += queue->dropped_trim_packets;
        for (uint32_t cause = 0; cause < WEIR_CAUSE_COUNT; cause++)
            totals.by_cause[cause] += queue->dropped_by_cause[cause];
    }
    return totals;
}

uint64_t switch_snapshot_lossless_lost(const struct switch_snapshot *s, uint32_t port, uint32_t tc)
{
    const struct weir_account_counters *queue = &s->queue[port * s->classes + tc];
    return s->lossless_mask >> tc & 1 ? queue->dropped_packets - queue->dropped_by_cause[WEIR_CAUSE_FLUSHED] : 0;
}

uint64_t switch_snapshot_violations(const struct switch_snapshot *s)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->ports * s->classes; i++)
        sum += switch_snapshot_lossless_lost(s, i / s->classes, i % s->classes);
    return sum;
}

uint64_t switch_snapshot_discarded(const struct switch_snapshot *s, uint32_t port)
{
    uint64_t sum = 0;
    for (uint32_t p = 0; p < s->ports; p++)
        for (uint32_t why = 0; why < DATAPLANE_DISCARDS && (port >= s->ports || port == p); why++)
            sum += s->port[p].discarded[why];
    return sum;
}
