/*
 * roce.c - the sending end of a RoCE-like flow: a paced go-back-N sender, as the hardware of RDMA NICs has it.
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
 * InfiniBand Architecture Specification 1, release 1.4, section 9.7; R. Mittal et al., "Revisiting Network Support for
 * RDMA", SIGCOMM 2018, describes what NICs do. Deviation: sequence numbers are segments of the flow, which is a single
 * message, and a queue pair is opened in no time.
 */
#include "sim/transport/roce_control.h"

#define ROCE_LOOK_PS (64 * WEIR_PS_PER_US)
#define ROCE_BITS_PS (8.0 * (double)WEIR_PS_PER_S) /* of a byte at 1 b/s */

static struct roce_event roce_event(const struct host *host, const struct flow *flow, weir_ps now)
{
    const struct sim_roce *settings = &flow->transport->roce;
    return (struct roce_event){.settings = settings,
                               .line_bps = (double)host_rate(host),
                               .base_rtt_ps = settings->base_rtt_ps ? settings->base_rtt_ps : host_base_rtt(host),
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
    const struct roce_sender *s = &flow->sender.roce;
    if (s->next == flow->segments)
        return false;
    uint32_t under_way = s->next - s->acked;
    return s->window_bytes == 0 || under_way < flow->transport->roce.ack_every ||
           (double)under_way * roce_full_bytes(host) < s->window_bytes;
}

/* Sets the timer to whatever comes first of all that may have to be done without being asked. */
static void roce_arm(struct host *host, struct flow *flow, weir_ps now)
{
    const struct roce_sender *s = &flow->sender.roce;
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
    if (flow->sender.roce.next_ps <= now && roce_may_send(host, flow))
        host_flow_ready(host, flow);
    else
        roce_arm(host, flow, now);
}

/* Everything again if nothing was heard for too long. The clock starts anew with the first packet that leaves. */
static void roce_time_out(struct flow *flow, weir_ps now)
{
    struct roce_sender *s = &flow->sender.roce;
    if (s->timeout_ps > now || s->next == s->acked)
        return;
    flow->timeouts++;
    s->next = s->acked;
}

static void roce_restart_timeout(struct flow *flow, weir_ps now)
{
    weir_ps timeout = flow->transport->roce.rto_ps;
    flow->sender.roce.timeout_ps = timeout ? now + timeout : WEIR_NEVER;
}

void roce_open(struct host *host, struct flow *flow, const struct roce_control *control, weir_ps now)
{
    struct roce_sender *s = &flow->sender.roce;
    struct roce_event event = roce_event(host, flow, now);
    *s = (struct roce_sender){.rate_bps = event.line_bps, .next_ps = now, .timeout_ps = WEIR_NEVER, .control = control};
    if (control->telemetry)
        s->own.window.last = TELEMETRY_NONE;
    if (event.settings->windowed)
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
    struct roce_sender *s = &flow->sender.roce;
    packet->segment = s->next++;
    packet->ack = 0;
    packet->bytes = (uint16_t)(flow_segment_bytes(flow, packet->segment, wire->mss_bytes) + wire->header_bytes);
    packet->flags = (s->control->ecn ? PACKET_ECN : 0) | (s->heard ? 0 : PACKET_UNSCHEDULED);
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
    struct roce_sender *s = &flow->sender.roce;
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
    struct roce_sender *s = &flow->sender.roce;
    struct roce_event event = roce_event(host, flow, now);
    event.ack = packet->ack;
    event.rtt_ps = now - packet->sent_ps;
    if (!s->control->telemetry) {
        s->control->on_ack(s, &event);
        return;
    }
    uint32_t *last = &s->own.window.last;
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
    struct roce_sender *s = &flow->sender.roce;
    s->heard = true;
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
    struct roce_sender *s = &flow->sender.roce;
    if (!s->control || !s->control->telemetry || s->own.window.last == TELEMETRY_NONE)
        return;
    telemetry_delete(host_telemetry(host), s->own.window.last);
    s->own.window.last = TELEMETRY_NONE;
}

const char *roce_check(const struct flow *flow)
{
    const struct roce_sender *s = &flow->sender.roce;
    if (s->acked > s->next || s->next > s->fresh || s->fresh > flow->segments)
        return "roce: what is acknowledged, next, fresh and the end of the flow are out of order";
    if (s->acked > flow->receiver.roce.expected)
        return "roce: more is acknowledged than has arrived";
    if (!(s->rate_bps > 0) || !(s->window_bytes >= 0))
        return "roce: no rate, or a window below 0";
    return NULL;
}

/* No congestion control: line rate, and whatever flow control the network has. */
static const struct roce_control roce_control_none = {0};

static void none_open(struct host *host, struct flow *flow, weir_ps now)
{
    roce_open(host, flow, &roce_control_none, now);
}

const struct transport transport_none = {
    .name = "none",
    .title = "RoCE at line rate without congestion control",
    .source = "InfiniBand Architecture Specification 1; go-back-N with NACK, the flow is one message",
    .open = none_open,
    ROCE_OPERATIONS,
};
