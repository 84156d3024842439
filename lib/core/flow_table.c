/*
 * flow_table.c - see flow_table.h. The set of a flow is the low bits of its hash, what an entry keeps the high ones.
 */
#include "flow_table.h"

#include <assert.h>

static bool flow_is_quiet(const struct weir_flow_table *t, const struct weir_flow_entry *e, weir_ps now)
{
    return !e->used || now - e->last_ps > t->shape.window_ps;
}

/* Equal where the kept bits are. */
static bool flow_is_alike(const struct weir_flow_table *t, uint64_t one, uint64_t two)
{
    return t->shape.tag_bits == 0 || (one ^ two) >> (64 - t->shape.tag_bits) == 0;
}

static uint32_t flow_set_of(const struct weir_flow_table *t, uint64_t hash)
{
    return (uint32_t)(hash & (t->shape.entries / t->shape.ways - 1)) * t->shape.ways;
}

/* Whether `one` gives way before `other`. */
static bool flow_yields(const struct weir_flow_table *t, const struct weir_flow_entry *one,
                        const struct weir_flow_entry *other)
{
    if (t->shape.eviction == WEIR_FLOW_EVICT_SMALLEST && one->bytes != other->bytes)
        return one->bytes < other->bytes;
    return one->last_ps < other->last_ps;
}

/* The flow's own entry, else a quiet one, else one that is taken from another flow; null where none is. */
static struct weir_flow_entry *flow_place(struct weir_flow_table *t, uint64_t hash, weir_ps now)
{
    struct weir_flow_entry *set = &t->entry[flow_set_of(t, hash)], *quiet = NULL, *yields = set;
    for (uint32_t way = 0; way < t->shape.ways; way++) {
        struct weir_flow_entry *e = &set[way];
        if (e->used && flow_is_alike(t, e->hash, hash))
            return e;
        if (!quiet && flow_is_quiet(t, e, now))
            quiet = e;
        if (flow_yields(t, e, yields))
            yields = e;
    }
    if (quiet || t->shape.eviction == WEIR_FLOW_EVICT_NONE)
        return quiet;
    t->counted.evicted++;
    return yields;
}

static void flow_keep_period(const struct weir_flow_table *t, struct weir_flow_entry *e, weir_ps now)
{
    int64_t period = now / t->shape.period_ps;
    if (period == e->period)
        return;
    e->past_bytes = period == e->period + 1 ? e->recent_bytes : 0;
    e->recent_bytes = 0;
    e->period = period;
}

const struct weir_flow_entry *weir_flow_table_count(struct weir_flow_table *t, uint64_t hash, uint32_t bytes,
                                                    weir_ps now)
{
    t->counted.arrivals++;
    if (!t->entry)
        return NULL;
    struct weir_flow_entry *e = flow_place(t, hash, now);
    if (!e) {
        t->counted.untracked++;
        return NULL;
    }
    bool begins = !e->used || !flow_is_alike(t, e->hash, hash) || flow_is_quiet(t, e, now);
    if (begins) {
        *e = (struct weir_flow_entry){.hash = hash, .first_ps = now, .used = true};
        t->counted.begun++;
    }
    t->counted.collided += e->hash != hash;
    e->last_ps = now;
    e->bytes += bytes;
    if (t->shape.period_ps) {
        flow_keep_period(t, e, now);
        e->recent_bytes += bytes;
    }
    return e;
}

static bool flow_is_power(uint32_t number)
{
    return number > 0 && (number & (number - 1)) == 0;
}

bool weir_flow_shape_check(const struct weir_flow_shape *shape, struct weir_error *error)
{
    if (shape->entries == 0)
        return true;
    if (!flow_is_power(shape->entries) || shape->entries > WEIR_FLOW_ENTRIES_MAX)
        return weir_fail(error, WEIR_ERROR_INPUT, "a flow table of %u entries (expected a power of two up to %u)",
                         shape->entries, WEIR_FLOW_ENTRIES_MAX);
    if (!flow_is_power(shape->ways) || shape->ways > WEIR_FLOW_WAYS_MAX || shape->ways > shape->entries)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "a flow table of %u entries in sets of %u ways (expected 1, 2, 4, 8 or 16, and no more than "
                         "entries)",
                         shape->entries, shape->ways);
    if (shape->tag_bits > 64 || (unsigned)shape->eviction >= WEIR_FLOW_EVICTIONS || shape->window_ps < 1 ||
        shape->period_ps < 0)
        return weir_fail(error, WEIR_ERROR_INPUT,
                         "a flow table that keeps %u bits, or an eviction, a window or a period that is none",
                         shape->tag_bits);
    return true;
}

const struct weir_flow_entry *weir_flow_table_fault(const struct weir_flow_table *t)
{
    for (uint32_t i = 0; t->entry && i < t->shape.entries; i++) {
        const struct weir_flow_entry *e = &t->entry[i];
        uint32_t set = i - i % t->shape.ways;
        if (e->used &&
            (e->bytes <= 0 || e->last_ps < e->first_ps || e->recent_bytes > e->bytes || flow_set_of(t, e->hash) != set))
            return e;
        for (uint32_t other = set; e->used && other < i; other++)
            if (t->entry[other].used && flow_is_alike(t, t->entry[other].hash, e->hash))
                return e;
    }
    return NULL;
}
