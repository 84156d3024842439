/*
 * pfc_summary.c - see pfc_summary.h.
 */
#include "sim/pfc_summary.h"
#include "sim/net/host_pfc.h"
#include "sim/net/network.h"
#include "sim/net/switch_pfc.h"
#include "weir/counters.h"

void pfc_summary_make(struct pfc_summary *s, const struct sim *sim)
{
    *s = (struct pfc_summary){.first.when = WEIR_NEVER};
    for (uint32_t i = 0; i < sim->config.topology->hosts; i++)
        if (sim->hosts[i].pfc)
            for (uint32_t tc = 0; tc < PFC_CLASSES; tc++)
                s->held_hosts_ps += weir_pfc_peer_held_ps(&sim->hosts[i].pfc->end.peer, tc, sim->now);
    for (uint32_t i = 0; i < sim->config.topology->switches; i++) {
        const struct switch_node *node = &sim->switches[i];
        const struct pfc_measure *measure = sim->measure.sw[i].pfc;
        if (node->pfc) {
            /* Ports of every switch can be held, even where no class of their own is lossless. */
            for (uint32_t p = 0; p < node->ports; p++) {
                const struct switch_pfc_port *port = &node->pfc->port[p];
                s->frames += port->end.frames_sent;
                s->port_pauses += port->port_pauses;
                for (uint32_t tc = 0; tc < PFC_CLASSES; tc++) {
                    s->pauses += port->end.peer.counters[tc].pauses;
                    s->resumes += port->end.peer.counters[tc].resumes;
                    s->refreshes += port->end.peer.counters[tc].refreshes;
                    s->held_switches_ps += weir_pfc_peer_held_ps(&port->end.peer, tc, sim->now);
                }
            }
            s->storms += node->pfc->storms;
        }
        if (!measure)
            continue;
        if (!s->lossless) {
            /* The sizes of the first switch that has a lossless class. */
            s->lossless = true;
            s->headroom_bytes = measure->input[0].limit_cells * measure->sizes.cell_bytes;
            s->reserved_bytes = measure->sizes.reserved_bytes;
            s->buffer_bytes = measure->sizes.buffer_bytes;
            s->buffer_per_capacity_s = measure->sizes.buffer_per_capacity_s;
        }
        /* Nodes run one after the other: the first loss is the earliest, at equal times at the lowest switch. */
        double peak = measure->peak_limit > 0 ? (double)measure->peak_cells / (double)measure->peak_limit : 0;
        s->peak = peak > s->peak ? peak : s->peak;
        s->fastest_bps = measure->fastest_bps;
        s->lost += measure->lost;
        if (measure->first.when < s->first.when)
            s->first = measure->first;
    }
}

static void read_switch(const struct sim *sim, uint32_t sw, uint32_t port, uint32_t tc, struct pfc_queue *out)
{
    const struct switch_node *node = &sim->switches[sw];
    const struct switch_pfc_port *pfc = &node->pfc->port[port];
    out->counters = pfc->end.peer.counters[tc];
    out->held_ps = weir_pfc_peer_held_ps(&pfc->end.peer, tc, sim->now);
    out->port_pauses = pfc->port_pauses;
    /* Headroom of what comes in by a port: the most that one MMU held. */
    const struct pfc_measure *measure = sim->measure.sw[sw].pfc;
    if (!measure || !(measure->lossless_mask >> tc & 1))
        return;
    const struct pfc_measure_queue *queue = &measure->queue[port * PFC_CLASSES + tc];
    out->lost = queue->lost;
    out->headroom_limit_bytes = (uint64_t)(measure->input[port].limit_cells * measure->sizes.cell_bytes);
    out->headroom_peak_bytes = queue->headroom_peak_bytes;
    for (uint32_t m = 0; m < node->memories; m++) {
        const struct weir_mmu *mmu = weir_switch_mmu(node->sw, m);
        weir_account account =
            weir_account_of(&weir_mmu_ingress_view(mmu)->geometry, (weir_port){port}, (weir_class){tc});
        uint64_t peak = weir_mmu_group_counters(mmu, account).headroom_watermark_bytes[WEIR_WM_PERSISTENT];
        out->headroom_peak_bytes = peak > out->headroom_peak_bytes ? peak : out->headroom_peak_bytes;
    }
}

/* The node at the other end of the link. */
static uint32_t peer_of(const struct sim *sim, uint32_t node, uint32_t port)
{
    const struct topology *t = sim->config.topology;
    const struct routes *r = &sim->routes;
    if (node < t->hosts)
        return t->hosts + r->host_switch[node];
    return topology_far_end(&t->links[r->port_link[r->port_first[node - t->hosts] + port]], node);
}

bool pfc_summary_queue(const struct sim *sim, uint32_t node, uint32_t port, uint32_t tc, struct pfc_queue *out)
{
    uint32_t hosts = sim->config.topology->hosts;
    *out = (struct pfc_queue){.peer = 0};
    if (!sim->lossless)
        return false;
    out->peer = peer_of(sim, node, port);
    if (node < hosts) {
        const struct host *host = &sim->hosts[node];
        out->counters = host->pfc->end.peer.counters[tc];
        out->held_ps = weir_pfc_peer_held_ps(&host->pfc->end.peer, tc, sim->now);
    } else
        read_switch(sim, node - hosts, port, tc, out);
    const struct weir_pfc_counters *c = &out->counters;
    return c->pauses || c->pauses_received || out->headroom_peak_bytes || out->lost;
}
