/*
 * sim_run.c - the clock: window after window, until the end or until nothing is left to happen. See sim/net/network.h.
 */
#include <assert.h>

#include "sim/deadlock.h"
#include "sim/failures.h"
#include "sim/net/ends.h"
#include "sim/net/flows.h"
#include "sim/net/network.h"
#include "sim/net/switch_learn.h"
#include "sim/parallel/balance.h"
#include "sim/parallel/gather.h"
#include "sim/parallel/ranks.h"
#include "sim/parallel/workers.h"
#include "sim/sim.h"

#define RUN_WINDOWS_PER_PROGRESS 256u
#define RUN_LAUNCHES_PER_PROGRESS 65536u
#define RUN_STRETCH_WINDOWS 64u
#define RUN_STRETCH_LAUNCHES 1024u /* drawn ahead of their window */

/* Launches so far: a single instant may hold any number of them. */
struct run_launches {
    struct sim *sim;
    sim_progress_function *progress;
    void *context;
    uint32_t count;
    bool stopped; /* after this launch */
    bool cut;     /* within it: it was large, and asked again */
};

static bool run_launch(void *context, uint32_t id, const struct flow_request *request)
{
    struct run_launches *launches = context;
    struct sim *sim = launches->sim;
    if (++launches->count % RUN_LAUNCHES_PER_PROGRESS == 0 && launches->progress) {
        struct sim_progress at = sim_totals(sim);
        bool goes_on = launches->progress(launches->context, &at);
        launches->cut = launches->stopped && !goes_on;
        launches->stopped = launches->stopped || !goes_on;
    }
    uint32_t host = sim_flow_host(sim, request);
    if (launches->cut)
        return false;
    if (!sim_has(sim, host))
        return true;
    bool good = worker_start(sim_worker_of(sim, host), id, request);
    launches->stopped = launches->stopped && good; /* out of memory: nothing can go on */
    return good;
}

static bool run_wake(void *context, uint32_t host, uint32_t traffic, weir_ps when)
{
    const struct run_launches *launches = context;
    if (sim_has(launches->sim, host))
        worker_wake(sim_worker_of(launches->sim, host), host, traffic, when);
    return true;
}

/* Up to when nothing is to be done for all but to draw traffic. */
static weir_ps run_undisturbed(const struct sim *sim)
{
    weir_ps until = failures_next(sim), look = deadlock_next(sim);
    until = look < until ? look : until;
    return sim->config.until_ps < until ? sim->config.until_ps : until;
}

static weir_ps run_later(const struct sim *sim, weir_ps when, weir_ps until)
{
    return when + sim->window_ps < until ? when + sim->window_ps : until;
}

/* Draws traffic up to *drawn, and further for a stretch of windows: for one at least, where `until` is later. */
static bool run_draw(struct sim *sim, weir_ps *drawn, weir_ps until, struct run_launches *launches)
{
    struct traffic_sink sink = {
        .context = launches, .start = run_launch, .wake = run_wake, .pauses = &launches->stopped};
    uint32_t most = launches->count + RUN_STRETCH_LAUNCHES;
    sim->worker[0]->event_ps = sim->now - 1; /* flows wait on their host's list even when they start at once */
    bool good = traffic_advance(sim->traffic, *drawn, &sink);
    for (uint32_t i = 1; good && *drawn < until && (i == 1 || launches->count < most) && i < RUN_STRETCH_WINDOWS; i++) {
        *drawn = run_later(sim, *drawn, until);
        good = traffic_advance(sim->traffic, *drawn, &sink);
    }
    return good;
}

/* Runs the window up to *end, or a stretch of them up to `until` at most; *end is then its end. A rank that is out of
 * memory keeps step with the others, who learn of it by its first letter and end with the second window. */
static bool run_window(struct crew *crew, struct sim *sim, weir_ps *end, weir_ps until, struct run_launches *launches)
{
    weir_ps drawn = *end;
    bool good = run_draw(sim, &drawn, until, launches);
    if (!good && !sim->ranks)
        return false;
    sim->failed = sim->failed || !good;
    *end = workers_run(crew, *end, good ? drawn : run_later(sim, *end, until));
    return workers_join(sim) && good;
}

/* When anything happens next; `nodes`: at any of these. */
static weir_ps run_next(const struct sim *sim, weir_ps nodes)
{
    weir_ps next = traffic_next(sim->traffic);
    weir_ps failure = failures_next(sim);
    next = failure < next ? failure : next;
    next = nodes < next ? nodes : next;
    weir_ps look = deadlock_next(sim);
    return next != WEIR_NEVER && look < next ? look : next; /* idle windows need no look */
}

/* Probes go on to their own end: where they stop must not depend on the window in which the last flow ends. */
static bool run_probes_over(const struct sim *sim)
{
    for (uint32_t i = 0; i < sim->config.topology->switches; i++)
        if (sim->switches[i].sw && sim->switches[i].next_probe_ps != WEIR_NEVER)
            return false;
    return true;
}

/* What this process knows: `last_ps` is the latest delivery or loss. */
static struct rank_view run_view(const struct sim *sim)
{
    struct rank_view view = {.next_ps = WEIR_NEVER, .alive = (int64_t)sim_packets_alive(sim)};
    for (uint32_t i = 0; i < sim->workers; i++) {
        const struct sim_worker *worker = sim->worker[i];
        weir_ps event = sim->workers > 1 ? worker->next_ps : worker_next(worker);
        view.next_ps = event < view.next_ps ? event : view.next_ps;
        view.last_ps = worker->last_ps > view.last_ps ? worker->last_ps : view.last_ps;
        view.open += (int64_t)(worker->flows_started - worker->flows_ended + worker->wakes + worker->starts.count);
    }
    view.probing = (sim->ranks || (view.open == 0 && view.alive == 0)) && !run_probes_over(sim);
    return view;
}

static void run_finish(struct sim *sim)
{
    deadlock_look_last(sim);
    if (sim->status != SIM_RUNNING) /* other ranks are lost */
        return;
    for (uint32_t i = 0; i < sim->config.topology->switches; i++)
        if (sim_has_switch(sim, i))
            switch_learn_finish(&sim->switches[i]);
    workers_hand_on(sim);
    for (uint32_t i = 0; i < sim->config.traffic_count; i++) {
        struct job *job = traffic_job_of(sim->traffic, i);
        for (uint32_t r = 0; job && r < job_goal(job)->ranks; r++)
            if (sim_has(sim, traffic_job_host(sim->traffic, i, r)))
                job_look(job, r);
    }
    struct flow *flow;
    for (uint32_t w = 0; w < sim->workers; w++) {
        struct sim_worker *worker = sim->worker[w];
        for (uint32_t i = 0; (flow = flow_at(&worker->flows, i)); i++)
            if (flow->id && !flow->closed)
                sim_flow_close(worker, flow, sim->now);
    }
    for (uint32_t w = 0; w < sim->workers; w++)
        sim_flows_release(sim->worker[w], true);
    bool good = workers_join(sim) && workers_gather(sim);
    records_sort(&sim->records);
    sim->failed = sim->failed || !good;
    if (sim->ranks) /* rank 0 checks the whole: gather_ranks */
        sim->status = SIM_DONE;
    else if (!good)
        sim->status = SIM_OUT_OF_MEMORY;
    else
        sim->status = sim->error.code == WEIR_ERROR_NONE && balance_check(sim) ? SIM_DONE : SIM_UNEVEN;
}

/* Other ranks have their say. False: the run ends here. */
static bool run_meet(struct sim *sim, struct rank_view *view, bool counts, struct sim_progress *totals)
{
    if (counts) {
        *totals = sim_totals(sim);
        view->totals.packet_hops = totals->packet_hops;
        view->totals.flows_started = totals->flows_started;
        view->totals.flows_ended = totals->flows_ended;
    }
    if (!ranks_meet(sim, view))
        return false;
    if (view->failed)
        sim->status = sim->failed ? SIM_OUT_OF_MEMORY : SIM_APART;
    if (counts) {
        totals->packet_hops = view->totals.packet_hops;
        totals->flows_started = view->totals.flows_started;
        totals->flows_ended = view->totals.flows_ended;
    }
    return !view->failed && !view->stop;
}

/* Out of memory: other ranks, if any, have to be told first. True: goes on until then. */
static bool run_fails(struct sim *sim)
{
    sim->failed = true;
    if (!sim->ranks)
        sim->status = SIM_OUT_OF_MEMORY;
    return sim->ranks;
}

/* How far it is; other ranks were asked before the window. */
static struct sim_progress run_progress(const struct sim *sim, const struct sim_progress *of_all)
{
    if (!sim->ranks)
        return sim_totals(sim);
    struct sim_progress at = *of_all;
    at.now = sim->now;
    return at;
}

/* Runs windows until the end, until the next one begins at `pause_ps` or later, or until the caller wants to stop. */
static void run_windows(struct crew *crew, struct sim *sim, weir_ps pause_ps, sim_progress_function *progress,
                        void *context)
{
    struct run_launches launches = {.sim = sim, .progress = sim->ranks ? NULL : progress, .context = context};
    struct sim_progress totals = {.now = 0};
    bool stop = false, stretches = workers_stretch(crew);
    weir_ps before = WEIR_NEVER; /* end of the window before */
    uint64_t told = sim->window;
    while (sim->status == SIM_RUNNING) {
        bool tells = sim->window >= told + RUN_WINDOWS_PER_PROGRESS - 1; /* all ranks alike */
        struct rank_view view = run_view(sim);
        view.near = stretches;
        view.stop = stop;
        if (sim->ranks && !run_meet(sim, &view, tells, &totals))
            return;
        /* No flow is open or will start, no packet is in flight, no probe is running. */
        bool waits = traffic_takes_messages(sim->traffic) && pause_ps < sim->config.until_ps; /* for another message */
        bool over =
            !waits && view.open == 0 && view.alive == 0 && traffic_next(sim->traffic) == WEIR_NEVER && !view.probing;
        weir_ps start = run_next(sim, view.next_ps);
        if (start >= pause_ps && pause_ps < sim->config.until_ps && !over)
            return;
        if (start >= sim->config.until_ps || over) {
            sim->now = over ? view.last_ps : sim->config.until_ps;
            run_finish(sim);
            return;
        }
        assert(start >= sim->now);
        sim->now = start;
        if (deadlock_look(sim)) {
            run_finish(sim);
            return;
        }
        if (!failures_apply(sim) && !run_fails(sim))
            return;
        weir_ps until = run_undisturbed(sim);
        until = traffic_takes_messages(sim->traffic) && pause_ps < until ? pause_ps : until;
        weir_ps end = start + sim->window_ps < until ? start + sim->window_ps : until;
        end = sim->stops_at_ends ? ends_cut(sim, end) : end;
        bool dense = before != WEIR_NEVER && start < before + sim->window_ps;
        until = pause_ps < until ? pause_ps : until;
        before = end;
        if (!run_window(crew, sim, &before, view.near && dense ? until : end, &launches)) {
            sim->cut = launches.cut;
            if (launches.stopped || !run_fails(sim))
                return;
        }
        weir_ps ended;
        if (sim->stops_at_ends && traffic_first_end(sim->traffic, &ended)) {
            assert(ended == before - 1);
            return;
        }
        told = tells ? sim->window : told;
        if (progress && tells) {
            struct sim_progress at = run_progress(sim, &totals);
            stop = !progress(context, &at);
            if (stop && !sim->ranks)
                return;
        }
    }
}

enum sim_status sim_run_until(struct sim *sim, weir_ps pause_ps, sim_progress_function *progress, void *context)
{
    if (sim->status != SIM_RUNNING)
        return sim->status;
    if (sim->cut) {
        weir_fail(&sim->error, WEIR_ERROR_VIOLATION,
                  "the run was stopped twice while flows of one launch started, some of which are missing");
        return sim->status = SIM_UNEVEN;
    }
    struct crew *crew = workers_begin(sim);
    if (!crew)
        return sim->status = SIM_OUT_OF_MEMORY;
    run_windows(crew, sim, pause_ps, progress, context);
    workers_end(crew);
    if (!workers_gather(sim) && !run_fails(sim))
        return sim->status;
    if (sim->ranks && (sim->status == SIM_RUNNING || sim->status == SIM_DONE))
        gather_ranks(sim);
    return sim->status;
}

void sim_stop_at_ends(struct sim *sim, bool stop)
{
    sim->stops_at_ends = stop;
}

bool sim_add_message(struct sim *sim, const struct traffic_message *message, uint32_t *id, struct weir_error *error)
{
    struct run_launches launches = {.sim = sim};
    const struct traffic_sink sink = {.context = &launches, .start = run_launch};
    sim->worker[0]->event_ps = sim->now - 1; /* it waits on its host's list */
    return traffic_add(sim->traffic, message, id, &sink, error);
}

bool sim_first_end(const struct sim *sim, weir_ps *when)
{
    return traffic_first_end(sim->traffic, when);
}

bool sim_take_end(struct sim *sim, struct traffic_message_end *end)
{
    return traffic_take_end(sim->traffic, end);
}

enum sim_status sim_run(struct sim *sim, sim_progress_function *progress, void *context)
{
    return sim_run_until(sim, WEIR_NEVER, progress, context);
}
