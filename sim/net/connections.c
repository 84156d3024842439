/*
 * connections.c - see connections.h.
 */
#include "sim/net/connections.h"

#include <stdlib.h>

#define FIRST_ROOM 64u

static uint32_t hash_of(uint32_t source, uint32_t destination, const struct sim_transport *transport)
{
    uint64_t x = ((uint64_t)source << 32 | destination) ^ (uint64_t)(uintptr_t)transport * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(x >> 32);
}

/* The pair's place, or a free one where it belongs. */
static struct connection_pair *find(struct connection_pair *pairs, uint32_t room, const struct connection_pair *pair)
{
    uint32_t at = hash_of(pair->source, pair->destination, pair->transport) & (room - 1);
    while (pairs[at].transport && (pairs[at].source != pair->source || pairs[at].destination != pair->destination ||
                                   pairs[at].transport != pair->transport))
        at = (at + 1) & (room - 1);
    return &pairs[at];
}

static bool pairs_grow(struct connections *c)
{
    uint32_t room = c->room ? 2 * c->room : FIRST_ROOM;
    struct connection_pair *pairs = calloc(room, sizeof *pairs);
    if (!pairs)
        return false;
    for (uint32_t i = 0; i < c->room; i++)
        if (c->pairs[i].transport)
            *find(pairs, room, &c->pairs[i]) = c->pairs[i];
    free(c->pairs);
    c->pairs = pairs;
    c->room = room;
    return true;
}

/* Null: out of memory. */
static struct connection_pair *pair_of(struct connections *c, const struct flow *flow)
{
    const struct connection_pair wanted = {
        .source = flow->source, .destination = flow->destination, .transport = flow->transport};
    if (2 * c->count >= c->room && !pairs_grow(c))
        return NULL;
    struct connection_pair *pair = find(c->pairs, c->room, &wanted);
    if (!pair->transport) {
        *pair = wanted;
        c->count++;
    }
    return pair;
}

static struct connection *make(struct connections *c)
{
    if (c->all_count == c->all_room) {
        uint32_t room = c->all_room ? 2 * c->all_room : FIRST_ROOM;
        struct connection **all = realloc(c->all, room * sizeof *all);
        if (!all)
            return NULL;
        c->all = all;
        c->all_room = room;
    }
    struct connection *made = calloc(1, sizeof *made);
    if (made)
        c->all[c->all_count++] = made;
    return made;
}

struct connection *connections_take(struct connections *c, const struct flow *flow)
{
    struct connection_pair *pair = pair_of(c, flow);
    if (!pair)
        return NULL;
    struct connection *taken = pair->resting;
    if (taken) {
        pair->resting = taken->next;
        taken->used = true;
        return taken;
    }
    taken = make(c);
    if (taken)
        taken->number = pair->made++;
    return taken;
}

/* A pair's flows begin at one of its ends: where copies are, nothing rests. */
struct connection *connections_copy(struct connections *c, const struct flow *flow, uint32_t number)
{
    struct connection_pair *pair = pair_of(c, flow);
    struct connection *copy = pair ? pair->resting : NULL;
    while (copy && copy->number != number)
        copy = copy->next;
    if (copy || !pair || !(copy = make(c)))
        return copy;
    copy->number = number;
    copy->next = pair->resting;
    return pair->resting = copy;
}

bool connections_rest(struct connections *c, const struct flow *flow, struct connection *connection)
{
    struct connection_pair *pair = pair_of(c, flow);
    if (!pair)
        return false;
    connection->next = pair->resting;
    pair->resting = connection;
    return true;
}

void connections_free(struct connections *c)
{
    for (uint32_t i = 0; i < c->all_count; i++)
        free(c->all[i]);
    free(c->all);
    free(c->pairs);
    *c = (struct connections){.pairs = NULL};
}
