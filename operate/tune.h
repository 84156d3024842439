/*
 * tune.h - searches Kmin, Kmax and Pmax of the WRED profiles of lossless queues, and alpha of lossless groups, for a
 * goal under given traffic. Each candidate is one simulation; all of them are the picture of what one pays for what.
 */
#ifndef OPERATE_TUNE_H
#define OPERATE_TUNE_H

#include "operate/evaluate/evaluate.h"
#include "operate/suggest.h"

enum tune_goal {
    TUNE_P99,    /* the smallest 99th percentile of completion times */
    TUNE_MEAN,   /* the smallest mean of them */
    TUNE_PAUSES, /* peers are held for the shortest time, and the 99th percentile is at most 5 % above the best */
};

#define TUNE_PROFILES 4u
#define TUNE_POINTS 512u

struct tune_setting {
    int64_t low, high, percent; /* Kmin, Kmax in bytes; Pmax in per cent */
    int64_t dynamic_th;         /* SONIC_ABSENT: as configured, since no table has it */
};

struct tune_point {
    struct tune_setting setting;
    double p99_us, mean_us, held_us; /* of the slowest tag; of all peers and lossless classes */
    uint64_t marked, pauses, lost, unfinished;
    bool is_front; /* no other has both less p99 and less time held */
};

struct tuned {
    const char *wred[TUNE_PROFILES], *profile[TUNE_PROFILES]; /* what is changed, in WRED_PROFILE and BUFFER_PROFILE */
    bool apart[TUNE_PROFILES];                                /* its marks have thresholds of their own */
    uint32_t wreds, profiles;
    struct tune_point point[TUNE_POINTS]; /* the first: as configured */
    uint32_t points, best;
    struct arena arena;
};

/* At most so many simulations. An exit code; an error has been printed. Release it either way. */
int tune_search(struct tuned *tuned, const struct suggest_source *source, enum tune_goal goal,
                const struct evaluate_wish *wish, uint32_t budget);
void tune_free(struct tuned *tuned);

/* The changes of a point, as --set takes them; how many. */
uint32_t tune_changes(const struct tuned *tuned, const struct tune_setting *setting,
                      char sets[SUGGEST_SETS][SUGGEST_TEXT]);

#endif
