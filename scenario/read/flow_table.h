/*
 * flow_table.h - flows from a table whose header names its columns: start, source, destination, bytes and, if there is
 * one, tag, in any order. Times and sizes have units, in the header ("start_us") or with the number ("5us"). Also the
 * flow files of HPCC's simulator: their number, then source, destination, priority, port, bytes, start in seconds.
 */
#ifndef SCENARIO_READ_FLOW_TABLE_H
#define SCENARIO_READ_FLOW_TABLE_H

#include "scenario/read/read.h"
#include "sim/workload/flow_list.h"

/* The text begins with a header, or as HPCC's files do. */
bool flow_table_is(const char *text, size_t size);

/* Into a list that is empty, ordered by start. False after an error: then the list is empty. */
bool flow_table_read(struct listed_flows *list, const char *text, size_t size, const struct flow_list_setup *setup,
                     struct build *build);

#endif
