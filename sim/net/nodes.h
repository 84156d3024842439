/*
 * nodes.h - makes hosts and switches with their ends of links. A large network is made node by node, each when
 * something first comes to it: a flow starts, a packet is sent there. What never sends and is never sent to takes no
 * memory but its place in a few arrays. Every node belongs to one worker, which makes it.
 */
#ifndef SIM_NET_NODES_H
#define SIM_NET_NODES_H

#include "sim/net/network.h"

/* One direction of a link, from its sender's point of view. */
void nodes_shape_link(const struct sim *sim, uint32_t number, struct link *link);

/* A host's own fields. */
void nodes_start_host(struct sim *sim, uint32_t host);

/* May the network be made late? What looks at all of it needs all of it. */
bool nodes_may_be_late(const struct sim *sim);

/* Makes what has to be there before the run: a switch of each shape, so that their settings are checked, and those that
 * are probed or whose links change. False and one line in `error`: it cannot be. */
bool nodes_make_first(struct sim *sim, struct weir_error *error);

/* Makes a node of this process that is not there yet. False: out of memory, and its worker knows. */
bool nodes_make(struct sim *sim, uint32_t node);

static inline bool nodes_has_made(const struct sim *sim, uint32_t node)
{
    uint32_t hosts = sim->config.topology->hosts;
    return node < hosts ? sim->hosts[node].sim != NULL : sim->switches[node - hosts].sw != NULL;
}

/* A host of this process to which something comes; null: out of memory, and its worker knows. */
static inline struct host *nodes_host(struct sim *sim, uint32_t host)
{
    if (__builtin_expect(sim->hosts[host].sim == NULL, 0) && !nodes_make(sim, host))
        return NULL;
    return &sim->hosts[host];
}

#endif
