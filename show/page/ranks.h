/*
 * ranks.h - what ranks of jobs did over time, as a page: a row for each rank, and below them the critical path.
 * page_ranks.js draws the rows and zooms; the table and sentences are in the markup.
 */
#ifndef SHOW_PAGE_RANKS_H
#define SHOW_PAGE_RANKS_H

#include <stdio.h>

#include "run/measures/run_path.h"

/* Writes all of it; what went wrong shows in ferror(out). False: out of memory. */
bool ranks_page_put(const struct run_result *result, const char *version, FILE *out);

#endif
