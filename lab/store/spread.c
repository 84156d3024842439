/*
 * spread.c - see spread.h. Mean and deviations are updated value by value (Welford, Technometrics 1962), which stays
 * exact for equal values and loses nothing when the mean is large against the deviations.
 *
 * Student's quantiles are a table where they matter most; above it the expansion around the normal quantile (Abramowitz
 * and Stegun, 26.7.5), whose error is below 1e-6 there.
 */
#include "lab/store/spread.h"

#include <math.h>
#include <stdlib.h>

#include "weir/random.h"

#define NORMAL 1.959963984540054 /* the quantile at 97.5 % */
#define TABLE_COUNT 30u

double spread_student(uint32_t freedom)
{
    static const double table[TABLE_COUNT] = {
        12.706204736, 4.302652730, 3.182446305, 2.776445105, 2.570581836, 2.446911851, 2.364624252, 2.306004135,
        2.262157163,  2.228138852, 2.200985160, 2.178812830, 2.160368656, 2.144786688, 2.131449546, 2.119905299,
        2.109815578,  2.100922040, 2.093024054, 2.085963447, 2.079613845, 2.073873068, 2.068657610, 2.063898562,
        2.059538553,  2.055529439, 2.051830516, 2.048407142, 2.045229642, 2.042272456};
    if (freedom == 0)
        return NAN;
    if (freedom <= TABLE_COUNT)
        return table[freedom - 1];
    const double z = NORMAL, z2 = z * z, n = freedom;
    double first = z * (z2 + 1) / 4, second = z * ((5 * z2 + 16) * z2 + 3) / 96;
    double third = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
    return z + first / n + second / (n * n) + third / (n * n * n);
}

void spread_add(struct spread_sum *sum, double value)
{
    if (isnan(value))
        return;
    if (sum->count == 0)
        sum->min = sum->max = value;
    double before = value - sum->mean, n = ++sum->count, step = before / n, part = before * step * (n - 1);
    sum->mean += step;
    sum->cubes += part * step * (n - 2) - 3 * step * sum->squares;
    sum->squares += part;
    sum->min = value < sum->min ? value : sum->min;
    sum->max = value > sum->max ? value : sum->max;
}

struct spread spread_even(double mean, double half)
{
    return (struct spread){!isnan(mean), mean, half, mean - half, mean + half, mean, mean};
}

static struct spread spread_with(const struct spread_sum *sum, double half)
{
    return (struct spread){sum->count, sum->mean, half, sum->mean - half, sum->mean + half, sum->min, sum->max};
}

struct spread spread_end(const struct spread_sum *sum)
{
    if (sum->count == 0)
        return SPREAD_NONE;
    double half = NAN, n = sum->count;
    if (sum->count > 1)
        half = spread_student(sum->count - 1) * sqrt(sum->squares / (n - 1) / n);
    return spread_with(sum, half);
}

#define ANYTIME_LEVEL 0.05

struct spread spread_end_anytime(const struct spread_sum *sum)
{
    double n = sum->count, wide = pow((n + 1) / (ANYTIME_LEVEL * ANYTIME_LEVEL), 1 / n);
    if (sum->count < 2)
        return spread_end(sum);
    if (wide >= n + 1)
        return spread_with(sum, INFINITY);
    return spread_with(sum, sqrt(sum->squares / n * (wide - 1) / (1 - wide / (n + 1))));
}

#define SKEWED 1.0

bool spread_is_skewed(const struct spread_sum *sum)
{
    double variance = sum->squares / sum->count;
    return sum->count > 2 && variance > 0 && fabs(sum->cubes / sum->count) > SKEWED * variance * sqrt(variance);
}

#define RESAMPLES 2000u

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double normal_below(double z)
{
    return erfc(-z / sqrt(2)) / 2;
}

/* By bisection: it is asked once per interval. */
static double normal_quantile(double part)
{
    double low = -9, high = 9;
    for (int i = 0; i < 60; i++)
        *(normal_below((low + high) / 2) < part ? &low : &high) = (low + high) / 2;
    return (low + high) / 2;
}

void spread_bootstrap(struct spread *spread, const struct spread_sum *sum, const double *values)
{
    double means[RESAMPLES], below = 0, n = sum->count;
    if (sum->count < SPREAD_BOOTSTRAP_MIN || sum->count > SPREAD_BOOTSTRAP_MAX || !(sum->squares > 0))
        return;
    for (uint32_t i = 0; i < RESAMPLES; i++) {
        means[i] = 0;
        for (uint32_t k = 0; k < sum->count; k++)
            means[i] += values[weir_hash(i, k) % sum->count] / n;
        below += means[i] < sum->mean ? 1 : means[i] > sum->mean ? 0 : 0.5;
    }
    qsort(means, RESAMPLES, sizeof means[0], compare);
    double bias = normal_quantile(fmin(fmax(below, 1), RESAMPLES - 1) / RESAMPLES);
    double acceleration = sum->cubes / (6 * sum->squares * sqrt(sum->squares));
    double wide = spread_student(sum->count - 1) * sqrt(n / (n - 1));
    for (int side = -1; side <= 1; side += 2) {
        double z = bias + side * wide, part = normal_below(bias + z / (1 - acceleration * z));
        if (!(1 - acceleration * z > 0))
            part = side > 0;
        uint32_t at = (uint32_t)fmin(part * RESAMPLES, RESAMPLES - 1);
        *(side < 0 ? &spread->low : &spread->high) = means[at];
    }
    spread->low = fmax(fmin(spread->low, spread->mean), spread->min); /* rounding */
    spread->high = fmin(fmax(spread->high, spread->mean), spread->max);
}

bool spread_is_uneven(const struct spread *spread)
{
    double close = 1e-9 * (fabs(spread->mean) + fabs(spread->half));
    return isfinite(spread->half) && (fabs(spread->mean - spread->low - spread->half) > close ||
                                      fabs(spread->high - spread->mean - spread->half) > close);
}

double spread_low(const struct spread *spread)
{
    return isnan(spread->half) ? spread->mean : spread->low;
}

double spread_high(const struct spread *spread)
{
    return isnan(spread->half) ? spread->mean : spread->high;
}

struct spread spread_of(const double *values, uint32_t count)
{
    struct spread_sum sum = {.count = 0};
    for (uint32_t i = 0; i < count; i++)
        spread_add(&sum, values[i]);
    return spread_end(&sum);
}
