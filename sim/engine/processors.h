/*
 * processors.h - the processors that a program may use, and which of them each thread of a run does. Threads that wait
 * for one another gain nothing on one processor, but systems may put them there: who waits looks idle. So processors
 * are divided where there are hardly more than threads: no two threads of a run share one, and each may move among
 * those that it has. With two or more for each thread there is room, and the system knows better which are near.
 */
#ifndef SIM_ENGINE_PROCESSORS_H
#define SIM_ENGINE_PROCESSORS_H

#include <stdint.h>

/* How many the calling thread may use; 1 when the system does not tell. */
uint32_t processors_count(void);

/* Those of one run. */
struct processors {
    uint64_t all[16]; /* a bit for each, as the system has them */
    int32_t first;    /* the caller's */
    uint32_t threads; /* 0: nothing is divided */
};

/* Those that the calling thread may use now, for so many threads. If there are fewer, or twice as many, or the system
 * does not tell, nothing is divided: the calls below do nothing. */
struct processors processors_divide(uint32_t threads);

/* The calling thread is number `thread`, and uses its part only. */
void processors_use(const struct processors *all, uint32_t thread);

/* The calling thread may use all of them again. */
void processors_use_all(const struct processors *all);

#endif
