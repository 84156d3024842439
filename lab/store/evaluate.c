/*
 * evaluate.c - see evaluate.h. A tree is walked down with a position; holding an axis and aggregating over one change
 * the position for what is below. What a tree is about (its axes, unit, names) is in evaluate_about.c.
 */
#include "lab/store/evaluate.h"

#include <math.h>

uint32_t evaluate_run(const struct table *table, const struct position *position, uint32_t seed)
{
    const struct experiment *experiment = &table->experiment;
    uint32_t point = 0;
    for (uint32_t axis = 0; axis < experiment->axis_count; axis++)
        point = point * experiment->axes[axis].count + position->at[axis];
    return point * experiment->seed_count + seed;
}

static double evaluate_measure(const struct table *table, const char *name, const struct position *position)
{
    uint32_t measure = table_find(table, name), count = 0;
    if (measure == UINT32_MAX)
        return NAN;
    if (position->seed != EVALUATE_ALL_SEEDS)
        return unfinished_value(table, evaluate_run(table, position, position->seed), measure, position->unfinished);
    double sum = 0;
    for (uint32_t seed = 0; seed < table->experiment.seed_count; seed++) {
        double value = unfinished_value(table, evaluate_run(table, position, seed), measure, position->unfinished);
        sum += isnan(value) ? 0 : value;
        count += !isnan(value);
    }
    return count > 0 ? sum / count : NAN;
}

static double axis_number(const struct axis *axis, uint32_t value)
{
    return value < axis->count && axis->values[value].numeric ? axis->values[value].number : NAN;
}

/* Where one side is known to decide, the other need not be known. */
static double evaluate_logic(bool either, double left, double right)
{
    if (either && ((!isnan(left) && left != 0) || (!isnan(right) && right != 0)))
        return 1;
    if (!either && (left == 0 || right == 0))
        return 0;
    return isnan(left) || isnan(right) ? NAN : !either;
}

static double evaluate_pair(enum expression_kind kind, double left, double right)
{
    if (kind == EXPRESSION_AND || kind == EXPRESSION_OR)
        return evaluate_logic(kind == EXPRESSION_OR, left, right);
    if (isnan(left) || isnan(right))
        return NAN;
    switch (kind) {
    case EXPRESSION_ADD:
        return left + right;
    case EXPRESSION_SUBTRACT:
        return left - right;
    case EXPRESSION_MULTIPLY:
        return left * right;
    case EXPRESSION_DIVIDE:
        return right == 0 ? NAN : left / right;
    case EXPRESSION_LESS:
        return left < right;
    case EXPRESSION_LESS_EQUAL:
        return left <= right;
    case EXPRESSION_EQUAL:
        return left == right;
    case EXPRESSION_UNEQUAL:
        return left != right;
    case EXPRESSION_MAX2:
        return left > right ? left : right;
    default:
        return left < right ? left : right;
    }
}

/* The value of the axis with the least number above `after`; UINT32_MAX: none. */
static uint32_t axis_next(const struct axis *axis, double after)
{
    uint32_t next = UINT32_MAX;
    for (uint32_t i = 0; i < axis->count; i++)
        if (axis_number(axis, i) > after && (next == UINT32_MAX || axis_number(axis, i) < axis_number(axis, next)))
            next = i;
    return next;
}

static double evaluate_largest(const struct table *table, const struct expression *expression,
                               const struct position *position)
{
    const struct axis *axis = &table->experiment.axes[expression->axis];
    struct position inner = *position;
    double reached = -INFINITY;
    for (uint32_t i = 0; i < axis->count; i++)
        if (isnan(axis_number(axis, i)))
            return NAN;
    for (uint32_t next = axis_next(axis, reached); next != UINT32_MAX; next = axis_next(axis, reached)) {
        inner.at[expression->axis] = next;
        double holds = evaluate(table, expression->left, &inner);
        if (isnan(holds))
            return NAN;
        if (holds == 0)
            break;
        reached = axis_number(axis, next);
    }
    return isfinite(reached) ? reached : 0;
}

static double evaluate_aggregate(const struct table *table, const struct expression *expression,
                                 const struct position *position)
{
    uint32_t count = table->experiment.axes[expression->axis].count, held = 0;
    double sum = 0, least = INFINITY, greatest = -INFINITY;
    struct position inner = *position;
    for (uint32_t value = 0; value < count; value++) {
        inner.at[expression->axis] = value;
        double one = evaluate(table, expression->left, &inner);
        if (isnan(one))
            return NAN;
        sum += one;
        least = one < least ? one : least;
        greatest = one > greatest ? one : greatest;
        held += one != 0;
    }
    switch (expression->kind) {
    case EXPRESSION_MAX:
        return greatest;
    case EXPRESSION_MIN:
        return least;
    case EXPRESSION_MEAN:
        return sum / count;
    case EXPRESSION_SUM:
        return sum;
    default:
        return held;
    }
}

double evaluate(const struct table *table, const struct expression *expression, const struct position *position)
{
    struct position inner;
    switch (expression->kind) {
    case EXPRESSION_NUMBER:
        return expression->number;
    case EXPRESSION_MEASURE:
        return evaluate_measure(table, expression->name, position);
    case EXPRESSION_AXIS:
        return axis_number(&table->experiment.axes[expression->axis], position->at[expression->axis]);
    case EXPRESSION_NEGATE:
        return -evaluate(table, expression->left, position);
    case EXPRESSION_ABS:
        return fabs(evaluate(table, expression->left, position));
    case EXPRESSION_HOLD:
        inner = *position;
        inner.at[expression->axis] = expression->value;
        return expression->value == EXPRESSION_NO_VALUE ? NAN : evaluate(table, expression->left, &inner);
    case EXPRESSION_LARGEST:
        return evaluate_largest(table, expression, position);
    case EXPRESSION_MAX:
    case EXPRESSION_MIN:
    case EXPRESSION_MEAN:
    case EXPRESSION_SUM:
    case EXPRESSION_COUNT:
        return evaluate_aggregate(table, expression, position);
    default:
        return evaluate_pair(expression->kind, evaluate(table, expression->left, position),
                             evaluate(table, expression->right, position));
    }
}

struct spread evaluate_spread(const struct table *table, const struct expression *expression,
                              const struct position *position)
{
    struct spread_sum sum = {.count = 0};
    struct position inner = *position;
    for (inner.seed = 0; inner.seed < table->experiment.seed_count; inner.seed++)
        spread_add(&sum, evaluate(table, expression, &inner));
    return spread_end(&sum);
}
