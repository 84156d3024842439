/*
 * rx.c - the receiving module: takes frames from the devices, through the line of the port if it has one, and hands
 * them to the forwarding module: by calling it on the same processor, else over a ring. A frame that finds the line or
 * the ring full is dropped here and counted: the machine is too slow for what it emulates, and that should be seen.
 */
#include <rte_ethdev.h>
#include <rte_ether.h>

#include "switch/dpdk/dataplane_internal.h"

#define RX_PREFETCH 4u
#define RX_TAG_BYTES 4u

static void rx_behind(struct dataplane *dp, struct dataplane_port *port, struct rte_mbuf **mbufs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        effects_discard(dp, mbufs[i], DATAPLANE_BEHIND, UINT32_MAX);
    mbufs_free(mbufs, count);
    count_add(&port->received.behind, count);
}

/* A tag that the device took off goes back to its place, so that a frame is as it was on the wire from here on. A frame
 * that is shared, or has no room for it, is copied first; a runt has no place for it, and is discarded as one later.
 * False: no mbuf for the copy; the frame is dropped. */
static bool rx_restore_tag(struct dataplane *dp, struct dataplane_port *port, struct rte_mbuf **mbuf)
{
    struct rte_mbuf *whole = *mbuf;
    if (rte_pktmbuf_pkt_len(whole) < RTE_ETHER_HDR_LEN)
        return true;
    if (rte_vlan_insert(&whole) != 0) {
        whole = rte_pktmbuf_copy(*mbuf, dp->pool, 0, UINT32_MAX);
        if (whole && rte_vlan_insert(&whole) != 0) {
            mbuf_free(whole);
            whole = NULL;
        }
        if (!whole) {
            (*mbuf)->port = (uint16_t)port->number;
            effects_discard(dp, *mbuf, DATAPLANE_NO_MBUF, UINT32_MAX);
            count_add(&port->received.no_mbuf, 1);
        }
        mbuf_free(*mbuf);
        if (!whole)
            return false;
    }
    whole->ol_flags &= ~RTE_MBUF_F_RX_VLAN;
    *mbuf = whole;
    return true;
}

/* Frames as they come from the device get the number of their port; this also brings their beginning to the cache. */
static uint32_t rx_device(struct dataplane *dp, struct dataplane_port *port, struct rte_mbuf **mbufs)
{
    uint32_t count = rte_eth_rx_burst(port->device, 0, mbufs, (uint16_t)dp->config.burst), kept = 0;
    uint64_t bytes = 0;
    if (count == 0)
        return 0;
    mbufs_take(mbufs, count);
    for (uint32_t i = 0; i < count && i < RX_PREFETCH; i++)
        rte_prefetch0(mbufs[i]);
    for (uint32_t i = 0; i < count; i++) {
        struct rte_mbuf *mbuf = mbufs[i];
        if (i + RX_PREFETCH < count)
            rte_prefetch0(mbufs[i + RX_PREFETCH]);
        rte_prefetch0(rte_pktmbuf_mtod(mbuf, void *));
        bytes += rte_pktmbuf_pkt_len(mbuf);
        if (unlikely(mbuf->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED)) {
            bytes += RX_TAG_BYTES;
            if (!rx_restore_tag(dp, port, &mbuf))
                continue;
        }
        mbuf->port = (uint16_t)port->number;
        mbufs[kept++] = mbuf;
    }
    count_add(&port->received.packets, count);
    count_add(&port->received.bytes, bytes);
    return kept;
}

/* Read the clock after the frames arrive: none may leave the line early. */
static void rx_into_line(struct dataplane *dp, struct dataplane_port *port, struct lcore_work *work)
{
    uint32_t count = rx_device(dp, port, work->burst);
    weir_ps now = clock_now(&dp->clock);
    for (uint32_t i = 0; i < count; i++) {
        if (line_is_full(&port->in))
            rx_behind(dp, port, &work->burst[i], 1);
        else
            line_put(&port->in, work->burst[i], rte_pktmbuf_pkt_len(work->burst[i]), now);
    }
}

static void rx_hand_over(struct dataplane *dp, struct dataplane_port *port, struct lcore_work *work, uint32_t count)
{
    if (!work->ring) {
        forward_burst(dp, work->burst, count);
        return;
    }
    mbufs_give(work->burst, count);
    uint32_t taken = rte_ring_sp_enqueue_burst(work->ring, (void **)work->burst, count, NULL);
    if (taken < count)
        rx_behind(dp, port, work->burst + taken, count - taken);
}

weir_ps rx_poll(struct dataplane *dp, struct lcore_work *work)
{
    bool takes = phase_read(dp) == DATAPLANE_RUNS;
    weir_ps next = WEIR_NEVER;
    for (uint64_t left = work->rx_ports; left; left &= left - 1) {
        struct dataplane_port *port = &dp->port[__builtin_ctzll(left)];
        uint32_t count = 0;
        if (port->in.slot) {
            if (takes)
                rx_into_line(dp, port, work);
            count = line_take(&port->in, clock_now(&dp->clock), work->burst, dp->config.burst);
            weir_ps due = line_next(&port->in);
            next = due < next ? due : next;
        } else if (takes) {
            count = rx_device(dp, port, work->burst);
        }
        if (count > 0) {
            rx_hand_over(dp, port, work, count);
            next = 0;
        }
    }
    return next;
}
