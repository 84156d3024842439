/*
 * real_time.c - whether the programs of a testbed go before all others of the machine: see process.h.
 *
 * A program that does so and never rests, such as a switch that cannot keep up, takes its processor from all others.
 * That is accepted only where something is left for the others: a second processor, and the kernel's own limit
 * on such programs. The process that watches them has a higher priority, so that it can always end them.
 */
#define _GNU_SOURCE 1
#include <stdio.h>

#include "lab/testbed/process.h"

#define LIMIT_FILE "/proc/sys/kernel/sched_rt_runtime_us"

/* True when the kernel gives ordinary programs a part of each second, whatever the others do. */
static bool kernel_has_limit(void)
{
    long limit_us = -1;
    FILE *in = fopen(LIMIT_FILE, "re");
    bool read = in != NULL && fscanf(in, "%ld", &limit_us) == 1;
    if (in != NULL)
        fclose(in);
    return read && limit_us >= 0;
}

static bool go_before_others(void)
{
    const struct sched_param priority = {.sched_priority = TESTBED_PRIORITY_SWITCH};
    return sched_setscheduler(0, SCHED_RR, &priority) == 0;
}

bool testbed_real_time(struct weir_error *why_not)
{
    cpu_set_t of_switch, of_hosts;
    testbed_processors(&of_switch, &of_hosts);
    const char *reason = CPU_EQUAL(&of_switch, &of_hosts) ? "there is one processor only"
                         : !kernel_has_limit()            ? "the kernel would leave no time to others (" LIMIT_FILE ")"
                         : !testbed_try(go_before_others) ? "it is not permitted here (expected CAP_SYS_NICE)"
                                                          : NULL;
    return reason == NULL || weir_fail(why_not, WEIR_ERROR_SYSTEM, "%s", reason);
}

void testbed_watch_over(void)
{
    const struct sched_param priority = {.sched_priority = TESTBED_PRIORITY_WATCH};
    sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &priority); /* where it may; else as any other */
}
