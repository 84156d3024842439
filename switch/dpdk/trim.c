/*
 * trim.c - packet trimming of real frames: one that the MMU refused or lost is cut to its headers and offered to
 * another queue of its port, as weir_mmu_trims says. IP length, DSCP, ECN and the checksum of IPv4 are rewritten; what
 * stands behind the IP header is not: the UDP length and checksum are still those of the whole packet, by which a
 * receiver knows that it was cut.
 *
 * A frame without an IP header, or whose IP header would not survive the cut, leaves no copy (WEIR_FLAG_WHOLE).
 */
#include <stdlib.h>

#include "switch/dpdk/dataplane_internal.h"
#include "switch/dpdk/frame_look.h"

bool trim_init(struct dataplane *dp)
{
    for (uint32_t m = 0; m < dp->memories; m++)
        dp->trims |= weir_mmu_has_trims(weir_switch_mmu(dp->sw, m));
    if (!dp->trims)
        return true;
    /* A call of an MMU refuses one packet or loses many, and so does the offer of each copy. Every copy was a packet
     * of the buffer, or the one that was refused. */
    dp->copy_room = dp->mmu_config.packets_max + dp->mmu_config.evictions_max + 1;
    dp->copies = calloc(dp->copy_room, sizeof(*dp->copies));
    return dp->copies != NULL;
}

void trim_free(struct dataplane *dp)
{
    free(dp->copies);
}

bool trim_can_cut(const struct dataplane *dp, const struct rte_mbuf *mbuf, const struct frame_info *info)
{
    uint32_t bytes = dp->mmu_config.trim[info->tc].bytes;
    return bytes == 0 ||
           (info->ip_at > 0 && frame_ip_end(rte_pktmbuf_mtod(mbuf, const uint8_t *), info->ip_at) <= bytes);
}

/* Cuts the frame itself, which nobody else holds. */
static void trim_cut(struct rte_mbuf *mbuf, uint32_t ip_at, const struct frame_cut *cut)
{
    struct rte_mbuf *last = mbuf;
    uint32_t before = 0; /* bytes of the segments before the last */
    frame_cut(rte_pktmbuf_mtod(mbuf, uint8_t *), ip_at, cut);
    if (rte_pktmbuf_pkt_len(mbuf) <= cut->length)
        return;
    for (mbuf->nb_segs = 1; before + last->data_len < cut->length; last = last->next, mbuf->nb_segs++)
        before += last->data_len;
    last->data_len = (uint16_t)(cut->length - before);
    rte_pktmbuf_free(last->next);
    last->next = NULL;
    mbuf->pkt_len = cut->length;
}

/* The packet leaves a copy: cuts it and lets it wait. */
static bool trim_packet(struct dataplane *dp, uint32_t output, const struct weir_packet *as, uint32_t ip_at,
                        enum weir_cause cause)
{
    struct trim_copy *copy = &dp->copies[dp->copy_count];
    if (dp->copy_count == dp->copy_room || !weir_mmu_trims(dp->port[output].mmu, as, cause, &copy->packet))
        return false;
    const struct frame_cut cut = {
        .length = copy->packet.bytes, .dscp = dp->config.trim_dscp[output], .ecn = dp->mmu_config.trim[as->tc.i].ecn};
    trim_cut((struct rte_mbuf *)(uintptr_t)as->handle, ip_at, &cut);
    copy->output = output;
    dp->copy_count++;
    return true;
}

bool trim_refused(struct dataplane *dp, const struct weir_packet *packet, uint32_t output, uint32_t ip_at)
{
    return !(packet->flags & WEIR_FLAG_WHOLE) && trim_packet(dp, output, packet, ip_at, WEIR_CAUSE_REFUSED);
}

bool trim_lost(struct dataplane *dp, uint32_t memory, const struct weir_lost *lost)
{
    const struct rte_mbuf *mbuf = (const struct rte_mbuf *)(uintptr_t)lost->handle;
    const struct weir_geometry *g = &weir_mmu_view(weir_switch_mmu(dp->sw, memory))->geometry;
    weir_port local = weir_account_port(g, lost->account);
    struct frame_info info;
    struct frame frame = frame_of(mbuf);
    if (lost->trimmed_from)
        return false;
    frame_read(&dp->rules, &frame, &info);
    const struct weir_packet as = {.handle = lost->handle,
                                   .output = local,
                                   .input = lost->input,
                                   .tc = weir_account_class(g, lost->account),
                                   .bytes = rte_pktmbuf_pkt_len(mbuf),
                                   .flags = trim_flags(dp, mbuf, &info)};
    return trim_packet(dp, memory * dp->config.sw.ports_per_mmu + local.i, &as, info.ip_at, lost->cause);
}

void trim_offer(struct dataplane *dp, weir_ps now, struct losses *losses)
{
    for (uint32_t i = 0; i < dp->copy_count; i++) {
        struct trim_copy *copy = &dp->copies[i]; /* it stays where it is */
        struct dataplane_port *port = &dp->port[copy->output];
        bool was_empty = port->state->backlog_mask == 0;
        copy->packet.flow = forward_flow(dp, (const struct rte_mbuf *)(uintptr_t)copy->packet.handle);
        const struct weir_effects *effects = weir_mmu_arrive(port->mmu, &copy->packet, now);
        if (effects->accepted && was_empty)
            port->ready_ps = now;
        else if (effects->accepted)
            port_unblock(port, now);
        if (effects->accepted)
            mask_write(&dp->work_mask, dp->work_mask | UINT64_C(1) << copy->output);
        if (effects->marked) {
            struct rte_mbuf *mbuf = (struct rte_mbuf *)(uintptr_t)copy->packet.handle;
            struct frame frame = frame_of(mbuf);
            struct frame_info info;
            frame_read(&dp->rules, &frame, &info);
            frame_mark(rte_pktmbuf_mtod(mbuf, uint8_t *), &info);
        }
        if (!effects->accepted) {
            effects_refused(dp, &copy->packet, copy->output, effects->reason);
            losses_add(losses, (struct rte_mbuf *)(uintptr_t)copy->packet.handle);
        }
        if (effects->lost_count || effects->edge_count)
            effects_follow(dp, port->memory, effects, losses);
    }
    dp->copy_count = 0;
}
