/*
 * switch_build.c - makes a switch node: its ports, and the memories its tier is configured with.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sim/engine.h"
#include "sim/switch_observe.h"
#include "weir/fixed.h"

bool switch_node_init(struct switch_node *node, struct sim *sim, uint32_t index, uint32_t ports)
{
    node->sim = sim;
    node->index = index;
    node->node = sim->config.topology->hosts + index;
    node->ports = ports;
    node->next_expel_ps = node->next_probe_ps = WEIR_NEVER;
    node->port = calloc(ports, sizeof(*node->port));
    node->times = calloc((size_t)ports * 2, sizeof(*node->times));
    node->wheel = &sim->wheel;
    node->wheel_next = calloc((size_t)ports * 2, sizeof(*node->wheel_next));
    node->due = calloc((size_t)ports * 2, sizeof(*node->due));
    if (!node->port || !node->times || !node->wheel_next || !node->due)
        return false;
    for (uint32_t i = 0; i < 2 * ports; i++)
        node->times[i] = WEIR_NEVER;
    return true;
}

void switch_node_free(struct switch_node *node)
{
    free(node->port);
    free(node->times);
    free(node->wheel_next);
    free(node->due);
    free(node->expel_ps);
    free(node->memory);
}

/* Binds every port to its memory. */
static void build_ports(struct switch_node *node)
{
    uint32_t memory = 0;
    for (uint32_t p = 0; p < node->ports; p++) {
        struct switch_port *port = &node->port[p];
        weir_port local;
        port->mmu = weir_switch_port_mmu(node->sw, (weir_port){p}, &local);
        port->local = local.i;
        memory += p > 0 && local.i == 0;
        port->memory = memory;
        port->state = &weir_mmu_view(port->mmu)->port[local.i];
    }
}

static bool build_expulsion(struct switch_node *node, const struct weir_policy *policy)
{
    node->tells_idle = policy->on_idle != NULL;
    if (!(policy->needs & WEIR_NEED_EXPEL))
        return true;
    node->expel_ps = calloc(node->memories, sizeof(*node->expel_ps));
    for (uint32_t m = 0; node->expel_ps && m < node->memories; m++)
        node->expel_ps[m] = WEIR_NEVER;
    return node->expel_ps != NULL;
}

static bool build_switch(struct switch_node *node, const struct weir_switch_config *config,
                         char message[WEIR_MESSAGE_MAX])
{
    if (!weir_switch_config_check(config, message))
        return false;
    node->memory = aligned_alloc(64, weir_align(weir_switch_size(config)));
    if (!node->memory) {
        snprintf(message, WEIR_MESSAGE_MAX, "out of memory");
        return false;
    }
    node->sw = weir_switch_init(node->memory, config);
    node->memories = weir_switch_mmu_count(node->sw);
    return true;
}

/* The settings of the node's tier for its own ports; `mmu` and `rates` [ports] are filled in and referred to. */
static struct weir_switch_config build_config(const struct switch_node *node, struct weir_mmu_config *mmu,
                                              weir_bps *rates)
{
    const struct sim_config *sim = &node->sim->config;
    const struct sim_switch *settings = sim_config_tier(sim, sim->topology->tier[node->index]);
    uint32_t per_memory = settings->ports_per_mmu;
    *mmu = settings->mmu;
    mmu->seed = weir_hash(sim->seed, node->node);
    for (uint32_t p = 0; p < node->ports; p++)
        rates[p] = node->port[p].out->rate_bps;
    return (struct weir_switch_config){.ports = node->ports,
                                       .ports_per_mmu =
                                           per_memory && per_memory < node->ports ? per_memory : node->ports,
                                       .mmu = mmu,
                                       .rates_bps = rates};
}

struct weir_mmu_config switch_node_memory_config(const struct switch_node *node, uint32_t memory, weir_bps *rates)
{
    struct weir_mmu_config mmu;
    struct weir_switch_config config = build_config(node, &mmu, rates);
    return weir_switch_mmu_config(&config, memory);
}

bool switch_node_build(struct switch_node *node, char message[WEIR_MESSAGE_MAX])
{
    weir_bps *rates = calloc(node->ports, sizeof(*rates));
    if (!rates) {
        snprintf(message, WEIR_MESSAGE_MAX, "out of memory");
        return false;
    }
    struct weir_mmu_config mmu;
    struct weir_switch_config config = build_config(node, &mmu, rates);
    char what[WEIR_MESSAGE_MAX];
    bool ok = build_switch(node, &config, what);
    free(rates);
    if (!ok) {
        snprintf(message, WEIR_MESSAGE_MAX, "switch %u with %u ports: %.200s", node->index, node->ports, what);
        return false;
    }
    build_ports(node);
    switch_observe_init(node);
    node->measure = &node->sim->measure.sw[node->index];
    if (!build_expulsion(node, mmu.egress)) {
        snprintf(message, WEIR_MESSAGE_MAX, "out of memory");
        return false;
    }
    return true;
}
