/*
 * switch_node.c - the packet path of a switch: a packet arrives, the MMU takes or refuses it, its output port sends it
 * when free. At one moment output ports come first, then arrivals, each by port number, then expulsions, then probes.
 * Building the node is in switch_build.c, what it observes in switch_observe.c.
 */
#include "sim/engine.h"
#include "sim/switch_observe.h"

/* Puts an entry's new time in force; the wheel holds only what is due in this window. */
static inline void node_due(struct switch_node *node, uint32_t entry, weir_ps when, weir_ps end)
{
    node->times[entry] = when;
    if (when < end)
        wheel_insert(node->wheel, entry);
}

/* After any call of an MMU that can expel: when it next wants to. */
static inline void node_expel_time(struct switch_node *node, const struct switch_port *port)
{
    if (!node->expel_ps)
        return;
    node->expel_ps[port->memory] = weir_mmu_next_event(port->mmu);
    weir_ps next = WEIR_NEVER;
    for (uint32_t m = 0; m < node->memories; m++)
        next = node->expel_ps[m] < next ? node->expel_ps[m] : next;
    node->next_expel_ps = next;
}

/* Packets that the MMU gave up go back to the pool. */
static void node_lose(struct switch_node *node, const struct switch_port *port, const struct weir_effects *effects,
                      weir_ps now)
{
    for (uint32_t i = 0; i < effects->lost_count; i++) {
        switch_observe_lost(node, port, &effects->lost[i], now);
        sim_packet_lost(node->sim, (struct packet *)(uintptr_t)effects->lost[i].handle, now);
    }
}

/* The output port is free: sends its next packet, and is busy until that has left. */
static inline void node_depart(struct switch_node *node, uint32_t output, weir_ps now, weir_ps end)
{
    struct switch_port *port = &node->port[output];
    const struct weir_effects *effects = weir_mmu_depart(port->mmu, (weir_port){port->local}, now);
    weir_ps next = WEIR_NEVER;
    if (effects->departed) {
        if (!link_send(port->out, (struct packet *)(uintptr_t)effects->handle, effects->bytes, now))
            node->sim->out_of_memory = true;
        if (port->state->backlog_mask || node->tells_idle)
            next = port->out->free_ps;
    }
    if (effects->lost_count)
        node_lose(node, port, effects, now);
    node_due(node, output, next, end);
    node_expel_time(node, port);
}

static inline uint32_t node_route(struct switch_node *node, const struct packet *packet)
{
    const struct sim *sim = node->sim;
    uint32_t salt = packet->flow_id;
    if (sim->config.spray)
        salt = (uint32_t)node->sprayed++;
    return routes_port(&sim->routes, node->index, packet->destination, salt, packet->flags & PACKET_ACK);
}

/* Asks the MMU; true when the packet is in. */
static inline bool node_admit(struct switch_node *node, struct packet *packet, uint32_t input, uint32_t output,
                              weir_ps now)
{
    struct switch_port *port = &node->port[output];
    uint32_t flags = (packet->flags & PACKET_ECN ? WEIR_FLAG_ECN : 0u) |
                     (packet->flags & PACKET_UNSCHEDULED ? WEIR_FLAG_UNSCHEDULED : 0u);
    struct weir_packet arrival = {.handle = (uintptr_t)packet,
                                  .output = {port->local},
                                  .input = {input},
                                  .tc = {packet->tc},
                                  .bytes = packet->bytes,
                                  .flags = flags};
    const struct weir_effects *effects = weir_mmu_arrive(port->mmu, &arrival, now);
    bool accepted = effects->accepted;
    if (effects->marked) {
        packet->flags |= PACKET_MARKED;
        switch_observe_marked(node, output, packet->tc);
    }
    if (!accepted)
        switch_observe_refused(node, port, packet->tc, effects->reason, now);
    if (effects->lost_count)
        node_lose(node, port, effects, now);
    return accepted;
}

#define NODE_NO_PORT UINT32_MAX

/* A packet arrives; the output port that can send at once because of it, or NODE_NO_PORT. */
static inline uint32_t node_arrival(struct switch_node *node, uint32_t input, weir_ps now, weir_ps end)
{
    weir_ps next;
    struct packet *packet = link_take(node->port[input].in, &next);
    node_due(node, node->ports + input, next, end);
    uint32_t output = node_route(node, packet);
    const struct switch_port *port = &node->port[output];
    if (output == ROUTES_NO_PORT || (node->sim->next_change && !port->out->up)) {
        node->measure->unroutable++;
        sim_packet_lost(node->sim, packet, now);
        return NODE_NO_PORT;
    }
    __builtin_prefetch(port->out); /* needed when the MMU has decided */
    if (!node_admit(node, packet, input, output, now))
        sim_packet_lost(node->sim, packet, now);
    else if (node->times[output] == WEIR_NEVER && port->out->free_ps <= now)
        return output;
    else if (node->times[output] == WEIR_NEVER)
        node_due(node, output, port->out->free_ps, end);
    node_expel_time(node, port);
    return NODE_NO_PORT;
}

/* The first port of a memory. */
static const struct switch_port *node_memory_port(const struct switch_node *node, uint32_t memory)
{
    const struct switch_port *port = node->port;
    while (port->memory != memory)
        port++;
    return port;
}

static void node_expel(struct switch_node *node, weir_ps now)
{
    for (uint32_t m = 0; m < node->memories; m++) {
        if (node->expel_ps[m] > now)
            continue;
        struct weir_mmu *mmu = weir_switch_mmu(node->sw, m);
        const struct switch_port *first = node_memory_port(node, m);
        node_lose(node, first, weir_mmu_offer_expel(mmu, now), now);
        node_expel_time(node, first);
        if (node->probed)
            switch_observe_change(node, now);
        return;
    }
}

/* Puts what is due in this window into the wheel. Which entries are is hard to predict, so they are picked without a
 * branch first. */
static void node_fill(struct switch_node *node, weir_ps end)
{
    uint32_t count = 0;
    for (uint32_t entry = 0; entry < 2 * node->ports; entry++) {
        node->due[count] = entry;
        count += node->times[entry] < end;
    }
    wheel_begin(node->wheel, node->sim->now, node->times, node->wheel_next);
    for (uint32_t i = 0; i < count; i++)
        wheel_insert(node->wheel, node->due[i]);
}

/* The earliest event of all, wherever it is. */
static weir_ps node_next(const struct switch_node *node)
{
    weir_ps next = node->next_expel_ps < node->next_probe_ps ? node->next_expel_ps : node->next_probe_ps;
    for (uint32_t entry = 0; entry < 2 * node->ports; entry++)
        next = node->times[entry] < next ? node->times[entry] : next;
    return next;
}

/* Expulsions and probes before `now`: they have no part in the wheel. */
static void node_catch_up(struct switch_node *node, weir_ps now)
{
    while (node->next_expel_ps < now || node->next_probe_ps < now) {
        if (node->next_expel_ps <= node->next_probe_ps)
            node_expel(node, node->next_expel_ps);
        else
            switch_observe_interval(node, node->next_probe_ps);
    }
}

weir_ps switch_node_run(struct switch_node *node, weir_ps end)
{
    uint32_t entry;
    node_fill(node, end);
    while ((entry = wheel_pop(node->wheel)) != WHEEL_NONE) {
        weir_ps now = node->times[entry];
        node_catch_up(node, now);
        uint32_t output = entry < node->ports ? entry : node_arrival(node, entry - node->ports, now, end);
        if (output != NODE_NO_PORT)
            node_depart(node, output, now, end);
        if (node->probed)
            switch_observe_change(node, now);
    }
    node_catch_up(node, end);
    return node_next(node);
}

void switch_node_flush(struct switch_node *node, uint32_t output, weir_ps now)
{
    struct switch_port *port = &node->port[output];
    const struct weir_effects *effects;
    do {
        effects = weir_mmu_flush(port->mmu, (weir_port){port->local}, now);
        node_lose(node, port, effects, now);
    } while (effects->lost_count);
    node->times[output] = WEIR_NEVER;
    if (node->tells_idle)
        weir_mmu_depart(port->mmu, (weir_port){port->local}, now);
    node_expel_time(node, port);
    if (node->probed)
        switch_observe_change(node, now);
}

uint64_t switch_node_packets(const struct switch_node *node)
{
    uint64_t packets = 0;
    for (uint32_t m = 0; m < node->memories; m++) {
        const struct weir_view *view = weir_mmu_view(weir_switch_mmu(node->sw, m));
        for (uint32_t a = 0; a < view->geometry.accounts; a++)
            packets += view->account[a].packets;
    }
    return packets;
}
