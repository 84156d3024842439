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
 * matters only to a flow held back by `max_window`, since others then have nothing left to send. Both hold without
 * `rack`.
 *
 * With `rack` losses are found by time instead (tcp_rack.c), the probe goes out only while nothing is sacked, and a
 * probe that repaired a loss reduces the window (RFC 8985, section 7.4). tcp_more.h names the other options. One timer
 * serves all: the reordering timer goes before the probe, the probe before the timeout (RFC 8985, section 8).
 *
 * A control by telemetry (tcp_powertcp.c) sets a rate beside the window: b bytes of payload at rate r let the next
 * segment leave b * 8 / r after the last one did, by the rate of that moment. The timer then also serves the rate:
 * more->pace.due_ps is when the others are due, and flow->sender_due_ps comes at most PACE_LOOK_PS after the last look,
 * so that entries of the host's heap which the next segment makes worthless do not pile up.
 *
 * The handshake is a SYN and its answer, or with `request` the receiver's SYN, the answer and the request; without
 * handshake the request alone. A lost SYN doubles the timeout but leaves the initial window as it is.
 */
#include "lib/core/hot.h"
#include "sim/engine/telemetry.h"
#include "sim/transport/tcp_more.h"
#include "sim/transport/tcp_ring.h"
#include "sim/transport/tcp_scoreboard.h"

#ifdef WEIR_CHECKS
#undef NDEBUG /* else glibc does not declare what ends the program */
#include <assert.h>
#endif

#define WINDOW_MIN 2.0 /* after a reduction, segments */
#define BACKOFF_MAX 30u
#define PACE_LOOK_PS (64 * WEIR_PS_PER_US)
#define TICKS_MIN 2 /* of a probe or the reordering timer, where timers have ticks */

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

/* The deviation as Linux has it (Sarolahti and Kuznetsov 2002): a round trip far below the smoothed one hardly raises
 * it, the greatest of a round trip counts, and it falls by a quarter of the way per round trip. */
static void sender_deviate(struct tcp_sender *s, weir_ps error, weir_ps floor_ps)
{
    struct tcp_deviation *d = &s->more->deviation;
    weir_ps size = error < 0 ? -error : error, change = size - d->now_ps;
    d->now_ps += error < 0 && change > 0 ? change / 32 : change / 4;
    if (d->now_ps > d->most_ps)
        d->most_ps = d->now_ps;
    if (d->most_ps > s->rttvar_ps)
        s->rttvar_ps = d->most_ps;
    if (s->una > d->end) {
        if (d->most_ps < s->rttvar_ps)
            s->rttvar_ps -= (s->rttvar_ps - d->most_ps) / 4;
        d->end = s->next;
        d->most_ps = floor_ps;
    }
}

static __attribute__((noinline)) void sender_sample_more(struct tcp_sender *s, const struct tcp_params *params,
                                                         weir_ps rtt_ps, weir_ps error)
{
    struct tcp_deviation *d = &s->more->deviation;
    weir_ps floor_ps = params->min_rto_ps / 4;
    if (rtt_ps < s->more->min_rtt_ps)
        s->more->min_rtt_ps = rtt_ps;
    if (!params->linux_rto)
        return;
    if (d->most_ps) {
        sender_deviate(s, error, floor_ps);
        return;
    }
    d->now_ps = rtt_ps / 2;
    s->rttvar_ps = d->most_ps = d->now_ps > floor_ps ? d->now_ps : floor_ps;
    d->end = s->next;
}

/* RFC 6298, section 2. */
static void sender_sample(struct tcp_sender *s, const struct tcp_params *params, weir_ps rtt_ps)
{
    weir_ps error = rtt_ps - s->srtt_ps;
    if (s->srtt_ps) {
        s->srtt_ps += error / 8;
        if (!params->linux_rto)
            s->rttvar_ps += ((error < 0 ? -error : error) - s->rttvar_ps) / 4;
    } else {
        s->srtt_ps = rtt_ps > 0 ? rtt_ps : 1;
        s->rttvar_ps = rtt_ps / 2;
    }
    s->backoff = 0;
    if (s->more)
        sender_sample_more(s, params, rtt_ps, error);
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
    weir_ps delay = params->ack_delay_max_ps ? params->ack_delay_max_ps : params->ack_delay_ps;
    return 2 * s->srtt_ps + (may_wait ? delay : 0);
}

static bool sender_may_probe(const struct tcp_sender *s, const struct tcp_params *params)
{
    return params->tail_loss_probe && s->state == TCP_OPEN && s->probing <= TCP_PROBE_ARMED && s->srtt_ps &&
           !(params->rack && s->sacked);
}

static bool sender_has_rack(const struct tcp_sender *s, const struct tcp_params *params)
{
    return s->more && params->rack;
}

static bool sender_is_paced(const struct tcp_sender *s)
{
    return s->more && s->control->on_stamps;
}

/* A timer of `wait` from now on, as timers with ticks have it. */
static weir_ps sender_tick(const struct tcp_params *params, weir_ps now, weir_ps wait, weir_ps least_ticks)
{
    weir_ps tick = params->tick_ps;
    if (!tick)
        return now + wait;
    weir_ps ticks = (wait + tick - 1) / tick;
    return (now / tick + (ticks > least_ticks ? ticks : least_ticks)) * tick;
}

static void sender_arm(struct host *host, struct flow *flow, weir_ps now)
{
    struct tcp_sender *s = tcp_sender(flow);
    const struct tcp_params *params = tcp_params(flow->transport);
    weir_ps due = sender_tick(params, now, sender_timeout_ps(s, params), 1);
    if (sender_has_rack(s, params) && s->more->rack.due_ps != WEIR_NEVER) {
        due = sender_tick(params, now, s->more->rack.due_ps - now, TICKS_MIN);
        s->probing = s->probing == TCP_PROBE_ARMED ? TCP_PROBE_NONE : s->probing;
    } else if (sender_may_probe(s, params)) {
        weir_ps probe = sender_tick(params, now, sender_probe_ps(s, params), TICKS_MIN);
        /* A probe that would come after the timeout comes in its place (RFC 8985, section 7.2). */
        s->probing = probe < due || params->rack ? TCP_PROBE_ARMED : TCP_PROBE_NONE;
        due = probe < due ? probe : due;
    }
    if (sender_is_paced(s)) {
        s->more->pace.due_ps = due;
        if (flow->sender_due_ps < due)
            return; /* it looks before, and again */
    }
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

HOT_INLINE bool sender_may_send(const struct flow *flow)
{
    const struct tcp_sender *s = tcp_sender(flow);
    if (s->probing == TCP_PROBE_DUE)
        return true;
    if (HOT_RARELY(s->more) && s->more->undo.frto == TCP_FRTO_SECOND)
        return s->more->undo.fresh && sender_has_new(flow);
    bool room = tcp_scoreboard_pipe(s) + 1.0 <= s->window;
    if (s->waiting)
        return room || s->force;
    return room && sender_has_new(flow);
}

/* True when the rate holds the next segment back; the timer is set to when it does not. */
static bool sender_paces(struct host *host, struct flow *flow, weir_ps now)
{
    struct tcp_sender *s = tcp_sender(flow);
    const struct tcp_pace *pace = &s->more->pace;
    if (!sender_is_paced(s) || pace->rate_bps <= 0)
        return false;
    weir_ps next = pace->sent_ps + (weir_ps)(pace->sent_bytes * (8.0 * (double)WEIR_PS_PER_S) / pace->rate_bps);
    if (next <= now)
        return false;
    if (next < flow->sender_due_ps)
        host_sender_timer(host, flow, next);
    return true;
}

/* True when the timer was set for the rate, or earlier than is due by now. */
static bool sender_pace_timer(struct host *host, struct flow *flow, weir_ps now)
{
    struct tcp_sender *s = tcp_sender(flow);
    bool waits = s->una < s->next;
    if (!sender_is_paced(s) || (waits && s->more->pace.due_ps <= now))
        return false;
    weir_ps due = s->more->pace.due_ps;
    if (waits)
        host_sender_timer(host, flow, due < now + PACE_LOOK_PS ? due : now + PACE_LOOK_PS);
    host_flow_ready(host, flow);
    return true;
}

bool tcp_check_params(const void *params, const struct sim_wire *wire, struct weir_error *error)
{
    const struct tcp_params *tcp = params;
    (void)wire;
    if (tcp->min_rto_ps > tcp->max_rto_ps)
        return weir_fail(error, WEIR_ERROR_INPUT, "'min_rto' is above 'max_rto'");
    if (tcp->tail_loss_probe && !tcp->sack)
        return weir_fail(error, WEIR_ERROR_INPUT, "'tail_loss_probe' without 'sack' (expected both)");
    if (tcp->rack && !tcp->sack)
        return weir_fail(error, WEIR_ERROR_INPUT, "'rack' without 'sack' (expected both)");
    if (tcp->undo && !tcp->rack)
        return weir_fail(error, WEIR_ERROR_INPUT, "'undo' without 'rack' (expected both)");
    if (tcp->ack_delay_max_ps && tcp->ack_delay_max_ps < tcp->ack_delay_ps)
        return weir_fail(error, WEIR_ERROR_INPUT, "'ack_delay_max' is below 'ack_delay'");
    return true;
}

bool tcp_starts_at_receiver(const struct sim_transport *transport)
{
    return tcp_params(transport)->request;
}

/* The state of the options. Without memory they are off, and the run ends. */
static void sender_add_more(struct host *host, struct tcp_sender *s)
{
    s->more = (struct tcp_more *)host_words(host, TCP_MORE_WORDS);
    if (!s->more)
        return;
    s->more->min_rtt_ps = s->more->hystart.least_ps = s->more->hystart.least_last_ps = WEIR_NEVER;
    s->more->undo.again_ps = WEIR_NEVER;
    s->more->pace.stamps = TELEMETRY_NONE;
    tcp_rack_init(&s->more->rack);
}

/* How long a handshake takes: the base round trip without the payload, over the host's link and the receiver's. */
static weir_ps sender_handshake_ps(const struct host *host)
{
    weir_ps payload = (weir_ps)host_wire(host)->mss_bytes * 8 * WEIR_PS_PER_S / (weir_ps)host_rate(host);
    weir_ps base = host_base_rtt(host);
    return base > 4 * payload ? base - 2 * payload : base;
}

static void sender_open(struct host *host, struct flow *flow, weir_ps now)
{
    const struct tcp_control *control = flow->transport->kind->control;
    const struct tcp_params *params = tcp_params(flow->transport);
    struct tcp_sender *s = tcp_sender(flow);
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
    if (tcp_wants_more(params, control))
        sender_add_more(host, s);
    if (flow->connection && tcp_connection_resume(flow, now)) {
        s->state = TCP_OPEN;
    } else if (control->init) {
        control->init(s, params);
    }
    if (flow->connection && s->state == TCP_OPENING && flow->connection->number < params->open_connections) {
        s->state = TCP_OPEN;
        sender_sample(s, params, sender_handshake_ps(host));
    }
    host_flow_ready(host, flow);
}

void tcp_open(struct host *host, struct flow *flow, weir_ps now)
{
    const struct tcp_params *params = tcp_params(flow->transport);
    if (params->keep_connections)
        host_connection_take(host, flow);
    if (params->request)
        tcp_receiver_ask(host, flow, now);
    else
        sender_open(host, flow, now);
}

static enum transport_more sender_emit_opening(struct host *host, struct flow *flow, struct packet *packet, weir_ps now)
{
    packet->segment = 0;
    packet->ack = 0;
    packet->bytes = (uint16_t)host_wire(host)->header_bytes;
    packet->flags = PACKET_OPENING | (tcp_sender(flow)->unscheduled ? PACKET_UNSCHEDULED : 0);
    if (tcp_sender(flow)->backoff)
        packet->flags |= PACKET_AGAIN;
    sender_arm(host, flow, now);
    return TRANSPORT_LAST;
}

static uint32_t sender_take(struct flow *flow)
{
    struct tcp_sender *s = tcp_sender(flow);
    if (s->more && s->more->undo.fresh) {
        s->more->undo.fresh--;
        return s->next;
    }
    if (s->probing != TCP_PROBE_DUE) {
        if (!s->waiting)
            return s->next;
        return sender_has_rack(s, tcp_params(flow->transport)) ? tcp_rack_take(s) : tcp_scoreboard_take(s);
    }
    s->probing = TCP_PROBE_SENT;
    s->probe = sender_has_new(flow) ? s->next : tcp_scoreboard_last(s);
    return s->probe;
}

/* What the options note of a segment that leaves. */
static __attribute__((noinline)) void sender_sent(struct host *host, struct flow *flow, uint32_t segment, bool again,
                                                  weir_ps now)
{
    struct tcp_sender *s = tcp_sender(flow);
    struct tcp_more *more = s->more;
    if (tcp_params(flow->transport)->rack)
        tcp_rack_sent(host, s, segment, again, now);
    if (s->probing == TCP_PROBE_SENT && s->probe == segment) {
        more->rack.probe_again = again;
        more->rack.probe_ps = now;
    }
    if (again && more->undo.again_ps == WEIR_NEVER)
        more->undo.again_ps = now;
    more->prr.out++;
}

/* The segment collects stamps, and the next one follows at the control's rate. */
static __attribute__((noinline)) void sender_stamp(struct host *host, struct flow *flow, struct packet *packet,
                                                   weir_ps now)
{
    struct tcp_pace *pace = &tcp_sender(flow)->more->pace;
    pace->sent_ps = now;
    pace->sent_bytes = packet->bytes - host_wire(host)->header_bytes;
    packet->telemetry = host_telemetry_new(host);
    if (packet->telemetry != TELEMETRY_NONE)
        packet->flags |= PACKET_TELEMETRY;
}

enum transport_more tcp_emit(struct host *host, struct flow *flow, struct packet *packet, weir_ps now)
{
    struct tcp_sender *s = tcp_sender(flow);
    const struct sim_wire *wire = host_wire(host);
    if (s->state == TCP_OPENING)
        return sender_emit_opening(host, flow, packet, now);
    if (!sender_may_send(flow) || (HOT_RARELY(s->more) && sender_paces(host, flow, now)))
        return TRANSPORT_NOTHING;
    bool arm = s->una == s->next;
    packet->flags = s->data_flags;
    packet->segment = sender_take(flow);
    bool again = packet->segment < s->next;
    if (packet->segment < s->unscheduled)
        packet->flags |= PACKET_UNSCHEDULED;
    if (again) {
        packet->flags |= PACKET_AGAIN;
        s->force = false;
        flow->again++;
    } else {
        s->next++;
        arm |= s->probing == TCP_PROBE_ARMED;
    }
    if (s->more)
        sender_sent(host, flow, packet->segment, again, now);
    if (arm)
        sender_arm(host, flow, now);
    packet->ack = 0;
    packet->bytes = (uint16_t)(flow_segment_bytes(flow, packet->segment, wire->mss_bytes) + wire->header_bytes);
    if (HOT_RARELY(s->more) && s->control->on_stamps)
        sender_stamp(host, flow, packet, now);
    sender_check(flow);
    if (!sender_may_send(flow) || (HOT_RARELY(s->more) && sender_paces(host, flow, now)))
        return TRANSPORT_LAST;
    return TRANSPORT_MORE;
}

/* A reduction while one is under way counts from where that one began, and never raises the threshold. */
static void sender_reduce(struct tcp_sender *s, const struct tcp_params *params, enum tcp_congestion why,
                          uint32_t delivered)
{
    bool reducing = s->more && s->more->prr.active;
    if (reducing)
        s->window = s->more->prr.window;
    double window = s->window, before = s->threshold;
    double threshold = s->control->reduced(s, params, why);
    s->threshold = threshold > WINDOW_MIN ? threshold : WINDOW_MIN;
    if (reducing && s->threshold > before)
        s->threshold = before;
    s->credit = 0;
    s->reaction_end = s->next;
    if (s->more && params->prr)
        tcp_prr_begin(s, window, delivered);
    else
        s->window = s->threshold;
}

static bool sender_has_lost(const struct tcp_sender *s, const struct tcp_params *params)
{
    return sender_has_rack(s, params) ? s->waiting > 0 : tcp_scoreboard_has_lost(s);
}

/* Leaves and enters recovery as the scoreboard demands. */
static void sender_change_state(struct tcp_sender *s, const struct tcp_params *params, uint32_t delivered)
{
    if (s->state != TCP_OPEN && s->una >= s->recover) {
        s->state = TCP_OPEN;
        s->force = false;
        if (!params->sack)
            s->sacked = 0;
        if (sender_has_rack(s, params))
            tcp_rack_recovered(&s->more->rack);
        if (s->more)
            s->more->undo.frto = s->more->undo.fresh = 0;
    }
    if (s->state == TCP_OPEN && sender_has_lost(s, params)) {
        s->state = TCP_RECOVERY;
        s->recover = s->next;
        s->force = s->waiting > 0;
        if (s->more && params->undo)
            tcp_undo_begin(s);
        /* Marks and losses of one window count once (RFC 3168, section 6.1.2), if they count the same. */
        if (s->una >= s->reaction_end || s->control->mild)
            sender_reduce(s, params, TCP_CONGESTION_LOSS, delivered);
        else if (s->more && s->more->prr.active)
            s->more->prr.end = s->recover;
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
    sender_change_state(s, params, delivered);
    return delivered;
}

/* RFC 8985, section 7.4: a probe that repeated a segment and is acknowledged in its place repaired a loss, which counts
 * as one. Whether it was the probe or the segment itself is told by the echoed time, and not by a later duplicate. */
static void sender_account_probe(struct tcp_sender *s, const struct tcp_params *params, const struct packet *packet,
                                 uint32_t delivered)
{
    if (s->probing != TCP_PROBE_SENT || packet->ack <= s->probe)
        return;
    bool repaired = s->more->rack.probe_again && packet->sent_ps >= s->more->rack.probe_ps;
    s->probing = TCP_PROBE_NONE;
    if (repaired && s->state == TCP_OPEN)
        sender_reduce(s, params, TCP_CONGESTION_LOSS, delivered);
}

/* The same as sender_repair with RACK, for every ACK. */
static __attribute__((noinline)) uint32_t sender_repair_by_time(struct host *host, struct flow *flow,
                                                                const struct packet *packet, weir_ps now)
{
    const struct tcp_params *params = tcp_params(flow->transport);
    struct tcp_sender *s = tcp_sender(flow);
    bool advance = packet->ack > s->una;
    weir_ps due = s->more->rack.due_ps;
    uint32_t delivered = tcp_rack_ack(host, s, packet, now);
    bool undone = params->undo && tcp_undo_ack(s, packet->sent_ps, advance, sender_has_new(flow));
    if (s->sacked || s->state != TCP_OPEN || due != WEIR_NEVER || undone)
        tcp_rack_detect(host, s, now);
    sender_account_probe(s, params, packet, delivered);
    sender_change_state(s, params, delivered);
    if (due != s->more->rack.due_ps && s->una < s->next)
        sender_arm(host, flow, now);
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

/* The answer to the SYN, or what the receiver asks for the flow with. */
static void sender_opened(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now)
{
    struct tcp_sender *s = tcp_sender(flow);
    if (!s->control)
        sender_open(host, flow, now);
    if (s->state != TCP_OPENING || packet->segment == TCP_ASKS)
        return;
    s->state = TCP_OPEN;
    sender_sample(s, tcp_params(flow->transport), now - packet->sent_ps);
    host_flow_ready(host, flow);
}

static void sender_done(struct host *host, struct flow *flow, weir_ps now)
{
    flow->sender_due_ps = WEIR_NEVER;
    if (flow->connection) {
        tcp_connection_keep(flow, now);
        if (!tcp_params(flow->transport)->request)
            host_connection_rest(host, flow);
    }
    host_sender_done(host, flow, now);
}

/* Leaving slow start early, and the window during a reduction. */
static __attribute__((noinline)) uint32_t sender_hystart(struct flow *flow, const struct tcp_acked *acked,
                                                         weir_ps rtt_ps)
{
    const struct tcp_params *params = tcp_params(flow->transport);
    struct tcp_sender *s = tcp_sender(flow);
    if (params->hystart == TCP_HYSTART_OFF || s->state != TCP_OPEN || s->window >= s->threshold)
        return acked->grow;
    return tcp_hystart_ack(s, params, acked, rtt_ps);
}

/* Tells a control by telemetry of an ACK; the stamps it brought become the last ones. */
static __attribute__((noinline)) void sender_tell(struct host *host, struct flow *flow, const struct packet *packet)
{
    static const struct telemetry none;
    struct tcp_sender *s = tcp_sender(flow);
    if (!s->more || !(packet->flags & PACKET_TELEMETRY))
        return;
    struct telemetry_pool *pool = host_telemetry(host);
    uint32_t *last = &s->more->pace.stamps;
    struct tcp_told told = {.stamps = telemetry_at(pool, packet->telemetry),
                            .last = *last == TELEMETRY_NONE ? &none : telemetry_at(pool, *last),
                            .line_bps = (double)host_rate(host),
                            .base_rtt_ps = host_base_rtt(host),
                            .mss_bytes = host_wire(host)->mss_bytes};
    s->control->on_stamps(s, tcp_params(flow->transport), &told);
    if (*last == TELEMETRY_NONE)
        *last = host_telemetry_new(host);
    if (*last != TELEMETRY_NONE)
        telemetry_copy(telemetry_at(pool, *last), telemetry_at(pool, packet->telemetry));
}

void tcp_ack(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now)
{
    const struct tcp_params *params = tcp_params(flow->transport);
    struct tcp_sender *s = tcp_sender(flow);
    if (packet->flags & PACKET_OPENING) {
        sender_opened(host, flow, packet, now);
        return;
    }
    uint32_t una = s->una, used = s->next - una, waiting = s->waiting;
    enum tcp_state before = s->state;
    bool advance = packet->ack > una;
    struct tcp_acked acked = {.delivered = packet->ack - una, .echo = packet->flags & PACKET_ECHO, .now = now};
    if (advance)
        sender_sample(s, params, now - packet->sent_ps);
    if (sender_has_rack(s, params))
        acked.delivered = sender_repair_by_time(host, flow, packet, now);
    else if (advance && before == TCP_OPEN && !s->sacked && !packet->sack[0].length)
        s->una = packet->ack;
    else
        acked.delivered = sender_repair(host, flow, packet);
    if (!acked.echo)
        acked.grow = sender_growth(flow, una, before, used);
    if (s->more && advance)
        acked.grow = sender_hystart(flow, &acked, now - packet->sent_ps);
    if (HOT_RARELY(!s->control->on_ack))
        sender_tell(host, flow, packet);
    else
        s->control->on_ack(s, params, &acked);
    if (acked.echo && s->state == TCP_OPEN && s->una > s->reaction_end)
        sender_reduce(s, params, TCP_CONGESTION_MARK, acked.delivered);
    if (s->more && s->more->prr.active)
        tcp_prr_ack(s, acked.delivered, advance && s->waiting <= waiting);
    bool ended = s->probing && sender_ends_probe(s, advance);
    sender_check(flow);
    if (s->una == flow->segments) {
        if (advance)
            sender_done(host, flow, now);
        return;
    }
    if (advance || ended)
        sender_arm(host, flow, now);
    if (sender_may_send(flow))
        host_flow_ready(host, flow);
}

/* Everything outstanding counts as lost. */
static void sender_time_out(struct host *host, struct flow *flow, weir_ps now)
{
    const struct tcp_params *params = tcp_params(flow->transport);
    struct tcp_sender *s = tcp_sender(flow);
    if (s->more && params->undo) {
        tcp_undo_begin(s);
        if (s->state == TCP_OPEN)
            s->more->undo.frto = TCP_FRTO_FIRST;
        else
            s->more->undo.window = 0;
    }
    if (s->state == TCP_OPEN)
        sender_reduce(s, params, TCP_CONGESTION_TIMEOUT, 0);
    if (s->more)
        s->more->prr.active = false;
    s->window = 1;
    s->credit = 0;
    s->state = TCP_LOSS;
    s->recover = s->reaction_end = s->next;
    if (sender_has_rack(s, params))
        tcp_rack_timeout(host, s, now);
    else
        tcp_scoreboard_lose_all(s, params->sack);
    s->force = sender_has_rack(s, params); /* what was sent of late may fill the window */
    sender_arm(host, flow, now);
}

/* True when it was the reordering timer. */
static bool sender_reordering_timer(struct host *host, struct flow *flow, weir_ps now)
{
    const struct tcp_params *params = tcp_params(flow->transport);
    struct tcp_sender *s = tcp_sender(flow);
    if (!sender_has_rack(s, params) || s->more->rack.due_ps == WEIR_NEVER)
        return false;
    tcp_rack_detect(host, s, now);
    sender_change_state(s, params, 0);
    sender_arm(host, flow, now);
    sender_check(flow);
    host_flow_ready(host, flow);
    return true;
}

void tcp_sender_timer(struct host *host, struct flow *flow, weir_ps now)
{
    struct tcp_sender *s = tcp_sender(flow);
    if (s->state != TCP_OPENING &&
        (sender_pace_timer(host, flow, now) || s->una == s->next || sender_reordering_timer(host, flow, now)))
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
    if (s->state != TCP_OPENING)
        sender_time_out(host, flow, now);
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
    if (s->more) {
        tcp_rack_free(host, &s->more->rack);
        if (s->more->pace.stamps != TELEMETRY_NONE)
            telemetry_delete(host_telemetry(host), s->more->pace.stamps);
        host_words_free(host, (uint64_t *)s->more, TCP_MORE_WORDS);
    }
    if (r->acks)
        host_words_free(host, (uint64_t *)r->acks, TCP_ACKS_WORDS);
    s->more = NULL;
    r->acks = NULL;
}

const char *tcp_check(const struct flow *flow)
{
    const struct tcp_sender *s = tcp_sender(flow);
    const struct tcp_params *params = tcp_params(flow->transport);
    if (!s->control)
        return NULL; /* nobody has asked for it yet */
    if (s->una > s->next || s->next > flow->segments)
        return "tcp: una, next and the end of the flow are out of order";
    if (!(s->window >= 1))
        return "tcp: a window below one segment";
    if (s->state == TCP_OPEN && sender_has_lost(s, params))
        return "tcp: losses and no recovery";
    if ((s->state == TCP_RECOVERY || s->state == TCP_LOSS) && s->una >= s->recover)
        return "tcp: recovery did not end";
    if (s->probing == TCP_PROBE_SENT && s->probe >= s->next)
        return "tcp: a probe that was never sent";
    return sender_has_rack(s, params) ? tcp_rack_check(s) : tcp_scoreboard_check(s, params->sack);
}
