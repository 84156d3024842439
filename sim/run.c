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
    struct sim *sim = launches->sim;
    if (++launches->count % RUN_LAUNCHES_PER_PROGRESS == 0 && launches->progress) {
        struct sim_progress at = sim_totals(sim);
        launches->stopped = !launches->progress(launches->context, &at);
    }
    return !launches->stopped && worker_start(sim->hosts[sim_flow_host(sim, request)].worker, id, request);
}

static bool run_window(struct crew *crew, struct sim *sim, weir_ps end, struct run_launches *launches)
{
    struct traffic_sink sink = {.context = launches, .start = run_launch};
    sim->worker[0]->event_ps = sim->now - 1; /* flows wait on their host's list even when they start at once */
    if (!traffic_advance(sim->traffic, end, &sink))
        return false;
    workers_run(crew, end);
    return workers_join(sim);
}

/* When anything happens next. */
static weir_ps run_next(const struct sim *sim)
{
    weir_ps next = traffic_next(sim->traffic);
    weir_ps failure = sim_failures_next(sim);
    next = failure < next ? failure : next;
    for (uint32_t i = 0; i < sim->workers; i++) {
        weir_ps event = sim->workers > 1 ? sim->worker[i]->next_ps : worker_next(sim->worker[i]);
        next = event < next ? event : next;
    }
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
    uint64_t open = 0;
    for (uint32_t i = 0; i < sim->workers; i++)
        open += sim->worker[i]->flows_started - sim->worker[i]->flows_ended;
    return open == 0 && sim_packets_alive(sim) == 0 && traffic_next(sim->traffic) == WEIR_NEVER && run_probes_over(sim);
}

/* The latest delivery or loss. */
static weir_ps run_last(const struct sim *sim)
{
    weir_ps last = 0;
    for (uint32_t i = 0; i < sim->workers; i++)
        last = sim->worker[i]->last_ps > last ? sim->worker[i]->last_ps : last;
    return last;
}

static void run_close_flows(struct sim *sim)
{
    struct flow *flow;
    for (uint32_t w = 0; w < sim->workers; w++) {
        struct sim_worker *worker = sim->worker[w];
        for (uint32_t i = 0; (flow = flow_at(&worker->flows, i)); i++)
            if (flow->id && !flow->closed)
                sim_flow_close(worker, flow, sim->now);
    }
    for (uint32_t w = 0; w < sim->workers; w++)
        sim_flows_release(sim->worker[w], true);
}

static void run_finish(struct sim *sim)
{
    sim_deadlock_look_last(sim);
    for (uint32_t i = 0; i < sim->config.topology->switches; i++)
        switch_learn_finish(&sim->switches[i]);
    workers_hand_on(sim);
    run_close_flows(sim);
    bool good = workers_join(sim) && workers_gather(sim);
    records_sort(&sim->records);
    sim->status = sim->error.code == WEIR_ERROR_NONE && sim_balance_check(sim) ? SIM_DONE : SIM_UNEVEN;
    if (!good)
        sim->status = SIM_OUT_OF_MEMORY;
}

/* Runs windows until the end, until the next one begins at `pause_ps` or later, or until the caller wants to stop. */
static void run_windows(struct crew *crew, struct sim *sim, weir_ps pause_ps, sim_progress_function *progress,
                        void *context)
{
    struct run_launches launches = {.sim = sim, .progress = progress, .context = context};
    for (uint32_t windows = 1; sim->status == SIM_RUNNING; windows++) {
        weir_ps start = run_next(sim);
        if (start >= pause_ps && pause_ps < sim->config.until_ps && !run_over(sim))
            return;
        if (start >= sim->config.until_ps || run_over(sim)) {
            sim->now = run_over(sim) ? run_last(sim) : sim->config.until_ps;
            run_finish(sim);
            return;
        }
        assert(start >= sim->now);
        sim->now = start;
        if (sim_deadlock_look(sim)) {
            run_finish(sim);
            return;
        }
        if (!sim_failures_apply(sim)) {
            sim->status = SIM_OUT_OF_MEMORY;
            return;
        }
        weir_ps end = start + sim->window_ps;
        weir_ps failure = sim_failures_next(sim);
        end = failure < end ? failure : end;
        end = sim_deadlock_next(sim) < end ? sim_deadlock_next(sim) : end;
        end = sim->config.until_ps < end ? sim->config.until_ps : end;
        if (!run_window(crew, sim, end, &launches)) {
            sim->status = launches.stopped ? SIM_RUNNING : SIM_OUT_OF_MEMORY;
            return;
        }
        if (progress && windows % RUN_WINDOWS_PER_PROGRESS == 0) {
            struct sim_progress at = sim_totals(sim);
            if (!progress(context, &at))
                return;
        }
    }
}

enum sim_status sim_run_until(struct sim *sim, weir_ps pause_ps, sim_progress_function *progress, void *context)
{
    if (sim->status != SIM_RUNNING)
        return sim->status;
    struct crew *crew = workers_begin(sim);
    if (!crew)
        return sim->status = SIM_OUT_OF_MEMORY;
    run_windows(crew, sim, pause_ps, progress, context);
    workers_end(crew);
    if (!workers_gather(sim))
        sim->status = SIM_OUT_OF_MEMORY;
    return sim->status;
}

enum sim_status sim_run(struct sim *sim, sim_progress_function *progress, void *context)
{
    return sim_run_until(sim, WEIR_NEVER, progress, context);
}
