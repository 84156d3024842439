/*
 * processors.c - see processors.h. Of n threads the first has the processor that the caller runs on and every n-th
 * after it, the second has the next one and every n-th after that.
 */
#define _GNU_SOURCE 1
#include "sim/engine/processors.h"

#ifdef __linux__
#include <assert.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static_assert(sizeof(cpu_set_t) == sizeof(((struct processors *)0)->all), "the same bits");

static bool allowed(cpu_set_t *set)
{
    return sched_getaffinity(0, sizeof *set, set) == 0;
}

uint32_t processors_count(void)
{
    cpu_set_t set;
    long online = allowed(&set) ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN); /* more than a set has room for */
    return online > 0 ? (uint32_t)online : 1;
}

struct processors processors_divide(uint32_t threads)
{
    struct processors processors = {.first = sched_getcpu()};
    cpu_set_t set;
    if (threads < 2 || processors.first < 0 || !allowed(&set))
        return processors;
    uint32_t count = (uint32_t)CPU_COUNT(&set);
    if (count < threads || count / 2 >= threads)
        return processors;
    memcpy(processors.all, &set, sizeof set);
    processors.threads = threads;
    return processors;
}

void processors_use(const struct processors *all, uint32_t thread)
{
    cpu_set_t set, part;
    uint32_t seen = 0;
    if (all->threads == 0)
        return;
    memcpy(&set, all->all, sizeof set);
    CPU_ZERO(&part);
    for (int i = 0; i < CPU_SETSIZE; i++) {
        int processor = (all->first + i) % CPU_SETSIZE;
        if (CPU_ISSET(processor, &set) && seen++ % all->threads == thread)
            CPU_SET(processor, &part);
    }
    (void)sched_setaffinity(0, sizeof part, &part); /* refused: it is where the system puts it */
}

void processors_use_all(const struct processors *all)
{
    cpu_set_t set;
    memcpy(&set, all->all, sizeof set);
    if (all->threads > 0)
        (void)sched_setaffinity(0, sizeof set, &set);
}
#else
uint32_t processors_count(void)
{
    return 1;
}

struct processors processors_divide(uint32_t threads)
{
    (void)threads;
    return (struct processors){.threads = 0};
}

void processors_use(const struct processors *all, uint32_t thread)
{
    (void)all;
    (void)thread;
}

void processors_use_all(const struct processors *all)
{
    (void)all;
}
#endif
