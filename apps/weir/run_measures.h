/*
 * run_measures.h - the result of one run as measures: every number and curve that is stored, by its name. The
 * list of names is in docs/measures.md.
 */
#ifndef WEIR_RUN_MEASURES_H
#define WEIR_RUN_MEASURES_H

#include "results/measures.h"
#include "run_result.h"

/* False: out of memory. Release with measures_free either way. */
bool run_measures_make(struct measures *measures, const struct run_result *result);

#endif
