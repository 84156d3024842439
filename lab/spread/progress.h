/*
 * progress.h - how far a sweep is: one line that is drawn again and again on a terminal, or a plain line now and
 * then where standard error goes to a file. A single run (simulate.c) has its own line, as often.
 */
#ifndef LAB_SPREAD_PROGRESS_H
#define LAB_SPREAD_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct live;

struct sweep_progress {
    uint32_t total;        /* runs of the sweep */
    uint32_t there;        /* of them, those that were there before */
    uint32_t done, failed; /* now */
    uint64_t hops;         /* of those done now */
    double simulated_s;    /* likewise: time in their networks */
    uint32_t part, before; /* runs to make from the start on; of done and failed, those before it */
    uint32_t ended;        /* done and failed when last looked at */
    double started, shown; /* moments */
    double last;           /* moment of the last end of a run */
    double planned_s;      /* for the part, where that is known before; 0: it is not */
    double every;          /* seconds between lines; 0: none are wanted */
    bool terminal;
    const struct live *live; /* where else it is shown; null: nowhere */
};

/* Before the next `part` runs: those of another kind say nothing about how long they take. */
void sweep_progress_start(struct sweep_progress *progress, uint32_t part, bool quiet);

struct measures;

/* A run is done, with this result. */
void sweep_progress_add(struct sweep_progress *progress, const struct measures *measures);

/* Seconds for the rest of the part: by the runs that have ended, and before the first by what was planned; -1: nothing
 * is known. */
double sweep_progress_left(struct sweep_progress *progress, double now);

/* Seconds between two lines; 0: none are wanted. */
double progress_every(bool quiet, bool *terminal);

/* Seconds that the rest takes if it goes on as on average. A run that ends before its `until` takes less. */
double progress_left(double seconds, double done, double all);

/* "45s", "2m10s", "1h05m". */
#define PROGRESS_DURATION_MAX 32u
const char *progress_duration(double seconds, char text[PROGRESS_DURATION_MAX]);

/* Shows the line if it is time to. `running` PROGRESS_UNKNOWN: others know. */
#define PROGRESS_UNKNOWN UINT32_MAX
void sweep_progress_show(struct sweep_progress *progress, uint32_t running);

/* Takes the line away, so that something else can be printed. */
void sweep_progress_clear(struct sweep_progress *progress);

#endif
