/*
 * sim.c - builds a simulation from its config and takes it apart. Running is in sim_run.c.
 */
#include <stdlib.h>

#include "sim/deadlock.h"
#include "sim/net/host_nic.h"
#include "sim/net/host_pfc.h"
#include "sim/net/ideal.h"
#include "sim/net/network.h"
#include "sim/net/nodes.h"
#include "sim/parallel/ranks.h"
#include "sim/parallel/workers.h"
#include "sim/sim.h"
#include "weir/headroom.h"

/*
 * The greatest window: no node may affect another within it. It is also kept to a few full packets of the fastest link,
 * because the events of a switch are then spread thinly over its wheel.
 */
static weir_ps sim_window(const struct sim *sim)
{
    const struct sim_config *config = &sim->config;
    uint32_t smallest = sim_config_smallest_packet(config);
    uint32_t full = config->wire.mss_bytes + config->wire.header_bytes;
    weir_ps window = WEIR_NEVER;
    struct link shape = {.rate_bps = 0};
    for (uint32_t i = 0; i < 2 * config->topology->link_count; i++) {
        const struct topology_link *like = &config->topology->links[i / 2];
        const struct link *link = sim->late ? &shape : &sim->links[i];
        if (!sim_has_start(sim, i) ||
            (sim->late && like->rate_bps == link->rate_bps && like->delay_ps == link->delay_ps))
            continue;
        if (sim->late)
            nodes_shape_link(sim, i, &shape);
        weir_ps lookahead = link->delay_ps + link_time(link, smallest);
        weir_ps spread = 4 * link_time(link, full);
        window = lookahead < window ? lookahead : window;
        window = spread < window ? spread : window;
    }
    if (topology_has_servers(config->topology) && config->topology->server.delay_ps < window)
        window = config->topology->server.delay_ps;
    return window;
}

/* One direction of a link, from the far end's point of view. */
static void sim_attach(struct sim *sim, struct link *link, uint32_t to, uint32_t port)
{
    uint32_t hosts = sim->config.topology->hosts;
    struct link *far = link->far;
    link->to = far->to = to;
    far->wake = &sim->wake[sim->slot[to]];
    far->group_wake = &sim->group_wake[sim->slot[to] / ENGINE_GROUP];
    if (to < hosts) {
        sim->hosts[to].in = far;
        far->arrives = &sim->hosts[to].arrives;
    } else {
        struct switch_node *node = &sim->switches[to - hosts];
        node->port[port].in = far;
        far->arrives = &node->times[node->ports + port];
    }
}

/* What the far part of a link knows of it, when NICs have their clocks. */
static void sim_match_far(struct sim *sim)
{
    const struct topology *t = sim->config.topology;
    for (uint32_t i = 0; sim->config.hosts.drift_ppm && i < 2 * t->link_count; i++) {
        uint32_t from = i % 2 ? t->links[i / 2].b : t->links[i / 2].a;
        if (from < t->hosts && !sim_has(sim, from) && sim_has_end(sim, i))
            host_nic_drift(sim, from, &sim->links[i]);
    }
    for (uint32_t i = 0; i < 2 * t->link_count; i++) {
        const struct link *link = &sim->links[i];
        struct link *far = link->far;
        if (!far)
            continue;
        far->delay_ps = link->delay_ps;
        far->ps_per_byte = link->ps_per_byte;
        far->gap_bytes = link->gap_bytes;
        far->rate_bps = link->rate_bps;
        far->up = link->up;
    }
}

static void sim_leave(struct sim *sim, struct link *link, uint32_t from, uint32_t port)
{
    uint32_t hosts = sim->config.topology->hosts;
    if (from < hosts)
        sim->hosts[from].out = link;
    else
        sim->switches[from - hosts].port[port].out = link;
}

/* Ports are numbered as the links are listed; `ports` counts those given so far, per node. */
static void sim_wire(struct sim *sim, uint32_t *ports)
{
    const struct topology *t = sim->config.topology;
    for (uint32_t i = 0; i < t->link_count; i++) {
        uint32_t a = t->links[i].a, b = t->links[i].b;
        uint32_t port_a = ports[a]++, port_b = ports[b]++;
        struct link *there = &sim->links[2 * i], *back = there + 1;
        if (sim_has(sim, a)) {
            sim_leave(sim, there, a, port_a);
            sim_attach(sim, back, a, port_a);
            there->to = b;
        }
        if (sim_has(sim, b)) {
            sim_leave(sim, back, b, port_b);
            sim_attach(sim, there, b, port_b);
            back->to = a;
        }
    }
}

static bool sim_init_links(struct sim *sim)
{
    const struct topology *t = sim->config.topology;
    for (uint32_t i = 0; i < t->link_count; i++)
        sim->link_up[i] = true;
    sim->late = nodes_may_be_late(sim);
    if (!workers_init(sim) || sim->late)
        return sim->late;
    for (uint32_t i = 0; i < 2 * t->link_count; i++) {
        struct link *link = &sim->links[i];
        if (!link->far)
            continue;
        nodes_shape_link(sim, i, link);
        double own = sim->config.link_losses ? sim->config.link_losses[i / 2] : 0;
        double loss = own > 0 ? own : sim->config.link_loss;
        link->loss = loss < 1 ? (uint32_t)(loss * 4294967296.0) : UINT32_MAX;
        if (link->loss > 0)
            sim->link_salt = weir_random_stream(sim->config.seed, "link loss").key | 1;
    }
    /* Rings for packets on their way: where a link starts, and where it ends if that is another part. */
    for (uint32_t i = 0; i < 2 * sim->config.topology->link_count; i++) {
        struct link *link = &sim->links[i];
        if (sim_has_start(sim, i) && !link_grow(link))
            return false;
        if (sim_has_end(sim, i) && link->far != link && !link_grow(link->far))
            return false;
    }
    for (uint32_t i = 0; i < t->hosts; i++)
        if (sim_has(sim, i))
            nodes_start_host(sim, i);
    return true;
}

/* MMUs of each switch's tier, for measurement. */
static uint32_t sim_memories(const struct sim *sim, uint32_t sw, uint32_t ports)
{
    uint32_t per = sim_config_tier(&sim->config, sim->config.topology->tier[sw])->ports_per_mmu;
    return per && per < ports ? (ports + per - 1) / per : 1;
}

/* Deadlocks are looked for where a class is lossless. */
static bool sim_watch(struct sim *sim, struct weir_error *error)
{
    const struct topology *t = sim->config.topology;
    bool lossless = false;
    for (uint32_t i = 0; i < t->switches; i++)
        lossless = lossless || sim_config_tier(&sim->config, t->tier[i])->mmu.lossless_mask;
    if (!lossless || sim->config.pfc.look_ps == 0)
        return true;
    sim->deadlock = deadlock_new(sim);
    if (!sim->deadlock)
        weir_fail_memory(error);
    return sim->deadlock != NULL;
}

/* Switch nodes, wiring, measurement; `ports` and `memories` are scratch of one number per node. */
static bool sim_join(struct sim *sim, uint32_t *ports, uint32_t *memories)
{
    const struct topology *t = sim->config.topology;
    uint32_t most = 0;
    for (uint32_t i = 0; i < t->link_count; i++) {
        ports[t->links[i].a]++;
        ports[t->links[i].b]++;
    }
    for (uint32_t i = 0; i < t->switches; i++) {
        sim->switches[i].ports = ports[t->hosts + i];
        if (sim_has_switch(sim, i) || sim->late)
            memories[i] = sim_memories(sim, i, ports[t->hosts + i]);
        if (!sim_has_switch(sim, i))
            continue;
        most = ports[t->hosts + i] > most ? ports[t->hosts + i] : most;
        if (!sim->late && !switch_node_init(&sim->switches[i], sim, i, ports[t->hosts + i]))
            return false;
    }
    if (!measure_init(&sim->measure, &sim->config, ports + t->hosts, memories, sim->late))
        return false;
    if (sim->late) {
        for (uint32_t i = 0; i < sim->workers; i++) /* they move while no switch runs */
            if (!wheel_reserve(&sim->worker[i]->wheel, 2 * most) || !arrivals_reserve(&sim->worker[i]->arrivals, most))
                return false;
        sim->window_ps = sim->linger_ps = sim_window(sim);
        return true;
    }
    for (uint32_t i = 0; i < sim->nodes; i++)
        ports[i] = 0;
    sim_wire(sim, ports);
    for (uint32_t i = 0; i < t->hosts; i++)
        if (sim_has(sim, i) && (!host_nic_init(&sim->hosts[i]) || (sim->lossless && !host_pfc_init(&sim->hosts[i]))))
            return false;
    sim_match_far(sim);
    sim->window_ps = sim->linger_ps = sim_window(sim); /* NICs may be faster than their links' rates */
    return true;
}

static bool sim_connect(struct sim *sim)
{
    uint32_t *ports = calloc(sim->nodes, sizeof(*ports));
    uint32_t *memories = calloc(sim->nodes, sizeof(*memories));
    bool ok = ports && memories && sim_join(sim, ports, memories);
    free(ports);
    free(memories);
    return ok;
}

static bool sim_fill(struct sim *sim, struct weir_error *error)
{
    /* What is in the nodes, when they are joined. */
    const struct topology *t = sim->config.topology;
    /* One worker measures into the whole, several into parts of it. */
    for (uint32_t i = 0; i < sim->workers; i++) {
        struct sim_worker *worker = sim->worker[i];
        wheel_set_window(&worker->wheel, sim->window_ps);
        arrivals_set_window(&worker->arrivals, sim->window_ps);
        worker->packets.apart = sim->workers > 1;
        worker->measure = sim->workers == 1 ? &sim->measure : measure_part_new(&sim->config);
        if (!worker->measure)
            return false;
    }
    if (sim->late && !nodes_make_first(sim, error))
        return false;
    for (uint32_t i = 0; i < t->switches; i++) {
        if (!sim_has_switch(sim, i) || (sim->late && !nodes_has_made(sim, t->hosts + i)))
            continue;
        if (!sim->late && !switch_node_build(&sim->switches[i], error))
            return false;
        sim_wake(sim, t->hosts + i, sim->switches[i].next_probe_ps);
    }
    for (uint32_t i = 0; i < sim->workers; i++)
        sim->worker[i]->next_ps = worker_next(sim->worker[i]);
    if (!sim_watch(sim, error))
        return false;
    if (!ideal_base_rtt(sim->config.topology, &sim->routes, &sim->config.wire, &sim->base_rtt_ps))
        return false;
    struct workload workload = sim_config_workload(&sim->config, sim->routes.host_switch);
    workload.lookahead_ps = sim->window_ps;
    sim->traffic = traffic_create(&workload, error);
    return sim->traffic != NULL;
}

static bool sim_init(struct sim *sim, struct weir_error *error)
{
    weir_fail_memory(error);
    const struct topology *t = sim->config.topology;
    sim->nodes = t->hosts + t->switches;
    sim->hosts = calloc(t->hosts, sizeof(*sim->hosts));
    sim->switches = lines_new(t->switches * sizeof(*sim->switches));
    sim->links_memory = calloc(1, (size_t)t->link_count * 2 * sizeof(*sim->links) + LINES_APART);
    if (sim->links_memory) /* from calloc: links of other ranks stay untouched and take no memory */
        sim->links = (struct link *)(((uintptr_t)sim->links_memory + LINES_APART - 1) / LINES_APART * LINES_APART);
    sim->link_up = calloc(t->link_count, sizeof(*sim->link_up));
    if (!sim->hosts || !sim->switches || !sim->links || !sim->link_up)
        return false;
    if (!routes_init(&sim->routes, sim->config.topology, sim_config_routes_hash(&sim->config)))
        return false;
    sim->routes.pins = sim->config.pins;
    sim->routes.pin_count = sim->config.pin_count;
    if (!(sim->routes.pin_count == 0 || routes_compute(&sim->routes, sim->config.topology, NULL)))
        return false;
    if (!sim_init_links(sim))
        return false;
    return ranks_agree(sim, sim_connect(sim), error) && ranks_agree(sim, sim_fill(sim, error), error);
}

struct sim *sim_create(const struct sim_config *config, struct weir_error *error)
{
    if (!sim_config_check(config, error))
        return NULL;
    struct sim *sim = calloc(1, sizeof(*sim));
    if (!sim) {
        weir_fail_memory(error);
        return NULL;
    }
    sim->config = *config;
    sim->lossless = sim_config_is_lossless(config);
    if (!sim_init(sim, error)) {
        sim_free(sim);
        return NULL;
    }
    return sim;
}

void sim_free(struct sim *sim)
{
    if (!sim)
        return;
    struct flow *flow;
    for (uint32_t w = 0; w < sim->workers; w++)
        for (uint32_t i = 0; (flow = flow_at(&sim->worker[w]->flows, i)); i++)
            if (flow->id && flow->transport->kind->close)
                flow->transport->kind->close(&sim->hosts[sim_flow_node(sim, flow)], flow);
    for (uint32_t i = 0; sim->switches && i < sim->config.topology->switches; i++)
        switch_node_free(&sim->switches[i]);
    for (uint32_t i = 0; sim->hosts && i < sim->config.topology->hosts; i++) {
        free(sim->hosts[i].shared);
        free(sim->hosts[i].timers);
        free(sim->hosts[i].pfc);
        free(sim->hosts[i].nic);
    }
    traffic_free(sim->traffic);
    deadlock_free(sim->deadlock);
    records_free(&sim->records);
    routes_free(&sim->routes);
    workers_free(sim);
    measure_free(&sim->measure);
    free(sim->hosts);
    free(sim->switches);
    for (uint32_t i = 0; sim->links && i < 2 * sim->config.topology->link_count; i++)
        free(sim->links[i].flying);
    free(sim->links_memory);
    free(sim->link_up);
    free(sim);
}
