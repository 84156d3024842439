/*
 * version.h - which weir this is.
 */
#ifndef CLI_VERSION_H
#define CLI_VERSION_H

/* "0.1.0+1a2b3c4d5e", with "-dirty" behind it when the tree had changes; without the commit where the source has no
 * history. */
const char *version_text(void);

/* Goes into the ids of runs: raised when the same scenario gives other numbers than before, so that results of both are
 * not taken for the same. */
#define VERSION_OF_RESULTS "1"

#endif
