/*
 * run_frames.h - the result of one run as data frames. Numbers of tags, losses and flow control have the names that
 * measures.def gives them.
 */
#ifndef WRITERS_RUN_FRAMES_H
#define WRITERS_RUN_FRAMES_H

#include "cli/data_frame.h"
#include "run/measures/run_result.h"
#include "run/measures/values.h"

/* The measures of a run, to be found by their names. */
struct run_numbers {
    struct measures measures;
    const struct measure_value **sorted; /* [measures.value_count] */
};

/* False: out of memory. Free either way. */
bool run_numbers_make(struct run_numbers *numbers, const struct run_result *result);
void run_numbers_free(struct run_numbers *numbers);

/* A row per tag, and per range of flow sizes where a tag has several: every measure of tags, the range as bytes. It
 * outlives the numbers. */
struct data_frame *run_frame_tags(const struct run_result *result, const struct run_numbers *numbers);

/* The same as text, one frame for each of these that a tag has. */
enum run_view { RUN_FLOWS, RUN_SIZES, RUN_QUERIES, RUN_AGAIN, RUN_PACKETS, RUN_VIEWS };
bool run_has_view(const struct run_result *result, const struct run_numbers *numbers, enum run_view view);
struct data_frame *run_frame_view(const struct run_result *result, const struct run_numbers *numbers,
                                  enum run_view view);

/* Measures that are lower bounds, "bound", or leave unfinished ones out, "partial": an object. */
struct data_frame *run_frame_censored(const struct run_numbers *numbers);

/* A row per queue that lost or marked packets, all or those that text shows, behind the sum of all; per MMU, all or the
 * fullest; per port and class that took part in flow control. */
struct data_frame *run_frame_losses(const struct run_result *result, bool all);
struct data_frame *run_frame_memories(const struct run_result *result, bool all);
struct data_frame *run_frame_pauses(const struct run_result *result);

/* How many queues text shows. */
#define RUN_PLACES_SHOWN 8u

/* Flows, and points of series, which are too many for one frame: rows are written as they are added. */
struct flow_record;
#define RUN_RECORD_COLUMNS 16u
extern const struct data_column run_record_columns[RUN_RECORD_COLUMNS];
void run_frame_record(struct data_frame *records, const struct flow_record *record, const char *tag);

#endif
