/*
 * follow.h - which packets of a run are followed from end to end, in words, and what happens to them in words.
 *
 * A list of what to follow, between commas: "all", flows by number ("12", "12-20"), by tag ("query"), by host ("h3",
 * either end) or by both ends ("h3-h7", both directions). Feedback of a flow is followed with it.
 */
#ifndef RUN_FOLLOW_H
#define RUN_FOLLOW_H

#include "scenario/read/scenario.h"
#include "sim/net/follow.h"

#define RUN_FOLLOW_MAX 64u

/* For run_options.follow, to be completed with whoever takes the events; must not move. */
struct run_follow {
    struct sim_follow follow;
    struct sim_follow_choice choice[RUN_FOLLOW_MAX];
};

/* Null text: all. False: a word is none of these. */
bool run_follow_read(struct run_follow *follow, const struct scenario *scenario, const char *text,
                     struct weir_error *error);

/* The nodes at the other ends of ports. */
struct run_neighbours {
    const struct topology *topology;
    uint32_t *first; /* [nodes + 1]: of a node's in `node` */
    uint32_t *node;
    uint32_t *link; /* which of several links to that node, from 1 */
};

/* False: out of memory; free it either way. */
bool run_neighbours_make(struct run_neighbours *neighbours, const struct topology *topology);
void run_neighbours_free(struct run_neighbours *neighbours);

/* "s0-h3", the queue, "s0-s4-2" by the second link between them; or "h3" and "s0" where there is none. */
#define RUN_FOLLOW_TEXT_MAX 40u
void run_follow_place(const struct run_neighbours *neighbours, const struct sim_packet_event *event,
                      char place[RUN_FOLLOW_TEXT_MAX]);

/* The node behind its port; SIM_PACKET_NOWHERE: it is at none. */
uint32_t run_follow_next(const struct run_neighbours *neighbours, const struct sim_packet_event *event);

/* "left", "refused"; and why, null: there is nothing to say. */
const char *run_follow_step(const struct sim_packet_event *event);
const char *run_follow_why(const struct sim_packet_event *event);

/* "data", "ack", "nack" and so on. */
const char *run_follow_kind(const struct sim_packet_event *event);

#endif
