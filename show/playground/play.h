/*
 * play.h - a scenario as a film: it is simulated, and everything that its first switch did to its buffer becomes a row
 * of numbers, step by step, for somebody to move through. The playground shows it (page/), two of them side by side.
 *
 * The simulation runs as it does everywhere, with a trace of the first MMU. The trace is then replayed and watched, as
 * `weir replay --timeline` does, since lengths and thresholds are not in it.
 */
#ifndef SHOW_PLAYGROUND_PLAY_H
#define SHOW_PLAYGROUND_PLAY_H

#include <stdio.h>

#include "weir/error.h"
#include "weir/types.h"

#define PLAY_ROWS_MAX 100000u /* a film that would be longer ends there */
#define PLAY_NONE (-1)

enum play_kind {
    PLAY_ENTERED,
    PLAY_REFUSED,
    PLAY_SENT,
    PLAY_PUSHED_OUT,
    PLAY_EXPELLED,
    PLAY_DROPPED, /* when about to leave, or flushed */
    PLAY_PAUSED,  /* an input */
    PLAY_RESUMED,
    PLAY_KINDS
};

/* A row: these columns, then for each output port and for each input port the ones below. */
enum play_column {
    PLAY_TIME_NS,
    PLAY_KIND,     /* enum play_kind */
    PLAY_OUTPUT,   /* output port, or PLAY_NONE */
    PLAY_INPUT,    /* input port, or PLAY_NONE */
    PLAY_CELLS,    /* of the packet */
    PLAY_REASON,   /* of a refusal: enum weir_reason */
    PLAY_USED,     /* cells of the buffer, after the step */
    PLAY_HEADROOM, /* of these, in the headroom pool */
    PLAY_COLUMNS
};

enum play_output_column {
    PLAY_HELD,  /* cells, in all classes */
    PLAY_LIMIT, /* the policy's threshold, cells; PLAY_NONE: it has none, or several classes have several */
    PLAY_MODE,  /* number of the name of its mode, or PLAY_NONE */
    PLAY_OUTPUT_COLUMNS
};

enum play_input_column {
    PLAY_INPUT_HELD,     /* cells charged to the input's lossless classes */
    PLAY_INPUT_HEADROOM, /* of these, in the headroom pool */
    PLAY_INPUT_LIMIT,    /* where the longest of its lossless queues is paused */
    PLAY_INPUT_PAUSED,   /* 1: some class, 2: the whole port */
    PLAY_INPUT_COLUMNS
};

#define PLAY_MODES_MAX 8u

struct play_film {
    uint64_t digest;  /* of the simulation: as `weir run` prints it */
    uint64_t offered; /* a hash of what came to the switch when: equal where two films show the same packets */
    uint32_t outputs, inputs, columns; /* inputs: 0 unless some class is lossless */
    uint32_t cell_bytes;
    weir_cells buffer_cells, headroom_cells;
    bool lossless;
    bool cut; /* there was more than PLAY_ROWS_MAX */
    uint32_t row_count, row_room;
    int32_t *rows; /* [row_count][columns] */
    uint32_t mode_count;
    const char *modes[PLAY_MODES_MAX];
};

/* Simulates the scenario: one run, without a sweep. False with an error; release with play_free either way. */
bool play_scenario(struct play_film *film, const char *text, size_t size, struct weir_error *error);
void play_free(struct play_film *film);

/* What can be chosen, as JSON: every policy with its parameters, and the names of reasons. */
void play_catalogue(FILE *out);

#endif
