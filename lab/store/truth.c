/*
 * truth.c - see truth.h.
 */
#include "lab/store/truth.h"

#include <math.h>

enum answer truth_in_every_seed(const struct table *table, const struct expression *condition,
                                const struct position *position)
{
    struct position inner = *position;
    uint32_t valued = 0;
    for (inner.seed = 0; inner.seed < table->experiment.seed_count; inner.seed++) {
        double value = evaluate(table, condition, &inner);
        if (value == 0)
            return ANSWER_NO;
        valued += !isnan(value);
    }
    return valued > 0 ? ANSWER_YES : ANSWER_NONE;
}

static struct truth truth_of_comparison(const struct table *table, const struct expression *condition,
                                        const struct position *position)
{
    const struct expression difference = {
        .kind = EXPRESSION_SUBTRACT, .left = condition->right, .right = condition->left};
    struct truth truth = {ANSWER_NONE, evaluate_margin(table, &difference, position),
                          evaluate_unit(table, &difference)};
    if (truth.margin.count == 0)
        return truth;
    double low = spread_low(&truth.margin), high = spread_high(&truth.margin);
    bool strict = condition->kind == EXPRESSION_LESS;
    bool at_low = strict ? low > 0 : low >= 0, at_high = strict ? high > 0 : high >= 0;
    truth.answer = at_low ? ANSWER_YES : at_high ? ANSWER_OPEN : ANSWER_NO;
    return truth;
}

/* In half widths: what repeats exactly is certain. */
static double certainty(const struct truth *truth)
{
    if (truth->margin.count == 0 || isnan(truth->margin.half) || truth->margin.half == 0)
        return INFINITY;
    return fabs(truth->margin.mean) / truth->margin.half;
}

bool truth_is_weaker(const struct truth *one, const struct truth *other)
{
    if (one->margin.count == 0 || other->margin.count == 0)
        return one->margin.count > 0;
    return certainty(one) < certainty(other);
}

/* `decides` is the answer of one side that needs no other. */
static struct truth truth_of_pair(const struct truth sides[2], enum answer decides)
{
    const enum answer order[] = {decides, ANSWER_NONE, ANSWER_OPEN, decides == ANSWER_NO ? ANSWER_YES : ANSWER_NO};
    uint32_t i = 0;
    while (sides[0].answer != order[i] && sides[1].answer != order[i])
        i++;
    if (sides[0].answer != sides[1].answer)
        return sides[0].answer == order[i] ? sides[0] : sides[1];
    return truth_is_weaker(&sides[1], &sides[0]) ? sides[1] : sides[0];
}

struct truth truth_of(const struct table *table, const struct expression *condition, const struct position *position)
{
    struct truth sides[2];
    struct position inner = *position;
    switch (condition->kind) {
    case EXPRESSION_AND:
    case EXPRESSION_OR:
        sides[0] = truth_of(table, condition->left, position);
        sides[1] = truth_of(table, condition->right, position);
        return truth_of_pair(sides, condition->kind == EXPRESSION_AND ? ANSWER_NO : ANSWER_YES);
    case EXPRESSION_HOLD:
        if (condition->value == EXPRESSION_NO_VALUE)
            return (struct truth){.answer = ANSWER_NONE, .unit = "1"};
        inner.at[condition->axis] = condition->value;
        return truth_of(table, condition->left, &inner);
    case EXPRESSION_LESS:
    case EXPRESSION_LESS_EQUAL:
        return truth_of_comparison(table, condition, position);
    default:
        return (struct truth){.answer = truth_in_every_seed(table, condition, position), .unit = "1"};
    }
}
