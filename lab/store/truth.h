/*
 * truth.h - is a condition true, when each seed gives other numbers? Noise must not answer: a comparison is open when
 * the 95 % interval of the difference of its sides, paired by seed, has the threshold inside.
 *
 *   a < b, a <= b   yes: the whole interval of b - a says so; no: none of it does; else open
 *   and, or         as in logic, of the answers of their sides
 *   all else        yes when it is true (not 0) in every seed: `lost == 0` is no matter of averages
 *
 * With one seed there is no interval, and the number decides.
 */
#ifndef LAB_STORE_TRUTH_H
#define LAB_STORE_TRUTH_H

#include "lab/store/evaluate.h"

enum answer { ANSWER_NONE /* no value */, ANSWER_NO, ANSWER_OPEN, ANSWER_YES };

struct truth {
    enum answer answer;
    struct spread margin; /* by how much the weakest comparison that decides holds: b - a; count 0: none is in it */
    const char *unit;     /* of the margin */
};

struct truth truth_of(const struct table *table, const struct expression *condition, const struct position *position);

/* The same without intervals: yes when it is true in every seed. */
enum answer truth_in_every_seed(const struct table *table, const struct expression *condition,
                                const struct position *position);

/* Which of two answers of the same kind is the less certain one: the least margin in half widths. */
bool truth_is_weaker(const struct truth *one, const struct truth *other);

#endif
