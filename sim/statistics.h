/*
 * statistics.h - statistics of samples: mean, extremes, percentiles, fairness. The table below is the only list of
 * statistics: names of measures, JSON and titles of charts read it.
 */
#ifndef SIM_STATISTICS_H
#define SIM_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

/* All 0 when the sample is empty. */
struct statistics {
    uint64_t count;
    double mean, min, max;
    double p50, p90, p95, p99, p999; /* nearest rank: the smallest value that has p % of the sample at or below it */
};

struct statistic {
    const char *name;     /* "p99" */
    const char *words;    /* in front of what is measured: "99th percentile of " */
    size_t offset;        /* of its value in struct statistics */
    uint32_t thousandths; /* of a percentile; 0: it is none */
};

#define STATISTIC_COUNT 8u
extern const struct statistic statistic_table[STATISTIC_COUNT];

double statistic_value(const struct statistics *statistics, const struct statistic *statistic);

/* Of `count` values; sorts them. */
void statistics_of(double *values, uint64_t count, struct statistics *out);

/* Of `count` ascending values of which the i-th occurs weights[i] times. */
void statistics_of_weighted(const double *values, const uint64_t *weights, uint32_t count, struct statistics *out);

/* Raises or lowers every percentile to lie in [min, max]. */
void statistics_clamp_percentiles(struct statistics *statistics);

/* Percentile (0 to 100) of a histogram of MEASURE_BINS fractions (measure.h), as a fraction. */
double statistics_percentile(const uint64_t *bins, double percent);

/* Jain's fairness index; 0 when all values are 0. */
double statistics_jain(const double *values, uint32_t count);

#endif
