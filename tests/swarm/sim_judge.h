/*
 * sim_judge.h - what swarms of random worlds share: a judge runs a world in its ways and says which rule it breaks.
 *
 * A judge works in its own process, so that a failed assertion, a crash or an endless loop is a failure like any
 * other: the seed is printed (WEIR_SEED=... replays it) and the smallest world found that fails in the same way.
 */
#ifndef WEIR_TESTS_SIM_JUDGE_H
#define WEIR_TESTS_SIM_JUDGE_H

#include "sim_world.h"

#define VERDICT_REFUSED "refused" /* the world has no part in this swarm, or its config is not valid */

/* What a world came to; `fault` is empty when all is well. */
struct verdict {
    char fault[256];
    char message[WEIR_MESSAGE_MAX];
    struct weir_error error; /* of a config that is refused */
    uint64_t note;           /* what the judge wants to tell its swarm */
};

/* True, and no fault, if `fault` is null. */
bool verdict_set(struct verdict *v, const char *fault);

typedef void sim_judge(struct verdict *v, const struct sim_world *world);

/* The judge in its own process. */
void sim_judge_apart(struct verdict *v, sim_judge *judge, const struct sim_world *world);

/* The same with the world of a seed; fails, with the world and a smaller one, if a rule is broken. True when the world
 * was accepted. */
bool sim_judge_seed(struct verdict *v, sim_judge *judge, sim_world_drawer *draw, uint64_t seed);

/* How many are wanted: WEIR_TEST_ROUNDS times as many as usual. */
uint32_t sim_judge_rounds(uint32_t usual);

#endif
