/*
 * switch_node.c - the packet path of a switch: a packet arrives, the MMU takes or refuses it, its output port sends it
 * when free. At one moment output ports come first, by number; then arrivals, in an order drawn for that moment; then
 * flow control, by port number; then expulsions, then probes. Building the node is in switch_node_build.c, flow
 * control in switch_pfc.c, what it observes in switch_observe.c.
 *
 * `how` is a constant where it is passed: the path of a network without lossless classes knows nothing of flow control,
 * that of a policy that never expels nothing of expulsions, and what few networks ask for costs the others nothing.
 */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-slp-vectorize") /* assembles what the MMU is asked in vectors: 6 instructions more */
#endif

#include <stdlib.h>
#include <string.h>

#include "sim/net/flows.h"
#include "sim/net/network.h"
#include "sim/net/pfc_measure.h"
#include "sim/net/switch_learn.h"
#include "sim/net/switch_pfc.h"
#include "weir/counters.h"

/* A packet that the MMU refused or lost, `as` it has it, at an output. False: it leaves no copy. */
static bool node_trim(struct switch_node *node, uint32_t output, const struct weir_packet *as, enum weir_cause cause)
{
    struct packet *packet = (struct packet *)(uintptr_t)as->handle;
    if (node->copy_count == node->copy_room) {
        uint32_t room = node->copy_room ? 2 * node->copy_room : 16;
        struct switch_copy *copies = realloc(node->copies, room * sizeof *copies);
        if (!copies) {
            node->worker->out_of_memory = true;
            return false;
        }
        node->copies = copies;
        node->copy_room = room;
    }
    struct switch_copy *copy = &node->copies[node->copy_count];
    const struct switch_port *port = &node->port[output];
    if (!weir_mmu_trims(port->mmu, as, cause, &copy->packet))
        return false;
    copy->output = output;
    node->copy_count++;
    if (packet->bytes > copy->packet.bytes)
        packet->flags |= PACKET_TRIMMED | (port->out->to < node->sim->config.topology->hosts ? PACKET_LAST_HOP : 0);
    packet->bytes = (uint16_t)copy->packet.bytes;
    packet->tc = (uint8_t)copy->packet.tc.i;
    if (packet->flags & PACKET_ECN && node->trim_marks >> as->tc.i & 1)
        packet->flags |= PACKET_MARKED;
    packet->flags &= (uint16_t)(copy->packet.flags | ~(uint32_t)PACKET_ECN);
    return true;
}

/* The copy of a packet of this queue is lost: it stands in the account of its packet. */
static void node_copy_lost(struct switch_node *node, uint32_t output, uint32_t trimmed_from)
{
    node->measure->queue[(trimmed_from - 1) * node->ports + output].copies_lost++;
}

/* Packets that the MMU of a port gave up go back to the pool, or are cut and wait to be offered to it again. */
static void switch_node_lose(struct switch_node *node, const struct switch_port *port,
                             const struct weir_effects *effects, weir_ps now)
{
    if (node->learn)
        switch_learn_lose(node, port, effects);
    for (uint32_t i = 0; i < effects->lost_count; i++) {
        const struct weir_lost *lost = &effects->lost[i];
        struct packet *packet = (struct packet *)(uintptr_t)lost->handle;
        switch_observe_lost(node, port, lost, now);
        const struct weir_geometry *geometry = &weir_mmu_view(port->mmu)->geometry;
        weir_port local = weir_account_port(geometry, lost->account);
        uint32_t output = (uint32_t)(port - node->port) - port->local + local.i;
        struct follow_step step = {SIM_PACKET_LOST, lost->cause, now};
        if (node->trims) {
            const struct weir_packet as = {.handle = lost->handle,
                                           .output = local,
                                           .input = lost->input,
                                           .tc = weir_account_class(geometry, lost->account),
                                           .bytes = packet->bytes,
                                           .flags = packet->flags & (PACKET_ECN | PACKET_UNSCHEDULED),
                                           .trimmed_from = lost->trimmed_from};
            if (lost->trimmed_from)
                node_copy_lost(node, output, lost->trimmed_from);
            else if (node_trim(node, output, &as, lost->cause)) {
                switch_observe_queue(node, port, lost->account)->trimmed++;
                step.step = SIM_PACKET_TRIMMED;
            }
        }
        if (node->follows)
            follow_at_switch(node, output, packet, step);
        if (step.step == SIM_PACKET_LOST)
            sim_packet_lost(node->worker, packet, now);
    }
}

/* What there may be. */
enum {
    NODE_LOSSLESS = 1, /* lossless classes */
    NODE_EXPELS = 2,   /* expulsions */
    NODE_EXTRAS = 4,   /* what node_has_extras says */
    NODE_SPRAYS = 8,   /* entropy values; with NODE_EXTRAS there always may be */
};

#define NODE_NO_PORT UINT32_MAX

/* In this window. */
static bool node_has_extras(const struct switch_node *node, weir_ps end)
{
    return node->next_probe_ps < end || node->learn || node->probed || node->tells_idle || node->stamps ||
           node->trims || node->sees_flows || node->port->device || node->marks_leaving ||
           node->sim->config.ecmp == SIM_ECMP_PACKET || node->sim->config.ecmp >= SIM_ECMP_ADAPTIVE ||
           node->sim->routes.modulo || node->sim->next_change || node->sim->link_salt || node->follows;
}

/* Reports a departure to PFC. */
static void node_departed(struct switch_node *node, const struct weir_effects *effects, weir_ps now)
{
    if (effects->lossless && pfc_measure_watches(node->pfc_measure, effects->input.i))
        pfc_measure_departure(node, effects->input.i, effects->tc.i, now);
    if (effects->edge_count)
        switch_pfc_edges(node, effects, now);
}

/* A packet with telemetry takes a stamp with it; the link has not counted it yet. */
static void node_stamp(struct switch_node *node, const struct switch_port *port, const struct weir_effects *effects)
{
    const struct packet *packet = (const struct packet *)(uintptr_t)effects->handle;
    const struct link *out = port->out;
    if (!(packet->flags & PACKET_TELEMETRY))
        return;
    uint64_t gaps = (out->packets + 1) * out->gap_bytes;
    const struct weir_view *view = weir_mmu_view(port->mmu);
    struct telemetry_hop hop = {.when = effects->stamp.now,
                                .sent_bytes = (int64_t)(out->bytes + effects->bytes + gaps),
                                .rate_bps = out->rate_bps,
                                .queue_bytes = (uint32_t)effects->stamp.queue_cells * view->geometry.cell_bytes,
                                .port = (uint32_t)(out - node->sim->links)};
    telemetry_stamp(&node->worker->packets.telemetry, packet, &hop);
}

/* Marks a packet by what it leaves behind in its queue. */
static void node_mark_leaving(struct switch_node *node, const struct switch_port *port,
                              const struct weir_effects *effects)
{
    struct packet *packet = (struct packet *)(uintptr_t)effects->handle;
    const uint32_t tc = packet->tc, output = (uint32_t)(port - node->port);
    if (!(packet->flags & PACKET_ECN) || node->leaving[tc].kind == WEIR_MARK_NONE ||
        (node->hosts_unmarked && port->out->to < node->sim->config.topology->hosts))
        return;
    const struct weir_view *view = weir_mmu_view(port->mmu);
    weir_account account = weir_account_of(&view->geometry, (weir_port){port->local}, (weir_class){tc});
    if (!weir_marking_decide(&node->leaving[tc], weir_view_length(view, account), node->tie_salt, port->out->packets))
        return;
    packet->flags |= PACKET_MARKED;
    switch_observe_marked(node, output, tc);
}

/* When the port can take its next packet. */
static inline weir_ps node_room(const struct switch_port *port, uint32_t how)
{
    return how & NODE_EXTRAS ? switch_port_room(port) : port->out->free_ps;
}

/* When a packet that the port takes now begins to leave. */
static inline weir_ps node_begins(struct switch_port *port, weir_ps now, uint32_t how)
{
    struct switch_device *device = how & NODE_EXTRAS ? port->device : NULL;
    if (!device)
        return now;
    weir_ps begin = port->out->free_ps > now ? port->out->free_ps : now;
    device->begin[device->taken++ % device->packets] = begin;
    return begin;
}

/* A packet has left the MMU: it goes onto the link. False: out of memory, which ends the run after this window. */
PACKET_PATH bool node_transmit(struct switch_node *node, struct switch_port *port, const struct weir_effects *effects,
                               weir_ps now, uint32_t how)
{
    if (how & NODE_EXTRAS && node->stamps)
        node_stamp(node, port, effects);
    if (how & NODE_EXTRAS && node->marks_leaving)
        node_mark_leaving(node, port, effects);
    if (how & NODE_EXTRAS && node->learn)
        switch_learn_depart(node, port, effects, now);
    struct packet *packet = (struct packet *)(uintptr_t)effects->handle;
    if (how & NODE_EXTRAS && node->sim->link_salt && port->out->to < node->sim->config.topology->hosts &&
        link_loses(port->out, node->sim->link_salt + (uintptr_t)(port->out - node->sim->links), port->out->packets))
        packet->flags |= PACKET_ERRED; /* a host looks at its flags, and not at its link */
    if (how & NODE_EXTRAS && node->follows)
        follow_at_switch(node, (uint32_t)(port - node->port), packet,
                         (struct follow_step){.step = SIM_PACKET_LEFT, .now = now});
    bool sent = link_send(port->out, packet, effects->bytes, node_begins(port, now, how));
    if (!sent)
        node->worker->out_of_memory = true;
    return sent;
}

/* All that waits at the port is paused: the end of a pause wakes it. */
static inline bool node_is_blocked(const struct switch_port *port, bool lossless)
{
    return lossless && !(port->state->backlog_mask & ~port->state->paused_mask);
}

/* What the policies of the node see of a packet's flow: its data one way, its feedback the other. The bytes before a
 * segment are those of full segments. Valid until the next packet. */
static const struct weir_flow *node_flow(struct switch_node *node, const struct packet *packet)
{
    const struct sim_wire *wire = &node->sim->config.wire;
    const bool feedback = packet->flags & PACKET_ACK;
    int64_t each = feedback ? packet->bytes : (int64_t)wire->mss_bytes + wire->header_bytes;
    node->flow = (struct weir_flow){.hash = weir_hash(node->flow_salt, (uint64_t)packet->flow_id << 1 | feedback),
                                    .bytes = packet->segment * each};
    return &node->flow;
}

/*
 * Offers the copies of what this event lost, and those that they push out. A port that wakes for one sends it when it
 * has room; `departing` will send anyway.
 */
static void node_offer_copies(struct switch_node *node, uint32_t departing, weir_ps now, weir_ps end)
{
    for (uint32_t i = 0; i < node->copy_count; i++) {
        struct switch_copy copy = node->copies[i];
        struct packet *packet = (struct packet *)(uintptr_t)copy.packet.handle;
        const struct switch_port *port = &node->port[copy.output];
        copy.packet.flow = node->sees_flows ? node_flow(node, packet) : NULL;
        if (node->learn)
            switch_learn_arrive(node, port, &copy.packet, now);
        const struct weir_effects *effects = weir_mmu_arrive(port->mmu, &copy.packet, now);
        bool accepted = effects->accepted;
        struct follow_step step = {accepted ? SIM_PACKET_QUEUED : SIM_PACKET_REFUSED, effects->reason, now};
        if (effects->marked) {
            packet->flags |= PACKET_MARKED;
            switch_observe_marked(node, copy.output, packet->tc);
        }
        if (!accepted)
            switch_observe_refused(node, port, packet->tc, effects->reason, now);
        if (effects->lost_count)
            switch_node_lose(node, port, effects, now);
        if (node->learn)
            switch_learn_decided(node, port, effects);
        if (effects->edge_count)
            switch_pfc_edges(node, effects, now);
        if (node->follows)
            follow_at_switch(node, copy.output, packet, step);
        if (!accepted) {
            node_copy_lost(node, copy.output, copy.packet.trimmed_from);
            sim_packet_lost(node->worker, packet, now);
        } else if (copy.output != departing && node->times[copy.output] == WEIR_NEVER &&
                   !node_is_blocked(port, node->pfc != NULL)) {
            weir_ps room = switch_port_room(port);
            switch_node_due(node, copy.output, room > now ? room : now, end);
        }
        switch_node_expel_time(node, port);
    }
    node->copy_count = 0;
}

/* The output port has room: takes its next packet, and has none until that has left. */
PACKET_PATH void node_depart(struct switch_node *node, uint32_t output, weir_ps now, weir_ps end, uint32_t how)
{
    const bool lossless = how & NODE_LOSSLESS, tells_idle = how & NODE_EXTRAS && node->tells_idle;
    struct switch_port *port = &node->port[output];
    if (lossless && port->frame_due) {
        bool sent = switch_pfc_send(node, output, now);
        bool more = sent && (port->state->backlog_mask || tells_idle);
        switch_node_due(node, output, more ? port->out->free_ps : WEIR_NEVER, end);
        return;
    }
    const struct weir_effects *effects = weir_mmu_depart(port->mmu, (weir_port){port->local}, now);
    weir_ps next = WEIR_NEVER;
    if (effects->departed && node_transmit(node, port, effects, now, how) && (port->state->backlog_mask || tells_idle))
        next = node_room(port, how) > now ? node_room(port, how) : now;
    if (effects->lost_count)
        switch_node_lose(node, port, effects, now);
    switch_node_due(node, output, next, end);
    if (lossless)
        node_departed(node, effects, now);
    if (how & NODE_EXTRAS && node->copy_count)
        node_offer_copies(node, NODE_NO_PORT, now, end);
    if (how & NODE_EXPELS)
        switch_node_expel_time(node, port);
}

/* A packet went through the MMU of its idle port: nothing waits there now. */
PACKET_PATH void node_passed(struct switch_node *node, uint32_t output, const struct weir_effects *effects, weir_ps now,
                             weir_ps end, uint32_t how)
{
    struct switch_port *port = &node->port[output];
    if (node_transmit(node, port, effects, now, how) && how & NODE_EXTRAS && node->tells_idle)
        switch_node_due(node, output, node_room(port, how) > now ? node_room(port, how) : now, end);
    if (how & NODE_EXPELS)
        switch_node_expel_time(node, port);
}

PACKET_PATH uint32_t node_route(struct switch_node *node, const struct routes_from *routes, const struct packet *packet,
                                uint32_t how)
{
    uint32_t salt = packet->flow_id;
    if (how & (NODE_EXTRAS | NODE_SPRAYS) && packet->flags & PACKET_ENTROPY)
        salt += packet->entropy * UINT32_C(0x9e3779b1);
    if (how & NODE_EXTRAS && node->sim->config.ecmp == SIM_ECMP_PACKET)
        salt = (uint32_t)node->sprayed++;
    return routes_from_port(routes, packet->destination, salt, packet->flags & PACKET_ACK,
                            how & NODE_EXTRAS && routes->modulo);
}

/* Reports an arrival to PFC. */
static void node_arrived(struct switch_node *node, const struct packet *packet, uint32_t input,
                         const struct weir_effects *effects, weir_ps now)
{
    if (effects->edge_count)
        switch_pfc_edges(node, effects, now);
    if (!node->pfc_measure || !(node->pfc->lossless_mask >> packet->tc & 1))
        return;
    if (!effects->accepted)
        pfc_measure_loss(node, input, packet, now);
    else if (pfc_measure_watches(node->pfc_measure, input))
        pfc_measure_arrival(node, input, packet->tc, now);
}

/* The MMU has no such port or class: the run goes on to its end and fails there. */
static bool node_fault(const struct switch_node *node, const struct arrival *arrival)
{
    struct weir_error *error = &node->worker->error;
    if (error->code == WEIR_ERROR_NONE) {
        node->worker->error_node = node->node;
        node->worker->error_window = node->worker->window;
        weir_fail(error, WEIR_ERROR_VIOLATION, "switch %u has no output %u, input %u or class %u", node->index,
                  arrival->output, arrival->input, arrival->packet->tc);
    }
    return false;
}

/* What the MMU's answer means to the others. True when the packet is in. */
PACKET_PATH bool node_answer(struct switch_node *node, const struct arrival *arrival,
                             const struct weir_effects *effects, weir_ps now, uint32_t how)
{
    const bool lossless = how & NODE_LOSSLESS;
    const struct packet *packet = arrival->packet;
    const struct switch_port *port = &node->port[arrival->output];
    bool accepted = effects->accepted;
    if (!accepted && weir_effects_invalid(effects))
        return node_fault(node, arrival);
    if (!accepted)
        switch_observe_refused(node, port, packet->tc, effects->reason, now);
    if (effects->lost_count)
        switch_node_lose(node, port, effects, now);
    if (how & NODE_EXTRAS && node->learn)
        switch_learn_decided(node, port, effects);
    if (lossless && (effects->edge_count || !accepted || pfc_measure_watches(node->pfc_measure, arrival->input)))
        node_arrived(node, packet, arrival->input, effects, now);
    return accepted;
}

/* Asks the MMU. `idle`: the port can send at once. */
PACKET_PATH const struct weir_effects *node_ask(struct switch_node *node, const struct arrival *from, bool idle,
                                                weir_ps now, uint32_t how)
{
    static_assert((uint32_t)PACKET_ECN == WEIR_FLAG_ECN && (uint32_t)PACKET_UNSCHEDULED == WEIR_FLAG_UNSCHEDULED,
                  "the MMU's flags are the packet's");
    const bool learns = how & NODE_EXTRAS && node->learn;
    struct switch_port *port = &node->port[from->output];
    struct packet *packet = from->packet;
    struct weir_packet arrival = {.handle = (uintptr_t)packet,
                                  .output = {port->local},
                                  .input = {from->input},
                                  .tc = {packet->tc},
                                  .bytes = packet->bytes,
                                  .flags = packet->flags & (PACKET_ECN | PACKET_UNSCHEDULED)};
    if (how & NODE_EXTRAS && node->sees_flows)
        arrival.flow = node_flow(node, packet);
    if (learns)
        switch_learn_arrive(node, port, &arrival, now);
    const struct weir_effects *effects = idle && !(how & NODE_LOSSLESS) && !learns
                                             ? weir_mmu_pass(port->mmu, &arrival, now)
                                             : weir_mmu_arrive(port->mmu, &arrival, now);
    if (effects->marked) {
        packet->flags |= PACKET_MARKED;
        switch_observe_marked(node, from->output, packet->tc);
    }
    return effects;
}

/* The link by which it came loses the packet that arrives now. */
static bool node_loses(struct switch_node *node, uint32_t input, weir_ps now)
{
    uint64_t number = (uint64_t)(node->port[input].out - node->sim->links) ^ 1;
    struct link *in = &node->sim->links[number];
    bool loses = link_loses(in, node->sim->link_salt + number, (uint64_t)now);
    in->lost += loses;
    return loses;
}

/* Packets that are lost before the MMU is asked. False: this one is not. */
static inline bool node_turns_away(struct switch_node *node, const struct arrival *arrival, weir_ps now, uint32_t how)
{
    struct packet *packet = arrival->packet;
    uint32_t output = arrival->output;
    enum sim_packet_step step;
    if (how & NODE_EXTRAS && node->sim->link_salt && node_loses(node, arrival->input, now)) {
        step = SIM_PACKET_BROKEN;
    } else if (output == ROUTES_NO_PORT ||
               (how & NODE_EXTRAS && node->sim->next_change && !node->port[output].out->up)) {
        node->measure->unroutable++;
        step = SIM_PACKET_UNROUTED;
    } else if (how & NODE_LOSSLESS && node->port[output].dropping_mask >> packet->tc & 1) {
        node->measure->queue[packet->tc * node->ports + output].watchdog++;
        step = SIM_PACKET_STORMED;
    } else {
        return false;
    }
    if (how & NODE_EXTRAS && node->follows)
        follow_at_switch(node, step == SIM_PACKET_STORMED ? output : SIM_PACKET_NOWHERE, packet,
                         (struct follow_step){.step = step, .now = now});
    sim_packet_lost(node->worker, packet, now);
    return true;
}

/* A refused packet is lost, or waits to be offered as a copy. */
PACKET_PATH void node_refused(struct switch_node *node, const struct arrival *arrival, enum weir_reason reason,
                              weir_ps now, uint32_t how)
{
    struct packet *packet = arrival->packet;
    struct follow_step step = {SIM_PACKET_REFUSED, reason, now};
    if (how & NODE_EXTRAS && node->trims) {
        const struct weir_packet as = {.handle = (uintptr_t)packet,
                                       .output = {node->port[arrival->output].local},
                                       .input = {arrival->input},
                                       .tc = {packet->tc},
                                       .bytes = packet->bytes,
                                       .flags = packet->flags & (PACKET_ECN | PACKET_UNSCHEDULED)};
        if (node_trim(node, arrival->output, &as, WEIR_CAUSE_REFUSED)) {
            node->measure->queue[as.tc.i * node->ports + arrival->output].trimmed++;
            step.step = SIM_PACKET_TRIMMED;
        }
    }
    if (how & NODE_EXTRAS && node->follows)
        follow_at_switch(node, arrival->output, packet, step);
    if (step.step == SIM_PACKET_REFUSED)
        sim_packet_lost(node->worker, packet, now);
}

/* Of equal ports the one with the shortest queue, in steps; of those one that is drawn. */
static uint32_t node_emptiest(struct switch_node *node, const uint32_t *ports, uint32_t count)
{
    const int64_t step = node->sim->config.adaptive_step_bytes > 1 ? node->sim->config.adaptive_step_bytes : 1;
    const uint64_t draw = weir_hash(node->tie_salt, node->sprayed++);
    int64_t least = INT64_MAX;
    uint32_t found = ports[0], alike = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct switch_port *port = &node->port[ports[i]];
        if (!port->out->up)
            continue;
        const struct weir_view *view = weir_mmu_view(port->mmu);
        int64_t cells = 0;
        for (uint32_t tc = 0; tc < view->geometry.classes; tc++)
            cells +=
                weir_view_length(view, weir_account_of(&view->geometry, (weir_port){port->local}, (weir_class){tc}));
        int64_t steps = cells * view->geometry.cell_bytes / step;
        alike = steps < least ? 1 : alike + (steps == least);
        if (steps < least || (steps == least && weir_hash(draw, i) % alike == 0))
            found = ports[i];
        least = steps < least ? steps : least;
    }
    return found;
}

/* Another draw for a flow that was silent for long enough. */
static uint32_t node_flowlet(struct switch_node *node, uint64_t hash, uint32_t count, weir_ps now)
{
    struct switch_flowlet *flowlet = &node->flowlets[hash % SWITCH_FLOWLETS];
    if (flowlet->draw == 0 || now - flowlet->last_ps > node->sim->config.flowlet_gap_ps)
        flowlet->draw++;
    flowlet->last_ps = now;
    return (uint32_t)(weir_hash(hash, flowlet->draw) % count);
}

/* A part of the flows like that of the link's rate. */
static uint32_t node_weighted(const struct switch_node *node, const uint32_t *ports, uint32_t count, uint64_t hash)
{
    double all = 0;
    for (uint32_t i = 0; i < count; i++)
        all += (double)node->port[ports[i]].out->rate_bps;
    double left = all * ((double)(hash >> 11) / (double)(UINT64_C(1) << 53));
    uint32_t i = 0;
    while (i + 1 < count && left >= (double)node->port[ports[i]].out->rate_bps)
        left -= (double)node->port[ports[i++]].out->rate_bps;
    return i;
}

/* The port of a packet where it depends on the moment, or on the ports. */
static uint32_t node_choose(struct switch_node *node, const struct packet *packet, weir_ps now)
{
    const struct routes *routes = &node->sim->routes;
    const uint32_t to = routes->host_switch[packet->destination];
    if (to == node->index)
        return routes->host_port[packet->destination];
    const struct routes_group group = routes_group(routes, node->index, to);
    const uint32_t *ports = &routes->ports[group.first];
    if (group.count == 0)
        return ROUTES_NO_PORT;
    if (node->sim->config.ecmp == SIM_ECMP_ADAPTIVE)
        return node_emptiest(node, ports, group.count);
    uint32_t salt = packet->flow_id + (packet->flags & PACKET_ENTROPY ? packet->entropy * UINT32_C(0x9e3779b1) : 0);
    uint64_t hash = weir_hash(routes->salt[node->index], (uint64_t)salt * 2 + ((packet->flags & PACKET_ACK) != 0));
    if (node->sim->config.ecmp == SIM_ECMP_FLOWLET)
        return ports[node_flowlet(node, hash, group.count, now)];
    return ports[node_weighted(node, ports, group.count, hash)];
}

/* A packet arrives; the output port that can send at once because of it, or NODE_NO_PORT. */
PACKET_PATH uint32_t node_arrival(struct switch_node *node, const struct arrival *arrival, weir_ps now, weir_ps end,
                                  uint32_t how)
{
    const bool lossless = how & NODE_LOSSLESS;
    struct packet *packet = arrival->packet;
    if (lossless && packet->flags & PACKET_PFC) {
        switch_pfc_receive(node, arrival->input, packet, now);
        return NODE_NO_PORT;
    }
    struct arrival chosen;
    if (how & NODE_EXTRAS && node->sim->config.ecmp >= SIM_ECMP_ADAPTIVE) {
        chosen = *arrival;
        chosen.output = node_choose(node, packet, now);
        arrival = &chosen;
    }
    uint32_t output = arrival->output;
    if (how & NODE_EXTRAS && node->follows)
        follow_arrives(packet);
    if (node_turns_away(node, arrival, now, how))
        return NODE_NO_PORT;
    const struct switch_port *port = &node->port[output];
    bool waits = node->times[output] != WEIR_NEVER;
    bool idle = !waits & (node_room(port, how) <= now); /* one branch, where it is used */
    const struct weir_effects *effects = node_ask(node, arrival, idle, now, how);
    const enum weir_reason reason = how & NODE_EXTRAS ? effects->reason : 0;
    const struct follow_step queued = {.step = SIM_PACKET_QUEUED, .now = now};
    if (effects->departed) {
        if (how & NODE_EXTRAS && node->follows)
            follow_at_switch(node, output, packet, queued);
        node_passed(node, output, effects, now, end, how);
        return NODE_NO_PORT;
    }
    bool accepted = node_answer(node, arrival, effects, now, how);
    waits = lossless ? node->times[output] != WEIR_NEVER : waits; /* a frame may have woken the port */
    if (how & NODE_EXTRAS && node->follows && accepted)
        follow_at_switch(node, output, packet, queued);
    if (!accepted)
        node_refused(node, arrival, reason, now, how);
    else if (idle && !waits && !node_is_blocked(port, lossless))
        return output;
    else if (!waits && !node_is_blocked(port, lossless))
        switch_node_due(node, output, node_room(port, how), end);
    if (how & NODE_EXPELS)
        switch_node_expel_time(node, port);
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
        const struct weir_effects *effects = weir_mmu_offer_expel(mmu, now);
        switch_node_lose(node, first, effects, now);
        if (effects->edge_count)
            switch_pfc_edges(node, effects, now);
        if (node->copy_count)
            node_offer_copies(node, NODE_NO_PORT, now, node->end_ps);
        switch_node_expel_time(node, first);
        if (node->probed)
            switch_observe_change(node, now);
        return;
    }
}

/* Of `count` numbers writes into `due` those that are due before `end`. Which are is hard to predict,
 * so they are picked without a branch. */
static uint32_t node_pick(const weir_ps *times, uint32_t count, weir_ps end, uint32_t *due)
{
    uint32_t found = 0;
#pragma GCC unroll 4
    for (uint32_t i = 0; i < count; i++) {
        due[found] = i;
        found += (uint64_t)times[i] < (uint64_t)end; /* unsigned: the carry is added */
    }
    return found;
}

/* Takes what arrives in this window off the links, in rounds of one packet per link, and asks for it. */
static void node_collect(struct switch_node *node, weir_ps end)
{
    struct arrivals *arrivals = &node->worker->arrivals;
    const struct switch_port *port = node->port;
    const struct arrivals_scale scale = arrivals->scale;
    weir_ps *arrives = &node->times[node->ports];
    uint32_t *due = node->due, count = 0;
    uint32_t links = node_pick(arrives, node->ports, end, due);
    while (links > 0) {
        uint32_t more = 0;
        if (!arrivals_reserve(arrivals, count + links)) {
            node->worker->out_of_memory = true;
            return;
        }
        for (uint32_t i = 0; i < links; i++, count++) {
            uint32_t input = due[i];
            weir_ps when = arrives[input], next;
            struct packet *packet = link_take(port[input].in, &next);
            arrivals_put(arrivals, scale, count, (struct arrival){.when = when, .packet = packet, .input = input});
            __builtin_prefetch(packet);
            arrives[input] = next;
            due[more] = input;
            more += (uint64_t)next < (uint64_t)end;
        }
        links = more;
    }
}

/* An arrival takes its place in the order, and knows where it goes on. */
PACKET_PATH void node_place(struct switch_node *node, const struct routes_from *routes, struct arrival *sorted,
                            const struct arrival *from, uint32_t how)
{
    sorted->when = from->when;
    sorted->packet = from->packet;
    sorted->input = from->input;
    if (how & NODE_LOSSLESS && from->packet->flags & PACKET_PFC)
        return;
    uint32_t output = node_route(node, routes, from->packet, how);
    sorted->output = output;
    if (output == ROUTES_NO_PORT)
        return;
    __builtin_prefetch(node->port[output].state); /* needed by the MMU */
    __builtin_prefetch(node->port[output].out);   /* and when it has decided */
}

/* Sorts what arrives. Returns the first; the last one never comes. */
PACKET_PATH const struct arrival *node_sort(struct switch_node *node, weir_ps end, uint32_t how)
{
    struct arrivals *arrivals = &node->worker->arrivals;
    node_collect(node, end);
    uint32_t heads = arrivals_heads(arrivals);
    const struct routes_from routes = routes_from(&node->sim->routes, node->index);
    struct arrival *sorted = arrivals->sorted;
    for (uint32_t i = 0; i < heads; i++) {
        const struct arrival *from = &arrivals->at[arrivals->heads[i]];
        node_place(node, &routes, sorted++, from, how);
        while (__builtin_expect(from->next != ARRIVALS_NONE, 0)) {
            from = &arrivals->at[from->next];
            node_place(node, &routes, sorted++, from, how);
        }
    }
    sorted->when = WEIR_NEVER;
    return arrivals->sorted;
}

/* Puts what is due in this window into the wheel, but for arrivals. Of flow control there seldom is anything. */
static void node_fill(struct switch_node *node, weir_ps end)
{
    const uint32_t ports = node->ports;
    uint32_t outputs = node_pick(node->times, ports, end, node->due);
    for (uint32_t i = 0; i < outputs; i++)
        wheel_insert(node->wheel, node->due[i], node->times[node->due[i]]);
    for (uint32_t p = 0; node->flow_ps < end && p < node->entries - 2 * ports; p++)
        if (node->times[2 * ports + p] < end)
            wheel_insert(node->wheel, switch_flow_place(node, p), node->times[2 * ports + p]);
}

static weir_ps node_earliest(const struct switch_node *node, uint32_t first, uint32_t after)
{
    const weir_ps *times = node->times;
    weir_ps earliest = WEIR_NEVER;
#pragma GCC unroll 4
    for (uint32_t entry = first; entry < after; entry++)
        earliest = times[entry] < earliest ? times[entry] : earliest;
    return earliest;
}

/* The earliest event of all, wherever it is. */
static weir_ps node_next(struct switch_node *node)
{
    weir_ps next = node_earliest(node, 0, 2 * node->ports);
    next = node->next_expel_ps < next ? node->next_expel_ps : next;
    next = node->next_probe_ps < next ? node->next_probe_ps : next;
    if (node->flow_ps < next)
        node->flow_ps = node_earliest(node, 2 * node->ports, node->entries);
    return node->flow_ps < next ? node->flow_ps : next;
}

/* Expulsions and probes before `now`: they have no part in the wheel. */
static __attribute__((noinline)) void node_make_up(struct switch_node *node, weir_ps now)
{
    do {
        if (node->next_expel_ps <= node->next_probe_ps)
            node_expel(node, node->next_expel_ps);
        else
            switch_observe_interval(node, node->next_probe_ps);
    } while (node->next_expel_ps < now || node->next_probe_ps < now);
}

static inline void node_catch_up(struct switch_node *node, weir_ps now, uint32_t how)
{
    bool probes = how & NODE_EXTRAS && node->next_probe_ps < now;
    if (__builtin_expect((how & NODE_EXPELS && node->next_expel_ps < now) || probes, 0))
        node_make_up(node, now);
}

/* True when an arrival is the next event. At one moment output ports come first, and flow control last. */
static inline bool node_arrival_first(const struct switch_node *node, weir_ps arrives, bool lossless)
{
    const struct wheel *wheel = node->wheel;
    return lossless ? arrives < wheel->next_ps || (arrives == wheel->next_ps && wheel->next >= node->ports)
                    : arrives < wheel->next_ps;
}

PACKET_PATH weir_ps node_run(struct switch_node *node, weir_ps end, uint32_t how)
{
    const bool lossless = how & NODE_LOSSLESS;
    wheel_begin(node->wheel, node->worker->now_ps);
    arrivals_begin(&node->worker->arrivals, node->worker->now_ps, node->tie_salt, node->ports);
    const struct arrival *next = node_sort(node, end, how);
    node_fill(node, end);
    for (;;) {
        weir_ps arrives = next->when, now = arrives;
        bool arrival = node_arrival_first(node, arrives, lossless);
        now = arrival ? arrives : node->wheel->next_ps;
        bool acts =
            lossless || (how & NODE_EXTRAS && node->trims); /* an expulsion may wake a port: cannot be put off */
        if (acts && node->next_expel_ps < (now < end ? now : end)) {
            node_catch_up(node, node->next_expel_ps + 1, how);
            continue;
        }
        if (now == WEIR_NEVER)
            break;
        node_catch_up(node, now, how);
        uint32_t output = NODE_NO_PORT;
        if (arrival)
            output = node_arrival(node, next++, now, end, how);
        else
            output = wheel_pop(node->wheel);
        if (how & NODE_EXTRAS && node->copy_count)
            node_offer_copies(node, output, now, end);
        if (lossless && !arrival && output >= node->ports) {
            switch_pfc_act(node, output - node->ports, now);
            output = NODE_NO_PORT;
        }
        if (output != NODE_NO_PORT)
            node_depart(node, output, now, end, how);
        if (how & NODE_EXTRAS && node->probed)
            switch_observe_change(node, now);
    }
    node_catch_up(node, end, how);
    return node_next(node);
}

weir_ps switch_node_run(struct switch_node *node, weir_ps end)
{
    node->end_ps = end;
    node->stamps = telemetry_is_used(&node->sim->telemetry); /* the first was made in an earlier window */
    if (node->pfc)
        return node_run(node, end, NODE_LOSSLESS | NODE_EXPELS | NODE_EXTRAS);
    if (node_has_extras(node, end))
        return node_run(node, end, NODE_EXPELS | NODE_EXTRAS);
    if (node->sprays)
        return node_run(node, end, NODE_EXPELS | NODE_SPRAYS);
    return node->expel_ps ? node_run(node, end, NODE_EXPELS) : node_run(node, end, 0);
}

void switch_node_flush(struct switch_node *node, uint32_t output, weir_ps now)
{
    struct switch_port *port = &node->port[output];
    const struct weir_effects *effects;
    do {
        effects = weir_mmu_flush(port->mmu, (weir_port){port->local}, now);
        switch_node_lose(node, port, effects, now);
        if (effects->edge_count)
            switch_pfc_edges(node, effects, now);
    } while (effects->lost_count);
    node->times[output] = WEIR_NEVER;
    if (port->device) { /* what was in it was on the link, and is lost with it */
        memset(port->device->begin, 0, port->device->packets * sizeof(*port->device->begin));
        port->out->free_ps = now < port->out->free_ps ? now : port->out->free_ps;
    }
    if (node->tells_idle)
        weir_mmu_depart(port->mmu, (weir_port){port->local}, now);
    switch_node_expel_time(node, port);
    if (node->probed)
        switch_observe_change(node, now);
}

uint64_t switch_node_packets(const struct switch_node *node)
{
    uint64_t packets = 0;
    for (uint32_t m = 0; m < node->memories; m++)
        packets += weir_mmu_packets(weir_switch_mmu(node->sw, m));
    return packets;
}

uint64_t switch_node_peak_bytes(const struct switch_node *node, uint32_t memory)
{
    return weir_mmu_pool_counters(weir_switch_mmu(node->sw, memory)).watermark_bytes[WEIR_WM_PERSISTENT];
}
