/*
 * run_measures_pfc.h - measures of flow control and lossless classes: pauses, headroom, losses, deadlock. A run without
 * lossless classes has none of them.
 */
#ifndef WEIR_RUN_MEASURES_PFC_H
#define WEIR_RUN_MEASURES_PFC_H

#include "run_measures.h"

void run_measures_pfc(struct measures *measures, const struct run_result *result);

#endif
