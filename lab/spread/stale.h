/*
 * stale.h - results that are older than what they were made of: the code of this weir, or the scenario beside them.
 */
#ifndef LAB_SPREAD_STALE_H
#define LAB_SPREAD_STALE_H

#include "lab/store/table.h"

/* Says on standard error, in a line each, that runs of the table are of other code than this weir's, and that the
 * scenario file has other figures or claims by now. Nothing is wrong with either, but `weir run` would change it. */
void stale_warn(const struct table *table);

#endif
