/*
 * unfinished.c - see unfinished.h. A sample NAME with unfinished members has beside NAME.STAT the measures NAME.known,
 * NAME.bound_mean and NAME_finished.STAT (measures.def); without them it has none of these.
 */
#include "lab/store/unfinished.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME_MAX_BYTES 320u

enum censoring censoring_of(const struct statistic *statistic, double known)
{
    switch (statistic_grade(statistic, known)) {
    case STATISTIC_EXACT:
        return CENSORING_NONE;
    case STATISTIC_LOWER_BOUND:
        return CENSORING_BOUND;
    default:
        return CENSORING_PARTIAL;
    }
}

enum censoring censoring_join(enum censoring a, enum censoring b)
{
    return a > b ? a : b;
}

const char *censoring_name(enum censoring censoring)
{
    static const char *const names[] = {"", "bound", "partial"};
    return names[censoring];
}

const char *censoring_sign(enum censoring censoring)
{
    static const char *const signs[] = {"", "\u2265", "\u2020"};
    return signs[censoring];
}

const char *censoring_words(enum censoring censoring)
{
    static const char *const words[] = {"", "lower bound", "without the unfinished"};
    return words[censoring];
}

const char *censoring_text(enum censoring censoring, const char *number, char text[CENSORING_TEXT_MAX])
{
    const char *sign = censoring_sign(censoring);
    if (censoring == CENSORING_BOUND)
        snprintf(text, CENSORING_TEXT_MAX, "%s %s", sign, number);
    else
        snprintf(text, CENSORING_TEXT_MAX, "%s%s%s", number, sign[0] != '\0' ? " " : "", sign);
    return text;
}

const char *censoring_legend(enum censoring censoring)
{
    static const char *const legends[] = {
        NULL, "\u2265 a lower bound: what did not finish counts with its age at the end of the run",
        "\u2020 without what did not finish, or computed from such a number or a bound"};
    return legends[censoring];
}

/* The statistic that a name ends in, and how long its sample's name is; null: it is no statistic. */
static const struct statistic *statistic_of(const char *name, int *sample)
{
    const char *dot = strrchr(name, '.');
    for (uint32_t i = 0; dot != NULL && i < STATISTIC_COUNT; i++) {
        if (strcmp(statistic_table[i].name, dot + 1) == 0) {
            *sample = (int)(dot - name);
            return &statistic_table[i];
        }
    }
    return NULL;
}

/* Another measure of the same sample; NaN: the run does not have it. */
static double sibling(const struct table *table, uint32_t run, const char *name, int sample, const char *end)
{
    char other[NAME_MAX_BYTES];
    snprintf(other, sizeof other, "%.*s%s", sample, name, end);
    uint32_t measure = table_find(table, other);
    return measure != UINT32_MAX ? table_value(table, run, measure) : NAN;
}

double unfinished_value(const struct table *table, uint32_t run, uint32_t measure, enum unfinished treatment)
{
    double value = table_value(table, run, measure), other = NAN;
    const char *name = table->measures[measure].name;
    char end[32];
    int sample;
    const struct statistic *statistic = treatment != UNFINISHED_MARK ? statistic_of(name, &sample) : NULL;
    if (statistic == NULL)
        return value;
    snprintf(end, sizeof end, "_finished.%s", statistic->name);
    if (treatment == UNFINISHED_LEAVE_OUT)
        other = sibling(table, run, name, sample, end);
    else if (strcmp(statistic->name, "mean") == 0)
        other = sibling(table, run, name, sample, ".bound_mean");
    return isnan(other) ? value : other;
}

/* A run of which nothing finished has no value and is missing in a mean over seeds: that is partial. */
enum censoring unfinished_censoring(const struct table *table, uint32_t run, uint32_t measure,
                                    enum unfinished treatment)
{
    const char *name = table->measures[measure].name;
    int sample;
    const struct statistic *statistic = treatment != UNFINISHED_LEAVE_OUT ? statistic_of(name, &sample) : NULL;
    double known = statistic != NULL ? sibling(table, run, name, sample, ".known") : NAN;
    if (isnan(known))
        return CENSORING_NONE;
    if (isnan(table_value(table, run, measure)))
        return CENSORING_PARTIAL;
    enum censoring censoring = censoring_of(statistic, known);
    return censoring == CENSORING_PARTIAL && treatment == UNFINISHED_AS_BOUND ? CENSORING_BOUND : censoring;
}

static double count_of(const struct table *table, uint32_t run, const char *name)
{
    uint32_t measure = table_find(table, name);
    double count = measure != UINT32_MAX ? table_value(table, run, measure) : NAN;
    return isnan(count) ? 0 : count;
}

struct unfinished_count unfinished_count(const struct table *table)
{
    struct unfinished_count sum = {.runs = 0};
    for (uint32_t run = 0; run < experiment_runs(&table->experiment); run++) {
        double flows = count_of(table, run, UNFINISHED_FLOWS_MEASURE);
        double queries = count_of(table, run, UNFINISHED_QUERIES_MEASURE);
        sum.flows += flows;
        sum.queries += queries;
        sum.runs += flows > 0 || queries > 0;
    }
    return sum;
}

const char *unfinished_text(const struct table *table, char text[UNFINISHED_TEXT_MAX])
{
    struct unfinished_count count = unfinished_count(table);
    char queries[64] = "";
    text[0] = '\0';
    if (count.queries > 0)
        snprintf(queries, sizeof queries, " and %.0f quer%s", count.queries, count.queries == 1 ? "y" : "ies");
    if (count.runs > 0)
        snprintf(text, UNFINISHED_TEXT_MAX, "%.0f flow%s%s in %" PRIu32 " of %" PRIu32 " runs did not finish",
                 count.flows, count.flows == 1 ? "" : "s", queries, count.runs, table->finished);
    return text;
}
