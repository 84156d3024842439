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
        pfc_holder_init(&pfc->port[p].holder, node->port[p].out, settings->processing_bytes);
        pfc_teller_init(&pfc->port[p].teller, node->port[p].out, settings->quanta);
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

void switch_pfc_arm(struct switch_node *node, uint32_t port)
{
    const struct switch_pfc_port *pfc = &node->pfc->port[port];
    uint32_t entry = 2 * node->ports + port;
    weir_ps when = pfc_holder_next(&pfc->holder);
    when = pfc->teller.refresh_ps < when && !pfc->teller.refreshing ? pfc->teller.refresh_ps : when;
    when = pfc->watch_ps < when ? pfc->watch_ps : when;
    if (when == node->times[entry])
        return;
    if (node->times[entry] < node->end_ps)
        wheel_remove(node->wheel, entry);
    switch_node_due(node, entry, when, node->end_ps);
    node->flow_ps = when < node->flow_ps ? when : node->flow_ps;
}

void switch_pfc_wake(struct switch_node *node, uint32_t output, weir_ps now)
{
    const struct link *out = node->port[output].out;
    if (out->up && node->times[output] == WEIR_NEVER)
        switch_node_due(node, output, out->free_ps > now ? out->free_ps : now, node->end_ps);
}

/* What is wanted or due to be said again has changed. */
static void pfc_frame_due(struct switch_node *node, uint32_t port, weir_ps now)
{
    const struct pfc_teller *teller = &node->pfc->port[port].teller;
    node->port[port].frame_due =
        node->port[port].out->up && pfc_teller_due(teller, pfc_wanted(teller, node->pfc->lossless_mask));
    if (node->port[port].frame_due)
        switch_pfc_wake(node, port, now);
}

static void pfc_edge(struct switch_node *node, const struct weir_pause_edge *edge, weir_ps now)
{
    struct switch_pfc *pfc = node->pfc;
    struct switch_pfc_port *port = &pfc->port[edge->port.i];
    struct pfc_teller *teller = &port->teller;
    uint32_t before = pfc_wanted(teller, pfc->lossless_mask);
    teller->queue_mask = (teller->queue_mask | edge->pause_mask) & ~edge->resume_mask;
    teller->port_level = (teller->port_level || edge->port_pause) && !edge->port_resume;
    port->port_pauses += edge->port_pause;
    uint32_t wanted = pfc_wanted(teller, pfc->lossless_mask);
    if (wanted & ~before && node->pfc_measure)
        pfc_measure_pause(node, edge->port.i, wanted & ~before, now);
    if (before & ~wanted && node->pfc_measure)
        pfc_measure_resume(node, edge->port.i, before & ~wanted, now);
    if (wanted != before)
        pfc_frame_due(node, edge->port.i, now);
}

void switch_pfc_edges(struct switch_node *node, const struct weir_effects *effects, weir_ps now)
{
    uint32_t count = weir_switch_edges(node->sw, effects, node->pfc->edges);
    for (uint32_t i = 0; i < count; i++)
        pfc_edge(node, &node->pfc->edges[i], now);
}

void switch_pfc_send(struct switch_node *node, uint32_t output, weir_ps now)
{
    struct sim *sim = node->sim;
    struct switch_port *port = &node->port[output];
    struct switch_pfc_port *pfc = &node->pfc->port[output];
    struct packet *frame = packet_new(&sim->packets);
    if (!frame) {
        sim->out_of_memory = true;
        return;
    }
    uint32_t wanted = pfc_wanted(&pfc->teller, node->pfc->lossless_mask);
    *frame = (struct packet){.bytes = WEIR_PFC_FRAME_BYTES, .flags = PACKET_PFC};
    frame->pfc.quanta = (uint16_t)sim->config.pfc.quanta;
    uint32_t news = wanted & ~pfc->teller.told;
    pfc_teller_tell(&pfc->teller, frame, wanted, pfc->counters, now);
    pfc->frames_sent++;
    sim->measure.made++;
    port->frame_due = false;
    if (news && node->pfc_measure)
        pfc_measure_sent(node, output, news, now);
    if (!link_send(port->out, frame, frame->bytes, now))
        sim->out_of_memory = true;
    switch_pfc_arm(node, output);
}

void switch_pfc_receive(struct switch_node *node, uint32_t input, struct packet *frame, weir_ps now)
{
    pfc_holder_receive(&node->pfc->port[input].holder, frame, now);
    switch_pfc_arm(node, input);
}

/* Tells the MMU; a port that was blocked may go on. */
static void pfc_obey(struct switch_node *node, uint32_t output, const struct pfc_change *change, weir_ps now)
{
    const struct switch_port *port = &node->port[output];
    weir_port local = {port->local};
    uint32_t paused = change->paused & ~switch_watchdog_ignored(node, output);
    if (paused)
        weir_mmu_pause_received(port->mmu, local, paused, change->until_ps, now);
    if (change->resumed)
        weir_mmu_pause_received(port->mmu, local, change->resumed, now, now);
    if (change->resumed & port->state->backlog_mask)
        switch_pfc_wake(node, output, now);
    if (node->pfc->watched)
        switch_watchdog_holds(node, output, change, now);
}

/* The frame's way ends here. */
static void pfc_frame_ends(struct switch_node *node, uint32_t input, struct packet *frame, weir_ps now)
{
    node->pfc->port[input].frames_received++;
    node->sim->measure.delivered++;
    sim_happened(node->sim, now);
    packet_delete(&node->sim->packets, frame);
}

void switch_pfc_act(struct switch_node *node, uint32_t port, weir_ps now)
{
    struct switch_pfc_port *pfc = &node->pfc->port[port];
    struct packet *frame;
    node->times[2 * node->ports + port] = WEIR_NEVER;
    while ((frame = pfc_holder_take(&pfc->holder, now))) {
        struct pfc_change change = pfc_holder_apply(&pfc->holder, frame, pfc->counters, now);
        pfc_frame_ends(node, port, frame, now);
        pfc_obey(node, port, &change, now);
    }
    struct pfc_change over = {.resumed = pfc_holder_expire(&pfc->holder, pfc->counters, now)};
    if (over.resumed)
        pfc_obey(node, port, &over, now);
    if (pfc->teller.refresh_ps <= now) {
        pfc->teller.refreshing = true;
        pfc_frame_due(node, port, now);
    }
    if (pfc->watch_ps <= now)
        switch_watchdog_act(node, port, now);
    switch_pfc_arm(node, port);
}

static void pfc_link_down(struct switch_node *node, uint32_t port, weir_ps now)
{
    struct switch_pfc_port *pfc = &node->pfc->port[port];
    struct packet *frame;
    while ((frame = pfc_holder_take(&pfc->holder, WEIR_NEVER)))
        pfc_frame_ends(node, port, frame, now);
    struct pfc_change over = {.resumed = pfc_holder_forget(&pfc->holder, pfc->counters, now)};
    switch_watchdog_forget(node, port);
    pfc_obey(node, port, &over, now);
    pfc->teller.told = 0;
    pfc->teller.refreshing = false;
    pfc->teller.refresh_ps = WEIR_NEVER;
}

void switch_pfc_link_changes(struct switch_node *node, uint32_t port, bool up, weir_ps now)
{
    if (!up)
        pfc_link_down(node, port, now);
    pfc_frame_due(node, port, now);
    switch_pfc_arm(node, port);
}
