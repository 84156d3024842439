/*
 * measure.h - what is observed while the simulation runs: losses by cause, place and tag, the state of a memory at each
 * loss, queue and threshold series, goodput series, delays of udp packets, and the packet balance that must come out
 * even at the end.
 */
#ifndef SIM_NET_MEASURE_H
#define SIM_NET_MEASURE_H

#include "sim/net/config.h"

struct pfc_measure;

#define MEASURE_BINS 1001u /* of a fraction 0 .. 1 in steps of 0.001, rounded down */

/* Losses at one output queue. */
struct measure_losses {
    uint64_t refused[WEIR_REASON_COUNT];
    uint64_t lost[WEIR_CAUSE_COUNT]; /* after they had been accepted; REFUSED stays 0 */
    uint64_t trimmed;                /* of these, those that left a copy and went on as that; see weir_mmu_trims */
    uint64_t copies_lost;            /* of these copies, at any queue of the same port here */
    uint64_t watchdog;               /* by the PFC watchdog: taken out of the queue, or lost as they arrived for it */
};

/* One memory. */
struct measure_memory {
    /* Losses by what was in use after the call of the MMU that made them; flushed packets do not count. */
    uint64_t buffer_at_loss[MEASURE_BINS];    /* losses at which this part of the buffer was in use */
    uint64_t bandwidth_at_loss[MEASURE_BINS]; /* losses at which this part of the read bandwidth was in use */
    uint64_t in_use[MEASURE_BINS];            /* looks at which this part of the buffer was in use */
};

struct measure_switch {
    uint32_t ports, classes, mmus;
    struct measure_losses *queue;  /* [classes * ports], account order of the whole switch */
    uint64_t *marked;              /* [classes * ports]: packets marked */
    struct measure_memory *memory; /* [mmus] */
    uint64_t *peak_bytes;          /* [mmus]: most in use; set of switches of other ranks (sim_memory_peak_bytes) */
    uint64_t unroutable;           /* packets without a route to their destination */
    struct pfc_measure *pfc;       /* of its lossless classes; null: it has none */
};

struct series_point {
    weir_ps when;
    weir_cells queue_cells, threshold_cells, used_cells; /* of the queue, its limit (-1: none), and the whole memory */
    weir_bps reading_bps;                                /* what the memory's ports send at this moment */
};

struct series {
    struct series_point *points;
    uint32_t count, room;
    bool full; /* points_max was reached, or memory ran out */
};

/*
 * Delays are counted in bins that grow with them: 64 to each power of two, so that a bin is at most 1/64 of its delays
 * wide. Below 64 ps each delay has its own.
 */
#define MEASURE_DELAY_STEPS 64u
#define MEASURE_DELAY_BINS (58u * MEASURE_DELAY_STEPS) /* up to 2^63 ps */

/* What is known of a tag beside its records; no part of the digest. */
struct measure_tag {
    uint64_t lost;         /* packets, data and feedback, wherever they were lost */
    weir_ps first_loss_ps; /* WEIR_NEVER: none */
    uint64_t counts[HOST_COUNTS];
    uint64_t sent_bytes;  /* of its data packets that hosts sent, headers included, each time that one was sent */
    uint64_t *delays;     /* [MEASURE_DELAY_BINS], of its udp and listed packets; null: it cannot have any */
    weir_ps delay_min_ps; /* WEIR_NEVER: none */
};

/* Listed packets of one tag: they have no records. */
struct measure_packets {
    uint64_t sent, delivered;
    uint64_t bytes; /* payload delivered: what a packet has beyond the header of the wire, at least 1 byte */
    weir_ps delay_sum_ps, delay_max_ps; /* from the start of their transmission to delivery */
};

#define MEASURE_CYCLE_MAX 64u

/* Queues that wait for one another for ever: deadlock.h. */
struct measure_deadlock {
    uint32_t found;                   /* how many so far; the rest is of the first */
    weir_ps onset_ps;                 /* the pause that closed it was decided */
    weir_ps found_ps;                 /* it was seen, and had not moved since the look before */
    weir_ps ended_ps;                 /* it was seen to have moved; WEIR_NEVER: not yet */
    uint32_t node[MEASURE_CYCLE_MAX]; /* of a cycle in it: each waits for the next, the last for the first */
    uint32_t length;                  /* of the cycle, which may be longer than MEASURE_CYCLE_MAX */
    uint32_t queues;                  /* that are in it */
    uint32_t tc;                      /* class of the first */
};

struct measure {
    struct measure_switch *sw; /* [switches] */
    uint32_t switches;
    struct measure_switch zeros; /* of switches without counters of their own: as many as any needs */
    struct series *probe;        /* [probe_count] */
    uint32_t probe_count;
    int64_t **goodput;              /* [tag][bin]: payload delivered first, by goodput_interval_ps */
    struct measure_packets *listed; /* [tag_count] */
    struct measure_tag *tag;        /* [tag_count] */
    uint32_t tag_count;
    uint32_t goodput_bins;
    struct measure_deadlock deadlock;
    /* the balance: made = delivered + refused + lost - trimmed + unroutable + on failed links + at hosts + still in the
     * network
     */
    uint64_t made, delivered, strays; /* strays: delivered after their flow had ended, part of delivered */
    uint64_t unread;                  /* trimmed packets whose transport cannot read them: lost at their destination */
    uint64_t lost_at_hosts;           /* packets that found the queue of their NIC full */
};

/* `switch_mmus`: 0 of a switch that is not measured here. `late`: switches have counters when measure_switch_init gives
 * them some, and share zeros until then. */
bool measure_init(struct measure *m, const struct sim_config *config, const uint32_t *switch_ports,
                  const uint32_t *switch_mmus, bool late);
void measure_free(struct measure *m);

/* A switch without counters of its own; only to be read. */
void measure_switch_share(struct measure *m, uint32_t sw, uint32_t ports, uint32_t classes, uint32_t mmus);

/* Part of that: one switch. False: out of memory, and measure_free releases it. */
bool measure_switch_init(struct measure_switch *sw, uint32_t ports, const struct weir_mmu_config *mmu, uint32_t mmus);

/* A part of what is measured, by some of the nodes: everything that is not of one switch, one probe, or the deadlock.
 * Null: out of memory. measure_part_add adds it to the whole, and it is empty. */
struct measure *measure_part_new(const struct sim_config *config);
void measure_part_free(struct measure *part);
void measure_part_add(struct measure *m, struct measure *part);

/* Appends; grows in blocks; sets `full` at points_max. False: out of memory. */
bool series_add(struct series *series, const struct series_point *point, uint32_t points_max);

static inline uint32_t measure_bin(double fraction)
{
    return fraction >= 1 ? MEASURE_BINS - 1 : (uint32_t)(fraction * (MEASURE_BINS - 1));
}

static inline uint32_t measure_delay_bin(weir_ps delay_ps)
{
    uint64_t delay = (uint64_t)delay_ps;
    if (delay < MEASURE_DELAY_STEPS)
        return (uint32_t)delay;
    uint32_t doublings = 57u - (uint32_t)__builtin_clzll(delay); /* above 64 ps */
    return doublings * MEASURE_DELAY_STEPS + (uint32_t)(delay >> doublings);
}

/* The middle of a bin's delays. */
double measure_delay_of_bin(uint32_t bin);

static inline void measure_delay(struct measure_tag *tag, weir_ps delay_ps)
{
    tag->delays[measure_delay_bin(delay_ps)]++;
    if (delay_ps < tag->delay_min_ps)
        tag->delay_min_ps = delay_ps;
}

/* Nodes run one after the other within a window: the first loss need not be the first that is seen. */
static inline void measure_loss(struct measure_tag *tag, weir_ps now)
{
    tag->lost++;
    if (now < tag->first_loss_ps)
        tag->first_loss_ps = now;
}

#endif
