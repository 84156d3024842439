/*
 * suggest.h - searches settings for a goal: thresholds, pools and headroom are changed, each candidate is evaluated as
 * evaluate.h does, and the best is shown with what it costs.
 */
#ifndef OPERATE_SUGGEST_H
#define OPERATE_SUGGEST_H

#include "operate/evaluate/evaluate.h"

enum suggest_goal {
    SUGGEST_NO_LOSS, /* no packet of a lossless class is lost; then, as much as possible before it pauses */
    SUGGEST_BURST, /* the most cells of a lossless group before it pauses, and of a lossy queue before it drops, of all
                    * candidates that lose no more than the configuration does */
    SUGGEST_P99,   /* the smallest 99th percentile of completion times under the traffic, likewise */
};

#define SUGGEST_SETS 16u
#define SUGGEST_TEXT 160u

/* Changes, as --set takes them. */
struct suggest_candidate {
    char set[SUGGEST_SETS][SUGGEST_TEXT];
    uint32_t sets;
};

struct suggest_found {
    struct suggest_candidate best; /* no sets: the configuration itself */
    uint32_t tried;
};

/* Opens the configuration with changes: an exit code. */
struct suggest_source {
    const char *path, *lookup;
    const struct sonic_given *given;
};

/* An exit code; an error has been printed. */
int suggest_search(struct suggest_found *found, const struct suggest_source *source, enum suggest_goal goal,
                   const struct evaluate_wish *wish);

#endif
