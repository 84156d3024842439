/*
 * quality.h - how good a forest is as a page in the style of reports: scores, confusion matrix, ROC curve, calibration
 * and what its features are worth.
 */
#ifndef SHOW_PAGE_QUALITY_H
#define SHOW_PAGE_QUALITY_H

#include <stdio.h>

#include "cli/data_frame.h"
#include "lib/learning/quality.h"

struct quality_page {
    const struct quality_report *quality;
    const char *title;   /* the model's file, or the rows'; a text of others */
    const char *version; /* of weir, with its commit */
};

/* Writes all of it; what went wrong shows in ferror(out). False: out of memory. */
bool quality_page_put(const struct quality_page *page, FILE *out);

/* For text: the scores, and what LQD did against what was predicted. */
struct data_frame *quality_scores_frame(const struct quality_report *report);
struct data_frame *quality_confusion_frame(const struct forest_confusion *confusion);

/* Of Definition 1; NaN: not known, or nothing is left of what FollowLQD may send. */
double quality_eta(const struct quality_report *report);

#endif
