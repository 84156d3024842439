/*
 * claims.c - see claims.h: the rules are the table below, and one walk over the points serves all of them.
 */
#include "results/claims.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TOLERANCE 0.1 /* 10 points of what is written in %, else 10 % of the number */
#define ROUNDING 1e-9 /* of the number: what double arithmetic may lose at a bound */
#define SHARE_PERCENT 80u

static bool is_percent(const struct claim *claim)
{
    return claim->paper_text != NULL && strchr(claim->paper_text, '%') != NULL;
}

static double tolerance(const struct claim *claim)
{
    return (is_percent(claim) ? TOLERANCE : TOLERANCE * fabs(claim->paper)) + ROUNDING * fabs(claim->paper);
}

static bool has_sign(const struct claim *claim, double value)
{
    return value > (claim->times ? 1 : 0);
}

static bool is_near_or_beyond(const struct claim *claim, double value)
{
    return value >= claim->paper - tolerance(claim);
}

static bool is_near(const struct claim *claim, double value)
{
    return fabs(value - claim->paper) <= tolerance(claim);
}

static bool is_of_same_magnitude(const struct claim *claim, double value)
{
    double ratio = claim->paper != 0 ? value / claim->paper : 0;
    return is_near(claim, value) || (ratio >= 0.5 && ratio <= 2);
}

static bool is_at_least(const struct claim *claim, double value)
{
    return value >= claim->paper - ROUNDING * fabs(claim->paper);
}

static bool is_at_most(const struct claim *claim, double value)
{
    return value <= claim->paper + ROUNDING * fabs(claim->paper);
}

static bool is_true(const struct claim *claim, double value)
{
    (void)claim;
    return value != 0;
}

enum shown { SHOW_GREATEST, SHOW_FARTHEST, SHOW_LEAST, SHOW_PART };

typedef bool claim_test(const struct claim *claim, double value);

static const struct rule {
    const char *name;
    claim_test *agrees;       /* what a point must be like: at 80 % of the points it is the direction */
    claim_test *agrees_quick; /* the same at quick size */
    claim_test *meets;        /* of the point that is shown; null: met when all points agree */
    enum shown shown;
} rules[CLAIM_RULES] = {
    [CLAIM_UP_TO] = {"up-to", has_sign, has_sign, is_near_or_beyond, SHOW_GREATEST},
    [CLAIM_ABOUT] = {"about", is_near, is_of_same_magnitude, NULL, SHOW_FARTHEST},
    [CLAIM_AT_LEAST] = {"at-least", is_at_least, is_at_least, NULL, SHOW_LEAST},
    [CLAIM_AT_MOST] = {"at-most", is_at_most, is_at_most, NULL, SHOW_GREATEST},
    [CLAIM_HOLDS] = {"holds", is_true, is_true, NULL, SHOW_PART},
};

const char *claim_rule_name(enum claim_rule rule)
{
    return rules[rule].name;
}

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {"met", "direction", "missed", "holds", "not at this size", "no data"};
    return names[verdict];
}

struct judge {
    const struct table *table;
    const struct claim *claim;
    const struct rule *rule;
    struct judgement *out;
    struct position position;
    uint32_t valued; /* points that have a value */
};

static bool is_elsewhere(const struct table *table, const struct claim *claim)
{
    bool elsewhere = (table->experiment.quick && !claim->quick) || evaluate_is_elsewhere(claim->value);
    for (uint32_t i = 0; i < claim->where_count; i++)
        elsewhere = elsewhere || claim->where[i].value == EXPRESSION_NO_VALUE;
    return elsewhere;
}

/* To the next value of the free axes, the last fastest; false: that was the last point. */
static bool judge_next(struct judge *judge)
{
    const struct experiment *experiment = &judge->table->experiment;
    for (uint32_t axis = experiment->axis_count; axis-- > 0;) {
        if ((judge->out->free_axes >> axis & 1) == 0)
            continue;
        if (++judge->position.at[axis] < experiment->axes[axis].count)
            return true;
        judge->position.at[axis] = 0;
    }
    return false;
}

/* Comparisons of `holds` are made once, on measures averaged over seeds. */
static struct spread judge_value(const struct judge *judge)
{
    if (judge->claim->rule != CLAIM_HOLDS)
        return evaluate_spread(judge->table, judge->claim->value, &judge->position);
    double value = evaluate(judge->table, judge->claim->value, &judge->position);
    return (struct spread){isnan(value) ? 0 : judge->table->experiment.seed_count, value, NAN, value, value};
}

static bool judge_shows(const struct judge *judge, double value, bool agrees)
{
    double paper = judge->claim->paper, best = judge->out->ours.mean;
    if (judge->valued == 1 && (judge->rule->shown != SHOW_PART || judge->out->points == 1))
        return true;
    switch (judge->rule->shown) {
    case SHOW_GREATEST:
        return value > best;
    case SHOW_FARTHEST:
        return fabs(value - paper) > fabs(best - paper);
    case SHOW_LEAST:
        return value < best;
    default: /* the first that does not agree, with a value or without */
        return !agrees && judge->out->agreeing == judge->out->points - 1;
    }
}

static void judge_point(struct judge *judge)
{
    struct spread ours = judge_value(judge);
    enum censoring censoring = evaluate_censoring(judge->table, judge->claim->value, &judge->position);
    judge->out->points++;
    judge->out->censored += censoring != CENSORING_NONE;
    if (isnan(ours.mean)) {
        if (judge->rule->shown == SHOW_PART && judge->out->agreeing == judge->out->points - 1)
            judge->out->where = judge->position;
        return;
    }
    claim_test *test = judge->table->experiment.quick ? judge->rule->agrees_quick : judge->rule->agrees;
    bool agrees = test(judge->claim, ours.mean);
    judge->valued++;
    if (judge_shows(judge, ours.mean, agrees)) {
        judge->out->ours = ours;
        judge->out->censoring = censoring;
        judge->out->where = judge->position;
    }
    judge->out->agreeing += agrees;
}

static void judge_finish(struct judge *judge)
{
    struct judgement *out = judge->out;
    bool most = (uint64_t)out->agreeing * 100 >= (uint64_t)out->points * SHARE_PERCENT;
    bool met =
        judge->rule->meets != NULL ? judge->rule->meets(judge->claim, out->ours.mean) : out->agreeing == out->points;
    if (judge->table->experiment.quick)
        out->verdict = most ? VERDICT_HOLDS : VERDICT_MISSED;
    else
        out->verdict = met ? VERDICT_MET : most ? VERDICT_DIRECTION : VERDICT_MISSED;
    if (judge->rule->shown == SHOW_PART && out->censored > 0)
        out->censoring = CENSORING_PARTIAL; /* the part of all points */
    if (judge->rule->shown == SHOW_PART)
        out->ours.mean = out->ours.min = out->ours.max = (double)out->agreeing / (double)out->points;
}

static void say_missing(struct judgement *out, const struct table *table, uint32_t run)
{
    char name[256];
    experiment_run_name(&table->experiment, run, name);
    const char *failure = table->runs[run].failure;
    snprintf(out->message, sizeof out->message, "not finished: %.200s%s%.200s", name, failure != NULL ? ": " : "",
             failure != NULL ? failure : "");
}

static void say_no_value(struct judgement *out, const struct table *table, const struct claim *claim)
{
    const char *unknown = evaluate_unknown(table, claim->value);
    const char *nearest = unknown != NULL ? table_nearest(table, unknown) : NULL;
    if (unknown == NULL)
        snprintf(out->message, sizeof out->message, "the expression has no value at any point");
    else if (nearest == NULL)
        snprintf(out->message, sizeof out->message, "no run has the measure '%.100s'", unknown);
    else
        snprintf(out->message, sizeof out->message, "no run has the measure '%.100s' (did you mean '%.100s'?)", unknown,
                 nearest);
}

/* The first run that some point needs and that is not there. */
static uint32_t judge_missing(struct judge *judge)
{
    uint32_t missing = UINT32_MAX;
    do
        missing = evaluate_missing(judge->table, judge->claim->value, &judge->position);
    while (missing == UINT32_MAX && judge_next(judge));
    return missing;
}

void claim_judge(const struct table *table, const struct claim *claim, struct judgement *out)
{
    *out = (struct judgement){.verdict = VERDICT_NOT_HERE, .ours = {0, NAN, NAN, NAN, NAN}};
    if (is_elsewhere(table, claim))
        return;
    struct judge judge = {.table = table, .claim = claim, .rule = &rules[claim->rule], .out = out};
    judge.position.seed = EVALUATE_ALL_SEEDS;
    judge.position.unfinished = claim->unfinished;
    out->free_axes = evaluate_free_axes(claim->value) & ((UINT32_C(1) << table->experiment.axis_count) - 1);
    for (uint32_t i = 0; i < claim->where_count; i++) {
        out->free_axes &= ~(UINT32_C(1) << claim->where[i].axis);
        judge.position.at[claim->where[i].axis] = claim->where[i].value;
    }
    out->verdict = VERDICT_NO_DATA;
    uint32_t missing = judge_missing(&judge);
    if (missing != UINT32_MAX) {
        say_missing(out, table, missing);
        return;
    }
    do
        judge_point(&judge);
    while (judge_next(&judge));
    if (judge.valued == 0)
        say_no_value(out, table, claim);
    else
        judge_finish(&judge);
}
