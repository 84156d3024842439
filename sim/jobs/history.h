/*
 * history.h - what happened to the operations of a job, kept where somebody asks for it: when each started and ended,
 * and which message belongs to it. What ranks did over time, and the way through operations and messages that decided
 * when the job ended, are made of it. 32 bytes for each operation and round.
 *
 * Whoever runs a rank writes its operations, but for `arrived_ps`, which the receiver's side writes.
 */
#ifndef JOBS_HISTORY_H
#define JOBS_HISTORY_H

#include "sim/jobs/goal.h"

struct job;
struct job_settings;

struct history_op {
    weir_ps start_ps, end_ps; /* WEIR_NEVER: it did not */
    weir_ps arrived_ps;       /* of a send: all of its message was there */
    uint32_t partner;         /* of a receive: place of the send whose message it got; GOAL_ANY: none yet */
    uint32_t flow;            /* of a send: id of its flow; 0: it stayed within its host */
};

struct job_history {
    const struct goal *goal;
    uint32_t rounds;
    struct history_op at[]; /* [rounds * goal->ops]: round by round, by place */
};

/* The job keeps its history from here on: before it begins. False: out of memory. */
bool job_keep(struct job *job);

/* Null: it keeps none. */
struct job_history *job_history(const struct job *job);

/* Null: out of memory. */
struct job_history *history_new(const struct goal *goal, uint32_t rounds);

static inline struct history_op *history_at(const struct job_history *history, uint32_t round, uint64_t place)
{
    return (struct history_op *)&history->at[round * history->goal->ops + place];
}

/* What a rank did: it computed; else, some message of its own or to it was under way (receives that were posted,
 * sends that had not ended); else it waited for others; or nothing of it was to be done. */
enum history_what { HISTORY_COMPUTE, HISTORY_COMMUNICATE, HISTORY_WAIT, HISTORY_IDLE };

struct history_stretch {
    weir_ps from_ps, to_ps;
    enum history_what what;
};

struct history_stretches {
    struct history_stretch *at;
    uint32_t count;
};

/* Those of a rank until `now`, one after another, over all rounds. False: out of memory. Release `at` with free. */
bool history_stretches_of(const struct job_history *history, const struct job_settings *settings, uint32_t rank,
                          weir_ps now, struct history_stretches *stretches);

/* A step of the critical path. */
enum path_what { PATH_COMPUTE, PATH_MESSAGE, PATH_WAIT };

struct path_step {
    weir_ps from_ps, to_ps;
    enum path_what what; /* compute: also what messages cost a cpu; wait: for a cpu or a nic, or the first start */
    uint32_t rank, round;
    uint64_t place; /* of its operation; of a message, of its send */
    uint32_t flow;  /* of a message; 0: it stayed within its host */
};

struct history_path {
    struct path_step *at; /* from the last to the first */
    uint64_t count;
};

/* What decided when the job ended, or how far it came: from the last end back to its beginning at `begun`, each step
 * ending when the one after it begins. False: out of memory. Release `at` with free. */
bool history_path_of(const struct job_history *history, const struct job_settings *settings, weir_ps begun,
                     struct history_path *path);

#endif
