/*
 * tcp_scoreboard.c - see tcp_scoreboard.h.
 */
#include "sim/transport/tcp_scoreboard.h"

#include "sim/transport/tcp_ring.h"

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Segments of [from, until) that wait to be sent again. */
static uint32_t waiting_within(const struct tcp_sender *s, uint32_t from, uint32_t until)
{
    from = larger(from, s->again);
    until = smaller(until, s->edge);
    return from < until ? until - from - tcp_ring_count(s->ring, from, until) : 0;
}

static uint32_t lost_without_sack(const struct tcp_sender *s)
{
    return s->edge > s->una ? s->edge - s->una : 0;
}

/* Duplicates stand for segments that are outstanding, not lost, and not the first one, whose absence they tell. */
static void limit_duplicates(struct tcp_sender *s)
{
    uint32_t outstanding = s->next - s->una, holes = larger(lost_without_sack(s), 1);
    s->sacked = smaller(s->sacked, outstanding > holes ? outstanding - holes : 0);
}

static void lose_first(struct tcp_sender *s)
{
    s->edge = s->una + 1;
    s->again = s->una;
    s->waiting = 1;
    s->force = true;
}

static uint32_t advance_without_sack(struct tcp_sender *s, uint32_t ack)
{
    uint32_t acked = ack - s->una, sacked = s->sacked;
    s->una = ack;
    s->sacked -= smaller(sacked, acked - 1);
    s->waiting = waiting_within(s, ack, s->edge);
    if (s->state == TCP_RECOVERY && ack < s->recover)
        lose_first(s);
    limit_duplicates(s);
    uint32_t known = sacked - s->sacked;
    return acked > known ? acked - known : 0;
}

uint32_t tcp_scoreboard_advance(struct tcp_sender *s, uint32_t ack, bool sack)
{
    if (!sack)
        return advance_without_sack(s, ack);
    s->waiting -= waiting_within(s, s->una, ack);
    uint32_t known = tcp_ring_remove(s->ring, s->una, ack), acked = ack - s->una;
    s->sacked -= known;
    s->una = ack;
    return acked - known;
}

void tcp_scoreboard_lose_below(struct tcp_sender *s, uint32_t edge)
{
    uint32_t from = larger(s->edge, s->una);
    if (edge <= from)
        return;
    s->again = larger(s->again, s->una);
    s->waiting += edge - from - tcp_ring_count(s->ring, from, edge);
    s->edge = edge;
}

/* Moves the edge to the third highest segment that arrived. */
static void find_losses(struct tcp_sender *s)
{
    tcp_scoreboard_lose_below(s, tcp_ring_nth_highest(s->ring, TCP_DUPLICATES, larger(s->edge, s->una)));
}

uint32_t tcp_scoreboard_sack(struct host *host, struct tcp_sender *s, const struct packet *packet)
{
    uint32_t before = s->sacked;
    for (uint32_t i = 0; i < packet_sacks(packet) && packet->sack[i].length; i++) {
        uint32_t until = packet->ack + packet->sack[i].offset + packet->sack[i].length;
        uint32_t from = larger(packet->ack + packet->sack[i].offset, s->una);
        if (from >= until)
            continue;
        if (!tcp_ring_reserve(host, &s->ring, s->una, until - 1))
            return 0;
        s->waiting -= waiting_within(s, from, until);
        s->sacked += tcp_ring_add(s->ring, from, until);
    }
    if (s->sacked != before)
        find_losses(s);
    return s->sacked - before;
}

uint32_t tcp_scoreboard_duplicate(struct tcp_sender *s)
{
    uint32_t before = s->sacked++;
    limit_duplicates(s);
    if (s->state == TCP_OPEN && s->sacked >= TCP_DUPLICATES)
        lose_first(s);
    return s->sacked - before;
}

void tcp_scoreboard_lose_all(struct tcp_sender *s, bool sack)
{
    if (!sack)
        s->sacked = 0;
    s->edge = s->next;
    s->again = s->una;
    s->waiting = s->next - s->una - s->sacked;
    s->force = false;
}

uint32_t tcp_scoreboard_last(const struct tcp_sender *s)
{
    uint32_t last = s->next - 1;
    return tcp_ring_has(s->ring, last) ? tcp_ring_run(s->ring, last, s->una) - 1 : last;
}

uint32_t tcp_scoreboard_take(struct tcp_sender *s)
{
    uint32_t segment = tcp_ring_gap(s->ring, larger(s->again, s->una));
    s->again = segment + 1;
    s->waiting--;
    return segment;
}

const char *tcp_scoreboard_check(const struct tcp_sender *s, bool sack)
{
    if (s->sacked + s->waiting > s->next - s->una)
        return "tcp: more segments sacked or waiting than outstanding";
    if (s->edge > s->next || (s->edge > s->una && s->again > s->edge))
        return "tcp: the edges of lost and repeated segments are out of order";
    if (s->waiting != waiting_within(s, s->una, s->edge))
        return "tcp: the count of segments to repeat is wrong";
    if (sack && s->sacked != tcp_ring_count(s->ring, s->una, s->next))
        return "tcp: the count of sacked segments is wrong";
    if (tcp_ring_has(s->ring, s->una))
        return "tcp: the first unacknowledged segment is sacked";
    return NULL;
}
