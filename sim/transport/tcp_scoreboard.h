/*
 * tcp_scoreboard.h - what the sender knows about the segments between una and next: arrived, lost, sent again.
 *
 * Losses are found from below: a segment counts as lost when three segments above it have arrived (RFC 6675), so the
 * lost ones are all that is not sacked below an edge that only moves forward, and those sent again are all that is not
 * sacked below a second edge behind it. One set of bits and two numbers are the whole record. A retransmission that is
 * lost again is not noticed before the timeout.
 *
 * Without SACK each duplicate ACK stands for one segment that arrived somewhere above una (RFC 6582's inflation of the
 * window, counted on the other side); three of them make the first segment lost, each partial ACK the next one.
 */
#ifndef SIM_TRANSPORT_TCP_SCOREBOARD_H
#define SIM_TRANSPORT_TCP_SCOREBOARD_H

#include "sim/transport/tcp.h"

#define TCP_DUPLICATES 3u

/* What the next three return is how many segments are known to have arrived that were not before. */

/* Everything below `ack`, which is above una, was acknowledged. */
uint32_t tcp_scoreboard_advance(struct tcp_sender *sender, uint32_t ack, bool sack);

/* Takes in the blocks of an ACK. */
uint32_t tcp_scoreboard_sack(struct host *host, struct tcp_sender *sender, const struct packet *packet);

/* A duplicate ACK, without SACK. */
uint32_t tcp_scoreboard_duplicate(struct tcp_sender *sender);

/* What is not sacked below the edge counts as lost: what was sent there was sent long before a segment that arrived. */
void tcp_scoreboard_lose_below(struct tcp_sender *sender, uint32_t edge);

/* The highest segment that was sent and is not sacked; something is outstanding. */
uint32_t tcp_scoreboard_last(const struct tcp_sender *sender);

/* The timeout: everything outstanding that is not sacked counts as lost and is to be sent again. */
void tcp_scoreboard_lose_all(struct tcp_sender *sender, bool sack);

/* Takes the first segment that waits to be sent again; there is one. */
uint32_t tcp_scoreboard_take(struct tcp_sender *sender);

const char *tcp_scoreboard_check(const struct tcp_sender *sender, bool sack);

static inline bool tcp_scoreboard_has_lost(const struct tcp_sender *sender)
{
    return sender->edge > sender->una;
}

/* Segments in the network, as far as is known. */
static inline uint32_t tcp_scoreboard_pipe(const struct tcp_sender *sender)
{
    return sender->next - sender->una - sender->sacked - sender->waiting;
}

#endif
