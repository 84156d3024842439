/*
 * ranks_inside.h - what ranks.c and gather.c share.
 */
#ifndef SIM_RANKS_INSIDE_H
#define SIM_RANKS_INSIDE_H

#include "sim/net/ranks.h"
#include "sim/sim.h"

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
    struct flow *unknown;     /* [count + 1]: what packets have in place of a flow that began at a rank, or is gone */
    struct rank_entry *table; /* of flows with an end here */
    uint32_t table_count, table_room;
    struct rank_bytes *letter; /* [count] */
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

/* Sends bytes to rank 0, which finds them in ranks->in. False: see sim->error. */
bool ranks_send_to_first(struct sim *sim, const struct rank_bytes *bytes);

#endif
