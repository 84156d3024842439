/*
 * pfc_measure.h - what is observed of flow control while the simulation runs: how much of the headroom is used and by
 * how many queues, how fast packets still arrive and leave after a pause was decided, and losses of lossless classes
 * with the term of the headroom that was exceeded.
 *
 * The switch node calls these where things happen, after the MMU has changed; none of them changes anything but what is
 * measured. Packets are reported only while an input port is watched: from a pause on until it is over, no headroom is
 * in use and no rate is being taken. A switch on which nothing is paused pays one load per packet.
 */
#ifndef SIM_NET_PFC_MEASURE_H
#define SIM_NET_PFC_MEASURE_H

#include "sim/net/config.h"
#include "sim/net/measure.h"
#include "sim/net/pfc.h"
#include "weir/headroom.h"

struct switch_node;
struct packet;

#define PFC_MEASURE_RATE_STEPS 250u /* bins of a rate up to that of the fastest link; the last bin is four times it */
#define PFC_NOT_OBEYED WEIR_HEADROOM_COUNT /* in place of a term: begun after the PAUSE had taken effect */

/* A lossless packet that was refused. */
struct pfc_loss {
    weir_ps when;       /* WEIR_NEVER: none */
    weir_ps decided_ps; /* the pause of its class; WEIR_NEVER: none was in force */
    weir_ps sent_ps;    /* when that PAUSE began to leave; WEIR_NEVER: it had not */
    uint32_t sw, input, tc;
    uint32_t bytes;
    weir_cells headroom_cells; /* of its queue, of its port, of the memory: in use */
    weir_cells port_cells, pool_cells;
    weir_cells queue_limit, pool_limit; /* the headroom that a queue may hold, and that of the memory */
    uint32_t term;                      /* enum weir_headroom_term, or PFC_NOT_OBEYED */
};

/* What rises and falls: its value when last seen. */
struct pfc_level {
    weir_cells cells;
    bool rising;
};

/* An input port and a lossless class. */
struct pfc_measure_queue {
    weir_ps decided_ps;                  /* of the pause in force; WEIR_NEVER: none */
    weir_ps sent_ps;                     /* when its PAUSE began to leave; WEIR_NEVER: not yet */
    weir_ps taken_ps;                    /* since when rates are taken */
    int64_t arrived_before, left_before; /* cells, at that moment */
    int64_t arrived, left;               /* when last seen */
    uint64_t lost;
    uint64_t headroom_peak_bytes; /* only of a switch of another rank: pfc_summary_queue */
};

/* Of the memories of a switch. */
struct pfc_sizes {
    int64_t cell_bytes, reserved_bytes, buffer_bytes; /* headroom and buffer of the first */
    double buffer_per_capacity_s;                     /* of all: bits over the rates of the ports */
};

struct pfc_measure_input {
    uint32_t paused; /* classes */
    uint32_t taking; /* classes whose rates are being taken */
    weir_ps span_ps; /* for so long: the time in which the link fills what its config gives a queue as headroom */
    weir_cells limit_cells; /* headroom that its scheme lets a queue hold */
    weir_cells own_cells;   /* of the headroom pool, what its scheme sets aside for this port */
};

/* A class of an input port was paused from one moment to another. */
struct pfc_span {
    uint32_t input, tc;
    weir_ps from_ps, to_ps;
};

struct pfc_measure {
    uint32_t inputs, memories, lossless_mask, lossless;
    struct pfc_sizes sizes;
    weir_bps fastest_bps; /* link of the network */
    bool *watched;        /* [inputs] */
    struct pfc_measure_input *input;
    struct pfc_measure_queue *queue; /* [inputs * PFC_CLASSES] */
    struct pfc_level *level;         /* [memories * inputs * PFC_CLASSES]: headroom of a queue */
    struct pfc_level *port;          /* [memories * inputs]: headroom of a port */
    struct pfc_level *pool;          /* [memories]: headroom in use */
    struct pfc_span *spans;          /* pauses that are over, if it keeps them */
    bool keeps_spans;
    uint32_t span_count, span_room;
    struct pfc_loss first;
    uint64_t lost;
    weir_cells peak_cells, peak_limit; /* the headroom of the queue that used most of its own, as a part */
    uint64_t use[MEASURE_BINS];        /* local maxima of a queue's headroom, over what it may hold */
    uint64_t port_use[MEASURE_BINS];   /* local maxima of a port's headroom over its own part of the pool */
    uint64_t pool_use[MEASURE_BINS];   /* local maxima of a memory's headroom over its pool */
    uint64_t queues[MEASURE_BINS];     /* lossless classes of a port that are paused, at packets that go to headroom */
    uint64_t arrival_rate[MEASURE_BINS], departure_rate[MEASURE_BINS];
};

/* Null: out of memory. */
struct pfc_measure *pfc_measure_new(uint32_t inputs, uint32_t memories, uint32_t lossless_mask);
void pfc_measure_free(struct pfc_measure *measure);

/* The node is built: how fast its links are and how much headroom its queues have. */
void pfc_measure_start(struct switch_node *node);

/* Whether packets of an input port are to be reported. `measure` is null where no class is lossless. */
static inline bool pfc_measure_watches(const struct pfc_measure *measure, uint32_t input)
{
    return measure && measure->watched[input];
}

/* The switch decided to pause or to resume classes of an input port (queue level and port level together). Before the
 * arrival that caused it is reported. */
void pfc_measure_pause(struct switch_node *node, uint32_t input, uint32_t classes, weir_ps now);
void pfc_measure_resume(struct switch_node *node, uint32_t input, uint32_t classes, weir_ps now);

/* The PAUSE for these classes begins to leave. */
void pfc_measure_sent(struct switch_node *node, uint32_t input, uint32_t classes, weir_ps now);

/* A lossless packet came in by a port that is watched, and likewise left. */
void pfc_measure_arrival(struct switch_node *node, uint32_t input, uint32_t tc, weir_ps now);
void pfc_measure_departure(struct switch_node *node, uint32_t input, uint32_t tc, weir_ps now);

/* A lossless packet was refused, after the pauses that it caused. */
void pfc_measure_loss(struct switch_node *node, uint32_t input, const struct packet *packet, weir_ps now);

#endif
