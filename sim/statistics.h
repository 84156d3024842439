/*
 * statistics.h - statistics of samples: mean, extremes, percentiles, fairness. The table below is the only list of
 * statistics: names of measures, JSON and titles of charts read it.
 */
#ifndef SIM_STATISTICS_H
#define SIM_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All 0 when the sample is empty. */
struct statistics {
    uint64_t count;
    double mean, min, max;
    double p50, p90, p95, p99, p999; /* nearest rank: the smallest value that has p % of the sample at or below it */
    /* Of a sample with unfinished members (statistics_of_censored); else 0. */
    uint64_t unfinished; /* members beside `count`, of which only a least value is known */
    uint64_t known;      /* ranks from 1 to this one are exact */
    double bound_mean;   /* of all, the unfinished with their least value */
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

/*
 * Of a sample that was cut off: `count` values, and `unfinished` members of which bounds[i] is the least that their
 * value can be, such as the age of a flow that the end of a run left unfinished. Sorts the values; `bounds` has room
 * for `count` more numbers and is used up.
 *
 * The mean is that of the values. The other statistics are those of all members, each unfinished one with its bound. No
 * value of any member is less than what stands for it here, so that no statistic is: each is exact or a lower bound. It
 * is exact while no unfinished member can lie below it: up to rank `known`, the number of values that are not above the
 * least bound. Without values there are no statistics.
 */
void statistics_of_censored(double *values, uint64_t count, double *bounds, uint64_t unfinished,
                            struct statistics *out);

/* What a statistic says of all members of a sample. */
enum statistic_grade {
    STATISTIC_EXACT,
    STATISTIC_LOWER_BOUND,
    STATISTIC_OF_FINISHED /* nothing: it leaves the unfinished out */
};

/* The one rule for marks. `known` is the fraction of all members whose ranks are exact; 1: there are no unfinished. */
enum statistic_grade statistic_grade(const struct statistic *statistic, double known);

/* That fraction of a sample. */
double statistics_known(const struct statistics *statistics);

/* Of `count` ascending values of which the i-th occurs weights[i] times. */
void statistics_of_weighted(const double *values, const uint64_t *weights, uint32_t count, struct statistics *out);

/* Raises or lowers every percentile to lie in [min, max]. */
void statistics_clamp_percentiles(struct statistics *statistics);

/* Percentile (0 to 100) of a histogram of MEASURE_BINS fractions (measure.h), as a fraction. */
double statistics_percentile(const uint64_t *bins, double percent);

/* Jain's fairness index; 0 when all values are 0. */
double statistics_jain(const double *values, uint32_t count);

#endif
