/*
 * unfinished.h - what flows and queries that the end of a run left unfinished do to the numbers of a table: which are
 * lower bounds, which leave them out, and how a figure or a claim wants them treated. sim/statistics.h has the rule;
 * every mark in a table, a chart, a page or an export comes from here.
 */
#ifndef LAB_STORE_UNFINISHED_H
#define LAB_STORE_UNFINISHED_H

#include "lab/store/table.h"
#include "sim/statistics.h"

enum censoring {
    CENSORING_NONE,   /* the number says what its name says */
    CENSORING_BOUND,  /* it is a lower bound */
    CENSORING_PARTIAL /* it leaves unfinished ones out, or is computed from such a number or a bound */
};

/* Of a statistic of a sample of which this fraction is known; 1: nothing is unfinished. */
enum censoring censoring_of(const struct statistic *statistic, double known);

/* Of two numbers that become one. */
enum censoring censoring_join(enum censoring a, enum censoring b);

/* "", "bound" or "partial": for other programs. */
const char *censoring_name(enum censoring censoring);

/* "≥" and "†", and what they mean in a few words; both empty for CENSORING_NONE. */
const char *censoring_sign(enum censoring censoring);
const char *censoring_words(enum censoring censoring);

/* A number as shown, with its sign: "≥ 12.3 ms", "12.3 ms †". */
#define CENSORING_TEXT_MAX 96u
const char *censoring_text(enum censoring censoring, const char *number, char text[CENSORING_TEXT_MAX]);

/* What the sign means, a line; null for CENSORING_NONE. */
const char *censoring_legend(enum censoring censoring);

/* A measure of a run, and what it says. */
double unfinished_value(const struct table *table, uint32_t run, uint32_t measure, enum unfinished treatment);
enum censoring unfinished_censoring(const struct table *table, uint32_t run, uint32_t measure,
                                    enum unfinished treatment);

/* Unfinished flows and queries of finished runs, and how many runs have some. */
struct unfinished_count {
    double flows, queries;
    uint32_t runs;
};
struct unfinished_count unfinished_count(const struct table *table);

/* "5 flows and 2 queries in 1 of 6 runs did not finish"; empty: all did. */
#define UNFINISHED_TEXT_MAX 160u
const char *unfinished_text(const struct table *table, char text[UNFINISHED_TEXT_MAX]);

#endif
