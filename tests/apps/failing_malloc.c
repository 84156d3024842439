/*
 * failing_malloc.c - for LD_PRELOAD: the n-th allocation of a process fails, n being the value of WEIR_FAIL_ALLOC.
 *
 * Every allocation of the process comes by here, those of the C library, of jansson and of zstd included. Counting
 * starts when this library is set up, which is before main and after the dynamic linker's own work. At the end of the
 * process the number of allocations goes to the file named by WEIR_COUNT_ALLOC, so that a test knows how far to go.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned long allocations;
static unsigned long fail_at; /* 0: never */

__attribute__((constructor)) static void start_counting(void)
{
    const char *text = getenv("WEIR_FAIL_ALLOC");
    fail_at = text != NULL ? strtoul(text, NULL, 10) : 0;
    allocations = 0;
}

__attribute__((destructor)) static void report_count(void)
{
    const char *path = getenv("WEIR_COUNT_ALLOC");
    char line[32];
    int fd = path != NULL ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (fd < 0)
        return;
    int length = snprintf(line, sizeof line, "%lu\n", allocations);
    (void)!write(fd, line, (size_t)length);
    close(fd);
}

static int fails(void)
{
    allocations++;
    if (allocations != fail_at)
        return 0;
    errno = ENOMEM;
    return 1;
}

/* The next definition of `name`, put where a pointer to a function is: C has no cast from one to the other. */
static void find_next(void *function, const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

void *malloc(size_t size)
{
    static void *(*next)(size_t);
    if (next == NULL)
        find_next(&next, "malloc");
    return fails() ? NULL : next(size);
}

void *calloc(size_t count, size_t size)
{
    static void *(*next)(size_t, size_t);
    if (next == NULL)
        find_next(&next, "calloc");
    return fails() ? NULL : next(count, size);
}

void *realloc(void *memory, size_t size)
{
    static void *(*next)(void *, size_t);
    if (next == NULL)
        find_next(&next, "realloc");
    return fails() ? NULL : next(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    static void *(*next)(size_t, size_t);
    if (next == NULL)
        find_next(&next, "aligned_alloc");
    return fails() ? NULL : next(alignment, size);
}
