/*
 * balance.c - at the end of every run each packet that was made is delivered, lost by a known cause, or still
 * somewhere in the network. A difference is a fault of the simulator and is never hidden.
 */
#include <inttypes.h>

#include "sim/net/host_pfc.h"
#include "sim/net/network.h"
#include "sim/net/switch_pfc.h"
#include "sim/parallel/balance.h"

static uint64_t balance_list(const struct packet_list *list)
{
    uint64_t count = 0;
    for (const struct packet *packet = list->head; packet; packet = packet->next)
        count++;
    return count;
}

/* Frames in processing and, in a host, packets that are held. */
static uint64_t balance_flow_control(const struct sim *sim)
{
    uint64_t inside = 0;
    for (uint32_t i = 0; i < sim->config.topology->hosts; i++) {
        if (!sim_has(sim, i))
            continue;
        inside += balance_list(&sim->hosts[i].pfc->end.frames);
        for (uint32_t tc = 0; tc < PFC_CLASSES; tc++)
            inside += balance_list(&sim->hosts[i].pfc->control[tc]);
    }
    for (uint32_t i = 0; i < sim->config.topology->switches; i++)
        for (uint32_t p = 0; sim_has_switch(sim, i) && p < sim->switches[i].ports; p++)
            inside += balance_list(&sim->switches[i].pfc->port[p].end.frames);
    return inside;
}

/* On one direction of a link: between ranks, what has come over. */
static uint64_t balance_link(const struct sim *sim, uint32_t number)
{
    const struct link *link = &sim->links[number];
    if (!sim_has_end(sim, number) || !link->far) /* null: neither end was made */
        return 0;
    uint64_t arrived = link->far->flying ? link->far->arrived : 0;
    return (sim_has_start(sim, number) ? link->packets : link->far->packets) - arrived;
}

uint64_t balance_inside(const struct sim *sim)
{
    uint64_t inside = sim->lossless ? balance_flow_control(sim) : 0;
    for (uint32_t i = 0; i < 2 * sim->config.topology->link_count; i++)
        inside += balance_link(sim, i);
    for (uint32_t i = 0; i < sim->config.topology->hosts; i++)
        if (sim_has(sim, i))
            inside += balance_list(&sim->hosts[i].control);
    for (uint32_t i = 0; i < sim->config.topology->switches; i++)
        if (sim_has_switch(sim, i))
            inside += switch_node_packets(&sim->switches[i]);
    return inside;
}

/* Packets that ended somewhere else than at their destination. */
static uint64_t balance_lost(const struct sim *sim)
{
    uint64_t lost = sim->measure.lost_at_hosts + sim->measure.unread;
    for (uint32_t s = 0; s < sim->measure.switches; s++) {
        const struct measure_switch *sw = &sim->measure.sw[s];
        lost += sw->unroutable;
        for (uint32_t q = 0; q < sw->ports * sw->classes; q++) {
            lost += sw->queue[q].watchdog;
            lost -= sw->queue[q].trimmed; /* it went on */
            for (uint32_t r = 0; r < WEIR_REASON_COUNT; r++)
                lost += sw->queue[q].refused[r];
            for (uint32_t c = 0; c < WEIR_CAUSE_COUNT; c++)
                lost += sw->queue[q].lost[c];
        }
    }
    for (uint32_t i = 0; i < 2 * sim->config.topology->link_count; i++)
        lost += sim->links[i].lost;
    return lost;
}

static uint64_t balance_lost_by_tag(const struct sim *sim)
{
    uint64_t lost = 0;
    for (uint32_t tag = 0; tag < sim->measure.tag_count; tag++)
        lost += sim->measure.tag[tag].lost;
    return lost;
}

bool balance_check(struct sim *sim)
{
    return balance_compare(sim, balance_inside(sim), sim_packets_alive(sim));
}

bool balance_compare(struct sim *sim, uint64_t inside, uint64_t alive)
{
    uint64_t made = sim->measure.made, delivered = sim->measure.delivered;
    uint64_t lost = balance_lost(sim), by_tag = balance_lost_by_tag(sim);
    if (lost != by_tag)
        return weir_fail(&sim->error, WEIR_ERROR_VIOLATION,
                         "losses do not add up: %" PRIu64 " by place, %" PRIu64 " by tag", lost, by_tag);
    if (made == delivered + lost + sim->frames_lost + inside && inside == alive)
        return true;
    return weir_fail(&sim->error, WEIR_ERROR_VIOLATION,
                     "packets do not add up: %" PRIu64 " made, %" PRIu64 " delivered, %" PRIu64 " lost, %" PRIu64
                     " inside, %" PRIu64 " alive",
                     made, delivered, lost + sim->frames_lost, inside, alive);
}
