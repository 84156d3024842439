/*
 * claims.h - claims judged, by one table of rules for all of them.
 *
 * The claim's expression is taken at every point of the axes that it leaves free (and that `where` does not hold), for
 * every seed; only points that `where` means and at which `needs` is true count. One sentence comes before all rules: a
 * verdict is given when both ends of the 95 % interval over seeds (spread.h) give it, else the claim is undecided.
 * Between met and beyond, where x is reached at both ends, the mean decides. Without an interval (one seed) the number
 * is both ends. Where no point counts the claim is vacuous; what rests on a parameter that was fitted to it is fitted
 * where others are met or beyond.
 *
 *   up-to x      our maximum over the points. Met: not below x by more than the tolerance. Beyond: above x by more than
 *                10 points of what is written in %, else by more than a tenth. Direction: positive (a factor "8x":
 *                above 1) at 80 % of the points or more.
 *   about x      every point within the tolerance of x; direction: 80 % of them. Shown: the farthest off.
 *   at-least x   every point is; direction: 80 % of them. Shown: the least.
 *   at-most x    every point is; direction: 80 % of them. Shown: the greatest.
 *   holds        the condition is true at every point; direction: at 80 % of them. Intervals are those of the
 * difference of the sides of a comparison, paired by seed: truth.h. Shown: the fraction of points. invariant    the
 * condition is true at every point in every seed; else missed.
 *
 * Else missed. The tolerance is a tenth of the number; of a number that is written in % a fifth of it, but no more than
 * 10 points. A point without a value agrees with nothing, but it is a point. The point that is shown is one that breaks
 * the claim, else one that is open, where there is one (of up-to always the maximum).
 *
 * At quick size only orderings are checked, on means: up-to asks for direction, about for the same order of magnitude
 * (within a factor of 2, or the tolerance), an invariant for every point, the others for 80 % of the points; met is
 * then "holds".
 */
#ifndef LAB_STORE_CLAIMS_H
#define LAB_STORE_CLAIMS_H

#include "lab/store/truth.h"

enum verdict {
    VERDICT_MET,
    VERDICT_BEYOND,    /* up-to: more than the paper says */
    VERDICT_UNDECIDED, /* the interval over seeds allows more than one verdict */
    VERDICT_DIRECTION,
    VERDICT_MISSED,
    VERDICT_FITTED,   /* it comes out, but by a parameter that was chosen for that */
    VERDICT_VACUOUS,  /* the baseline shows no effect: there is nothing to compare */
    VERDICT_HOLDS,    /* at quick size: the ordering is there */
    VERDICT_NOT_HERE, /* not checked at this size, or a value of the sweep that it needs is not in it */
    VERDICT_NO_DATA   /* runs are missing, or no run has the measure */
};

struct judgement {
    enum verdict verdict;
    struct spread ours;              /* at the point that decides */
    struct position where;           /* that point */
    uint32_t free_axes;              /* bits: the axes whose values `where` tells */
    uint32_t points, agreeing, open; /* all points; of them those that have the claimed sign or bound, and those whose
                                        interval does not tell */
    struct truth truth;              /* of holds: at that point */
    enum censoring censoring;        /* of `ours` */
    uint32_t censored;               /* points whose value is */
    char message[WEIR_MESSAGE_MAX];  /* of NO_DATA: what is missing; else empty */
};

void claim_judge(const struct table *table, const struct claim *claim, struct judgement *out);

/* The same, and calls `open` for each place at which an undecided claim hangs: points that are open, else the one that
 * is shown. */
typedef void claim_place(void *context, const struct position *position);
void claim_judge_open(const struct table *table, const struct claim *claim, struct judgement *out, claim_place *open,
                      void *context);

/* About how many seeds more decide the point that is shown, if means stay: of a number its own, else the margin.
 * Infinite: none do, since the mean is at a bound; 0: nothing is known of its scatter. */
double claim_seeds_more(const struct claim *claim, const struct spread *ours, const struct spread *margin,
                        bool anytime);

/* The same from numbers that were kept: those of a judgement at full size. */
struct claim_points {
    uint32_t count, agreeing, open;
};
enum verdict claim_verdict(const struct claim *claim, const struct spread *ours, const struct claim_points *points);

/* What kind of thing is claimed: a number, an ordering without one, or what must be true of every run. */
enum claim_kind { CLAIM_OF_NUMBER, CLAIM_OF_ORDER, CLAIM_OF_INVARIANT };
enum claim_kind claim_kind(const struct claim *claim);

/* Whose word a claim is: "paper", or "expected" of our own. Of all claims of an experiment: one of these, or both. */
const char *claim_source(const struct experiment *experiment, const struct claim *claim);
const char *claim_sources(const struct experiment *experiment);

/* A condition that is true everywhere has no point that decides. */
bool judgement_has_place(const struct claim *claim, const struct judgement *judgement);

/* The point that decides, "policy=DT, load=0.4": as far as the claim leaves axes free. Cut when it does not fit. */
void judgement_where(const struct experiment *experiment, const struct judgement *judgement, char text[256]);

/* "censored at 3 of 8 points": unfinished flows or queries are in the numbers it stands on; empty: they are not. */
#define JUDGEMENT_CENSORED_MAX 64u
const char *judgement_censored(const struct judgement *judgement, char text[JUDGEMENT_CENSORED_MAX]);

/* "met", "beyond", "undecided", "direction", "missed", "fitted", "vacuous", "holds", "not at this size", "no data" */
const char *verdict_name(enum verdict verdict);
const char *claim_rule_name(enum claim_rule rule);

/* A number as tables show it, with its unit: "5.312 ms", "41.2 KB", "55.1 %" (of a claim written in %, and of the part
 * of points of `holds`), "8.1x"; "-": no value. */
void claim_text(const struct claim *claim, double value, const char *unit, char text[64]);
/* " ± 0.2 ms", or " (4.9 to 8.2 ms)" of an uneven interval; empty: none, or seeds change nothing. */
void interval_text(const struct claim *claim, const struct spread *spread, const char *unit, char text[160]);
/* The same of a plain number. */
void value_interval_text(const struct spread *spread, const char *unit, char text[160]);
/* "margin 3.1 ms ± 0.2 ms of query.qct.mean": how far the comparison that decides is from the other answer, and in
 * what; empty: no comparison does. */
#define MARGIN_TEXT_MAX 320u
void margin_text(const struct claim *claim, const struct spread *margin, const char *unit, char text[MARGIN_TEXT_MAX]);
void value_text(double value, const char *unit, char text[64]);

#endif
