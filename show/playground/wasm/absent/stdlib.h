/*
 * stdlib.h - the library's, and realpath where there are no paths (WASI): every one is refused.
 */
#ifndef ABSENT_STDLIB_H
#define ABSENT_STDLIB_H

#include_next <stdlib.h>

#include <errno.h>

static inline char *realpath(const char *path, char *whole)
{
    (void)path;
    (void)whole;
    errno = ENOSYS;
    return NULL;
}

#endif
