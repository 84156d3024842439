/*
 * worker.c - see worker.h.
 */
#include <stdlib.h>

#include "sim/net/network.h"

#define BOX_FIRST_ROOM 64u

void *worker_room(void *at, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return at;
    uint32_t more = *room ? 2 * *room : BOX_FIRST_ROOM;
    void *moved = more > *room ? realloc(at, more * size) : NULL;
    *room = moved ? more : *room;
    return moved;
}

/* Appends to one of the lists of a worker, all of which have `at`, `count` and `room`. */
#define WORKER_APPEND(worker, list, ...)                                                                               \
    do {                                                                                                               \
        void *moved = worker_room((list)->at, (list)->count, &(list)->room, sizeof *(list)->at);                       \
        if (!moved) {                                                                                                  \
            (worker)->out_of_memory = true;                                                                            \
            return false;                                                                                              \
        }                                                                                                              \
        (list)->at = moved;                                                                                            \
        (list)->at[(list)->count++] = (__VA_ARGS__);                                                                   \
        return true;                                                                                                   \
    } while (0)

bool worker_start(struct sim_worker *worker, uint32_t id, const struct flow_request *request)
{
    if (worker->sim->workers == 1)
        return sim_flow_start(worker, id, request);
    if (request->start_ps < worker->next_ps)
        worker->next_ps = request->start_ps;
    WORKER_APPEND(worker, &worker->starts, (struct flow_start){id, *request});
}

bool worker_note_end(struct sim_worker *worker, const struct flow_end *end)
{
    WORKER_APPEND(worker, &worker->ends, *end);
}

bool worker_note_row(struct sim_worker *worker, uint32_t sw, uint32_t memory, const struct weir_training_row *row)
{
    const struct sim_training *wanted = worker->sim->config.training;
    if (worker->sim->workers == 1)
        return wanted->take(wanted->context, sw, memory, row);
    WORKER_APPEND(worker, &worker->rows, (struct row){sw, memory, *row});
}

struct sim_worker *worker_new(struct sim *sim, uint32_t number)
{
    struct sim_worker *worker = aligned_alloc(64, sizeof *worker);
    if (!worker)
        return NULL;
    *worker = (struct sim_worker){.sim = sim, .number = number, .next_ps = WEIR_NEVER, .sent_ps = WEIR_NEVER};
    worker->packets.telemetry.table = &sim->telemetry;
    worker->wheel.words = 0;
    return worker;
}

void worker_free(struct sim_worker *worker)
{
    if (!worker)
        return;
    packet_pool_free(&worker->packets);
    flow_pool_free(&worker->flows);
    connections_free(&worker->connections);
    records_free(&worker->records);
    rank_post_free(&worker->post, worker->sim);
    if (worker->measure != &worker->sim->measure)
        measure_part_free(worker->measure);
    for (uint32_t parity = 0; parity < 2; parity++) {
        for (uint32_t to = 0; worker->box[parity] && to < worker->sim->workers; to++)
            free(worker->box[parity][to].at);
        free(worker->box[parity]);
    }
    free(worker->crossing);
    free(worker->sent);
    free(worker->starts.at);
    free(worker->ends.at);
    free(worker->rows.at);
    free(worker);
}

/* Between workers. */

/* The box and its packets are in the cache of another processor: asks for all of them before it waits for one. */
static void parcels_fetch(const struct parcels *box)
{
    for (uint32_t i = 0; i < box->count; i += 64 / sizeof *box->at)
        __builtin_prefetch(&box->at[i]);
    for (uint32_t i = 0; i < box->count; i++)
        __builtin_prefetch(box->at[i].packet.packet);
}

void worker_take(struct sim_worker *worker)
{
    const struct sim *sim = worker->sim;
    uint32_t parity = (sim->window + 1) % 2; /* of the window before */
    for (uint32_t from = 0; from < sim->workers && sim->workers > 1; from++) {
        struct parcels *box = &sim->worker[from]->box[parity][worker->number];
        parcels_fetch(box);
        for (uint32_t i = 0; i < box->count; i++)
            if (!link_take_over(box->at[i].link, &box->at[i].packet))
                worker->out_of_memory = true;
        box->count = 0;
    }
}

/* Room for so many more; false: out of memory. */
static bool parcels_reserve(struct parcels *box, uint64_t more)
{
    if (box->room - box->count >= more)
        return true;
    uint64_t room = 2 * ((uint64_t)box->count + more);
    struct parcel *at = room <= UINT32_MAX ? realloc(box->at, room * sizeof *at) : NULL;
    if (!at)
        return false;
    box->at = at;
    box->room = (uint32_t)room;
    return true;
}

/* Packets that go on at another rank: letters hold them, not their memory. */
static void worker_send_away(struct sim_worker *worker, struct link *link, uint32_t rank)
{
    uint32_t number = (uint32_t)(link - worker->sim->links);
    for (; !link_is_empty(link); link->arrived++) {
        const struct link_packet *flying = link_place(link, link->arrived);
        rank_packet_send(worker, rank, number, flying->when, flying->packet);
    }
}

/* Puts what was sent to nodes of other workers into their boxes. */
static void worker_send(struct sim_worker *worker)
{
    struct parcels *boxes = worker->box[worker->sim->window % 2];
    for (uint32_t i = 0; i < worker->crossings; i++) {
        struct link *link = worker->crossing[i].link;
        if (worker->sent[i] == WEIR_NEVER)
            continue;
        worker->sent[i] = WEIR_NEVER;
        if (worker->crossing[i].to >= worker->sim->workers) {
            worker_send_away(worker, link, worker->crossing[i].to - worker->sim->workers);
            continue;
        }
        struct parcels *box = &boxes[worker->crossing[i].to];
        uint64_t count = link->packets - link->arrived;
        if (!parcels_reserve(box, count)) {
            worker->out_of_memory = true;
            return;
        }
        for (; !link_is_empty(link); link->arrived++)
            box->at[box->count++] = (struct parcel){link->far, *link_place(link, link->arrived)};
        worker->crossed += count;
    }
}

static void worker_start_flows(struct sim_worker *worker)
{
    worker->event_ps = worker->sim->now - 1; /* flows wait on their host's list even when they start at once */
    for (uint32_t i = 0; i < worker->starts.count; i++)
        if (!sim_flow_start(worker, worker->starts.at[i].id, &worker->starts.at[i].request))
            return;
    worker->starts.count = 0;
}

/* Nodes. */

static weir_ps worker_run_node(struct sim *sim, uint32_t node, weir_ps end)
{
    uint32_t hosts = sim->config.topology->hosts;
    return node < hosts ? host_run(&sim->hosts[node], end) : switch_node_run(&sim->switches[node - hosts], end);
}

static void worker_run_group(const struct sim_worker *worker, uint32_t group, weir_ps end)
{
    struct sim *sim = worker->sim;
    uint32_t first = group * ENGINE_GROUP;
    uint32_t after = first + ENGINE_GROUP < worker->after_slot ? first + ENGINE_GROUP : worker->after_slot;
    for (uint32_t slot = first; slot < after; slot++)
        if (sim->wake[slot] < end)
            sim->wake[slot] = worker_run_node(sim, sim->node_at[slot], end);
    weir_ps earliest = WEIR_NEVER;
    for (uint32_t slot = first; slot < after; slot++)
        earliest = sim->wake[slot] < earliest ? sim->wake[slot] : earliest;
    sim->group_wake[group] = earliest;
}

weir_ps worker_next(const struct sim_worker *worker)
{
    weir_ps next = worker->sent_ps;
    for (uint32_t group = worker->first_group; group < worker->after_group; group++)
        next = worker->sim->group_wake[group] < next ? worker->sim->group_wake[group] : next;
    return next;
}

void worker_run(struct sim_worker *worker, weir_ps end)
{
    struct sim *sim = worker->sim;
    worker_take(worker);
    worker_start_flows(worker);
    sim_flows_release(worker, false);
    worker->sent_ps = WEIR_NEVER;
    for (uint32_t group = worker->first_group; group < worker->after_group; group++)
        if (sim->group_wake[group] < end)
            worker_run_group(worker, group, end);
    worker_send(worker);
    worker->next_ps = worker_next(worker);
}
