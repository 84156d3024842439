/*
 * outcome.h - what one entry point did, as the trace recorded it, as core does it and as the naive model says:
 * three sources in one form, so that they are compared and printed by the same lines.
 */
#ifndef TRACE_OUTCOME_H
#define TRACE_OUTCOME_H

#include "weir/naive.h"
#include "weir/trace.h"

#define OUTCOME_TEXT_MAX 512u

struct replay_outcome {
    bool accepted;           /* ARRIVE; CHANGE: the policy took the values */
    bool marked;             /* ARRIVE */
    bool departed;           /* DEPART */
    enum weir_reason reason; /* ARRIVE, refused */
    weir_account account;    /* DEPART, departed */
    uint32_t index;          /* DEPART, departed: low bits of the arrival index */
    uint64_t hash;           /* HASH, END */
    uint64_t pauses;         /* a hash of what is paused at the input ports; core and naive only */
    uint32_t lost_count;
    struct weir_naive_lost lost[WEIR_TRACE_LOST_MAX];
};

void outcome_from_record(struct replay_outcome *outcome, const struct weir_record *record);

/* Makes the same call to the MMU. The packet's handle is its arrival index, by which it is recognised. */
void outcome_from_core(struct replay_outcome *outcome, struct weir_mmu *mmu, const struct weir_record *record,
                       uint64_t arrival);

/* Makes the same call to the naive model, which is told the accounts that the recorded scheduler chose. */
void outcome_from_naive(struct replay_outcome *outcome, struct weir_naive *naive, const struct weir_record *record);

bool outcome_equal(const struct replay_outcome *a, const struct replay_outcome *b);

/* One line each: what was called, and what came of it. `ports` turns accounts into ports and classes. */
void outcome_format_event(char out[OUTCOME_TEXT_MAX], const struct weir_record *record);
void outcome_format(char out[OUTCOME_TEXT_MAX], const struct replay_outcome *outcome, enum weir_record_kind kind,
                    uint32_t ports);

/* A time with its unit, "1.2us". */
void outcome_format_time(char *out, size_t size, weir_ps time);

#endif
