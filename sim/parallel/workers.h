/*
 * workers.h - the workers of a simulation (sim/net/worker.h): which nodes each of them runs, their threads, and what is
 * done for all of them between windows.
 */
#ifndef SIM_PARALLEL_WORKERS_H
#define SIM_PARALLEL_WORKERS_H

#include "weir/types.h"

struct sim;

/* Divides the nodes among them, before they are wired; false: out of memory. */
bool workers_init(struct sim *sim);
void workers_free(struct sim *sim);

/* Their threads, for the time of a run; a worker whose thread the system refuses is run by the caller's. */
struct crew;
struct crew *workers_begin(struct sim *sim); /* null: out of memory */

/* Runs the window from sim->now to `end`, and others after it as long as something happens, up to `until`; sim->now is
 * where the last one began. Returns where it ended. */
weir_ps workers_run(struct crew *crew, weir_ps end, weir_ps until);

/* True when workers can run several windows without a stop: then `until` may be later than `end`. */
bool workers_stretch(const struct crew *crew);
void workers_end(struct crew *crew);

/* After each stretch: does what waited for its end. False: a worker is out of memory. */
bool workers_join(struct sim *sim);

/* Part of that: hands on training rows, ordered as in a run by one worker. */
void workers_hand_on(struct sim *sim);

/* After a run, or a part of it: what workers counted and recorded is the simulation's. False: out of memory. */
bool workers_gather(struct sim *sim);

#endif
