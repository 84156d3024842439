/*
 * claims.c - see claims.h: the rules are the table below, and one walk over the points serves all of them.
 */
#include "lab/store/claims.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Numbers as tables and messages show them: four significant digits, with a prefix of the unit that keeps them
 * short. */

#define TEXT_MAX 64u
#define DIGITS "%.4g"
#define WHOLE_MAX 1e15 /* up to here a double shows whole numbers as they are */

struct prefix {
    double factor;
    const char *text;
};

/* From the least to the greatest. */
static const struct prefix time_prefixes[] = {{1e-12, "ps"}, {1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}};
static const struct prefix byte_prefixes[] = {{1, "B"}, {1e3, "KB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}};
static const struct prefix rate_prefixes[] = {
    {1, "bit/s"}, {1e3, "Kbit/s"}, {1e6, "Mbit/s"}, {1e9, "Gbit/s"}, {1e12, "Tbit/s"}};
#define PREFIX_COUNT 5u

/* Four digits without an exponent where that is readable. */
static void plain_text(double value, char text[TEXT_MAX])
{
    if (fabs(value) < WHOLE_MAX && (value == floor(value) || fabs(value) >= 1e4))
        snprintf(text, TEXT_MAX, "%.0f", value);
    else
        snprintf(text, TEXT_MAX, DIGITS, value);
}

/* The least prefix that shows less than 1000, after rounding: 999.96 us is 1 ms. */
static void prefixed_text(double value, const struct prefix *prefixes, char text[TEXT_MAX])
{
    uint32_t i = 0;
    while (i + 1 < PREFIX_COUNT && (value == 0 ? prefixes[i].factor < 1 : fabs(value) / prefixes[i].factor >= 999.95))
        i++;
    char digits[TEXT_MAX];
    plain_text(value / prefixes[i].factor, digits);
    snprintf(text, TEXT_MAX, "%.40s %s", digits, prefixes[i].text);
}

void value_text(double value, const char *unit, char text[TEXT_MAX])
{
    value += 0.0; /* no negative zero */
    if (!isfinite(value))
        snprintf(text, TEXT_MAX, "%s", isnan(value) ? "-" : value > 0 ? "inf" : "-inf");
    else if (strcmp(unit, "s") == 0)
        prefixed_text(value, time_prefixes, text);
    else if (strcmp(unit, "B") == 0)
        prefixed_text(value, byte_prefixes, text);
    else if (strcmp(unit, "bit/s") == 0)
        prefixed_text(value, rate_prefixes, text);
    else
        plain_text(value, text);
}

void claim_text(const struct claim *claim, double value, const char *unit, char text[TEXT_MAX])
{
    bool truth = claim_kind(claim) != CLAIM_OF_NUMBER;
    bool percent = truth || (claim->paper_text != NULL && strchr(claim->paper_text, '%') != NULL);
    char digits[TEXT_MAX];
    if (!isfinite(value) || (!percent && !claim->times)) {
        value_text(value, unit, text);
        return;
    }
    if (truth && (value <= 0 || value >= 1)) { /* of the points */
        snprintf(text, TEXT_MAX, "%s", value >= 1 ? "everywhere" : "confirmed nowhere");
        return;
    }
    double shown = percent ? 100 * value : value;
    plain_text(fabs(shown) < 1e-4 ? 0 : shown, digits); /* what is left of 1 - 1 is nothing */
    snprintf(text, TEXT_MAX, "%.40s%s", digits, truth ? " % of points" : percent ? " %" : "x");
}

/* One end, or a half width, as the claim writes its numbers; without a claim plain. */
static void number_text(const struct claim *claim, double value, const char *unit, char text[TEXT_MAX])
{
    if (claim != NULL)
        claim_text(claim, value, unit, text);
    else
        value_text(value, unit, text);
}

void interval_text(const struct claim *claim, const struct spread *spread, const char *unit, char text[160])
{
    char low[TEXT_MAX], high[TEXT_MAX];
    text[0] = '\0';
    if (isnan(spread->half) || !(spread->high > spread->low))
        return;
    number_text(claim, spread->half, unit, high);
    if (isinf(spread->half))
        snprintf(text, 160, " \u00b1 ?"); /* too few values for an anytime interval */
    else if (!spread_is_uneven(spread))
        snprintf(text, 160, " \u00b1 %.60s", high);
    else {
        number_text(claim, spread->low, unit, low);
        number_text(claim, spread->high, unit, high);
        snprintf(text, 160, " (%.60s to %.60s)", low, high);
    }
}

void value_interval_text(const struct spread *spread, const char *unit, char text[160])
{
    interval_text(NULL, spread, unit, text);
}

/* The measures that a condition compares, each once: "fct.mean, fct.p99"; a quotient of them is a ratio. */
struct margin_name {
    char text[160];
    bool ratio;
};

static void name_margin(const struct expression *expression, struct margin_name *name)
{
    size_t used = strlen(name->text);
    if (expression == NULL)
        return;
    name->ratio = name->ratio || expression->kind == EXPRESSION_DIVIDE;
    if (expression->kind == EXPRESSION_MEASURE && strstr(name->text, expression->name) == NULL)
        snprintf(name->text + used, sizeof name->text - used, "%s%s", used > 0 ? ", " : "", expression->name);
    name_margin(expression->left, name);
    name_margin(expression->right, name);
}

void margin_text(const struct claim *claim, const struct spread *margin, const char *unit, char text[MARGIN_TEXT_MAX])
{
    char mean[TEXT_MAX], interval[160];
    struct margin_name name = {.ratio = false};
    text[0] = '\0';
    if (margin->count == 0 || isnan(margin->half) || margin->half == 0)
        return;
    name_margin(claim->value, &name);
    value_text(margin->mean, unit, mean);
    value_interval_text(margin, unit, interval);
    snprintf(text, MARGIN_TEXT_MAX, "margin %.60s%.80s of %s%.150s", mean, interval, name.ratio ? "the ratio of " : "",
             name.text);
}

const char *claim_source(const struct experiment *experiment, const struct claim *claim)
{
    return claim->expected || experiment->paper == NULL ? "expected" : "paper";
}

const char *claim_sources(const struct experiment *experiment)
{
    bool papers = false, ours = false;
    for (uint32_t i = 0; i < experiment->claim_count; i++) {
        bool paper = strcmp(claim_source(experiment, &experiment->claims[i]), "paper") == 0;
        papers |= paper;
        ours |= !paper;
    }
    return papers && ours ? "paper or expected" : papers ? "paper" : "expected";
}

bool judgement_has_place(const struct claim *claim, const struct judgement *judgement)
{
    return !isnan(judgement->ours.mean) &&
           (claim_kind(claim) == CLAIM_OF_NUMBER || judgement->agreeing < judgement->points);
}

const char *judgement_censored(const struct judgement *judgement, char text[JUDGEMENT_CENSORED_MAX])
{
    text[0] = '\0';
    if (judgement->censored > 0 && judgement->points > 1)
        snprintf(text, JUDGEMENT_CENSORED_MAX, "censored at %u of %u points", judgement->censored, judgement->points);
    else if (judgement->censored > 0)
        snprintf(text, JUDGEMENT_CENSORED_MAX, "censored");
    return text;
}

void judgement_where(const struct experiment *experiment, const struct judgement *judgement, char text[256])
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t a = 0; a < experiment->axis_count && used < 256; a++) {
        const struct axis *axis = &experiment->axes[a];
        if ((judgement->free_axes >> a & 1) == 0)
            continue;
        used += (size_t)snprintf(text + used, 256 - used, "%s%s=%s", used > 0 ? ", " : "", axis->name,
                                 axis->values[judgement->where.at[a]].label);
    }
}

#define PART 0.1           /* of a number: how far from it is near */
#define PERCENT_PART 0.2   /* of a percentage ... */
#define PERCENT_POINTS 0.1 /* ... but no more than these points; above up-to always these */
#define ROUNDING 1e-9      /* of the number: what double arithmetic may lose at a bound */
#define SHARE_PERCENT 80u
#define SEEDS_WORTH 1e6 /* beyond that nobody waits */

static bool is_percent(const struct claim *claim)
{
    return claim->paper_text != NULL && strchr(claim->paper_text, '%') != NULL;
}

static double tolerance(const struct claim *claim)
{
    double paper = fabs(claim->paper);
    return (is_percent(claim) ? fmin(PERCENT_PART * paper, PERCENT_POINTS) : PART * paper) + ROUNDING * paper;
}

/* How far above an "up to" is still met. */
static double slack_above(const struct claim *claim)
{
    double paper = fabs(claim->paper);
    return (is_percent(claim) ? PERCENT_POINTS : PART * paper) + ROUNDING * paper;
}

/* Where a value lies against what a rule accepts: -1 below it, 0 within, 1 above. */
typedef int claim_side(const struct claim *claim, double value);

static int side_of_number(const struct claim *claim, double value)
{
    double off = value - claim->paper;
    return fabs(off) <= tolerance(claim) ? 0 : off < 0 ? -1 : 1;
}

/* Of the maximum of an up-to. */
static int side_of_reach(const struct claim *claim, double value)
{
    double off = value - claim->paper;
    return off > slack_above(claim) ? 1 : off < -tolerance(claim) ? -1 : 0;
}

static int side_of_sign(const struct claim *claim, double value)
{
    return value > (claim->times ? 1 : 0) ? 0 : -1;
}

static int side_of_magnitude(const struct claim *claim, double value)
{
    double ratio = claim->paper != 0 ? value / claim->paper : 0;
    return ratio >= 0.5 && ratio <= 2 ? 0 : side_of_number(claim, value);
}

static int side_of_least(const struct claim *claim, double value)
{
    return value >= claim->paper - ROUNDING * fabs(claim->paper) ? 0 : -1;
}

static int side_of_most(const struct claim *claim, double value)
{
    return value <= claim->paper + ROUNDING * fabs(claim->paper) ? 0 : 1;
}

enum shown { SHOW_GREATEST, SHOW_FARTHEST, SHOW_LEAST, SHOW_PART };

static const struct rule {
    const char *name;
    claim_side *side;       /* what a point must be like; null: a condition that is true */
    claim_side *side_quick; /* the same at quick size */
    enum shown shown;
} rules[CLAIM_RULES] = {
    [CLAIM_UP_TO] = {"up-to", side_of_sign, side_of_sign, SHOW_GREATEST},
    [CLAIM_ABOUT] = {"about", side_of_number, side_of_magnitude, SHOW_FARTHEST},
    [CLAIM_AT_LEAST] = {"at-least", side_of_least, side_of_least, SHOW_LEAST},
    [CLAIM_AT_MOST] = {"at-most", side_of_most, side_of_most, SHOW_GREATEST},
    [CLAIM_HOLDS] = {"holds", NULL, NULL, SHOW_PART},
    [CLAIM_INVARIANT] = {"invariant", NULL, NULL, SHOW_PART},
};

enum claim_kind claim_kind(const struct claim *claim)
{
    return claim->rule == CLAIM_INVARIANT ? CLAIM_OF_INVARIANT
           : claim->rule == CLAIM_HOLDS   ? CLAIM_OF_ORDER
                                          : CLAIM_OF_NUMBER;
}

const char *claim_rule_name(enum claim_rule rule)
{
    return rules[rule].name;
}

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {"met",    "beyond",  "undecided", "direction",        "missed",
                                        "fitted", "vacuous", "holds",     "not at this size", "no data"};
    return names[verdict];
}

struct judge {
    const struct table *table;
    const struct claim *claim;
    const struct rule *rule;
    struct judgement *out;
    struct position position;
    claim_place *open; /* null: nobody asks */
    void *context;
    uint32_t valued;   /* points that have a value */
    enum answer shown; /* of the point that is shown */
};

static bool is_elsewhere(const struct table *table, const struct claim *claim)
{
    bool elsewhere = (table->experiment.quick && !claim->quick) || evaluate_is_elsewhere(claim->value) ||
                     evaluate_is_elsewhere(claim->needs);
    for (uint32_t i = 0; i < claim->where_count; i++)
        elsewhere = elsewhere || claim->where[i].value == EXPRESSION_NO_VALUE;
    return elsewhere;
}

/* `where` means this value of the axis, or says nothing of it. */
static bool where_means(const struct claim *claim, uint32_t axis, uint32_t value)
{
    bool named = false;
    for (uint32_t i = 0; i < claim->where_count; i++) {
        if (claim->where[i].axis == axis && claim->where[i].value == value)
            return true;
        named = named || claim->where[i].axis == axis;
    }
    return !named;
}

/* To the next value of the free axes, the last fastest; false: that was the last point. */
static bool judge_next(struct judge *judge)
{
    const struct experiment *experiment = &judge->table->experiment;
    for (uint32_t axis = experiment->axis_count; axis-- > 0;) {
        if ((judge->out->free_axes >> axis & 1) == 0)
            continue;
        uint32_t *at = &judge->position.at[axis];
        do
            ++*at;
        while (*at < experiment->axes[axis].count && !where_means(judge->claim, axis, *at));
        if (*at < experiment->axes[axis].count)
            return true;
        for (*at = 0; !where_means(judge->claim, axis, *at);)
            ++*at;
    }
    return false;
}

/* The baseline shows what the claim needs, in the mean over seeds; what has no value does not. */
static bool judge_counts(const struct judge *judge)
{
    double needs = judge->claim->needs != NULL ? evaluate(judge->table, judge->claim->needs, &judge->position) : 1;
    return !isnan(needs) && needs != 0;
}

/* Both ends of the interval on one side, or the interval does not tell. */
static enum answer answer_of_spread(const struct claim *claim, claim_side *side, const struct spread *ours)
{
    int low = side(claim, spread_low(ours)), high = side(claim, spread_high(ours));
    return low != high ? ANSWER_OPEN : low == 0 ? ANSWER_YES : ANSWER_NO;
}

static struct truth judge_truth(const struct judge *judge)
{
    if (judge->claim->rule == CLAIM_INVARIANT)
        return (struct truth){.answer = truth_in_every_seed(judge->table, judge->claim->value, &judge->position),
                              .unit = "1"};
    if (judge->table->experiment.quick) {
        /* At quick size means decide: there are too few seeds for intervals. */
        double value = evaluate(judge->table, judge->claim->value, &judge->position);
        return (struct truth){.answer = isnan(value) ? ANSWER_NONE : value != 0 ? ANSWER_YES : ANSWER_NO, .unit = "1"};
    }
    return truth_of(judge->table, judge->claim->value, &judge->position);
}

/* The first point that breaks a condition, else the first that is open, else the one that holds least surely. */
static void judge_condition(struct judge *judge)
{
    struct truth truth = judge_truth(judge);
    enum answer answer = truth.answer == ANSWER_NONE ? ANSWER_NO : truth.answer;
    judge->valued += truth.answer != ANSWER_NONE;
    judge->out->censored += evaluate_censoring(judge->table, judge->claim->value, &judge->position) != CENSORING_NONE;
    judge->out->agreeing += answer == ANSWER_YES;
    judge->out->open += answer == ANSWER_OPEN;
    if (answer == ANSWER_OPEN && judge->open != NULL)
        judge->open(judge->context, &judge->position);
    bool first = judge->out->points++ == 0;
    if (first || answer < judge->shown ||
        (answer == judge->shown && answer == ANSWER_YES && truth_is_weaker(&truth, &judge->out->truth))) {
        judge->shown = answer;
        judge->out->truth = truth;
        judge->out->where = judge->position;
    }
}

/* Of up-to the greatest; of the others the farthest among those that agree least. */
static bool judge_shows(const struct judge *judge, double value, enum answer answer)
{
    double paper = judge->claim->paper, best = judge->out->ours.mean;
    if (judge->valued == 1)
        return true;
    if (judge->claim->rule != CLAIM_UP_TO && answer != judge->shown)
        return answer < judge->shown;
    switch (judge->rule->shown) {
    case SHOW_GREATEST:
        return value > best;
    case SHOW_FARTHEST:
        return fabs(value - paper) > fabs(best - paper);
    default:
        return value < best;
    }
}

static void judge_number(struct judge *judge)
{
    bool quick = judge->table->experiment.quick;
    struct spread ours = evaluate_spread(judge->table, judge->claim->value, &judge->position), used = ours;
    enum censoring censoring = evaluate_censoring(judge->table, judge->claim->value, &judge->position);
    judge->out->points++;
    judge->out->censored += censoring != CENSORING_NONE;
    if (isnan(ours.mean))
        return;
    if (quick)
        used.half = NAN; /* the mean alone */
    enum answer answer = answer_of_spread(judge->claim, quick ? judge->rule->side_quick : judge->rule->side, &used);
    judge->valued++;
    if (answer == ANSWER_OPEN && judge->open != NULL)
        judge->open(judge->context, &judge->position);
    judge->out->agreeing += answer == ANSWER_YES;
    judge->out->open += answer == ANSWER_OPEN;
    if (judge_shows(judge, ours.mean, answer)) {
        judge->shown = answer;
        judge->out->ours = ours;
        judge->out->censoring = censoring;
        judge->out->where = judge->position;
    }
}

/* What so many agreeing points make of a claim whose deciding point has this value. */
static enum verdict verdict_if(const struct claim *claim, double value, uint32_t agreeing, uint32_t points)
{
    bool all = agreeing == points, most = (uint64_t)agreeing * 100 >= (uint64_t)points * SHARE_PERCENT;
    int side = claim->rule == CLAIM_UP_TO ? side_of_reach(claim, value) : -1;
    if (claim->rule == CLAIM_INVARIANT)
        return all ? VERDICT_MET : VERDICT_MISSED;
    if (side > 0)
        return VERDICT_BEYOND;
    if (side == 0 || (all && claim->rule != CLAIM_UP_TO))
        return VERDICT_MET;
    return most ? VERDICT_DIRECTION : VERDICT_MISSED;
}

static enum verdict verdict_of(const struct claim *claim, const struct spread *ours, const struct claim_points *points)
{
    uint32_t sure = points->agreeing, perhaps = points->agreeing + points->open;
    claim_side *side = rules[claim->rule].side;
    if (points->count == 1 && side != NULL) { /* the number tells all, whatever counted it then */
        enum answer answer = answer_of_spread(claim, side, ours);
        sure = answer == ANSWER_YES;
        perhaps = answer != ANSWER_NO;
    }
    enum verdict low = verdict_if(claim, spread_low(ours), sure, points->count);
    enum verdict high = verdict_if(claim, spread_high(ours), perhaps, points->count);
    if (low == VERDICT_MET && high == VERDICT_BEYOND) /* reached for certain */
        return verdict_if(claim, ours->mean, sure, points->count);
    return low == high ? low : VERDICT_UNDECIDED;
}

enum verdict claim_verdict(const struct claim *claim, const struct spread *ours, const struct claim_points *points)
{
    enum verdict verdict = verdict_of(claim, ours, points);
    return claim->fitted != NULL && (verdict == VERDICT_MET || verdict == VERDICT_BEYOND) ? VERDICT_FITTED : verdict;
}

static void judge_finish(struct judge *judge)
{
    struct judgement *out = judge->out;
    bool all = out->agreeing == out->points;
    bool most = (uint64_t)out->agreeing * 100 >= (uint64_t)out->points * SHARE_PERCENT;
    if (judge->table->experiment.quick)
        out->verdict = (judge->claim->rule == CLAIM_INVARIANT ? all : most) ? VERDICT_HOLDS : VERDICT_MISSED;
    else
        out->verdict =
            claim_verdict(judge->claim, &out->ours, &(struct claim_points){out->points, out->agreeing, out->open});
    if (judge->rule->shown == SHOW_PART && out->censored > 0)
        out->censoring = CENSORING_PARTIAL; /* the part of all points */
    if (judge->rule->shown == SHOW_PART) {
        out->ours = SPREAD_NONE;
        out->ours.count = judge->table->experiment.seed_count;
        out->ours.mean = out->ours.min = out->ours.max = (double)out->agreeing / (double)out->points;
    }
}

void claim_judge(const struct table *table, const struct claim *claim, struct judgement *out)
{
    claim_judge_open(table, claim, out, NULL, NULL);
}

/* Width of an interval against the deviation of one value. */
static double width_of(double count, bool anytime)
{
    struct spread_sum sum = {.count = (uint32_t)count, .squares = count - 1};
    return (anytime ? spread_end_anytime(&sum) : spread_end(&sum)).half;
}

/* The verdict of one point with these numbers. */
static bool is_open(const struct claim *claim, struct spread spread)
{
    if (claim_kind(claim) != CLAIM_OF_NUMBER)
        return fabs(spread.mean) <= spread.half;
    spread.low = spread.mean - spread.half;
    spread.high = spread.mean + spread.half;
    return verdict_of(claim, &spread, &(struct claim_points){1, 1, 0}) == VERDICT_UNDECIDED;
}

double claim_seeds_more(const struct claim *claim, const struct spread *ours, const struct spread *margin, bool anytime)
{
    const struct spread *now = claim_kind(claim) == CLAIM_OF_NUMBER ? ours : margin;
    double deviation = now->half / width_of(now->count, anytime), least = now->count, most = least;
    struct spread then = *now;
    if (now->count < 2 || !isfinite(deviation) || !(deviation > 0))
        return 0;
    for (then.half = INFINITY; is_open(claim, then) && most < SEEDS_WORTH;) {
        least = most;
        most *= 2;
        then.half = deviation * width_of(most, anytime);
    }
    if (most >= SEEDS_WORTH)
        return INFINITY;
    while (most - least > 1) {
        double middle = floor((least + most) / 2);
        then.half = deviation * width_of(middle, anytime);
        *(is_open(claim, then) ? &least : &most) = middle;
    }
    return most - now->count;
}

void claim_judge_open(const struct table *table, const struct claim *claim, struct judgement *out, claim_place *open,
                      void *context)
{
    *out = (struct judgement){.verdict = VERDICT_NOT_HERE, .ours = SPREAD_NONE, .truth = {.unit = "1"}};
    if (is_elsewhere(table, claim))
        return;
    struct judge judge = {
        .table = table, .claim = claim, .rule = &rules[claim->rule], .out = out, .open = open, .context = context};
    judge.position.seed = EVALUATE_ALL_SEEDS;
    judge.position.unfinished = claim->unfinished;
    out->free_axes = evaluate_free_axes(claim->value) & ((UINT32_C(1) << table->experiment.axis_count) - 1);
    uint32_t several = 0; /* axes of which `where` means more than one value stay free */
    uint32_t held = 0;
    for (uint32_t i = 0; i < claim->where_count; i++) {
        const struct pin *pin = &claim->where[i];
        uint32_t axis = UINT32_C(1) << pin->axis, *at = &judge.position.at[pin->axis];
        *at = held & axis && *at < pin->value ? *at : pin->value;
        several |= held & axis;
        held |= axis;
    }
    out->free_axes &= ~held | several;
    out->verdict = VERDICT_NO_DATA;
    /* The first run that some point needs and that is not there. */
    uint32_t missing = UINT32_MAX;
    do
        missing = claim->needs != NULL && !judge_counts(&judge)
                      ? UINT32_MAX
                      : evaluate_missing(judge.table, judge.claim->value, &judge.position);
    while (missing == UINT32_MAX && judge_next(&judge));
    if (missing != UINT32_MAX) {
        char name[256];
        experiment_run_name(&table->experiment, missing, name);
        const char *failure = table->runs[missing].failure;
        snprintf(out->message, sizeof out->message, "not finished: %.200s%s%.200s", name, failure != NULL ? ": " : "",
                 failure != NULL ? failure : "");
        return;
    }
    bool counts = false;
    do {
        if (!judge_counts(&judge))
            continue;
        counts = true;
        judge.rule->shown == SHOW_PART ? judge_condition(&judge) : judge_number(&judge);
    } while (judge_next(&judge));
    if (!counts) {
        out->verdict = VERDICT_VACUOUS;
    } else if (judge.valued == 0) {
        const char *unknown = evaluate_unknown(table, claim->value);
        const char *nearest = unknown != NULL ? table_nearest(table, unknown) : NULL;
        if (unknown == NULL)
            snprintf(out->message, sizeof out->message, "the expression has no value at any point");
        else if (nearest == NULL)
            snprintf(out->message, sizeof out->message, "no run has the measure '%.100s'", unknown);
        else
            snprintf(out->message, sizeof out->message, "no run has the measure '%.100s' (did you mean '%.100s'?)",
                     unknown, nearest);
    } else
        judge_finish(&judge);
    if (out->verdict == VERDICT_UNDECIDED && out->open == 0 && open != NULL) { /* of up-to: how high the greatest is */
        struct position place = out->where;
        open(context, &place);
    }
}
