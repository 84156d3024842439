/*
 * run_places.h - where packets were lost and marked, and how full memories got: the part of a result that is about
 * switches.
 */
#ifndef MEASURES_RUN_PLACES_H
#define MEASURES_RUN_PLACES_H

#include "measures/run_result.h"

/* Fills losses, places, memories and what packets were lost in all. False: out of memory. */
bool run_places_add(struct run_result *result);

#endif
