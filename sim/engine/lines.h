/*
 * lines.h - memory that shares no cache line with any other. What one thread writes beside what another one reads costs
 * both of them as much as if they shared it, and processors fetch lines in pairs.
 */
#ifndef SIM_ENGINE_LINES_H
#define SIM_ENGINE_LINES_H

#include <stdlib.h>
#include <string.h>

#define LINES_APART 128u /* a pair of cache lines */

/* For free(); null: out of memory. */
static inline void *lines_take(size_t bytes)
{
    size_t whole = (bytes + LINES_APART - 1) / LINES_APART * LINES_APART;
    return whole >= bytes ? aligned_alloc(LINES_APART, whole) : NULL;
}

/* The same, zeroed. */
static inline void *lines_new(size_t bytes)
{
    void *memory = lines_take(bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

#endif
