/*
 * run.h - one run as text: tables for a terminal, JSON, CSV.
 */
#ifndef SHOW_WRITERS_RUN_H
#define SHOW_WRITERS_RUN_H

#include "cli/cli.h"
#include "cli/data_frame.h"
#include "cli/output.h"
#include "run/measures/run_result.h"

/* The result, as printed: tables one after the other. */
#define RUN_TABLES_MAX 6u
struct run_tables {
    struct data_frame *frame[RUN_TABLES_MAX];
    uint32_t count;
};
int run_tables_make(struct run_tables *tables, const struct run_result *result);
void run_tables_put(struct run_tables *tables, const struct run_result *result);
void run_tables_free(struct run_tables *tables);

/* Null: out of memory. */
json_t *run_json(const struct run_result *result);

/* One row per tag and range of sizes; per flow; per point of a series; per queue that lost or marked packets; per port
 * and class that took part in flow control. False: out of memory. */
bool run_csv_tags(const struct run_result *result, FILE *out);
bool run_csv_records(const struct run_result *result, FILE *out);
bool run_csv_series(const struct run_result *result, FILE *out);
bool run_csv_losses(const struct run_result *result, FILE *out);
bool run_csv_pauses(const struct run_result *result, FILE *out);

/* Of jobs whose history was kept: trace events as JSON; a row per operation. Flows that are not endless: as
 * `kind: list` reads them; as a connection matrix of htsim. False: out of memory. */
bool run_timeline_events(const struct run_result *result, FILE *out);
bool run_timeline_csv(const struct run_result *result, FILE *out);
bool run_flows_list(const struct run_result *result, FILE *out);
bool run_flows_cm(const struct run_result *result, FILE *out);

#endif
