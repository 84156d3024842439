/*
 * dlfcn.h - loading of shared objects where there is none (WASI): every file is refused.
 */
#ifndef ABSENT_DLFCN_H
#define ABSENT_DLFCN_H

#include <stddef.h>

#define RTLD_NOW 0
#define RTLD_LOCAL 0

static inline void *dlopen(const char *path, int how)
{
    (void)path;
    (void)how;
    return NULL;
}

static inline void *dlsym(void *object, const char *name)
{
    (void)object;
    (void)name;
    return NULL;
}

static inline const char *dlerror(void)
{
    return "this program cannot load files";
}

#endif
