/*
 * run.c - the clock: window after window, until the end or until nothing is left to happen. See traffic/network.h.
 */
#include <assert.h>

#include "sim/net/network.h"
#include "sim/net/switch_learn.h"
#include "sim/sim.h"

#define RUN_WINDOWS_PER_PROGRESS 256u
#define RUN_LAUNCHES_PER_PROGRESS 65536u

/* Launches of one window: a single instant may hold any number of them. */
struct run_launches {
    struct sim *sim;
    sim_progress_function *progress;
    void *context;
    uint32_t count;
    bool stopped;
};

static bool run_launch(void *context, uint32_t id, const struct flow_request *request)
{
    struct run_launches *launches = context;
    if (++launches->count % RUN_LAUNCHES_PER_PROGRESS == 0 && launches->progress) {
        struct sim_progress at = sim_totals(launches->sim);
        launches->stopped = !launches->progress(launches->context, &at);
    }
    return !launches->stopped && sim_flow_start(launches->sim, id, request);
}

static weir_ps run_node(struct sim *sim, uint32_t node, weir_ps end)
{
    uint32_t hosts = sim->config.topology->hosts;
    return node < hosts ? host_run(&sim->hosts[node], end) : switch_node_run(&sim->switches[node - hosts], end);
}

static void run_group(struct sim *sim, uint32_t group, weir_ps end)
{
    uint32_t first = group * ENGINE_GROUP;
    uint32_t last = first + ENGINE_GROUP < sim->nodes ? first + ENGINE_GROUP : sim->nodes;
    for (uint32_t node = first; node < last; node++)
        if (sim->wake[node] < end)
            sim->wake[node] = run_node(sim, node, end);
    weir_ps earliest = WEIR_NEVER;
    for (uint32_t node = first; node < last; node++)
        earliest = sim->wake[node] < earliest ? sim->wake[node] : earliest;
    sim->group_wake[group] = earliest;
}

static bool run_window(struct sim *sim, weir_ps end, struct run_launches *launches)
{
    struct traffic_sink sink = {.context = launches, .start = run_launch};
    sim->event_ps = sim->now - 1; /* flows wait on their host's list even when they start at once */
    if (!traffic_advance(sim->traffic, end, &sink))
        return false;
    for (uint32_t group = 0; group < sim->groups; group++)
        if (sim->group_wake[group] < end)
            run_group(sim, group, end);
    return !sim->out_of_memory;
}

/* When anything happens next. */
static weir_ps run_next(const struct sim *sim)
{
    weir_ps next = traffic_next(sim->traffic);
    weir_ps failure = sim_failures_next(sim);
    next = failure < next ? failure : next;
    for (uint32_t group = 0; group < sim->groups; group++)
        next = sim->group_wake[group] < next ? sim->group_wake[group] : next;
    weir_ps look = sim_deadlock_next(sim);
    return next != WEIR_NEVER && look < next ? look : next; /* idle windows need no look */
}

/* Probes go on to their own end: where they stop must not depend on the window in which the last flow ends. */
static bool run_probes_over(const struct sim *sim)
{
    for (uint32_t i = 0; i < sim->config.topology->switches; i++)
        if (sim->switches[i].next_probe_ps != WEIR_NEVER)
            return false;
    return true;
}

/* No flow is open or will start, no packet is in flight, no probe is running. */
static bool run_over(const struct sim *sim)
{
    return sim->flows_ended == sim->flows_started && sim->packets.live == 0 &&
           traffic_next(sim->traffic) == WEIR_NEVER && run_probes_over(sim);
}

static void run_finish(struct sim *sim)
{
    struct flow *flow;
    sim_deadlock_look_last(sim);
    for (uint32_t i = 0; i < sim->config.topology->switches; i++)
        switch_learn_finish(&sim->switches[i]);
    for (uint32_t i = 0; (flow = flow_at(&sim->flows, i)); i++)
        if (flow->id && flow->ended != FLOW_CLOSED)
            sim_flow_close(sim, flow, sim->now);
    records_sort(&sim->records);
    sim->status = sim->error.code == WEIR_ERROR_NONE && sim_balance_check(sim) ? SIM_DONE : SIM_UNEVEN;
    if (sim->out_of_memory)
        sim->status = SIM_OUT_OF_MEMORY;
}

enum sim_status sim_run(struct sim *sim, sim_progress_function *progress, void *context)
{
    return sim_run_until(sim, WEIR_NEVER, progress, context);
}

enum sim_status sim_run_until(struct sim *sim, weir_ps pause_ps, sim_progress_function *progress, void *context)
{
    struct run_launches launches = {.sim = sim, .progress = progress, .context = context};
    for (uint32_t windows = 1; sim->status == SIM_RUNNING; windows++) {
        weir_ps start = run_next(sim);
        if (start >= pause_ps && pause_ps < sim->config.until_ps && !run_over(sim))
            return SIM_RUNNING;
        if (start >= sim->config.until_ps || run_over(sim)) {
            sim->now = run_over(sim) ? sim->last_ps : sim->config.until_ps;
            run_finish(sim);
            break;
        }
        assert(start >= sim->now);
        sim->now = start;
        sim_flows_release(sim);
        if (sim_deadlock_look(sim)) {
            run_finish(sim);
            break;
        }
        if (!sim_failures_apply(sim)) {
            sim->status = SIM_OUT_OF_MEMORY;
            break;
        }
        weir_ps end = start + sim->window_ps;
        weir_ps failure = sim_failures_next(sim);
        end = failure < end ? failure : end;
        end = sim_deadlock_next(sim) < end ? sim_deadlock_next(sim) : end;
        end = sim->config.until_ps < end ? sim->config.until_ps : end;
        if (!run_window(sim, end, &launches)) {
            if (launches.stopped)
                return SIM_RUNNING;
            sim->status = SIM_OUT_OF_MEMORY;
            break;
        }
        if (progress && windows % RUN_WINDOWS_PER_PROGRESS == 0) {
            struct sim_progress at = sim_totals(sim);
            if (!progress(context, &at))
                return SIM_RUNNING;
        }
    }
    return sim->status;
}
