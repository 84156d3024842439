/*
 * ranks.c - see ranks.h. Workers fill bags while they run; between windows one thread puts them into letters,
 * exchanges these, and gives what has come to the workers: copies of flows, what notes say, and packets, which go to
 * the far parts of their links.
 *
 * Flows are found by their numbers. Workers tell which they have made and given up, and the table follows between
 * windows, so that nobody writes it while others read.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/net/flows.h"
#include "sim/net/nodes.h"
#include "sim/parallel/ranks.h"

#define TABLE_FIRST_ROOM 1024u

struct end_item {
    struct note_item note;
    struct flow_end end;
};
/* The table of flows: open addressing, at most half full. */

static uint32_t table_place(const struct ranks *ranks, uint32_t id)
{
    assert(ranks->table_room > 0 && id != 0);
    uint32_t mask = ranks->table_room - 1, at = (uint32_t)(id * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
    while (ranks->table[at].id && ranks->table[at].id != id)
        at = (at + 1) & mask;
    return at;
}

static struct flow *table_find(const struct ranks *ranks, uint32_t id)
{
    struct flow *flow = ranks->table_room ? ranks->table[table_place(ranks, id)].flow : NULL;
    return flow && flow_id(flow) == id ? flow : NULL;
}

static bool table_add(struct ranks *ranks, struct flow *flow)
{
    if (2 * (ranks->table_count + 1) > ranks->table_room) {
        struct rank_entry *before = ranks->table;
        uint32_t room = ranks->table_room;
        struct rank_entry *table = calloc(room ? 2 * room : TABLE_FIRST_ROOM, sizeof *table);
        if (!table)
            return false;
        ranks->table = table;
        ranks->table_room = room ? 2 * room : TABLE_FIRST_ROOM;
        for (uint32_t i = 0; i < room; i++)
            if (before[i].id)
                table[table_place(ranks, before[i].id)] = before[i];
        free(before);
    }
    struct rank_entry *entry = &ranks->table[table_place(ranks, flow->id)];
    ranks->table_count += !entry->id;
    *entry = (struct rank_entry){flow->id, flow};
    return true;
}

/* What follows without a gap moves up, where its place allows that. */
static void table_remove(struct ranks *ranks, uint32_t id)
{
    uint32_t mask = ranks->table_room - 1, hole = ranks->table_room ? table_place(ranks, id) : 0;
    if (!ranks->table_room || !ranks->table[hole].id)
        return;
    ranks->table[hole] = (struct rank_entry){0, NULL};
    ranks->table_count--;
    for (uint32_t at = (hole + 1) & mask; ranks->table[at].id; at = (at + 1) & mask) {
        struct rank_entry moving = ranks->table[at];
        ranks->table[at] = (struct rank_entry){0, NULL};
        ranks->table[table_place(ranks, moving.id)] = moving;
    }
}

/* Making. */

struct ranks *ranks_new(struct sim *sim)
{
    const struct sim_ranks *given = sim->config.ranks;
    struct ranks *ranks = calloc(1, sizeof *ranks);
    if (!ranks)
        return NULL;
    *ranks = (struct ranks){.given = given, .count = given->count, .own = given->own};
    ranks->letter = calloc(given->count, sizeof *ranks->letter);
    ranks->out = calloc(given->count, sizeof *ranks->out);
    ranks->in = calloc(given->count, sizeof *ranks->in);
    ranks->profile = calloc(given->count, sizeof *ranks->profile);
    if (!ranks->letter || !ranks->out || !ranks->in || !ranks->profile) {
        ranks_free(ranks);
        return NULL;
    }
    return ranks;
}

void ranks_free(struct ranks *ranks)
{
    if (!ranks)
        return;
    for (uint32_t i = 0; ranks->letter && i < ranks->count; i++)
        free(ranks->letter[i].at);
    free(ranks->letter);
    free(ranks->out);
    free(ranks->in);
    free(ranks->profile);
    free(ranks->table);
    free(ranks);
}

/* What has come. */

static void take_flow(struct sim *sim, const struct begins_item *item)
{
    uint32_t end = sim_has(sim, item->request.source) ? item->request.source : item->request.destination;
    struct flow *flow = sim_flow_make(sim_worker_of(sim, end), item->note.id, &item->request);
    if (!flow || !nodes_host(sim, end)) {
        sim->failed = true;
        return;
    }
    flow->is_copy = true;
    flow->ideal_ps = item->ideal_ps;
    flow->first_ps = item->first_ps;
    flow->base_rtt_ps = item->base_rtt_ps;
    sim->failed = !table_add(sim->ranks, flow) || sim->failed;
}

static void take_note(struct sim *sim, const struct note_item *note)
{
    struct flow *flow = table_find(sim->ranks, note->id);
    if (!flow)
        return;
    struct sim_worker *worker = sim_worker_of(sim, sim_flow_node(sim, flow));
    switch (note->kind) {
    case POST_SENDER_DONE:
        flow->sender_done = true;
        break;
    case POST_RECEIVER_DONE:
        flow->receiver_done = true;
        break;
    case POST_CLOSED:
        if (!flow->closed)
            sim_flow_close_here(worker, flow, note->when);
        break;
    case POST_LOST:
        sim_flow_lost(worker, flow, note->when);
        break;
    case POST_CONNECTION:
        flow->connection = connections_copy(&worker->connections, flow, note->number);
        if (flow->connection)
            flow->connection->used = note->used;
        sim->failed = !flow->connection || sim->failed;
        break;
    }
}

static void take_end(struct sim *sim, const struct flow_end *end)
{
    const struct traffic_sink nothing = {.context = NULL};
    traffic_ended(sim->traffic, &end->flow, end->receiver, end->when, &nothing);
}

static void take_notes(struct sim *sim, const unsigned char *at, const unsigned char *end)
{
    while (at < end) {
        struct note_item note;
        memcpy(&note, at, sizeof note);
        if (note.kind == POST_BEGINS) {
            struct begins_item item;
            memcpy(&item, at, sizeof item);
            take_flow(sim, &item);
            at += sizeof item;
        } else if (note.kind == POST_END) {
            struct end_item item;
            memcpy(&item, at, sizeof item);
            take_end(sim, &item.end);
            at += sizeof item;
        } else {
            take_note(sim, &note);
            at += sizeof note;
        }
    }
}

/* Its flow here, or who knows it. */
static struct flow *packet_flow(const struct sim *sim, const struct packet *packet, uint32_t home)
{
    struct ranks *ranks = sim->ranks;
    if (packet->flags & PACKET_PFC)
        return NULL;
    struct flow *flow = table_find(ranks, packet->flow_id);
    if (flow)
        return flow;
    return &sim->unknown[home == ranks->own || sim_has(sim, packet->destination) ? ranks->count : home];
}

/* Returns where the next one is. */
static const unsigned char *take_packet(struct sim *sim, const unsigned char *at)
{
    struct packet_item item;
    memcpy(&item, at, sizeof item);
    const unsigned char *stamps = at + sizeof item, *next = stamps + item.hops * sizeof(struct telemetry_hop);
    struct link *far = sim->links[item.link].far;
    struct sim_worker *worker = sim_worker_of(sim, far->to);
    struct packet *packet = packet_new(&worker->packets);
    if (!packet) {
        sim->failed = true;
        return next;
    }
    memcpy((unsigned char *)packet + PACKET_SKIPS, item.packet, sizeof item.packet);
    packet->flow = packet_flow(sim, packet, item.home);
    if (packet->flags & PACKET_TELEMETRY) {
        packet->telemetry = telemetry_new(&worker->packets.telemetry);
        if (packet->telemetry == TELEMETRY_NONE) {
            packet->flags &= (uint16_t)~PACKET_TELEMETRY;
            sim->failed = true;
        } else {
            struct telemetry *record = telemetry_at(&worker->packets.telemetry, packet->telemetry);
            record->hops = item.hops;
            memcpy(record->hop, stamps, item.hops * sizeof record->hop[0]);
        }
    }
    if (!link_take_over(far, &(struct link_packet){item.when, packet})) {
        packet_delete(&worker->packets, packet);
        sim->failed = true;
    }
    return next;
}

static void take_letters(struct sim *sim)
{
    const struct ranks *ranks = sim->ranks;
    struct letter_head head;
    for (uint32_t packets = 0; packets < 2; packets++)
        for (uint32_t r = 0; r < ranks->count; r++) {
            if (r == ranks->own)
                continue;
            const unsigned char *at = ranks->in[r].bytes, *end = at + ranks->in[r].size;
            memcpy(&head, at, sizeof head);
            const unsigned char *notes = at + sizeof head, *after = notes + head.notes_bytes;
            if (!packets)
                take_notes(sim, notes, after);
            else
                while (after < end)
                    after = take_packet(sim, after);
        }
}

/* What goes. */

/* The table follows what workers did; ends that all wait for are told to all. */
static void letters_collect(struct sim *sim)
{
    struct ranks *ranks = sim->ranks;
    for (uint32_t w = 0; w < sim->workers; w++) {
        struct sim_worker *worker = sim->worker[w];
        struct post *post = &worker->post;
        for (uint32_t i = 0; i < post->gone.count; i++)
            table_remove(ranks, post->gone.at[i]);
        for (uint32_t i = 0; i < post->born.count; i++)
            sim->failed = !table_add(ranks, post->born.at[i]) || sim->failed;
        for (uint32_t i = 0; i < worker->ends.count; i++) {
            struct end_item item;
            memset(&item, 0, sizeof item);
            item.note.kind = POST_END;
            item.end = worker->ends.at[i];
            for (uint32_t r = 0; r < ranks->count; r++)
                if (r != ranks->own)
                    post_note(worker, r, &item, sizeof item);
            take_end(sim, &item.end);
        }
        post->gone.count = post->born.count = worker->ends.count = 0;
        sim->failed = sim->failed || worker->out_of_memory;
    }
}

/* The head is written last: it tells whether there was memory for the rest. */
static bool letter_fill(struct sim *sim, uint32_t to)
{
    struct post_bytes *letter = &sim->ranks->letter[to];
    struct letter_head head = {.notes_bytes = 0};
    letter->size = 0;
    bool good = post_bytes_add(letter, &head, sizeof head);
    for (uint32_t w = 0; good && w < sim->workers; w++)
        good = post_bytes_add(letter, sim->worker[w]->post.bag[to].notes.at, sim->worker[w]->post.bag[to].notes.size);
    head.notes_bytes = letter->size - sizeof head;
    for (uint32_t w = 0; good && w < sim->workers; w++)
        good =
            post_bytes_add(letter, sim->worker[w]->post.bag[to].packets.at, sim->worker[w]->post.bag[to].packets.size);
    if (good)
        memcpy(letter->at, &head, sizeof head);
    return good;
}

static void letters_write(struct sim *sim, struct rank_view *view)
{
    struct ranks *ranks = sim->ranks;
    bool good = true;
    letters_collect(sim);
    for (uint32_t r = 0; r < ranks->count; r++)
        good = (r == ranks->own || letter_fill(sim, r)) && good;
    for (uint32_t w = 0; w < sim->workers; w++)
        for (uint32_t r = 0; r < sim->ranks->count; r++) {
            struct post_bag *bag = &sim->worker[w]->post.bag[r];
            view->alive += (int64_t)bag->packet_count;
            sim->ranks->crossed += bag->packet_count;
            bag->packet_count = 0;
            bag->notes.size = bag->packets.size = 0;
        }
    sim->failed = sim->failed || !good;
    view->failed = sim->failed;
    ranks->lone = (struct letter_head){.view = *view};
    for (uint32_t r = 0; r < ranks->count; r++) {
        if (good && r != ranks->own)
            memcpy(ranks->letter[r].at, view, sizeof *view);
        ranks->out[r] = good ? (struct sim_letter){ranks->letter[r].at, ranks->letter[r].size}
                             : (struct sim_letter){&ranks->lone, sizeof ranks->lone};
        ranks->sent_bytes += r == ranks->own ? 0 : ranks->out[r].size;
    }
}

static uint64_t ranks_clock(const struct sim *sim)
{
    return sim->config.clock_ns ? sim->config.clock_ns() : 0;
}

static bool ranks_exchange(struct sim *sim)
{
    struct ranks *ranks = sim->ranks;
    bool good = ranks->given->exchange(ranks->given->context, ranks->out, ranks->in, &sim->error);
    sim->status = good ? sim->status : SIM_APART;
    return good;
}

bool ranks_meet(struct sim *sim, struct rank_view *view)
{
    struct ranks *ranks = sim->ranks;
    uint64_t start = ranks_clock(sim);
    letters_write(sim, view);
    uint64_t written = ranks_clock(sim);
    bool good = ranks_exchange(sim);
    ranks->waited_ns += ranks_clock(sim) - written;
    for (uint32_t r = 0; good && r < ranks->count; r++) {
        struct letter_head head;
        if (r == ranks->own)
            continue;
        memcpy(&head, ranks->in[r].bytes, sizeof head);
        const struct rank_view *other = &head.view;
        view->next_ps = other->next_ps < view->next_ps ? other->next_ps : view->next_ps;
        view->last_ps = other->last_ps > view->last_ps ? other->last_ps : view->last_ps;
        view->open += other->open;
        view->alive += other->alive;
        view->probing = view->probing || other->probing;
        view->near = view->near && other->near;
        view->stop = view->stop || other->stop;
        view->failed = view->failed || other->failed;
        view->totals.packet_hops += other->totals.packet_hops;
        view->totals.flows_started += other->totals.flows_started;
        view->totals.flows_ended += other->totals.flows_ended;
        if (head.view.failed && sim->error.code == WEIR_ERROR_NONE)
            weir_fail(&sim->error, WEIR_ERROR_SYSTEM, "rank %u is out of memory", r);
    }
    if (good && !view->failed)
        take_letters(sim);
    ranks->letters_ns += ranks_clock(sim) - start;
    return good;
}

/* In a stretch. A rank has one worker then. */

uint64_t ranks_letters_ns(const struct sim *sim)
{
    return sim->ranks->letters_ns;
}

bool ranks_may_stretch(const struct sim *sim)
{
    const struct sim_ranks *given = sim->ranks->given;
    return sim->workers == 1 && given->is_near && given->is_near(given->context);
}

/* Letters of a round go. */
static bool ranks_post(struct sim *sim, uint64_t start_ns)
{
    struct ranks *ranks = sim->ranks;
    bool good = ranks->given->post(ranks->given->context, ranks->out, &sim->error);
    sim->status = good ? sim->status : SIM_APART;
    for (uint32_t r = 0; r < ranks->count; r++)
        ranks->sent_bytes += r == ranks->own ? 0 : ranks->out[r].size;
    ranks->letters_ns += ranks_clock(sim) - start_ns;
    return good;
}

/* Letters of a round have come. */
static bool ranks_fetch(struct sim *sim)
{
    struct ranks *ranks = sim->ranks;
    uint64_t start = ranks_clock(sim);
    bool good = ranks->given->fetch(ranks->given->context, ranks->in, &sim->error);
    sim->status = good ? sim->status : SIM_APART;
    uint64_t took = ranks_clock(sim) - start;
    ranks->waited_ns += took;
    ranks->letters_ns += took;
    return good;
}

bool ranks_post_packets(struct sim *sim)
{
    struct ranks *ranks = sim->ranks;
    uint64_t start = ranks_clock(sim);
    for (uint32_t r = 0; r < ranks->count; r++) {
        struct post_bag *bag = &sim->worker[0]->post.bag[r];
        ranks->out[r] = (struct sim_letter){bag->packets.at, bag->packets.size};
        ranks->crossed += bag->packet_count;
        bag->packet_count = bag->packets.size = 0;
    }
    return ranks_post(sim, start);
}

bool ranks_take_packets(struct sim *sim)
{
    const struct ranks *ranks = sim->ranks;
    bool good = ranks_fetch(sim);
    uint64_t start = ranks_clock(sim);
    for (uint32_t r = 0; good && r < ranks->count; r++) {
        const unsigned char *at = ranks->in[r].bytes;
        const unsigned char *end = r == ranks->own ? at : at + ranks->in[r].size;
        while (at < end)
            at = take_packet(sim, at);
    }
    sim->ranks->letters_ns += ranks_clock(sim) - start;
    return good;
}

/* Without memory for them, ranks are told so instead of notes. */
bool ranks_post_notes(struct sim *sim, weir_ps next_ps)
{
    struct ranks *ranks = sim->ranks;
    uint64_t start = ranks_clock(sim);
    bool good = true;
    letters_collect(sim);
    for (uint32_t r = 0; r < ranks->count; r++) {
        struct post_bytes *notes = &sim->worker[0]->post.bag[r].notes, *letter = &ranks->letter[r];
        struct notes_head head = {.next_ps = next_ps, .stop = sim->failed};
        letter->size = 0;
        good = post_bytes_add(letter, &head, sizeof head) && post_bytes_add(letter, notes->at, notes->size) && good;
        notes->size = 0;
    }
    ranks->told_stop = sim->failed || !good;
    sim->failed = ranks->told_stop;
    ranks->lone_notes = (struct notes_head){.next_ps = next_ps, .stop = true};
    for (uint32_t r = 0; r < ranks->count; r++)
        ranks->out[r] = good ? (struct sim_letter){ranks->letter[r].at, ranks->letter[r].size}
                             : (struct sim_letter){&ranks->lone_notes, sizeof ranks->lone_notes};
    return ranks_post(sim, start);
}

bool ranks_take_notes(struct sim *sim, weir_ps end, bool *stops)
{
    const struct ranks *ranks = sim->ranks;
    bool good = ranks_fetch(sim), idle = sim->worker[0]->next_ps >= end;
    uint64_t start = ranks_clock(sim);
    *stops = ranks->told_stop; /* and not what happened since: all stop with the same window */
    for (uint32_t r = 0; good && r < ranks->count; r++) {
        struct notes_head head;
        const unsigned char *at = ranks->in[r].bytes;
        if (r == ranks->own)
            continue;
        memcpy(&head, at, sizeof head);
        idle = idle && head.next_ps >= end;
        *stops = *stops || head.stop;
        take_notes(sim, at + sizeof head, at + ranks->in[r].size);
    }
    *stops = *stops || idle;
    sim->ranks->letters_ns += ranks_clock(sim) - start;
    return good;
}

bool ranks_share(struct sim *sim, const struct post_bytes *bytes,
                 void (*take)(void *context, const unsigned char *bytes, size_t size), void *context)
{
    struct ranks *ranks = sim->ranks;
    for (uint32_t r = 0; r < ranks->count; r++)
        ranks->out[r] = (struct sim_letter){bytes->at, bytes->size};
    if (!ranks_exchange(sim))
        return false;
    for (uint32_t r = 0; r < ranks->count; r++)
        if (r != ranks->own)
            take(context, ranks->in[r].bytes, ranks->in[r].size);
    return true;
}

bool ranks_send_to_first(struct sim *sim, const struct post_bytes *bytes)
{
    struct ranks *ranks = sim->ranks;
    for (uint32_t r = 0; r < ranks->count; r++)
        ranks->out[r] = r == 0 && ranks->own > 0 ? (struct sim_letter){bytes->at, bytes->size}
                                                 : (struct sim_letter){&ranks->own, 0};
    return ranks_exchange(sim);
}

/* What ranks have to say while a simulation is made. */
struct agreement {
    bool good;
    enum weir_error_code code;
    char text[WEIR_MESSAGE_MAX];
    weir_ps window_ps, settled_ps;
};

bool ranks_agree(struct sim *sim, bool good, struct weir_error *error)
{
    struct agreement own, all = {.good = true, .window_ps = WEIR_NEVER};
    if (!sim->ranks)
        return good;
    memset(&own, 0, sizeof own);
    own.good = good;
    own.window_ps = sim->window_ps ? sim->window_ps : WEIR_NEVER;
    own.settled_ps = sim->settled_ps;
    if (!good) {
        own.code = error->code;
        snprintf(own.text, sizeof own.text, "%s", error->text);
    }
    for (uint32_t r = 0; r < sim->ranks->count; r++)
        sim->ranks->out[r] = (struct sim_letter){&own, sizeof own};
    if (!ranks_exchange(sim)) {
        *error = sim->error;
        return false;
    }
    for (uint32_t r = 0; r < sim->ranks->count; r++) {
        struct agreement one = own;
        if (r != sim->own)
            memcpy(&one, sim->ranks->in[r].bytes, sizeof one);
        if (all.good && !one.good) {
            all.code = one.code;
            memcpy(all.text, one.text, sizeof all.text);
        }
        all.good = all.good && one.good;
        all.window_ps = one.window_ps < all.window_ps ? one.window_ps : all.window_ps;
        all.settled_ps = one.settled_ps > all.settled_ps ? one.settled_ps : all.settled_ps;
    }
    sim->window_ps = sim->linger_ps = all.window_ps;
    sim->settled_ps = all.settled_ps;
    return all.good || (good ? weir_fail(error, all.code, "%s", all.text) : false);
}
