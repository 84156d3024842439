/*
 * evaluate.c - see evaluate.h. A tree is walked down with a position; holding an axis and aggregating over one change
 * the position for what is below.
 */
#include "lab/store/evaluate.h"

#include <math.h>
#include <string.h>

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

static double evaluate_pair(enum expression_kind kind, double left, double right)
{
    if (kind == EXPRESSION_AND || kind == EXPRESSION_OR) {
        /* Where one side is known to decide, the other need not be known. */
        bool either = kind == EXPRESSION_OR;
        if (either && ((!isnan(left) && left != 0) || (!isnan(right) && right != 0)))
            return 1;
        if (!either && (left == 0 || right == 0))
            return 0;
        return isnan(left) || isnan(right) ? NAN : !either;
    }
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

/* A percentile or an extreme: "fct.p99", "query.qct.max". */
static bool is_extreme(const struct expression *expression)
{
    if (expression == NULL)
        return false;
    if (expression->kind != EXPRESSION_MEASURE)
        return is_extreme(expression->left) || is_extreme(expression->right);
    const char *last = strrchr(expression->name, '.');
    return last != NULL && (strcmp(last, ".max") == 0 || strcmp(last, ".min") == 0 ||
                            (last[1] == 'p' && last[2] >= '0' && last[2] <= '9'));
}

/* Made of measures without a difference: never negative when they are not. */
static bool is_amount(const struct expression *expression)
{
    switch (expression->kind) {
    case EXPRESSION_NUMBER:
    case EXPRESSION_MEASURE:
    case EXPRESSION_AXIS:
        return true;
    case EXPRESSION_MAX:
    case EXPRESSION_MIN:
    case EXPRESSION_MEAN:
    case EXPRESSION_SUM:
    case EXPRESSION_HOLD:
        return is_amount(expression->left);
    case EXPRESSION_ADD:
    case EXPRESSION_MULTIPLY:
    case EXPRESSION_DIVIDE:
        return is_amount(expression->left) && is_amount(expression->right);
    default:
        return false;
    }
}

struct spread evaluate_spread(const struct table *table, const struct expression *expression,
                              const struct position *position)
{
    double values[SPREAD_BOOTSTRAP_MAX];
    struct spread_sum sum = {.count = 0};
    struct position inner = *position;
    for (inner.seed = 0; inner.seed < table->experiment.seed_count; inner.seed++) {
        double value = evaluate(table, expression, &inner);
        if (!isnan(value) && sum.count < SPREAD_BOOTSTRAP_MAX)
            values[sum.count] = value;
        spread_add(&sum, value);
    }
    struct spread spread = table->experiment.until_decided ? spread_end_anytime(&sum) : spread_end(&sum);
    if (!table->experiment.until_decided && (is_extreme(expression) || spread_is_skewed(&sum)))
        spread_bootstrap(&spread, &sum, values);
    if (spread.low < 0 && spread.min >= 0 && is_amount(expression))
        spread.low = 0;
    return spread;
}

struct spread evaluate_margin(const struct table *table, const struct expression *expression,
                              const struct position *position)
{
    struct spread_sum sum = {.count = 0};
    struct position inner = *position;
    for (inner.seed = 0; inner.seed < table->experiment.seed_count; inner.seed++)
        spread_add(&sum, evaluate(table, expression, &inner));
    return table->experiment.until_decided ? spread_end_anytime(&sum) : spread_end(&sum);
}

/* What an expression is about: its axes, its unit, the measures and runs it needs. */

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

static uint32_t point_of(const struct table *table, const struct position *position)
{
    return evaluate_run(table, position, 0) / table->experiment.seed_count;
}

void evaluate_each_point(const struct table *table, const struct expression *expression,
                         const struct position *position, evaluate_visit *visit, void *context)
{
    if (expression == NULL || (expression->kind == EXPRESSION_HOLD && expression->value == EXPRESSION_NO_VALUE))
        return;
    if (expression->kind == EXPRESSION_MEASURE) {
        visit(context, point_of(table, position));
        return;
    }
    struct position inner = *position;
    bool over = is_aggregate(expression->kind);
    if (expression->kind == EXPRESSION_HOLD)
        inner.at[expression->axis] = expression->value;
    for (uint32_t value = 0; value < (over ? table->experiment.axes[expression->axis].count : 1); value++) {
        if (over)
            inner.at[expression->axis] = value;
        evaluate_each_point(table, expression->left, &inner, visit, context);
    }
    evaluate_each_point(table, expression->right, &inner, visit, context);
}

struct missing {
    const struct table *table;
    uint32_t seed, end, run; /* run: the first that is missing */
};

static void find_missing(void *context, uint32_t point)
{
    struct missing *missing = context;
    for (uint32_t seed = missing->seed; seed < missing->end && missing->run == UINT32_MAX; seed++) {
        uint32_t run = point * missing->table->experiment.seed_count + seed;
        if (!missing->table->runs[run].finished)
            missing->run = run;
    }
}

uint32_t evaluate_missing(const struct table *table, const struct expression *expression,
                          const struct position *position)
{
    bool all = position->seed == EVALUATE_ALL_SEEDS;
    struct missing missing = {table, all ? 0 : position->seed, all ? table->experiment.seed_least : position->seed + 1,
                              UINT32_MAX};
    evaluate_each_point(table, expression, position, find_missing, &missing);
    return missing.run;
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

/* What an expression says where some of its numbers are bounds, or leave unfinished flows and queries out. */

static enum censoring censoring_of_measure(const struct table *table, const char *name, const struct position *position)
{
    uint32_t measure = table_find(table, name);
    enum censoring worst = CENSORING_NONE;
    for (uint32_t seed = 0; measure != UINT32_MAX && seed < table->experiment.seed_count; seed++)
        worst = censoring_join(
            worst, unfinished_censoring(table, evaluate_run(table, position, seed), measure, position->unfinished));
    return worst;
}

static enum censoring censoring_of_axis(const struct table *table, const struct expression *expression,
                                        const struct position *position)
{
    enum censoring worst = CENSORING_NONE;
    struct position inner = *position;
    for (uint32_t value = 0; value < table->experiment.axes[expression->axis].count; value++) {
        inner.at[expression->axis] = value;
        worst = censoring_join(worst, evaluate_censoring(table, expression->left, &inner));
    }
    return worst;
}

/* True: a lower bound of `left` times or over the right side is one of the whole. */
static bool keeps_bounds(const struct table *table, const struct expression *right, const struct position *position)
{
    struct position all = *position;
    all.seed = EVALUATE_ALL_SEEDS;
    return evaluate(table, right, &all) > 0;
}

static enum censoring censoring_of_pair(const struct table *table, const struct expression *expression,
                                        const struct position *position)
{
    enum censoring left = evaluate_censoring(table, expression->left, position);
    enum censoring right = evaluate_censoring(table, expression->right, position);
    enum censoring both = censoring_join(left, right);
    if (both == CENSORING_NONE)
        return both;
    switch (expression->kind) {
    case EXPRESSION_ADD:
    case EXPRESSION_MAX2:
    case EXPRESSION_MIN2:
        return both;
    case EXPRESSION_SUBTRACT:
        return right == CENSORING_NONE ? left : CENSORING_PARTIAL;
    case EXPRESSION_MULTIPLY:
        if (left == CENSORING_NONE)
            return keeps_bounds(table, expression->left, position) ? right : CENSORING_PARTIAL;
        return right == CENSORING_NONE && keeps_bounds(table, expression->right, position) ? left : CENSORING_PARTIAL;
    case EXPRESSION_DIVIDE:
        return right == CENSORING_NONE && keeps_bounds(table, expression->right, position) ? left : CENSORING_PARTIAL;
    default:
        return CENSORING_PARTIAL;
    }
}

static enum censoring partial_if(enum censoring censoring)
{
    return censoring != CENSORING_NONE ? CENSORING_PARTIAL : CENSORING_NONE;
}

enum censoring evaluate_censoring(const struct table *table, const struct expression *expression,
                                  const struct position *position)
{
    struct position inner = *position;
    switch (expression->kind) {
    case EXPRESSION_NUMBER:
    case EXPRESSION_AXIS:
        return CENSORING_NONE;
    case EXPRESSION_MEASURE:
        return censoring_of_measure(table, expression->name, position);
    case EXPRESSION_NEGATE:
    case EXPRESSION_ABS:
        return partial_if(evaluate_censoring(table, expression->left, position));
    case EXPRESSION_HOLD:
        inner.at[expression->axis] = expression->value;
        return expression->value == EXPRESSION_NO_VALUE ? CENSORING_NONE
                                                        : evaluate_censoring(table, expression->left, &inner);
    case EXPRESSION_MAX:
    case EXPRESSION_MIN:
    case EXPRESSION_MEAN:
    case EXPRESSION_SUM:
        return censoring_of_axis(table, expression, position);
    case EXPRESSION_COUNT:
    case EXPRESSION_LARGEST:
        return partial_if(censoring_of_axis(table, expression, position));
    default:
        return censoring_of_pair(table, expression, position);
    }
}
