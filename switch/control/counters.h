/*
 * counters.h - counters as JSON, under SAI's names: the reply to `weir switch counters`.
 */
#ifndef CONTROL_COUNTERS_H
#define CONTROL_COUNTERS_H

#include <jansson.h>

#include "switch/control/request.h"
#include "switch/control/snapshot.h"

/* {"ok": true, "ports": [...], "queues": [...], "groups": [...], "inputs": [...], "pools": [...]}: of the port and
 * class that the request names, or of all. Watermarks are objects with one value per view. Null: out of memory. */
json_t *switch_counters_json(const struct switch_snapshot *snapshot, const struct switch_request *request);

#endif
