/*
 * fuzz_file.h - the bytes of a fuzz target as a file, for readers that want a path.
 */
#ifndef TESTS_FUZZ_FILE_H
#define TESTS_FUZZ_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The path, the same in every call of a process: in memory where the system has a folder for that. */
static inline const char *fuzz_file(const char *ending, const void *bytes, size_t size)
{
    static char path[64];
    snprintf(path, sizeof path, "%s/weir-fuzz-%d%s", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (int)getpid(),
             ending);
    FILE *out = fopen(path, "wb");
    if (out == NULL || fwrite(bytes, 1, size, out) != size || fclose(out) != 0)
        abort();
    return path;
}

#endif
