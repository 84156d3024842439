/*
 * tcp_receiver.c - the receiving end of a TCP flow: keeps account of what arrived and acknowledges it.
 *
 * An ACK goes out for every `ack_every` segments, at the latest `ack_delay` after the first of them, and at once when a
 * segment arrives out of order, twice, or into a hole (RFC 5681, section 4.2). It carries the sending time of the
 * oldest segment it acknowledges (RFC 7323), up to three SACK blocks, the one that changed last first (RFC 2018), and
 * whether its segments were marked. The stamps of the segment that caused it, if there are any, take the place of the
 * third block. When segments with and without mark follow each other, those that wait are
 * acknowledged first, so that the sender can count the marked ones exactly (RFC 8257, section 3.2).
 *
 * With `quick_acks` the first segments of a connection are acknowledged one by one. With `ack_delay_max` the delay
 * follows the time between segments, as in Linux (P. Sarolahti, A. Kuznetsov, FREENIX 2002): half its old value and
 * half of `ack_delay` while they come within that, else half its old value and the time between them; twice as much
 * when a delayed ACK had to be sent by its timer.
 *
 * With `request` the flow starts here: a packet asks for it, and asks again until something arrives.
 *
 * Deviation: classic ECN (RFC 3168) would echo a mark on every ACK until the sender confirms it. Here the echo is exact
 * for every control and there is no confirmation; a mark is unheard only if its ACK is lost.
 */
#include "sim/engine/telemetry.h"
#include "sim/transport/tcp.h"
#include "sim/transport/tcp_ring.h"

#ifdef WEIR_CHECKS
#undef NDEBUG /* else glibc does not declare what ends the program */
#include <assert.h>
#endif

#define REQUEST_BYTES 24u /* as weir-traffic asks */
#define ASK_BACKOFF_MAX 16u

static uint16_t saturate(uint32_t segments)
{
    return (uint16_t)(segments < UINT16_MAX ? segments : UINT16_MAX);
}

/* Fills in the block around `segment`; false when it does not fit the ACK's numbers. */
static bool sack_block(const struct tcp_receiver *r, uint32_t segment, struct packet_sack *block)
{
    uint32_t first = tcp_ring_run(r->ring, segment, r->next);
    if (first - r->next > UINT16_MAX)
        return false;
    block->offset = (uint16_t)(first - r->next);
    block->length = saturate(tcp_ring_gap(r->ring, segment) - first);
    return true;
}

static bool sack_covers(const struct packet *ack, uint32_t blocks, uint32_t segment)
{
    for (uint32_t i = 0; i < blocks; i++) {
        if (segment - ack->ack - ack->sack[i].offset < ack->sack[i].length)
            return true;
    }
    return false;
}

/* Reports the blocks that changed last and remembers them in this order. */
static void sack_fill(struct tcp_receiver *r, struct packet *ack)
{
    uint32_t blocks = 0, room = packet_sacks(ack), recent[TCP_RING_RECENT] = {0};
    for (uint32_t i = 0; i < TCP_RING_RECENT && blocks < room; i++) {
        uint32_t segment = r->ring->recent[i];
        if (segment <= r->next || sack_covers(ack, blocks, segment) || !sack_block(r, segment, &ack->sack[blocks]))
            continue;
        recent[blocks++] = segment;
    }
    if (blocks < room)
        ack->sack[blocks].length = 0;
    for (uint32_t i = 0; i < TCP_RING_RECENT; i++)
        r->ring->recent[i] = recent[i];
}

/* The ACK takes the stamps of the segment back to the sender. */
static __attribute__((noinline)) void receiver_return_stamps(struct host *host, struct packet *ack,
                                                             const struct packet *packet)
{
    uint32_t number = host_telemetry_new(host);
    if (number == TELEMETRY_NONE)
        return;
    const struct telemetry_pool *pool = host_telemetry(host);
    telemetry_copy(telemetry_at(pool, number), telemetry_at(pool, packet->telemetry));
    ack->telemetry = number;
    ack->flags |= PACKET_TELEMETRY;
}

/* `packet`: the segment that caused it; null: none does, it had waited long enough. */
static void receiver_send_ack(struct host *host, struct flow *flow, const struct packet *packet, uint16_t flags)
{
    struct tcp_receiver *r = tcp_receiver(flow);
    struct packet *ack = host_feedback(host, flow);
    if (!ack)
        return;
    ack->segment = packet ? packet->segment : r->next - 1;
    ack->ack = r->next;
    ack->sent_ps = r->echo_ps;
    ack->sack[0].length = 0;
    ack->flags |= flags;
    if (packet && (packet->flags & PACKET_TELEMETRY))
        receiver_return_stamps(host, ack, packet);
    if (r->marked)
        ack->flags |= PACKET_ECHO;
    if (r->beyond && tcp_params(flow->seen.transport)->sack)
        sack_fill(r, ack);
    r->pending = 0;
    host_send(host, ack);
}

static void receiver_answer_opening(struct host *host, struct flow *flow, const struct packet *packet)
{
    struct packet *answer = host_feedback(host, flow);
    if (!answer)
        return;
    answer->flags |= PACKET_OPENING;
    answer->segment = packet->segment;
    answer->ack = tcp_receiver(flow)->next;
    answer->sent_ps = packet->sent_ps;
    answer->sack[0].length = 0;
    host_send(host, answer);
}

/* A segment above the next expected one; false if it was there already. */
static bool receiver_take_early(struct host *host, struct tcp_receiver *r, uint32_t segment)
{
    if (!tcp_ring_reserve(host, &r->ring, r->next, segment) || !tcp_ring_add(r->ring, segment, segment + 1))
        return false;
    r->beyond++;
    for (uint32_t i = TCP_RING_RECENT - 1; i > 0; i--)
        r->ring->recent[i] = r->ring->recent[i - 1];
    r->ring->recent[0] = segment;
    return true;
}

/* The next expected segment, before others that wait for it. */
static void receiver_fill_hole(struct tcp_receiver *r)
{
    uint32_t next = tcp_ring_gap(r->ring, r->next + 1);
    r->beyond -= tcp_ring_remove(r->ring, r->next, next);
    r->next = next;
}

/* Takes the segment into account; true when its ACK must not wait. Sets PACKET_TWICE if it was there already. */
static bool receiver_take(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now,
                          uint16_t *flags)
{
    struct tcp_receiver *r = tcp_receiver(flow);
    bool first = packet->segment == r->next, orderly = first && !r->beyond;
    if (orderly) {
        r->next++;
    } else if (first) {
        receiver_fill_hole(r);
    } else if (packet->segment < r->next || !receiver_take_early(host, r, packet->segment)) {
        *flags = PACKET_TWICE;
        host_count(host, flow->seen.tag, HOST_SPURIOUS);
        return true;
    } else {
        host_count(host, flow->seen.tag, HOST_REORDERED);
    }
    host_delivered(host, flow, flow_seen_bytes(flow, packet->segment, host_wire(host)->mss_bytes), now);
    return !orderly;
}

/* Of a segment that may wait for its ACK: true when it must not, at the start of a connection. */
static __attribute__((noinline)) bool receiver_adapt(struct host *host, struct flow *flow, weir_ps now)
{
    const struct tcp_params *params = tcp_params(flow->seen.transport);
    struct tcp_receiver *r = tcp_receiver(flow);
    struct tcp_acks *acks = r->acks;
    weir_ps least = params->ack_delay_ps;
    if (!acks) {
        acks = r->acks = (struct tcp_acks *)host_words(host, TCP_ACKS_WORDS);
        if (!acks)
            return true;
        bool used = flow->connection && flow->connection->used;
        *acks = (struct tcp_acks){.arrived_ps = now, .delay_ps = least, .quick = used ? 0 : params->quick_acks};
    }
    weir_ps gap = now - acks->arrived_ps;
    acks->arrived_ps = now;
    if (gap <= least / 2)
        acks->delay_ps = acks->delay_ps / 2 + least / 2;
    else if (gap < acks->delay_ps)
        acks->delay_ps = acks->delay_ps / 2 + gap;
    if (!acks->quick)
        return false;
    acks->quick--;
    return true;
}

/* At least `ack_delay`, at most `ack_delay_max`. */
static weir_ps receiver_delay(const struct flow *flow)
{
    const struct tcp_params *params = tcp_params(flow->seen.transport);
    const struct tcp_acks *acks = tcp_receiver(flow)->acks;
    if (!acks || !params->ack_delay_max_ps || acks->delay_ps < params->ack_delay_ps)
        return params->ack_delay_ps;
    return acks->delay_ps < params->ack_delay_max_ps ? acks->delay_ps : params->ack_delay_max_ps;
}

static void receiver_wait(struct host *host, struct flow *flow, weir_ps now)
{
    weir_ps due = now + receiver_delay(flow);
    if (flow->receiver_due_ps == WEIR_NEVER)
        host_receiver_timer(host, flow, due);
    else
        flow->receiver_due_ps = due;
}

const char *tcp_receiver_check(const struct flow *flow)
{
    const struct tcp_receiver *r = tcp_receiver(flow);
    if (r->next > flow->seen.segments || (r->next == flow->seen.segments && r->beyond))
        return "tcp: more arrived than the flow has";
    if (tcp_ring_has(r->ring, r->next))
        return "tcp: the next expected segment has arrived";
    if (r->beyond != tcp_ring_count(r->ring, r->next, UINT32_MAX))
        return "tcp: the count of early segments is wrong";
    return NULL;
}

static void receiver_check(const struct flow *flow)
{
#ifdef WEIR_CHECKS
    const char *problem = tcp_receiver_check(flow);
    if (problem)
        __assert_fail(problem, __FILE__, __LINE__, __func__);
#else
    (void)flow;
#endif
}

void tcp_data(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now)
{
    struct tcp_receiver *r = tcp_receiver(flow);
    r->answered = true;
    if (packet->flags & PACKET_OPENING) {
        receiver_answer_opening(host, flow, packet);
        return;
    }
    bool marked = packet->flags & PACKET_MARKED;
    if (r->pending && marked != r->marked)
        receiver_send_ack(host, flow, NULL, 0);
    r->marked = marked;
    bool complete = r->next == flow->seen.segments;
    const struct tcp_params *params = tcp_params(flow->seen.transport);
    uint16_t flags = 0;
    bool at_once = receiver_take(host, flow, packet, now, &flags);
    if (params->quick_acks || params->ack_delay_max_ps)
        at_once |= receiver_adapt(host, flow, now);
    if (!r->pending++)
        r->echo_ps = packet->sent_ps;
    at_once |= r->next == flow->seen.segments;
    if (at_once || r->pending >= params->ack_every || r->pending == UINT16_MAX)
        receiver_send_ack(host, flow, packet, flags);
    else if (r->pending == 1)
        receiver_wait(host, flow, now);
    receiver_check(flow);
    if (r->next == flow->seen.segments && !complete) {
        flow->receiver_due_ps = WEIR_NEVER;
        if (params->request && flow->connection)
            host_connection_rest(host, flow);
        host_receiver_done(host, flow, now);
    }
}

/* A new connection has to wait longer for the answer to its SYN than one that knows its round trip. */
void tcp_receiver_ask(struct host *host, struct flow *flow, weir_ps now)
{
    const struct tcp_params *params = tcp_params(flow->seen.transport);
    const struct connection *connection = flow->connection;
    struct packet *packet = host_feedback(host, flow);
    if (!packet)
        return;
    packet->flags |= PACKET_OPENING;
    packet->bytes = (uint16_t)(packet->bytes + REQUEST_BYTES);
    packet->segment = TCP_ASKS;
    packet->ack = 0;
    packet->sent_ps = now;
    packet->sack[0].length = 0;
    host_send(host, packet);
    bool open =
        !params->handshake || (connection && (connection->used || connection->number < params->open_connections));
    weir_ps wait = open ? params->min_rto_ps + host_base_rtt(host) : params->initial_rto_ps;
    uint8_t backoff = tcp_receiver(flow)->asks;
    wait = wait > params->max_rto_ps >> backoff ? params->max_rto_ps : wait << backoff;
    host_receiver_timer(host, flow, now + wait);
}

/* The timer is left running when an ACK goes out early, so that it need not be set for each one. */
void tcp_receiver_timer(struct host *host, struct flow *flow, weir_ps now)
{
    struct tcp_receiver *r = tcp_receiver(flow);
    if (tcp_params(flow->seen.transport)->request && !r->answered) {
        r->asks += r->asks < ASK_BACKOFF_MAX;
        tcp_receiver_ask(host, flow, now);
        return;
    }
    if (!r->pending)
        return;
    receiver_send_ack(host, flow, NULL, 0);
    if (r->acks)
        r->acks->delay_ps = 2 * receiver_delay(flow);
}
