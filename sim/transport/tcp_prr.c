/*
 * tcp_prr.c - proportional rate reduction: from a loss or mark until all that was in flight then is acknowledged, as
 * many segments leave as bring the flight down to the threshold in proportion to what arrives, so that sending never
 * stops and ends at the threshold (RFC 9937, section 6; names of the RFC in tcp_more.h).
 *
 *   flight above the threshold:  send ceil(delivered * threshold / flight at the start) - sent
 *   else:                        send what was delivered and not replaced, and one more if the ACK was good news, up to
 *                                the threshold
 */
#include "sim/transport/tcp_more.h"
#include "sim/transport/tcp_scoreboard.h"

void tcp_prr_begin(struct tcp_sender *s, double window, uint32_t delivered)
{
    struct tcp_prr *prr = &s->more->prr;
    *prr = (struct tcp_prr){
        .end = s->next, .flight = s->next - s->una - s->sacked + delivered, .window = window, .active = true};
    uint32_t pipe = tcp_scoreboard_pipe(s);
    s->window = pipe > 1 ? pipe : 1;
}

static double ceiling(double x)
{
    double floor = (double)(int64_t)x;
    return floor < x ? floor + 1 : floor;
}

void tcp_prr_ack(struct tcp_sender *s, uint32_t delivered, bool safe)
{
    struct tcp_prr *prr = &s->more->prr;
    uint32_t pipe = tcp_scoreboard_pipe(s);
    double send;
    if (s->una >= prr->end) {
        prr->active = false;
        s->window = s->threshold;
        return;
    }
    if (!delivered)
        return;
    prr->delivered += delivered;
    if (pipe > s->threshold) {
        send = ceiling(prr->delivered * s->threshold / prr->flight) - prr->out;
    } else {
        double owed = (double)prr->delivered - prr->out;
        send = (owed > delivered ? owed : delivered) + (safe ? 1 : 0);
        send = send < s->threshold - pipe ? send : s->threshold - pipe;
    }
    if (send < 0)
        send = 0;
    if (send < 1 && !prr->out)
        send = 1; /* the retransmission that begins it */
    s->window = pipe + send > 1 ? pipe + send : 1;
}
