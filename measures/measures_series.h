/*
 * measures_series.h - the part of a run's measures that comes from series over time, and from comparing receivers.
 */
#ifndef MEASURES_MEASURES_SERIES_H
#define MEASURES_MEASURES_SERIES_H

#include "measures/run_result.h"
#include "measures/values.h"

/* Adds goodput.*, received.jain and probe.*. False: out of memory. */
bool run_measures_series(struct measures *measures, const struct run_result *result);

#endif
