/*
 * failing_alloc.h - memory that runs short at a chosen allocation, and the count of what is still held.
 *
 * Linked with --wrap for malloc, calloc, realloc, aligned_alloc and free, so that every call of the program and of the
 * static libraries in it comes by here (calls inside of shared libraries do not). Use:
 *
 *   failing_alloc_start(n);                   from here on, the n-th allocation fails; 0: none
 *   ... the code under test ...
 *   bool failed = failing_alloc_stop();       whether it came to that; failing_alloc_held() is what was not freed
 */
#ifndef TESTS_SUPPORT_FAILING_ALLOC_H
#define TESTS_SUPPORT_FAILING_ALLOC_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct failing_alloc {
    _Atomic uint64_t asked; /* allocations since the start, of all threads */
    uint64_t fail_at;       /* 0: never */
    _Atomic int64_t held;   /* blocks taken and not freed since the start */
};

static struct failing_alloc failing_alloc;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);

static inline void failing_alloc_start(uint64_t fail_at)
{
    failing_alloc = (struct failing_alloc){.fail_at = fail_at};
}

static inline bool failing_alloc_stop(void)
{
    bool failed = failing_alloc.fail_at > 0 && failing_alloc.asked >= failing_alloc.fail_at;
    failing_alloc.fail_at = 0;
    return failed;
}

static inline int64_t failing_alloc_held(void)
{
    return failing_alloc.held;
}

static inline bool failing_alloc_fails(void)
{
    return ++failing_alloc.asked == failing_alloc.fail_at;
}

static inline void *failing_alloc_taken(void *memory)
{
    failing_alloc.held += memory != NULL;
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return failing_alloc_fails() ? NULL : failing_alloc_taken(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return failing_alloc_fails() ? NULL : failing_alloc_taken(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
    if (failing_alloc_fails())
        return NULL;
    void *larger = __real_realloc(memory, size);
    return memory == NULL ? failing_alloc_taken(larger) : larger;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return failing_alloc_fails() ? NULL : failing_alloc_taken(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *memory)
{
    failing_alloc.held -= memory != NULL;
    __real_free(memory);
}

#endif
