/*
 * timeline.h - the timeline of a buffer as a page in the style of reports. Its strips and tables are in the markup, so
 * that they are there on paper and without script; page_timeline.js moves through the steps.
 */
#ifndef SHOW_PAGE_TIMELINE_H
#define SHOW_PAGE_TIMELINE_H

#include <stdio.h>

#include "lib/trace/timeline.h"

struct timeline_page {
    const struct timeline *timeline;
    const struct replay_report *replay;
    const char *title;   /* the trace's file; a text of others */
    const char *version; /* of weir, with its commit */
};

/* Writes all of it; what went wrong shows in ferror(out). False: out of memory. */
bool timeline_page_put(const struct timeline_page *page, FILE *out);

#endif
