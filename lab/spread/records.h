/*
 * records.h - the flows of a sweep in one file (--records): a row per flow of every run, with the run's place in front.
 *
 * Each child writes the rows of its run to its own file, in a folder beside the output; at the end they are put
 * together, ordered by run. So memory does not grow with the flows, the bytes do not depend on how many run at
 * once, and the file appears whole or not at all.
 */
#ifndef LAB_SPREAD_RECORDS_H
#define LAB_SPREAD_RECORDS_H

#include "cli/output.h"
#include "lab/plan/plan.h"

struct sweep_records {
    const struct plan *plan;
    struct output_file file;
    char *folder; /* of the parts; null: no records are wanted */
};

/* Before the first run; `plan` is set. An exit code; discard either way. */
int sweep_records_open(struct sweep_records *records, const char *path);

/* In the child. False after an error. */
struct sim;
bool sweep_records_write(const struct sweep_records *records, uint32_t run, const struct scenario *scenario,
                         const struct sim *sim, struct weir_error *error);

/* Puts the parts of these runs together, and the file in its place. An exit code. */
int sweep_records_finish(struct sweep_records *records, const uint32_t *runs, uint32_t count);

/* Removes what is left. */
void sweep_records_discard(struct sweep_records *records);

#endif
