/*
 * nodes.c - see nodes.h. The two ends of a link may be made in any order. Its sender's part is written when the sender
 * is made; where it arrives is, when the receiver is. A packet that is sent before makes the receiver: a link without a
 * ring says that it is full, and growing asks the maker (link.h).
 */
#include <stddef.h>

#include "sim/net/host_nic.h"
#include "sim/net/network.h"
#include "sim/net/nodes.h"

void nodes_shape_link(const struct sim *sim, uint32_t number, struct link *link)
{
    const struct topology_link *shape = &sim->config.topology->links[number / 2];
    link->delay_ps = shape->delay_ps;
    link->ps_per_byte = link_ps_per_byte(shape->rate_bps);
    link->gap_bytes = (uint16_t)sim->config.wire.gap_bytes;
    link->rate_bps = shape->rate_bps;
    link->up = true;
}

void nodes_start_host(struct sim *sim, uint32_t host)
{
    struct host *h = &sim->hosts[host];
    h->worker = sim_worker_of(sim, host);
    h->id = host;
    h->tie_salt = sim_tie_salt(sim, host);
    h->arrives = h->frame_ps = h->other_ps = WEIR_NEVER;
    h->sim = sim;
}

bool nodes_may_be_late(const struct sim *sim)
{
    const struct sim_config *c = &sim->config;
    return sim->nodes > c->whole_nodes && !sim->lossless && !c->training && !c->notes_fates &&
           c->occupancy_interval_ps == 0 && c->link_loss <= 0 && !c->link_losses && c->hosts.drift_ppm == 0;
}

/* The end of a link at a port of a node: what is sent there, and what arrives. */
static void nodes_wire(struct sim *sim, uint32_t node, uint32_t port, uint32_t number)
{
    const struct topology_link *ends = &sim->config.topology->links[number];
    const uint32_t hosts = sim->config.topology->hosts;
    const uint32_t out = 2 * number + (ends->b == node), in = out ^ 1;
    struct link *link = &sim->links[out], *from = sim->links[in].far ? sim->links[in].far : &sim->links[in];
    const bool cut = from != &sim->links[in]; /* the near part is its sender's */
    nodes_shape_link(sim, out, link);
    link->to = topology_far_end(ends, node);
    if (!link->far) /* one that is cut has been told, and the other worker reads it */
        link->far = link;
    link->arrived = 1;
    if (!link->wake)
        link->maker = &sim->maker;
    if (cut)
        nodes_shape_link(sim, in, from);
    from->to = node;
    from->wake = &sim->wake[sim->slot[node]];
    from->group_wake = &sim->group_wake[sim->slot[node] / ENGINE_GROUP];
    if (node < hosts) {
        sim->hosts[node].out = link;
        sim->hosts[node].in = from;
        from->arrives = &sim->hosts[node].arrives;
    } else {
        struct switch_node *sw = &sim->switches[node - hosts];
        sw->port[port].out = link;
        sw->port[port].in = from;
        from->arrives = &sw->times[sw->ports + port];
    }
}

static bool make_host(struct sim *sim, uint32_t host)
{
    const struct routes *r = &sim->routes;
    nodes_start_host(sim, host);
    nodes_wire(sim, host, 0, r->port_link[r->port_first[r->host_switch[host]] + r->host_port[host]]);
    return host_nic_init(&sim->hosts[host]);
}

static bool make_switch(struct sim *sim, uint32_t index, struct weir_error *error)
{
    const struct routes *r = &sim->routes;
    const uint32_t first = r->port_first[index], ports = r->port_first[index + 1] - first;
    const struct sim_switch *tier = sim_config_tier(&sim->config, sim->config.topology->tier[index]);
    struct switch_node *node = &sim->switches[index];
    struct measure_switch *measure = &sim->measure.sw[index];
    weir_fail_memory(error);
    if (!switch_node_init(node, sim, index, ports) || !measure_switch_init(measure, ports, &tier->mmu, measure->mmus))
        return false;
    for (uint32_t p = 0; p < ports; p++)
        nodes_wire(sim, node->node, p, r->port_link[first + p]);
    return switch_node_build(node, error);
}

static bool make_node(struct sim *sim, uint32_t node, struct weir_error *error)
{
    const uint32_t hosts = sim->config.topology->hosts;
    struct sim_worker *worker = sim_worker_of(sim, node);
    struct node_list *made = &worker->made;
    uint32_t *at = worker_room(made->at, made->count, &made->room, sizeof *at);
    if (!at)
        return weir_fail_memory(error);
    made->at = at;
    if (!(node < hosts ? make_host(sim, node) : make_switch(sim, node - hosts, error)))
        return false;
    at[made->count++] = node;
    return true;
}

bool nodes_make(struct sim *sim, uint32_t node)
{
    struct weir_error error;
    if (make_node(sim, node, &error))
        return true;
    sim_worker_of(sim, node)->out_of_memory = true;
    return false;
}

/* Where a link arrives; called by the worker that has its far end. */
static bool nodes_make_end(struct link_maker *maker, struct link *link)
{
    struct sim *sim = (struct sim *)(void *)((char *)maker - offsetof(struct sim, maker));
    return nodes_make(sim, link->to);
}

static bool make_first(struct sim *sim, uint32_t node, struct weir_error *error)
{
    return !sim_has(sim, node) || nodes_has_made(sim, node) || make_node(sim, node, error);
}

bool nodes_make_first(struct sim *sim, struct weir_error *error)
{
    const struct topology *t = sim->config.topology;
    uint32_t like[TOPOLOGY_TIERS_MAX] = {0}; /* ports of the last that was made, by tier */
    bool good = true;
    sim->maker.make = nodes_make_end;
    for (uint32_t sw = 0; good && sw < t->switches; sw++) {
        uint32_t tier = t->tier[sw] < TOPOLOGY_TIERS_MAX ? t->tier[sw] : TOPOLOGY_TIERS_MAX - 1;
        if (!sim_has_switch(sim, sw) || like[tier] == sim->switches[sw].ports)
            continue;
        like[tier] = sim->switches[sw].ports;
        good = make_first(sim, t->hosts + sw, error);
    }
    for (uint32_t i = 0; good && i < sim->config.probe_count; i++)
        good = make_first(sim, t->hosts + sim->config.probes[i].sw, error);
    for (uint32_t i = 0; good && i < sim->config.change_count; i++) {
        const struct topology_link *ends = &t->links[sim->config.changes[i].link];
        good = make_first(sim, ends->a, error) && make_first(sim, ends->b, error);
    }
    return good;
}
