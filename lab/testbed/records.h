/*
 * records.h - what weir-traffic wrote down about flows, as the simulator's records. A flow has two rows: that
 * of its client, which asked for the data and knows the times, and that of its server, which sent it and knows what TCP
 * did. Timeouts are those of both: a lost request delays a flow as lost data does.
 */
#ifndef TESTBED_RECORDS_H
#define TESTBED_RECORDS_H

#include "lab/testbed/testbed.h"
#include "sim/net/records.h"

#define TESTBED_TIMEOUTS_UNKNOWN UINT32_MAX /* of a record: kernels before 6.7 do not count them */

/* One file. Rows of both kinds may come in any order, over several calls. Times are divided by the testbed's scale.
 * False and one line in `error` when it is not such a file, or does not fit the scenario. */
bool testbed_records_add(struct records *records, const char *path, const struct scenario *scenario,
                         struct weir_error *error);

/* When all files were added: one record per flow, by id, with its ideal times. */
bool testbed_records_finish(struct records *records, const struct scenario *scenario, struct weir_error *error);

#endif
