/*
 * snapshot.h - every counter of a switch, as plain data: what JSON and Prometheus texts are made from, so that
 * both say the same and can be tested without a switch. Each struct is of one moment; the switch goes on between two of
 * them, so that sums over several are exact only when it is at rest.
 */
#ifndef CONTROL_SNAPSHOT_H
#define CONTROL_SNAPSHOT_H

#include "switch/dpdk/dataplane.h"

struct switch_snapshot {
    uint32_t ports, classes, memories, ports_per_memory;
    uint32_t lossless_mask, cell_bytes;
    uint32_t limited_mask; /* classes whose queues the egress policy holds to a threshold: lossy ones, if it has any */
    uint64_t buffer_bytes; /* of one MMU */
    struct dataplane_status status;
    struct dataplane_port_counters *port; /* [ports] */
    struct weir_account_counters *queue;  /* [ports * classes], port by port */
    uint64_t *threshold_bytes;            /* of each queue of a limited class */
    struct weir_group_counters *group;    /* [memories * ports * classes]; of lossless classes */
    struct weir_pause_counters *pause;    /* [memories * ports] */
    struct weir_pool_counters *pool;      /* [memories] */
    uint64_t drops_missed;
    uint32_t restarts;   /* after crashes */
    weir_ps reaction_ps; /* that headroom was sized for, machine time; at most 0: for none */
};

/* Room for a switch of this config; false: out of memory. Free either way. */
bool switch_snapshot_init(struct switch_snapshot *snapshot, const struct dataplane_config *config);
void switch_snapshot_free(struct switch_snapshot *snapshot);

/* Reads everything; a switch of the same config. */
void switch_snapshot_take(struct switch_snapshot *snapshot, struct dataplane *dataplane);

/* Adds up over all classes of a port; `port` the number of ports: over all ports. */
struct switch_totals {
    uint64_t sent_packets, sent_bytes, dropped_packets, marked_packets, current_bytes;
    uint64_t trim_packets, tx_trim_packets, dropped_trim_packets;
    uint64_t by_cause[WEIR_CAUSE_COUNT];
};
struct switch_totals switch_snapshot_totals(const struct switch_snapshot *snapshot, uint32_t port);

/* Frames of lossless classes that the buffer lost, other than by their link going down. */
uint64_t switch_snapshot_lossless_lost(const struct switch_snapshot *snapshot, uint32_t port, uint32_t tc);

/* The same of all ports and classes. */
uint64_t switch_snapshot_violations(const struct switch_snapshot *snapshot);

/* Frames of a port, or of all, that were dropped without the MMU. */
uint64_t switch_snapshot_discarded(const struct switch_snapshot *snapshot, uint32_t port);

#endif
