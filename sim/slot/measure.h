/*
 * measure.h - algorithms compared on one arrival sequence: each one's packets sent beside the offline optimum's and
 * LQD's, which are computed once per sequence.
 */
#ifndef SLOT_MEASURE_H
#define SLOT_MEASURE_H

#include "run.h"

/* A policy with its parameters and, where it needs one, its oracle. */
struct slot_algorithm {
    const char *name;
    const struct weir_policy *policy;
    struct weir_values values;
    weir_q16 flip;                    /* probability of a wrong prediction; 0: perfect, WEIR_Q16_ONE: always wrong */
    uint64_t flip_seed;               /* of the wrong ones */
    const struct weir_oracle *oracle; /* that answers instead; null: LQD's own losses do */
};

/* A policy of the library with at most one parameter off its default (`param` null: none); the names must exist. */
struct slot_algorithm slot_algorithm_make(const char *name, const char *policy, const char *param, const char *value,
                                          weir_q16 flip);

struct slot_case {
    const struct slot_arrivals *arrivals; /* the caller's */
    uint32_t buffer;                      /* packets */
    uint64_t optimum;                     /* packets sent by the offline optimum; 0 when not asked for */
    struct slot_result lqd;               /* LQD with tail removal */
    const struct slot_progress *progress; /* of each run to come; null, as after open: no listener */
};

/* Runs LQD and, if wanted, the optimum. On WEIR_ERROR_NONE the case is the caller's to close, else there is nothing to
 * close.
 */
enum weir_error_code slot_case_open(struct slot_case *c, const struct slot_arrivals *arrivals, uint32_t buffer,
                                    bool with_optimum, struct weir_error *error);
void slot_case_close(struct slot_case *c);

/* As slot_run. */
enum weir_error_code slot_case_run(const struct slot_case *c, const struct slot_algorithm *algorithm,
                                   const struct slot_recording *recording, struct slot_result *result,
                                   struct weir_error *error);

/* Only the packets sent. */
enum weir_error_code slot_case_sent(const struct slot_case *c, const struct slot_algorithm *algorithm, uint64_t *sent,
                                    struct weir_error *error);

/* better / worse, 1 when both sent nothing, infinite when only the better one sent something. */
double slot_ratio(uint64_t better, uint64_t worse);

#endif
