/*
 * job.h - runs the operations of a job (goal.h). It knows ranks and messages; who carries a message, and wakes a rank
 * when time has passed, is the caller's affair (struct job_network). What happens to a rank touches that rank alone, so
 * that ranks may live on different threads; the order of calls for one rank decides everything.
 *
 *   calc    holds its cpu for its time
 *   send    holds its cpu for overhead + (bytes - 1) overhead per byte, and its nic for gap + (bytes - 1) gap per byte;
 *           its message leaves when the cpu is free again. It ends then, if it has at most `eager` bytes, else when the
 *           sender knows that all arrived
 *   recv    ends when it is posted and a message that fits has come (match.h); with an overhead, when its cpu has
 *           spent that
 *
 * What waits for a cpu or a nic gets it in the order in which it became ready. At one moment operations become ready in
 * the order of what they waited for, and those go before what was set for that moment earlier. A rank begins its next
 * round when all its operations have ended; a message fits receives of its own round.
 */
#ifndef JOBS_JOB_H
#define JOBS_JOB_H

#include "sim/jobs/goal.h"
#include "sim/jobs/match.h"

#define JOB_LINE 64u

struct job_settings {
    weir_ps overhead_ps, overhead_per_byte_ps; /* o and O */
    weir_ps gap_ps, gap_per_byte_ps;           /* g and G, of a nic */
    uint64_t eager_bytes;
    uint32_t rounds; /* at least 1 */
};

/* A message as both ends know it. */
struct job_message {
    uint32_t from, to; /* ranks */
    uint32_t round;
    uint32_t place;  /* of the send: goal.h */
    uint32_t number; /* of the sender's messages of that round, in the order in which they leave */
    uint64_t bytes;
};

struct job_network {
    void *context;
    /* A message leaves now. False: it cannot, and the job cannot go on. */
    bool (*send)(void *context, const struct job_message *message, weir_ps now);
    /* job_wake is to be called for the rank at `when`, unless it has been called at that time anyway. */
    bool (*wake)(void *context, uint32_t rank, weir_ps when);
    /* An operation has started, or ended. Null: nobody wants to know. */
    void (*note)(void *context, uint32_t rank, uint32_t op, bool ended, weir_ps now);
};

/* What became of a rank. */
struct job_outcome {
    _Alignas(JOB_LINE) uint64_t ended; /* operations of the round that runs */
    uint32_t rounds;                   /* that are over */
    uint32_t first;                    /* operation that it waits for: a receive; GOAL_ANY: none */
    weir_ps begun_ps, last_ps;         /* when it began; when an operation ended last */
    weir_ps busy_ps;                   /* some cpu computed */
    uint64_t received_bytes;
};

struct job;

/* Null: out of memory. `goal` must outlive it. */
struct job *job_new(const struct goal *goal, const struct job_settings *settings);
void job_free(struct job *job);

/* Each runs what follows at the rank at `now`, which never goes back for a rank. False: out of memory, or the network
 * refused. */
bool job_begin(struct job *job, uint32_t rank, weir_ps now, const struct job_network *network);
bool job_wake(struct job *job, uint32_t rank, weir_ps now, const struct job_network *network);
/* The sender knows that all of the message has arrived; the receiver has all of it. */
bool job_sent(struct job *job, const struct job_message *message, weir_ps now, const struct job_network *network);
bool job_arrived(struct job *job, const struct job_message *message, weir_ps now, const struct job_network *network);

/* The same later, without a network: both ends are in the hands of one caller. */
bool job_arrives(struct job *job, const struct job_message *message, weir_ps when, const struct job_network *network);

const struct goal *job_goal(const struct job *job);
const struct job_settings *job_settings(const struct job *job);

/* [ranks]; `first` is up to date after job_look. Others may write what they know better: of ranks elsewhere. */
struct job_outcome *job_outcomes(const struct job *job);
void job_look(struct job *job, uint32_t rank);

/* [rounds * ranks], round by round: when a rank ended a round; WEIR_NEVER: it did not. */
weir_ps *job_round_ends(const struct job *job);

#endif
