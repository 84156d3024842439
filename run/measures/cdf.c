/*
 * cdf.c - see cdf.h.
 */
#include "run/measures/cdf.h"

#include <math.h>
#include <stdbool.h>

/* The rank, from 0, that a point is to stand for. */
static uint64_t cdf_rank(uint64_t point, uint64_t total)
{
    return point * (total - 1) / (RUN_CDF_POINTS - 1);
}

void run_cdf_make(struct run_cdf *cdf, const double *sorted, const uint64_t *weights, uint64_t count)
{
    uint64_t total = 0, below = 0, point = 0;
    cdf->count = 0;
    for (uint64_t i = 0; i < count; i++)
        total += weights ? weights[i] : 1;
    for (uint64_t i = 0; i < count && point < RUN_CDF_POINTS; i++) {
        below += weights ? weights[i] : 1;
        bool same_follows = i + 1 < count && sorted[i + 1] == sorted[i];
        if (same_follows || below <= cdf_rank(point, total))
            continue;
        while (point < RUN_CDF_POINTS && below > cdf_rank(point, total))
            point++;
        cdf->x[cdf->count] = sorted[i];
        cdf->y[cdf->count++] = (double)below / (double)total;
    }
}

/* Points [first, last) in at most two: the lowest and the highest, in their order. Returns where the next goes. */
static uint32_t thin_piece(double *points, uint32_t first, uint32_t last, uint32_t next)
{
    uint32_t low = first, high = first;
    for (uint32_t i = first; i < last; i++) {
        double y = points[2 * i + 1];
        if (y < points[2 * low + 1] || isnan(points[2 * low + 1]))
            low = i;
        if (y > points[2 * high + 1] || isnan(points[2 * high + 1]))
            high = i;
    }
    const uint32_t keep[] = {low < high ? low : high, low < high ? high : low};
    for (uint32_t i = 0; i < 1u + (low != high); i++, next++) {
        points[2 * next] = points[2 * keep[i]];
        points[2 * next + 1] = points[2 * keep[i] + 1];
    }
    return next;
}

uint32_t run_series_thin(double *points, uint32_t count)
{
    const uint64_t pieces = RUN_SERIES_POINTS / 2 - 1;
    if (count <= RUN_SERIES_POINTS)
        return count;
    uint32_t next = 1; /* the first stays */
    for (uint64_t i = 0; i < pieces; i++)
        next = thin_piece(points, (uint32_t)(1 + (count - 2) * i / pieces),
                          (uint32_t)(1 + (count - 2) * (i + 1) / pieces), next);
    points[2 * next] = points[2 * (count - 1)];
    points[2 * next + 1] = points[2 * (count - 1) + 1];
    return next + 1;
}
