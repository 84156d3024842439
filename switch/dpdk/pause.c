/*
 * pause.c - see pause.h. Nothing here is on the packet path unless a pause begins, lasts or ends.
 */
#include <string.h>

#include "switch/dpdk/pause.h"

static void pause_set_due(struct pause_port *port)
{
    __atomic_store_n(&port->due_ps, weir_pfc_peer_due(&port->peer), __ATOMIC_RELAXED);
}

void pause_init(struct pause_port *port, const struct weir_pfc_settings *settings, const uint8_t source[6])
{
    weir_pfc_peer_init(&port->peer, settings);
    memcpy(port->source, source, sizeof port->source);
    pause_set_due(port);
}

void pause_edge(struct pause_port *port, const struct weir_pause_edge *edge)
{
    weir_pfc_peer_want(&port->peer, edge);
    pause_set_due(port);
}

void pause_tell(struct pause_port *port, uint8_t bytes[PAUSE_FRAME_BYTES], weir_ps now)
{
    struct weir_pfc_frame frame;
    uint8_t whole[WEIR_PFC_FRAME_BYTES];
    weir_pfc_peer_tell(&port->peer, now, &frame);
    memcpy(frame.source, port->source, sizeof frame.source);
    weir_pfc_encode(&frame, whole);
    memcpy(bytes, whole, PAUSE_FRAME_BYTES);
    pause_set_due(port);
}

int32_t pause_hear(struct pause_port *port, const struct frame *frame, weir_ps now,
                   struct weir_pfc_order orders[WEIR_PFC_CLASSES])
{
    struct weir_pfc_frame heard;
    if (frame->at_hand < frame->length || weir_pfc_decode(frame->bytes, frame->length, &heard) != WEIR_PFC_GOOD)
        return PAUSE_DAMAGED;
    return (int32_t)weir_pfc_peer_hear(&port->peer, &heard, now, orders);
}

uint32_t pause_forget(struct pause_port *port, weir_ps now)
{
    uint32_t held = weir_pfc_peer_forget(&port->peer, now);
    pause_set_due(port);
    return held;
}
