/*
 * guard.h - sees to it that a testbed is taken down, whatever becomes of the process that makes it: a second
 * process, forked before anything is made, which waits for the first one to say that all is well, or to be gone.
 *
 *   guard_set   before testbed_up        guard_lift   the testbed is down, or is meant to stay
 */
#ifndef TESTBED_GUARD_H
#define TESTBED_GUARD_H

#include "lab/testbed/testbed.h"

struct testbed_guard {
    int pid, fd; /* the guard, and what it listens to */
};

/* There is one guard of a name at a time: it waits a moment for one that still tidies up. False and one line in
 * `error` also when something of that name is there. */
bool testbed_guard_set(struct testbed_guard *guard, const char *name, struct weir_error *error);
void testbed_guard_lift(struct testbed_guard *guard);

#endif
