/*
 * online.h - a forest that learns while it is asked: it is grown again from the newest rows whenever enough of them
 * have come. It belongs to one MMU and to one thread, since what it answers changes with the rows that it is given.
 *
 * Memory is bounded by `rows`, and so is the time of growing, once in `every` rows. Rows without any loss teach
 * nothing, so that the forest before stays; before the first one all is kept.
 */
#ifndef FOREST_ONLINE_H
#define FOREST_ONLINE_H

#include "rows.h"
#include "score.h"

struct forest_online_settings {
    uint32_t every; /* rows from one forest to the next */
    uint32_t rows;  /* it is grown from, at most: the newest */
    uint32_t trees, depth;
};

#define FOREST_ONLINE_ROWS_MIN 100u
#define FOREST_ONLINE_ROWS_MAX 10000000u

void forest_online_settings_init(struct forest_online_settings *settings);

struct forest_online {
    struct weir_oracle base;
    struct forest_online_settings settings;
    uint64_t seed;
    const struct forest *first;     /* answers until the first is grown; null: all is kept. Must outlive it */
    const struct forest *answer;    /* the forest that is asked now; may be null */
    struct forest *grown;           /* that one, if it was grown here */
    struct forest_rows window;      /* the newest rows; once full, a ring */
    uint64_t taken;                 /* rows so far */
    uint64_t lost;                  /* of the rows in the window */
    uint64_t forests;               /* grown so far */
    struct forest_confusion judged; /* what was answered to each row, before it was learnt from */
};

/* Release it with forest_online_free, which may be called twice. */
void forest_online_init(struct forest_online *online, const struct forest_online_settings *settings, uint64_t seed,
                        const struct forest *first);
void forest_online_free(struct forest_online *online);

/* Forgets all, as after init. */
void forest_online_reset(struct forest_online *online);

/* The next row. False: out of memory. */
bool forest_online_take(struct forest_online *online, const int64_t feature[WEIR_FEATURE_COUNT], bool lost);

#endif
