/*
 * switch_node_build.c - makes a switch node: its ports, and the memories its tier is configured with.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/net/network.h"
#include "sim/net/pfc_measure.h"
#include "sim/net/switch_learn.h"
#include "sim/net/switch_pfc.h"

bool switch_node_init(struct switch_node *node, struct sim *sim, uint32_t index, uint32_t ports)
{
    node->sim = sim;
    node->worker = sim_worker_of(sim, sim->config.topology->hosts + index);
    node->index = index;
    node->node = sim->config.topology->hosts + index;
    node->ports = ports;
    node->tie_salt = sim_tie_salt(sim, node->node);
    node->next_expel_ps = node->next_probe_ps = WEIR_NEVER;
    node->port = lines_new(ports * sizeof(*node->port));
    node->entries = 2 * ports;
    node->times = lines_new((size_t)ports * 3 * sizeof(*node->times));
    node->wheel = &node->worker->wheel;
    node->due = calloc(ports, sizeof(*node->due));
    node->uplinks = calloc(ports, sizeof(*node->uplinks));
    if (!node->port || !node->times || !node->due || !node->uplinks || !wheel_reserve(node->wheel, 2 * ports) ||
        !arrivals_reserve(&node->worker->arrivals, ports))
        return false;
    for (uint32_t i = 0; i < 3 * ports; i++)
        node->times[i] = WEIR_NEVER;
    return true;
}

void switch_node_free(struct switch_node *node)
{
    for (uint32_t p = 0; node->port && p < node->ports; p++)
        free(node->port[p].device);
    free(node->port);
    free(node->copies);
    free(node->flowlets);
    free(node->times);
    free(node->due);
    free(node->expel_ps);
    free(node->uplinks);
    free(node->memory);
    switch_learn_free(node);
    switch_pfc_free(node);
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

static bool build_switch(struct switch_node *node, const struct weir_switch_config *config, struct weir_error *error)
{
    if (!weir_switch_config_check(config, error))
        return false;
    node->memory = lines_take(weir_switch_size(config));
    if (!node->memory)
        return weir_fail_memory(error);
    node->sw = weir_switch_init(node->memory, config);
    node->memories = weir_switch_mmu_count(node->sw);
    return true;
}

static bool build_devices(struct switch_node *node, uint32_t packets)
{
    for (uint32_t p = 0; packets && p < node->ports; p++) {
        struct switch_device *device = calloc(1, sizeof(*device) + packets * sizeof(device->begin[0]));
        if (!device)
            return false;
        device->packets = packets;
        node->port[p].device = device;
    }
    return true;
}

/* What is known of the links that feed the switch. */
static void build_uplinks(struct switch_node *node, const struct sim_switch *settings)
{
    const struct sim_config *config = &node->sim->config;
    const struct topology *topology = config->topology;
    const struct routes *routes = &node->sim->routes;
    uint32_t full_bytes = config->wire.mss_bytes + config->wire.header_bytes, ack_bytes = config->wire.ack_bytes;
    struct weir_uplink uplink = {.mtu_bytes = full_bytes > ack_bytes ? full_bytes : ack_bytes,
                                 .least_bytes = sim_config_smallest_packet(config),
                                 .gap_bytes = config->wire.gap_bytes};
    for (uint32_t p = 0; p < node->ports; p++) {
        const struct topology_link *in = &topology->links[routes->port_link[routes->port_first[node->index] + p]];
        uplink.delay_ps = in->delay_ps;
        uplink.processing_bytes = sim_pfc_processing_bytes(&config->pfc, in->rate_bps);
        uplink.headroom_cells = switch_headroom_cells(settings, &uplink, in->rate_bps);
        node->uplinks[p] = uplink;
    }
}

/* The settings of the node's tier for its own ports; `mmu` and `rates` [ports] are filled in and referred to. */
static struct weir_switch_config build_config(const struct switch_node *node, struct weir_mmu_config *mmu,
                                              weir_bps *rates)
{
    const struct sim_config *sim = &node->sim->config;
    const struct switch_ports ports = {node->ports, rates, node->uplinks, weir_hash(sim->seed, node->node),
                                       sim->oracles ? sim->oracles[node->index] : NULL};
    for (uint32_t p = 0; p < node->ports; p++)
        rates[p] = node->port[p].out->rate_bps;
    const struct sim_switch *settings = sim_config_tier(sim, sim->topology->tier[node->index]);
    struct weir_switch_config config = switch_config_make(settings, &ports, mmu);
    if (settings->marks_leaving)
        memset(mmu->marking, 0, sizeof mmu->marking); /* the node's then */
    return config;
}

struct weir_mmu_config switch_node_memory_config(const struct switch_node *node, uint32_t memory, weir_bps *rates)
{
    struct weir_mmu_config mmu;
    struct weir_switch_config config = build_config(node, &mmu, rates);
    return weir_switch_mmu_config(&config, memory);
}

/* Says which switch it is, and how much of its buffer is headroom. */
static bool explain_switch(const struct switch_node *node, const struct weir_mmu_config *mmu, struct weir_error *error)
{
    if (error->code == WEIR_ERROR_MEMORY)
        return false;
    weir_fail_within(error, "switch %u with %u ports: ", node->index, node->ports);
    size_t used = strlen(error->text);
    if (mmu->headroom_cells)
        snprintf(error->text + used, sizeof error->text - used, " (headroom needs %lld B, the buffer has %lld B)",
                 (long long)mmu->headroom_cells * mmu->cell_bytes, (long long)mmu->buffer_cells * mmu->cell_bytes);
    return false;
}

bool switch_node_build(struct switch_node *node, struct weir_error *error)
{
    weir_bps *rates = calloc(node->ports, sizeof(*rates));
    if (!rates)
        return weir_fail_memory(error);
    const struct sim_switch *settings =
        sim_config_tier(&node->sim->config, node->sim->config.topology->tier[node->index]);
    build_uplinks(node, settings);
    struct weir_mmu_config mmu;
    struct weir_switch_config config = build_config(node, &mmu, rates);
    bool ok = build_switch(node, &config, error);
    free(rates);
    if (!ok)
        return explain_switch(node, &mmu, error);
    /* Binds every port to its memory. */
    uint32_t memory = 0;
    for (uint32_t p = 0; p < node->ports; p++) {
        struct switch_port *port = &node->port[p];
        weir_port local;
        port->mmu = weir_switch_port_mmu(node->sw, (weir_port){p}, &local);
        port->local = local.i;
        memory += p > 0 && local.i == 0;
        port->memory = memory;
        port->state = weir_view_port(weir_mmu_view(port->mmu), local);
    }
    for (uint32_t tc = 0; tc < mmu.classes; tc++) {
        node->trims |= mmu.trim[tc].bytes > 0;
        node->trim_marks |= (uint32_t)(mmu.trim[tc].ecn == WEIR_TRIM_ECN_MARK) << tc;
    }
    for (uint32_t i = 0; i < node->sim->config.transport_count; i++)
        node->sprays |= node->sim->config.transports[i].kind->sprays;
    node->follows = node->sim->config.follow != NULL;
    node->sees_flows = weir_mmu_sees_flows(weir_switch_mmu(node->sw, 0));
    node->flow_salt = weir_hash(node->sim->config.seed, UINT64_C(0x666c6f77)); /* the same in all switches */
    node->marks_leaving = settings->marks_leaving;
    node->hosts_unmarked = settings->hosts_unmarked;
    memcpy(node->leaving, settings->mmu.marking, sizeof node->leaving);
    switch_observe_init(node);
    node->measure = &node->sim->measure.sw[node->index];
    node->pfc_measure = node->measure->pfc;
    if (node->pfc_measure)
        pfc_measure_start(node);
    if (node->sim->config.ecmp == SIM_ECMP_FLOWLET &&
        !(node->flowlets = calloc(SWITCH_FLOWLETS, sizeof *node->flowlets)))
        return weir_fail_memory(error);
    if (!build_devices(node, settings->device_packets) || !build_expulsion(node, mmu.egress) ||
        !switch_learn_init(node, &mmu) || (node->sim->lossless && !switch_pfc_init(node, mmu.lossless_mask)))
        return weir_fail_memory(error);
    return true;
}
