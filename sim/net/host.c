/*
 * host.c - the events of a host in their order: at one moment the NIC sends, then packets arrive, then flow control
 * acts, then timers, then flows start. See host.h; flow control is in host_pfc.c.
 *
 * Timers are a binary heap by time. Those of one moment act in an order drawn for it, by a hash of the flow and its
 * end: of flows that are paced alike none is always first. A flow's due time is moved later without touching the heap:
 * the host looks at the flow at the old time, finds it not yet due and looks again later. So a retransmission timer
 * costs the heap once per timeout period, not once per ACK.
 */
#include <stdlib.h>

#include "sim/net/flows.h"
#include "sim/net/host_nic.h"
#include "sim/net/host_pfc.h"
#include "sim/net/network.h"

static bool timer_before(const struct host *host, const struct host_timer *a, const struct host_timer *b)
{
    if (a->when != b->when)
        return a->when < b->when;
    uint64_t moment = weir_hash(host->tie_salt, (uint64_t)a->when);
    return weir_hash(moment, (uint64_t)a->flow_id * 2 + a->receiver) <
           weir_hash(moment, (uint64_t)b->flow_id * 2 + b->receiver);
}

static bool timers_grow(struct host *host)
{
    uint32_t room = host->timer_room ? host->timer_room * 2 : 8;
    struct host_timer *timers = realloc(host->timers, room * sizeof(*timers));
    if (!timers)
        return false;
    host->timers = timers;
    host->timer_room = room;
    return true;
}

static void timers_push(struct host *host, struct host_timer timer)
{
    if (host->timer_count == host->timer_room && !timers_grow(host)) {
        host->worker->out_of_memory = true;
        return;
    }
    uint32_t at = host->timer_count++;
    for (; at > 0 && timer_before(host, &timer, &host->timers[(at - 1) / 2]); at = (at - 1) / 2)
        host->timers[at] = host->timers[(at - 1) / 2];
    host->timers[at] = timer;
    host->other_ps = timer.when < host->other_ps ? timer.when : host->other_ps;
}

static struct host_timer timers_pop(struct host *host)
{
    struct host_timer first = host->timers[0];
    struct host_timer last = host->timers[--host->timer_count];
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= host->timer_count)
            break;
        if (child + 1 < host->timer_count && timer_before(host, &host->timers[child + 1], &host->timers[child]))
            child++;
        if (!timer_before(host, &host->timers[child], &last))
            break;
        host->timers[at] = host->timers[child];
        at = child;
    }
    host->timers[at] = last;
    return first;
}

/* Looks at the flow at `when`; an earlier look makes this one unnecessary. */
static void timers_look(struct host *host, struct flow *flow, bool receiver, weir_ps when)
{
    weir_ps *wake = receiver ? &flow->receiver_wake_ps : &flow->sender_wake_ps;
    if (when >= *wake)
        return;
    *wake = when;
    uint32_t id = receiver ? flow->seen.id : flow->id;
    timers_push(host, (struct host_timer){.when = when, .flow = flow, .flow_id = id, .receiver = receiver});
}

void host_sender_timer(struct host *host, struct flow *flow, weir_ps due)
{
    flow->sender_due_ps = due;
    timers_look(host, flow, false, due);
}

void host_receiver_timer(struct host *host, struct flow *flow, weir_ps due)
{
    flow->receiver_due_ps = due;
    timers_look(host, flow, true, due);
}

void host_wake(struct host *host, uint32_t traffic, weir_ps when)
{
    host->worker->wakes++;
    timers_push(host, (struct host_timer){.when = when, .flow_id = traffic});
    sim_wake(host->sim, host->id, when);
}

void host_timers_act(struct host *host, weir_ps now)
{
    struct host_timer timer = timers_pop(host);
    struct flow *flow = timer.flow;
    if (!flow) {
        host->worker->wakes--;
        sim_traffic_woken(host->worker, timer.flow_id, host->id, now);
        return;
    }
    if ((timer.receiver ? flow_seen_id(flow) : flow_id(flow)) != timer.flow_id)
        return;
    weir_ps *wake = timer.receiver ? &flow->receiver_wake_ps : &flow->sender_wake_ps;
    weir_ps *due = timer.receiver ? &flow->receiver_due_ps : &flow->sender_due_ps;
    if (*wake != timer.when)
        return; /* replaced by an earlier look */
    *wake = WEIR_NEVER;
    if (*due > now) {
        if (*due != WEIR_NEVER)
            timers_look(host, flow, timer.receiver, *due);
        return;
    }
    *due = WEIR_NEVER;
    if (timer.receiver)
        flow->seen.transport->kind->receiver_timer(host, flow, now);
    else
        flow->transport->kind->sender_timer(host, flow, now);
}

PACKET_PATH void host_transmit(struct host *host, struct packet *packet, weir_ps now, bool follows)
{
    if (follows)
        follow_sent(host, packet, now);
    if (!link_send(host->out, packet, packet->bytes, now))
        host->worker->out_of_memory = true;
}

static bool host_is_strict(const struct host *host)
{
    return host->nic && host->nic->kind == SIM_NIC_STRICT;
}

static void host_line_up(struct host *host, struct flow *flow)
{
    if (host_is_strict(host))
        host_nic_insert_flow(host, flow);
    else
        flow_list_append(&host->ready, flow);
}

struct packet *host_emit(struct host *host, bool stays, weir_ps now)
{
    struct sim_worker *worker = host->worker;
    struct packet *packet = packet_new(&worker->packets);
    if (!packet) {
        worker->out_of_memory = true;
        host->ready.head = NULL;
        return NULL;
    }
    struct flow *flow = host->ready.head;
    packet->flags = 0;
    enum transport_more more = flow->transport->kind->emit(host, flow, packet, now);
    if (more != TRANSPORT_MORE || !stays)
        flow_list_take(&host->ready);
    if (more != TRANSPORT_MORE)
        flow->ready = false;
    else if (!stays)
        host_line_up(host, flow);
    if (more == TRANSPORT_NOTHING) {
        packet_delete(&worker->packets, packet);
        packet = NULL;
    } else {
        packet->flow = flow;
        packet->flow_id = flow->id;
        packet->destination = flow->destination;
        packet->tc = flow->tc;
        packet->tag = flow->tag;
        packet->sent_ps = now;
        worker->measure->made++;
        worker->measure->tag[flow->tag].sent_bytes += packet->bytes;
    }
    if (flow->sender_done && flow->receiver_done && !flow->ready)
        sim_flow_close(worker, flow, now);
    return packet;
}

/* Feedback goes before data; with priorities, before data of its class. */
static bool host_sends_control(const struct host *host)
{
    if (!host->control.head || !host->ready.head || !host_is_strict(host))
        return host->control.head;
    return host->control.head->tc >= host->ready.head->tc;
}

PACKET_PATH void host_send_next(struct host *host, weir_ps now, bool follows)
{
    struct packet *packet = NULL;
    if (host->pfc)
        host_pfc_set_aside(host);
    if (host_sends_control(host)) {
        packet = packet_list_take(&host->control);
        if (host->nic && host->nic->kind == SIM_NIC_QUEUE)
            host_nic_leave(host, packet);
    } else if (host->ready.head) {
        packet = host_emit(host, host->sim->config.hosts.nic == SIM_NIC_FIFO, now);
    }
    if (packet)
        host_transmit(host, packet, now, follows);
}

/*
 * Packets whose flow has ended. The sender ends a flow; the receiver learns of it one window later, because within a
 * window neither end knows what the other one does.
 */
static bool host_is_stray_ack(const struct packet *packet)
{
    return flow_id(packet->flow) != packet->flow_id || flow_is_closed(packet->flow);
}

static bool host_is_stray_data(const struct host *host, const struct packet *packet, weir_ps now)
{
    const struct flow *flow = packet->flow;
    return flow_seen_id(flow) != packet->flow_id ||
           (flow_seen_closed(flow) && now >= flow->closed_ps + host->sim->linger_ps);
}

PACKET_PATH void host_arrival(struct host *host, weir_ps now, bool follows)
{
    struct sim_worker *worker = host->worker;
    struct packet *packet = link_take(host->in, &host->arrives);
    link_prefetch(host->in);
    struct flow *flow = packet->flow;
    if (__builtin_expect(packet->flags & (PACKET_PFC | PACKET_TRIMMED | PACKET_ERRED), 0)) {
        if (packet->flags & PACKET_PFC) {
            host_pfc_receive(host, packet, now);
            return;
        }
        if (packet->flags & PACKET_ERRED) {
            host->sim->links[(uint64_t)(host->out - host->sim->links) ^ 1].lost++;
            if (follows)
                follow_at_host(host, packet, SIM_PACKET_BROKEN, now);
            sim_packet_lost(worker, packet, now);
            return;
        }
        if (follows)
            follow_at_host(host, packet, SIM_PACKET_RECEIVED, now);
        follows = false;
        bool is_ack = packet->flags & PACKET_ACK;
        bool is_stray = is_ack ? host_is_stray_ack(packet) : host_is_stray_data(host, packet, now);
        if (!is_stray && (is_ack || !flow->seen.transport->kind->reads_trimmed)) {
            worker->measure->unread++;
            sim_packet_lost(worker, packet, now);
            return;
        }
    }
    if (follows)
        follow_at_host(host, packet, SIM_PACKET_RECEIVED, now);
    worker->measure->delivered++;
    worker_happened(worker, now);
    if (packet->flags & PACKET_ACK) {
        if (!host_is_stray_ack(packet))
            flow->transport->kind->ack(host, flow, packet, now);
        else
            worker->measure->strays++;
    } else if (!host_is_stray_data(host, packet, now)) {
        flow->seen.transport->kind->data(host, flow, packet, now);
    } else {
        worker->measure->strays++;
    }
    packet_delete(&worker->packets, packet);
}

static void host_start(struct host *host, weir_ps now)
{
    struct flow *flow = flow_list_take(&host->starts);
    flow->transport->kind->open(host, flow, now);
}

/* The NIC's next event: when it may send, if it has anything to. */
static weir_ps host_nic_time(const struct host *host, weir_ps now)
{
    if ((!host->control.head && !host->ready.head) || !host->out->up)
        return WEIR_NEVER;
    return host->out->free_ps > now ? host->out->free_ps : now;
}

/* What is due now and is neither the NIC's nor the link's. */
static void host_act(struct host *host, weir_ps now)
{
    if (host->frame_ps == now)
        host_pfc_act(host, now);
    else if (host_timers_next(host) == now)
        host_timers_act(host, now);
    else
        host_start(host, now);
    host_settle(host);
}

PACKET_PATH weir_ps host_run_as(struct host *host, weir_ps end, bool follows)
{
    weir_ps now = host->worker->now_ps;
    for (;;) {
        if (host->nic)
            host_nic_prepare(host, now);
        weir_ps nic = host_nic_time(host, now);
        weir_ps network = nic <= host->arrives ? nic : host->arrives;
        now = network <= host->other_ps ? network : host->other_ps;
        if (now >= end || host->worker->out_of_memory)
            return now;
        if (nic == now)
            host_send_next(host, now, follows);
        else if (host->arrives == now)
            host_arrival(host, now, follows);
        else
            host_act(host, now);
    }
}

/* Compiled twice: whoever follows no packet pays nothing. */
weir_ps host_run(struct host *host, weir_ps end)
{
    return host->sim->config.follow ? host_run_as(host, end, true) : host_run_as(host, end, false);
}

void host_flow_ready(struct host *host, struct flow *flow)
{
    if (flow->ready)
        return;
    flow->ready = true;
    host_line_up(host, flow);
}

static bool starts_before(const struct flow *a, const struct flow *b)
{
    return a->start_ps < b->start_ps || (a->start_ps == b->start_ps && !a->at_run_time && b->at_run_time);
}

/* By time; of the same moment those that were drawn first, however far ahead they were. Nearly always the last. */
static void host_list_start(struct host *host, struct flow *flow)
{
    struct flow_list *starts = &host->starts;
    host->other_ps = flow->start_ps < host->other_ps ? flow->start_ps : host->other_ps;
    if (!starts->head || !starts_before(flow, starts->tail)) {
        flow_list_append(starts, flow);
        return;
    }
    struct flow **at = &starts->head;
    while (!starts_before(flow, *at))
        at = &(*at)->next;
    flow->next = *at;
    *at = flow;
}

void host_flow_starts(struct host *host, struct flow *flow, weir_ps now)
{
    if (flow->start_ps <= now) {
        flow->transport->kind->open(host, flow, now);
        return;
    }
    host_list_start(host, flow);
    sim_wake(host->sim, host->id, flow->start_ps);
}

struct packet *host_feedback(struct host *host, struct flow *flow)
{
    struct packet *packet = packet_new(&host->worker->packets);
    if (!packet) {
        host->worker->out_of_memory = true;
        return NULL;
    }
    packet->flow = flow;
    packet->flow_id = flow->seen.id;
    packet->destination = flow->seen.source;
    packet->tc = flow->seen.transport->ack_class;
    packet->bytes = (uint16_t)host->sim->config.wire.ack_bytes;
    packet->flags = PACKET_ACK;
    packet->tag = flow->seen.tag;
    host->worker->measure->made++;
    return packet;
}

struct packet *host_control(struct host *host, struct flow *flow)
{
    struct packet *packet = host_feedback(host, flow);
    if (packet) {
        packet->destination = flow->destination;
        packet->flags = 0;
    }
    return packet;
}

void *host_shared(struct host *host, size_t bytes)
{
    if (!host->shared && !(host->shared = calloc(1, bytes)))
        host->worker->out_of_memory = true;
    return host->shared;
}

void host_count(struct host *host, uint32_t tag, uint32_t what)
{
    host->worker->measure->tag[tag].counts[what]++;
}

void host_send(struct host *host, struct packet *packet)
{
    if (!host->nic)
        packet_list_append(&host->control, packet);
    else if (host->nic->kind == SIM_NIC_QUEUE)
        packet_list_append(&host->nic->control, packet);
    else if (host->nic->kind == SIM_NIC_STRICT)
        host_nic_insert_control(host, packet, false);
    else
        packet_list_append(&host->control, packet);
}

void host_sender_done(struct host *host, struct flow *flow, weir_ps now)
{
    struct sim_worker *worker = host->worker;
    flow->sender_done = true;
    flow->acked_ps = now;
    worker->flows_ended++;
    if (worker->sim->ranks)
        post_flow_note(worker, flow, POST_SENDER_DONE, now);
    sim_flow_ended(worker, flow, false, now);
    if (flow->receiver_done && !flow->ready)
        sim_flow_close(worker, flow, now);
}

void host_receiver_done(struct host *host, struct flow *flow, weir_ps now)
{
    struct sim_worker *worker = host->worker;
    bool last = flow->sender_done;
    flow->receiver_done = true;
    flow->finish_ps = now;
    if (worker->sim->ranks)
        post_flow_note(worker, flow, POST_RECEIVER_DONE, now);
    sim_flow_ended(worker, flow, true, now);
    if (last && !flow->ready)
        sim_flow_close(worker, flow, now);
}

void host_delivered(struct host *host, struct flow *flow, uint32_t bytes, weir_ps now)
{
    flow->delivered_bytes += bytes;
    const struct measure *m = host->worker->measure;
    if (m->goodput && !flow->seen.is_request)
        m->goodput[flow->seen.tag][now / host->sim->config.goodput_interval_ps] += bytes;
}

void host_delayed(struct host *host, struct flow *flow, weir_ps delay_ps)
{
    measure_delay(&host->worker->measure->tag[flow->seen.tag], delay_ps);
}

const struct sim_wire *host_wire(const struct host *host)
{
    return &host->sim->config.wire;
}

uint64_t host_seed(const struct host *host)
{
    return host->sim->config.seed;
}

weir_bps host_rate(const struct host *host)
{
    return host->out->rate_bps;
}

weir_ps host_base_rtt(const struct host *host)
{
    return host->sim->base_rtt_ps;
}

struct telemetry_pool *host_telemetry(const struct host *host)
{
    return &host->worker->packets.telemetry;
}

uint32_t host_telemetry_new(struct host *host)
{
    uint32_t number = telemetry_new(&host->worker->packets.telemetry);
    if (number == TELEMETRY_NONE)
        host->worker->out_of_memory = true;
    return number;
}

void host_connection_take(struct host *host, struct flow *flow)
{
    flow->connection = connections_take(&host->worker->connections, flow);
    if (!flow->connection)
        host->worker->out_of_memory = true;
    else if (host->sim->ranks)
        post_flow_note(host->worker, flow, POST_CONNECTION, 0);
}

void host_connection_rest(struct host *host, struct flow *flow)
{
    if (!connections_rest(&host->worker->connections, flow, flow->connection))
        host->worker->out_of_memory = true;
}

uint64_t *host_words(struct host *host, uint32_t words)
{
    uint64_t *memory = calloc(words, sizeof(*memory));
    if (!memory)
        host->worker->out_of_memory = true;
    return memory;
}

void host_words_free(struct host *host, uint64_t *memory, uint32_t words)
{
    (void)host;
    (void)words;
    free(memory);
}
