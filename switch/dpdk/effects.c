/*
 * effects.c - what follows from a call of the MMU besides the fate of its own packet: other packets that were lost go
 * back to the pool, and edges of flow control go to the ports that have to tell their peers. Dropped frames are copied
 * here for the listener (drops.h).
 */
#include "switch/dpdk/dataplane_internal.h"

void losses_free(struct losses *losses)
{
    mbufs_free(losses->mbuf, losses->count);
    losses->count = 0;
}

void effects_discard(struct dataplane *dp, const struct rte_mbuf *mbuf, enum dataplane_discard discard, uint32_t output)
{
    if (!drops_wanted(&dp->drops))
        return;
    struct frame frame = frame_of(mbuf);
    struct drops_note note = {
        .when_ps = clock_now(&dp->clock), .input = mbuf->port, .output = output, .discarded = true, .discard = discard};
    drops_put(&dp->drops, &note, &frame);
}

void effects_refused(struct dataplane *dp, const struct weir_packet *packet, uint32_t output, enum weir_reason reason)
{
    if (!drops_wanted(&dp->drops))
        return;
    struct frame frame = frame_of((const struct rte_mbuf *)(uintptr_t)packet->handle);
    struct drops_note note = {.when_ps = dp->now,
                              .input = packet->input.i,
                              .output = output,
                              .tc = packet->tc.i,
                              .cause = WEIR_CAUSE_REFUSED,
                              .reason = reason};
    drops_put(&dp->drops, &note, &frame);
}

void effects_follow(struct dataplane *dp, uint32_t memory, const struct weir_effects *effects, struct losses *losses)
{
    for (uint32_t i = 0; i < effects->lost_count; i++) {
        if (drops_wanted(&dp->drops)) {
            const struct weir_lost *lost = &effects->lost[i];
            const struct rte_mbuf *mbuf = (const struct rte_mbuf *)(uintptr_t)lost->handle;
            const struct weir_geometry *g = &weir_mmu_view(weir_switch_mmu(dp->sw, memory))->geometry;
            uint32_t first = memory * dp->config.sw.ports_per_mmu;
            struct frame frame = frame_of(mbuf);
            struct drops_note note = {.when_ps = dp->now,
                                      .input = mbuf->port,
                                      .output = first + weir_account_port(g, lost->account).i,
                                      .tc = weir_account_class(g, lost->account).i,
                                      .cause = lost->cause};
            drops_put(&dp->drops, &note, &frame);
        }
        if (!dp->trims || !trim_lost(dp, memory, &effects->lost[i]))
            losses_add(losses, (struct rte_mbuf *)(uintptr_t)effects->lost[i].handle);
    }
    if (effects->edge_count) {
        uint32_t count = weir_switch_edges(dp->sw, effects, dp->edges);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t input = dp->edges[i].port.i;
            pause_edge(&dp->port[input].pause, &dp->edges[i]);
            mask_write(&dp->pause_mask, dp->pause_mask | UINT64_C(1) << input);
        }
    }
}

void effects_flush(struct dataplane *dp, struct dataplane_port *port, struct losses *losses)
{
    uint32_t lost;
    do {
        const struct weir_effects *effects = weir_mmu_flush(port->mmu, (weir_port){port->local}, dp->now);
        lost = effects->lost_count;
        effects_follow(dp, port->memory, effects, losses);
    } while (lost > 0);
    mask_write(&dp->work_mask, dp->work_mask & ~(UINT64_C(1) << port->number));
    if (dp->tells_idle)
        weir_mmu_depart(port->mmu, (weir_port){port->local}, dp->now);
    mmu_changed(dp);
}
