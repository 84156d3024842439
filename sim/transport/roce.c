/*
 * roce.c - both ends of a RoCE-like flow: a paced go-back-N sender and a receiver without memory for packets out of
 * order, as the hardware of RDMA NICs has it.
 *
 * Pacing. A packet of b bytes (gap included) at rate r lets the next one leave b * 8 / r later. A NIC that is late by
 * less than that does not lower the rate: the schedule goes on from when the packet was due. What is later than that is
 * forgotten, so that a flow which was held back (by other flows, a window, or a pause) does not burst afterwards. At
 * the rate of the link there is no schedule, and no timer.
 *
 * Recovery. The receiver takes packets in order only. A NACK takes the sender back to the segment that is missing, and
 * everything from there on is sent again. When nothing is acknowledged for the timeout, the same happens from the first
 * segment that was not. There is no backoff. A flow that has its turn at the NIC looks at the timeout before each
 * packet and needs no timer for it; one that waits for anything else has the timer set.
 *
 * A pause does not stop the clock of the timeout: a NIC's transport knows nothing of its port's flow control. But a
 * flow that is held can send nothing again, so a timeout that falls into the hold acts after it, and not at all if an
 * ACK comes before. Where everything sent is acknowledged no time is measured, so that a hold alone is no timeout.
 *
 * A window, when there is one, bounds what is under way: a packet may leave while less than the window is. It lets at
 * least as many packets out as the receiver waits for before it acknowledges.
 *
 * One timer serves pacing and timeouts. A flow that is blocked by its window looks again after ROCE_LOOK_PS at the
 * latest instead of setting the timer to its far timeout: the next ACK would make that entry of the host's heap
 * worthless, and as many of them as there are packets in a timeout would pile up there.
 *
 * The receiver:
 *
 *   the segment expected next   taken; an ACK for every `ack_every` of them and for the last one
 *   one beyond it               dropped; a NACK for the first of a gap, then silence until the missing one arrives
 *   one before it               dropped; an ACK, because the earlier one may have been lost
 *   marked                      a CNP besides, at most one in `cnp_interval`
 *
 * A missing segment that is lost again is found by the sender's timeout. ACKs carry the sending time and the telemetry
 * of the packet that caused them. A NACK does too: it tells about the network what an ACK would.
 *
 * InfiniBand Architecture Specification 1, release 1.4, section 9.7 and annex 17 (CNP); R. Mittal et al., "Revisiting
 * Network Support for RDMA", SIGCOMM 2018, describes what NICs do. Deviation: sequence numbers are segments of the
 * flow, which is a single message, a queue pair is opened in no time, and a CNP has the size of an ACK.
 */
#include "sim/transport/roce.h"

#define ROCE_LOOK_PS (64 * WEIR_PS_PER_US)
#define ROCE_BITS_PS (8.0 * (double)WEIR_PS_PER_S) /* of a byte at 1 b/s */

static struct roce_event roce_event(const struct host *host, const struct flow *flow, weir_ps now)
{
    const struct roce_params *params = roce_params(flow->transport);
    return (struct roce_event){.params = params,
                               .line_bps = (double)host_rate(host),
                               .base_rtt_ps = params->base_rtt_ps ? params->base_rtt_ps : host_base_rtt(host),
                               .now = now};
}

static uint32_t roce_full_bytes(const struct host *host)
{
    const struct sim_wire *wire = host_wire(host);
    return wire->mss_bytes + wire->header_bytes + wire->gap_bytes;
}

/* True when something waits to be sent and the window has room for it. */
static bool roce_may_send(const struct host *host, const struct flow *flow)
{
    const struct roce_sender *s = roce_sender(flow);
    if (s->next == flow->segments)
        return false;
    uint32_t under_way = s->next - s->acked;
    return s->window_bytes == 0 || under_way < roce_params(flow->transport)->ack_every ||
           (double)under_way * roce_full_bytes(host) < s->window_bytes;
}

/* Sets the timer to whatever comes first of all that may have to be done without being asked. */
static void roce_arm(struct host *host, struct flow *flow, weir_ps now)
{
    const struct roce_sender *s = roce_sender(flow);
    weir_ps due = WEIR_NEVER;
    if (s->next > s->acked) {
        bool blocked = s->window_bytes > 0 && s->next < flow->segments;
        due = blocked && s->timeout_ps > now + ROCE_LOOK_PS ? now + ROCE_LOOK_PS : s->timeout_ps;
    }
    if (s->next_ps < due && roce_may_send(host, flow))
        due = s->next_ps;
    flow->sender_due_ps = due;
    if (due != WEIR_NEVER)
        host_sender_timer(host, flow, due > now ? due : now);
}

/* Goes to the NIC if it may send now, else sees to it that it does later. */
static void roce_go_on(struct host *host, struct flow *flow, weir_ps now)
{
    if (flow->ready)
        return;
    if (roce_sender(flow)->next_ps <= now && roce_may_send(host, flow))
        host_flow_ready(host, flow);
    else
        roce_arm(host, flow, now);
}

/* Everything again if nothing was heard for too long. The clock restarts with the first packet that leaves. */
static void roce_time_out(struct flow *flow, weir_ps now)
{
    struct roce_sender *s = roce_sender(flow);
    if (s->timeout_ps > now || s->next == s->acked)
        return;
    flow->timeouts++;
    s->next = s->acked;
}

static void roce_restart_timeout(struct flow *flow, weir_ps now)
{
    weir_ps timeout = roce_params(flow->transport)->rto_ps;
    roce_sender(flow)->timeout_ps = timeout ? now + timeout : WEIR_NEVER;
}

void roce_open(struct host *host, struct flow *flow, weir_ps now)
{
    const struct roce_control *control = flow->transport->kind->control;
    struct roce_sender *s = roce_sender(flow);
    struct roce_event event = roce_event(host, flow, now);
    *s = (struct roce_sender){.rate_bps = event.line_bps,
                              .next_ps = now,
                              .unscheduled = host_unscheduled(host, flow, event.params->unscheduled_bytes),
                              .timeout_ps = WEIR_NEVER,
                              .control = control,
                              .stamps = TELEMETRY_NONE};
    if (event.params->windowed)
        s->window_bytes = roce_window_of(&event, event.line_bps);
    if (control->open)
        control->open(s, &event);
    host_flow_ready(host, flow);
}

/* A packet of so many bytes leaves now: when may the next one? */
static void roce_pace(struct roce_sender *s, const struct roce_event *event)
{
    if (s->rate_bps >= event->line_bps) {
        s->next_ps = event->now;
        return;
    }
    weir_ps gap = (weir_ps)((double)event->bytes * ROCE_BITS_PS / s->rate_bps);
    s->next_ps = (event->now - s->next_ps < gap ? s->next_ps : event->now) + gap;
}

static void roce_fill(struct host *host, struct flow *flow, struct packet *packet)
{
    const struct sim_wire *wire = host_wire(host);
    struct roce_sender *s = roce_sender(flow);
    packet->segment = s->next++;
    packet->ack = 0;
    packet->bytes = (uint16_t)(flow_segment_bytes(flow, packet->segment, wire->mss_bytes) + wire->header_bytes);
    packet->flags = (s->control->ecn ? PACKET_ECN : 0) | (packet->segment < s->unscheduled ? PACKET_UNSCHEDULED : 0);
    if (packet->segment < s->fresh) {
        packet->flags |= PACKET_AGAIN;
        flow->again++;
    } else {
        s->fresh = s->next;
    }
    if (!s->control->telemetry)
        return;
    packet->telemetry = host_telemetry_new(host);
    if (packet->telemetry != TELEMETRY_NONE)
        packet->flags |= PACKET_TELEMETRY;
}

enum transport_more roce_emit(struct host *host, struct flow *flow, struct packet *packet, weir_ps now)
{
    struct roce_sender *s = roce_sender(flow);
    roce_time_out(flow, now);
    if (s->next_ps > now || !roce_may_send(host, flow)) {
        roce_arm(host, flow, now);
        return TRANSPORT_NOTHING;
    }
    if (s->next == s->acked)
        roce_restart_timeout(flow, now);
    roce_fill(host, flow, packet);
    struct roce_event event = roce_event(host, flow, now);
    event.bytes = packet->bytes + host_wire(host)->gap_bytes;
    if (s->control->on_send)
        s->control->on_send(s, &event);
    roce_pace(s, &event);
    if (s->next_ps <= now && roce_may_send(host, flow))
        return TRANSPORT_MORE;
    roce_arm(host, flow, now);
    return TRANSPORT_LAST;
}

/* Tells the control of an ACK; the stamps it brought become the last ones. */
static void roce_tell(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now)
{
    static const struct telemetry none;
    struct roce_sender *s = roce_sender(flow);
    struct roce_event event = roce_event(host, flow, now);
    event.ack = packet->ack;
    event.rtt_ps = now - packet->sent_ps;
    if (!s->control->telemetry) {
        s->control->on_ack(s, &event);
        return;
    }
    uint32_t *last = &s->stamps;
    if (!(packet->flags & PACKET_TELEMETRY))
        return;
    struct telemetry_pool *pool = host_telemetry(host);
    event.stamps = telemetry_at(pool, packet->telemetry);
    event.last = *last == TELEMETRY_NONE ? &none : telemetry_at(pool, *last);
    s->control->on_ack(s, &event);
    if (*last == TELEMETRY_NONE)
        *last = host_telemetry_new(host);
    if (*last != TELEMETRY_NONE)
        telemetry_copy(telemetry_at(pool, *last), telemetry_at(pool, packet->telemetry));
}

void roce_ack(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now)
{
    struct roce_sender *s = roce_sender(flow);
    if (packet->flags & PACKET_CNP) {
        struct roce_event event = roce_event(host, flow, now);
        if (s->control->on_cnp)
            s->control->on_cnp(s, &event);
        return;
    }
    bool advance = packet->ack > s->acked;
    if (advance) {
        s->acked = packet->ack;
        s->next = s->next > s->acked ? s->next : s->acked;
        roce_restart_timeout(flow, now);
    }
    if (s->acked == flow->segments) {
        flow->sender_due_ps = WEIR_NEVER;
        if (advance)
            host_sender_done(host, flow, now);
        return;
    }
    if (s->control->on_ack)
        roce_tell(host, flow, packet, now);
    if ((packet->flags & PACKET_NACK) && packet->ack == s->acked)
        s->next = s->acked;
    roce_go_on(host, flow, now);
}

void roce_sender_timer(struct host *host, struct flow *flow, weir_ps now)
{
    if (!flow->ready)
        roce_time_out(flow, now);
    roce_go_on(host, flow, now);
}

void roce_close(struct host *host, struct flow *flow)
{
    struct roce_sender *s = roce_sender(flow);
    if (!s->control || !s->control->telemetry || s->stamps == TELEMETRY_NONE)
        return;
    telemetry_delete(host_telemetry(host), s->stamps);
    s->stamps = TELEMETRY_NONE;
}

static void receiver_send(struct host *host, struct flow *flow, const struct packet *packet, uint32_t flags)
{
    struct roce_receiver *r = roce_receiver(flow);
    struct packet *ack = host_feedback(host, flow);
    if (!ack)
        return;
    ack->flags |= flags;
    ack->segment = packet->segment;
    ack->ack = r->expected;
    ack->sent_ps = packet->sent_ps;
    if ((packet->flags & PACKET_TELEMETRY) && !(flags & PACKET_CNP)) {
        uint32_t number = host_telemetry_new(host);
        if (number != TELEMETRY_NONE) {
            const struct telemetry_pool *pool = host_telemetry(host);
            telemetry_copy(telemetry_at(pool, number), telemetry_at(pool, packet->telemetry));
            ack->telemetry = number;
            ack->flags |= PACKET_TELEMETRY;
        }
    }
    host_send(host, ack);
}

static void receiver_take(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now)
{
    struct roce_receiver *r = roce_receiver(flow);
    r->expected++;
    r->nacked = false;
    host_delivered(host, flow, flow_seen_bytes(flow, packet->segment, host_wire(host)->mss_bytes), now);
    bool last = r->expected == flow->seen.segments;
    if (++r->pending >= roce_params(flow->seen.transport)->ack_every || last) {
        r->pending = 0;
        receiver_send(host, flow, packet, 0);
    }
    if (last)
        host_receiver_done(host, flow, now);
}

void roce_data(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now)
{
    struct roce_receiver *r = roce_receiver(flow);
    if ((packet->flags & PACKET_MARKED) && now >= r->cnp_ps) {
        r->cnp_ps = now + roce_params(flow->seen.transport)->cnp_interval_ps;
        receiver_send(host, flow, packet, PACKET_CNP);
    }
    if (packet->segment == r->expected) {
        receiver_take(host, flow, packet, now);
    } else if (packet->segment < r->expected) {
        host_count(host, flow->seen.tag, HOST_SPURIOUS);
        receiver_send(host, flow, packet, 0);
    } else {
        host_count(host, flow->seen.tag, HOST_REORDERED);
        if (!r->nacked)
            receiver_send(host, flow, packet, PACKET_NACK);
        r->nacked = true;
    }
}

const char *roce_check(const struct flow *flow)
{
    const struct roce_sender *s = roce_sender(flow);
    if (s->acked > s->next || s->next > s->fresh || s->fresh > flow->segments)
        return "roce: what is acknowledged, next, fresh and the end of the flow are out of order";
    if (s->acked > roce_receiver(flow)->expected)
        return "roce: more is acknowledged than has arrived";
    if (!(s->rate_bps > 0) || !(s->window_bytes >= 0))
        return "roce: no rate, or a window below 0";
    return NULL;
}
