/*
 * claims.h - claims judged, by one table of rules for all of them.
 *
 * The claim's expression is taken at every point of the axes that it leaves free (and that `where` does not hold),
 * averaged over seeds.
 *
 *   up-to x      our maximum over the points. Met: within the tolerance of x or beyond it. Direction: positive
 *                (a factor "8x": above 1) at 80 % of the points or more.
 *   about x      every point within the tolerance of x; direction: 80 % of them. Shown: the farthest off.
 *   at-least x   every point is; direction: 80 % of them. Shown: the least.
 *   at-most x    every point is; direction: 80 % of them. Shown: the greatest.
 *   holds        the expression, over measures averaged over seeds, is true (not 0) at every point; direction:
 *                at 80 % of them. Shown: the fraction of points.
 *
 * Else missed. The tolerance is 10 points of a number that is written in %, else 10 % of it. A point without a value
 * agrees with nothing, but it is a point.
 *
 * At quick size only orderings are checked: up-to asks for direction, about for the same order of magnitude (within a
 * factor of 2, or the tolerance), the others for 80 % of the points; met is then "holds".
 */
#ifndef RESULTS_CLAIMS_H
#define RESULTS_CLAIMS_H

#include "results/evaluate.h"

enum verdict {
    VERDICT_MET,
    VERDICT_DIRECTION,
    VERDICT_MISSED,
    VERDICT_HOLDS,    /* at quick size: the ordering is there */
    VERDICT_NOT_HERE, /* not checked at this size, or a value of the sweep that it needs is not in it */
    VERDICT_NO_DATA   /* runs are missing, or no run has the measure */
};

struct judgement {
    enum verdict verdict;
    struct spread ours;             /* at the point that decides */
    struct position where;          /* that point */
    uint32_t free_axes;             /* bits: the axes whose values `where` tells */
    uint32_t points, agreeing;      /* all points; of them those that have the claimed sign or bound */
    enum censoring censoring;       /* of `ours` */
    uint32_t censored;              /* points whose value is */
    char message[WEIR_MESSAGE_MAX]; /* of NO_DATA: what is missing; else empty */
};

void claim_judge(const struct table *table, const struct claim *claim, struct judgement *out);

/* The point that decides, "policy=DT, load=0.4": as far as the claim leaves axes free. Cut when it does not fit. */
void judgement_where(const struct experiment *experiment, const struct judgement *judgement, char text[256]);

/* "censored at 3 of 8 points": unfinished flows or queries are in the numbers it stands on; empty: they are not. */
#define JUDGEMENT_CENSORED_MAX 64u
const char *judgement_censored(const struct judgement *judgement, char text[JUDGEMENT_CENSORED_MAX]);

const char *verdict_name(
    enum verdict verdict); /* "met", "direction", "missed", "holds", "not at this size", "no data" */
const char *claim_rule_name(enum claim_rule rule);

/* A number as tables show it, with its unit: "5.312 ms", "41.2 KB", "55.1 %" (of a claim written in %, and of the part
 * of points of `holds`), "8.1x"; "-": no value. */
void claim_text(const struct claim *claim, double value, const char *unit, char text[64]);
void value_text(double value, const char *unit, char text[64]);

#endif
