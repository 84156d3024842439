/*
 * spread.h - mean and confidence of a few values: one per seed. Three intervals of 95 %:
 *
 *   Student    of values that scatter evenly, and of differences: mean - half to mean + half.
 *   bootstrap  of values that do not: a percentile of a run jumps by a timeout, means with it. 2000 resamples of the
 *              seeds, bias-corrected and accelerated (BCa; Efron, JASA 1987), at the level that gives a few even values
 *              Student's width ("expanded percentile"; Hesterberg, The American Statistician 2015). It stays between
 * the least and the greatest value. From 6 values on. anytime    of sweeps that add seeds until a claim is decided: one
 * that may be looked at after every seed. The t-test's mixture martingale with a normal prior of variance 1 on the
 * effect in deviations, inverted (Wang & Ramdas, "Anytime-valid t-tests and confidence sequences for Gaussian means
 * with unknown variance", Sequential Analysis 2025): with n values and K = (400 (n + 1))^(1/n)
 *
 *                half = s sqrt((n - 1) / n x),   x = (K - 1) / (1 - K / (n + 1)),   none while K >= n + 1
 *
 *              about 1.6 times Student's with 10 to 100 values. Exact for normal values, whoever looks how often.
 */
#ifndef LAB_STORE_SPREAD_H
#define LAB_STORE_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

struct spread {
    uint32_t count;   /* seeds that have a value */
    double mean;      /* NaN when none has */
    double half;      /* half width of the even interval; NaN below two values, infinite where it has no end yet */
    double low, high; /* the ends of the interval; NaN below two values */
    double min, max;
};

#define SPREAD_NONE ((struct spread){0, NAN, NAN, NAN, NAN, NAN, NAN})

/* One with this even interval, as records keep them. */
struct spread spread_even(double mean, double half);

/* Values that are NaN are left out. */
struct spread spread_of(const double *values, uint32_t count);

/* The same, value by value. Starts as zeros. */
struct spread_sum {
    uint32_t count;
    double mean, squares, cubes; /* of the deviations from the mean */
    double min, max;
};
void spread_add(struct spread_sum *sum, double value);
struct spread spread_end(const struct spread_sum *sum);

/* The anytime interval instead. */
struct spread spread_end_anytime(const struct spread_sum *sum);

/* True: the values are so skewed that a symmetric interval misleads (skewness above 1). */
bool spread_is_skewed(const struct spread_sum *sum);

/* Replaces the ends by those of the bootstrap. No values are NaN; leaves the ends below SPREAD_BOOTSTRAP_MIN values and
 * where all are equal. */
#define SPREAD_BOOTSTRAP_MIN 6u
#define SPREAD_BOOTSTRAP_MAX 1000u /* values; with more the ends stay */
void spread_bootstrap(struct spread *spread, const struct spread_sum *sum, const double *values);

/* Ends that are not where the half width has them. */
bool spread_is_uneven(const struct spread *spread);

/* The ends of an interval; without one both are the mean. */
double spread_low(const struct spread *spread);
double spread_high(const struct spread *spread);

/* The t with 97.5 % of Student's distribution below it. */
double spread_student(uint32_t freedom);

#endif
