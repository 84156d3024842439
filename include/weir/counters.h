/*
 * counters.h - what an operator reads: counters and watermarks under SAI's names.
 *
 * Counters only grow. Watermarks come in three views that are cleared independently, as in SONiC: periodic (the
 * telemetry interval), user (`clear` on the command line) and persistent. The packet path keeps one peak per account;
 * clearing a view folds that peak into the other two.
 */
#ifndef WEIR_COUNTERS_H
#define WEIR_COUNTERS_H

#include "weir/mmu.h"

#ifdef __cplusplus
extern "C" {
#endif

enum weir_watermark_view { WEIR_WM_PERIODIC, WEIR_WM_USER, WEIR_WM_PERSISTENT, WEIR_WM_COUNT };

struct weir_account_counters {
    uint64_t packets, bytes;                       /* sent: SAI_QUEUE_STAT_PACKETS, _BYTES */
    uint64_t dropped_packets, dropped_bytes;       /* all causes: SAI_QUEUE_STAT_DROPPED_PACKETS, _BYTES */
    uint64_t refused_by_reason[WEIR_REASON_COUNT]; /* packets */
    uint64_t dropped_by_cause[WEIR_CAUSE_COUNT];   /* packets */
    uint64_t marked_packets;                       /* SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS */
    uint64_t trim_packets;         /* copies of this account's packets, offered: SAI_QUEUE_STAT_TRIM_PACKETS */
    uint64_t tx_trim_packets;      /* of these, sent: SAI_QUEUE_STAT_TX_TRIM_PACKETS; the rest is still queued */
    uint64_t dropped_trim_packets; /* of these, refused or lost: SAI_QUEUE_STAT_DROPPED_TRIM_PACKETS */
    uint64_t current_bytes;        /* SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES: cells * cell size */
    uint64_t watermark_bytes[WEIR_WM_COUNT]; /* SAI_QUEUE_STAT_WATERMARK_BYTES, per view */
};

struct weir_pool_counters {
    uint64_t current_bytes;                           /* SAI_BUFFER_POOL_STAT_CURR_OCCUPANCY_BYTES: the whole memory */
    uint64_t shared_bytes;                            /* of it, in the shared pool */
    uint64_t headroom_bytes;                          /* SAI_BUFFER_POOL_STAT_XOFF_ROOM_CURR_OCCUPANCY_BYTES */
    uint64_t watermark_bytes[WEIR_WM_COUNT];          /* SAI_BUFFER_POOL_STAT_WATERMARK_BYTES */
    uint64_t headroom_watermark_bytes[WEIR_WM_COUNT]; /* SAI_BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_BYTES */
    uint64_t memory_read_bytes; /* read by departures and expulsions: what the memory bandwidth was spent on */
    uint64_t expelled_bytes;    /* of these, by expulsions */
};

/* Of an ingress account, which SAI calls a priority group; names begin with SAI_INGRESS_PRIORITY_GROUP_STAT_.
 * Of classes that share a group (policy.h) the first has it all, but for the edges, which each has. */
struct weir_group_counters {
    uint64_t packets;                                 /* that came in and were accepted: _PACKETS */
    uint64_t refused_packets;                         /* on arrival */
    uint64_t dropped_packets;                         /* refused, or lost from the buffer: _DROPPED_PACKETS */
    uint64_t current_bytes;                           /* _CURR_OCCUPANCY_BYTES: cells * cell size, as all below */
    uint64_t shared_bytes;                            /* _SHARED_CURR_OCCUPANCY_BYTES */
    uint64_t headroom_bytes;                          /* _XOFF_ROOM_CURR_OCCUPANCY_BYTES */
    uint64_t watermark_bytes[WEIR_WM_COUNT];          /* _WATERMARK_BYTES, per view */
    uint64_t shared_watermark_bytes[WEIR_WM_COUNT];   /* _SHARED_WATERMARK_BYTES */
    uint64_t headroom_watermark_bytes[WEIR_WM_COUNT]; /* _XOFF_ROOM_WATERMARK_BYTES */
    uint64_t pauses, resumes;                         /* edges of this class */
};

struct weir_pause_counters {
    uint64_t class_pauses, class_resumes; /* edges sent for a class of the input port, over all classes */
    uint64_t port_pauses, port_resumes;   /* port-level edges */
};

struct weir_account_counters weir_mmu_account_counters(const struct weir_mmu *mmu, weir_account account);
struct weir_pool_counters weir_mmu_pool_counters(const struct weir_mmu *mmu);

/* All zero without a policy that looks at flows. */
struct weir_flow_counters weir_mmu_flow_counters(const struct weir_mmu *mmu);

/* All zero without an ingress policy. */
struct weir_group_counters weir_mmu_group_counters(const struct weir_mmu *mmu, weir_account ingress_account);
struct weir_pause_counters weir_mmu_pause_counters(const struct weir_mmu *mmu, weir_port input);

/* Restarts the watermarks of one view from the present occupancy. */
void weir_mmu_clear_watermarks(struct weir_mmu *mmu, enum weir_watermark_view view);

#ifdef __cplusplus
}
#endif

#endif
