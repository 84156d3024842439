/*
 * evaluate_about.c - what an expression is about: its axes, its unit, the measures and runs it needs. See evaluate.h.
 */
#include <string.h>

#include "lab/store/evaluate.h"

#define ALL_AXES ((UINT32_C(1) << EXPERIMENT_AXES_MAX) - 1)

static bool is_aggregate(enum expression_kind kind)
{
    return kind >= EXPRESSION_MAX && kind <= EXPRESSION_LARGEST;
}

uint32_t evaluate_free_axes(const struct expression *expression)
{
    if (expression == NULL)
        return 0;
    if (expression->kind == EXPRESSION_MEASURE)
        return ALL_AXES;
    if (expression->kind == EXPRESSION_AXIS)
        return UINT32_C(1) << expression->axis;
    uint32_t below = evaluate_free_axes(expression->left) | evaluate_free_axes(expression->right);
    if (expression->kind == EXPRESSION_HOLD || is_aggregate(expression->kind))
        below &= ~(UINT32_C(1) << expression->axis);
    return below;
}

const char *evaluate_unknown(const struct table *table, const struct expression *expression)
{
    if (expression == NULL)
        return NULL;
    if (expression->kind == EXPRESSION_MEASURE)
        return table_find(table, expression->name) == UINT32_MAX ? expression->name : NULL;
    const char *unknown = evaluate_unknown(table, expression->left);
    return unknown != NULL ? unknown : evaluate_unknown(table, expression->right);
}

bool evaluate_is_elsewhere(const struct expression *expression)
{
    if (expression == NULL)
        return false;
    return (expression->kind == EXPRESSION_HOLD && expression->value == EXPRESSION_NO_VALUE) ||
           evaluate_is_elsewhere(expression->left) || evaluate_is_elsewhere(expression->right);
}

static uint32_t missing_at(const struct table *table, const struct position *position)
{
    uint32_t seed = position->seed == EVALUATE_ALL_SEEDS ? 0 : position->seed;
    uint32_t end = position->seed == EVALUATE_ALL_SEEDS ? table->experiment.seed_count : seed + 1;
    for (; seed < end; seed++) {
        uint32_t run = evaluate_run(table, position, seed);
        if (!table->runs[run].finished)
            return run;
    }
    return UINT32_MAX;
}

uint32_t evaluate_missing(const struct table *table, const struct expression *expression,
                          const struct position *position)
{
    if (expression == NULL)
        return UINT32_MAX;
    if (expression->kind == EXPRESSION_MEASURE)
        return missing_at(table, position);
    struct position inner = *position;
    uint32_t count = 1, missing = UINT32_MAX;
    if (expression->kind == EXPRESSION_HOLD)
        inner.at[expression->axis] = expression->value;
    if (expression->kind == EXPRESSION_HOLD && expression->value == EXPRESSION_NO_VALUE)
        return UINT32_MAX;
    if (is_aggregate(expression->kind))
        count = table->experiment.axes[expression->axis].count;
    for (uint32_t value = 0; value < count && missing == UINT32_MAX; value++) {
        if (is_aggregate(expression->kind))
            inner.at[expression->axis] = value;
        missing = evaluate_missing(table, expression->left, &inner);
    }
    return missing != UINT32_MAX ? missing : evaluate_missing(table, expression->right, &inner);
}

static const char *axis_unit(const struct table *table, uint32_t axis)
{
    const char *unit = table->experiment.axes[axis].unit;
    return unit != NULL && unit[0] != '\0' ? unit : "1";
}

/* The unit of what two units make: plain numbers take the other side's unit. */
static const char *unit_of_pair(enum expression_kind kind, const char *left, const char *right)
{
    switch (kind) {
    case EXPRESSION_ADD:
    case EXPRESSION_SUBTRACT:
    case EXPRESSION_MAX2:
    case EXPRESSION_MIN2:
        return strcmp(left, "1") != 0 ? left : right;
    case EXPRESSION_MULTIPLY:
        return strcmp(left, "1") == 0 ? right : strcmp(right, "1") == 0 ? left : "1";
    case EXPRESSION_DIVIDE:
        return strcmp(right, "1") == 0 ? left : "1";
    default:
        return "1";
    }
}

const char *evaluate_unit(const struct table *table, const struct expression *expression)
{
    uint32_t measure;
    switch (expression->kind) {
    case EXPRESSION_NUMBER:
    case EXPRESSION_COUNT:
        return "1";
    case EXPRESSION_MEASURE:
        measure = table_find(table, expression->name);
        return measure == UINT32_MAX ? "1" : table->measures[measure].unit;
    case EXPRESSION_AXIS:
    case EXPRESSION_LARGEST:
        return axis_unit(table, expression->axis);
    case EXPRESSION_NEGATE:
    case EXPRESSION_ABS:
    case EXPRESSION_MAX:
    case EXPRESSION_MIN:
    case EXPRESSION_MEAN:
    case EXPRESSION_SUM:
    case EXPRESSION_HOLD:
        return evaluate_unit(table, expression->left);
    default:
        return unit_of_pair(expression->kind, evaluate_unit(table, expression->left),
                            evaluate_unit(table, expression->right));
    }
}
