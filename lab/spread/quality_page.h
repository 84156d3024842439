/*
 * quality_page.h - the page of weir train and weir predict, as a file.
 */
#ifndef LAB_SPREAD_QUALITY_PAGE_H
#define LAB_SPREAD_QUALITY_PAGE_H

#include "lib/learning/quality.h"

/* An exit code; `title` names the forest. */
int quality_page_write(const char *path, const char *title, const struct quality_report *quality);

#endif
