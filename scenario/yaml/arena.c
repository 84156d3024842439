/*
 * arena.c - see arena.h. Blocks of at least ARENA_BLOCK bytes in a list; a piece is cut from the newest one.
 */
#include "scenario/yaml/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK ((size_t)16384)
#define ARENA_ALIGN sizeof(max_align_t)

struct arena_block {
    struct arena_block *next;
    size_t size;
    _Alignas(max_align_t) unsigned char bytes[];
};

void *arena_take(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    if (arena->blocks == NULL || arena->blocks->size - arena->used < size) {
        size_t room = size > ARENA_BLOCK ? size : ARENA_BLOCK;
        struct arena_block *block = calloc(1, sizeof *block + room);
        if (block == NULL)
            return NULL;
        block->next = arena->blocks;
        block->size = room;
        arena->blocks = block;
        arena->used = 0;
    }
    void *memory = arena->blocks->bytes + arena->used;
    arena->used += size;
    return memory;
}

void *arena_take_array(struct arena *arena, size_t count, size_t size)
{
    return size != 0 && count > SIZE_MAX / size ? NULL : arena_take(arena, count * size);
}

char *arena_text(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_take(arena, length + 1);
    if (copy != NULL)
        memcpy(copy, text, length);
    return copy;
}

void arena_free(struct arena *arena)
{
    while (arena->blocks != NULL) {
        struct arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
    arena->used = 0;
}
