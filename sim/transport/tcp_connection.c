/*
 * tcp_connection.c - what a TCP connection knows of its path, passed from one flow to the next: window, threshold, the
 * control's own state (DCTCP's alpha, CUBIC's plateau), round-trip times and their deviation, the reordering seen.
 *
 * The sender keeps it when its flow is acknowledged. With `request` the receiver may start the next flow before that
 * ACK arrives, or without it if it was lost: then the state is taken from the flow as it is, which goes on alone.
 */
#include <string.h>

#include "sim/transport/tcp_more.h"

struct tcp_kept {
    double window, threshold; /* segments */
    weir_ps srtt_ps, rttvar_ps;
    weir_ps rest_ps;      /* since when nothing is sent */
    weir_ps min_rtt_ps;   /* of the options, from here on */
    weir_ps deviation_ps; /* struct tcp_deviation */
    weir_ps deviation_most_ps;
    uint32_t credit;
    uint8_t multiplier, persist, hystart;
    bool reordering;
    _Alignas(8) unsigned char own[TCP_OWN_BYTES];
};

static_assert(sizeof(struct tcp_kept) <= CONNECTION_BYTES, "a connection needs more than CONNECTION_BYTES");

static struct tcp_kept *kept_of(const struct connection *connection)
{
    return (struct tcp_kept *)(uintptr_t)connection->state;
}

static void keep(struct connection *connection, const struct tcp_sender *s, weir_ps now)
{
    const struct tcp_more *more = s->more;
    struct tcp_kept *kept = kept_of(connection);
    bool reducing = more && more->prr.active;
    *kept = (struct tcp_kept){.window = reducing ? s->threshold : s->window,
                              .threshold = s->threshold,
                              .srtt_ps = s->srtt_ps,
                              .rttvar_ps = s->rttvar_ps,
                              .rest_ps = now,
                              .credit = s->credit};
    memcpy(kept->own, s->own, sizeof kept->own);
    if (more) {
        kept->min_rtt_ps = more->min_rtt_ps;
        kept->deviation_ps = more->deviation.now_ps;
        kept->deviation_most_ps = more->deviation.most_ps;
        kept->multiplier = more->rack.multiplier;
        kept->persist = more->rack.persist;
        kept->reordering = more->rack.reordering;
        kept->hystart = more->hystart.phase;
    }
    connection->kept = true;
}

void tcp_connection_keep(struct flow *flow, weir_ps now)
{
    struct connection *connection = flow->connection;
    if (connection->flow == flow && connection->flow_id == flow->id)
        keep(connection, tcp_sender(flow), now);
}

/* RFC 2861, section 3: for each timeout that passed. */
static void shrink(struct tcp_sender *s, const struct tcp_params *params, weir_ps idle_ps)
{
    weir_ps timeout = s->srtt_ps + 4 * s->rttvar_ps;
    timeout = timeout > params->min_rto_ps ? timeout : params->min_rto_ps;
    double least = params->initial_window_segments ? params->initial_window_segments : 1;
    if (idle_ps <= timeout)
        return;
    if (s->threshold < s->window * 3 / 4)
        s->threshold = s->window * 3 / 4;
    for (; idle_ps > timeout && s->window > least; idle_ps -= timeout)
        s->window = s->window / 2 > least ? s->window / 2 : least;
}

static void restore(struct tcp_sender *s, const struct tcp_kept *kept)
{
    struct tcp_more *more = s->more;
    s->window = kept->window;
    s->threshold = kept->threshold;
    s->srtt_ps = kept->srtt_ps;
    s->rttvar_ps = kept->rttvar_ps;
    s->credit = kept->credit;
    memcpy(s->own, kept->own, sizeof s->own);
    if (!more)
        return;
    more->min_rtt_ps = kept->min_rtt_ps;
    more->deviation.now_ps = kept->deviation_ps;
    more->deviation.most_ps = kept->deviation_most_ps;
    more->rack.multiplier = kept->multiplier;
    more->rack.persist = kept->persist;
    more->rack.reordering = kept->reordering;
    more->hystart.phase = kept->hystart;
}

bool tcp_connection_resume(struct flow *flow, weir_ps now)
{
    const struct tcp_params *params = tcp_params(flow->transport);
    struct connection *connection = flow->connection;
    struct tcp_sender *s = tcp_sender(flow);
    const struct flow *last = connection->flow;
    if (last && flow_id(last) == connection->flow_id && !last->sender_done)
        keep(connection, tcp_sender(last), now);
    connection->flow = flow;
    connection->flow_id = flow->id;
    if (!connection->kept)
        return false;
    const struct tcp_kept *kept = kept_of(connection);
    weir_ps idle_ps = now - kept->rest_ps;
    restore(s, kept);
    if (params->restart_idle)
        shrink(s, params, idle_ps);
    if (s->control->resume)
        s->control->resume(s, idle_ps);
    return true;
}
