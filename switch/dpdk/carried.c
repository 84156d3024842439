/*
 * carried.c - counters survive the rebuild of an MMU: sums add up, watermarks keep the higher value, occupancy is
 * the present one.
 */
#include "switch/dpdk/dataplane_internal.h"

static void carried_add(uint64_t *sums, const uint64_t *more, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        sums[i] += more[i];
}

static void carried_raise(uint64_t watermarks[WEIR_WM_COUNT], const uint64_t others[WEIR_WM_COUNT])
{
    for (uint32_t i = 0; i < WEIR_WM_COUNT; i++)
        watermarks[i] = others[i] > watermarks[i] ? others[i] : watermarks[i];
}

void carried_account(struct weir_account_counters *sum, struct weir_account_counters more)
{
    sum->packets += more.packets;
    sum->bytes += more.bytes;
    sum->dropped_packets += more.dropped_packets;
    sum->dropped_bytes += more.dropped_bytes;
    sum->marked_packets += more.marked_packets;
    sum->trim_packets += more.trim_packets;
    sum->tx_trim_packets += more.tx_trim_packets;
    sum->dropped_trim_packets += more.dropped_trim_packets;
    sum->current_bytes = more.current_bytes;
    carried_add(sum->refused_by_reason, more.refused_by_reason, WEIR_REASON_COUNT);
    carried_add(sum->dropped_by_cause, more.dropped_by_cause, WEIR_CAUSE_COUNT);
    carried_raise(sum->watermark_bytes, more.watermark_bytes);
}

void carried_group(struct weir_group_counters *sum, struct weir_group_counters more)
{
    sum->packets += more.packets;
    sum->refused_packets += more.refused_packets;
    sum->dropped_packets += more.dropped_packets;
    sum->pauses += more.pauses;
    sum->resumes += more.resumes;
    sum->current_bytes = more.current_bytes;
    sum->shared_bytes = more.shared_bytes;
    sum->headroom_bytes = more.headroom_bytes;
    carried_raise(sum->watermark_bytes, more.watermark_bytes);
    carried_raise(sum->shared_watermark_bytes, more.shared_watermark_bytes);
    carried_raise(sum->headroom_watermark_bytes, more.headroom_watermark_bytes);
}

void carried_pause(struct weir_pause_counters *sum, struct weir_pause_counters more)
{
    sum->class_pauses += more.class_pauses;
    sum->class_resumes += more.class_resumes;
    sum->port_pauses += more.port_pauses;
    sum->port_resumes += more.port_resumes;
}

void carried_pool(struct weir_pool_counters *sum, struct weir_pool_counters more)
{
    sum->memory_read_bytes += more.memory_read_bytes;
    sum->expelled_bytes += more.expelled_bytes;
    sum->current_bytes = more.current_bytes;
    sum->shared_bytes = more.shared_bytes;
    sum->headroom_bytes = more.headroom_bytes;
    carried_raise(sum->watermark_bytes, more.watermark_bytes);
    carried_raise(sum->headroom_watermark_bytes, more.headroom_watermark_bytes);
}

void carried_clear(struct dataplane *dp, uint32_t memory, enum weir_watermark_view view)
{
    struct carried *carried = &dp->carried[memory];
    uint32_t accounts = weir_mmu_view(weir_switch_mmu(dp->sw, memory))->geometry.accounts;
    uint32_t groups = dp->config.ports * dp->mmu_config.classes;
    for (uint32_t a = 0; a < accounts; a++)
        carried->account[a].watermark_bytes[view] = 0;
    for (uint32_t a = 0; a < groups; a++) {
        carried->group[a].watermark_bytes[view] = 0;
        carried->group[a].shared_watermark_bytes[view] = 0;
        carried->group[a].headroom_watermark_bytes[view] = 0;
    }
    carried->pool.watermark_bytes[view] = 0;
    carried->pool.headroom_watermark_bytes[view] = 0;
}
