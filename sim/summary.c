/*
 * summary.c - statistics of samples and the totals of losses. Summaries of flows and groups, which choose the samples,
 * are in summary_flows.c.
 *
 * A sample is sorted before anything is added up, so that its statistics do not depend on the order in which it came.
 * Ranks are found in integers: 99.9 % of 1000 values is the 999th, whatever the rounding of 0.999.
 */
#include <stdlib.h>

#include "sim/summary.h"

static int value_compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* The nearest rank, from 1, of a part in thousandths. */
static double values_at(const double *sorted, uint64_t count, uint64_t thousandths)
{
    return sorted[(count * thousandths + 999) / 1000 - 1];
}

void summary_values(double *values, uint64_t count, struct summary_values *out)
{
    *out = (struct summary_values){.count = count};
    if (count == 0)
        return;
    qsort(values, count, sizeof *values, value_compare);
    double sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += values[i];
    out->mean = sum / (double)count;
    out->min = values[0];
    out->max = values[count - 1];
    out->p50 = values_at(values, count, 500);
    out->p90 = values_at(values, count, 900);
    out->p95 = values_at(values, count, 950);
    out->p99 = values_at(values, count, 990);
    out->p999 = values_at(values, count, 999);
}

/* The value at a rank from 1. */
static double weighted_at(const double *values, const uint64_t *weights, uint32_t count, uint64_t rank)
{
    uint32_t i = 0;
    for (uint64_t below = weights[0]; below < rank && i + 1 < count; below += weights[i])
        i++;
    return values[i];
}

void summary_weighted(const double *values, const uint64_t *weights, uint32_t count, struct summary_values *out)
{
    *out = (struct summary_values){0};
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        out->count += weights[i];
        sum += values[i] * (double)weights[i];
    }
    if (out->count == 0)
        return;
    double *const at[] = {&out->p50, &out->p90, &out->p95, &out->p99, &out->p999};
    const uint64_t thousandths[] = {500, 900, 950, 990, 999};
    for (uint32_t i = 0; i < sizeof at / sizeof at[0]; i++)
        *at[i] = weighted_at(values, weights, count, (out->count * thousandths[i] + 999) / 1000);
    out->mean = sum / (double)out->count;
    out->min = weighted_at(values, weights, count, 1);
    out->max = weighted_at(values, weights, count, out->count);
}

double summary_bins_percentile(const uint64_t *bins, double percent)
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

double summary_jain(const double *values, uint32_t count)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += values[i];
        squares += values[i] * values[i];
    }
    return squares > 0 ? sum * sum / ((double)count * squares) : 0;
}

static void losses_add(const struct measure_switch *sw, struct summary_losses *out)
{
    size_t queues = (size_t)sw->ports * sw->classes;
    for (size_t i = 0; i < queues; i++) {
        for (uint32_t reason = 0; reason < WEIR_REASON_COUNT; reason++) {
            out->refused[reason] += sw->queue[i].refused[reason];
            out->total += sw->queue[i].refused[reason];
        }
        for (uint32_t cause = 0; cause < WEIR_CAUSE_COUNT; cause++) {
            out->lost[cause] += sw->queue[i].lost[cause];
            out->total += sw->queue[i].lost[cause];
        }
        out->watchdog += sw->queue[i].watchdog;
        out->total += sw->queue[i].watchdog;
        out->marked += sw->marked[i];
    }
}

void summary_losses(const struct measure *measure, uint32_t sw, struct summary_losses *out)
{
    *out = (struct summary_losses){0};
    for (uint32_t i = 0; i < measure->switches; i++)
        if (sw == SUMMARY_ANY || sw == i)
            losses_add(&measure->sw[i], out);
}
