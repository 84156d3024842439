/*
 * forward.c - the forwarding module: what a frame is, where it goes, and whether the MMU lets it in.
 *
 * A burst is first looked at, without the lock of the MMUs: headers, addresses, the table. What comes of it is a list
 * of arrivals, one per output of a frame, which is then offered under the lock. A flooded frame is copied for real: the
 * MMU may mark one copy and not the other.
 */

#include <rte_malloc.h>

#include "switch/dpdk/dataplane_internal.h"
#include "switch/dpdk/frame_look.h"

#define BATCH_ARRIVALS (2 * DATAPLANE_BURST_MAX)
#define BATCH_FLOOD (BATCH_ARRIVALS - DATAPLANE_BURST_MAX - DATAPLANE_PORTS_MAX) /* room for a flood and a burst */

/* A frame on its way to one output, or a PAUSE. */
struct arrival {
    struct rte_mbuf *mbuf;
    uint16_t output;
    uint16_t ip_at; /* where to mark or cut it; 0: it cannot be */
    uint8_t tc;
    uint8_t flags; /* for the MMU */
    bool control;
};

struct forward_batch {
    uint64_t source; /* last source of this burst and its port: learn a repeated source once */
    uint32_t source_port;
    uint32_t count;
    struct arrival arrival[BATCH_ARRIVALS];
    struct losses losses;
};

bool forward_init(struct dataplane *dp, struct weir_error *error)
{
    const struct dataplane_config *config = &dp->config;
    uint32_t addresses = (config->learning ? config->addresses_max : 1) + config->address_count;
    frame_rules_init(&dp->rules, config);
    for (uint32_t tc = 0; tc < config->sw.mmu->classes; tc++)
        dp->marks |= config->sw.mmu->marking[tc].kind != WEIR_MARK_NONE;
    if (!trim_init(dp))
        return weir_fail(error, WEIR_ERROR_MEMORY, "out of memory for trimmed frames");
    dp->batch = rte_zmalloc("batch", sizeof *dp->batch, RTE_CACHE_LINE_SIZE);
    dp->table_memory = rte_zmalloc("addresses", mac_table_size(addresses), RTE_CACHE_LINE_SIZE);
    if (!dp->batch || !dp->table_memory)
        return weir_fail(error, WEIR_ERROR_MEMORY, "out of memory for a table of %u addresses", addresses);
    dp->table = mac_table_init(dp->table_memory, addresses, config->aging_ps > 0 ? config->aging_ps : WEIR_PS_PER_S);
    for (uint32_t i = 0; i < config->address_count; i++) {
        if (!mac_table_add(dp->table, mac_of_bytes(config->addresses[i].mac), config->addresses[i].port)) {
            weir_fail(error, WEIR_ERROR_SYSTEM, "addresses: number %u finds no place in the table; give fewer", i + 1);
            return false;
        }
    }
    return true;
}

void forward_free(struct dataplane *dp)
{
    rte_free(dp->batch);
    rte_free(dp->table_memory);
    trim_free(dp);
}

static void forward_discard(struct dataplane *dp, struct rte_mbuf *mbuf, enum dataplane_discard discard,
                            uint32_t output)
{
    count_add(&dp->port[mbuf->port].forwarded.discarded[discard], 1);
    effects_discard(dp, mbuf, discard, output);
    losses_add(&dp->batch->losses, mbuf);
}

/* A PAUSE from the peer of this port. */
static void forward_obey(struct dataplane *dp, struct rte_mbuf *mbuf, weir_ps now)
{
    struct dataplane_port *port = &dp->port[mbuf->port];
    struct frame frame = frame_of(mbuf);
    struct weir_pfc_order order[WEIR_PFC_CLASSES];
    int32_t count = pause_hear(&port->pause, &frame, now, order);
    if (count == PAUSE_DAMAGED) {
        forward_discard(dp, mbuf, DATAPLANE_DAMAGED, UINT32_MAX);
        return;
    }
    for (int32_t i = 0; i < count; i++)
        weir_mmu_pause_received(port->mmu, (weir_port){port->local}, order[i].class_mask, order[i].until_ps, now);
    port_unblock(port, now);
    count_add(&port->forwarded.control, 1);
    losses_add(&dp->batch->losses, mbuf);
}

/* Only policies that ask for flows pay for them: a second look at the frame. */
const struct weir_flow *forward_flow(struct dataplane *dp, const struct rte_mbuf *mbuf)
{
    struct frame frame = frame_of(mbuf);
    struct frame_info info;
    if (likely(!dp->sees_flows))
        return NULL;
    frame_read(&dp->rules, &frame, &info);
    frame_flow(&frame, &info, &dp->flow);
    return &dp->flow;
}

static inline void forward_arrive(struct dataplane *dp, const struct arrival *arrival, weir_ps now)
{
    struct dataplane_port *port = &dp->port[arrival->output];
    struct rte_mbuf *mbuf = arrival->mbuf;
    struct weir_packet packet = {.handle = (uintptr_t)mbuf,
                                 .output = {port->local},
                                 .input = {mbuf->port},
                                 .tc = {arrival->tc},
                                 .bytes = rte_pktmbuf_pkt_len(mbuf),
                                 .flags = arrival->flags,
                                 .flow = forward_flow(dp, mbuf)};
    bool was_empty = port->state->backlog_mask == 0;
    const struct weir_effects *effects = weir_mmu_arrive(port->mmu, &packet, now);
    if (unlikely(weir_effects_invalid(effects))) {
        forward_discard(dp, mbuf, DATAPLANE_INVALID, arrival->output);
        return;
    }
    count_add(&dp->port[mbuf->port].forwarded.offered, 1);
    if (likely(effects->accepted)) {
        if (was_empty)
            port->ready_ps = now;
        else
            port_unblock(port, now);
    } else {
        effects_refused(dp, &packet, arrival->output, effects->reason);
        if (!dp->trims || !trim_refused(dp, &packet, arrival->output, arrival->ip_at))
            losses_add(&dp->batch->losses, mbuf);
    }
    if (unlikely(effects->marked)) {
        struct frame_info info = {.ecn = true, .ip_at = arrival->ip_at};
        frame_mark(rte_pktmbuf_mtod(mbuf, uint8_t *), &info);
    }
    if (unlikely(effects->lost_count || effects->edge_count))
        effects_follow(dp, port->memory, effects, &dp->batch->losses);
    if (unlikely(dp->copy_count > 0))
        trim_offer(dp, now, &dp->batch->losses);
}

/* Offer the parsed arrivals to the MMUs. */
static void forward_offer(struct dataplane *dp)
{
    struct forward_batch *batch = dp->batch;
    uint64_t touched = 0;
    if (batch->count > 0) {
        weir_ps now = mmu_enter(dp);
        uint64_t up = dp->up_mask;
        for (uint32_t i = 0; i < batch->count; i++) {
            const struct arrival *arrival = &batch->arrival[i];
            if (unlikely(arrival->control)) {
                forward_obey(dp, arrival->mbuf, now);
            } else if (unlikely(!(up >> arrival->output & 1))) {
                forward_discard(dp, arrival->mbuf, DATAPLANE_OUTPUT_DOWN, arrival->output);
            } else {
                forward_arrive(dp, arrival, now);
                touched |= UINT64_C(1) << arrival->output;
            }
        }
        mask_write(&dp->work_mask, dp->work_mask | touched);
        mmu_changed(dp);
        mmu_leave(dp);
    }
    if (batch->losses.count > 0)
        losses_free(&batch->losses);
    batch->count = 0;
}

static inline void forward_to(struct dataplane *dp, struct rte_mbuf *mbuf, uint32_t output,
                              const struct frame_info *info)
{
    dp->batch->arrival[dp->batch->count++] = (struct arrival){
        .mbuf = mbuf,
        .output = (uint16_t)output,
        .ip_at = (info->ecn && dp->marks) || dp->trims ? info->ip_at : 0,
        .tc = info->tc,
        .flags = (uint8_t)trim_flags(dp, mbuf, info),
        .control = info->kind == FRAME_CONTROL,
    };
}

/* To all other ports whose link is up. */
static void forward_flood(struct dataplane *dp, struct rte_mbuf *mbuf, const struct frame_info *info)
{
    struct dataplane_port *input = &dp->port[mbuf->port];
    uint64_t outputs = mask_read(&dp->up_mask) & ~(UINT64_C(1) << mbuf->port);
    if (outputs == 0) {
        forward_discard(dp, mbuf, DATAPLANE_OUTPUT_DOWN, UINT32_MAX);
        return;
    }
    if (dp->batch->count > BATCH_FLOOD)
        forward_offer(dp);
    count_add(&input->forwarded.flooded, 1);
    for (uint64_t left = outputs & (outputs - 1); left; left &= left - 1) {
        struct rte_mbuf *copy = rte_pktmbuf_copy(mbuf, dp->pool, 0, UINT32_MAX);
        if (!copy) {
            count_add(&input->forwarded.discarded[DATAPLANE_NO_MBUF], 1);
            effects_discard(dp, mbuf, DATAPLANE_NO_MBUF, (uint32_t)__builtin_ctzll(left));
        } else {
            copy->port = mbuf->port;
            forward_to(dp, copy, (uint32_t)__builtin_ctzll(left), info);
        }
        count_add(&input->forwarded.copies, 1);
    }
    forward_to(dp, mbuf, (uint32_t)__builtin_ctzll(outputs), info);
}

/* A frame that may be written must be unshared. Null: no mbuf for a copy. */
static struct rte_mbuf *forward_own(struct dataplane *dp, struct rte_mbuf *mbuf)
{
    struct rte_mbuf *copy = rte_pktmbuf_copy(mbuf, dp->pool, 0, UINT32_MAX);
    if (!copy) {
        forward_discard(dp, mbuf, DATAPLANE_NO_MBUF, UINT32_MAX);
        return NULL;
    }
    copy->port = mbuf->port;
    losses_add(&dp->batch->losses, mbuf);
    return copy;
}

static inline bool forward_is_shared(const struct rte_mbuf *mbuf)
{
    return rte_mbuf_refcnt_read(mbuf) != 1 || !RTE_MBUF_DIRECT(mbuf);
}

static inline void forward_learn(struct dataplane *dp, uint64_t source, uint32_t port, weir_ps machine_ps)
{
    struct forward_batch *batch = dp->batch;
    if (source == batch->source && port == batch->source_port)
        return;
    mac_table_learn(dp->table, source, port, machine_ps);
    batch->source = source;
    batch->source_port = port;
}

static inline void forward_look(struct dataplane *dp, struct rte_mbuf *mbuf, weir_ps machine_ps)
{
    struct frame frame = frame_of(mbuf);
    struct frame_info info;
    uint32_t output;
    frame_read(&dp->rules, &frame, &info);
    if (unlikely(info.kind == FRAME_DISCARD)) {
        forward_discard(dp, mbuf, info.discard, UINT32_MAX);
        return;
    }
    if (unlikely(info.kind == FRAME_CONTROL)) {
        forward_to(dp, mbuf, 0, &info);
        return;
    }
    if (unlikely(info.malformed_ip))
        count_add(&dp->port[mbuf->port].forwarded.malformed_ip, 1);
    if (unlikely(((info.ecn && dp->marks) || dp->trims) && forward_is_shared(mbuf)) && !(mbuf = forward_own(dp, mbuf)))
        return;
    if (dp->config.learning)
        forward_learn(dp, info.source, mbuf->port, machine_ps);
    output = info.group ? MAC_NO_PORT : mac_table_find(dp->table, info.destination, machine_ps);
    if (likely(output != MAC_NO_PORT && output != mbuf->port))
        forward_to(dp, mbuf, output, &info);
    else if (output != MAC_NO_PORT)
        forward_discard(dp, mbuf, DATAPLANE_SAME_PORT, output);
    else if (dp->config.flooding)
        forward_flood(dp, mbuf, &info);
    else
        forward_discard(dp, mbuf, DATAPLANE_UNKNOWN, UINT32_MAX);
}

void forward_burst(struct dataplane *dp, struct rte_mbuf **mbufs, uint32_t count)
{
    weir_ps machine_ps = clock_machine(&dp->clock);
    lock_take(&dp->table_lock);
    dp->batch->source = 0; /* no valid source */
    for (uint32_t i = 0; i < count; i++)
        forward_look(dp, mbufs[i], machine_ps);
    rte_spinlock_unlock(&dp->table_lock);
    forward_offer(dp);
    count_add(&dp->bursts, 1);
}

weir_ps forward_poll(struct dataplane *dp, struct lcore_work *work)
{
    weir_ps next = WEIR_NEVER;
    for (uint32_t i = 0; i < dp->work_count; i++) {
        struct rte_ring *ring = dp->work[i].ring;
        if (!ring)
            continue;
        uint32_t count = rte_ring_sc_dequeue_burst(ring, (void **)work->burst, dp->config.burst, NULL);
        if (count == 0)
            continue;
        mbufs_take(work->burst, count);
        for (uint32_t m = 0; m < count; m++)
            rte_prefetch0(rte_pktmbuf_mtod(work->burst[m], void *));
        forward_burst(dp, work->burst, count);
        next = 0;
    }
    return next;
}
