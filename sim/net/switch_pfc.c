/*
 * switch_pfc.c - see switch_pfc.h. Nothing here is on the packet path unless a pause begins, lasts or ends.
 */
#include <stdlib.h>

#include "sim/net/network.h"
#include "sim/net/pfc_measure.h"
#include "sim/net/switch_pfc.h"
#include "weir/headroom.h"

bool switch_pfc_init(struct switch_node *node, uint32_t lossless_mask)
{
    const struct sim_pfc *settings = &node->sim->config.pfc;
    struct switch_pfc *pfc = calloc(1, sizeof(*pfc));
    node->pfc = pfc;
    if (!pfc)
        return false;
    pfc->lossless_mask = lossless_mask;
    pfc->watched = settings->watchdog_detect_ps > 0;
    pfc->port = calloc(node->ports, sizeof(*pfc->port));
    pfc->edges = calloc(node->ports, sizeof(*pfc->edges));
    if (!pfc->port || !pfc->edges)
        return false;
    node->entries = 3 * node->ports;
    for (uint32_t p = 0; p < node->ports; p++) {
        pfc_end_init(&pfc->port[p].end, settings, node->port[p].out, lossless_mask);
        switch_watchdog_forget(node, p);
    }
    return true;
}

void switch_pfc_free(struct switch_node *node)
{
    if (!node->pfc)
        return;
    free(node->pfc->port);
    free(node->pfc->edges);
    free(node->pfc);
}

/* Recomputes when the port's flow-control event is due. */
static void switch_pfc_arm(struct switch_node *node, uint32_t port)
{
    const struct switch_pfc_port *pfc = &node->pfc->port[port];
    uint32_t entry = 2 * node->ports + port;
    weir_ps when = pfc_end_next(&pfc->end, node->port[port].frame_due);
    when = pfc->watch_ps < when ? pfc->watch_ps : when;
    if (when == node->times[entry])
        return;
    if (node->times[entry] < node->end_ps)
        wheel_remove(node->wheel, switch_flow_place(node, port));
    node->times[entry] = when;
    if (when < node->end_ps)
        wheel_insert(node->wheel, switch_flow_place(node, port), when);
    node->flow_ps = when < node->flow_ps ? when : node->flow_ps;
}

void switch_pfc_wake(struct switch_node *node, uint32_t output, weir_ps now)
{
    const struct link *out = node->port[output].out;
    if (out->up && node->times[output] == WEIR_NEVER)
        switch_node_due(node, output, out->free_ps > now ? out->free_ps : now, node->end_ps);
}

/* What is wanted has changed, or is due to be told again. */
static void pfc_frame_due(struct switch_node *node, uint32_t port, weir_ps now)
{
    node->port[port].frame_due = node->port[port].out->up && weir_pfc_peer_due(&node->pfc->port[port].end.peer) <= now;
    if (node->port[port].frame_due)
        switch_pfc_wake(node, port, now);
}

void switch_pfc_edges(struct switch_node *node, const struct weir_effects *effects, weir_ps now)
{
    uint32_t count = weir_switch_edges(node->sw, effects, node->pfc->edges);
    for (uint32_t i = 0; i < count; i++) {
        const struct weir_pause_edge *edge = &node->pfc->edges[i];
        struct switch_pfc_port *port = &node->pfc->port[edge->port.i];
        uint32_t before = weir_pfc_peer_wanted(&port->end.peer);
        weir_pfc_peer_want(&port->end.peer, edge);
        port->port_pauses += edge->port_pause;
        uint32_t wanted = weir_pfc_peer_wanted(&port->end.peer);
        if (wanted & ~before && node->pfc_measure)
            pfc_measure_pause(node, edge->port.i, wanted & ~before, now);
        if (before & ~wanted && node->pfc_measure)
            pfc_measure_resume(node, edge->port.i, before & ~wanted, now);
        if (wanted == before)
            continue;
        pfc_frame_due(node, edge->port.i, now);
        switch_pfc_arm(node, edge->port.i);
    }
}

bool switch_pfc_send(struct switch_node *node, uint32_t output, weir_ps now)
{
    struct sim_worker *worker = node->worker;
    struct switch_port *port = &node->port[output];
    struct switch_pfc_port *pfc = &node->pfc->port[output];
    struct packet *frame = packet_new(&worker->packets);
    if (!frame) {
        worker->out_of_memory = true;
        return false;
    }
    uint32_t news = weir_pfc_peer_wanted(&pfc->end.peer) & ~pfc->end.peer.told;
    pfc_end_tell(&pfc->end, frame, now);
    worker->measure->made++;
    port->frame_due = false;
    if (news && node->pfc_measure)
        pfc_measure_sent(node, output, news, now);
    bool sent = link_send(port->out, frame, frame->bytes, now);
    if (!sent)
        worker->out_of_memory = true;
    switch_pfc_arm(node, output);
    return sent;
}

void switch_pfc_receive(struct switch_node *node, uint32_t input, struct packet *frame, weir_ps now)
{
    pfc_end_receive(&node->pfc->port[input].end, frame, now);
    switch_pfc_arm(node, input);
}

/* Passes an order on to the MMU; a port that was blocked may send again. */
static void pfc_obey(struct switch_node *node, uint32_t output, const struct weir_pfc_order *order, weir_ps now)
{
    const struct switch_port *port = &node->port[output];
    bool resumes = order->until_ps <= now;
    uint32_t classes = order->class_mask & ~(resumes ? 0 : switch_watchdog_ignored(node, output));
    if (classes)
        weir_mmu_pause_received(port->mmu, (weir_port){port->local}, classes, order->until_ps, now);
    if (resumes && classes & port->state->backlog_mask)
        switch_pfc_wake(node, output, now);
    if (node->pfc->watched)
        switch_watchdog_holds(node, output, order, now);
}

/* The frame has been delivered. */
static void pfc_frame_ends(struct switch_node *node, struct packet *frame, weir_ps now)
{
    node->worker->measure->delivered++;
    worker_happened(node->worker, now);
    packet_delete(&node->worker->packets, frame);
}

void switch_pfc_act(struct switch_node *node, uint32_t port, weir_ps now)
{
    struct switch_pfc_port *pfc = &node->pfc->port[port];
    struct packet *frame;
    node->times[2 * node->ports + port] = WEIR_NEVER;
    while ((frame = pfc_end_take(&pfc->end, now))) {
        struct weir_pfc_order orders[PFC_CLASSES];
        uint32_t count = pfc_end_hear(&pfc->end, frame, now, orders);
        pfc_frame_ends(node, frame, now);
        for (uint32_t i = 0; i < count; i++)
            pfc_obey(node, port, &orders[i], now);
    }
    struct weir_pfc_order over = {weir_pfc_peer_expire(&pfc->end.peer, now), now};
    if (over.class_mask)
        pfc_obey(node, port, &over, now);
    pfc_frame_due(node, port, now);
    if (pfc->watch_ps <= now)
        switch_watchdog_act(node, port, now);
    switch_pfc_arm(node, port);
}

void switch_pfc_link_changes(struct switch_node *node, uint32_t port, bool up, weir_ps now)
{
    if (!up) {
        struct switch_pfc_port *pfc = &node->pfc->port[port];
        struct packet *frame;
        while ((frame = pfc_end_take(&pfc->end, WEIR_NEVER)))
            pfc_frame_ends(node, frame, now);
        struct weir_pfc_order over = {weir_pfc_peer_forget(&pfc->end.peer, now), now};
        switch_watchdog_forget(node, port);
        pfc_obey(node, port, &over, now);
    }
    pfc_frame_due(node, port, now);
    switch_pfc_arm(node, port);
}
