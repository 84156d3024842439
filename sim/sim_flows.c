/*
 * sim_flows.c - the life of a flow: asked for by traffic, started at its source, closed into a record.
 */
#include "sim/engine.h"
#include "sim/ideal.h"

/* Segments and the size of the last one. */
static void flow_cut(struct flow *flow, uint32_t mss_bytes)
{
    if (flow->bytes == FLOW_ENDLESS) {
        flow->segments = UINT32_MAX;
        flow->last_bytes = mss_bytes;
        return;
    }
    int64_t segments = (flow->bytes + mss_bytes - 1) / mss_bytes;
    flow->segments = (uint32_t)segments;
    flow->last_bytes = (uint32_t)(flow->bytes - (segments - 1) * mss_bytes);
}

bool sim_flow_start(struct sim *sim, uint32_t id, const struct flow_request *request)
{
    struct flow *flow = flow_new(&sim->flows);
    if (!flow) {
        sim->out_of_memory = true;
        return false;
    }
    flow->id = id;
    flow->source = request->source;
    flow->destination = request->destination;
    flow->bytes = request->bytes;
    flow->start_ps = request->start_ps;
    flow->transport = &sim->config.transports[sim->config.traffic[request->traffic].transport];
    flow->traffic = request->traffic;
    flow->tag = request->tag;
    flow->group = request->group;
    flow->cookie = request->cookie;
    flow->packet_bytes = request->packet_bytes;
    flow->tc = request->packet_bytes ? request->packet_tc : flow->transport->data_class;
    flow->sender_due_ps = flow->sender_wake_ps = WEIR_NEVER;
    flow->receiver_due_ps = flow->receiver_wake_ps = WEIR_NEVER;
    flow->finish_ps = WEIR_NEVER;
    flow_cut(flow, sim->config.wire.mss_bytes);
    sim->flows_started++;
    host_flow_starts(&sim->hosts[flow->source], flow, sim->event_ps);
    return true;
}

static bool flow_start_next(void *context, uint32_t id, const struct flow_request *request)
{
    return sim_flow_start(context, id, request);
}

void sim_flow_ended(struct sim *sim, const struct flow *flow, bool receiver, weir_ps now)
{
    if (!traffic_is_closed(&sim->config.traffic[flow->traffic]))
        return;
    struct traffic_sink sink = {.context = sim, .start = flow_start_next};
    sim->event_ps = now;
    traffic_ended(sim->traffic, flow, receiver, now, &sink);
}

/* How long the flow would take alone. */
static weir_ps flow_ideal(const struct sim *sim, const struct flow *flow)
{
    struct ideal_hop hops[IDEAL_HOPS_MAX];
    if (flow->bytes == FLOW_ENDLESS)
        return WEIR_NEVER;
    uint32_t count = ideal_path(sim->config.topology, &sim->routes, flow->source, flow->destination, hops);
    return count ? ideal_time(hops, count, &sim->config.wire, flow->bytes) : WEIR_NEVER;
}

/*
 * A packet of the flow that is still under way must find it ended or not by its time of arrival alone, and not by which
 * of the two ends ran first in a window. So the memory is kept for the length of a window: see host_is_stray.
 */
void sim_flow_close(struct sim *sim, struct flow *flow, weir_ps now)
{
    const struct transport *kind = flow->transport->kind;
    struct flow_record record = {
        .id = flow->id,
        .source = flow->source,
        .destination = flow->destination,
        .traffic = flow->traffic,
        .tag = flow->tag,
        .group = flow->group,
        .bytes = flow->bytes,
        .delivered_bytes = flow->delivered_bytes,
        .start_ps = flow->start_ps,
        .finish_ps = flow->finish_ps,
        .ideal_ps = flow_ideal(sim, flow),
        .timeouts = flow->timeouts,
        .again = flow->again,
    };
    if (!kind->ack) {
        record.packets = flow->receiver.udp.packets;
        record.delay_sum_ps = flow->receiver.udp.delay_sum_ps;
        record.delay_squares = flow->receiver.udp.delay_squares;
        record.delay_max_ps = flow->receiver.udp.delay_max_ps;
    }
    if (!flow->packet_bytes && !records_add(&sim->records, &record))
        sim->out_of_memory = true;
    flow->ended = FLOW_CLOSED;
    flow->closed_ps = now;
    flow->sender_due_ps = flow->receiver_due_ps = WEIR_NEVER;
    flow_list_append(&sim->closed, flow);
}

void sim_flows_release(struct sim *sim)
{
    while (sim->closed.head && sim->closed.head->closed_ps + sim->linger_ps <= sim->now) {
        struct flow *flow = flow_list_take(&sim->closed);
        if (flow->transport->kind->close)
            flow->transport->kind->close(&sim->hosts[flow->source], flow);
        flow_delete(&sim->flows, flow);
    }
}
