/*
 * ranks.h - one network simulated by several processes, the ranks (sim_config.ranks). Each has some of the nodes, with
 * their links, flows and counters, and runs them as workers do (worker.h); of the others it knows the topology, the
 * routes and the traffic, which all of them draw alike.
 *
 * Ranks meet once per window and exchange letters. In one are
 *   a head      when anything happens next, and whether anything is left: all decide alike where the next window begins
 *   notes       about flows with an end at another rank
 *   packets     that go on at another rank, with the numbers of their links
 * On one machine, in a stretch of windows, packets and notes have letters of their own, and nobody waits for more than
 * it needs next.
 *
 * A flow whose ends are at two ranks is there twice: each copy has the state of its own end. Notes say that it begins,
 * which connection it took, that an end is done, and that it has closed. None comes too late: what one end does affects
 * the other one only by packets, which take a window at least, and notes of a window are there before hosts run the
 * next one. The rank where the flow began is its home: packets on their way through a third rank know the home instead
 * of the flow, and their losses are told there. At the end each copy makes one half of the record, and rank 0 adds them
 * up (sim/gather.c), with everything that was counted.
 *
 * Letters are structs as they are in memory: all ranks run the same program.
 */
#ifndef SIM_NET_RANKS_H
#define SIM_NET_RANKS_H

#include "sim/net/config.h"
#include "sim/net/records.h"
#include "sim/transport/flow.h"

struct sim;
struct sim_worker;
struct link;

/* Bytes on their way to a rank. */
struct rank_bytes {
    unsigned char *at;
    size_t size, room;
};

/* What one worker has for one rank. */
struct rank_bag {
    struct rank_bytes notes, packets;
    uint64_t packet_count;
};

/* What a worker keeps for the ranks. */
struct rank_post {
    struct rank_bag *bag; /* [ranks] */
    struct rank_flows {   /* made, and given up, since notes were sent */
        struct flow **at;
        uint32_t count, room;
    } born;
    struct rank_ids {
        uint32_t *at;
        uint32_t count, room;
    } gone;
    struct records halves; /* of flows that began at another rank */
};

/* Of all ranks together, where they meet. */
struct rank_view {
    weir_ps next_ps; /* nodes, and packets on their way between ranks */
    weir_ps last_ps; /* the latest delivery or loss */
    int64_t open, alive;
    bool probing; /* a probe goes on */
    bool near;    /* windows may follow each other without a meeting */
    bool stop;    /* somebody wants to stop */
    bool failed;  /* somebody cannot go on */
    struct rank_totals {
        uint64_t packet_hops, flows_started, flows_ended;
    } totals; /* where they were asked for */
};

struct ranks;

/* Divides nodes among ranks, and those of this one among its workers. Null: out of memory. */
struct ranks *ranks_new(struct sim *sim);
void ranks_free(struct ranks *ranks);

/* Of one worker; false: out of memory. */
bool rank_post_init(struct rank_post *post, const struct sim *sim);
void rank_post_free(struct rank_post *post, const struct sim *sim);

/* While a simulation is made: true when all ranks have come here without an error, else the error of the first that has
 * one. The window is then the shortest of all. */
bool ranks_agree(struct sim *sim, bool good, struct weir_error *error);

/* Between windows: exchanges letters; `view` is of this rank before and of all after. False: see sim->error. */
bool ranks_meet(struct sim *sim, struct rank_view *view);

/* In a stretch of windows (sim/workers.c), where ranks do not meet: packets go when switches have run, and are taken
 * before they run again; notes likewise when hosts have. *stops: nothing is due before `end`, or somebody cannot go on.
 * False: see sim->error. */
bool ranks_may_stretch(const struct sim *sim);
uint64_t ranks_letters_ns(const struct sim *sim); /* it had to do with letters, so far */
bool ranks_post_packets(struct sim *sim);
bool ranks_take_packets(struct sim *sim);
bool ranks_post_notes(struct sim *sim, weir_ps next_ps);
bool ranks_take_notes(struct sim *sim, weir_ps end, bool *stops);

/* Sends the same bytes to all other ranks and hands each of their letters to `take`. False: see sim->error. */
bool ranks_share(struct sim *sim, const struct rank_bytes *bytes,
                 void (*take)(void *context, const unsigned char *bytes, size_t size), void *context);

/* After the run: rank 0 has all results. False: see sim->error. */
bool ranks_gather(struct sim *sim);

/* Called by workers. A flow was made here; one of these happened to it here. */
void rank_flow_begins(struct sim_worker *worker, struct flow *flow);
void rank_flow_releases(struct sim_worker *worker, uint32_t id);

enum rank_note {
    RANK_SENDER_DONE,
    RANK_RECEIVER_DONE,
    RANK_CLOSED,
    RANK_LOST,       /* a packet of it, at a third rank */
    RANK_CONNECTION, /* it took this one */
    RANK_BEGINS,
    RANK_END /* of a flow that traffic at several hosts waits for */
};
void rank_flow_note(struct sim_worker *worker, const struct flow *flow, enum rank_note kind, weir_ps now);

/* A packet was lost whose flow, of this number, is not here. */
struct packet;
void rank_flow_lost(struct sim_worker *worker, const struct flow *flow, uint32_t flow_id, weir_ps now);

/* A packet leaves for another rank, over a link of that number. */
void rank_packet_send(struct sim_worker *worker, uint32_t to, uint32_t link, weir_ps when, struct packet *packet);

/* The end of a flow that is here: of both, the source. */
uint32_t rank_flow_end(const struct sim *sim, const struct flow *flow);

/* Appends; false: out of memory. */
bool rank_bytes_add(struct rank_bytes *bytes, const void *at, size_t size);

#endif
