/*
 * arena.h - memory that is freed all at once. A scenario is a tree of small pieces with one life: they come from an
 * arena, none is freed alone, and an error in the middle of reading leaks nothing.
 */
#ifndef SCENARIO_YAML_ARENA_H
#define SCENARIO_YAML_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks; /* newest first */
    size_t used;                /* bytes of the newest */
};

/* Zeroed memory, aligned for any type; null: out of memory. */
void *arena_take(struct arena *arena, size_t size);
void *arena_take_array(struct arena *arena, size_t count, size_t size);

/* A copy with a terminator; null: out of memory. */
char *arena_text(struct arena *arena, const char *text, size_t length);

void arena_free(struct arena *arena);

#endif
