/*
 * pfc_summary.c - see pfc_summary.h.
 */
#include "sim/pfc_summary.h"
#include "sim/engine.h"
#include "sim/host_pfc.h"
#include "sim/switch_pfc.h"

static void add_bins(uint64_t *sum, const uint64_t *bins)
{
    for (uint32_t i = 0; i < MEASURE_BINS; i++)
        sum[i] += bins[i];
}

/* Nodes run one after the other: the first loss is the earliest, at equal times that of the lowest switch. */
static void add_measure(struct pfc_summary *s, const struct pfc_measure *m)
{
    double peak = m->peak_limit > 0 ? (double)m->peak_cells / (double)m->peak_limit : 0;
    s->peak = peak > s->peak ? peak : s->peak;
    s->fastest_bps = m->fastest_bps;
    s->lost += m->lost;
    if (m->first.when < s->first.when)
        s->first = m->first;
    add_bins(s->use, m->use);
    add_bins(s->pool_use, m->pool_use);
    add_bins(s->queues, m->queues);
    add_bins(s->arrival_rate, m->arrival_rate);
    add_bins(s->departure_rate, m->departure_rate);
}

/* The sizes of the first switch that has a lossless class. */
static void add_sizes(struct pfc_summary *s, const struct switch_node *node)
{
    const struct weir_view *view = weir_mmu_ingress_view(weir_switch_mmu(node->sw, 0));
    int64_t cell = view->geometry.cell_bytes;
    double bits = 0, bps = 0;
    s->lossless = true;
    s->headroom_bytes = view->uplink[0].headroom_cells * cell;
    s->reserved_bytes = view->geometry.headroom_cells * cell;
    s->buffer_bytes = view->geometry.buffer_cells * cell;
    for (uint32_t m = 0; m < node->memories; m++)
        bits += (double)weir_mmu_view(weir_switch_mmu(node->sw, m))->geometry.buffer_cells * (double)cell * 8;
    for (uint32_t p = 0; p < node->ports; p++)
        bps += (double)node->port[p].out->rate_bps;
    s->buffer_per_capacity_s = bits / bps;
}

/* Ports of every switch can be held, even where no class of their own is lossless. */
static void add_ports(struct pfc_summary *s, const struct switch_node *node, weir_ps now)
{
    for (uint32_t p = 0; p < node->ports; p++) {
        const struct switch_pfc_port *port = &node->pfc->port[p];
        s->frames += port->frames_sent;
        s->port_pauses += port->port_pauses;
        for (uint32_t tc = 0; tc < PFC_CLASSES; tc++) {
            s->pauses += port->counters[tc].pauses;
            s->resumes += port->counters[tc].resumes;
            s->refreshes += port->counters[tc].refreshes;
            s->held_switches_ps += pfc_held_ps(&port->holder, port->counters, tc, now);
        }
    }
    s->storms += node->pfc->storms;
    s->watchdog_dropped += node->pfc->flushed + node->pfc->dropped;
}

static void add_host(struct pfc_summary *s, const struct host *host, weir_ps now)
{
    for (uint32_t tc = 0; tc < PFC_CLASSES; tc++)
        s->held_hosts_ps += pfc_held_ps(&host->pfc->holder, host->pfc->counters, tc, now);
}

void pfc_summary_make(struct pfc_summary *s, const struct sim *sim)
{
    *s = (struct pfc_summary){.first.when = WEIR_NEVER};
    for (uint32_t i = 0; i < sim->config.topology->hosts; i++)
        if (sim->hosts[i].pfc)
            add_host(s, &sim->hosts[i], sim->now);
    for (uint32_t i = 0; i < sim->config.topology->switches; i++) {
        const struct switch_node *node = &sim->switches[i];
        if (node->pfc)
            add_ports(s, node, sim->now);
        if (!node->pfc_measure)
            continue;
        if (!s->lossless)
            add_sizes(s, node);
        add_measure(s, node->pfc_measure);
    }
}
