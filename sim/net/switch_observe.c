/*
 * switch_observe.c - see switch_node.h. Losses are rare and queues are followed at a few ports, so nothing here is
 * on the packet path of an ordinary run.
 */
#include "sim/net/network.h"

/* What the ports of a memory read from it at this moment; `all` is what they could. */
static weir_bps observe_reading(const struct switch_node *node, uint32_t memory, weir_ps now, weir_bps *all)
{
    weir_bps reading = 0;
    *all = 0;
    for (uint32_t p = 0; p < node->ports; p++) {
        const struct switch_port *port = &node->port[p];
        if (port->memory != memory)
            continue;
        *all += port->out->rate_bps;
        reading += port->out->free_ps > now ? port->out->rate_bps : 0;
    }
    return reading;
}

static void observe_memory(struct switch_node *node, const struct switch_port *port, weir_ps now)
{
    const struct weir_view *view = weir_mmu_view(port->mmu);
    struct measure_memory *memory = &node->measure->memory[port->memory];
    double used = (double)weir_view_used(view) / (double)view->geometry.buffer_cells;
    weir_bps all, reading = observe_reading(node, port->memory, now, &all);
    memory->buffer_at_loss[measure_bin(used)]++;
    memory->bandwidth_at_loss[measure_bin((double)reading / (double)all)]++;
}

struct measure_losses *switch_observe_queue(const struct switch_node *node, const struct switch_port *port,
                                            weir_account account)
{
    const struct weir_geometry *geometry = &weir_mmu_view(port->mmu)->geometry;
    uint32_t tc = weir_account_class(geometry, account).i, local = weir_account_port(geometry, account).i;
    uint32_t output = (uint32_t)(port - node->port) - port->local + local;
    return &node->measure->queue[tc * node->ports + output];
}

void switch_observe_lost(struct switch_node *node, const struct switch_port *port, const struct weir_lost *lost,
                         weir_ps now)
{
    switch_observe_queue(node, port, lost->account)->lost[lost->cause]++;
    if (lost->cause != WEIR_CAUSE_FLUSHED) /* a failed link says nothing about the buffer */
        observe_memory(node, port, now);
}

void switch_observe_refused(struct switch_node *node, const struct switch_port *port, uint32_t tc,
                            enum weir_reason reason, weir_ps now)
{
    node->measure->queue[tc * node->ports + (uint32_t)(port - node->port)].refused[reason]++;
    observe_memory(node, port, now);
}

static struct series_point observe_point(const struct switch_node *node, const struct sim_probe *probe, weir_ps now)
{
    const struct switch_port *port = &node->port[probe->port];
    const struct weir_view *view = weir_mmu_view(port->mmu);
    bool whole = probe->tc == SIM_ALL_CLASSES;
    uint32_t tc = whole ? 0 : probe->tc;
    weir_account account = weir_account_of(&view->geometry, (weir_port){port->local}, (weir_class){tc});
    weir_cells queue = whole ? port->state->cells : weir_view_length(view, account);
    bool limited = !whole || view->geometry.classes == 1; /* several classes have several limits */
    weir_bps all;
    return (struct series_point){.when = now,
                                 .reading_bps = observe_reading(node, port->memory, now, &all),
                                 .queue_cells = queue,
                                 .threshold_cells = limited ? weir_mmu_threshold(port->mmu, account) : -1,
                                 .used_cells = weir_view_used(view)};
}

static void observe_record(struct switch_node *node, uint32_t number, weir_ps now)
{
    const struct sim_probe *probe = &node->sim->config.probes[number];
    struct series_point point = observe_point(node, probe, now);
    if (!series_add(&node->sim->measure.probe[number], &point, probe->points_max))
        node->worker->out_of_memory = true; /* ends the run after this window */
}

/* When the buffers are next looked at, at or after `now`; WEIR_NEVER when that is over. */
static weir_ps observe_look_due(const struct sim_config *config, weir_ps now)
{
    weir_ps interval = config->occupancy_interval_ps;
    weir_ps due = interval > 0 ? (now + interval - 1) / interval * interval : WEIR_NEVER;
    return due < config->occupancy_until_ps ? due : WEIR_NEVER;
}

/* When an interval probe is next due, at or after `now`; WEIR_NEVER when it is over. */
static weir_ps observe_due(const struct sim_probe *probe, weir_ps now)
{
    weir_ps due = probe->from_ps;
    if (now > due)
        due += (now - due + probe->interval_ps - 1) / probe->interval_ps * probe->interval_ps;
    return due < probe->until_ps ? due : WEIR_NEVER;
}

void switch_observe_interval(struct switch_node *node, weir_ps now)
{
    const struct sim_config *config = &node->sim->config;
    weir_ps next = observe_look_due(config, now + 1);
    if (observe_look_due(config, now) == now) {
        for (uint32_t m = 0; m < node->memories; m++) {
            const struct weir_view *view = weir_mmu_view(weir_switch_mmu(node->sw, m));
            double used = (double)weir_view_used(view) / (double)view->geometry.buffer_cells;
            node->measure->memory[m].in_use[measure_bin(used)]++;
        }
    }
    for (uint32_t i = 0; i < config->probe_count; i++) {
        const struct sim_probe *probe = &config->probes[i];
        if (probe->sw != node->index || probe->interval_ps == 0 || node->sim->measure.probe[i].full)
            continue;
        if (observe_due(probe, now) == now)
            observe_record(node, i, now);
        weir_ps due = observe_due(probe, now + 1);
        next = due < next ? due : next;
    }
    node->next_probe_ps = next;
}

void switch_observe_change(struct switch_node *node, weir_ps now)
{
    const struct sim_config *config = &node->sim->config;
    for (uint32_t i = 0; i < config->probe_count; i++) {
        const struct sim_probe *probe = &config->probes[i];
        if (probe->sw != node->index || probe->interval_ps || now < probe->from_ps || now >= probe->until_ps)
            continue;
        const struct series *series = &node->sim->measure.probe[i];
        if (series->full)
            continue;
        struct series_point point = observe_point(node, probe, now);
        if (series->count == 0 || series->points[series->count - 1].queue_cells != point.queue_cells)
            observe_record(node, i, now);
    }
}

void switch_observe_init(struct switch_node *node)
{
    const struct sim_config *config = &node->sim->config;
    node->next_probe_ps = observe_look_due(config, 0);
    for (uint32_t i = 0; i < config->probe_count; i++) {
        const struct sim_probe *probe = &config->probes[i];
        if (probe->sw != node->index)
            continue;
        if (probe->interval_ps == 0)
            node->probed = true;
        else if (observe_due(probe, 0) < node->next_probe_ps)
            node->next_probe_ps = observe_due(probe, 0);
    }
}
