/*
 * embed.h - what is behind a struct weir_sim: a scenario, its simulation, and the measures of the moment.
 *
 * This room is libweir-sim: it turns what scenarios and measures offer into the few functions of include/weir/sim.h,
 * and adds nothing to them. create.c builds and runs, look.c tells what came out.
 */
#ifndef EMBED_EMBED_H
#define EMBED_EMBED_H

#include <stdatomic.h>

#include "run/measures/measures.h"
#include "scenario/experiment/experiment.h"
#include "scenario/read/scenario.h"
#include "weir/sim.h"

struct weir_sim {
    struct scenario scenario;
    struct sim *sim;
    struct sim_training training; /* where a forest is judged by rows */
    bool foreseen;                /* the run of LQD that an oracle needs has been made, or none does */
    atomic_bool stop;
    weir_ps now_ps;
    enum weir_sim_state state;
    struct weir_error error; /* of WEIR_SIM_FAILED */
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
