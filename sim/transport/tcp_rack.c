/*
 * tcp_rack.c - RACK: a segment is lost when one that was sent later has arrived, and more time has passed since it was
 * sent than a round trip and a reordering window (RFC 8985, section 6.2; steps are named as there).
 *
 *   reordering window: 0 while no reordering was seen and three segments are sacked or losses are being repaired, else
 *                      min(multiplier * min_rtt / 4, srtt); a duplicate (RFC 2883) raises the multiplier for 16
 * recoveries
 *
 * Deviation: the reordering timer runs until the last segment that counts would be lost, as if it had been sent
 * together with the one that arrived.
 */
#include "sim/transport/tcp_more.h"
#include "sim/transport/tcp_ring.h"
#include "sim/transport/tcp_scoreboard.h"

#define FIRST_TIMES 32u
#define PERSIST 16u

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

void tcp_rack_init(struct tcp_rack *rack)
{
    rack->due_ps = WEIR_NEVER;
    rack->multiplier = rack->multiplier ? rack->multiplier : 1;
}

/* A ring of at least `need` words that keeps what `old` has from number `from` on. */
static uint64_t *ring_grow(struct host *host, uint64_t *old, uint32_t *mask, uint32_t from, uint32_t need)
{
    uint32_t words = old ? *mask + 1 : FIRST_TIMES;
    while (words < need)
        words *= 2;
    uint64_t *made = host_words(host, words);
    if (!made)
        return NULL;
    for (uint32_t i = 0; old && i <= *mask; i++)
        made[(from + i) & (words - 1)] = old[(from + i) & *mask];
    if (old)
        host_words_free(host, old, *mask + 1);
    *mask = words - 1;
    return made;
}

static bool times_reserve(struct host *host, struct tcp_sender *s, uint32_t segment)
{
    struct tcp_rack *rack = &s->more->rack;
    uint32_t need = segment - s->una + 1;
    if (rack->sent && need <= rack->mask + 1)
        return true;
    uint64_t *made = ring_grow(host, (uint64_t *)rack->sent, &rack->mask, s->una, need);
    if (made)
        rack->sent = (weir_ps *)made;
    return made != NULL;
}

static bool queue_push(struct host *host, struct tcp_rack *rack, uint32_t segment)
{
    uint32_t need = rack->queue_tail - rack->queue_head + 1;
    if (!rack->queue || need > rack->queue_mask + 1) {
        uint64_t *made = ring_grow(host, rack->queue, &rack->queue_mask, rack->queue_head, need);
        if (!made)
            return false;
        rack->queue = made;
    }
    rack->queue[rack->queue_tail++ & rack->queue_mask] = segment;
    return true;
}

void tcp_rack_sent(struct host *host, struct tcp_sender *s, uint32_t segment, bool again, weir_ps now)
{
    struct tcp_rack *rack = &s->more->rack;
    if (!times_reserve(host, s, segment))
        return;
    rack->sent[segment & rack->mask] = now;
    if (again && queue_push(host, rack, segment) && tcp_ring_reserve(host, &rack->again, s->una, segment))
        tcp_ring_add(rack->again, segment, segment + 1);
}

/* Steps 2 and 3. An ACK of a retransmission may be that of the original: then it says nothing about the later one. The
 * echoed time tells exactly, so the RFC's second test, of a round trip below the least one, is made only where the echo
 * is not the segment's (take_blocks): it would pass over the end of a flow, shorter and so faster than a full segment.
 */
static void segment_arrived(struct tcp_sender *s, uint32_t segment, weir_ps echo_ps, weir_ps now)
{
    struct tcp_rack *rack = &s->more->rack;
    weir_ps sent = rack->sent[segment & rack->mask], rtt = now - sent;
    if (tcp_ring_has(rack->again, segment)) {
        if (echo_ps < sent)
            return;
    } else {
        rack->reordering |= segment + 1 < rack->highest;
        rack->original |= segment < s->recover;
        s->more->min_rtt_ps = rtt < s->more->min_rtt_ps ? rtt : s->more->min_rtt_ps;
    }
    rack->highest = larger(rack->highest, segment + 1);
    rack->rtt_ps = rtt;
    if (sent > rack->sent_ps || (sent == rack->sent_ps && segment >= rack->end)) {
        rack->sent_ps = sent;
        rack->end = segment + 1;
    }
}

static uint32_t take_cumulative(struct tcp_sender *s, uint32_t ack, weir_ps echo_ps, weir_ps now)
{
    struct tcp_rack *rack = &s->more->rack;
    uint32_t acked = ack - s->una;
    for (uint32_t at = tcp_ring_gap(s->ring, s->una); at < ack; at = tcp_ring_gap(s->ring, at + 1))
        segment_arrived(s, at, echo_ps, now);
    uint32_t known = tcp_ring_remove(s->ring, s->una, ack);
    s->waiting -= tcp_ring_remove(rack->lost, s->una, ack);
    tcp_ring_remove(rack->again, s->una, ack);
    s->sacked -= known;
    s->una = ack;
    s->edge = larger(s->edge, ack);
    return acked - known;
}

/* An ACK that moved una echoes another segment: then a retransmission counts a least round trip after it left. */
static uint32_t take_blocks(struct host *host, struct tcp_sender *s, const struct packet *packet, bool moved,
                            weir_ps now)
{
    struct tcp_rack *rack = &s->more->rack;
    uint32_t before = s->sacked;
    for (uint32_t i = 0; i < packet_sacks(packet) && packet->sack[i].length; i++) {
        uint32_t until = packet->ack + packet->sack[i].offset + packet->sack[i].length;
        uint32_t from = larger(packet->ack + packet->sack[i].offset, s->una);
        if (from >= until)
            continue;
        if (!tcp_ring_reserve(host, &s->ring, s->una, until - 1))
            return s->sacked - before;
        for (uint32_t at = tcp_ring_gap(s->ring, from); at < until; at = tcp_ring_gap(s->ring, at + 1))
            segment_arrived(s, at, moved ? now - s->more->min_rtt_ps : packet->sent_ps, now);
        s->waiting -= tcp_ring_remove(rack->lost, from, until);
        s->sacked += tcp_ring_add(s->ring, from, until);
    }
    return s->sacked - before;
}

/* Step 4, of its duplicates: one per round trip. */
static void take_duplicate(struct tcp_sender *s)
{
    struct tcp_rack *rack = &s->more->rack;
    if (rack->dsack_round && s->una < rack->dsack_round)
        return;
    rack->dsack_round = s->next;
    rack->multiplier += rack->multiplier < UINT8_MAX;
    rack->persist = PERSIST;
}

uint32_t tcp_rack_ack(struct host *host, struct tcp_sender *s, const struct packet *packet, weir_ps now)
{
    uint32_t delivered = 0;
    s->more->rack.original = false;
    bool moved = packet->ack > s->una;
    if (moved)
        delivered = take_cumulative(s, packet->ack, packet->sent_ps, now);
    delivered += take_blocks(host, s, packet, moved, now);
    if (packet->flags & PACKET_TWICE)
        take_duplicate(s);
    return delivered;
}

void tcp_rack_recovered(struct tcp_rack *rack)
{
    if (rack->persist && --rack->persist == 0)
        rack->multiplier = 1;
}

/* Step 4. */
static weir_ps reordering_window(const struct tcp_sender *s)
{
    const struct tcp_rack *rack = &s->more->rack;
    if (!rack->reordering && (s->state != TCP_OPEN || s->sacked >= TCP_DUPLICATES))
        return 0;
    weir_ps window = s->more->min_rtt_ps == WEIR_NEVER ? 0 : rack->multiplier * (s->more->min_rtt_ps / 4);
    return window < s->srtt_ps || !s->srtt_ps ? window : s->srtt_ps;
}

static bool is_out(const struct tcp_sender *s, uint32_t segment)
{
    return segment >= s->una && !tcp_ring_has(s->ring, segment) && !tcp_ring_has(s->more->rack.lost, segment);
}

static void lose(struct host *host, struct tcp_sender *s, uint32_t segment)
{
    struct tcp_rack *rack = &s->more->rack;
    if (tcp_ring_reserve(host, &rack->lost, s->una, segment))
        s->waiting += tcp_ring_add(rack->lost, segment, segment + 1);
}

/* Sent before the last sent of those that arrived. */
static bool is_earlier(const struct tcp_rack *rack, uint32_t segment)
{
    weir_ps sent = rack->sent[segment & rack->mask];
    return sent < rack->sent_ps || (sent == rack->sent_ps && segment + 1 < rack->end);
}

/* Step 5. Of what was sent before the last that arrived, some may have to wait: then the timer looks again. */
void tcp_rack_detect(struct host *host, struct tcp_sender *s, weir_ps now)
{
    struct tcp_rack *rack = &s->more->rack;
    rack->due_ps = WEIR_NEVER;
    if (!rack->rtt_ps)
        return;
    weir_ps patience = rack->rtt_ps + reordering_window(s);
    bool wait = false;
    for (s->edge = larger(s->edge, s->una); s->edge < s->next; s->edge++) {
        uint32_t at = s->edge;
        if (tcp_ring_has(rack->again, at) || !is_out(s, at))
            continue;
        if (!is_earlier(rack, at))
            break;
        wait = rack->sent[at & rack->mask] + patience > now;
        if (wait)
            break;
        lose(host, s, at);
    }
    for (; rack->queue_head != rack->queue_tail; rack->queue_head++) {
        uint32_t at = (uint32_t)rack->queue[rack->queue_head & rack->queue_mask];
        if (!is_out(s, at))
            continue;
        if (!is_earlier(rack, at))
            break;
        if (rack->sent[at & rack->mask] + patience > now) {
            wait = true;
            break;
        }
        lose(host, s, at);
    }
    if (wait)
        rack->due_ps = rack->sent_ps + patience;
}

/* Section 6.3. Retransmissions that are lost leave the queue, so that it stays sorted by time. */
void tcp_rack_timeout(struct host *host, struct tcp_sender *s, weir_ps now)
{
    struct tcp_rack *rack = &s->more->rack;
    weir_ps patience = rack->rtt_ps + reordering_window(s);
    for (uint32_t at = s->una; at < s->next; at++)
        if (is_out(s, at) && (at == s->una || rack->sent[at & rack->mask] + patience <= now))
            lose(host, s, at);
    uint32_t kept = rack->queue_head;
    for (uint32_t i = rack->queue_head; i != rack->queue_tail; i++) {
        uint64_t at = rack->queue[i & rack->queue_mask];
        if (is_out(s, (uint32_t)at))
            rack->queue[kept++ & rack->queue_mask] = at;
    }
    rack->queue_tail = kept;
    rack->due_ps = WEIR_NEVER;
}

uint32_t tcp_rack_take(struct tcp_sender *s)
{
    struct tcp_rack *rack = &s->more->rack;
    uint32_t segment = tcp_ring_first(rack->lost, s->una);
    tcp_ring_remove(rack->lost, segment, segment + 1);
    s->waiting--;
    return segment;
}

void tcp_rack_forget(struct tcp_sender *s)
{
    struct tcp_rack *rack = &s->more->rack;
    tcp_ring_remove(rack->lost, s->una, s->next);
    s->waiting = 0;
    s->edge = s->una;
}

void tcp_rack_free(struct host *host, struct tcp_rack *rack)
{
    tcp_ring_free(host, rack->lost);
    tcp_ring_free(host, rack->again);
    if (rack->sent)
        host_words_free(host, (uint64_t *)rack->sent, rack->mask + 1);
    if (rack->queue)
        host_words_free(host, rack->queue, rack->queue_mask + 1);
    rack->lost = rack->again = NULL;
    rack->sent = NULL;
    rack->queue = NULL;
}

const char *tcp_rack_check(const struct tcp_sender *s)
{
    const struct tcp_rack *rack = &s->more->rack;
    if (s->waiting != tcp_ring_count(rack->lost, s->una, s->next))
        return "tcp: the count of segments to repeat is wrong";
    if (s->sacked != tcp_ring_count(s->ring, s->una, s->next))
        return "tcp: the count of sacked segments is wrong";
    for (uint32_t at = tcp_ring_first(rack->lost, s->una); at < s->next; at = tcp_ring_first(rack->lost, at + 1))
        if (tcp_ring_has(s->ring, at))
            return "tcp: a segment has arrived and is lost";
    if (tcp_ring_has(s->ring, s->una))
        return "tcp: the first unacknowledged segment is sacked";
    return s->edge > s->next ? "tcp: segments that were never sent have been looked at" : NULL;
}
