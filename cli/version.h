/*
 * version.h - which weir this is.
 */
#ifndef CLI_VERSION_H
#define CLI_VERSION_H

#include <stdbool.h>

struct weir_policy;

/* "1.2.3+1a2b3c4d5e", with "-dirty" behind it when the tree had changes; without the commit where the source has no
 * history. */
const char *version_text(void);

/* The tree that this version was built from had changes. */
bool version_is_dirty(const char *version);

/* Digests of the source that decides results, made by tools/codedigest: what all simulations share, or all runs on
 * real packets; what is one policy's own, which of a plug-in is its file. Equal sources have equal digests, in whatever
 * folder, commit or build. */
const char *version_of_code(bool real);
const char *version_of_policy(const struct weir_policy *policy);

/* Goes into the ids of runs: raised when the same scenario gives other numbers than before, so that results of both are
 * not taken for the same. */
#define VERSION_OF_RESULTS "1"

#endif
