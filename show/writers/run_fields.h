/*
 * run_fields.h - the numbers of flows and of queries as JSON and CSV show them: one list per struct, so that a number,
 * its key and its column stand together. Times are in picoseconds.
 */
#ifndef TABLES_RUN_FIELDS_H
#define TABLES_RUN_FIELDS_H

#include <jansson.h>
#include <stdio.h>

#include "sim/summary.h"

enum run_field_kind { RUN_FIELD_COUNT, RUN_FIELD_BYTES, RUN_FIELD_REAL, RUN_FIELD_SAMPLE };

struct run_field {
    const char *json;    /* key */
    const char *csv;     /* column, of a sample what it begins with; null: it has none */
    const char *csv_end; /* of a sample: behind the name of the statistic, "_ps" */
    enum run_field_kind kind;
    size_t offset; /* of a uint64_t, int64_t, double or struct statistics */
};

#define RUN_FLOW_FIELDS 10u
#define RUN_QUERY_FIELDS 6u
extern const struct run_field run_flow_fields[RUN_FLOW_FIELDS];   /* of struct summary_flows */
extern const struct run_field run_query_fields[RUN_QUERY_FIELDS]; /* of struct summary_groups */

/* An object; an empty sample is null. A sample with unfinished members says which of its statistics are lower bounds
 * and which leave them out. */
json_t *run_fields_json(const struct run_field *fields, uint32_t count, const void *of);

/* Each field has a comma before it. `of` null: the columns are empty. */
void run_fields_csv_heading(const struct run_field *fields, uint32_t count, FILE *out);
void run_fields_csv(const struct run_field *fields, uint32_t count, const void *of, FILE *out);

#endif
