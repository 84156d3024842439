/*
 * pfc.c - see pfc.h.
 */
#include "sim/net/pfc.h"
#include "weir/fixed.h"
#include "weir/headroom.h"

static weir_ps pfc_bytes_ps(uint64_t ps_per_byte, uint64_t bytes)
{
    return (weir_ps)((weir_wide)bytes * ps_per_byte >> LINK_FRACTION_BITS);
}

weir_ps pfc_pause_ps(const struct link *link, uint32_t quanta)
{
    return pfc_bytes_ps(link->ps_per_byte, (uint64_t)quanta * WEIR_PFC_QUANTUM_BYTES);
}

void pfc_holder_init(struct pfc_holder *holder, const struct link *link, uint32_t processing_bytes)
{
    *holder = (struct pfc_holder){.processing_ps = pfc_bytes_ps(link->ps_per_byte, processing_bytes),
                                  .ps_per_byte = link->ps_per_byte};
}

void pfc_holder_receive(struct pfc_holder *holder, struct packet *frame, weir_ps now)
{
    frame->sent_ps = now + holder->processing_ps;
    packet_list_append(&holder->frames, frame);
}

weir_ps pfc_holder_next(const struct pfc_holder *holder)
{
    weir_ps next = holder->frames.head ? holder->frames.head->sent_ps : WEIR_NEVER;
    for (uint32_t left = holder->held; left; left &= left - 1) {
        weir_ps until = holder->until_ps[__builtin_ctz(left)];
        next = until < next ? until : next;
    }
    return next;
}

struct packet *pfc_holder_take(struct pfc_holder *holder, weir_ps now)
{
    if (!holder->frames.head || holder->frames.head->sent_ps > now)
        return NULL;
    return packet_list_take(&holder->frames);
}

static void holder_release(struct pfc_holder *holder, struct pfc_counters counters[PFC_CLASSES], uint32_t classes,
                           weir_ps now)
{
    for (uint32_t left = classes & holder->held; left; left &= left - 1) {
        uint32_t tc = (uint32_t)__builtin_ctz(left);
        counters[tc].held_ps += now - holder->since_ps[tc];
    }
    holder->held &= ~classes;
}

struct pfc_change pfc_holder_apply(struct pfc_holder *holder, const struct packet *frame,
                                   struct pfc_counters counters[PFC_CLASSES], weir_ps now)
{
    const struct packet_pfc *pfc = &frame->pfc;
    struct pfc_change change = {.paused = pfc->paused, .resumed = pfc->enabled & ~(uint32_t)pfc->paused};
    change.until_ps = now + pfc_bytes_ps(holder->ps_per_byte, (uint64_t)pfc->quanta * WEIR_PFC_QUANTUM_BYTES);
    for (uint32_t left = pfc->enabled; left; left &= left - 1) {
        uint32_t tc = (uint32_t)__builtin_ctz(left);
        bool pause = change.paused >> tc & 1;
        counters[tc].pauses_received += pause;
        counters[tc].resumes_received += !pause;
        if (pause && !(holder->held >> tc & 1))
            holder->since_ps[tc] = now;
        if (pause)
            holder->until_ps[tc] = change.until_ps;
    }
    holder_release(holder, counters, change.resumed, now);
    holder->held |= change.paused;
    return change;
}

uint32_t pfc_holder_expire(struct pfc_holder *holder, struct pfc_counters counters[PFC_CLASSES], weir_ps now)
{
    uint32_t over = 0;
    for (uint32_t left = holder->held; left; left &= left - 1) {
        uint32_t tc = (uint32_t)__builtin_ctz(left);
        if (holder->until_ps[tc] > now)
            continue;
        over |= 1u << tc;
        counters[tc].expired++;
    }
    holder_release(holder, counters, over, now);
    return over;
}

uint32_t pfc_holder_forget(struct pfc_holder *holder, struct pfc_counters counters[PFC_CLASSES], weir_ps now)
{
    uint32_t held = holder->held;
    holder_release(holder, counters, held, now);
    return held;
}

weir_ps pfc_held_ps(const struct pfc_holder *holder, const struct pfc_counters *counters, uint32_t tc, weir_ps now)
{
    bool held = holder->held >> tc & 1;
    return counters[tc].held_ps + (held && now > holder->since_ps[tc] ? now - holder->since_ps[tc] : 0);
}

void pfc_teller_init(struct pfc_teller *teller, const struct link *out, uint32_t quanta)
{
    weir_ps half = pfc_pause_ps(out, quanta) / 2;
    *teller = (struct pfc_teller){.refresh_ps = WEIR_NEVER, .interval_ps = half > 0 ? half : 1};
}

void pfc_teller_tell(struct pfc_teller *teller, struct packet *frame, uint32_t wanted,
                     struct pfc_counters counters[PFC_CLASSES], weir_ps now)
{
    uint32_t changed = wanted ^ teller->told;
    uint32_t again = teller->refreshing ? wanted & teller->told : 0;
    for (uint32_t left = changed | again; left; left &= left - 1) {
        uint32_t tc = (uint32_t)__builtin_ctz(left);
        counters[tc].pauses += changed >> tc & wanted >> tc & 1;
        counters[tc].resumes += changed >> tc & ~wanted >> tc & 1;
        counters[tc].refreshes += again >> tc & 1;
    }
    frame->pfc.enabled = (uint8_t)(changed | again);
    frame->pfc.paused = (uint8_t)((changed | again) & wanted);
    if (!wanted)
        teller->refresh_ps = WEIR_NEVER;
    else if (teller->refreshing || !teller->told)
        teller->refresh_ps = now + teller->interval_ps;
    teller->refreshing = false;
    teller->told = wanted;
}
