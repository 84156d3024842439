/*
 * table.h - the results of a file in memory: experiment, and a value for every (measure, point, seed). Claims, reports
 * and exports work on this; none of them sees SQL.
 */
#ifndef LAB_STORE_TABLE_H
#define LAB_STORE_TABLE_H

#include "lab/store/store.h"

struct table_measure {
    const char *name;
    const char *unit;
};

struct table_run {
    const char *id;
    bool finished;
    uint64_t seed;
    const char *config;  /* of a finished run */
    const char *failure; /* of one that was tried; may be null */
    uint64_t digest, hops;
    double seconds; /* cost */
    uint64_t memory_bytes;
    const char *version; /* that made it */
    const char *code;    /* the same by content (code.h); empty: not known */
};

struct table {
    struct arena arena;
    const char *path;
    const char *source, *version; /* of the scenario file; of weir */
    const char *scenario;         /* YAML */
    struct experiment experiment;
    struct table_run *runs;         /* [experiment_runs] */
    uint32_t finished;              /* of them */
    uint32_t others;                /* runs in the file that have no place in this experiment: of an earlier one */
    struct table_measure *measures; /* by name */
    uint32_t measure_count;
    double *values; /* [run * measure_count + measure]; NaN: none */
};

/* `path` may be that of a scenario (find.h). False after an error; release with table_free either way. */
bool table_load(struct table *table, const char *path, struct weir_error *status);
void table_free(struct table *table);

/* Index by name; UINT32_MAX: none of the runs has it. */
uint32_t table_find(const struct table *table, const char *name);

/* The nearest name to one that is not there; null: none is near. */
const char *table_nearest(const struct table *table, const char *name);

static inline double table_value(const struct table *table, uint32_t run, uint32_t measure)
{
    return table->values[(size_t)run * table->measure_count + measure];
}

/* A curve of one run, in memory of the caller (free points); count 0 when the run has none. Opens the file again. */
struct table_curves; /* an open reader */
struct table_curves *table_curves_open(const struct table *table, struct weir_error *status);
bool table_curve(struct table_curves *curves, uint32_t run, const char *name, struct measure_curve *curve);
/* The names of a run's curves that begin with `prefix`, sorted: [*count], to be freed with table_curve_names_free. */
char **table_curve_names(struct table_curves *curves, uint32_t run, const char *prefix, uint32_t *count);
void table_curve_names_free(char **names, uint32_t count);
/* Why the last of these calls failed: table_curve with false, table_curve_names with null. */
const struct weir_error *table_curves_status(const struct table_curves *curves);
void table_curves_close(struct table_curves *curves);

#endif
