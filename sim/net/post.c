/*
 * post.c - see post.h.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/net/flows.h"
#include "sim/net/network.h"

#define BYTES_FIRST_ROOM 4096u

bool post_bytes_add(struct post_bytes *bytes, const void *at, size_t size)
{
    if (size == 0)
        return true;
    if (bytes->room - bytes->size < size) {
        size_t room = 2 * bytes->room + size + BYTES_FIRST_ROOM;
        unsigned char *moved = realloc(bytes->at, room);
        if (!moved)
            return false;
        bytes->at = moved;
        bytes->room = room;
    }
    memcpy(bytes->at + bytes->size, at, size);
    bytes->size += size;
    return true;
}

bool post_init(struct post *post, const struct sim *sim)
{
    post->ranks = sim->ranks ? sim->config.ranks->count : 0;
    if (sim->ranks)
        post->bag = calloc(post->ranks, sizeof *post->bag);
    return !sim->ranks || post->bag;
}

void post_free(struct post *post)
{
    for (uint32_t i = 0; post->bag && i < post->ranks; i++) {
        free(post->bag[i].notes.at);
        free(post->bag[i].packets.at);
    }
    free(post->bag);
    free(post->born.at);
    free(post->gone.at);
    records_free(&post->halves);
}

/* The rank of the other end; this one's own: it is here too. */
static uint32_t flow_peer(const struct sim *sim, const struct flow *flow)
{
    return sim->rank_of[sim_has(sim, flow->source) ? flow->destination : flow->source];
}

void post_note(struct sim_worker *worker, uint32_t to, const void *note, size_t size)
{
    if (!post_bytes_add(&worker->post.bag[to].notes, note, size))
        worker->out_of_memory = true;
}

void post_flow_begins(struct sim_worker *worker, struct flow *flow)
{
    const struct sim *sim = worker->sim;
    struct post_flows *born = &worker->post.born;
    struct flow **at = worker_room(born->at, born->count, &born->room, sizeof(*at));
    if (!at) {
        worker->out_of_memory = true;
        return;
    }
    born->at = at;
    born->at[born->count++] = flow;
    uint32_t peer = flow_peer(sim, flow);
    if (peer == sim->own)
        return;
    struct begins_item item;
    memset(&item, 0, sizeof item);
    item.note = (struct note_item){.kind = POST_BEGINS, .id = flow->id};
    item.request = (struct flow_request){.source = flow->source,
                                         .destination = flow->destination,
                                         .bytes = flow->bytes,
                                         .start_ps = flow->start_ps,
                                         .wait_ps = flow->wait_ps,
                                         .traffic = flow->traffic,
                                         .transport = (uint32_t)(flow->transport - sim->config.transports),
                                         .tag = flow->tag,
                                         .group = flow->group,
                                         .group_flows = flow->group_flows,
                                         .cookie = flow->cookie,
                                         .packet_bytes = flow->packet_bytes,
                                         .packet_tc = flow->tc,
                                         .is_request = flow->is_request};
    item.ideal_ps = flow->ideal_ps;
    item.first_ps = flow->first_ps;
    item.base_rtt_ps = flow->base_rtt_ps;
    post_note(worker, peer, &item, sizeof item);
}

void post_flow_releases(struct sim_worker *worker, uint32_t id)
{
    struct post_ids *gone = &worker->post.gone;
    uint32_t *at = worker_room(gone->at, gone->count, &gone->room, sizeof(*at));
    if (!at) {
        worker->out_of_memory = true;
        return;
    }
    gone->at = at;
    gone->at[gone->count++] = id;
}

void post_flow_note(struct sim_worker *worker, const struct flow *flow, enum post_kind kind, weir_ps now)
{
    uint32_t peer = flow_peer(worker->sim, flow);
    if (peer == worker->sim->own)
        return;
    struct note_item note = {.kind = kind, .id = flow->id, .when = now};
    if (kind == POST_CONNECTION) {
        note.number = flow->connection->number;
        note.used = flow->connection->used;
    }
    post_note(worker, peer, &note, sizeof note);
}

/* The rank at which a flow of this number began; the number of ranks: it is gone. */
static uint32_t flow_home(const struct sim_worker *worker, const struct flow *flow, uint32_t id)
{
    const struct sim *sim = worker->sim;
    const uint32_t gone = worker->post.ranks;
    if (flow >= sim->unknown && flow <= sim->unknown + gone)
        return (uint32_t)(flow - sim->unknown);
    if (flow_id(flow) != id)
        return gone;
    return flow->is_copy ? flow_peer(sim, flow) : sim->own;
}

void post_flow_lost(struct sim_worker *worker, const struct flow *flow, uint32_t id, weir_ps now)
{
    uint32_t home = flow_home(worker, flow, id);
    if (home == worker->post.ranks)
        return;
    post_note(worker, home, &(struct note_item){.kind = POST_LOST, .id = id, .when = now}, sizeof(struct note_item));
}

void post_packet_send(struct sim_worker *worker, uint32_t to, uint32_t link, weir_ps when, struct packet *packet)
{
    struct post_bag *bag = &worker->post.bag[to];
    bool frame = packet->flags & PACKET_PFC; /* has no flow */
    uint32_t home = frame ? worker->post.ranks : flow_home(worker, packet->flow, packet->flow_id);
    struct packet_item item = {.link = link, .home = home, .when = when};
    const struct telemetry *stamps = NULL;
    if (packet->flags & PACKET_TELEMETRY) {
        stamps = telemetry_at(&worker->packets.telemetry, packet->telemetry);
        item.hops = stamps->hops;
    }
    memcpy(item.packet, (const unsigned char *)packet + PACKET_SKIPS, sizeof item.packet);
    size_t before = bag->packets.size;
    bool good = post_bytes_add(&bag->packets, &item, sizeof item) &&
                (!stamps || post_bytes_add(&bag->packets, stamps->hop, stamps->hops * sizeof stamps->hop[0]));
    if (!good) {
        bag->packets.size = before; /* of no packet a part */
        worker->out_of_memory = true;
    }
    bag->packet_count += good;
    packet_delete(&worker->packets, packet);
}
