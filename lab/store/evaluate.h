/*
 * evaluate.h - expressions over a table: at a point for one seed, and their statistics over seeds.
 *
 * What has no value (NaN) is never hidden: an operation or an aggregate over an axis has no value where one of its
 * parts has none, apart from `and` and `or` where the other side decides. A division by 0 has no value. `count` counts
 * where its expression is not 0. `largest` is 0 when the condition does not even hold at the least value of the axis.
 */
#ifndef LAB_STORE_EVALUATE_H
#define LAB_STORE_EVALUATE_H

#include "lab/store/spread.h"
#include "lab/store/table.h"
#include "lab/store/unfinished.h"

#define EVALUATE_ALL_SEEDS UINT32_MAX

/* The value of every axis: at[axis]. Axes that the expression does not look at may have any value. */
struct position {
    uint32_t at[EXPERIMENT_AXES_MAX];
    uint32_t seed; /* 0 .. seed_count - 1; EVALUATE_ALL_SEEDS: of each measure the mean over the seeds that have it */
    enum unfinished unfinished; /* which number a measure stands for */
};

/* The run at a position, for one of its seeds. */
uint32_t evaluate_run(const struct table *table, const struct position *position, uint32_t seed);

/* NaN where a measure has no value (run missing, or nothing of the kind happened). */
double evaluate(const struct table *table, const struct expression *expression, const struct position *position);

/* Bit a: the expression depends on axis a, which nothing in it holds. A measure depends on every axis, also on those
 * beyond the experiment's axis_count. */
uint32_t evaluate_free_axes(const struct expression *expression);

/* The first measure that the expression names and the table does not have; null: it has all. */
const char *evaluate_unknown(const struct table *table, const struct expression *expression);

/* The first run that the expression needs at this position and that is not finished; UINT32_MAX: all are. */
uint32_t evaluate_missing(const struct table *table, const struct expression *expression,
                          const struct position *position);

/* Calls `visit` for every point of the sweep at which it looks at a measure; for one that it looks at twice, twice. */
typedef void evaluate_visit(void *context, uint32_t point);
void evaluate_each_point(const struct table *table, const struct expression *expression,
                         const struct position *position, evaluate_visit *visit, void *context);

/* True: it holds an axis at a value that the axis does not have at this size. */
bool evaluate_is_elsewhere(const struct expression *expression);

/* "s", "B", "bit/s" or "1": the unit of a value, as far as one follows. */
const char *evaluate_unit(const struct table *table, const struct expression *expression);

/* What the value at position->at says, for all seeds. Sums, means and extremes of lower bounds are lower bounds, and so
 * is one times or over a positive number that is exact; whatever else is made of a censored number is partial. */
enum censoring evaluate_censoring(const struct table *table, const struct expression *expression,
                                  const struct position *position);

/* Over all seeds at position->at, with the interval that fits: even; of percentiles, extremes and skewed values uneven
 * (bootstrap), where there are seeds enough; in sweeps that run until decided anytime. One of an amount ends at 0. */
struct spread evaluate_spread(const struct table *table, const struct expression *expression,
                              const struct position *position);

/* The same of a difference between two sides, seed by seed: always even. */
struct spread evaluate_margin(const struct table *table, const struct expression *expression,
                              const struct position *position);

#endif
