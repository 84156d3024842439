/*
 * sim_watch.c - see sim_watch.h. The watch is found by the config of the simulation, which points to its transports.
 */
#include "sim_watch.h"

#include <string.h>

#include "sim/net/network.h"
#include "sim/sim.h"
#include "sim/transport/udp.h"

static struct sim_watch *watch_of(const struct host *host)
{
    return (struct sim_watch *)(uintptr_t)host->sim->config.transports;
}

static const struct transport *watch_real(const struct host *host, const struct flow *flow)
{
    const struct sim_watch *watch = watch_of(host);
    return watch->real[flow->transport - watch->transports];
}

static struct watched_flow *watch_flow(struct sim_watch *watch, const struct flow *flow)
{
    return flow->id < WATCH_FLOWS ? &watch->flow[flow->id] : &watch->flow[0];
}

static void watch_expect(struct sim_watch *watch, bool holds, const char *fault)
{
    if (!holds && watch->fault == NULL)
        watch->fault = fault;
}

static void watch_open(struct host *host, struct flow *flow, weir_ps now)
{
    const struct transport *real = watch_real(host, flow);
    bool asked = real->starts_at_receiver != NULL && real->starts_at_receiver(flow->transport);
    uint32_t starter = asked ? flow->destination : flow->source;
    watch_expect(watch_of(host), host->id == starter && now == flow->start_ps, "a flow starts at its time");
    real->open(host, flow, now);
}

static enum transport_more watch_emit(struct host *host, struct flow *flow, struct packet *packet, weir_ps now)
{
    struct sim_watch *watch = watch_of(host);
    const struct sim_wire *wire = host_wire(host);
    enum transport_more more = watch_real(host, flow)->emit(host, flow, packet, now);
    if (more == TRANSPORT_NOTHING)
        return more;
    watch_flow(watch, flow)->sent++;
    bool queue = host->sim->config.hosts.nic == SIM_NIC_QUEUE;
    watch_expect(watch, host->id == flow->source, "a flow sends from its source");
    uint32_t part = host->sim->config.hosts.queue_per_flow;
    watch_expect(watch, !queue || part == 0 || flow->in_queue < part, "a flow keeps to its part of a NIC's queue");
    watch_expect(watch, queue || host->out->free_ps <= now, "a NIC sends one packet at a time");
    bool drawn = watch_real(host, flow) == &transport_udp && udp_params(flow->transport)->exponential_sizes;
    watch_expect(watch, packet->bytes >= 1 && (packet->bytes <= wire->mss_bytes + wire->header_bytes || drawn),
                 "a packet has 1 byte to a full segment");
    watch_expect(watch, !(packet->flags & PACKET_ACK), "data is no feedback");
    return more;
}

static void watch_data(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now)
{
    struct sim_watch *watch = watch_of(host);
    struct watched_flow *seen = watch_flow(watch, flow);
    if (watch_real(host, flow)->sprays && (packet->kind & PACKET_KIND) != PACKET_SEGMENT) {
        watch_real(host, flow)->data(host, flow, packet, now); /* a probe, or a request for credit */
        return;
    }
    seen->delivered++;
    watch_expect(watch, host->id == flow->destination, "data reaches its destination");
    watch_expect(watch, seen->delivered <= seen->sent, "a packet is delivered once");
    watch_expect(watch, packet->sent_ps < now, "a packet takes time");
    uint32_t tc = flow->packet_bytes > 0 ? flow->tc : flow->transport->data_class;
    const struct weir_mmu_config *mmu = &host->sim->config.tiers[0].mmu;
    bool copy = false; /* cut, or too short to be cut, by a switch of any tier: these agree on the class of copies */
    for (uint32_t tier = 0; tier < host->sim->config.tier_count; tier++)
        copy |= host->sim->config.tiers[tier].mmu.trim[tc].bytes > 0 && packet->tc == mmu->classes - 1;
    watch_expect(watch, packet->tc == tc || copy, "data has the class of its transport, a listed packet its own");
    if (watch->ordered && seen != watch->flow)
        watch_expect(watch,
                     packet->sent_ps > seen->last_sent_ps ||
                         (packet->sent_ps == seen->last_sent_ps && host->sim->config.hosts.nic == SIM_NIC_QUEUE),
                     "packets of a flow keep their order");
    seen->last_sent_ps = packet->sent_ps;
    watch_real(host, flow)->data(host, flow, packet, now);
}

static void watch_ack(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now)
{
    struct sim_watch *watch = watch_of(host);
    struct watched_flow *seen = watch_flow(watch, flow);
    watch_expect(watch, host->id == flow->source, "feedback reaches the source");
    if (watch->ordered && seen != watch->flow)
        watch_expect(watch, packet->ack >= seen->last_ack, "ACKs of a flow keep their order");
    seen->last_ack = packet->ack;
    watch_real(host, flow)->ack(host, flow, packet, now);
}

static void watch_sender_timer(struct host *host, struct flow *flow, weir_ps now)
{
    watch_expect(watch_of(host), host->id == flow->source, "a sender's timer acts at the source");
    watch_real(host, flow)->sender_timer(host, flow, now);
}

static void watch_receiver_timer(struct host *host, struct flow *flow, weir_ps now)
{
    watch_expect(watch_of(host), host->id == flow->destination, "a receiver's timer acts at the destination");
    watch_real(host, flow)->receiver_timer(host, flow, now);
}

static void watch_close(struct host *host, struct flow *flow)
{
    if (watch_real(host, flow)->close != NULL)
        watch_real(host, flow)->close(host, flow);
}

void sim_watch_start(struct sim_watch *watch, struct sim_config *config)
{
    memset(watch, 0, sizeof *watch);
    for (uint32_t i = 0; i < WATCH_FLOWS; i++)
        watch->flow[i].last_sent_ps = -1;
    watch->ordered = config->ecmp != SIM_ECMP_PACKET && config->ecmp != SIM_ECMP_ADAPTIVE &&
                     config->ecmp != SIM_ECMP_FLOWLET && config->change_count == 0;
    for (uint32_t i = 0; i < config->transport_count; i++) {
        watch->transports[i] = config->transports[i];
        watch->real[i] = config->transports[i].kind;
        struct transport *watched = &watch->watched[i];
        *watched = *watch->real[i];
        watch->ordered &= !watched->sprays;
        watched->open = watch_open;
        watched->emit = watch_emit;
        watched->data = watch_data;
        watched->ack = watch->real[i]->ack != NULL ? watch_ack : NULL;
        watched->sender_timer = watch_sender_timer;
        watched->receiver_timer = watch_receiver_timer;
        watched->close = watch_close;
        watch->transports[i].kind = watched;
    }
    for (uint32_t tier = 0; tier < config->tier_count; tier++) /* copies overtake packets that were not cut */
        for (uint32_t tc = 0; tc < config->tiers[tier].mmu.classes; tc++)
            watch->ordered &= config->tiers[tier].mmu.trim[tc].bytes == 0;
    config->transports = watch->transports;
}
