/*
 * ends.c - see ends.h.
 */
#include "sim/net/ends.h"
#include "sim/net/network.h"

/* A message's flow whose packet this is; null: it is none's. */
static const struct flow *message_of(const struct sim *sim, const struct packet *packet)
{
    if (packet->flags & (PACKET_PFC | PACKET_ERRED))
        return NULL;
    const struct flow *flow = packet->flow;
    bool lives = flow_id(flow) == packet->flow_id && !flow_is_closed(flow);
    return lives && sim->config.traffic[flow->traffic].kind == TRAFFIC_MESSAGES ? flow : NULL;
}

/* Data that comes to the host before `end` counts for every message, so that the sum of one is never more. */
static weir_ps host_cut(const struct host *host, weir_ps end)
{
    const struct link *in = host->in;
    int64_t came = 0;
    for (uint64_t number = in->arrived; number != in->packets; number++) {
        const struct link_packet *flying = link_place(in, number);
        if (flying->when >= end)
            break;
        const struct packet *packet = flying->packet;
        const struct flow *flow = message_of(host->sim, packet);
        bool last = false;
        if (flow && (packet->flags & PACKET_ACK)) {
            last = flow->receiver_done && packet->ack >= flow->segments;
        } else if (flow && !flow->receiver_done) {
            came += flow_seen_bytes(flow, packet->segment, host->sim->config.wire.mss_bytes);
            last = flow->delivered_bytes + came >= flow->bytes;
        }
        if (last)
            return flying->when + 1;
    }
    return end;
}

weir_ps ends_cut(struct sim *sim, weir_ps end)
{
    if (!traffic_waits_for_ends(sim->traffic))
        return end;
    for (uint32_t w = 0; w < sim->workers; w++) {
        struct sim_worker *worker = sim->worker[w];
        worker_take(worker);
        for (uint32_t group = worker->first_group; group < worker->switch_group; group++) {
            uint32_t slot = group * ENGINE_GROUP, after = slot + ENGINE_GROUP;
            after = after < worker->after_host ? after : worker->after_host;
            for (; sim->group_wake[group] < end && slot < after; slot++)
                if (sim->wake[slot] < end)
                    end = host_cut(&sim->hosts[sim->node_at[slot]], end);
        }
    }
    return end;
}
