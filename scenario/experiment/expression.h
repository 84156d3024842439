/*
 * expression.h - expressions over measures, for claims and figures:
 *
 *   1 - query.qct.mean[policy=Occamy] / query.qct.mean[policy=DT]
 *   largest(burst, burst.lost == 0)[policy=TDT]
 *
 * Numbers may carry units (55%, 222us, 10KB, 1Gbps, 8x) and become s, B, bit/s or plain. A name with dots is a measure,
 * the name of an axis alone is the number of its value at the point. [axis=label, ...] holds axes within what stands
 * before it; a label with one of ,[]"' in it is quoted. Operators: + - * / unary -, < <= > >= == !=, and, or;
 * comparisons give 1 or 0. A '-' inside of a name belongs to it: write spaces around the operator. Functions:
 * max(axis, e), min(axis, e), mean(axis, e), sum(axis, e), count(axis, e), largest(axis, condition): the greatest
 * number of the axis up to which the condition holds at every value, in growing order; abs(e), max(e, e), min(e, e).
 *
 * Read once, evaluated at many points: lab/store/evaluate.h.
 */
#ifndef SCENARIO_EXPERIMENT_EXPRESSION_H
#define SCENARIO_EXPERIMENT_EXPRESSION_H

#include "scenario/yaml/error.h"

enum expression_kind {
    EXPRESSION_NUMBER,
    EXPRESSION_MEASURE, /* `name` */
    EXPRESSION_AXIS,    /* the number of axis `axis` */
    EXPRESSION_NEGATE,  /* of left */
    EXPRESSION_ADD,
    EXPRESSION_SUBTRACT,
    EXPRESSION_MULTIPLY,
    EXPRESSION_DIVIDE,
    EXPRESSION_LESS,
    EXPRESSION_LESS_EQUAL,
    EXPRESSION_EQUAL,
    EXPRESSION_UNEQUAL,
    EXPRESSION_AND,
    EXPRESSION_OR,
    EXPRESSION_ABS,  /* of left */
    EXPRESSION_MAX2, /* of left and right */
    EXPRESSION_MIN2,
    EXPRESSION_MAX, /* over `axis`, of left */
    EXPRESSION_MIN,
    EXPRESSION_MEAN,
    EXPRESSION_SUM,
    EXPRESSION_COUNT,
    EXPRESSION_LARGEST,
    EXPRESSION_HOLD, /* left, with `axis` held at `value` */
};

/* a > b is b < a, a >= b is b <= a. */
struct expression {
    enum expression_kind kind;
    double number;
    const char *name;
    uint32_t axis, value;
    uint32_t depth; /* levels of the tree, at most EXPRESSION_DEPTH_MAX */
    const struct expression *left, *right;
};

struct axis;

/* The axes that names and labels are looked up in. */
struct expression_axes {
    const struct axis *axes;
    uint32_t count;
    bool lenient; /* a label that the axis does not have is not an error: `value` becomes EXPRESSION_NO_VALUE */
};

#define EXPRESSION_NO_VALUE UINT32_MAX
#define EXPRESSION_DEPTH_MAX 64u

/* A tree in `arena`; null after an error, which stands at `mark`. */
const struct expression *expression_read(struct arena *arena, const struct expression_axes *axes, struct mark mark,
                                         const char *text, struct weir_error *error);

/* A number with a unit, "55%" "222us" "10KB" "8x" "80% buffer": false when the text is none. The unit is "s", "B",
 * "bit/s" or "". */
bool expression_number(const char *text, double *number, const char **unit);

#endif
