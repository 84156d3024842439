/*
 * tx.c - the sending module: takes packets from the MMU as the rates of the emulated ports allow, and gives them to the
 * devices, through the line of the port if it has one.
 *
 * The buffer is the MMU, not the device: what a device does not take waits in a small array, and until that is empty
 * nothing more leaves the MMU by this port.
 */
#include <rte_ethdev.h>

#include "switch/dpdk/dataplane_internal.h"

static inline weir_ps earlier(weir_ps a, weir_ps b)
{
    return a < b ? a : b;
}

/* A stopping switch reads the count from outside. */
static inline void pending_set(struct dataplane_port *port, uint32_t count)
{
    __atomic_store_n(&port->pending_count, count, __ATOMIC_RELAXED);
}

static inline void tx_append(struct dataplane_port *port, struct rte_mbuf *mbuf, uint32_t bytes, weir_ps passed)
{
    if (port->out.slot) {
        line_put(&port->out, mbuf, bytes, passed);
    } else {
        port->pending[port->pending_count] = mbuf;
        pending_set(port, port->pending_count + 1);
        port->pending_bytes += bytes;
    }
}

static inline bool tx_has_room(const struct dataplane *dp, const struct dataplane_port *port)
{
    return port->out.slot ? !line_is_full(&port->out) : port->pending_count < dp->config.burst;
}

/* Send a PAUSE before data. False: no mbuf; it stays due. */
static bool tx_pause(struct dataplane *dp, struct dataplane_port *port, weir_ps now)
{
    struct rte_mbuf *mbuf = mbuf_alloc(dp->pool);
    if (!mbuf)
        return false;
    mbuf->port = (uint16_t)port->number;
    pause_tell(&port->pause, (uint8_t *)rte_pktmbuf_append(mbuf, PAUSE_FRAME_BYTES), now);
    if (port->pause.due_ps == WEIR_NEVER)
        mask_write(&dp->pause_mask, dp->pause_mask & ~(UINT64_C(1) << port->number));
    tx_append(port, mbuf, PAUSE_FRAME_BYTES, shaper_pass(&port->shaper, PAUSE_FRAME_BYTES, now));
    count_add(&port->sent.control, 1);
    return true;
}

static inline void tx_note_late(struct dataplane *dp, weir_ps late_ps)
{
    if (unlikely((uint64_t)late_ps > dp->late_ps_max))
        __atomic_store_n(&dp->late_ps_max, (uint64_t)late_ps, __ATOMIC_RELAXED);
}

/* Take one packet from the MMU, or learn until when all are paused. */
static inline void tx_depart(struct dataplane *dp, struct dataplane_port *port, weir_ps now, struct losses *losses)
{
    const struct weir_effects *effects = weir_mmu_depart(port->mmu, (weir_port){port->local}, now);
    if (likely(effects->departed)) {
        struct rte_mbuf *mbuf = (struct rte_mbuf *)(uintptr_t)effects->handle;
        tx_append(port, mbuf, effects->bytes, shaper_pass(&port->shaper, effects->bytes, port->ready_ps));
    } else if (port->state->backlog_mask) {
        port_block(port, effects->blocked_until);
    }
    if (unlikely(effects->lost_count || effects->edge_count))
        effects_follow(dp, port->memory, effects, losses);
    if (unlikely(dp->copy_count > 0))
        trim_offer(dp, now, losses);
}

/* All that waits at the port is paused. */
static inline bool tx_is_blocked(struct dataplane_port *port, weir_ps now)
{
    if (likely(port->blocked_until == 0))
        return false;
    if (port->blocked_until > now)
        return true;
    port_unblock(port, port->blocked_until);
    return false;
}

/* What one port may send now; returns when it may send again. A PAUSE that finds no memory lets data go first, which
 * gives some back. */
static weir_ps tx_port(struct dataplane *dp, struct dataplane_port *port, weir_ps now, struct losses *losses)
{
    bool has_memory = true;
    while (tx_has_room(dp, port)) {
        bool pause = has_memory && pause_due(&port->pause, now);
        if (!pause && !port->state->backlog_mask && !(dp->tells_idle && port->state->busy)) {
            mask_write(&dp->work_mask, dp->work_mask & ~(UINT64_C(1) << port->number));
            break;
        }
        if (!pause && tx_is_blocked(port, now))
            return earlier(port->blocked_until, port->pause.due_ps);
        weir_ps begins = shaper_begins(&port->shaper, pause ? 0 : port->ready_ps);
        if (begins > now)
            return begins;
        if (unlikely(pause)) {
            has_memory = tx_pause(dp, port, now);
            continue;
        }
        tx_note_late(dp, now - begins);
        tx_depart(dp, port, now, losses);
    }
    return port->pause.due_ps;
}

/* Send the frames that the line releases, after those that the device refused before. Returns when to try again; when
 * a full device takes more is unknown. */
static weir_ps tx_device(struct dataplane *dp, struct dataplane_port *port, weir_ps now)
{
    if (port->out.slot) {
        struct rte_mbuf **taken = port->pending + port->pending_count;
        uint32_t count = line_take(&port->out, now, taken, dp->config.burst - port->pending_count);
        for (uint32_t i = 0; i < count; i++)
            port->pending_bytes += rte_pktmbuf_pkt_len(taken[i]);
        pending_set(port, port->pending_count + count);
    }
    uint32_t count = port->pending_count;
    if (count == 0)
        return line_next(&port->out);
    uint64_t bytes = port->pending_bytes;
    mbufs_give(port->pending, count);
    uint32_t sent = rte_eth_tx_burst(port->device, 0, port->pending, (uint16_t)count);
    port->pending_bytes = 0;
    for (uint32_t i = sent; i < count; i++) {
        port->pending[i - sent] = port->pending[i];
        port->pending_bytes += rte_pktmbuf_pkt_len(port->pending[i]);
    }
    pending_set(port, count - sent);
    port->refused |= sent < count;
    count_add(&port->sent.packets, sent);
    count_add(&port->sent.bytes, bytes - port->pending_bytes);
    return sent > 0 ? 0 : WEIR_NEVER;
}

/* When the MMU has to be asked about a port, as far as can be seen without its lock. */
static inline weir_ps tx_due(const struct dataplane_port *port, bool waits)
{
    weir_ps blocked_until = __atomic_load_n(&port->blocked_until, __ATOMIC_RELAXED);
    weir_ps pause_ps = __atomic_load_n(&port->pause.due_ps, __ATOMIC_RELAXED);
    weir_ps due = earlier(waits ? blocked_until : WEIR_NEVER, pause_ps);
    return due > port->shaper.free_ps ? due : port->shaper.free_ps;
}

/* Ports whose wire is free, whose device has taken all and that may have something to send. */
static uint64_t tx_ready(const struct dataplane *dp, uint64_t ports, weir_ps now, weir_ps *next)
{
    uint64_t ready = 0, work = mask_read(&dp->work_mask);
    for (uint64_t left = ports; left; left &= left - 1) {
        const struct dataplane_port *port = &dp->port[__builtin_ctzll(left)];
        if (port->pending_count > 0)
            continue;
        weir_ps due = tx_due(port, work & left & -left);
        if (due <= now)
            ready |= left & -left;
        else
            *next = earlier(*next, due);
    }
    return ready;
}

static weir_ps tx_ask(struct dataplane *dp, uint64_t ports, weir_ps next)
{
    struct losses losses;
    losses.count = 0;
    weir_ps now = mmu_enter(dp);
    for (uint64_t left = ports & dp->up_mask; left; left &= left - 1) {
        struct dataplane_port *port = &dp->port[__builtin_ctzll(left)];
        if (unlikely(port->refused)) {
            port->ready_ps = now; /* only the device was late */
            port->refused = false;
        }
        next = earlier(next, tx_port(dp, port, now, &losses));
    }
    if (unlikely(dp->wants_recording))
        recording_try(dp);
    mmu_changed(dp);
    mmu_leave(dp);
    if (unlikely(losses.count > 0))
        losses_free(&losses);
    return next;
}

void tx_lose(struct dataplane *dp, struct dataplane_port *port)
{
    do {
        for (uint32_t i = 0; i < port->pending_count; i++)
            effects_discard(dp, port->pending[i], DATAPLANE_OUTPUT_DOWN, port->number);
        mbufs_free(port->pending, port->pending_count);
        count_add(&port->sent.lost, port->pending_count);
        pending_set(port, 0);
        port->pending_bytes = 0;
        pending_set(port, line_take(&port->out, WEIR_NEVER - 1, port->pending, dp->config.burst));
    } while (port->pending_count > 0);
}

weir_ps tx_poll(struct dataplane *dp, struct lcore_work *work)
{
    uint64_t wanted = (mask_read(&dp->work_mask) | mask_read(&dp->pause_mask)) & work->tx_ports;
    uint64_t up = mask_read(&dp->up_mask);
    weir_ps next = WEIR_NEVER;
    if ((wanted | work->tx_held) == 0)
        return WEIR_NEVER;
    uint64_t ready = tx_ready(dp, wanted & up, clock_now(&dp->clock), &next);
    if (ready)
        next = tx_ask(dp, ready, next);
    weir_ps now = clock_now(&dp->clock);
    uint64_t held = work->tx_held | ready;
    work->tx_held = 0;
    for (uint64_t left = held; left; left &= left - 1) {
        struct dataplane_port *port = &dp->port[__builtin_ctzll(left)];
        if (unlikely(!(up >> port->number & 1)))
            tx_lose(dp, port);
        else
            next = earlier(next, tx_device(dp, port, now));
        if (port->pending_count > 0 || line_count(&port->out) > 0)
            work->tx_held |= left & -left;
    }
    return next;
}
