/*
 * deadlock.h - finds switches that wait for one another for ever: cyclic buffer dependency under PFC.
 *
 * A wait is an output port of a switch and a class that its peer has paused while packets wait for it. It lasts until
 * the peer has sent on what came in by that port, which sits in output queues of the peer, some of which may be waits
 * themselves. A set of waits is a deadlock when every cell that each of them waits for sits in a queue of the set:
 * nothing outside can make it move. The largest such set is what is left when waits with a way out are taken away until
 * there is none. Hosts have no part in it: a held host waits, but nothing waits for a host.
 *
 * The network is looked at at fixed times, between windows, and once more at the end. A deadlock is reported when all
 * of it was there at an earlier look too and has not moved since, for at least as long as a frame takes on the slowest
 * link to be obeyed: what a resume under way is about to dissolve is none. At the end, queues that were held for so
 * long will do, since no other look follows.
 */
#ifndef SIM_DEADLOCK_H
#define SIM_DEADLOCK_H

#include "weir/types.h"

struct sim;
struct deadlock;

/* For a simulation whose nodes are built; sets sim->settled_ps, of which ranks agree on the longest. Null: out of
 * memory. */
struct deadlock *deadlock_new(struct sim *sim);
void deadlock_free(struct deadlock *deadlock);

/* When to look next; WEIR_NEVER without lossless classes, or when the question was not asked. */
weir_ps deadlock_next(const struct sim *sim);

/* Looks, if it is time to, after everything before sim->now has happened. True: the run is to end here. */
bool deadlock_look(struct sim *sim);

/* Looks at the end of the run, however long the last look is ago. */
void deadlock_look_last(struct sim *sim);

#endif
