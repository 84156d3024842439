/*
 * sim_checks.c - see sim_checks.h. The rules are written from what a network is, not from how the simulator works: a
 * link carries one packet at a time, nothing is faster than alone in the network, bytes arrive once.
 */
#include "sim_checks.h"

#include <inttypes.h>
#include <stdio.h>

#include "sim/digest.h"
#include "sim/parallel/balance.h"
#include "sim/transport/tcp.h"
#include "sim/transport/udp.h"

#define ANY_TAG UINT32_MAX

/* A link delivers in the order of sending, each packet at least its own serialisation after the one before. */
static const char *check_link(const struct sim *sim, uint32_t number, char message[WEIR_MESSAGE_MAX])
{
    const struct link *link = &sim->links[number];
    const struct link_packet *head = link_is_empty(link) ? NULL : link_place(link, link->arrived);
    snprintf(message, WEIR_MESSAGE_MAX, "link %u", number);
    if (*link->arrives != (head != NULL ? head->when : WEIR_NEVER))
        return "the first packet of a link is announced";
    if (head != NULL && *link->wake > head->when)
        return "a node wakes for its arrivals";
    for (uint64_t i = link->arrived; i + 1 < link->packets; i++) {
        const struct link_packet *next = link_place(link, i + 1);
        if (next->when - link_place(link, i)->when < link_time(link, next->packet->bytes))
            return "packets follow each other at the link's rate";
    }
    return NULL;
}

/* So many bytes take so much time. The last packet may still be on its way, and a link that failed counts what it took
 * from its device queue; times are rounded down per packet. */
static const char *check_rate(const struct sim *sim, uint32_t number, char message[WEIR_MESSAGE_MAX])
{
    const struct link *link = &sim->links[number];
    double largest = UINT16_MAX;
    uint32_t device = 0;
    for (uint32_t tier = 0; tier < sim->config.tier_count && sim->config.change_count > 0; tier++)
        device = sim->config.tiers[tier].device_packets > device ? sim->config.tiers[tier].device_packets : device;
    double wire_bytes =
        (double)link->bytes + (double)link->packets * link->gap_bytes - (1.0 + device) * (largest + link->gap_bytes);
    double needed_ps = wire_bytes * 8e12 / (double)link->rate_bps;
    double rounding_ps = (double)link->packets * (1 + largest / (1 << LINK_FRACTION_BITS));
    snprintf(message, WEIR_MESSAGE_MAX, "link %u: %" PRIu64 " bytes in %" PRId64 " ps", number, link->bytes,
             link->free_ps);
    return needed_ps > (double)link->free_ps + rounding_ps ? "a link carries no more than its rate" : NULL;
}

static const char *check_memories(const struct sim *sim, char message[WEIR_MESSAGE_MAX])
{
    for (uint32_t s = 0; s < sim->config.topology->switches; s++) {
        for (uint32_t m = 0; m < sim->switches[s].memories; m++) {
            const char *problem = weir_mmu_check(weir_switch_mmu(sim->switches[s].sw, m));
            snprintf(message, WEIR_MESSAGE_MAX, "switch %u MMU %u: %s", s, m, problem != NULL ? problem : "");
            if (problem != NULL)
                return "an MMU is whole";
        }
    }
    return NULL;
}

/* What a switch knows of its ports and MMUs is so, and it wakes in time for it. */
static const char *check_switch(const struct sim *sim, uint32_t s, char message[WEIR_MESSAGE_MAX])
{
    const struct switch_node *node = &sim->switches[s];
    weir_ps wake = sim->wake[sim->slot[node->node]];
    snprintf(message, WEIR_MESSAGE_MAX, "switch %u, wakes at %" PRId64, s, wake);
    for (uint32_t p = 0; p < node->ports; p++) {
        bool waits = node->port[p].state->backlog_mask & ~node->port[p].state->paused_mask;
        if (waits && (node->times[p] == WEIR_NEVER || node->times[p] > node->port[p].out->free_ps))
            return "a port sends as soon as it can";
        if (wake > node->times[p] || wake > node->times[node->ports + p] || wake > node->times[2 * node->ports + p])
            return "a switch wakes for its ports";
    }
    for (uint32_t m = 0; node->expel_ps != NULL && m < node->memories; m++)
        if (node->expel_ps[m] != weir_mmu_next_event(weir_switch_mmu(node->sw, m)) || wake > node->expel_ps[m])
            return "a switch expels when its MMU wants to";
    return wake > node->next_probe_ps ? "a switch wakes for its probes" : NULL;
}

/* Its receiver waits for the answer to its request. */
static bool is_asking(const struct flow *flow)
{
    const struct transport *kind = flow->transport->kind;
    bool asks = kind->starts_at_receiver != NULL && kind->starts_at_receiver(flow->transport);
    return asks && !tcp_receiver(flow)->answered && flow->receiver_wake_ps != WEIR_NEVER;
}

/* A flow that has not ended may send, or waits for a moment. */
static const char *check_flows(const struct sim *sim, char message[WEIR_MESSAGE_MAX])
{
    const struct flow *flow;
    for (uint32_t i = 0; (flow = flow_at(&sim->worker[0]->flows, i)) != NULL; i++) {
        bool under_way = flow->id != 0 && !flow->sender_done && flow->start_ps < sim->now;
        snprintf(message, WEIR_MESSAGE_MAX, "flow %u, started at %" PRId64, flow->id, flow->start_ps);
        if (under_way && !flow->ready && flow->sender_wake_ps == WEIR_NEVER && !is_asking(flow))
            return "a flow is not forgotten";
    }
    return NULL;
}

const char *sim_check_running(struct sim *sim, char message[WEIR_MESSAGE_MAX])
{
    const char *fault = NULL;
    for (uint32_t i = 0; fault == NULL && i < 2 * sim->config.topology->link_count; i++) {
        fault = check_link(sim, i, message);
        fault = fault != NULL ? fault : check_rate(sim, i, message);
    }
    if (fault == NULL)
        fault = check_memories(sim, message);
    for (uint32_t i = 0; fault == NULL && i < sim->config.topology->switches; i++)
        fault = check_switch(sim, i, message);
    if (fault == NULL)
        fault = sim_check_flow_control(sim, message);
    if (fault == NULL)
        fault = check_flows(sim, message);
    if (fault == NULL && !balance_check(sim)) {
        snprintf(message, WEIR_MESSAGE_MAX, "%s", sim_error(sim)->text);
        fault = "packets add up";
    }
    return fault;
}

/* The ideal is of one of the shortest paths: it bounds a flow from below if there is no other, or all are alike. */
static bool ideal_is_bound(const struct sim *sim, const struct flow_record *r)
{
    const struct topology *t = sim->config.topology;
    if (sim->config.change_count > 0 || sim->config.traffic[r->traffic].kind == TRAFFIC_PACKETS)
        return false;
    if (sim->config.hosts.drift_ppm > 0) /* the ideal is of nominal rates, and a clock may be fast */
        return false;
    uint32_t at = sim->routes.host_switch[r->source], to = sim->routes.host_switch[r->destination];
    while (at != to) {
        struct routes_group group = routes_group(&sim->routes, at, to);
        uint32_t first = sim->routes.port_first[at];
        const struct topology_link *link = &t->links[sim->routes.port_link[first + sim->routes.ports[group.first]]];
        if (group.count != 1)
            return false;
        at = topology_far_end(link, t->hosts + at) - t->hosts;
    }
    return true;
}

/* Flows of one tag and traffic have one transport, but for long-lived ones of the same tag. */
static const struct sim_transport *record_transport(const struct sim *sim, const struct flow_record *r)
{
    const struct traffic_settings *traffic = &sim->config.traffic[r->traffic];
    bool is_long = traffic->long_share > 0 && r->tag == traffic->long_tag;
    return &sim->config.transports[is_long ? traffic->long_transport : traffic->transport];
}

static const char *check_record(const struct sim *sim, const struct flow_record *r)
{
    const struct traffic_settings *traffic = &sim->config.traffic[r->traffic];
    const struct sim_transport *transport = record_transport(sim, r);
    bool feedback = transport->kind->ack != NULL;
    bool finished = r->finish_ps != WEIR_NEVER;
    weir_ps asked_ps = r->start_ps - r->wait_ps;
    if (!feedback && udp_params(transport)->exponential_sizes)
        return NULL; /* its bytes are only a mean */
    if (r->delivered_bytes < 0 || r->delivered_bytes > r->bytes)
        return "no byte is delivered twice";
    if (feedback && finished != (r->delivered_bytes == r->bytes))
        return "a flow is finished when every byte is delivered";
    if (finished && r->delivered_bytes != r->bytes)
        return "a finished flow delivered its bytes";
    if (!feedback && r->packets + r->lost > r->sent)
        return "a packet that is lost does not arrive";
    if (asked_ps < traffic->from_ps || asked_ps >= traffic->until_ps || asked_ps >= sim->config.until_ps)
        return "flows start while their traffic lasts";
    if (finished && (r->finish_ps <= r->start_ps || r->finish_ps >= sim->config.until_ps))
        return "flows finish after their start and before the end";
    if (finished && ideal_is_bound(sim, r) && r->finish_ps - r->start_ps < r->ideal_ps)
        return "no flow is faster than alone";
    return NULL;
}

static bool has_requests(const struct sim *sim)
{
    for (uint32_t i = 0; i < sim->config.traffic_count; i++)
        if (sim->config.traffic[i].request_bytes > 0)
            return true;
    return false;
}

/* Listed packets leave no records; true when a tag (ANY_TAG: any) has some. */
static bool has_packets(const struct sim *sim, uint32_t tag)
{
    for (uint32_t i = 0; i < sim->config.traffic_count; i++)
        if (sim->config.traffic[i].kind == TRAFFIC_PACKETS && (tag == ANY_TAG || sim->config.traffic[i].tag == tag))
            return true;
    return false;
}

static const char *check_records(const struct sim *sim, char message[WEIR_MESSAGE_MAX])
{
    const struct records *records = sim_records(sim);
    snprintf(message, WEIR_MESSAGE_MAX, "%u records, %" PRIu64 " started", records->count,
             sim_totals(sim).flows_started);
    if (records->count != sim_totals(sim).flows_started && !has_packets(sim, ANY_TAG) && !has_requests(sim))
        return "every flow has a record";
    for (uint32_t i = 0; i < records->count; i++) {
        const struct flow_record *r = &records->at[i];
        const char *fault = check_record(sim, r);
        snprintf(message, WEIR_MESSAGE_MAX,
                 "flow %u: traffic %u, %" PRId64 " of %" PRId64 " bytes from %" PRId64 " to %" PRId64
                 ", ideal %" PRId64,
                 r->id, r->traffic, r->delivered_bytes, r->bytes, r->start_ps, r->finish_ps, r->ideal_ps);
        if (fault != NULL)
            return fault;
        if (i > 0 && r->id <= r[-1].id)
            return "records are sorted by ids, which are unique";
    }
    return NULL;
}

/* The goodput of a tag is what its flows delivered. */
static const char *check_goodput(const struct sim *sim, char message[WEIR_MESSAGE_MAX])
{
    const struct measure *m = sim_measure(sim);
    for (uint32_t tag = 0; m->goodput != NULL && tag < m->tag_count; tag++) {
        int64_t series = 0, flows = 0;
        for (uint32_t bin = 0; bin < m->goodput_bins; bin++)
            series += m->goodput[tag][bin];
        for (uint32_t i = 0; i < sim_records(sim)->count; i++)
            flows += sim_records(sim)->at[i].tag == tag ? sim_records(sim)->at[i].delivered_bytes : 0;
        snprintf(message, WEIR_MESSAGE_MAX, "tag %u: %" PRId64 " in the series, %" PRId64 " in records", tag, series,
                 flows);
        if (series < flows || (series > flows && !has_packets(sim, tag)))
            return "goodput is what flows delivered";
    }
    return NULL;
}

/* What is known of a tag agrees with its flows; losses of flows that are gone belong to their tag alone. */
static const char *check_tags(const struct sim *sim, char message[WEIR_MESSAGE_MAX])
{
    const struct measure *m = sim_measure(sim);
    for (uint32_t tag = 0; tag < m->tag_count; tag++) {
        uint64_t lost = 0, delivered = m->listed[tag].delivered, delays = 0;
        for (uint32_t i = 0; i < sim_records(sim)->count; i++) {
            const struct flow_record *r = &sim_records(sim)->at[i];
            lost += r->tag == tag ? r->lost : 0;
            delivered += r->tag == tag ? r->packets : 0;
        }
        for (uint32_t bin = 0; m->tag[tag].delays != NULL && bin < MEASURE_DELAY_BINS; bin++)
            delays += m->tag[tag].delays[bin];
        snprintf(message, WEIR_MESSAGE_MAX,
                 "tag %u: %" PRIu64 " lost, %" PRIu64 " of flows, %" PRIu64 " delays of %" PRIu64, tag,
                 m->tag[tag].lost, lost, delays, delivered);
        if (lost > m->tag[tag].lost || (m->tag[tag].lost > 0) != (m->tag[tag].first_loss_ps < sim->config.until_ps))
            return "what flows lose, their tag loses";
        if (delays != delivered)
            return "each delivered packet has a delay";
    }
    return NULL;
}

uint64_t sim_check_digest(const struct sim *sim)
{
    const struct measure *m = sim_measure(sim);
    struct digest digest;
    digest_init(&digest);
    digest_u64(&digest, sim_digest(sim));
    sim_check_digest_flow_control(&digest, sim);
    for (uint32_t i = 0; i < sim_records(sim)->count; i++)
        digest_u64(&digest, sim_records(sim)->at[i].lost);
    for (uint32_t tag = 0; tag < m->tag_count; tag++) {
        digest_u64(&digest, m->tag[tag].lost);
        digest_u64(&digest, (uint64_t)m->tag[tag].first_loss_ps);
        digest_u64(&digest, (uint64_t)m->tag[tag].delay_min_ps);
        for (uint32_t bin = 0; m->tag[tag].delays != NULL && bin < MEASURE_DELAY_BINS; bin++)
            digest_u64(&digest, m->tag[tag].delays[bin]);
    }
    return digest_value(&digest);
}

static const char *check_probe(const struct sim *sim, uint32_t number)
{
    const struct sim_probe *probe = &sim->config.probes[number];
    const struct series *series = &sim_measure(sim)->probe[number];
    if (series->count > probe->points_max)
        return "a probe stops at its most points";
    for (uint32_t i = 0; i < series->count; i++) {
        const struct series_point *point = &series->points[i];
        if (point->when < probe->from_ps || point->when >= probe->until_ps || point->when >= sim->config.until_ps)
            return "a probe keeps to its time";
        if (i > 0 && point->when < point[-1].when)
            return "a series is in order";
        if (i > 0 && probe->interval_ps > 0 && point->when - point[-1].when != probe->interval_ps)
            return "a probe keeps its interval";
        if (point->queue_cells < 0 || point->queue_cells > point->used_cells)
            return "a queue is part of what is used";
    }
    return NULL;
}

/* Time goes on while a flow with feedback has not finished. With a failed link it may wait for ever. */
static const char *check_liveness(const struct sim *sim, char message[WEIR_MESSAGE_MAX])
{
    for (uint32_t i = 0; i < sim->nodes; i++)
        if (sim->wake[sim->slot[i]] != WEIR_NEVER || sim->config.change_count > 0)
            return NULL;
    for (uint32_t i = 0; i < sim_records(sim)->count; i++) {
        const struct flow_record *r = &sim_records(sim)->at[i];
        const struct sim_transport *transport = record_transport(sim, r);
        snprintf(message, WEIR_MESSAGE_MAX, "flow %u", r->id);
        if (transport->kind->ack != NULL && r->finish_ps == WEIR_NEVER)
            return "a flow finishes in the end";
    }
    return NULL;
}

const char *sim_check_done(struct sim *sim, char message[WEIR_MESSAGE_MAX])
{
    const char *fault = sim_check_running(sim, message);
    if (fault == NULL)
        fault = check_records(sim, message);
    if (fault == NULL)
        fault = check_goodput(sim, message);
    if (fault == NULL)
        fault = check_tags(sim, message);
    if (fault == NULL)
        fault = check_liveness(sim, message);
    for (uint32_t i = 0; fault == NULL && i < sim->config.probe_count; i++) {
        snprintf(message, WEIR_MESSAGE_MAX, "probe %u", i);
        fault = check_probe(sim, i);
    }
    return fault;
}
