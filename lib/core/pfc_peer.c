/*
 * pfc_peer.c - see pfc_peer.h. Nothing here is on the packet path: it runs when a pause begins, lasts or ends.
 */
#include <assert.h>

#include "weir/fixed.h"
#include "weir/pfc_peer.h"

static inline weir_ps earlier(weir_ps a, weir_ps b)
{
    return a < b ? a : b;
}

weir_ps weir_pfc_time(uint32_t quanta, weir_bps rate_bps)
{
    weir_wide bits = (weir_wide)quanta * WEIR_PFC_QUANTUM_BYTES * 8, rate = (weir_wide)rate_bps;
    return (weir_ps)((bits * WEIR_PS_PER_S + rate - 1) / rate);
}

void weir_pfc_peer_init(struct weir_pfc_peer *peer, const struct weir_pfc_settings *settings)
{
    assert(settings->rate_bps >= WEIR_RATE_BPS_MIN && settings->rate_bps <= WEIR_RATE_BPS_MAX);
    assert(settings->quanta >= 1 && settings->quanta <= UINT16_MAX);
    assert(!(settings->lossless_mask & ~WEIR_PFC_CLASS_MASK) && !(settings->obeyed_mask & ~WEIR_PFC_CLASS_MASK));
    weir_ps half = weir_pfc_time(settings->quanta, settings->rate_bps) / 2;
    *peer = (struct weir_pfc_peer){.settings = *settings, .interval_ps = half > 0 ? half : 1, .refresh_ps = WEIR_NEVER};
}

void weir_pfc_peer_want(struct weir_pfc_peer *peer, const struct weir_pause_edge *edge)
{
    assert(!(edge->pause_mask & ~WEIR_PFC_CLASS_MASK));
    peer->queue_mask = (peer->queue_mask | edge->pause_mask) & ~edge->resume_mask;
    peer->port_level = (peer->port_level || edge->port_pause) && !edge->port_resume;
}

void weir_pfc_peer_tell(struct weir_pfc_peer *peer, weir_ps now, struct weir_pfc_frame *frame)
{
    uint32_t wanted = weir_pfc_peer_wanted(peer), told = peer->told;
    bool refreshes = peer->refresh_ps <= now;
    *frame = (struct weir_pfc_frame){.enabled = (uint8_t)(wanted | told)};
    for (uint32_t left = wanted | told; left; left &= left - 1) {
        uint32_t tc = (uint32_t)__builtin_ctz(left);
        bool is_wanted = wanted >> tc & 1, was_told = told >> tc & 1;
        frame->quanta[tc] = is_wanted ? (uint16_t)peer->settings.quanta : 0;
        peer->counters[tc].pauses += is_wanted && !was_told;
        peer->counters[tc].refreshes += is_wanted && was_told && refreshes;
        peer->counters[tc].resumes += !is_wanted;
    }
    if (!wanted)
        peer->refresh_ps = WEIR_NEVER;
    else if (!told || refreshes)
        peer->refresh_ps = now + peer->interval_ps;
    peer->told = wanted;
}

/* Ends the pause of a held class, at the latest when its time was over. */
static void peer_release(struct weir_pfc_peer *peer, uint32_t tc, weir_ps now)
{
    peer->counters[tc].held_ps += earlier(now, peer->until_ps[tc]) - peer->since_ps[tc];
    peer->held &= ~(1u << tc);
}

static void peer_hold(struct weir_pfc_peer *peer, uint32_t tc, weir_ps until, weir_ps now)
{
    bool held = peer->held >> tc & 1;
    if (held && peer->until_ps[tc] < now) { /* expire was not called */
        peer->counters[tc].expired++;
        peer_release(peer, tc, now);
        held = false;
    }
    if (until > now) {
        peer->counters[tc].pauses_received += !held;
        peer->since_ps[tc] = held ? peer->since_ps[tc] : now;
        peer->until_ps[tc] = until;
        peer->held |= 1u << tc;
        return;
    }
    peer->counters[tc].resumes_received++;
    if (held)
        peer_release(peer, tc, now);
}

uint32_t weir_pfc_peer_hear(struct weir_pfc_peer *peer, const struct weir_pfc_frame *frame, weir_ps now,
                            struct weir_pfc_order orders[WEIR_PFC_CLASSES])
{
    uint32_t count = 0;
    for (uint32_t left = frame->enabled & peer->settings.obeyed_mask; left;) {
        uint16_t quanta = frame->quanta[__builtin_ctz(left)];
        struct weir_pfc_order *order = &orders[count++];
        *order = (struct weir_pfc_order){.until_ps = now + weir_pfc_time(quanta, peer->settings.rate_bps)};
        for (uint32_t same = left; same; same &= same - 1) {
            uint32_t tc = (uint32_t)__builtin_ctz(same);
            if (frame->quanta[tc] != quanta)
                continue;
            order->class_mask |= 1u << tc;
            peer_hold(peer, tc, order->until_ps, now);
        }
        left &= ~order->class_mask;
    }
    return count;
}

uint32_t weir_pfc_peer_expire(struct weir_pfc_peer *peer, weir_ps now)
{
    uint32_t over = 0;
    for (uint32_t left = peer->held; left; left &= left - 1) {
        uint32_t tc = (uint32_t)__builtin_ctz(left);
        if (peer->until_ps[tc] > now)
            continue;
        over |= 1u << tc;
        peer->counters[tc].expired++;
        peer_release(peer, tc, now);
    }
    return over;
}

weir_ps weir_pfc_peer_next(const struct weir_pfc_peer *peer, bool waits)
{
    weir_ps next = waits ? WEIR_NEVER : peer->refresh_ps;
    for (uint32_t left = peer->held; left; left &= left - 1)
        next = earlier(next, peer->until_ps[__builtin_ctz(left)]);
    return next;
}

uint32_t weir_pfc_peer_forget(struct weir_pfc_peer *peer, weir_ps now)
{
    uint32_t held = peer->held;
    for (uint32_t left = held; left; left &= left - 1)
        peer_release(peer, (uint32_t)__builtin_ctz(left), now);
    peer->told = 0;
    peer->refresh_ps = WEIR_NEVER;
    return held;
}

weir_ps weir_pfc_peer_held_ps(const struct weir_pfc_peer *peer, uint32_t tc, weir_ps now)
{
    if (tc >= WEIR_PFC_CLASSES)
        return 0;
    weir_ps end = earlier(now, peer->until_ps[tc]);
    bool held = peer->held >> tc & 1;
    return peer->counters[tc].held_ps + (held && end > peer->since_ps[tc] ? end - peer->since_ps[tc] : 0);
}
