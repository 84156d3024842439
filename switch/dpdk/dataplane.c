/*
 * dataplane.c - a software switch from its making to its end: memory, devices, start, and a stop that gives everything
 * back. What it does in between is in rx.c, forward.c, tx.c and expel.c.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_ethdev.h>
#include <rte_malloc.h>

#include "switch/dpdk/dataplane_internal.h"

#define DRAIN_LOOK_US 200u
#define DRAIN_LOOKS 3u /* in a row that must find nothing */

static bool create_switch(struct dataplane *dp, struct weir_error *error)
{
    const struct weir_switch_config *config = &dp->config.sw;
    dp->sw_memory = rte_zmalloc("switch", weir_switch_size(config), RTE_CACHE_LINE_SIZE);
    dp->edges = calloc(dp->config.ports, sizeof(*dp->edges));
    if (!dp->sw_memory || !dp->edges)
        return weir_fail(error, WEIR_ERROR_MEMORY, "out of memory for the switch");
    dp->sw = weir_switch_init(dp->sw_memory, config);
    dp->memories = weir_switch_mmu_count(dp->sw);
    dp->tells_idle = config->mmu->egress->on_idle != NULL;
    dp->sees_flows = weir_mmu_sees_flows(weir_switch_mmu(dp->sw, 0));
    for (uint32_t m = 0; m < dp->memories; m++)
        dp->has_events |= weir_mmu_has_events(weir_switch_mmu(dp->sw, m));
    dp->expel_ps = dp->has_events ? 0 : WEIR_NEVER;
    return recording_init(dp) || weir_fail(error, WEIR_ERROR_MEMORY, "out of memory for counters");
}

static bool create_line(struct dataplane *dp, uint32_t port, struct line *line, bool input)
{
    struct line_settings settings = memory_line(&dp->config, port, input);
    if (settings.frames == 0)
        return true;
    void *memory = rte_zmalloc("line", line_size(&settings), RTE_CACHE_LINE_SIZE);
    if (memory)
        line_init(line, &settings, memory);
    return memory != NULL;
}

static bool create_ports(struct dataplane *dp, struct weir_error *error)
{
    char name[RTE_MEMPOOL_NAMESIZE];
    dp->port = rte_zmalloc("ports", dp->config.ports * sizeof(*dp->port), RTE_CACHE_LINE_SIZE);
    if (!dp->port)
        return weir_fail(error, WEIR_ERROR_MEMORY, "out of memory for the ports");
    for (uint32_t p = 0; p < dp->config.ports; p++)
        dp->port[p].device = RTE_MAX_ETHPORTS;
    snprintf(name, sizeof name, "weir%p", (void *)dp);
    uint32_t mbufs = memory_mbufs(&dp->config);
    dp->pool = pool_create(&dp->config, name, mbufs);
    if (!dp->pool)
        return weir_fail(error, WEIR_ERROR_MEMORY,
                         "out of memory for %u mbufs of %u bytes: free huge pages, or fewer mbufs", mbufs,
                         memory_mbuf_bytes(&dp->config));
    for (uint32_t p = 0; p < dp->config.ports; p++) {
        /* What belongs to the switch of a port; its device comes later. */
        struct dataplane_port *port = &dp->port[p];
        weir_port local;
        port->number = p;
        port->device = RTE_MAX_ETHPORTS;
        port->mmu = weir_switch_port_mmu(dp->sw, (weir_port){p}, &local);
        port->local = local.i;
        port->memory = p / dp->config.sw.ports_per_mmu;
        port->state = weir_view_port(weir_mmu_view(port->mmu), local);
        shaper_init(&port->shaper, port->state->rate_bps, dp->config.gap_bytes);
        port->pending = rte_zmalloc("pending", dp->config.burst * sizeof(*port->pending), RTE_CACHE_LINE_SIZE);
        if (!port->pending || !create_line(dp, p, &port->in, true) || !create_line(dp, p, &port->out, false))
            return weir_fail(error, WEIR_ERROR_MEMORY, "out of memory for the lines of the ports");
        if (!device_open(dp, &dp->port[p], error))
            return false;
        const struct weir_pfc_settings settings = {
            .rate_bps = dp->port[p].state->rate_bps,
            .quanta = dp->config.pfc_quanta ? dp->config.pfc_quanta : 1,
            .lossless_mask = dp->mmu_config.lossless_mask,
            .obeyed_mask = dp->mmu_config.lossless_mask,
        };
        pause_init(&dp->port[p].pause, &settings, dp->port[p].address);
    }
    return true;
}

struct dataplane *dataplane_create(const struct dataplane_config *config, struct weir_error *error)
{
    if (!dataplane_config_check(config, error))
        return NULL;
    struct dataplane *dp = rte_zmalloc("dataplane", sizeof *dp, RTE_CACHE_LINE_SIZE);
    if (!dp) {
        weir_fail(error, WEIR_ERROR_MEMORY, "out of memory for the dataplane");
        return NULL;
    }
    rte_spinlock_init(&dp->lock);
    rte_spinlock_init(&dp->table_lock);
    drops_init(&dp->drops);
    /* The caller's policy values may change or vanish; those in force are kept here. */
    const struct weir_mmu_config *given = config->sw.mmu;
    dp->config = *config;
    dp->mmu_config = *given;
    dp->config.sw.mmu = &dp->mmu_config;
    if (given->egress_values)
        dp->egress_values = *given->egress_values;
    else
        weir_values_init(&dp->egress_values, given->egress);
    dp->mmu_config.egress_values = &dp->egress_values;
    if (given->ingress) {
        if (given->ingress_values)
            dp->ingress_values = *given->ingress_values;
        else
            weir_values_init(&dp->ingress_values, given->ingress);
        dp->mmu_config.ingress_values = &dp->ingress_values;
    }
    clock_start(&dp->clock, config->time_scale);
    if (create_switch(dp, error) && create_ports(dp, error) && lcores_plan(dp, error) && forward_init(dp, error) &&
        (watch_init(dp) || weir_fail(error, WEIR_ERROR_MEMORY, "out of memory to watch the links")))
        return dp;
    dataplane_free(dp);
    return NULL;
}

void dataplane_free(struct dataplane *dp)
{
    if (!dp)
        return;
    if (phase_read(dp) == DATAPLANE_RUNS)
        dataplane_stop(dp, 0);
    watch_free(dp);
    for (uint32_t p = 0; dp->port && p < dp->config.ports; p++) {
        device_close(&dp->port[p]);
        rte_free(dp->port[p].pending);
        rte_free(dp->port[p].in.slot);
        rte_free(dp->port[p].out.slot);
    }
    lcores_free(dp);
    forward_free(dp);
    rte_mempool_free(dp->pool);
    rte_free(dp->port);
    recording_free(dp);
    drops_free(&dp->drops);
    free(dp->edges);
    rte_free(dp->sw_memory);
    rte_free(dp);
}

static void set_phase(struct dataplane *dp, enum dataplane_phase phase)
{
    __atomic_store_n(&dp->phase, phase, __ATOMIC_RELEASE);
}

bool dataplane_start(struct dataplane *dp, struct weir_error *error)
{
    if (phase_read(dp) == DATAPLANE_RUNS)
        return weir_fail(error, WEIR_ERROR_SYSTEM, "the switch runs already");
    set_phase(dp, DATAPLANE_RUNS);
    if (lcores_start(dp, error) &&
        (watch_start(dp) || weir_fail(error, WEIR_ERROR_SYSTEM, "no thread to watch the links")))
        return true;
    set_phase(dp, DATAPLANE_STOPS);
    lcores_wait(dp);
    set_phase(dp, DATAPLANE_IDLE);
    return false;
}

/* Frames that are still on their way, as far as can be seen from outside. */
static bool stop_finds_frames(struct dataplane *dp)
{
    bool found = mask_read(&dp->work_mask) != 0;
    for (uint32_t i = 0; i < dp->work_count; i++)
        found |= dp->work[i].ring && !rte_ring_empty(dp->work[i].ring);
    for (uint32_t p = 0; p < dp->config.ports; p++) {
        const struct dataplane_port *port = &dp->port[p];
        found |= line_count(&port->in) > 0 || line_count(&port->out) > 0;
        found |= __atomic_load_n(&port->pending_count, __ATOMIC_RELAXED) > 0;
    }
    return found;
}

void dataplane_stop(struct dataplane *dp, weir_ps grace_ps)
{
    if (phase_read(dp) != DATAPLANE_RUNS)
        return;
    set_phase(dp, DATAPLANE_DRAINS);
    weir_ps end = clock_machine(&dp->clock) + grace_ps;
    uint32_t empty = 0;
    while (empty < DRAIN_LOOKS && clock_machine(&dp->clock) < end) {
        empty = stop_finds_frames(dp) ? 0 : empty + 1;
        rte_delay_us_sleep(DRAIN_LOOK_US);
    }
    watch_stop(dp);
    set_phase(dp, DATAPLANE_STOPS);
    lcores_wait(dp);
    /* The processors have stopped. What is still on its way in is offered to the MMUs like any frame, so that it is
     * counted, and then all of it is lost. */
    struct losses losses;
    struct rte_mbuf **burst = dp->work[0].burst;
    uint32_t count;
    losses.count = 0;
    for (uint32_t i = 0; i < dp->work_count; i++)
        while (dp->work[i].ring &&
               (count = rte_ring_sc_dequeue_burst(dp->work[i].ring, (void **)burst, dp->config.burst, NULL)) > 0)
            forward_burst(dp, burst, count);
    for (uint32_t p = 0; p < dp->config.ports; p++)
        while ((count = line_take(&dp->port[p].in, WEIR_NEVER - 1, burst, dp->config.burst)) > 0)
            forward_burst(dp, burst, count);
    mmu_enter(dp);
    for (uint32_t p = 0; p < dp->config.ports; p++)
        effects_flush(dp, &dp->port[p], &losses);
    mmu_leave(dp);
    losses_free(&losses);
    for (uint32_t p = 0; p < dp->config.ports; p++)
        tx_lose(dp, &dp->port[p]);
    for (uint32_t i = 0; i < dp->work_count; i++)
        dp->work[i].tx_held = 0;
    set_phase(dp, DATAPLANE_IDLE);
}
