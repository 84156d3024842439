/*
 * violations.h - which runs of a file have something in them that must not happen: a lossless class that lost a packet,
 * or a deadlock, which their scenario does not expect. Such a run is stored like any other, so that code that shows
 * results has to say so.
 */
#ifndef LAB_STORE_VIOLATIONS_H
#define LAB_STORE_VIOLATIONS_H

#include "lab/store/table.h"

#define VIOLATION_TEXT_MAX 384u

/* How many runs have any. */
uint32_t violations_count(const struct table *table);

/* The first such run from number `from` on; UINT32_MAX: there is no more. */
uint32_t violations_next(const struct table *table, uint32_t from);

/* "policy=dt, seed 1: lost 3 packets of lossless classes, deadlock from 49.1us on". */
const char *violation_text(const struct table *table, uint32_t run, char text[VIOLATION_TEXT_MAX]);

#endif
