/*
 * values.h - what one run gave, as numbers with names: the one form in which results travel from a simulation to the
 * database, to tables, claims and charts.
 *
 * A measure is one number: "query.qct.p99". A curve is a list of points: a series over time ("probe.s0-h3.queue") or a
 * distribution ("query.qct.cdf": x a value, y the fraction of the sample at or below it). Units: "s", "B", "bit/s", "1"
 * (counts and ratios).
 */
#ifndef MEASURES_VALUES_H
#define MEASURES_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VIOLATIONS_MEASURE "violations" /* in a run: lossless packets lost, and a deadlock, where none is expected */

#define UNFINISHED_FLOWS_MEASURE "unfinished"
#define UNFINISHED_QUERIES_MEASURE "unfinished_queries"

struct measure_value {
    char *name;
    const char *unit; /* one of the texts above, not owned */
    double value;     /* finite: what has no value is left out */
};

struct measure_curve {
    char *name;
    const char *x_unit, *y_unit;
    double *points; /* [2 * count]: x and y in turn; y NaN: no value there */
    uint32_t count, room;
};

struct measures {
    struct measure_value *values;
    uint32_t value_count, value_room;
    struct measure_curve *curves;
    uint32_t curve_count, curve_room;
    uint64_t digest, hops; /* of the simulation */
    bool failed;           /* memory ran out while adding: the whole is worthless */
};

/* Each notes in `failed` when memory runs out. A value that is not finite is left out. */
void measures_add(struct measures *measures, const char *unit, double value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* An empty curve to which points are added next. */
void measures_add_curve(struct measures *measures, const char *x_unit, const char *y_unit, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void measures_add_point(struct measures *measures, double x, double y);

void measures_free(struct measures *measures);

/* As bytes, for a pipe between two processes of one machine: null when memory is short; and back, false when the bytes
 * are not such a text, or with `failed` when memory is short. Sizes are checked, so that a process that died half-way
 * does no harm. */
uint8_t *measures_pack(const struct measures *measures, size_t *size);
bool measures_unpack(struct measures *measures, const uint8_t *bytes, size_t size);

#endif
