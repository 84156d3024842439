/*
 * evaluate_censoring.c - what an expression says where some of its numbers are bounds, or leave unfinished flows and
 * queries out. See evaluate.h.
 */
#include "lab/store/evaluate.h"

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
