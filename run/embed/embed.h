/*
 * embed.h - what is behind a struct weir_sim: a run, and its measures of the moment.
 *
 * This room is libweir-sim: it turns what runs and measures offer into the few functions of include/weir/sim.h,
 * and adds nothing to them. create.c builds and runs, look.c reads what came out.
 */
#ifndef EMBED_EMBED_H
#define EMBED_EMBED_H

#include <stdatomic.h>

#include "run/run.h"
#include "weir/sim.h"

struct weir_sim {
    struct run run;
    atomic_bool stop;
    weir_ps now_ps;
    enum weir_sim_state state; /* WEIR_SIM_FAILED: run.error says why */
    char id[EXPERIMENT_ID_MAX];
    char *config;
    /* The moment, looked at; null: it has passed. */
    struct run_result *result;
    struct measures measures;
    char probe[RUN_PLACE_MAX]; /* the name that was asked for last */
};

/* Forgets what was looked at. */
void embed_forget(struct weir_sim *self);

#endif
