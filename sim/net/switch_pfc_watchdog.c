/*
 * switch_pfc_watchdog.c - the PFC watchdog of a switch's output queues. A queue that stays paused with packets waiting
 * for as long as watchdog_detect_ps is taken for the victim of a storm; until it has not been paused for
 * watchdog_restore_ps it is emptied and loses what arrives (drop), sends in spite of its pauses (forward), or is only
 * counted (alert). A pause that lasts is in force between its refreshes too, which may be farther apart than that.
 *
 * The watchdog looks when the queue becomes paused and then every watchdog_detect_ps while it is: nothing leaves a
 * paused queue, so packets that wait at two looks in a row have waited in between. What it loses is counted apart from
 * losses by a lack of headroom.
 */
#include "sim/net/flows.h"
#include "sim/net/network.h"
#include "sim/net/switch_pfc.h"

static void watch_sooner(struct switch_pfc_port *pfc, weir_ps when)
{
    if (when < pfc->watch_ps)
        pfc->watch_ps = when;
}

static bool watch_waits(const struct switch_node *node, uint32_t output, uint32_t tc)
{
    return node->port[output].state->backlog_mask >> tc & 1;
}

void switch_watchdog_forget(struct switch_node *node, uint32_t output)
{
    struct switch_pfc_port *pfc = &node->pfc->port[output];
    for (uint32_t tc = 0; tc < PFC_CLASSES; tc++)
        pfc->watch[tc] = (struct switch_watch){.look_ps = WEIR_NEVER};
    pfc->watch_ps = WEIR_NEVER;
    node->port[output].dropping_mask = 0;
}

uint32_t switch_watchdog_ignored(const struct switch_node *node, uint32_t output)
{
    uint32_t ignored = 0;
    if (node->sim->config.pfc.watchdog_action != SIM_WATCHDOG_FORWARD)
        return 0;
    for (uint32_t tc = 0; tc < PFC_CLASSES; tc++)
        ignored |= (uint32_t)node->pfc->port[output].watch[tc].storm << tc;
    return ignored;
}

void switch_watchdog_holds(struct switch_node *node, uint32_t output, const struct weir_pfc_order *order, weir_ps now)
{
    struct switch_pfc_port *pfc = &node->pfc->port[output];
    for (uint32_t left = order->class_mask; left; left &= left - 1) {
        uint32_t tc = (uint32_t)__builtin_ctz(left);
        struct switch_watch *watch = &pfc->watch[tc];
        watch->paused_ps = now;
        if (watch->storm)
            continue;
        if (order->until_ps <= now) {
            watch->look_ps = WEIR_NEVER;
        } else if (watch->look_ps == WEIR_NEVER) {
            watch->waiting = watch_waits(node, output, tc);
            watch->look_ps = now + node->sim->config.pfc.watchdog_detect_ps;
            watch_sooner(pfc, watch->look_ps);
        }
    }
}

/* Empties the queue. */
static void watch_flush(struct switch_node *node, uint32_t output, uint32_t tc, weir_ps now)
{
    const struct switch_port *port = &node->port[output];
    const struct weir_effects *effects;
    do {
        effects = weir_mmu_flush_classes(port->mmu, (weir_port){port->local}, 1u << tc, now);
        node->measure->queue[tc * node->ports + output].watchdog += effects->lost_count;
        for (uint32_t i = 0; i < effects->lost_count; i++) {
            struct packet *packet = (struct packet *)(uintptr_t)effects->lost[i].handle;
            if (node->follows)
                follow_at_switch(node, output, packet, (struct follow_step){.step = SIM_PACKET_STORMED, .now = now});
            sim_packet_lost(node->worker, packet, now);
        }
        if (effects->edge_count)
            switch_pfc_edges(node, effects, now);
    } while (effects->lost_count);
    switch_node_expel_time(node, port);
}

static void watch_begin(struct switch_node *node, uint32_t output, uint32_t tc, weir_ps now)
{
    struct switch_port *port = &node->port[output];
    struct switch_watch *watch = &node->pfc->port[output].watch[tc];
    watch->storm = true;
    watch->look_ps = now + node->sim->config.pfc.watchdog_restore_ps;
    node->pfc->storms++;
    if (node->sim->config.pfc.watchdog_action == SIM_WATCHDOG_DROP) {
        port->dropping_mask |= (uint8_t)(1u << tc);
        watch_flush(node, output, tc, now);
    } else if (node->sim->config.pfc.watchdog_action == SIM_WATCHDOG_FORWARD) {
        weir_mmu_pause_received(port->mmu, (weir_port){port->local}, 1u << tc, now, now);
        switch_pfc_wake(node, output, now);
    }
}

/* The storm is over, or goes on. */
static void watch_end(struct switch_node *node, uint32_t output, uint32_t tc, weir_ps now)
{
    struct switch_watch *watch = &node->pfc->port[output].watch[tc];
    bool paused = node->pfc->port[output].end.peer.held >> tc & 1;
    weir_ps over = (paused ? now : watch->paused_ps) + node->sim->config.pfc.watchdog_restore_ps;
    if (over > now) {
        watch->look_ps = over;
        return;
    }
    *watch = (struct switch_watch){.look_ps = WEIR_NEVER};
    node->port[output].dropping_mask &= (uint8_t) ~(1u << tc);
}

void switch_watchdog_act(struct switch_node *node, uint32_t output, weir_ps now)
{
    struct switch_pfc_port *pfc = &node->pfc->port[output];
    pfc->watch_ps = WEIR_NEVER;
    for (uint32_t tc = 0; tc < PFC_CLASSES; tc++) {
        struct switch_watch *watch = &pfc->watch[tc];
        if (watch->look_ps <= now && watch->storm) {
            watch_end(node, output, tc, now);
        } else if (watch->look_ps <= now) {
            bool waits = watch_waits(node, output, tc);
            watch->look_ps = now + node->sim->config.pfc.watchdog_detect_ps;
            if (waits && watch->waiting)
                watch_begin(node, output, tc, now);
            watch->waiting = waits;
        }
        watch_sooner(pfc, watch->look_ps);
    }
}
