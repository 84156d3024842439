/*
 * flows.c - see flows.h.
 */
#include <assert.h>

#include "sim/net/flows.h"
#include "sim/net/ideal.h"
#include "sim/net/network.h"
#include "sim/net/nodes.h"

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
    struct ideal_way way = {flow->source, flow->destination, flow->id, sim->config.ecmp == SIM_ECMP_PACKET};
    uint32_t count = ideal_path(sim->config.topology, &sim->routes, &way, hops);
    flow->ideal_ps = flow->first_ps = WEIR_NEVER;
    flow->base_rtt_ps = count ? ideal_path_rtt(hops, count, &sim->config.wire) : 0;
    if (count == 0 || flow->bytes == FLOW_ENDLESS)
        return;
    uint32_t first_bytes = flow_segment_bytes(flow, 0, sim->config.wire.mss_bytes);
    flow->ideal_ps = ideal_time(hops, count, &sim->config.wire, flow->bytes);
    flow->first_ps = ideal_time(hops, count, &sim->config.wire, first_bytes);
}

uint32_t sim_flow_host(const struct sim *sim, const struct flow_request *request)
{
    const struct sim_transport *transport = &sim->config.transports[request->transport];
    bool at_receiver = transport->kind->starts_at_receiver && transport->kind->starts_at_receiver(transport);
    return at_receiver ? request->destination : request->source;
}

struct flow *sim_flow_make(struct sim_worker *worker, uint32_t id, const struct flow_request *request)
{
    const struct sim *sim = worker->sim;
    assert(request->source != request->destination && request->transport < sim->config.transport_count);
    assert(request->tag < sim->config.tag_count && request->traffic < sim->config.traffic_count);
    struct flow *flow = flow_new(&worker->flows, id);
    if (!flow) {
        worker->out_of_memory = true;
        return NULL;
    }
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
    flow->packet_ecn = request->packet_ecn;
    flow->tc = request->packet_bytes ? request->packet_tc : sim_flow_class(&sim->config, flow->transport, id);
    flow->sender_due_ps = flow->sender_wake_ps = WEIR_NEVER;
    flow->receiver_due_ps = flow->receiver_wake_ps = WEIR_NEVER;
    flow->finish_ps = flow->acked_ps = WEIR_NEVER;
    flow_cut(flow, sim->config.wire.mss_bytes);
    flow_show(flow);
    return flow;
}

bool sim_flow_start(void *context, uint32_t id, const struct flow_request *request)
{
    struct sim_worker *worker = context;
    const struct sim *sim = worker->sim;
    struct flow *flow = sim_flow_make(worker, id, request);
    if (!flow)
        return false;
    flow->at_run_time = worker->at_host || sim->config.traffic[flow->traffic].kind == TRAFFIC_MESSAGES;
    flow_set_ideal(sim, flow);
    worker->flows_started++;
    if (sim->ranks)
        post_flow_begins(worker, flow);
    struct host *host = nodes_host(worker->sim, sim_flow_host(sim, request));
    if (host)
        host_flow_starts(host, flow, worker->event_ps);
    return host;
}

static bool sink_wake(void *context, uint32_t host, uint32_t traffic, weir_ps when)
{
    struct sim_worker *worker = context;
    struct host *woken = nodes_host(worker->sim, host);
    if (woken)
        host_wake(woken, traffic, when);
    return !worker->out_of_memory;
}

/* For what traffic starts at a host of the worker, until its at_host is false again. */
static struct traffic_sink flow_sink(struct sim_worker *worker, weir_ps now)
{
    worker->event_ps = now;
    worker->at_host = true;
    return (struct traffic_sink){.context = worker, .start = sim_flow_start, .wake = sink_wake};
}

void sim_flow_ended(struct sim_worker *worker, const struct flow *flow, bool receiver, weir_ps now)
{
    const struct traffic_settings *traffic = &worker->sim->config.traffic[flow->traffic];
    if (!traffic_is_closed(traffic))
        return;
    const struct flow_ended ended = {flow->traffic, flow->source,     flow->destination,
                                     flow->cookie,  flow->is_request, flow->group};
    if ((worker->sim->workers > 1 || worker->sim->ranks) && traffic_is_joint(traffic)) {
        worker_note_end(worker, &(struct flow_end){ended, now, receiver});
        return;
    }
    const struct traffic_sink sink = flow_sink(worker, now);
    if (!traffic_ended(worker->sim->traffic, &ended, receiver, now, &sink))
        worker->out_of_memory = true;
    worker->at_host = false;
}

void sim_traffic_woken(struct sim_worker *worker, uint32_t traffic, uint32_t host, weir_ps now)
{
    const struct traffic_sink sink = flow_sink(worker, now);
    if (!traffic_woken(worker->sim->traffic, traffic, host, now, &sink))
        worker->out_of_memory = true;
    worker->at_host = false;
    worker_happened(worker, now);
}

/* With other ranks each end makes a half of it: counts of the other one are 0, and times WEIR_NEVER. */
static bool flow_record(struct sim_worker *worker, const struct flow *flow)
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
        .acked_ps = flow->transport->kind->ack ? flow->acked_ps : WEIR_NEVER,
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
    return records_add(flow->is_copy ? &worker->post.halves : &worker->records, &record);
}

/*
 * What was lost within a window of the flow's end still counts. A flow that closes in this window may be seen open or
 * closed, and both give the same.
 */
static void flow_count_loss(const struct sim *sim, struct flow *flow, weir_ps now)
{
    if (flow_is_closed(flow) && now >= flow->closed_ps + sim->linger_ps)
        return;
    if (sim->workers > 1)
        __atomic_fetch_add(&flow->lost, 1, __ATOMIC_RELAXED);
    else
        flow->lost++;
}

/*
 * A packet of the flow that is still under way must find it ended or not by its time of arrival or loss alone, and not
 * by which node ran first in a window. So the memory is kept for the length of a window (see host_is_stray_data), and
 * losses are counted so long: the record is made when they are known.
 */
void sim_flow_close(struct sim_worker *worker, struct flow *flow, weir_ps now)
{
    if (worker->sim->ranks)
        post_flow_note(worker, flow, POST_CLOSED, now);
    sim_flow_close_here(worker, flow, now);
}

void sim_flow_close_here(struct sim_worker *worker, struct flow *flow, weir_ps now)
{
    assert(!flow_is_closed(flow));
    if (flow->packet_bytes) {
        /* A listed packet leaves no record: it is counted with the others of its tag. */
        struct measure_packets *listed = &worker->measure->listed[flow->tag];
        struct flow_packets packets = flow->transport->kind->packets(flow);
        listed->sent += packets.sent;
        listed->delivered += packets.delivered;
        listed->bytes += (uint64_t)flow->delivered_bytes;
        listed->delay_sum_ps += packets.delay_max_ps; /* its only one */
        if (packets.delay_max_ps > listed->delay_max_ps)
            listed->delay_max_ps = packets.delay_max_ps;
    }
    flow_set_closed(flow, now);
    flow_list_append(&worker->closed, flow);
}

void sim_flow_lost(struct sim_worker *worker, struct flow *flow, weir_ps now)
{
    flow_count_loss(worker->sim, flow, now);
    if (flow->packet_bytes && flow->sender_done && !flow->receiver_done && !flow_is_closed(flow))
        sim_flow_close(worker, flow, now);
}

void sim_packet_lost(struct sim_worker *worker, struct packet *packet, weir_ps now)
{
    struct flow *flow = packet->flow;
    measure_loss(&worker->measure->tag[packet->tag], now);
    if (worker->defers)
        worker_note_loss(worker, flow, packet->flow_id, now);
    else if (flow_id(flow) == packet->flow_id)
        sim_flow_lost(worker, flow, now);
    else if (worker->sim->ranks)
        post_flow_lost(worker, flow, packet->flow_id, now);
    packet_delete(&worker->packets, packet);
    worker_happened(worker, now);
}

/* Another node may look at the flow in this window, so that only the next one uses its memory again. */
static void flow_release(struct sim_worker *worker, struct flow *flow)
{
    bool measured = !flow->packet_bytes && !flow->is_request; /* else it is counted, or what it asked for is measured */
    if (measured && !flow_record(worker, flow))
        worker->out_of_memory = true;
    if (flow->transport->kind->close)
        flow->transport->kind->close(&worker->sim->hosts[sim_flow_node(worker->sim, flow)], flow);
    if (worker->sim->ranks)
        post_flow_releases(worker, flow->id);
    flow_set_id(flow, 0);
    flow_list_append(&worker->resting, flow);
}

void sim_flows_release(struct sim_worker *worker, bool all)
{
    const weir_ps linger_ps = worker->sim->linger_ps;
    while (worker->resting.head)
        flow_delete(&worker->flows, flow_list_take(&worker->resting));
    while (worker->closed.head && (all || worker->closed.head->closed_ps + linger_ps <= worker->now_ps))
        flow_release(worker, flow_list_take(&worker->closed));
}
