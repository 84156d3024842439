/*
 * spread.h - mean and confidence of a few values: one per seed.
 */
#ifndef LAB_STORE_SPREAD_H
#define LAB_STORE_SPREAD_H

#include <stdint.h>

struct spread {
    uint32_t count; /* seeds that have a value */
    double mean;    /* NaN when none has */
    double half;    /* half width of the 95 % confidence interval (Student); NaN below two values */
    double min, max;
};

/* Values that are NaN are left out. */
struct spread spread_of(const double *values, uint32_t count);

/* The same, value by value. Starts as zeros. */
struct spread_sum {
    uint32_t count;
    double mean, squares; /* squares: of the deviations from the mean */
    double min, max;
};
void spread_add(struct spread_sum *sum, double value);
struct spread spread_end(const struct spread_sum *sum);

/* The t with 97.5 % of Student's distribution below it. */
double spread_student(uint32_t freedom);

#endif
