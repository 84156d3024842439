/*
 * host_nic.c - see host_nic.h.
 */
#include "sim/net/host_nic.h"
#include "sim/net/flows.h"

#include <stdlib.h>

#include "sim/net/network.h"

/* The host's clock is off by a fixed part, which its NIC's rate shows; drawn evenly in parts per billion. */
void host_nic_drift(const struct sim *sim, uint32_t host, struct link *out)
{
    uint32_t drift_ppm = sim->config.hosts.drift_ppm;
    int64_t span = 2000 * (int64_t)drift_ppm + 1;
    uint64_t hash = weir_hash(weir_random_stream(sim->config.seed, "drift").key, host);
    int64_t ppb = (int64_t)(((hash >> 32) * (uint64_t)span) >> 32) - 1000 * (int64_t)drift_ppm;
    out->ps_per_byte += (uint64_t)((int64_t)out->ps_per_byte / 1000 * ppb / 1000000);
}

bool host_nic_init(struct host *host)
{
    const struct sim_hosts *settings = &host->sim->config.hosts;
    if (settings->drift_ppm)
        host_nic_drift(host->sim, host->id, host->out);
    if (!settings->jitter_ps && settings->nic != SIM_NIC_STRICT && settings->nic != SIM_NIC_QUEUE)
        return true;
    host->nic = malloc(sizeof(*host->nic));
    if (!host->nic)
        return false;
    *host->nic = (struct host_nic){
        .kind = settings->nic,
        .jitter_ps = settings->jitter_ps,
        .salt = weir_hash(weir_random_stream(host->sim->config.seed, "jitter").key, host->id),
        .drops = settings->queue_drops,
        .limit = settings->queue_packets,
        .per_flow = settings->queue_per_flow,
    };
    return true;
}

/* A NIC with nothing to send has something now: it begins after a wait, if its link is free by then. */
static void nic_jitter(struct host *host, weir_ps now)
{
    struct host_nic *nic = host->nic;
    bool waits = host->control.head || host->ready.head;
    if (waits && !nic->waits) {
        uint64_t draw = weir_hash(nic->salt, nic->draws++) >> 32;
        weir_ps begin = now + (weir_ps)((draw * (uint64_t)(nic->jitter_ps + 1)) >> 32);
        host->out->free_ps = begin > host->out->free_ps ? begin : host->out->free_ps;
    }
    nic->waits = waits;
}

/* False: the packet is lost. */
static bool nic_enqueue(struct host *host, struct packet *packet, weir_ps now)
{
    struct host_nic *nic = host->nic;
    if (nic->drops && nic->packets >= nic->limit) {
        host->worker->measure->lost_at_hosts++;
        follow_without_room(host, packet, now);
        sim_packet_lost(host->worker, packet, now);
        return false;
    }
    nic->packets++;
    packet_list_append(&host->control, packet);
    return true;
}

/* Transports fill the queue. A flow sends all it may before the next one; when it has its part of the queue, it waits
 * until a packet of its own leaves; when the queue is full it goes behind the others, which are to have their turn. */
static void nic_fill(struct host *host, weir_ps now)
{
    struct host_nic *nic = host->nic;
    while (nic->control.head) {
        struct packet *packet = packet_list_take(&nic->control);
        struct flow *sender = packet->flags & PACKET_ACK ? NULL : packet->flow; /* whose packets are counted */
        if (nic_enqueue(host, packet, now) && sender)
            sender->in_queue++;
    }
    while (host->ready.head && (nic->drops || nic->packets < nic->limit)) {
        struct flow *flow = host->ready.head;
        if (nic->per_flow && flow->in_queue >= nic->per_flow) {
            flow_list_take(&host->ready)->held = true;
            continue;
        }
        struct packet *packet = host_emit(host, true, now);
        if (packet && nic_enqueue(host, packet, now))
            flow->in_queue++;
        if (host->ready.head == flow && !nic->drops && nic->packets >= nic->limit)
            flow_list_append(&host->ready, flow_list_take(&host->ready));
    }
}

void host_nic_leave(struct host *host, const struct packet *packet)
{
    struct host_nic *nic = host->nic;
    struct flow *flow = packet->flow;
    nic->packets--;
    if ((packet->flags & PACKET_ACK) || flow_id(flow) != packet->flow_id)
        return;
    flow->in_queue--;
    if (flow->held)
        flow_list_append(&host->ready, flow);
    flow->held = false;
}

void host_nic_prepare(struct host *host, weir_ps now)
{
    if (host->nic->kind == SIM_NIC_QUEUE)
        nic_fill(host, now);
    if (host->nic->jitter_ps)
        nic_jitter(host, now);
}

void host_nic_insert_flow(struct host *host, struct flow *flow)
{
    struct flow *before = NULL, *next = host->ready.head;
    for (; next && next->tc >= flow->tc; next = next->next)
        before = next;
    flow->next = next;
    *(before ? &before->next : &host->ready.head) = flow;
    if (!next)
        host->ready.tail = flow;
}

void host_nic_insert_control(struct host *host, struct packet *packet, bool first)
{
    struct packet *before = NULL, *next = host->control.head;
    for (; next && (next->tc > packet->tc || (next->tc == packet->tc && !first)); next = next->next)
        before = next;
    packet->next = next;
    *(before ? &before->next : &host->control.head) = packet;
    if (!next)
        host->control.tail = packet;
}
