/*
 * pfc.c - see pfc.h.
 */
#include "sim/net/pfc.h"

void pfc_end_init(struct pfc_end *end, const struct sim_pfc *settings, const struct link *out, uint32_t lossless_mask)
{
    const struct weir_pfc_settings peer = {.rate_bps = out->rate_bps,
                                           .quanta = settings->quanta,
                                           .lossless_mask = lossless_mask,
                                           .obeyed_mask = WEIR_PFC_CLASS_MASK};
    uint64_t processing = sim_pfc_processing_bytes(settings, out->rate_bps) * out->ps_per_byte;
    *end = (struct pfc_end){.processing_ps = (weir_ps)(processing >> LINK_FRACTION_BITS)};
    weir_pfc_peer_init(&end->peer, &peer);
}

void pfc_end_tell(struct pfc_end *end, struct packet *packet, weir_ps now)
{
    uint32_t wanted = weir_pfc_peer_wanted(&end->peer);
    struct weir_pfc_frame frame;
    weir_pfc_peer_tell(&end->peer, now, &frame);
    end->frames_sent++;
    *packet = (struct packet){.bytes = WEIR_PFC_FRAME_BYTES, .flags = PACKET_PFC};
    packet->pfc = (struct packet_pfc){
        .enabled = frame.enabled, .paused = (uint8_t)wanted, .quanta = (uint16_t)end->peer.settings.quanta};
}

void pfc_end_receive(struct pfc_end *end, struct packet *frame, weir_ps now)
{
    frame->sent_ps = now + end->processing_ps;
    packet_list_append(&end->frames, frame);
}

struct packet *pfc_end_take(struct pfc_end *end, weir_ps now)
{
    if (!end->frames.head || end->frames.head->sent_ps > now)
        return NULL;
    end->frames_received++;
    return packet_list_take(&end->frames);
}

uint32_t pfc_end_hear(struct pfc_end *end, const struct packet *packet, weir_ps now,
                      struct weir_pfc_order orders[PFC_CLASSES])
{
    struct weir_pfc_frame frame = {.enabled = packet->pfc.enabled};
    for (uint32_t left = packet->pfc.paused; left; left &= left - 1)
        frame.quanta[__builtin_ctz(left)] = packet->pfc.quanta;
    return weir_pfc_peer_hear(&end->peer, &frame, now, orders);
}

weir_ps pfc_end_next(const struct pfc_end *end, bool waits)
{
    weir_ps next = weir_pfc_peer_next(&end->peer, waits);
    return end->frames.head && end->frames.head->sent_ps < next ? end->frames.head->sent_ps : next;
}
