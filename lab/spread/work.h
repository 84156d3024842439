/*
 * work.h - one run of a sweep as a piece of work for the pool: the child makes it and sends its configuration and
 * measures, the parent takes them apart.
 */
#ifndef LAB_SPREAD_WORK_H
#define LAB_SPREAD_WORK_H

#include "lab/plan/plan.h"
#include "lab/spread/pool.h"
#include "lab/spread/records.h"
#include "run/measures/values.h"

struct live;

struct spread_work {
    const struct plan *plan;
    const struct run_engine *engine; /* null: the simulator */
    void *engine_context;
    const struct sweep_records *records; /* null: none are wanted */
    uint32_t jobs;                       /* runs at a time */
    const struct live *live;             /* where progress is shown; null: nowhere */
};

/* A pool_work; its context is a const struct spread_work. Status CLI_OK: a result was sent; else one line, what went
 * wrong. */
int spread_work(void *context, uint32_t run, int fd);

/* Processes that make runs of a plan: `jobs` at once, within its limit of time. */
struct pool_settings spread_pool(struct spread_work *work, uint32_t jobs);

/* What a child sent. */
struct spread_sent {
    const char *config; /* points into the bytes */
    struct measures measures;
};

/* CLI_OK, or an exit code and the reason why the run has no result. Release with measures_free either way. */
#define SPREAD_REASON_MAX 256u
int spread_work_take(const struct plan *plan, const struct pool_done *done, struct spread_sent *sent,
                     char reason[SPREAD_REASON_MAX]);

#endif
