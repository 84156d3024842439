/*
 * pause.c - see pause.h. Nothing here is on the packet path unless a pause begins, lasts or ends.
 */
#include <assert.h>
#include <string.h>

#include "dpdk/pause.h"
#include "weir/fixed.h"

weir_ps pause_time(uint32_t quanta, weir_bps rate_bps)
{
    weir_wide bits = (weir_wide)quanta * WEIR_PFC_QUANTUM_BYTES * 8;
    return (weir_ps)((bits * WEIR_PS_PER_S + rate_bps - 1) / rate_bps);
}

void pause_init(struct pause_port *port, const struct pause_settings *settings)
{
    assert(settings->quanta >= 1 && settings->quanta <= UINT16_MAX);
    assert(settings->lossless_mask < 1u << WEIR_PFC_CLASSES);
    weir_ps half = pause_time(settings->quanta, settings->rate_bps) / 2;
    *port = (struct pause_port){
        .settings = *settings,
        .due_ps = WEIR_NEVER,
        .refresh_ps = WEIR_NEVER,
        .interval_ps = half > 0 ? half : 1,
    };
}

static uint32_t pause_wanted(const struct pause_port *port)
{
    return port->queue_mask | (port->port_level ? port->settings.lossless_mask : 0);
}

static void pause_set_due(struct pause_port *port)
{
    weir_ps due_ps = pause_wanted(port) != port->told ? 0 : port->refresh_ps;
    __atomic_store_n(&port->due_ps, due_ps, __ATOMIC_RELAXED); /* others look at it without the lock */
}

void pause_edge(struct pause_port *port, const struct weir_pause_edge *edge)
{
    port->queue_mask = (port->queue_mask | edge->pause_mask) & ~edge->resume_mask;
    port->port_level = (port->port_level || edge->port_pause) && !edge->port_resume;
    pause_set_due(port);
}

void pause_tell(struct pause_port *port, uint8_t bytes[PAUSE_FRAME_BYTES], weir_ps now)
{
    uint32_t wanted = pause_wanted(port);
    struct weir_pfc_frame frame = {.enabled = (uint8_t)(wanted | port->told)};
    uint8_t whole[WEIR_PFC_FRAME_BYTES];
    memcpy(frame.source, port->settings.source, sizeof frame.source);
    for (uint32_t left = wanted; left; left &= left - 1)
        frame.quanta[__builtin_ctz(left)] = (uint16_t)port->settings.quanta;
    weir_pfc_encode(&frame, whole);
    memcpy(bytes, whole, PAUSE_FRAME_BYTES);
    port->told = wanted;
    port->refresh_ps = wanted ? now + port->interval_ps : WEIR_NEVER;
    pause_set_due(port);
}

void pause_forget(struct pause_port *port)
{
    port->told = 0;
    port->refresh_ps = WEIR_NEVER;
    pause_set_due(port);
}

int32_t pause_hear(const struct pause_port *port, const struct frame *frame, weir_ps now,
                   struct pause_order orders[WEIR_PFC_CLASSES])
{
    struct weir_pfc_frame heard;
    int32_t count = 0;
    if (frame->at_hand < frame->length || weir_pfc_decode(frame->bytes, frame->length, &heard) != WEIR_PFC_GOOD)
        return PAUSE_DAMAGED;
    for (uint32_t left = heard.enabled & port->settings.lossless_mask; left;) {
        uint16_t quanta = heard.quanta[__builtin_ctz(left)];
        struct pause_order *order = &orders[count++];
        *order = (struct pause_order){.until_ps = now + pause_time(quanta, port->settings.rate_bps)};
        for (uint32_t same = left; same; same &= same - 1) {
            uint32_t tc = (uint32_t)__builtin_ctz(same);
            order->class_mask |= heard.quanta[tc] == quanta ? 1u << tc : 0;
        }
        left &= ~order->class_mask;
    }
    return count;
}
