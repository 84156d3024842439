/*
 * tcp_sender.c - the sending end of a TCP flow: what to send when the NIC asks, what an ACK changes, and the timeout.
 *
 * Sending follows one rule in every state (RFC 6675): while fewer segments are in the network than the window allows,
 * send the first one that counts as lost, else a new one. So fast recovery, limited transmit (RFC 3042) and the slow
 * start after a timeout are the same code, with or without SACK (tcp_scoreboard.h).
 *
 * - OPEN becomes RECOVERY with the first loss: threshold and window are reduced, once.
 * - Any state becomes LOSS with a timeout: all that is not sacked counts as lost, the window is 1, and the threshold is
 *   reduced if the state was OPEN, so that it is reduced once per round of loss.
 * - Both end when all that was outstanding at their start is acknowledged.
 *
 * The round-trip time is taken from the sending time that each ACK echoes, for each ACK that advances una, so that
 * retransmissions give samples too; the timeout is RFC 6298's without clock granularity. Its due time is moved later
 * with each ACK and the host is told only when it moves earlier.
 *
 * The window grows only while at least half of it is in use (RFC 7661): a flow held back by its NIC does not save up a
 * burst. It does not grow in the round trip of a reduction, nor by an ACK that echoes a mark (RFC 3168). A reduction
 * leaves at least 2 segments.
 *
 * With `tail_loss_probe` (RFC 8985, section 7) the timer is first set to two smoothed round trips, plus the receiver's
 * delay of ACKs if a single segment is in flight, from the last new segment or the last ACK that advanced una; the
 * retransmission timeout follows when that has passed. Then one segment goes out whatever the window says: a new one,
 * or else the last one that is not sacked. When it is sacked, what was sent before it and is not counts as lost. Only
 * in OPEN, one probe at a time, and not before the first sample of the round trip, when nothing is known that is
 * shorter than the timeout. Deviations: a probe goes out even if something is sacked, because RACK's timer, which
 * repairs that case, is missing here; and the window stays as it is when the probe itself was what was missing, which
 * matters only to a flow held back by `max_window`, since others then have nothing left to send.
 *
 * The handshake is a SYN and its answer. A lost SYN doubles the timeout but leaves the initial window as it is.
 */
#include "sim/transport/tcp.h"
#include "sim/transport/tcp_ring.h"
#include "sim/transport/tcp_scoreboard.h"

#define WINDOW_MIN 2.0 /* after a reduction, segments */
#define BACKOFF_MAX 30u

static void sender_check(const struct flow *flow)
{
#ifdef WEIR_CHECKS
    const char *problem = tcp_check(flow);
    if (problem)
        __assert_fail(problem, __FILE__, __LINE__, __func__);
#else
    (void)flow;
#endif
}

/* RFC 6298, section 2. */
static void sender_sample(struct tcp_sender *s, weir_ps rtt_ps)
{
    if (s->srtt_ps) {
        weir_ps error = rtt_ps - s->srtt_ps;
        s->srtt_ps += error / 8;
        s->rttvar_ps += ((error < 0 ? -error : error) - s->rttvar_ps) / 4;
    } else {
        s->srtt_ps = rtt_ps > 0 ? rtt_ps : 1;
        s->rttvar_ps = rtt_ps / 2;
    }
    s->backoff = 0;
}

static weir_ps sender_timeout_ps(const struct tcp_sender *s, const struct tcp_params *params)
{
    weir_ps timeout = s->srtt_ps ? s->srtt_ps + 4 * s->rttvar_ps : params->initial_rto_ps;
    if (timeout < params->min_rto_ps)
        timeout = params->min_rto_ps;
    return timeout > params->max_rto_ps >> s->backoff ? params->max_rto_ps : timeout << s->backoff;
}

static weir_ps sender_probe_ps(const struct tcp_sender *s, const struct tcp_params *params)
{
    bool may_wait = params->ack_every > 1 && s->next - s->una == 1;
    return 2 * s->srtt_ps + (may_wait ? params->ack_delay_ps : 0);
}

static bool sender_may_probe(const struct tcp_sender *s, const struct tcp_params *params)
{
    return params->tail_loss_probe && s->state == TCP_OPEN && s->probing <= TCP_PROBE_ARMED && s->srtt_ps;
}

static void sender_arm(struct host *host, struct flow *flow, weir_ps now)
{
    struct tcp_sender *s = tcp_sender(flow);
    const struct tcp_params *params = tcp_params(flow->transport);
    weir_ps wait = sender_timeout_ps(s, params);
    if (sender_may_probe(s, params)) {
        weir_ps probe = sender_probe_ps(s, params);
        s->probing = probe < wait ? TCP_PROBE_ARMED : TCP_PROBE_NONE;
        wait = probe < wait ? probe : wait;
    }
    weir_ps due = now + wait;
    if (flow->sender_due_ps == WEIR_NEVER || due < flow->sender_due_ps)
        host_sender_timer(host, flow, due);
    else
        flow->sender_due_ps = due;
}

static bool sender_has_new(const struct flow *flow)
{
    const struct tcp_sender *s = tcp_sender(flow);
    return s->next < flow->segments && s->next - s->una < tcp_params(flow->transport)->max_window_segments;
}

static bool sender_may_send(const struct flow *flow)
{
    const struct tcp_sender *s = tcp_sender(flow);
    if (s->probing == TCP_PROBE_DUE)
        return true;
    bool room = tcp_scoreboard_pipe(s) + 1.0 <= s->window;
    if (s->waiting)
        return room || s->force;
    return room && sender_has_new(flow);
}

bool tcp_check_params(const void *params, const struct sim_wire *wire, struct weir_error *error)
{
    const struct tcp_params *tcp = params;
    (void)wire;
    if (tcp->min_rto_ps > tcp->max_rto_ps)
        return weir_fail(error, WEIR_ERROR_INPUT, "'min_rto' is above 'max_rto'");
    if (tcp->tail_loss_probe && !tcp->sack)
        return weir_fail(error, WEIR_ERROR_INPUT, "'tail_loss_probe' without 'sack' (expected both)");
    return true;
}

void tcp_open(struct host *host, struct flow *flow, weir_ps now)
{
    const struct tcp_control *control = flow->transport->kind->control;
    const struct tcp_params *params = tcp_params(flow->transport);
    struct tcp_sender *s = tcp_sender(flow);
    (void)now;
    uint32_t window = params->initial_window_segments ? params->initial_window_segments : flow->segments;
    if (window > params->max_window_segments)
        window = params->max_window_segments;
    *s = (struct tcp_sender){
        .window = window,
        .threshold = params->slow_start ? params->max_window_segments : window,
        .state = params->handshake ? TCP_OPENING : TCP_OPEN,
        .data_flags = control->ecn || params->ecn ? PACKET_ECN : 0,
        .unscheduled = host_unscheduled(host, flow, params->unscheduled_bytes),
        .control = control,
    };
    if (control->init)
        control->init(s, params);
    host_flow_ready(host, flow);
}

static enum transport_more sender_emit_opening(struct host *host, struct flow *flow, struct packet *packet, weir_ps now)
{
    packet->segment = 0;
    packet->ack = 0;
    packet->bytes = (uint16_t)host_wire(host)->header_bytes;
    packet->flags = PACKET_OPENING | (tcp_sender(flow)->unscheduled ? PACKET_UNSCHEDULED : 0);
    if (flow->timeouts)
        packet->flags |= PACKET_AGAIN;
    sender_arm(host, flow, now);
    return TRANSPORT_LAST;
}

static uint32_t sender_take(struct flow *flow)
{
    struct tcp_sender *s = tcp_sender(flow);
    if (s->probing != TCP_PROBE_DUE)
        return s->waiting ? tcp_scoreboard_take(s) : s->next;
    s->probing = TCP_PROBE_SENT;
    s->probe = sender_has_new(flow) ? s->next : tcp_scoreboard_last(s);
    return s->probe;
}

enum transport_more tcp_emit(struct host *host, struct flow *flow, struct packet *packet, weir_ps now)
{
    struct tcp_sender *s = tcp_sender(flow);
    const struct sim_wire *wire = host_wire(host);
    if (s->state == TCP_OPENING)
        return sender_emit_opening(host, flow, packet, now);
    if (!sender_may_send(flow))
        return TRANSPORT_NOTHING;
    bool arm = s->una == s->next;
    packet->flags = s->data_flags;
    packet->segment = sender_take(flow);
    if (packet->segment < s->unscheduled)
        packet->flags |= PACKET_UNSCHEDULED;
    if (packet->segment < s->next) {
        packet->flags |= PACKET_AGAIN;
        s->force = false;
        flow->again++;
    } else {
        s->next++;
        arm |= s->probing == TCP_PROBE_ARMED;
    }
    if (arm)
        sender_arm(host, flow, now);
    packet->ack = 0;
    packet->bytes = (uint16_t)(flow_segment_bytes(flow, packet->segment, wire->mss_bytes) + wire->header_bytes);
    sender_check(flow);
    return sender_may_send(flow) ? TRANSPORT_MORE : TRANSPORT_LAST;
}

static void sender_reduce(struct tcp_sender *s, const struct tcp_params *params, enum tcp_congestion why)
{
    double threshold = s->control->reduced(s, params, why);
    s->threshold = threshold > WINDOW_MIN ? threshold : WINDOW_MIN;
    s->window = s->threshold;
    s->credit = 0;
    s->reaction_end = s->next;
}

/* Leaves and enters recovery as the scoreboard demands. */
static void sender_change_state(struct tcp_sender *s, const struct tcp_params *params)
{
    if (s->state != TCP_OPEN && s->una >= s->recover) {
        s->state = TCP_OPEN;
        s->force = false;
        if (!params->sack)
            s->sacked = 0;
    }
    if (s->state == TCP_OPEN && tcp_scoreboard_has_lost(s)) {
        s->state = TCP_RECOVERY;
        s->recover = s->next;
        s->force = s->waiting > 0;
        /* Marks and losses of one window count once (RFC 3168, section 6.1.2), if they count the same. */
        if (s->una >= s->reaction_end || s->control->mild)
            sender_reduce(s, params, TCP_CONGESTION_LOSS);
    }
}

/* Takes in an ACK while something is lost or out of order; returns the segments it is the first to report. */
static __attribute__((noinline)) uint32_t sender_repair(struct host *host, struct flow *flow,
                                                        const struct packet *packet)
{
    const struct tcp_params *params = tcp_params(flow->transport);
    struct tcp_sender *s = tcp_sender(flow);
    uint32_t delivered = 0;
    bool duplicate = packet->ack == s->una && packet->segment > s->una && s->next > s->una;
    if (packet->ack > s->una)
        delivered = tcp_scoreboard_advance(s, packet->ack, params->sack);
    if (params->sack)
        delivered += tcp_scoreboard_sack(host, s, packet);
    else if (duplicate)
        delivered += tcp_scoreboard_duplicate(s);
    if (s->probing == TCP_PROBE_SENT && s->probe >= s->una && tcp_ring_has(s->ring, s->probe))
        tcp_scoreboard_lose_below(s, s->probe);
    sender_change_state(s, params);
    return delivered;
}

/* By how many segments an ACK may open the window: those it acknowledged, but only one after a timeout, when an ACK
 * that fills a hole acknowledges much that arrived long ago. */
static uint32_t sender_growth(const struct flow *flow, uint32_t una, enum tcp_state before, uint32_t used)
{
    const struct tcp_sender *s = tcp_sender(flow);
    if (before == TCP_RECOVERY || s->state == TCP_RECOVERY || s->una == una)
        return 0;
    if (before == TCP_OPEN && s->una <= s->reaction_end)
        return 0;
    if (2.0 * used < s->window || s->window >= tcp_params(flow->transport)->max_window_segments)
        return 0;
    return before == TCP_LOSS ? 1 : s->una - una;
}

/* True when an ACK has made a probe needless, or told what it was sent for. */
static bool sender_ends_probe(struct tcp_sender *s, bool advance)
{
    bool news = (s->probing == TCP_PROBE_DUE && advance) || (s->probing == TCP_PROBE_SENT && s->una > s->probe);
    if (s->state == TCP_OPEN && !news)
        return false;
    s->probing = TCP_PROBE_NONE;
    return true;
}

static void sender_opened(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now)
{
    struct tcp_sender *s = tcp_sender(flow);
    if (s->state != TCP_OPENING)
        return;
    s->state = TCP_OPEN;
    sender_sample(s, now - packet->sent_ps);
    host_flow_ready(host, flow);
}

void tcp_ack(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now)
{
    const struct tcp_params *params = tcp_params(flow->transport);
    struct tcp_sender *s = tcp_sender(flow);
    if (packet->flags & PACKET_OPENING) {
        sender_opened(host, flow, packet, now);
        return;
    }
    uint32_t una = s->una, used = s->next - una;
    enum tcp_state before = s->state;
    bool advance = packet->ack > una;
    struct tcp_acked acked = {.delivered = packet->ack - una, .echo = packet->flags & PACKET_ECHO, .now = now};
    if (advance)
        sender_sample(s, now - packet->sent_ps);
    if (advance && before == TCP_OPEN && !s->sacked && !packet->sack[0].length)
        s->una = packet->ack;
    else
        acked.delivered = sender_repair(host, flow, packet);
    if (!acked.echo)
        acked.grow = sender_growth(flow, una, before, used);
    s->control->on_ack(s, params, &acked);
    if (acked.echo && s->state == TCP_OPEN && s->una > s->reaction_end)
        sender_reduce(s, params, TCP_CONGESTION_MARK);
    bool ended = s->probing && sender_ends_probe(s, advance);
    sender_check(flow);
    if (s->una == flow->segments) {
        flow->sender_due_ps = WEIR_NEVER;
        if (advance)
            host_sender_done(host, flow, now);
        return;
    }
    if (advance || ended)
        sender_arm(host, flow, now);
    if (sender_may_send(flow))
        host_flow_ready(host, flow);
}

void tcp_sender_timer(struct host *host, struct flow *flow, weir_ps now)
{
    struct tcp_sender *s = tcp_sender(flow);
    if (s->state != TCP_OPENING && s->una == s->next)
        return;
    if (s->probing == TCP_PROBE_ARMED) {
        s->probing = TCP_PROBE_DUE;
        sender_arm(host, flow, now);
        host_flow_ready(host, flow);
        return;
    }
    s->probing = TCP_PROBE_NONE;
    flow->timeouts++;
    if (s->backoff < BACKOFF_MAX)
        s->backoff++;
    if (s->state != TCP_OPENING) {
        if (s->state == TCP_OPEN)
            sender_reduce(s, tcp_params(flow->transport), TCP_CONGESTION_TIMEOUT);
        s->window = 1;
        s->credit = 0;
        s->state = TCP_LOSS;
        s->recover = s->reaction_end = s->next;
        tcp_scoreboard_lose_all(s, tcp_params(flow->transport)->sack);
        sender_arm(host, flow, now);
    }
    sender_check(flow);
    host_flow_ready(host, flow);
}

void tcp_close(struct host *host, struct flow *flow)
{
    struct tcp_sender *s = tcp_sender(flow);
    struct tcp_receiver *r = tcp_receiver(flow);
    tcp_ring_free(host, s->ring);
    tcp_ring_free(host, r->ring);
    s->ring = r->ring = NULL;
}

const char *tcp_check(const struct flow *flow)
{
    const struct tcp_sender *s = tcp_sender(flow);
    if (s->una > s->next || s->next > flow->segments)
        return "tcp: una, next and the end of the flow are out of order";
    if (!(s->window >= 1))
        return "tcp: a window below one segment";
    if (s->state == TCP_OPEN && tcp_scoreboard_has_lost(s))
        return "tcp: losses and no recovery";
    if ((s->state == TCP_RECOVERY || s->state == TCP_LOSS) && s->una >= s->recover)
        return "tcp: recovery did not end";
    if (s->probing == TCP_PROBE_SENT && s->probe >= s->next)
        return "tcp: a probe that was never sent";
    return tcp_scoreboard_check(s, tcp_params(flow->transport)->sack);
}
