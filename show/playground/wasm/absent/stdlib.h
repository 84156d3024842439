/*
 * stdlib.h - the library's, and realpath where there are no paths (WASI): every one is refused.
 */
#ifndef ABSENT_STDLIB_H
#define ABSENT_STDLIB_H

#include_next <stdlib.h>

#include <errno.h>

/* Newer libraries declare it, and have none. */
#define realpath absent_realpath
static inline char *absent_realpath(const char *path, char *whole)
{
    (void)path;
    (void)whole;
    errno = ENOSYS;
    return NULL;
}

#endif
