/*
 * flow.h - flows: what a host says about the flow of a packet, and the table in which the MMU counts flows for a policy
 * that asks (WEIR_NEED_FLOW).
 *
 * The table is one that a switch could build: so many entries in sets of so many ways, found by a hash of the flow, of
 * which an entry keeps some bits. Its memory is a part of the MMU's and fixed at init; the policy says its shape. A
 * flow that was quiet for a window is forgotten, one that finds its set full takes an entry from another flow, and two
 * flows with the same set and the same kept bits are one to the table: all of that is counted (weir_mmu_flow_counters).
 */
#ifndef WEIR_FLOW_H
#define WEIR_FLOW_H

#include "weir/params.h"
#include "weir/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_FLOW_UNKNOWN ((int64_t)-1)
#define WEIR_FLOW_ENTRIES_MAX (1u << 20)
#define WEIR_FLOW_WAYS_MAX 16u

/* What a host knows of the flow of a packet; see weir_mmu_config. */
struct weir_flow {
    uint64_t hash; /* the same for all packets of a flow, every bit as good as a coin: tables take a few of them */
    int64_t bytes; /* of the flow before this packet, as its sender counts; WEIR_FLOW_UNKNOWN */
    uint32_t dscp; /* 0 to 63 */
};

/* What a host gives with every arrival. */
enum weir_gives {
    WEIR_GIVES_FLOWS = 1,      /* struct weir_packet has its flow, with a hash */
    WEIR_GIVES_FLOW_BYTES = 2, /* and the bytes before the packet are known */
};

/* Who gives way where a set is full of flows that are not quiet. */
enum weir_flow_eviction {
    WEIR_FLOW_EVICT_OLDEST,   /* the one that was seen least recently */
    WEIR_FLOW_EVICT_SMALLEST, /* the one with the fewest bytes, of these the least recent */
    WEIR_FLOW_EVICT_NONE,     /* nobody: the newcomer has no entry */
    WEIR_FLOW_EVICTIONS
};

/* A table, as a policy wants it. */
struct weir_flow_shape {
    uint32_t entries;  /* a power of two; 0: no table, the policy lives on what the host says */
    uint32_t ways;     /* of a set, a power of two */
    uint32_t tag_bits; /* of the hash that an entry keeps, 0 to 64 */
    enum weir_flow_eviction eviction;
    weir_ps window_ps; /* a flow that was quiet for longer counts from zero */
    weir_ps period_ps; /* for `recent_bytes`; 0: not kept */
};

struct weir_flow_entry {
    uint64_t hash; /* of the flow that began it */
    weir_ps first_ps, last_ps;
    int64_t bytes;        /* of packets that arrived since first_ps, the present one too, refused ones too */
    int64_t period;       /* number of the period of last_ps */
    int64_t recent_bytes; /* in this period, the present packet too */
    int64_t past_bytes;   /* in the period before */
    bool used;
};

/* The flow of an arrival, as a policy sees it. */
struct weir_flow_view {
    uint64_t hash;
    int64_t bytes; /* as the host says: before this packet; WEIR_FLOW_UNKNOWN */
    uint32_t packet_bytes;
    uint32_t dscp;
    bool ecn;                            /* ECN-capable */
    weir_port input;                     /* by which it came */
    const struct weir_flow_entry *entry; /* null: there is no table, or no entry for the flow */
};

struct weir_flow_counters {
    uint64_t arrivals;  /* packets that looked for their flow */
    uint64_t begun;     /* flows that got an entry, or began anew in theirs */
    uint64_t evicted;   /* of these, at the cost of another flow */
    uint64_t collided;  /* packets that found the entry of another flow for theirs */
    uint64_t untracked; /* packets of flows without an entry */
};

/* Bytes of the flow so far, with this packet: by the table if there is one, else by the host. UNKNOWN: neither knows.
 */
static inline int64_t weir_flow_bytes(const struct weir_flow_view *flow, uint32_t entries)
{
    if (flow->entry)
        return flow->entry->bytes;
    return entries || flow->bytes == WEIR_FLOW_UNKNOWN ? WEIR_FLOW_UNKNOWN : flow->bytes + (int64_t)flow->packet_bytes;
}

/* The parameters of a table, for the table of a policy that has one; they come first in it. */
enum weir_flow_param {
    WEIR_FLOW_PARAM_ENTRIES,
    WEIR_FLOW_PARAM_WAYS,
    WEIR_FLOW_PARAM_TAG,
    WEIR_FLOW_PARAM_EVICT,
    WEIR_FLOW_PARAM_WINDOW,
    WEIR_FLOW_PARAM_COUNT
};
#define WEIR_FLOW_PARAMS(window_ps)                                                                                    \
    {"entries", WEIR_UNIT_COUNT,                                                                                       \
     false,     4096,                                                                                                  \
     0,         WEIR_FLOW_ENTRIES_MAX,                                                                                 \
     NULL,      "Flows that the switch can follow, a power of two; 0: the host says how much of a flow has come."},    \
        {"ways", WEIR_UNIT_COUNT, false, 4, 1, WEIR_FLOW_WAYS_MAX, NULL, "Entries among which a flow has its place."}, \
        {"tag", WEIR_UNIT_COUNT, false, 16, 0, 64, NULL, "Bits of a flow's hash that an entry keeps."},                \
        {"evict",                                                                                                      \
         WEIR_UNIT_CHOICE,                                                                                             \
         false,                                                                                                        \
         WEIR_FLOW_EVICT_OLDEST,                                                                                       \
         0,                                                                                                            \
         WEIR_FLOW_EVICTIONS - 1,                                                                                      \
         weir_flow_evictions,                                                                                          \
         "Which flow gives way where all its places are taken."},                                                      \
    {                                                                                                                  \
        "window", WEIR_UNIT_TIME, false, window_ps, 1, WEIR_PS_PER_S, NULL,                                            \
            "A flow that was quiet for longer counts from zero."                                                       \
    }

static const char *const weir_flow_evictions[] __attribute__((unused)) = {"oldest", "smallest", "none", NULL};

static inline struct weir_flow_shape weir_flow_shape_of(const struct weir_values *values)
{
    const struct weir_flow_shape shape = {(uint32_t)values->of[WEIR_FLOW_PARAM_ENTRIES][0],
                                          (uint32_t)values->of[WEIR_FLOW_PARAM_WAYS][0],
                                          (uint32_t)values->of[WEIR_FLOW_PARAM_TAG][0],
                                          (enum weir_flow_eviction)values->of[WEIR_FLOW_PARAM_EVICT][0],
                                          values->of[WEIR_FLOW_PARAM_WINDOW][0],
                                          0};
    return shape;
}

#ifdef __cplusplus
}
#endif

#endif
