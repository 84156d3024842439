/*
 * uet.c - Ultra Ethernet's transport: packets in any order over many paths, trimmed ones asked for at once.
 *
 * The receiver takes every segment once and says what it has:
 *
 *   ACK    all before `ack` have arrived; 64 bits from max(psn - 63, ack + 1), or from psn where the segment was marked
 *          or asked for an ACK; how many have arrived, and how many of them out of order; the segment's entropy value,
 *          mark, and whether it was a retransmission. For the first segment, after `ack_bytes`, and at once for one
 *          that was marked, asks for it, came twice, or closed the last gap since one asked
 *   NACK   a segment came without its payload
 *   PULL   credit: uet_credit.c
 *
 * The sender keeps a word for each segment since the first that is not acknowledged: under way since when, or to be
 * sent again. Retransmissions go before new segments, lowest first; there is no go-back-N. The timeout is of the
 * oldest segment under way, without backoff. A segment asks for an ACK when it is the last, uses up the credit, or
 * leaves no room in the window. Where a timeout finds no room or credit, a packet of 64 B asks for credit (RTS), once
 * in a round trip.
 *
 * SLEEK finds losses without trims: when min(1.5 windows, the largest) or more, at least 5 packets, are out of order,
 * all that is not acknowledged up to a window beyond the first gap is sent again, until what was sent by then has
 * arrived. A probe R + D after the last ACK when all has been sent, else 3 R after it, then every 5 R, does the same
 * if it finds a delay below D.
 *
 * After uet-htsim 40ccb05 of the Ultra Ethernet Consortium. Deviations: a flow is one message; a probe and an RTS have
 * no sequence number, so an RTS is repeated by the timeout and not acknowledged; the receiver's window penalty is left
 * out, which the reference never sets; times of sending are kept in units of 1.024 ns; a timeout in recovery waits for
 * another one where the reference waits for ever.
 */
#include "sim/transport/uet.h"

#define UET_TIME_MAX (60 * WEIR_PS_PER_MS)
#define UET_BYTES_MAX (INT64_C(1) << 28)
#define UET_SLOTS_FIRST 16u
#define UET_SLEEK_LEAST 5
#define UET_PATIENCE 64 /* timeouts that a flow with nothing under way waits for credit */
#define UET_PROBE_FIRST 3
#define UET_PROBE_AGAIN 5
#define UET_NO_SEGMENT UINT32_MAX /* what an ACK of an RTS is for: before all that are under way */

static const char *const uet_controls[] = {"nscc", "rccc", "both", NULL};
static const char *const uet_balances[] = {"oblivious", "bitmap", "reps", "mixed", NULL};

static const struct setting uet_settings[] = {
    {.name = "control",
     .unit = SETTING_CHOICE,
     SETTING_FIELD(struct uet_params, control),
     .max = UET_BOTH,
     .choices = uet_controls,
     .help = "nscc: a window of the sender, by delay and marks; rccc: credit of the receiver; or both."},
    {.name = "paths",
     .unit = SETTING_CHOICE,
     SETTING_FIELD(struct uet_params, balance),
     .initial = UET_MIXED,
     .max = UET_MIXED,
     .choices = uet_balances,
     .help = "How each packet gets its entropy value, by which switches choose among equal paths: one after the other "
             "in a drawn order; the same, skipping those with congestion; recycled ones (reps); or recycled ones, else "
             "bitmap."},
    {.name = "entropies",
     .unit = SETTING_COUNT,
     SETTING_FIELD(struct uet_params, entropies),
     .initial = 64,
     .min = 1,
     .max = 32768,
     .help = "Entropy values that a flow uses, a power of 2; 1: all of its packets take one path."},
    {.name = "trimmed",
     .unit = SETTING_FLAG,
     SETTING_FIELD(struct uet_params, trimmed),
     .initial = 1,
     .max = 1,
     .help = "Switches trim: the target delay is 0.75 of the network's round trip, else all of it."},
    {.name = "sleek",
     .unit = SETTING_FLAG,
     SETTING_FIELD(struct uet_params, sleek),
     .max = 1,
     .help = "Losses are also found by packets out of order and by probes; for switches that do not trim. Not with "
             "control: rccc."},
    {.name = "rto",
     .unit = SETTING_TIME,
     SETTING_FIELD(struct uet_params, rto_ps),
     .initial = 100 * WEIR_PS_PER_US,
     .min = WEIR_PS_PER_US,
     .max = UET_TIME_MAX,
     .help = "A packet under way for so long is sent again. The reference takes 15 us and 6 full queues."},
    {.name = "target_delay",
     .unit = SETTING_TIME,
     SETTING_FIELD(struct uet_params, target_ps),
     .min = WEIR_PS_PER_NS,
     .max = UET_TIME_MAX,
     .word = "auto",
     .help = "D, nscc's target of queueing delay; auto: see `trimmed`."},
    {.name = "network_rtt",
     .unit = SETTING_TIME,
     SETTING_FIELD(struct uet_params, network_rtt_ps),
     .min = WEIR_PS_PER_NS,
     .max = UET_TIME_MAX,
     .word = "network",
     .help = "L, round trip without queues; network: the longest of the topology."},
    {.name = "window",
     .unit = SETTING_PAYLOAD,
     SETTING_FIELD(struct uet_params, window_bytes),
     .initial = TRANSPORT_BDP,
     .min = 1,
     .max = UET_BYTES_MAX,
     .word = "bdp",
     .word_value = TRANSPORT_BDP,
     .help = "nscc's window at the start, headers included; bdp: 1.5 products of link rate and the round trip of the "
             "flow's empty path, which is also the largest one."},
    {.name = "ack_after",
     .unit = SETTING_PAYLOAD,
     SETTING_FIELD(struct uet_params, ack_bytes),
     .initial = 16384,
     .min = 1,
     .max = 65535 - 9000,
     .help = "Bytes received, headers included, for an ACK that nothing else asks for."},
    {.name = "credit",
     .unit = SETTING_PAYLOAD,
     SETTING_FIELD(struct uet_params, credit_bytes),
     .initial = 16384,
     .min = UET_QUANTUM,
     .max = UET_BYTES_MAX,
     .help = "rccc: bytes of a grant."},
    {.name = "credit_rate",
     .unit = SETTING_REAL,
     SETTING_FIELD(struct uet_params, credit_rate),
     .initial = 990000000,
     .min = 1000000,
     .max = 2 * SETTING_BILLION,
     .help = "rccc: grants of a receiver, as a part of its link's rate."},
    {.name = "oversubscribed",
     .unit = SETTING_FLAG,
     SETTING_FIELD(struct uet_params, oversubscribed),
     .max = 1,
     .help = "rccc: grants slow down for marks, and for packets trimmed before the last hop."},
    {.name = "credit_least",
     .unit = SETTING_REAL,
     .later = true,
     SETTING_FIELD(struct uet_params, credit_least),
     .initial = 10000000,
     .min = 1000000,
     .max = SETTING_BILLION,
     .help = "oversubscribed: grants are never slower than this part of their rate. The reference takes 0.9 over the "
             "network's oversubscription."},
    {.name = "freeze",
     .unit = SETTING_TIME,
     SETTING_FIELD(struct uet_params, freeze_ps),
     .initial = 10 * WEIR_PS_PER_MS,
     .min = WEIR_PS_PER_US,
     .max = 1000 * WEIR_PS_PER_MS,
     .help = "reps: how long values are reused after a timeout."},
    TRANSPORT_UNSCHEDULED_SETTING(struct uet_params),
};

static bool uet_check(const void *params, const struct sim_wire *wire, struct weir_error *error)
{
    const struct uet_params *uet = params;
    (void)wire;
    if (uet->entropies & (uet->entropies - 1))
        return weir_fail(error, WEIR_ERROR_INPUT, "entropies: %u is no power of 2 (expected 1, 2, 4 .. 32768)",
                         (unsigned)uet->entropies);
    if (uet->sleek && uet->control == UET_RCCC)
        return weir_fail(error, WEIR_ERROR_INPUT, "'sleek' needs the window of nscc (expected control: nscc or both)");
    if (uet->oversubscribed && uet->control == UET_NSCC)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "'oversubscribed' is of receiver credit (expected control: rccc or both)");
    return true;
}

static bool uet_draws(const void *params)
{
    return ((const struct uet_params *)params)->entropies > 1;
}

/* A word of a slot: where the segment is, how often it was sent again (2: or more), why, and when it was sent. */
#define SLOT_TIME_SHIFT 6u
#define SLOT_UNIT_SHIFT 10u
#define SLOT_TIME_MASK ((UINT32_C(1) << 26) - 1)

static uint32_t slot_state(uint32_t slot)
{
    return slot & 3u;
}

static uint32_t slot_again(uint32_t slot)
{
    return slot >> 2 & 3u;
}

static enum uet_cause slot_cause(uint32_t slot)
{
    return (enum uet_cause)(slot >> 4 & 3u);
}

static uint32_t slot_make(uint32_t state, uint32_t again, enum uet_cause cause, weir_ps now)
{
    uint32_t time = (uint32_t)((uint64_t)now >> SLOT_UNIT_SHIFT) & SLOT_TIME_MASK;
    return state | again << 2 | (uint32_t)cause << 4 | time << SLOT_TIME_SHIFT;
}

/* It was sent within the time that the word can tell. */
static weir_ps slot_sent_ps(uint32_t slot, weir_ps now)
{
    uint64_t units = (uint64_t)now >> SLOT_UNIT_SHIFT;
    uint32_t age = ((uint32_t)units - (slot >> SLOT_TIME_SHIFT)) & SLOT_TIME_MASK;
    return (weir_ps)((units - age) << SLOT_UNIT_SHIFT);
}

static uint32_t *slot_of(const struct uet_sender *s, uint32_t segment)
{
    return &s->slots[segment & s->slot_mask];
}

/* Room for the next new segment. */
static bool slots_reserve(struct host *host, struct uet_sender *s)
{
    if (s->slots && s->next - s->acked <= s->slot_mask)
        return true;
    uint32_t room = s->slots ? 2 * (s->slot_mask + 1) : UET_SLOTS_FIRST;
    uint32_t *slots = (uint32_t *)host_words(host, room / 2);
    if (!slots)
        return false;
    for (uint32_t segment = s->acked; segment != s->next; segment++)
        slots[segment & (room - 1)] = *slot_of(s, segment);
    if (s->slots)
        host_words_free(host, (uint64_t *)s->slots, (s->slot_mask + 1) / 2);
    s->slots = slots;
    s->slot_mask = room - 1;
    return true;
}

static bool has_window(const struct flow *flow)
{
    return uet_params(flow->transport)->control != UET_RCCC;
}

static bool has_credit(const struct flow *flow)
{
    return uet_params(flow->transport)->control != UET_NSCC;
}

static uint32_t uet_full(const struct host *host)
{
    const struct sim_wire *wire = host_wire(host);
    return wire->mss_bytes + wire->header_bytes;
}

static uint32_t uet_bytes(const struct host *host, const struct flow *flow, uint32_t segment)
{
    const struct sim_wire *wire = host_wire(host);
    return flow_segment_bytes(flow, segment, wire->mss_bytes) + wire->header_bytes;
}

/* Bytes to be sent, for the first time and again. */
static int64_t uet_backlog(const struct host *host, const struct flow *flow)
{
    const struct uet_sender *s = uet_sender(flow);
    const struct sim_wire *wire = host_wire(host);
    const int64_t full = uet_full(host);
    int64_t bytes = ((int64_t)flow->segments - s->next) * full + (int64_t)s->queued * full;
    bool last =
        s->next < flow->segments || (s->next - s->acked > 0 && slot_state(*slot_of(s, s->next - 1)) == UET_QUEUED);
    return last ? bytes - wire->mss_bytes + flow->last_bytes : bytes;
}

/* The segment that would be sent next, if there is any. */
static bool uet_next(struct flow *flow, uint32_t *segment)
{
    struct uet_sender *s = uet_sender(flow);
    if (s->queued == 0) {
        *segment = s->next;
        return s->next < flow->segments;
    }
    if ((int32_t)(s->lowest - s->acked) < 0)
        s->lowest = s->acked;
    while (slot_state(*slot_of(s, s->lowest)) != UET_QUEUED)
        s->lowest++;
    *segment = s->lowest;
    return true;
}

static bool uet_may_send(struct host *host, struct flow *flow)
{
    const struct uet_sender *s = uet_sender(flow);
    uint32_t segment;
    if (!uet_next(flow, &segment) || (has_credit(flow) && s->more->credit <= 0))
        return false;
    if (!has_window(flow) || (s->recovering && s->queued > 0))
        return true;
    return (int64_t)s->window >= s->in_flight + (int64_t)uet_bytes(host, flow, segment);
}

/* Sees to it that the timer comes in time. A flow that waits for feedback has one even if nothing is under way. */
static void uet_arm(struct host *host, struct flow *flow, weir_ps now)
{
    struct uet_sender *s = uet_sender(flow);
    if (s->rto_ps == WEIR_NEVER && !uet_may_send(host, flow))
        s->rto_ps = now + uet_params(flow->transport)->rto_ps;
    weir_ps due = s->rto_ps < s->more->probe_ps ? s->rto_ps : s->more->probe_ps;
    if (due == WEIR_NEVER)
        flow->sender_due_ps = due;
    else if (due != flow->sender_due_ps)
        host_sender_timer(host, flow, due > now ? due : now);
}

static void uet_go_on(struct host *host, struct flow *flow, weir_ps now)
{
    uet_arm(host, flow, now);
    if (flow->ready || !uet_may_send(host, flow))
        return;
    struct uet_nic *nic = uet_nic(host);
    if (!nic)
        return;
    nic->sending++;
    host_flow_ready(host, flow);
}

static void uet_open(struct host *host, struct flow *flow, weir_ps now)
{
    const struct uet_params *params = uet_params(flow->transport);
    struct uet_sender *s = uet_sender(flow);
    weir_ps base = flow->base_rtt_ps ? flow->base_rtt_ps : host_base_rtt(host);
    int32_t most = uet_window_most(host_rate(host), base);
    *s = (struct uet_sender){.base_ps = base,
                             .window = params->window_bytes == TRANSPORT_BDP ? most : (int32_t)params->window_bytes,
                             .window_most = most,
                             .rto_ps = WEIR_NEVER,
                             .speculating = true};
    s->more = (struct uet_more *)host_words(host, (uint32_t)(uet_more_size(params) / sizeof(uint64_t)));
    if (!s->more || !uet_nic(host))
        return;
    s->more->pull = UET_PULL_START;
    s->more->credit = s->more->credit_most = most;
    s->more->rts_ps = s->more->probe_ps = WEIR_NEVER;
    s->more->unscheduled = host_unscheduled(host, flow, params->unscheduled_bytes);
    uet_paths_open(s->more, params, weir_hash(host_seed(host) ^ UINT64_C(0x756574), flow->id));
    uet_go_on(host, flow, now);
}

static void uet_fill(struct host *host, struct flow *flow, struct packet *packet, uint32_t segment, weir_ps now)
{
    const struct uet_params *params = uet_params(flow->transport);
    struct uet_sender *s = uet_sender(flow);
    const uint32_t bytes = uet_bytes(host, flow, segment);
    packet->segment = segment;
    packet->ack = 0;
    packet->bytes = (uint16_t)bytes;
    packet->flags = PACKET_ECN | PACKET_ENTROPY | (segment < s->more->unscheduled ? PACKET_UNSCHEDULED : 0);
    packet->kind = PACKET_SEGMENT;
    bool again = s->queued > 0;
    uint32_t *slot = slot_of(s, segment);
    if (again) {
        enum uet_cause cause = slot_cause(*slot);
        uint32_t times = slot_again(*slot) + 1;
        s->queued--;
        s->lowest = segment + 1;
        *slot = slot_make(UET_SENT, times < 2 ? times : 2, cause, now);
        packet->flags |= PACKET_AGAIN;
        flow->again++;
        host_count(host, flow->tag, HOST_AGAIN_NACK + (uint32_t)cause);
    } else {
        s->next++;
        *slot = slot_make(UET_SENT, 0, UET_NACK, now);
    }
    s->in_flight += (int32_t)bytes;
    bool spent = false;
    if (has_credit(flow)) {
        struct uet_nic *nic = uet_nic(host);
        s->more->credit -= (int32_t)bytes;
        spent = s->more->credit <= 0;
        packet->uet.pull = uet_credit_target(s, params, uet_backlog(host, flow), uet_full(host), nic->sending);
    }
    bool last = s->next == flow->segments;
    bool full = has_window(flow) && (int64_t)s->in_flight + bytes >= s->window;
    if (again || last || spent || full)
        packet->kind |= PACKET_ASKS;
    packet->entropy = uet_paths_next(s->more, params);
    if (s->rto_ps == WEIR_NEVER)
        s->rto_ps = now + params->rto_ps;
}

static enum transport_more uet_emit(struct host *host, struct flow *flow, struct packet *packet, weir_ps now)
{
    struct uet_nic *nic = uet_nic(host);
    uint32_t segment;
    bool sends = nic && uet_may_send(host, flow) && uet_next(flow, &segment) && slots_reserve(host, uet_sender(flow));
    if (sends)
        uet_fill(host, flow, packet, segment, now);
    uet_arm(host, flow, now);
    if (sends && uet_may_send(host, flow))
        return TRANSPORT_MORE;
    if (nic)
        nic->sending--;
    return sends ? TRANSPORT_LAST : TRANSPORT_NOTHING;
}

/* A packet of the sender without payload. */
static void uet_control(struct host *host, struct flow *flow, uint8_t kind, uint32_t number, weir_ps now)
{
    struct uet_sender *s = uet_sender(flow);
    struct packet *packet = host_control(host, flow);
    if (!packet)
        return;
    packet->flags |= PACKET_ENTROPY;
    packet->kind = kind;
    packet->segment = number;
    packet->ack = 0;
    packet->sent_ps = now;
    packet->entropy = uet_paths_next(s->more, uet_params(flow->transport));
    if (has_credit(flow))
        packet->uet.pull = uet_credit_target(s, uet_params(flow->transport), uet_backlog(host, flow), uet_full(host),
                                             uet_nic(host)->sending);
    host_send(host, packet);
}

/* The first feedback ends the credit that the flow began with. */
static void uet_hear(struct uet_sender *s)
{
    if (!s->speculating)
        return;
    s->speculating = false;
    if (s->more->credit > 0)
        s->more->credit = 0;
}

/* Of the transport that was used last, mostly the only one. */
static const struct uet_scale *scale_of(struct host *host, const struct flow *flow)
{
    struct uet_nic *nic = uet_nic(host);
    if (nic->scaled != flow->transport) {
        nic->scaled = flow->transport;
        nic->scale = uet_scale_of(uet_params(flow->transport), host_wire(host), host_rate(host), host_base_rtt(host));
    }
    return &nic->scale;
}

/* A shorter way than it knew of. */
static void uet_shorten(const struct host *host, struct uet_sender *s, weir_ps rtt_ps)
{
    if (s->base_ps <= rtt_ps)
        return;
    s->base_ps = rtt_ps;
    s->window_most = uet_window_most(host_rate(host), rtt_ps);
}

static void uet_queue(struct host *host, struct flow *flow, uint32_t segment, enum uet_cause cause)
{
    struct uet_sender *s = uet_sender(flow);
    uint32_t *slot = slot_of(s, segment);
    *slot = (*slot & ~0x33u) | UET_QUEUED | (uint32_t)cause << 4;
    if (s->queued++ == 0 || (int32_t)(segment - s->lowest) < 0)
        s->lowest = segment;
    s->in_flight -= (int32_t)uet_bytes(host, flow, segment);
}

/* It has arrived. One that was to be sent again had been taken from what is under way, and its arrival will be too. */
static void uet_arrived(struct host *host, struct flow *flow, uint32_t segment)
{
    struct uet_sender *s = uet_sender(flow);
    uint32_t *slot = slot_of(s, segment);
    if (slot_state(*slot) == UET_QUEUED) {
        s->queued--;
        s->in_flight += (int32_t)uet_bytes(host, flow, segment);
    }
    *slot = UET_GONE;
}

/* The oldest segment under way; false: there is none. */
static bool uet_oldest(const struct uet_sender *s, uint32_t *segment, weir_ps *sent_ps, weir_ps now)
{
    *sent_ps = WEIR_NEVER;
    for (uint32_t i = s->acked; i != s->next; i++) {
        uint32_t slot = *slot_of(s, i);
        if (slot_state(slot) == UET_SENT && slot_sent_ps(slot, now) < *sent_ps) {
            *sent_ps = slot_sent_ps(slot, now);
            *segment = i;
        }
    }
    return *sent_ps != WEIR_NEVER;
}

static void uet_ask_again(struct host *host, struct flow *flow, weir_ps now)
{
    struct uet_sender *s = uet_sender(flow);
    weir_ps rtt = scale_of(host, flow)->rtt_ps;
    if (s->more->rts_ps != WEIR_NEVER && now - s->more->rts_ps < rtt)
        return;
    s->more->rts_ps = now;
    uet_control(host, flow, PACKET_RTS, UET_NO_SEGMENT, now);
}

static void uet_time_out(struct host *host, struct flow *flow, uint32_t segment, weir_ps now)
{
    const struct uet_params *params = uet_params(flow->transport);
    struct uet_sender *s = uet_sender(flow);
    uet_paths_learn(host, s->more, params, 0, UET_LATE, now);
    if (s->recovering) {
        uint32_t *slot = slot_of(s, segment);
        if (slot_again(*slot) > 0)
            s->more->recovered = segment;
        *slot = slot_make(UET_SENT, slot_again(*slot), slot_cause(*slot), now);
        return;
    }
    flow->timeouts++;
    bool waits = s->queued > 0;
    uet_queue(host, flow, segment, UET_TIMEOUT);
    if (has_window(flow)) {
        int32_t least = (int32_t)uet_full(host);
        s->window -= (int32_t)uet_bytes(host, flow, segment);
        s->window = s->window > least ? s->window : least;
    }
    if (waits)
        uet_hear(s);
    if (waits ? has_credit(flow) : !uet_may_send(host, flow))
        uet_ask_again(host, flow, now);
}

/* Nothing is under way, and the timer has come. A flow may wait for its turn of the receiver's credit for long; else
 * feedback was lost, and the answer to an RTS tells all of it. When to look again. */
static weir_ps uet_wait(struct host *host, struct flow *flow, weir_ps now)
{
    struct uet_sender *s = uet_sender(flow);
    if (uet_may_send(host, flow))
        return WEIR_NEVER;
    if (has_credit(flow) && s->more->credit <= 0 && !s->patient) {
        s->patient = true;
        return now + UET_PATIENCE * uet_params(flow->transport)->rto_ps;
    }
    s->in_flight = 0;
    s->patient = false;
    uet_ask_again(host, flow, now);
    return WEIR_NEVER;
}

static void uet_sender_timer(struct host *host, struct flow *flow, weir_ps now)
{
    const struct uet_params *params = uet_params(flow->transport);
    struct uet_sender *s = uet_sender(flow);
    if (s->more->probe_ps <= now) {
        s->more->probe_sent_ps = now;
        s->more->probe_ps = now + UET_PROBE_AGAIN * s->base_ps;
        uet_control(host, flow, PACKET_PROBE, ++s->more->probe, now);
    }
    while (s->rto_ps <= now) {
        uint32_t segment;
        weir_ps sent;
        if (!uet_oldest(s, &segment, &sent, now)) {
            s->rto_ps = uet_wait(host, flow, now);
        } else if (sent + params->rto_ps > now) {
            s->rto_ps = sent + params->rto_ps;
        } else {
            uet_time_out(host, flow, segment, now);
        }
    }
    uet_go_on(host, flow, now);
}

/* Delay of the segment that an ACK is for. One that was sent twice is a sample where the ACK says which. */
static weir_ps uet_sample(struct host *host, struct flow *flow, const struct packet *packet,
                          const struct uet_scale *scale, weir_ps now)
{
    struct uet_sender *s = uet_sender(flow);
    const bool marked = packet->flags & PACKET_ECHO;
    weir_ps rtt = now - packet->sent_ps;
    if (packet->kind & PACKET_PROBED) {
        if (packet->segment != s->more->probe)
            return s->delay_ps;
        if (rtt < s->base_ps)
            return 0;
    } else {
        if ((int32_t)(packet->segment - s->acked) < 0)
            return s->delay_ps;
        uint32_t slot = *slot_of(s, packet->segment);
        uint32_t echo = packet->flags & PACKET_AGAIN ? 1 : 0;
        if (slot_state(slot) != UET_SENT || slot_again(slot) != echo)
            return s->delay_ps;
        uet_shorten(host, s, rtt);
    }
    uet_nscc_sample(s, scale, rtt - s->base_ps, marked);
    return rtt - s->base_ps;
}

/* Bytes that this ACK is the first to tell of. */
static uint32_t uet_newly(const struct host *host, const struct flow *flow, const struct packet *packet)
{
    struct uet_sender *s = uet_sender(flow);
    const struct sim_wire *wire = host_wire(host);
    int16_t segments = (int16_t)(packet->uet.arrived - s->arrived);
    if (segments <= 0)
        return 0;
    uint32_t bytes = (uint32_t)segments * (wire->mss_bytes + wire->header_bytes);
    s->arrived = packet->uet.arrived;
    if ((packet->kind & PACKET_HAS_LAST) && !s->last_arrived) {
        s->last_arrived = true;
        bytes -= wire->mss_bytes - flow->last_bytes;
    }
    return bytes;
}

/* What an ACK says of single segments. */
static void uet_take_bits(struct host *host, struct flow *flow, const struct packet *packet)
{
    const struct uet_sender *s = uet_sender(flow);
    uint64_t bits = (uint64_t)packet->uet.bits[1] << 32 | packet->uet.bits[0];
    uint32_t base = packet->segment;
    if (!(packet->kind & PACKET_FROM_SEGMENT)) {
        base = packet->ack + 1;
        if ((int32_t)(packet->segment - 63 - base) > 0)
            base = packet->segment - 63;
    }
    for (; bits; bits &= bits - 1) {
        uint32_t segment = base + (uint32_t)__builtin_ctzll(bits);
        if ((int32_t)(segment - s->acked) >= 0 && (int32_t)(segment - s->next) < 0)
            uet_arrived(host, flow, segment);
    }
}

static void uet_recover(struct host *host, struct flow *flow, uint32_t beyond)
{
    struct uet_sender *s = uet_sender(flow);
    struct uet_more *more = s->more;
    const uint32_t mss = host_wire(host)->mss_bytes;
    int64_t threshold = (int64_t)s->window * 3 / 2;
    threshold = threshold < s->window_most ? threshold : s->window_most;
    threshold = threshold > UET_SLEEK_LEAST * (int64_t)mss ? threshold : UET_SLEEK_LEAST * (int64_t)mss;
    if (s->recovering && (int32_t)(s->acked - more->recovery) >= 0)
        s->recovering = false;
    if (!s->recovering && (int64_t)beyond < threshold / mss)
        return;
    if (!s->recovering && s->queued == 0) {
        s->recovering = true;
        more->recovery = s->next;
    }
    uint32_t end = s->acked + (uint32_t)s->window / mss;
    end = (int32_t)(end - more->recovery) < 0 ? end : more->recovery;
    uint32_t segment = (int32_t)(more->recovered - s->acked) > 0 ? more->recovered : s->acked;
    for (; (int32_t)(segment - end) < 0; segment++) {
        if (slot_state(*slot_of(s, segment)) != UET_SENT)
            continue;
        uet_queue(host, flow, segment, UET_SLEEK);
        more->recovered = segment + 1;
    }
}

static void uet_sleek(struct host *host, struct flow *flow, const struct packet *packet, weir_ps delay_ps,
                      const struct uet_scale *scale, weir_ps now)
{
    struct uet_sender *s = uet_sender(flow);
    bool more = s->next < flow->segments;
    s->more->probe_ps = WEIR_NEVER;
    if (s->acked != s->next || more)
        s->more->probe_ps = now + (more ? UET_PROBE_FIRST * s->base_ps : s->base_ps + scale->target_ps);
    if ((packet->kind & PACKET_PROBED) && delay_ps < scale->target_ps) {
        s->recovering = true;
        s->more->recovery = s->next;
        s->more->recovered = s->acked;
    }
    uet_recover(host, flow, packet->uet.beyond);
}

static void uet_acked(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now)
{
    const struct uet_params *params = uet_params(flow->transport);
    struct uet_sender *s = uet_sender(flow);
    const struct uet_scale *scale = scale_of(host, flow);
    const bool marked = packet->flags & PACKET_ECHO;
    uint32_t newly = uet_newly(host, flow, packet);
    s->achieved += newly;
    s->grown += newly;
    s->ignored += newly;
    s->in_flight -= (int32_t)newly;
    weir_ps delay = uet_sample(host, flow, packet, scale, now);
    for (; (int32_t)(s->acked - packet->ack) < 0; s->acked++)
        uet_arrived(host, flow, s->acked);
    uet_take_bits(host, flow, packet);
    uet_paths_learn(host, s->more, params, packet->entropy, marked ? UET_MARKED : UET_GOOD, now);
    if (has_window(flow))
        uet_nscc_ack(s, scale, newly, delay, marked, now);
    if (params->sleek)
        uet_sleek(host, flow, packet, delay, scale, now);
}

static void uet_nacked(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now)
{
    const struct uet_params *params = uet_params(flow->transport);
    struct uet_sender *s = uet_sender(flow);
    const bool last_hop = packet->flags & PACKET_LAST_HOP;
    if ((int32_t)(packet->segment - s->acked) < 0 || slot_state(*slot_of(s, packet->segment)) != UET_SENT)
        return;
    const struct uet_scale *scale = scale_of(host, flow);
    uet_shorten(host, s, now - packet->sent_ps);
    if (has_window(flow))
        uet_nscc_nack(s, scale, uet_bytes(host, flow, packet->segment), has_credit(flow) && last_hop, now);
    uet_hear(s);
    uet_queue(host, flow, packet->segment, UET_NACK);
    enum uet_feedback feedback = !last_hop ? UET_TRIMMED : packet->flags & PACKET_ECHO ? UET_MARKED : UET_GOOD;
    uet_paths_learn(host, s->more, params, packet->entropy, feedback, now);
}

static void uet_pulled(struct uet_sender *s, const struct packet *packet)
{
    struct uet_more *more = s->more;
    int32_t quanta = (int32_t)(packet->uet.pull - more->pull);
    uet_hear(s);
    if (s->patient)
        s->rto_ps = WEIR_NEVER; /* what is sent now has its own timeout */
    s->patient = false;
    if (quanta <= 0)
        return;
    int64_t credit = more->credit + (int64_t)quanta * UET_QUANTUM;
    more->credit = credit < more->credit_most ? (int32_t)credit : more->credit_most;
    more->pull = packet->uet.pull;
}

static void uet_ack(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now)
{
    struct uet_sender *s = uet_sender(flow);
    if (s->acked == flow->segments)
        return;
    switch (packet->kind & PACKET_KIND) {
    case PACKET_PULL:
        uet_pulled(s, packet);
        break;
    case PACKET_TRIM_NACK:
        uet_nacked(host, flow, packet, now);
        break;
    default:
        uet_acked(host, flow, packet, now);
        uet_hear(s);
        if (s->acked == flow->segments) {
            flow->sender_due_ps = WEIR_NEVER;
            s->rto_ps = s->more->probe_ps = WEIR_NEVER;
            host_sender_done(host, flow, now);
            return;
        }
    }
    uet_go_on(host, flow, now);
}

static uint32_t receiver_bits(const struct uet_receiver *r)
{
    return r->bits ? 64u << r->words_log2 : 0;
}

/* A segment beyond what is expected has arrived. */
static bool receiver_has(const struct uet_receiver *r, uint32_t segment)
{
    uint32_t bits = receiver_bits(r), place = segment & (bits - 1);
    return segment - r->expected < bits && (r->bits[place / 64] >> place % 64 & 1);
}

/* Room for the segment. */
static bool receiver_reserve(struct host *host, struct uet_receiver *r, uint32_t segment)
{
    uint32_t bits = receiver_bits(r), log2 = r->words_log2;
    if (segment - r->expected < bits)
        return true;
    while (segment - r->expected >= 64u << log2)
        log2++;
    uint64_t *words = host_words(host, 1u << log2);
    if (!words)
        return false;
    for (uint32_t i = 0; i < bits; i++) {
        uint32_t at = r->expected + i, place = at & ((64u << log2) - 1);
        words[place / 64] |= (uint64_t)receiver_has(r, at) << place % 64;
    }
    if (r->bits)
        host_words_free(host, r->bits, 1u << r->words_log2);
    r->bits = words;
    r->words_log2 = (uint8_t)log2;
    return true;
}

/* 64 of them from `base` on. */
static uint64_t receiver_bitmap(const struct uet_receiver *r, uint32_t base)
{
    uint32_t bits = receiver_bits(r), offset = base - r->expected;
    if (offset >= bits) /* base is below what is expected, or beyond all that came */
        return 0;
    uint32_t words = bits / 64, word = (base & (bits - 1)) / 64, shift = base % 64;
    uint64_t found = r->bits[word] >> shift;
    if (shift > 0)
        found |= r->bits[(word + 1) & (words - 1)] << (64 - shift);
    return bits - offset < 64 ? found & ((UINT64_C(1) << (bits - offset)) - 1) : found;
}

static struct packet *receiver_feedback(struct host *host, struct flow *flow, const struct packet *packet, uint8_t kind)
{
    struct packet *back = host_feedback(host, flow);
    if (!back)
        return NULL;
    back->kind = kind;
    back->segment = packet->segment;
    back->ack = uet_receiver(flow)->expected;
    back->sent_ps = packet->sent_ps;
    back->entropy = packet->entropy;
    back->flags |= PACKET_ENTROPY | (packet->flags & (PACKET_AGAIN | PACKET_LAST_HOP)) |
                   (packet->flags & PACKET_MARKED ? PACKET_ECHO : 0);
    return back;
}

static void receiver_ack(struct host *host, struct flow *flow, const struct packet *packet, bool from_segment)
{
    struct uet_receiver *r = uet_receiver(flow);
    struct packet *ack = receiver_feedback(host, flow, packet, PACKET_SACK);
    r->accepted = 0;
    if (!ack)
        return;
    uint32_t base = packet->segment;
    if (!from_segment) {
        base = r->expected + 1;
        if ((int32_t)(packet->segment - 63 - base) > 0)
            base = packet->segment - 63;
    }
    uint64_t bits = receiver_bitmap(r, base);
    ack->kind |= (uint8_t)((from_segment ? PACKET_FROM_SEGMENT : 0) | (r->last ? PACKET_HAS_LAST : 0) |
                           ((packet->kind & PACKET_KIND) == PACKET_PROBE ? PACKET_PROBED : 0));
    ack->uet.bits[0] = (uint32_t)bits;
    ack->uet.bits[1] = (uint32_t)(bits >> 32);
    ack->uet.arrived = (uint16_t)r->arrived;
    ack->uet.beyond = r->beyond;
    host_count(host, flow->seen.tag, HOST_ACKS);
    host_send(host, ack);
}

/* The first segment that is still missing moves on. */
static void receiver_advance(struct uet_receiver *r)
{
    r->expected++;
    while (r->beyond > 0 && receiver_has(r, r->expected)) {
        uint32_t place = r->expected & (receiver_bits(r) - 1);
        r->bits[place / 64] &= ~(UINT64_C(1) << place % 64);
        r->beyond--;
        r->expected++;
    }
}

/* A whole segment that had not arrived. */
static void receiver_take(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now)
{
    struct uet_receiver *r = uet_receiver(flow);
    const bool asks = packet->kind & PACKET_ASKS, marked = packet->flags & PACKET_MARKED;
    bool at_once = r->arrived == 0 || asks || marked;
    r->arrived++;
    r->last = r->last || packet->segment + 1 == flow->seen.segments;
    r->ack_due = r->ack_due || asks;
    host_delivered(host, flow, flow_seen_bytes(flow, packet->segment, host_wire(host)->mss_bytes), now);
    if (packet->segment == r->expected) {
        receiver_advance(r);
        if (r->beyond == 0 && r->ack_due) {
            at_once = true;
            r->ack_due = false;
        }
    } else {
        uint32_t place = packet->segment & (receiver_bits(r) - 1);
        r->bits[place / 64] |= UINT64_C(1) << place % 64;
        r->beyond++;
        host_count(host, flow->seen.tag, HOST_REORDERED);
    }
    if (at_once || r->accepted >= uet_params(flow->seen.transport)->ack_bytes)
        receiver_ack(host, flow, packet, marked || asks);
    if (r->expected == flow->seen.segments) {
        uet_credit_leave(host, flow, now);
        host_receiver_done(host, flow, now);
    }
}

static void uet_data(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now)
{
    const struct uet_params *params = uet_params(flow->seen.transport);
    struct uet_receiver *r = uet_receiver(flow);
    const bool credit = params->control != UET_NSCC, done = r->expected == flow->seen.segments;
    const uint8_t kind = packet->kind & PACKET_KIND;
    if (!r->open) {
        r->open = true;
        r->target = r->granted = UET_PULL_START;
    }
    if (params->oversubscribed && kind == PACKET_SEGMENT)
        uet_credit_watch(host, flow, packet, now);
    if (kind != PACKET_SEGMENT) {
        if (kind == PACKET_RTS && credit && !done)
            uet_credit_ask(host, flow, packet->uet.pull, true, now);
        receiver_ack(host, flow, packet, false);
        return;
    }
    const bool had = (int32_t)(packet->segment - r->expected) < 0 || receiver_has(r, packet->segment);
    const bool cut = packet->flags & PACKET_TRIMMED;
    if (!cut)
        r->accepted = (uint16_t)(r->accepted + packet->bytes);
    if (credit && !done && !(cut && had))
        uet_credit_ask(host, flow, packet->uet.pull, cut, now);
    if (had) {
        if (!cut)
            host_count(host, flow->seen.tag, HOST_SPURIOUS);
        receiver_ack(host, flow, packet, !cut && packet->flags & PACKET_MARKED);
    } else if (cut) {
        struct packet *nack = receiver_feedback(host, flow, packet, PACKET_TRIM_NACK);
        host_count(host, flow->seen.tag, HOST_NACKS);
        if (nack)
            host_send(host, nack);
    } else if (receiver_reserve(host, r, packet->segment)) {
        receiver_take(host, flow, packet, now);
    }
}

static void uet_receiver_timer(struct host *host, struct flow *flow, weir_ps now)
{
    uet_credit_act(host, flow, now);
}

static void uet_close(struct host *host, struct flow *flow)
{
    struct uet_sender *s = uet_sender(flow);
    struct uet_receiver *r = uet_receiver(flow);
    if (s->more)
        uet_paths_close(host, s->more);
    if (s->more)
        host_words_free(host, (uint64_t *)s->more,
                        (uint32_t)(uet_more_size(uet_params(flow->transport)) / sizeof(uint64_t)));
    if (s->slots)
        host_words_free(host, (uint64_t *)s->slots, (s->slot_mask + 1) / 2);
    if (r->bits)
        host_words_free(host, r->bits, 1u << r->words_log2);
    s->more = NULL;
    s->slots = NULL;
    r->bits = NULL;
}

TRANSPORT_FITS(struct uet_params, struct uet_sender, struct uet_receiver);

const struct transport transport_uet = {
    .name = "uet",
    .title = "Ultra Ethernet",
    .source = "as in uet-htsim 40ccb05, without connections of several messages and the receiver's window penalty",
    .reads_trimmed = true,
    .sprays = true,
    .settings = SETTING_TABLE(uet_settings, struct uet_params),
    .check = uet_check,
    .draws = uet_draws,
    .open = uet_open,
    .emit = uet_emit,
    .data = uet_data,
    .ack = uet_ack,
    .sender_timer = uet_sender_timer,
    .receiver_timer = uet_receiver_timer,
    .close = uet_close,
};
