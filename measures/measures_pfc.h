/*
 * measures_pfc.h - measures of flow control and lossless classes: pauses, headroom, losses, deadlock. A run without
 * lossless classes has none of them.
 */
#ifndef MEASURES_MEASURES_PFC_H
#define MEASURES_MEASURES_PFC_H

#include "measures/measures.h"

void run_measures_pfc(struct measures *measures, const struct run_result *result);

#endif
