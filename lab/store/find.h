/*
 * find.h - which file of results is meant: by its own name, or by that of the scenario that was run.
 */
#ifndef LAB_STORE_FIND_H
#define LAB_STORE_FIND_H

#include "scenario/experiment/experiment.h"

/* `path` itself, or, of a scenario, the file that `weir run` names after it in this folder: full size goes before
 * quick. A text of the arena; null after an error, which says where results are if they are not there. */
const char *find_results(struct arena *arena, const char *path, struct weir_error *status);

/* An ordinary file that may be a scenario, for the caller to free; null: none, or it cannot be read. */
char *find_scenario_text(const char *path, size_t *size);

#endif
