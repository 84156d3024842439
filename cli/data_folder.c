/*
 * data_folder.c - see data_folder.h.
 */
#define _GNU_SOURCE 1
#include "cli/data_folder.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Beside the program: of an installation, and of a tree that it was built in (build/release, or build), for programs
 * of apps/ and for those of tests/. */
static const char *const beside_program[] = {"../share/weir",  "../../../..", "../../../../operate",
                                             "../../../../hw", "../../..",    "../../../operate",
                                             "../../../hw"};

char *cli_data_folder(const char *name)
{
    char program[PATH_MAX], *path = NULL;
    struct stat about;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash = length > 0 ? memrchr(program, '/', (size_t)length) : NULL;
    if (slash == NULL)
        return NULL;
    *slash = '\0';
    for (size_t i = 0; i < sizeof beside_program / sizeof beside_program[0]; i++) {
        if (asprintf(&path, "%s/%s/%s", program, beside_program[i], name) < 0)
            return NULL;
        char *real = stat(path, &about) == 0 && S_ISDIR(about.st_mode) ? realpath(path, NULL) : NULL;
        bool is_short = real == NULL && errno == ENOMEM;
        free(path);
        if (real != NULL || is_short)
            return real;
    }
    return NULL;
}
