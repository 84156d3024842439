/*
 * live.h - a sweep under way, for `weir top`: a small file beside the database, FILE.db-live, which the sweep and its
 * children have mapped. Each run has a place in it, where its process says how far its simulation is; nobody waits for
 * anybody, and nothing of it is a result. The file goes when the sweep ends.
 */
#ifndef LAB_SPREAD_LIVE_H
#define LAB_SPREAD_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/sim.h"

#define LIVE_NAME_MAX 120u

/* One run. Numbers are read while they are written: each is whole, several may be of different moments. */
struct live_run {
    _Atomic uint32_t taken; /* by a run that is under way */
    uint32_t run;
    double started;             /* a moment of the machine's clock */
    _Atomic int64_t now, until; /* of the simulation, in ps; until 0: it is being built */
    _Atomic uint64_t hops;      /* packets sent over a link */
    char name[LIVE_NAME_MAX];   /* "policy=DT, seed 3" */
};

struct live_head {
    char magic[8];
    uint32_t bytes; /* of the whole file */
    int32_t pid;
    double started;
    _Atomic uint32_t total, there, done, failed, running; /* runs */
    uint32_t places;
    _Atomic uint64_t hops; /* of those done since the start */
    _Atomic uint64_t simulated_ps;
    _Atomic int64_t left_ms; /* of the whole; -1: nothing is known */
};

/* Head and places of the file; null head: none. */
struct live {
    struct live_head *head;
    struct live_run *runs;
    char *path;
};

/* For the sweep. Without the file the sweep runs unwatched; that is no error. */
void live_open(struct live *live, const char *database, uint32_t places);
void live_close(struct live *live);
void live_release(const struct live *live, uint32_t run); /* it has ended, somehow */

/* For the child: takes a place; null: there is none. live_report is a sim_progress_function on it. */
struct live_run *live_take(const struct live *live, uint32_t run, const char *name);
bool live_report(void *context, const struct sim_progress *progress);

/* For who watches: a copy of how things are now; false: no sweep is under way. */
bool live_read(struct live *live, const char *database);
void live_forget(struct live *live);

/* Prints what is going on: on a screen several lines, else one. */
void live_show(const struct live *live, const char *database, bool screen);

#endif
