/*
 * timeline.h - what happened to the buffer of a recorded run, step by step: who holds it, who is refused, pushed out,
 * expelled or paused. A replay is watched (replay.h), since a trace has calls and outcomes but neither lengths nor
 * thresholds nor what an MMU pauses.
 *
 * Time is cut into equal steps. Of each step there is the moment at which most of the buffer was in use, with what
 * every queue held then, and how many packets met each fate during the whole step.
 */
#ifndef TRACE_TIMELINE_H
#define TRACE_TIMELINE_H

#include "lib/trace/replay.h"

#define TIMELINE_STEPS_MAX 480u

#define TIMELINE_NO_LIMIT (-1)

/* The fates of packets that a step counts. */
enum timeline_fate {
    TIMELINE_ARRIVED,
    TIMELINE_REFUSED,
    TIMELINE_PUSHED_OUT,
    TIMELINE_EXPELLED,
    TIMELINE_DROPPED, /* when about to leave, or flushed */
    TIMELINE_SENT,
    TIMELINE_FATES
};

/* A queue (egress account) in a step. */
struct timeline_cell {
    int32_t held, limit; /* cells at the step's fullest moment; limit: the policy's threshold, or none */
    uint32_t packets[TIMELINE_FATES];
    weir_ps paused_ps; /* of the step: its peer did not let it send */
};

struct timeline {
    /* Set by the caller: what is looked at; WEIR_NEVER: from the first record, to the last packet. */
    weir_ps from, to;
    /* What came out. */
    weir_ps start, step_ps;
    uint32_t steps, ports, classes, accounts, inputs, cell_bytes, lossless_mask;
    weir_cells buffer_cells;
    bool limits;                 /* the policy has thresholds */
    weir_cells *used;            /* [steps] at the fullest moment; owned, as are those below */
    struct timeline_cell *cells; /* [steps * accounts] */
    weir_ps *input_paused;       /* [steps * inputs] of the step: the input's sender was told to pause */
    /* Its own. */
    weir_ps last;                       /* of the trace */
    uint32_t begun;                     /* steps of which the state at the start is known */
    weir_ps *paused_from, *paused_till; /* [accounts] */
    weir_ps *input_from;                /* [inputs]; WEIR_NEVER: not paused */
};

/* Watches a replay of one trace into a timeline of which from and to are set. */
struct replay_watch timeline_watch(struct timeline *timeline);

static inline const struct timeline_cell *timeline_at(const struct timeline *t, uint32_t step, uint32_t account)
{
    return &t->cells[(size_t)step * t->accounts + account];
}

void timeline_free(struct timeline *timeline);

#endif
