/*
 * switch_status.h - replies of a running switch (switch/control) as text.
 */
#ifndef WRITERS_SWITCH_STATUS_H
#define WRITERS_SWITCH_STATUS_H

#include <jansson.h>

/* Exit codes. */
int switch_status_show(const json_t *reply);
int switch_counters_show(const json_t *reply);

#endif
