/*
 * waits.c - see waits.h.
 */
#include "sim/waits.h"
#include "sim/net/ideal.h"
#include "sim/net/network.h"
#include "sim/net/pfc_measure.h"

bool sim_keep_jobs(struct sim *sim)
{
    for (uint32_t i = 0; i < sim->config.traffic_count; i++) {
        struct job *job = traffic_job_of(sim->traffic, i);
        if (job && !job_keep(job))
            return false;
    }
    for (uint32_t i = 0; i < sim->config.topology->switches; i++)
        if (sim->switches[i].pfc_measure)
            sim->switches[i].pfc_measure->keeps_spans = true;
    return true;
}

const struct job_history *sim_job_history(const struct sim *sim, uint32_t traffic)
{
    const struct job *job = sim_job(sim, traffic);
    return job ? job_history(job) : NULL;
}

/* So long one input of a switch had paused this class of its link, within a time. */
static weir_ps input_paused(const struct switch_node *node, uint32_t input, uint8_t tc, const struct sim_pause *within)
{
    const struct pfc_measure *m = node->pfc_measure;
    const struct pfc_measure_queue *queue = m ? &m->queue[input * PFC_CLASSES + tc] : NULL;
    weir_ps sum = 0;
    for (uint32_t i = 0; m && i <= m->span_count; i++) {
        struct pfc_span span = {0, 0, WEIR_NEVER, WEIR_NEVER};
        if (i < m->span_count)
            span = m->spans[i];
        else if (queue->decided_ps != WEIR_NEVER)
            span = (struct pfc_span){input, tc, queue->decided_ps, within->to_ps};
        weir_ps from = span.from_ps > within->from_ps ? span.from_ps : within->from_ps;
        weir_ps to = span.to_ps < within->to_ps ? span.to_ps : within->to_ps;
        if (span.input == input && span.tc == tc && from < to)
            sum += to - from;
    }
    return sum;
}

/* The port of a switch that a link ends at. */
static uint32_t port_of(const struct routes *r, uint32_t sw, uint32_t link)
{
    uint32_t port = 0;
    while (r->port_link[r->port_first[sw] + port] != link)
        port++;
    return port;
}

bool sim_paused(const struct sim *sim, const struct flow_record *flow, struct sim_pause *pause)
{
    const struct topology *t = sim->config.topology;
    const struct routes *r = &sim->routes;
    const struct sim_transport *transport = &sim->config.transports[sim->config.traffic[flow->traffic].transport];
    uint8_t tc = sim_flow_class(&sim->config, transport, flow->id);
    uint32_t at = r->host_switch[flow->source], port = r->host_port[flow->source], from = flow->source;
    pause->longest_ps = 0;
    for (uint32_t hops = 0; hops < IDEAL_HOPS_MAX; hops++) {
        weir_ps paused = sim_has_switch(sim, at) ? input_paused(&sim->switches[at], port, tc, pause) : 0;
        if (paused > pause->longest_ps)
            *pause = (struct sim_pause){pause->from_ps, pause->to_ps, paused, at, from};
        if (at == r->host_switch[flow->destination])
            break;
        uint32_t out = routes_port(r, at, flow->destination, flow->id, false);
        if (out == ROUTES_NO_PORT)
            break;
        uint32_t link = r->port_link[r->port_first[at] + out];
        from = t->hosts + at;
        at = (t->links[link].a == from ? t->links[link].b : t->links[link].a) - t->hosts;
        port = port_of(r, at, link);
    }
    return pause->longest_ps > 0;
}
