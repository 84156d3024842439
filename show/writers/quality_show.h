/*
 * quality_show.h - what `weir train` and `weir predict` print.
 */
#ifndef WRITERS_QUALITY_SHOW_H
#define WRITERS_QUALITY_SHOW_H

#include "lib/learning/quality.h"

/* To stdout; an exit code. */
int quality_show(const struct quality_report *report, bool json);

#endif
