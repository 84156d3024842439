/*
 * spread.c - see spread.h. Mean and deviations are updated value by value (Welford, Technometrics 1962), which stays
 * exact for equal values and loses nothing when the mean is large against the deviations.
 *
 * Student's quantiles are a table where they matter most; above it the expansion around the normal quantile (Abramowitz
 * and Stegun, 26.7.5), whose error is below 1e-6 there.
 */
#include "lab/store/spread.h"

#include <math.h>

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
    sum->count++;
    double before = value - sum->mean;
    sum->mean += before / sum->count;
    sum->squares += before * (value - sum->mean);
    sum->min = value < sum->min ? value : sum->min;
    sum->max = value > sum->max ? value : sum->max;
}

struct spread spread_end(const struct spread_sum *sum)
{
    if (sum->count == 0)
        return (struct spread){0, NAN, NAN, NAN, NAN};
    double half = NAN, n = sum->count;
    if (sum->count > 1)
        half = spread_student(sum->count - 1) * sqrt(sum->squares / (n - 1) / n);
    return (struct spread){sum->count, sum->mean, half, sum->min, sum->max};
}

struct spread spread_of(const double *values, uint32_t count)
{
    struct spread_sum sum = {.count = 0};
    for (uint32_t i = 0; i < count; i++)
        spread_add(&sum, values[i]);
    return spread_end(&sum);
}
