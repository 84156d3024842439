/*
 * tcp_undo.c - takes back a reduction when the loss proves to be none.
 *
 * - Eifel (RFC 3522): the ACK that first moves una after a retransmission echoes the time of a segment sent before it:
 *   so the original has arrived.
 * - F-RTO with SACK (RFC 5682, section 3.1): after a timeout the first segment is sent again. If the next ACK moves una
 *   without covering all that was outstanding, up to two new segments are sent instead of more old ones. If the ACK
 *   after that reports a segment that was sent only once, before the timeout, then nothing was lost; else the repair
 *   goes on as always.
 *
 * Undone are the window, which becomes the larger of both, the threshold, and every mark of a loss (RFC 4015).
 */
#include "sim/transport/tcp_more.h"

#define FRESH_MAX 2u

void tcp_undo_begin(struct tcp_sender *s)
{
    s->more->undo = (struct tcp_undo){
        .window = s->window, .threshold = s->threshold, .again_ps = WEIR_NEVER, .frto = TCP_FRTO_NONE};
}

static void take_back(struct tcp_sender *s)
{
    struct tcp_undo *undo = &s->more->undo;
    s->window = s->window > undo->window ? s->window : undo->window;
    s->threshold = undo->threshold;
    s->state = TCP_OPEN;
    s->force = false;
    s->reaction_end = s->una;
    s->more->prr.active = false;
    *undo = (struct tcp_undo){.again_ps = WEIR_NEVER};
    tcp_rack_forget(s);
}

/* True when the timeout was needless. */
static bool frto_ack(struct tcp_sender *s, bool advance, bool has_new)
{
    struct tcp_undo *undo = &s->more->undo;
    if (undo->frto == TCP_FRTO_NONE)
        return false;
    if (undo->frto == TCP_FRTO_SECOND && s->more->rack.original)
        return true;
    bool goes_on = undo->frto == TCP_FRTO_FIRST && advance && s->una < s->recover && has_new;
    undo->frto = goes_on ? TCP_FRTO_SECOND : TCP_FRTO_NONE;
    undo->fresh = goes_on ? FRESH_MAX : 0;
    return false;
}

bool tcp_undo_ack(struct tcp_sender *s, weir_ps echo_ps, bool advance, bool has_new)
{
    struct tcp_undo *undo = &s->more->undo;
    if (s->state < TCP_RECOVERY || undo->again_ps == WEIR_NEVER || undo->window == 0)
        return false;
    bool needless = advance && !undo->moved && echo_ps < undo->again_ps;
    undo->moved |= advance;
    if (!needless && !(s->state == TCP_LOSS && frto_ack(s, advance, has_new)))
        return false;
    take_back(s);
    return true;
}
