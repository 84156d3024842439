/*
 * version.c - see version.h. The build writes version_commit.h, so that a new commit compiles this file and no other.
 */
#include "cli/version.h"

#include <stdbool.h>
#include <string.h>

#include "version_commit.h"

const char *version_text(void)
{
    bool unknown = strcmp(VERSION_COMMIT, VERSION_NUMBER) == 0; /* what the build writes without a commit */
    return unknown ? VERSION_NUMBER : VERSION_NUMBER "+" VERSION_COMMIT;
}
