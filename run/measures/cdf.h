/*
 * cdf.h - curves in few points: distributions as quantiles, and long series without their peaks being lost. A page
 * with many curves stays small, and no chart has more pixels than that.
 */
#ifndef MEASURES_CDF_H
#define MEASURES_CDF_H

#include <stdint.h>

#define RUN_CDF_POINTS 200u
#define RUN_SERIES_POINTS 4000u

/* A cumulative distribution: y is the fraction of the sample that is at most x. Every value when there are few, else
 * evenly spaced ranks; the least and the greatest value are always there. */
struct run_cdf {
    double x[RUN_CDF_POINTS], y[RUN_CDF_POINTS];
    uint32_t count;
};

/* Of sorted values, each of which occurs weights[i] times; null: once. Equal values may stand beside each other. */
void run_cdf_make(struct run_cdf *cdf, const double *sorted, const uint64_t *weights, uint64_t count);

/* Thins pairs of x and y in place to at most RUN_SERIES_POINTS of them and returns how many are left: the first, the
 * last, and the lowest and the highest of each of many pieces of equal length. A y that is not a number stands for no
 * value. */
uint32_t run_series_thin(double *points, uint32_t count);

#endif
