/*
 * measures.h - the result of one run as measures: every number and curve that is stored, by its name. Which there are
 * is in measures.def.
 */
#ifndef MEASURES_MEASURES_H
#define MEASURES_MEASURES_H

#include "run/measures/run_result.h"
#include "run/measures/values.h"

/* False: out of memory. Release with measures_free either way. */
bool run_measures_make(struct measures *measures, const struct run_result *result);

#endif
