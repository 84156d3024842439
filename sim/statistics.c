/*
 * statistics.c - see statistics.h.
 *
 * A sample is sorted before anything is added up, so that its statistics do not depend on the order in which it came.
 * Ranks are integers: 99.9 % of 1000 values is the 999th, whatever the rounding of 0.999.
 *
 * With K of N ranks known, the percentile p is known when its rank is: ceil(p N) <= K, which is p <= K / N. So the one
 * number K / N tells it of every percentile.
 */
#include "sim/statistics.h"

#include <stdlib.h>
#include <string.h>

#include "sim/net/measure.h"

const struct statistic statistic_table[STATISTIC_COUNT] = {
    {"mean", "mean ", offsetof(struct statistics, mean), 0},
    {"min", "least ", offsetof(struct statistics, min), 0},
    {"max", "greatest ", offsetof(struct statistics, max), 0},
    {"p50", "median ", offsetof(struct statistics, p50), 500},
    {"p90", "90th percentile of ", offsetof(struct statistics, p90), 900},
    {"p95", "95th percentile of ", offsetof(struct statistics, p95), 950},
    {"p99", "99th percentile of ", offsetof(struct statistics, p99), 990},
    {"p999", "99.9th percentile of ", offsetof(struct statistics, p999), 999},
};

static double *value_at(struct statistics *statistics, const struct statistic *statistic)
{
    return (double *)((char *)statistics + statistic->offset);
}

double statistic_value(const struct statistics *statistics, const struct statistic *statistic)
{
    return *(const double *)((const char *)statistics + statistic->offset);
}

static int value_compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* The nearest rank, from 1, of a percentile. */
static uint64_t rank_of(const struct statistic *statistic, uint64_t count)
{
    return (count * statistic->thousandths + 999) / 1000;
}

void statistics_of(double *values, uint64_t count, struct statistics *out)
{
    *out = (struct statistics){.count = count};
    if (count == 0)
        return;
    qsort(values, count, sizeof *values, value_compare);
    double sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += values[i];
    out->mean = sum / (double)count;
    out->min = values[0];
    out->max = values[count - 1];
    for (uint32_t i = 0; i < STATISTIC_COUNT; i++)
        if (statistic_table[i].thousandths > 0)
            *value_at(out, &statistic_table[i]) = values[rank_of(&statistic_table[i], count) - 1];
}

void statistics_of_censored(double *values, uint64_t count, double *bounds, uint64_t unfinished, struct statistics *out)
{
    struct statistics finished, all;
    statistics_of(values, count, &finished);
    *out = finished;
    out->unfinished = unfinished;
    if (unfinished == 0 || count == 0)
        return;
    double least = bounds[0];
    for (uint64_t i = 1; i < unfinished; i++)
        least = bounds[i] < least ? bounds[i] : least;
    while (out->known < count && values[out->known] <= least)
        out->known++;
    memcpy(bounds + unfinished, values, count * sizeof *values);
    statistics_of(bounds, count + unfinished, &all);
    for (uint32_t i = 0; i < STATISTIC_COUNT; i++)
        *value_at(out, &statistic_table[i]) = statistic_value(&all, &statistic_table[i]);
    out->mean = finished.mean;
    out->bound_mean = all.mean;
}

enum statistic_grade statistic_grade(const struct statistic *statistic, double known)
{
    const double rounding = 1e-9; /* of a fraction that was divided; a rank less is at least 1 / N less */
    if (!(known < 1))
        return STATISTIC_EXACT;
    if (statistic->offset == offsetof(struct statistics, mean))
        return STATISTIC_OF_FINISHED;
    if (statistic->offset == offsetof(struct statistics, min))
        return known > 0 ? STATISTIC_EXACT : STATISTIC_LOWER_BOUND;
    bool is_known = statistic->thousandths > 0 && statistic->thousandths / 1000.0 <= known + rounding;
    return is_known ? STATISTIC_EXACT : STATISTIC_LOWER_BOUND;
}

double statistics_known(const struct statistics *statistics)
{
    uint64_t all = statistics->count + statistics->unfinished;
    return statistics->unfinished > 0 ? (double)statistics->known / (double)all : 1;
}

/* The value at a rank from 1. */
static double weighted_at(const double *values, const uint64_t *weights, uint32_t count, uint64_t rank)
{
    uint32_t i = 0;
    for (uint64_t below = weights[0]; below < rank && i + 1 < count; below += weights[i])
        i++;
    return values[i];
}

void statistics_of_weighted(const double *values, const uint64_t *weights, uint32_t count, struct statistics *out)
{
    *out = (struct statistics){0};
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        out->count += weights[i];
        sum += values[i] * (double)weights[i];
    }
    if (out->count == 0)
        return;
    for (uint32_t i = 0; i < STATISTIC_COUNT; i++)
        if (statistic_table[i].thousandths > 0)
            *value_at(out, &statistic_table[i]) =
                weighted_at(values, weights, count, rank_of(&statistic_table[i], out->count));
    out->mean = sum / (double)out->count;
    out->min = weighted_at(values, weights, count, 1);
    out->max = weighted_at(values, weights, count, out->count);
}

void statistics_clamp_percentiles(struct statistics *statistics)
{
    for (uint32_t i = 0; i < STATISTIC_COUNT; i++) {
        double *value = value_at(statistics, &statistic_table[i]);
        if (statistic_table[i].thousandths == 0)
            continue;
        *value = *value < statistics->min ? statistics->min : *value;
        *value = *value > statistics->max ? statistics->max : *value;
    }
}

double statistics_percentile(const uint64_t *bins, double percent)
{
    uint64_t total = 0, below = 0;
    uint64_t wanted = (uint64_t)(percent * 1000 + 0.5); /* thousandths of a percent */
    for (uint32_t bin = 0; bin < MEASURE_BINS; bin++)
        total += bins[bin];
    for (uint32_t bin = 0; bin < MEASURE_BINS; bin++) {
        below += bins[bin];
        if (below > 0 && below * 100000 >= total * wanted)
            return (double)bin / (MEASURE_BINS - 1);
    }
    return 0;
}

double statistics_jain(const double *values, uint32_t count)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += values[i];
        squares += values[i] * values[i];
    }
    return squares > 0 ? sum * sum / ((double)count * squares) : 0;
}
