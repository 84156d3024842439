/*
 * scheduler.c - the names of schedulers, and the choice in scheduler_pick.h as a function.
 */
#include "weir/scheduler.h"

#include "scheduler_pick.h"

const char *weir_scheduler_name(enum weir_scheduler_kind kind)
{
    static const char *const names[WEIR_SCHED_COUNT] = {
        [WEIR_SCHED_FIFO] = "fifo", [WEIR_SCHED_STRICT] = "strict", [WEIR_SCHED_RR] = "rr",
        [WEIR_SCHED_WRR] = "wrr",   [WEIR_SCHED_DRR] = "drr",       [WEIR_SCHED_STRICT_DRR] = "strict-drr",
    };
    assert((unsigned)kind < WEIR_SCHED_COUNT);
    return names[kind];
}

uint32_t weir_scheduler_pick(const struct weir_scheduler_config *config, struct weir_scheduler_state *state,
                             uint32_t eligible, uint32_t backlog, const struct weir_heads *heads)
{
    return scheduler_pick(config, state, eligible, backlog, *heads);
}
