/*
 * switch_watch.h - a running switch, looked at again and again: what changed since the last look, by the switch's own
 * clock.
 */
#ifndef WRITERS_SWITCH_WATCH_H
#define WRITERS_SWITCH_WATCH_H

#include <jansson.h>
#include <stdbool.h>

/* What the last look saw; all zero before the first, whose rates are means since the switch was started. */
struct switch_watch {
    json_t *counters; /* owned */
    double up_s;
    long long restarts;
};

/* Prints what the replies to `status` and `counters` (released) add to the last look: a screen for people, or one line.
 * An exit code. */
int switch_watch_show(struct switch_watch *watch, json_t *status, json_t *counters, bool screen);

void switch_watch_free(struct switch_watch *watch);

#endif
