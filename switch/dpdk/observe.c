/*
 * observe.c - what control may ask of a running switch, and the parameters that it may change. Counters of the MMUs are
 * read with their lock, those of the ports have one writer and are read as they are.
 */
#include <string.h>

#include <rte_ethdev.h>
#include <rte_mempool.h>

#include "switch/dpdk/dataplane_internal.h"

void dataplane_status(struct dataplane *dp, struct dataplane_status *status)
{
    uint64_t ticks = clock_ticks(&dp->clock); /* read once: both times are of the same moment */
    weir_ps machine_ps = clock_scale(ticks, dp->clock.machine_per_tick);
    lock_take(&dp->table_lock);
    uint32_t addresses = mac_table_count(dp->table, machine_ps);
    rte_spinlock_unlock(&dp->table_lock);
    *status = (struct dataplane_status){
        .up_ps = machine_ps,
        .now_ps = clock_scale(ticks, dp->clock.emulated_per_tick),
        .mbufs = dp->pool->size,
        .mbufs_in_use = rte_mempool_in_use_count(dp->pool),
        .addresses = addresses,
        .huge_pages = environment_has_huge_pages(),
        .run_to_completion = dp->work_count == 1,
        .bursts = count_read(&dp->bursts),
        .late_ps_max = count_read(&dp->late_ps_max),
    };
    for (uint32_t i = 0; i < dp->work_count; i++) {
        uint64_t away_ps = count_read(&dp->work[i].away_ps_max);
        if (away_ps > status->away_ps_max)
            status->away_ps_max = away_ps;
    }
}

void dataplane_port_counters(struct dataplane *dp, uint32_t port, struct dataplane_port_counters *counters)
{
    struct dataplane_port *p = &dp->port[port];
    struct rte_eth_stats stats;
    bool seen;
    uint64_t lost = losses_read(p, &seen);
    memset(&stats, 0, sizeof stats);
    if (rte_eth_stats_get(p->device, &stats) != 0)
        memset(&stats, 0, sizeof stats);
    *counters = (struct dataplane_port_counters){
        .link_up = mask_read(&dp->up_mask) >> port & 1,
        .in_packets = count_read(&p->received.packets),
        .in_bytes = count_read(&p->received.bytes),
        .out_packets = count_read(&p->sent.packets),
        .out_bytes = count_read(&p->sent.bytes),
        .out_lost = count_read(&p->sent.lost),
        .flooded = count_read(&p->forwarded.flooded),
        .copies = count_read(&p->forwarded.copies),
        .control_in = count_read(&p->forwarded.control),
        .control_out = count_read(&p->sent.control),
        .offered = count_read(&p->forwarded.offered),
        .malformed_ip = count_read(&p->forwarded.malformed_ip),
        .away = __atomic_load_n(&p->away, __ATOMIC_RELAXED),
        .device_missed = stats.imissed + stats.rx_nombuf + lost,
        .device_missed_seen = seen,
        .device_errors = stats.ierrors + stats.oerrors,
        .link_changes = count_read(&p->link_changes),
    };
    for (uint32_t d = 0; d < DATAPLANE_DISCARDS; d++)
        counters->discarded[d] = count_read(&p->forwarded.discarded[d]);
    counters->discarded[DATAPLANE_BEHIND] += count_read(&p->received.behind);
    counters->discarded[DATAPLANE_NO_MBUF] += count_read(&p->received.no_mbuf);
}

void dataplane_clear_watermarks(struct dataplane *dp, enum weir_watermark_view view)
{
    mmu_enter(dp);
    for (uint32_t m = 0; m < dp->memories; m++) {
        weir_mmu_clear_watermarks(weir_switch_mmu(dp->sw, m), view);
        carried_clear(dp, m, view);
    }
    mmu_leave(dp);
}

static weir_account observe_account(const struct dataplane_port *port, uint32_t tc)
{
    return weir_account_of(&weir_mmu_view(port->mmu)->geometry, (weir_port){port->local}, (weir_class){tc});
}

void dataplane_account_counters(struct dataplane *dp, uint32_t port, uint32_t tc,
                                struct weir_account_counters *counters)
{
    const struct dataplane_port *p = &dp->port[port];
    weir_account account = observe_account(p, tc);
    mmu_enter(dp);
    *counters = dp->carried[p->memory].account[account.i];
    carried_account(counters, weir_mmu_account_counters(p->mmu, account));
    mmu_leave(dp);
}

void dataplane_group_counters(struct dataplane *dp, uint32_t memory, uint32_t input, uint32_t tc,
                              struct weir_group_counters *counters)
{
    const struct weir_mmu *mmu = weir_switch_mmu(dp->sw, memory);
    uint32_t group = tc * dp->config.ports + input;
    mmu_enter(dp);
    *counters = dp->carried[memory].group[group];
    carried_group(counters, weir_mmu_group_counters(mmu, (weir_account){group}));
    mmu_leave(dp);
}

void dataplane_pause_counters(struct dataplane *dp, uint32_t memory, uint32_t input,
                              struct weir_pause_counters *counters)
{
    mmu_enter(dp);
    *counters = dp->carried[memory].pause[input];
    carried_pause(counters, weir_mmu_pause_counters(weir_switch_mmu(dp->sw, memory), (weir_port){input}));
    mmu_leave(dp);
}

void dataplane_pool_counters(struct dataplane *dp, uint32_t memory, struct weir_pool_counters *counters)
{
    mmu_enter(dp);
    *counters = dp->carried[memory].pool;
    carried_pool(counters, weir_mmu_pool_counters(weir_switch_mmu(dp->sw, memory)));
    mmu_leave(dp);
}

weir_cells dataplane_threshold(struct dataplane *dp, uint32_t port, uint32_t tc)
{
    const struct dataplane_port *p = &dp->port[port];
    mmu_enter(dp);
    weir_cells threshold = weir_mmu_threshold(p->mmu, observe_account(p, tc));
    mmu_leave(dp);
    return threshold;
}

uint32_t dataplane_memories(const struct dataplane *dp)
{
    return dp->memories;
}

bool dataplane_change(struct dataplane *dp, bool ingress, const struct weir_values *values)
{
    struct losses losses;
    bool taken = false;
    losses.count = 0;
    weir_ps now = mmu_enter(dp);
    for (uint32_t m = 0; m < dp->memories; m++) {
        const struct weir_effects *effects = weir_mmu_change(weir_switch_mmu(dp->sw, m), ingress, values, now);
        taken = effects != NULL;
        if (effects)
            effects_follow(dp, m, effects, &losses);
        if (dp->copy_count > 0)
            trim_offer(dp, now, &losses);
    }
    if (taken)
        *(ingress ? &dp->ingress_values : &dp->egress_values) = *values;
    mmu_changed(dp);
    mmu_leave(dp);
    losses_free(&losses);
    return taken;
}

bool dataplane_drops_keep(struct dataplane *dp, uint32_t count)
{
    return drops_keep(&dp->drops, count);
}

uint32_t dataplane_drops_take(struct dataplane *dp, struct dataplane_drop *drops, uint32_t max)
{
    return drops_take(&dp->drops, drops, max);
}

uint64_t dataplane_drops_missed(const struct dataplane *dp)
{
    return drops_missed(&dp->drops);
}
