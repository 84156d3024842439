/*
 * flows.c - the life of a flow: asked for by traffic, started at its source, closed into a record.
 */
#include "sim/net/ideal.h"
#include "sim/net/network.h"

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

/* How long the flow, its first segment, and that and its ACK would take alone. */
static void flow_set_ideal(const struct sim *sim, struct flow *flow)
{
    struct ideal_hop hops[IDEAL_HOPS_MAX];
    struct ideal_way way = {flow->source, flow->destination, flow->id, sim->config.spray};
    uint32_t count = ideal_path(sim->config.topology, &sim->routes, &way, hops);
    flow->ideal_ps = flow->first_ps = WEIR_NEVER;
    flow->base_rtt_ps = count ? ideal_path_rtt(hops, count, &sim->config.wire) : 0;
    if (count == 0 || flow->bytes == FLOW_ENDLESS)
        return;
    uint32_t first_bytes = flow_segment_bytes(flow, 0, sim->config.wire.mss_bytes);
    flow->ideal_ps = ideal_time(hops, count, &sim->config.wire, flow->bytes);
    flow->first_ps = ideal_time(hops, count, &sim->config.wire, first_bytes);
}

bool sim_flow_start(void *context, uint32_t id, const struct flow_request *request)
{
    struct sim *sim = context;
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
    flow->wait_ps = request->wait_ps;
    flow->transport = &sim->config.transports[request->transport];
    flow->traffic = request->traffic;
    flow->tag = request->tag;
    flow->group = request->group;
    flow->group_flows = request->group_flows;
    flow->is_request = request->is_request;
    flow->cookie = request->cookie;
    flow->packet_bytes = request->packet_bytes;
    flow->tc = request->packet_bytes ? request->packet_tc : sim_flow_class(&sim->config, flow->transport, id);
    flow->sender_due_ps = flow->sender_wake_ps = WEIR_NEVER;
    flow->receiver_due_ps = flow->receiver_wake_ps = WEIR_NEVER;
    flow->finish_ps = WEIR_NEVER;
    flow_cut(flow, sim->config.wire.mss_bytes);
    flow_set_ideal(sim, flow);
    sim->flows_started++;
    const struct transport *kind = flow->transport->kind;
    bool at_receiver = kind->starts_at_receiver && kind->starts_at_receiver(flow->transport);
    host_flow_starts(&sim->hosts[at_receiver ? flow->destination : flow->source], flow, sim->event_ps);
    return true;
}

void sim_flow_ended(struct sim *sim, const struct flow *flow, bool receiver, weir_ps now)
{
    if (!traffic_is_closed(&sim->config.traffic[flow->traffic]))
        return;
    struct traffic_sink sink = {.context = sim, .start = sim_flow_start};
    sim->event_ps = now;
    const struct flow_ended ended = {flow->traffic, flow->source, flow->destination, flow->cookie, flow->is_request};
    traffic_ended(sim->traffic, &ended, receiver, now, &sink);
}

/* A listed packet leaves no record: it is counted with the others of its tag. */
static void flow_count_listed(struct sim *sim, const struct flow *flow)
{
    struct measure_packets *listed = &sim->measure.listed[flow->tag];
    struct flow_packets packets = flow->transport->kind->packets(flow);
    listed->sent += packets.sent;
    listed->delivered += packets.delivered;
    listed->bytes += (uint64_t)flow->delivered_bytes;
    listed->delay_sum_ps += packets.delay_max_ps; /* its only one */
    if (packets.delay_max_ps > listed->delay_max_ps)
        listed->delay_max_ps = packets.delay_max_ps;
}

static bool flow_record(struct sim *sim, const struct flow *flow)
{
    struct flow_record record = {
        .id = flow->id,
        .source = flow->source,
        .destination = flow->destination,
        .traffic = flow->traffic,
        .tag = flow->tag,
        .group = flow->group,
        .group_flows = flow->group_flows,
        .bytes = flow->bytes,
        .delivered_bytes = flow->delivered_bytes,
        .start_ps = flow->start_ps,
        .wait_ps = flow->wait_ps,
        .finish_ps = flow->finish_ps,
        .ideal_ps = flow->ideal_ps,
        .first_ps = flow->first_ps,
        .timeouts = flow->timeouts,
        .again = flow->again,
        .lost = flow->lost,
    };
    if (flow->transport->kind->packets) {
        struct flow_packets packets = flow->transport->kind->packets(flow);
        record.sent = packets.sent;
        record.packets = packets.delivered;
        record.delay_sum_ps = packets.delay_sum_ps;
        record.delay_squares = packets.delay_squares;
        record.delay_max_ps = packets.delay_max_ps;
    }
    return records_add(&sim->records, &record);
}

/* Of a flow that has closed, what was lost within a window of its end still counts: see sim_flow_close. */
static void flow_count_lost(struct sim *sim, struct flow *flow, weir_ps now)
{
    if (flow->ended != FLOW_CLOSED)
        flow->lost++;
    else if (!flow->packet_bytes && !flow->is_request && now < flow->closed_ps + sim->linger_ps)
        sim->records.at[flow->record].lost++;
}

/*
 * A packet of the flow that is still under way must find it ended or not by its time of arrival or loss alone, and not
 * by which node ran first in a window. So the memory is kept for the length of a window: see host_is_stray.
 */
void sim_flow_close(struct sim *sim, struct flow *flow, weir_ps now)
{
    if (flow->packet_bytes)
        flow_count_listed(sim, flow);
    else if (flow->is_request)
        ; /* what it asked for is measured */
    else if (!flow_record(sim, flow))
        sim->out_of_memory = true;
    else
        flow->record = sim->records.count - 1;
    flow->ended = FLOW_CLOSED;
    flow->closed_ps = now;
    flow->sender_due_ps = flow->receiver_due_ps = WEIR_NEVER;
    flow_list_append(&sim->closed, flow);
}

void sim_packet_lost(struct sim *sim, struct packet *packet, weir_ps now)
{
    struct flow *flow = packet->flow;
    measure_loss(&sim->measure.tag[packet->tag], now);
    if (flow->id == packet->flow_id) {
        flow_count_lost(sim, flow, now);
        if (flow->packet_bytes && flow->ended == FLOW_SENDER_DONE)
            sim_flow_close(sim, flow, now);
    }
    packet_delete(&sim->packets, packet);
    sim_happened(sim, now);
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
