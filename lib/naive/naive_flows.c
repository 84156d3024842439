/*
 * naive_flows.c - the table of flows for the naive model: a list of what it holds, in which everything is looked for.
 */
#include <string.h>

#include "naive_internal.h"

/* Place in the list of the entry of a set that satisfies what is asked; flow_count: none does. */
static uint32_t flow_tagged(const struct weir_naive *n, uint64_t set, uint64_t tag)
{
    uint32_t at = 0;
    while (at < n->flow_count && (n->flow[at].set != set || n->flow[at].tag != tag))
        at++;
    return at;
}

static uint32_t flow_at_way(const struct weir_naive *n, uint64_t set, uint32_t way)
{
    uint32_t at = 0;
    while (at < n->flow_count && (n->flow[at].set != set || n->flow[at].way != way))
        at++;
    return at;
}

static bool flow_gives_way(const struct weir_naive *n, const struct weir_flow_entry *one,
                           const struct weir_flow_entry *other)
{
    if (n->flow_shape.eviction == WEIR_FLOW_EVICT_SMALLEST && one->bytes != other->bytes)
        return one->bytes < other->bytes;
    return one->last_ps < other->last_ps;
}

/* The way that a flow without an entry takes: empty or quiet, the first of these; else of the flow that gives way. */
static uint32_t flow_free_way(const struct weir_naive *n, uint64_t set, weir_ps now)
{
    uint32_t chosen = n->flow_shape.ways;
    for (uint32_t way = 0; way < n->flow_shape.ways; way++) {
        uint32_t at = flow_at_way(n, set, way);
        if (at == n->flow_count || now - n->flow[at].counted.last_ps > n->flow_shape.window_ps)
            return way;
    }
    for (uint32_t way = 0; n->flow_shape.eviction != WEIR_FLOW_EVICT_NONE && way < n->flow_shape.ways; way++) {
        const struct weir_flow_entry *one = &n->flow[flow_at_way(n, set, way)].counted;
        if (chosen == n->flow_shape.ways || flow_gives_way(n, one, &n->flow[flow_at_way(n, set, chosen)].counted))
            chosen = way;
    }
    return chosen;
}

static const struct weir_flow_entry *flow_count(struct weir_naive *n, uint64_t hash, uint32_t bytes, weir_ps now)
{
    const struct weir_flow_shape *shape = &n->flow_shape;
    if (shape->entries == 0)
        return NULL;
    uint64_t set = hash % (shape->entries / shape->ways);
    uint64_t tag = shape->tag_bits == 0 ? 0 : hash >> (64 - shape->tag_bits);
    uint32_t at = flow_tagged(n, set, tag);
    if (at == n->flow_count) {
        uint32_t way = flow_free_way(n, set, now);
        if (way == shape->ways)
            return NULL;
        at = flow_at_way(n, set, way);
        n->flow_count += at == n->flow_count;
        n->flow[at] = (struct naive_flow){set, tag, way, {.first_ps = now}};
    } else if (now - n->flow[at].counted.last_ps > shape->window_ps) {
        n->flow[at].counted = (struct weir_flow_entry){.first_ps = now};
    }
    struct weir_flow_entry *e = &n->flow[at].counted;
    int64_t period = shape->period_ps > 0 ? now / shape->period_ps : 0;
    if (period > e->period + 1)
        e->past_bytes = e->recent_bytes = 0;
    else if (period == e->period + 1) {
        e->past_bytes = e->recent_bytes;
        e->recent_bytes = 0;
    }
    e->period = period;
    e->last_ps = now;
    e->bytes += bytes;
    e->recent_bytes += bytes;
    return e;
}

const struct weir_flow_view *naive_see_flow(struct weir_naive *n, const struct weir_packet *packet, weir_ps now)
{
    n->flow_view = (struct weir_flow_view){.hash = packet->flow->hash,
                                           .bytes = packet->flow->bytes,
                                           .packet_bytes = packet->bytes,
                                           .dscp = packet->flow->dscp,
                                           .ecn = (packet->flags & WEIR_FLAG_ECN) != 0,
                                           .input = packet->input,
                                           .entry = flow_count(n, packet->flow->hash, packet->bytes, now)};
    return &n->flow_view;
}
