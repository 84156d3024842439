/*
 * take.c - from the running switch to a snapshot of its counters.
 */
#include "switch/control/snapshot.h"

void switch_snapshot_take(struct switch_snapshot *s, struct dataplane *dataplane)
{
    dataplane_status(dataplane, &s->status);
    s->drops_missed = dataplane_drops_missed(dataplane);
    for (uint32_t p = 0; p < s->ports; p++) {
        dataplane_port_counters(dataplane, p, &s->port[p]);
        for (uint32_t tc = 0; tc < s->classes; tc++) {
            dataplane_account_counters(dataplane, p, tc, &s->queue[p * s->classes + tc]);
            s->threshold_bytes[p * s->classes + tc] = (uint64_t)dataplane_threshold(dataplane, p, tc) * s->cell_bytes;
        }
    }
    for (uint32_t memory = 0; memory < s->memories; memory++) {
        dataplane_pool_counters(dataplane, memory, &s->pool[memory]);
        if (s->lossless_mask != 0) {
            for (uint32_t p = 0; p < s->ports; p++) {
                dataplane_pause_counters(dataplane, memory, p, &s->pause[memory * s->ports + p]);
                for (uint32_t tc = 0; tc < s->classes; tc++)
                    dataplane_group_counters(dataplane, memory, p, tc,
                                             &s->group[(memory * s->ports + p) * s->classes + tc]);
            }
        }
    }
}
