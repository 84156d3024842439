/*
 * workers.c - see workers.h.
 *
 * The caller's thread does what is one for all (traffic, failures, looking for deadlocks) and runs the first worker;
 * each other worker has a thread. Where there is nothing to do for all, windows follow each other in a stretch without
 * a stop. In it nobody waits for all of a window: switches need what the switches of others have sent in the window
 * before, and hosts that the hosts of others have run it. So a worker may be ahead of another by its switches or by its
 * hosts, and neither the chance by which one has more to do in a window nor the time to meet is lost.
 */
#define _GNU_SOURCE 1
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "sim/engine/processors.h"
#include "sim/net/network.h"
#include "sim/parallel/ranks.h"
#include "sim/parallel/workers.h"
#include "sim/topology/partition.h"

#define GROUPS_APART (LINES_APART / sizeof(weir_ps)) /* groups of two workers share no pair of cache lines */
#define SHARE_WINDOWS 64u                            /* between two looks at spares */
#define SHARE_TELEMETRY 4096u                        /* more than so many spares, and half of the difference, move */
#define SHARE_FLOWS 512u

struct crew_member {
    _Alignas(LINES_APART) struct crew *crew;
    struct sim_worker *worker;
    pthread_t thread;
    bool lives;               /* it has a thread */
    struct patience patience; /* of that thread, or of the caller's: the first member */
};

struct crew {
    struct sim *sim;
    struct processors processors;
    uint64_t start_ns;
    weir_ps end;   /* of the window that may be run */
    weir_ps until; /* and of those that may follow it */
    bool by_letters;
    bool over;
    _Alignas(LINES_APART) struct beacon begun; /* the number of such stretches */
    struct crew_member member[];               /* [workers] */
};

/* Gives those of nodes `first` to `after` that are of a worker places from `slot` on; returns one past the last. */
static uint32_t place_nodes(struct sim *sim, const uint32_t *part, uint32_t worker, uint32_t first, uint32_t after,
                            uint32_t slot)
{
    for (uint32_t node = first; node < after; node++)
        if (sim_has(sim, node) && part[node] == worker)
            sim->slot[node] = slot++;
    return slot;
}

/* Gives every node its place: those of a worker together, its hosts first, its switches in groups after them. */
static bool workers_place(struct sim *sim, const uint32_t *part)
{
    uint32_t groups = 0, apart = sim->workers > 1 ? (uint32_t)GROUPS_APART : 1, hosts = sim->config.topology->hosts;
    for (uint32_t w = 0; w < sim->workers; w++) {
        struct sim_worker *worker = sim->worker[w];
        worker->first_group = groups;
        worker->after_host = place_nodes(sim, part, w, 0, hosts, groups * ENGINE_GROUP);
        worker->switch_group = (worker->after_host + ENGINE_GROUP - 1) / ENGINE_GROUP;
        worker->after_slot = place_nodes(sim, part, w, hosts, sim->nodes, worker->switch_group * ENGINE_GROUP);
        worker->after_group = (worker->after_slot + ENGINE_GROUP - 1) / ENGINE_GROUP;
        groups = (worker->after_group + apart - 1) / apart * apart;
    }
    sim->groups = groups > 0 ? groups : apart; /* a rank may have no node */
    groups = sim->groups;
    size_t slots = (size_t)groups * ENGINE_GROUP;
    sim->node_at = calloc(slots, sizeof *sim->node_at);
    sim->wake = lines_take(slots * sizeof *sim->wake);
    sim->group_wake = lines_take(groups * sizeof *sim->group_wake);
    if (!sim->node_at || !sim->wake || !sim->group_wake)
        return false;
    for (size_t slot = 0; slot < slots; slot++)
        sim->wake[slot] = WEIR_NEVER;
    for (uint32_t group = 0; group < groups; group++)
        sim->group_wake[group] = WEIR_NEVER;
    for (uint32_t node = 0; node < sim->nodes; node++)
        if (sim_has(sim, node))
            sim->node_at[sim->slot[node]] = node;
    return true;
}

static bool worker_equip(struct sim_worker *worker, uint32_t crossings)
{
    worker->crossing = lines_new(((size_t)crossings + 1) * sizeof *worker->crossing);
    worker->sent = lines_new(((size_t)crossings + 1) * sizeof *worker->sent);
    worker->used = lines_new(((size_t)crossings + 1) * sizeof *worker->used);
    worker->owes = lines_new(worker->sim->workers * sizeof *worker->owes);
    return worker->crossing && worker->sent && worker->used && worker->owes && post_init(&worker->post, worker->sim);
}

static bool workers_box(struct sim *sim)
{
    sim->boxes = lines_new((size_t)2 * sim->workers * sim->workers * sizeof *sim->boxes);
    return sim->boxes;
}

/* A link leaves a worker: its packets arrive elsewhere. */
static void cut_near(struct sim *sim, struct link *link, uint32_t from, uint32_t to)
{
    struct sim_worker *worker = sim->worker[from];
    uint32_t number = worker->crossings++;
    worker->crossing[number] = (struct crossing){link, link->far, to};
    worker->sent[number] = WEIR_NEVER;
    link->arrives = &worker->sent[number];
    link->wake = link->group_wake = &worker->sent_ps;
}

/* Divides links between workers into a near and a far part. Of those between ranks each has one of them; those of other
 * ranks are not touched. */
static bool workers_cut(struct sim *sim, const uint32_t *part)
{
    const struct topology *t = sim->config.topology;
    uint32_t *crossings = calloc(sim->workers, sizeof *crossings);
    bool good = crossings != NULL;
    for (uint32_t i = 0; good && i < 2 * t->link_count; i++) {
        uint32_t from = i % 2 ? t->links[i / 2].b : t->links[i / 2].a;
        uint32_t to = i % 2 ? t->links[i / 2].a : t->links[i / 2].b;
        bool leaves = sim_has(sim, from) != sim_has(sim, to);
        bool cut = leaves || (sim_has(sim, from) && part[from] != part[to]);
        sim->cut_links += cut && sim_has(sim, to);
        if (cut && sim_has(sim, from))
            crossings[part[from]]++;
    }
    for (uint32_t w = 0; good && w < sim->workers; w++)
        good = worker_equip(sim->worker[w], crossings[w]);
    free(crossings);
    sim->far_links = good ? lines_new(((size_t)sim->cut_links + 1) * sizeof *sim->far_links) : NULL;
    if (!sim->far_links)
        return false;
    uint32_t far = 0;
    for (uint32_t i = 0; i < 2 * t->link_count; i++) {
        struct link *link = &sim->links[i];
        uint32_t from = i % 2 ? t->links[i / 2].b : t->links[i / 2].a;
        uint32_t to = i % 2 ? t->links[i / 2].a : t->links[i / 2].b;
        bool here = sim_has(sim, from), there = sim_has(sim, to);
        bool inside = here && there && part[from] == part[to];
        if ((!here && !there) || (inside && sim->late)) /* then its ends see to it */
            continue;
        link->far = link;
        if (inside)
            continue;
        if (there)
            link->far = &sim->far_links[far++];
        if (there && sim->late) {
            link->far->far = link->far;
            link->far->to = to;
            link->far->arrived = 1;
            link->far->maker = &sim->maker;
        }
        if (!here)
            continue;
        cut_near(sim, link, part[from], there ? part[to] : sim->workers + sim->rank_of[to]);
        sim->worker[part[from]]->hosts_cross |= from < t->hosts;
    }
    return true;
}

/* Parts of all ranks, those of one together: which nodes are here, and the worker of each. */
static bool workers_divide(struct sim *sim, uint32_t workers, uint32_t *part)
{
    uint32_t ranks = sim->config.ranks ? sim->config.ranks->count : 1;
    if (ranks * workers > 1 && !partition_ranks(sim->config.topology, ranks, workers, part))
        return false;
    if (!sim->config.ranks)
        return true;
    sim->ranks = ranks_new(sim);
    sim->unknown = lines_new(((size_t)ranks + 1) * sizeof *sim->unknown);
    sim->own = sim->config.ranks->own;
    sim->rank_of = calloc(sim->nodes, sizeof *sim->rank_of);
    for (uint32_t node = 0; sim->rank_of && node < sim->nodes; node++) {
        sim->rank_of[node] = (uint16_t)(part[node] / workers);
        part[node] %= workers;
    }
    return sim->ranks && sim->unknown && sim->rank_of;
}

bool workers_init(struct sim *sim)
{
    uint32_t most = sim->config.ranks ? sim->nodes / sim->config.ranks->count + 1 : sim->nodes;
    uint32_t wanted = sim->config.threads > 1 ? sim->config.threads : 1;
    wanted = wanted < most ? wanted : most;
    sim->worker = calloc(wanted, sizeof *sim->worker);
    sim->slot = calloc(sim->nodes, sizeof *sim->slot);
    uint32_t *part = calloc(sim->nodes, sizeof *part);
    bool good = sim->worker && sim->slot && part && telemetry_table_init(&sim->telemetry);
    while (good && sim->workers < wanted) {
        good = (sim->worker[sim->workers] = worker_new(sim, sim->workers)) != NULL;
        sim->workers += good;
    }
    good = good && workers_divide(sim, wanted, part);
    good = good && workers_place(sim, part) && workers_box(sim) && workers_cut(sim, part);
    free(part);
    return good;
}

void workers_free(struct sim *sim)
{
    for (uint32_t i = 0; i < sim->workers; i++)
        worker_free(sim->worker[i]);
    for (uint32_t i = 0; sim->far_links && i < sim->cut_links; i++)
        free(sim->far_links[i].flying);
    for (uint32_t i = 0; sim->boxes && i < 2 * sim->workers * sim->workers; i++)
        free(sim->boxes[i].at);
    free(sim->boxes);
    telemetry_table_free(&sim->telemetry);
    ranks_free(sim->ranks);
    free(sim->rank_of);
    free(sim->unknown);
    free(sim->far_links);
    free(sim->worker);
    free(sim->slot);
    free(sim->node_at);
    free(sim->wake);
    free(sim->group_wake);
}

/* Threads. */

static uint64_t crew_clock(const struct sim *sim)
{
    return sim->config.clock_ns ? sim->config.clock_ns() : 0;
}

/* The reports of all on a window: true when nothing is due before `end`, or somebody cannot go on. */
static bool crew_stops(const struct sim *sim, uint32_t window, weir_ps end)
{
    bool idle = true;
    for (uint32_t i = 0; i < sim->workers; i++) {
        const struct worker_report *report = &sim->worker[i]->report[window % 2];
        if (report->stop)
            return true;
        idle = idle && report->next_ps >= end;
    }
    return idle;
}

/* The worker that took longest in a window. */
static uint64_t crew_longest(const struct sim *sim, uint32_t window)
{
    uint64_t longest = 0;
    for (uint32_t i = 0; i < sim->workers; i++) {
        uint64_t took = sim->worker[i]->report[window % 2].window_ns;
        longest = took > longest ? took : longest;
    }
    return longest;
}

/* Packets of the window before have come; what this worker sent in its window goes. Of ranks in a stretch by letters,
 * else by boxes. False: a rank is lost. */
static bool crew_take_packets(struct crew *crew, uint32_t window, struct patience *patience)
{
    struct sim *sim = crew->sim;
    if (crew->by_letters)
        return ranks_take_packets(sim);
    for (uint32_t i = 0; i < sim->workers; i++)
        beacon_await(&sim->worker[i]->switched, window, patience);
    return true;
}

static bool crew_send_packets(struct crew *crew, struct sim_worker *worker, uint32_t window)
{
    if (crew->by_letters)
        return ranks_post_packets(crew->sim);
    beacon_raise(&worker->switched, window + 1);
    return true;
}

/* Hosts of others have run the window before; those of this worker have run its window. *stops: it is the last one. */
static bool crew_await_hosts(struct crew *crew, struct sim_worker *worker, weir_ps end, struct patience *patience,
                             bool *stops)
{
    struct sim *sim = crew->sim;
    const uint32_t window = (uint32_t)worker->window;
    if (crew->by_letters)
        return ranks_take_notes(sim, end, stops);
    for (uint32_t i = 0; i < sim->workers; i++)
        beacon_await(&sim->worker[i]->done, window, patience);
    *stops = crew_stops(sim, window - 1, end);
    worker->longest_ns += crew_longest(sim, window - 1);
    return true;
}

static bool crew_report(struct crew *crew, struct sim_worker *worker, uint64_t took_ns)
{
    const uint32_t window = (uint32_t)worker->window; /* the next one */
    worker->report[(window - 1) % 2] = (struct worker_report){worker->next_ps, took_ns, worker->out_of_memory};
    if (crew->by_letters) {
        worker->longest_ns += took_ns;
        return ranks_post_notes(crew->sim, worker->next_ps);
    }
    beacon_raise(&worker->done, window);
    return true;
}

/* One window. `follows`: others may still run the hosts of the one before. False: the stretch ends with it. */
static bool crew_window(struct crew *crew, struct sim_worker *worker, struct patience *patience, weir_ps end,
                        bool follows)
{
    const struct sim *sim = crew->sim;
    const uint32_t window = (uint32_t)worker->window;
    bool stops = false;
    if (follows && !crew_take_packets(crew, window, patience))
        return false;
    uint64_t start = crew_clock(sim);
    worker_run_switches(worker, end);
    uint64_t took = crew_clock(sim) - start;
    worker->switches_ns += took;
    if (!crew_send_packets(crew, worker, window) || (follows && !crew_await_hosts(crew, worker, end, patience, &stops)))
        return false;
    start = crew_clock(sim);
    worker_run_hosts(worker, end);
    took += crew_clock(sim) - start;
    worker->busy_ns += took;
    return crew_report(crew, worker, took) && !stops;
}

/* Windows one after another, until there is something to do for all: every worker finds the same one to be the last. */
static void crew_stretch(struct crew *crew, struct sim_worker *worker, struct patience *patience)
{
    struct sim *sim = crew->sim;
    const weir_ps until = crew->until;
    const bool by_letters = crew->by_letters; /* others may begin the next stretch before this one looks again */
    weir_ps end = crew->end;
    worker->now_ps = sim->now;
    bool on = crew_window(crew, worker, patience, end, false);
    while (on && end < until) {
        worker->now_ps = end;
        end = end + sim->window_ps < until ? end + sim->window_ps : until;
        on = crew_window(crew, worker, patience, end, true);
    }
    if (by_letters && sim->status == SIM_RUNNING && ranks_take_packets(sim))
        ranks_take_notes(sim, end, &on);
}

static void *crew_live(void *context)
{
    struct crew_member *member = context;
    struct crew *crew = member->crew;
    processors_use(&crew->processors, member->worker->number);
    for (uint32_t stretch = 1;; stretch++) {
        beacon_await(&crew->begun, stretch, &member->patience);
        if (crew->over)
            return NULL;
        crew_stretch(crew, member->worker, &member->patience);
    }
}

struct crew *workers_begin(struct sim *sim)
{
    struct crew *crew = lines_new(sizeof *crew + sim->workers * sizeof crew->member[0]);
    if (!crew)
        return NULL;
    crew->sim = sim;
    crew->start_ns = crew_clock(sim);
    crew->member[0].patience = beacon_patience(sim->workers);
    crew->processors = processors_divide(sim->workers);
    /* Signals are for the thread of the caller. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (uint32_t i = 1; i < crew->sim->workers; i++) {
        struct crew_member *member = &crew->member[i];
        *member =
            (struct crew_member){.crew = crew, .worker = crew->sim->worker[i], .patience = crew->member[0].patience};
        member->lives = pthread_create(&member->thread, NULL, crew_live, member) == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    processors_use(&crew->processors, 0);
    return crew;
}

bool workers_stretch(const struct crew *crew)
{
    const struct sim *sim = crew->sim;
    bool may = (sim->ranks ? ranks_may_stretch(sim) : sim->workers > 1) && !sim->config.training;
    for (uint32_t i = 0; i < sim->config.traffic_count; i++)
        may = may && !traffic_is_joint(&sim->config.traffic[i]);
    for (uint32_t i = 0; i < sim->workers; i++)
        may = may && !sim->worker[i]->hosts_cross && (i == 0 || crew->member[i].lives);
    return may;
}

weir_ps workers_run(struct crew *crew, weir_ps end, weir_ps until)
{
    struct sim *sim = crew->sim;
    assert(end > sim->now && end <= until);
    struct sim_worker *first = sim->worker[0];
    struct patience *patience = &crew->member[0].patience;
    uint64_t start = crew_clock(sim), letters_ns = sim->ranks ? ranks_letters_ns(sim) : 0;
    crew->end = end;
    crew->until = until;
    crew->by_letters = sim->ranks && until > end;
    if (sim->workers > 1)
        beacon_raise(&crew->begun, crew->begun.value + 1);
    crew_stretch(crew, first, patience);
    for (uint32_t i = 1; i < sim->workers; i++) {
        if (crew->member[i].lives)
            beacon_await(&sim->worker[i]->done, (uint32_t)first->window, patience);
        else
            crew_stretch(crew, sim->worker[i], patience);
    }
    if (!crew->by_letters)
        first->longest_ns += crew_longest(sim, (uint32_t)first->window - 1);
    letters_ns = sim->ranks ? ranks_letters_ns(sim) - letters_ns : 0;
    sim->windows_ns += crew_clock(sim) - start - letters_ns;
    sim->window = first->window;
    sim->stretches++;
    sim->now = first->now_ps;
    return first->now_ps + sim->window_ps < until ? first->now_ps + sim->window_ps : until;
}

void workers_end(struct crew *crew)
{
    struct sim *sim = crew->sim;
    crew->over = true;
    beacon_raise(&crew->begun, crew->begun.value + 1);
    for (uint32_t i = 1; i < sim->workers; i++)
        if (crew->member[i].lives)
            pthread_join(crew->member[i].thread, NULL);
    processors_use_all(&crew->processors);
    sim->run_ns += crew_clock(sim) - crew->start_ns;
    free(crew);
}

/* Between stretches. */

static bool error_before(const struct sim_worker *a, const struct sim_worker *b)
{
    return a->error_window != b->error_window ? a->error_window < b->error_window : a->error_node < b->error_node;
}

/* The worker whose next row is of the switch with the least number. */
static struct sim_worker *rows_next(const struct sim *sim, const uint32_t *taken)
{
    struct sim_worker *first = NULL;
    for (uint32_t i = 0; i < sim->workers; i++) {
        struct sim_worker *worker = sim->worker[i];
        if (taken[i] < worker->rows.count &&
            (!first || worker->rows.at[taken[i]].sw < first->rows.at[taken[first->number]].sw))
            first = worker;
    }
    return first;
}

void workers_hand_on(struct sim *sim)
{
    const struct sim_training *wanted = sim->config.training;
    struct sim_worker *worker;
    if (!wanted || !wanted->take)
        return;
    uint32_t taken[SIM_THREADS_MAX] = {0};
    while ((worker = rows_next(sim, taken))) {
        const struct row *row = &worker->rows.at[taken[worker->number]++];
        if (!wanted->take(wanted->context, row->sw, row->memory, &row->row))
            worker->out_of_memory = true;
    }
    for (uint32_t i = 0; i < sim->workers; i++)
        sim->worker[i]->rows.count = 0;
}

/* Where most spares are, and where fewest. */
struct share {
    uint32_t most, least;
    int64_t count; /* that go from the one to the other */
};

static struct share share_of(const struct sim *sim, int64_t (*spares)(const struct sim_worker *))
{
    struct share share = {0, 0, 0};
    for (uint32_t i = 1; i < sim->workers; i++) {
        int64_t here = spares(sim->worker[i]);
        share.most = here > spares(sim->worker[share.most]) ? i : share.most;
        share.least = here < spares(sim->worker[share.least]) ? i : share.least;
    }
    share.count = (spares(sim->worker[share.most]) - spares(sim->worker[share.least])) / 2;
    return share;
}

static int64_t spare_telemetry(const struct sim_worker *worker)
{
    return worker->packets.telemetry.spares;
}

static int64_t spare_flows(const struct sim_worker *worker)
{
    return worker->flows.spares;
}

bool workers_join(struct sim *sim)
{
    bool good = true;
    if (sim->workers > 1) {
        if (!sim->ranks) /* else ranks_meet does */
        {
            /* Who waits for ends at several hosts goes by their number and the latest, whatever their order. */
            const struct traffic_sink nothing = {.context = NULL};
            for (uint32_t i = 0; i < sim->workers; i++) {
                struct flow_ends *ends = &sim->worker[i]->ends;
                for (uint32_t k = 0; k < ends->count; k++)
                    traffic_ended(sim->traffic, &ends->at[k].flow, ends->at[k].receiver, ends->at[k].when, &nothing);
                ends->count = 0;
            }
        }
        workers_hand_on(sim);
        if (sim->window >= sim->shared_window + SHARE_WINDOWS) {
            sim->shared_window = sim->window;
            /* Traffic that goes one way leaves memory where it ends. */
            struct share share = share_of(sim, spare_telemetry);
            if (share.count > SHARE_TELEMETRY)
                telemetry_pool_give(&sim->worker[share.most]->packets.telemetry,
                                    &sim->worker[share.least]->packets.telemetry, (uint32_t)share.count);
            share = share_of(sim, spare_flows);
            if (share.count > SHARE_FLOWS)
                flow_pool_give(&sim->worker[share.most]->flows, &sim->worker[share.least]->flows,
                               (uint32_t)share.count);
        }
    }
    /* The error that a run by one worker would have met first: nodes run by number. */
    const struct sim_worker *first = NULL;
    for (uint32_t i = 0; i < sim->workers; i++) {
        const struct sim_worker *worker = sim->worker[i];
        if (worker->error.code != WEIR_ERROR_NONE && (!first || error_before(worker, first)))
            first = worker;
    }
    if (first && sim->error.code == WEIR_ERROR_NONE)
        sim->error = first->error;
    for (uint32_t i = 0; i < sim->workers; i++)
        good = good && !sim->worker[i]->out_of_memory;
    return good && follow_hand_on(sim);
}

bool workers_gather(struct sim *sim)
{
    bool good = true;
    for (uint32_t i = 0; i < sim->workers; i++) {
        struct sim_worker *worker = sim->worker[i];
        if (worker->measure && worker->measure != &sim->measure)
            measure_part_add(&sim->measure, worker->measure);
        good = records_move(&sim->records, &worker->records) && good;
    }
    return good;
}
