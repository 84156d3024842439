/*
 * worker.c - see worker.h.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/net/flows.h"
#include "sim/net/network.h"
#include "sim/net/nodes.h"

#define LIST_FIRST_ROOM 64u
#define OWES_MOST 256     /* spares that it keeps of another worker */
#define PARCELS_AHEAD 512 /* bytes of a box that are asked for before they are written */

void *worker_room(void *at, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return at;
    uint32_t more = *room ? 2 * *room : LIST_FIRST_ROOM;
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

void worker_wake(struct sim_worker *worker, uint32_t host, uint32_t traffic, weir_ps when)
{
    struct host *woken = nodes_host(worker->sim, host);
    if (woken)
        host_wake(woken, traffic, when);
    if (when < worker->next_ps)
        worker->next_ps = when;
}

void worker_note_loss(struct sim_worker *worker, struct flow *flow, uint32_t flow_id, weir_ps when)
{
    struct losses *losses = &worker->losses;
    struct loss *moved = worker_room(losses->at, losses->count, &losses->room, sizeof *moved);
    if (!moved) {
        worker->out_of_memory = true;
        return;
    }
    losses->at = moved;
    losses->at[losses->count++] = (struct loss){flow, flow_id, when};
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
    struct sim_worker *worker = lines_take(sizeof *worker);
    if (!worker)
        return NULL;
    *worker = (struct sim_worker){
        .sim = sim, .number = number, .taken = UINT64_MAX, .next_ps = WEIR_NEVER, .sent_ps = WEIR_NEVER};
    worker->packets.telemetry.table = &sim->telemetry;
    return worker;
}

void worker_free(struct sim_worker *worker)
{
    if (!worker)
        return;
    wheel_free(&worker->wheel);
    arrivals_free(&worker->arrivals);
    packet_pool_free(&worker->packets);
    flow_pool_free(&worker->flows);
    connections_free(&worker->connections);
    records_free(&worker->records);
    post_free(&worker->post);
    if (worker->measure != &worker->sim->measure)
        measure_part_free(worker->measure);
    free(worker->made.at);
    free(worker->crossing);
    free(worker->used);
    free(worker->owes);
    free(worker->losses.at);
    free(worker->sent);
    free(worker->starts.at);
    free(worker->ends.at);
    free(worker->rows.at);
    free(worker->followed.at);
    free(worker);
}

/* Memory of it, or of its rank, was enough so far: else nothing is right any more, routes neither. */
static bool worker_goes_on(const struct sim_worker *worker)
{
    return !worker->out_of_memory && !worker->sim->failed;
}

/* Between workers. */

/* Asks for a line that another processor has, to be written here. */
static void line_write(const void *at)
{
#if defined(__x86_64__)
    __asm__ volatile("prefetchw (%0)" : : "r"(at)); /* else the compiler asks for reading */
#else
    __builtin_prefetch(at, 1);
#endif
}

/* Packets that came over one link. The first is behind those that came before, and news if there are none. False: out
 * of memory. */
static bool worker_take_over(struct link *link, const union parcel *parcel, uint64_t count)
{
    uint64_t number = link->packets;
    while (!link->flying || number - link->arrived + count > link->mask + UINT64_C(1))
        if (!link_grow(link))
            return false;
    link_announce(link, parcel->packet.when);
    link->packets += count;
    for (uint64_t i = 0; i < count; i++) {
        *link_place(link, number + i) = parcel[i].packet;
        line_write(parcel[i].packet.packet);
    }
    return true;
}

/* Memory that comes back. */
static void worker_take_back(struct sim_worker *worker, const union parcel *parcel, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        line_write(parcel[i].packet.packet);
    for (uint64_t i = 0; i < count; i++)
        packet_pool_add(&worker->packets, parcel[i].packet.packet);
}

void worker_take(struct sim_worker *worker)
{
    const struct sim *sim = worker->sim;
    if (worker->taken == worker->window)
        return;
    worker->taken = worker->window;
    for (uint32_t from = 0; from < sim->workers && sim->workers > 1; from++) {
        const struct parcels *box = sim_box(sim, worker->window + 1, from, worker->number); /* of the window before */
        const union parcel *parcel = box->at, *end = parcel + box->count;
        while (parcel < end) {
            const union parcel *run = parcel;
            parcel += 1 + run->count;
            worker->owes[from] += (int64_t)run->count;
            if (!run->link)
                worker_take_back(worker, run + 1, run->count);
            else if (!worker_take_over(run->link, run + 1, run->count))
                worker->out_of_memory = true;
        }
    }
}

/* Room for so many more; false: out of memory. */
static bool parcels_reserve(struct parcels *box, uint64_t more)
{
    if (box->room - box->count >= more)
        return true;
    uint64_t room = 2 * (box->count + more);
    union parcel *at = room <= UINT32_MAX ? lines_take(room * sizeof *at) : NULL;
    if (!at)
        return false;
    if (box->count > 0)
        memcpy(at, box->at, box->count * sizeof *at);
    free(box->at);
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
        post_packet_send(worker, rank, number, flying->when, flying->packet);
    }
}

/* Puts what was sent over a link to a node of another worker into a box. False: out of memory. */
static bool worker_send_over(struct sim_worker *worker, struct link *link, struct link *far, uint32_t to)
{
    struct parcels *box = sim_box(worker->sim, worker->window, worker->number, to);
    uint64_t count = link->packets - link->arrived;
    if (!parcels_reserve(box, count + 1))
        return false;
    union parcel *parcel = &box->at[box->count];
    box->count += (uint32_t)count + 1;
    *parcel++ = (union parcel){.link = far, .count = count};
    for (; !link_is_empty(link); link->arrived++, parcel++) {
        line_write((const char *)parcel + PARCELS_AHEAD);
        parcel->packet = *link_place(link, link->arrived);
    }
    worker->crossed += count;
    worker->owes[to] -= (int64_t)count;
    return true;
}

/* Gives half of what it owes back, as far as it has spares. Out of memory: it keeps them. */
static void worker_give_back(struct sim_worker *worker, int64_t *owes, struct parcels *box)
{
    uint64_t most = (uint64_t)*owes / 2, count = 0;
    if (!parcels_reserve(box, most + 1))
        return;
    union parcel *run = &box->at[box->count];
    struct packet *packet;
    while (count < most && (packet = packet_pool_spare(&worker->packets)))
        run[++count].packet = (struct link_packet){0, packet};
    *run = (union parcel){.link = NULL, .count = count};
    box->count += (uint32_t)count + 1;
    *owes -= (int64_t)count;
}

/* What goes to others in this window has boxes that they have emptied. */
static void worker_open_boxes(struct sim_worker *worker)
{
    const struct sim *sim = worker->sim;
    for (uint32_t to = 0; to < sim->workers && sim->workers > 1; to++) {
        struct parcels *box = sim_box(sim, worker->window, worker->number, to);
        box->count = 0;
        for (uint32_t ahead = 0; ahead < PARCELS_AHEAD && box->room > 0; ahead += WEIR_CACHE_LINE)
            line_write((const char *)box->at + ahead);
        if (worker->owes[to] > OWES_MOST && worker_goes_on(worker))
            worker_give_back(worker, &worker->owes[to], box);
    }
}

/* Puts what was sent to nodes of other workers into their boxes. Which links have anything is hard to predict, so they
 * are picked without a branch first. */
static void worker_send(struct sim_worker *worker)
{
    const struct sim *sim = worker->sim;
    uint32_t count = 0;
    for (uint32_t i = 0; i < worker->crossings; i++) {
        worker->used[count] = i;
        count += worker->sent[i] != WEIR_NEVER;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct crossing *crossing = &worker->crossing[worker->used[i]];
        worker->sent[worker->used[i]] = WEIR_NEVER;
        if (crossing->to >= sim->workers)
            worker_send_away(worker, crossing->link, crossing->to - sim->workers);
        else if (!worker_send_over(worker, crossing->link, crossing->far, crossing->to))
            worker->out_of_memory = true;
    }
}

static void worker_start_flows(struct sim_worker *worker)
{
    worker->event_ps = worker->now_ps - 1; /* flows wait on their host's list even when they start at once */
    for (uint32_t i = 0; i < worker->starts.count; i++)
        if (!sim_flow_start(worker, worker->starts.at[i].id, &worker->starts.at[i].request))
            return;
    worker->starts.count = 0;
}

/* Nodes. */

/* Asks for what hosts will need. Host, link and packet are loads that wait for each other: begun for all hosts before
 * the first one runs, they overlap. */
static void worker_ask_hosts(const struct host *hosts, const uint32_t *due, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        __builtin_prefetch(hosts[due[i]].in);
        __builtin_prefetch(hosts[due[i]].out);
    }
    for (uint32_t i = 0; i < count; i++)
        if (!link_is_empty(hosts[due[i]].in))
            link_prefetch(hosts[due[i]].in);
}

/* Runs the nodes of a group, which are hosts or switches, up to the slot `after`. */
static void worker_run_group(const struct sim_worker *worker, uint32_t group, uint32_t after, weir_ps end)
{
    struct sim *sim = worker->sim;
    const uint32_t hosts = sim->config.topology->hosts;
    uint32_t first = group * ENGINE_GROUP, due[ENGINE_GROUP], count = 0;
    after = first + ENGINE_GROUP < after ? first + ENGINE_GROUP : after;
    for (uint32_t slot = first; slot < after; slot++) {
        due[count] = sim->node_at[slot];
        count += sim->wake[slot] < end;
    }
    if (group < worker->switch_group)
        worker_ask_hosts(sim->hosts, due, count);
    for (uint32_t i = 0; i < count; i++)
        sim->wake[sim->slot[due[i]]] =
            due[i] < hosts ? host_run(&sim->hosts[due[i]], end) : switch_node_run(&sim->switches[due[i] - hosts], end);
    weir_ps earliest = WEIR_NEVER;
    for (uint32_t slot = first; slot < after; slot++)
        earliest = sim->wake[slot] < earliest ? sim->wake[slot] : earliest;
    sim->group_wake[group] = earliest;
}

weir_ps worker_next(const struct sim_worker *worker)
{
    assert(worker->first_group <= worker->switch_group && worker->switch_group <= worker->after_group);
    weir_ps next = worker->sent_ps;
    for (uint32_t group = worker->first_group; group < worker->after_group; group++)
        next = worker->sim->group_wake[group] < next ? worker->sim->group_wake[group] : next;
    return next;
}

void worker_run_switches(struct sim_worker *worker, weir_ps end)
{
    assert(end > worker->now_ps);
    worker_open_boxes(worker);
    if (!worker_goes_on(worker))
        return;
    worker->sent_ps = WEIR_NEVER;
    worker->defers = worker->sim->workers > 1 || worker->sim->ranks;
    worker_take(worker);
    for (uint32_t group = worker->switch_group; group < worker->after_group; group++)
        if (worker->sim->group_wake[group] < end)
            worker_run_group(worker, group, worker->after_slot, end);
    worker_send(worker);
    worker->defers = false;
}

/* Flows of packets that switches lost. */
static void worker_judge_losses(struct sim_worker *worker)
{
    for (uint32_t i = 0; i < worker->losses.count; i++) {
        const struct loss *loss = &worker->losses.at[i];
        if (flow_id(loss->flow) == loss->flow_id)
            sim_flow_lost(worker, loss->flow, loss->when);
        else if (worker->sim->ranks)
            post_flow_lost(worker, loss->flow, loss->flow_id, loss->when);
    }
    worker->losses.count = 0;
}

void worker_run_hosts(struct sim_worker *worker, weir_ps end)
{
    if (worker_goes_on(worker)) {
        worker_judge_losses(worker);
        worker_start_flows(worker);
        sim_flows_release(worker, false);
        for (uint32_t group = worker->first_group; group < worker->switch_group; group++)
            if (worker->sim->group_wake[group] < end)
                worker_run_group(worker, group, worker->after_host, end);
        if (worker->hosts_cross)
            worker_send(worker);
        worker->next_ps = worker_next(worker);
    }
    worker->window++;
}
