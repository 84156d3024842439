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
 * up (gather.c), with everything that was counted.
 *
 * Letters are structs as they are in memory: all ranks run the same program.
 */
#ifndef SIM_PARALLEL_RANKS_H
#define SIM_PARALLEL_RANKS_H

#include "sim/net/network.h"

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

/* What a letter of a meeting begins with; notes follow, then packets. */
struct letter_head {
    struct rank_view view;
    uint64_t notes_bytes;
};

struct rank_entry {
    uint32_t id; /* 0: none */
    struct flow *flow;
};

struct ranks {
    const struct sim_ranks *given;
    uint32_t count, own;
    struct rank_entry *table; /* of flows with an end here */
    uint32_t table_count, table_room;
    struct post_bytes *letter; /* [count] */
    struct sim_letter *out, *in;
    struct letter_head lone; /* in place of letters for which memory is short */
    struct notes_head {
        weir_ps next_ps; /* as struct worker_report's */
        bool stop;
    } lone_notes;                     /* likewise, in a stretch */
    bool told_stop;                   /* in the last letters of notes */
    uint64_t crossed, sent_bytes;     /* packets, bytes of letters */
    uint64_t letters_ns;              /* letters were written, exchanged and read */
    uint64_t waited_ns;               /* of these, until all were there */
    struct sim_rank_profile *profile; /* [count]; rank 0 has all after the run */
};

/* Divides nodes among ranks, and those of this one among its workers. Null: out of memory. */
struct ranks *ranks_new(struct sim *sim);
void ranks_free(struct ranks *ranks);

/* While a simulation is made: true when all ranks have come here without an error, else the error of the first that has
 * one. The window is then the shortest of all. */
bool ranks_agree(struct sim *sim, bool good, struct weir_error *error);

/* Between windows: exchanges letters; `view` is of this rank before and of all after. False: see sim->error. */
bool ranks_meet(struct sim *sim, struct rank_view *view);

/* In a stretch of windows (workers.c), where ranks do not meet: packets go when switches have run, and are taken
 * before they run again; notes likewise when hosts have. *stops: nothing is due before `end`, or somebody cannot go on.
 * False: see sim->error. */
bool ranks_may_stretch(const struct sim *sim);
uint64_t ranks_letters_ns(const struct sim *sim); /* it had to do with letters, so far */
bool ranks_post_packets(struct sim *sim);
bool ranks_take_packets(struct sim *sim);
bool ranks_post_notes(struct sim *sim, weir_ps next_ps);
bool ranks_take_notes(struct sim *sim, weir_ps end, bool *stops);

/* Sends the same bytes to all other ranks and hands each of their letters to `take`. False: see sim->error. */
bool ranks_share(struct sim *sim, const struct post_bytes *bytes,
                 void (*take)(void *context, const unsigned char *bytes, size_t size), void *context);

/* Sends bytes to rank 0, which finds them in ranks->in. False: see sim->error. */
bool ranks_send_to_first(struct sim *sim, const struct post_bytes *bytes);

#endif
