/*
 * failures.c - see failures.h. A failure takes with it what is on the link in both directions and
 * what waits for it in a switch; a host keeps its own queue until the repair. Routing learns of a change reroute_ps
 * later; until then switches send packets to the dead port, where they are lost as unroutable.
 */
#include <assert.h>

#include "sim/failures.h"
#include "sim/net/flows.h"
#include "sim/net/host_pfc.h"
#include "sim/net/network.h"
#include "sim/net/switch_pfc.h"

static void failures_lose(struct sim *sim, struct link *link)
{
    if (!sim_has_end(sim, (uint32_t)(link - sim->links)))
        return;
    struct link *far = link->far;
    struct sim_worker *worker = sim_worker_of(sim, link->to);
    for (; !link_is_empty(far); far->arrived++) {
        struct packet *packet = link_place(far, far->arrived)->packet;
        if (packet->flags & PACKET_PFC) {
            packet_delete(&worker->packets, packet);
            sim->frames_lost++;
            continue;
        }
        follow_on_link(sim, link->to, packet, sim->now);
        sim_packet_lost(worker, packet, sim->now);
        link->lost++;
    }
    *far->arrives = WEIR_NEVER;
}

/* What waits in a switch for the link that leaves it is lost; a host keeps its own. Pauses are forgotten; on a repaired
 * link a switch says again what it wants. */
static void failures_end(struct sim *sim, uint32_t node, const struct link *out)
{
    uint32_t hosts = sim->config.topology->hosts;
    if (!sim_has(sim, node))
        return;
    sim_wake(sim, node, sim->now);
    if (node < hosts) {
        if (sim->lossless && !out->up)
            host_pfc_forget(&sim->hosts[node], sim->now);
        return;
    }
    struct switch_node *sw = &sim->switches[node - hosts];
    uint32_t port = 0;
    while (sw->port[port].out != out)
        port++;
    assert(port < sw->ports);
    if (!out->up)
        switch_node_flush(sw, port, sim->now);
    if (sim->lossless)
        switch_pfc_link_changes(sw, port, out->up, sim->now);
}

/* When routing learns of the first change it does not know. */
static weir_ps failures_reroute(const struct sim *sim)
{
    if (sim->next_reroute == sim->config.change_count)
        return WEIR_NEVER;
    return sim->config.changes[sim->next_reroute].when + sim->config.reroute_ps;
}

weir_ps failures_next(const struct sim *sim)
{
    weir_ps change =
        sim->next_change < sim->config.change_count ? sim->config.changes[sim->next_change].when : WEIR_NEVER;
    weir_ps reroute = failures_reroute(sim);
    return reroute < change ? reroute : change;
}

bool failures_apply(struct sim *sim)
{
    const struct sim_config *config = &sim->config;
    for (uint32_t i = 0; i < sim->workers && failures_next(sim) <= sim->now; i++)
        worker_take(sim->worker[i]); /* what is between workers is on links */
    while (sim->next_change < config->change_count && config->changes[sim->next_change].when <= sim->now) {
        const struct sim_link_change *change = &config->changes[sim->next_change++];
        const struct topology_link *ends = &sim->config.topology->links[change->link];
        struct link *there = &sim->links[2 * change->link], *back = there + 1;
        if (!sim_has(sim, ends->a) && !sim_has(sim, ends->b))
            continue;
        there->up = back->up = there->far->up = back->far->up = change->up;
        if (!change->up) {
            failures_lose(sim, there);
            failures_lose(sim, back);
        }
        failures_end(sim, ends->a, there);
        failures_end(sim, ends->b, back);
    }
    if (failures_reroute(sim) > sim->now)
        return true;
    for (; failures_reroute(sim) <= sim->now; sim->next_reroute++)
        sim->link_up[config->changes[sim->next_reroute].link] = config->changes[sim->next_reroute].up;
    return routes_compute(&sim->routes, config->topology, sim->link_up);
}
