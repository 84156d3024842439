/*
 * test_naive_policies.c - hand-made tables for the policies of present lengths, and for those that push out or expel.
 */
#include "tests/support/naive_table.h"

static void es__shares(void **unused)
{
    static const struct step by_port[] = {
        ARRIVES(0, 0, 0, 30, OK),
        ARRIVES(0, 0, 1, 20, OK),
        ARRIVES(0, 0, 0, 1, OVER),
        ARRIVES(0, 1, 0, 50, OK),
    };
    static const struct step by_account[] = {
        ARRIVES(0, 0, 0, 25, OK),
        ARRIVES(0, 0, 0, 1, OVER),
        ARRIVES(0, 0, 1, 26, OVER),
        ARRIVES(0, 0, 1, 25, OK),
    };
    (void)unused;
    expect("es", "", 2, STEPS(by_port));
    expect("es", "over=account", 2, STEPS(by_account));
}

static void smxq__limits(void **unused)
{
    static const struct step root[] = {
        /* 100 / sqrt(4) */
        ARRIVES(0, 0, 0, 50, OK),
        ARRIVES(0, 0, 0, 1, OVER),
        ARRIVES(0, 1, 0, 50, OK),
        ARRIVES(0, 1, 1, 1, NO_ROOM),
    };
    static const struct step limits[] = {ARRIVES(0, 0, 0, 31, OVER), ARRIVES(0, 0, 1, 31, OK)};
    (void)unused;
    expect("smxq", "", 2, STEPS(root));
    expect("smxq", "limit=30B,40B", 2, STEPS(limits));
}

static void dt__alpha_of_free(void **unused)
{
    static const struct step steps[] = {
        ARRIVES(0, 0, 0, 50, OK), ARRIVES(0, 0, 0, 1, OVER), ARRIVES(0, 1, 0, 25, OK), ARRIVES(0, 1, 0, 1, OVER),
        SENDS(0, 0, 0),           ARRIVES(0, 1, 0, 50, OK),
    };
    (void)unused;
    expect("dt", "alpha=1", 1, STEPS(steps));
}

static void harmonic__bounds(void **unused)
{
    static const struct step steps[] = {
        /* H_2 = 3/2: the longest holds at most 66, both at most 100 */
        ARRIVES(0, 0, 0, 67, OVER), ARRIVES(0, 0, 0, 66, OK), ARRIVES(0, 1, 0, 35, OVER),
        ARRIVES(0, 1, 0, 34, OK),   SENDS(0, 0, 1),           ARRIVES(0, 1, 0, 33, OVER),
    };
    (void)unused;
    expect("harmonic", "", 1, STEPS(steps));
}

static void lqd__longest_loses(void **unused)
{
    static const struct step head[] = {
        ARRIVES(0, 0, 0, 40, OK),     ARRIVES(0, 0, 0, 40, OK),
        ARRIVES(0, 1, 0, 20, OK),     PUSHES(0, 1, 0, 30, "0"), /* 80 > 20 + 30 */
        ARRIVES(0, 0, 0, 10, OK),                               /* 50 and 50 */
        ARRIVES(0, 0, 0, 5, NO_ROOM),                           /* its own is longest */
    };
    static const struct step tie[] = {
        ARRIVES(0, 0, 0, 30, OK),      ARRIVES(0, 0, 0, 30, OK), ARRIVES(0, 1, 0, 20, OK),
        ARRIVES(0, 1, 0, 40, NO_ROOM), PUSHES(0, 1, 0, 39, "0"),
    };
    static const struct step tail[] = {
        ARRIVES(0, 0, 0, 40, OK), ARRIVES(0, 0, 0, 40, OK), ARRIVES(0, 1, 0, 20, OK),
        PUSHES(0, 1, 0, 30, "1"), SENDS(0, 0, 0),
    };
    static const struct step priority[] = {
        ARRIVES(0, 0, 1, 60, OK),
        ARRIVES(0, 1, 0, 40, OK),
        ARRIVES(0, 0, 0, 41, NO_ROOM),
        PUSHES(0, 1, 1, 5, "0"),
    };
    static const struct step lowest[] = {
        ARRIVES(0, 0, 1, 60, OK),      ARRIVES(0, 1, 0, 40, OK),     PUSHES(0, 0, 1, 5, "1"), /* 40 of a lower class */
        ARRIVES(0, 0, 1, 35, OK),      ARRIVES(0, 0, 1, 5, NO_ROOM),                          /* its own is longest */
        ARRIVES(0, 0, 0, 41, NO_ROOM), PUSHES(0, 1, 1, 5, "0"),
    };
    (void)unused;
    expect("lqd", "", 1, STEPS(head));
    expect("lqd", "", 1, STEPS(tie));
    expect("lqd", "remove=tail", 1, STEPS(tail));
    expect("lqd", "priority=yes", 2, STEPS(priority));
    expect("lqd", "priority=lowest", 2, STEPS(lowest));
}

#define FIVE_TENS_AND_THREE                                                                                            \
    THREE_TENS(0), ARRIVES(0, 0, 0, 10, OK), ARRIVES(0, 0, 0, 10, OK), ARRIVES(0, 1, 0, 10, OK),                       \
        ARRIVES(0, 1, 0, 10, OK), ARRIVES(0, 1, 0, 10, OK)

static void occamy__expels_while_tokens_last(void **unused)
{
    static const struct step steps[] = {
        FIVE_TENS_AND_THREE,      /* 50 and 30, F = 20 */
        EXPELS(0, "0 1"),         /* 50 > 20, 40 > 30; then 30 and 30, F = 40, and no tokens */
        ARRIVES(0, 1, 0, 10, OK), /* 30 and 40, F = 30 */
        EXPELS(10 * NS - 1, ""),
        EXPELS(10 * NS, "5"),
        ARRIVES(10 * NS, 1, 0, 10, OK),
        SENDS(20 * NS, 0, 2), /* takes the tokens: 20 and 40, F = 40 */
        ARRIVES(20 * NS, 1, 0, 1, OVER),
        ARRIVES(20 * NS, 0, 0, 10, OK), /* 30 and 40, F = 30 */
        EXPELS(20 * NS, ""),
        EXPELS(30 * NS, "6"),
    };
    (void)unused;
    expect("occamy", "alpha=1", 1, STEPS(steps));
}

static void occamy__selects(void **unused)
{
#define FILL                                                                                                           \
    ARRIVES(0, 1, 0, 10, OK), ARRIVES(0, 1, 0, 10, OK), ARRIVES(0, 1, 0, 10, OK), ARRIVES(0, 0, 0, 10, OK),            \
        ARRIVES(0, 0, 0, 10, OK), ARRIVES(0, 1, 0, 10, OK), ARRIVES(0, 0, 0, 10, OK), ARRIVES(0, 0, 1, 10, OK),        \
        ARRIVES(0, 0, 1, 10, OK) /* accounts 0, 1, 2 hold 30, 40, 20; F = 10 */
    static const struct step turns[] = {FILL, EXPELS(0, "3 0")}, longest[] = {FILL, EXPELS(0, "0 3")};
    (void)unused;
    expect("occamy", "alpha=1", 2, STEPS(turns));
    expect("occamy", "alpha=1:select=longest", 2, STEPS(longest));
}

static void occamy__empty_exception(void **unused)
{
    static const struct step empty[] = {FIVE_TENS_AND_THREE, ARRIVES(0, 0, 1, 20, OK), ARRIVES(0, 0, 1, 1, OVER)};
    static const struct step refused[] = {FIVE_TENS_AND_THREE, ARRIVES(0, 0, 1, 11, OVER), ARRIVES(0, 0, 1, 10, OK)};
    (void)unused;
    expect("occamy", "alpha=1,0.5:empty_exception=yes", 2, STEPS(empty));
    expect("occamy", "alpha=1,0.5", 2, STEPS(refused));
}

static void occamy__packet_larger_than_the_bucket(void **unused)
{
    static const struct step steps[] = {
        ARRIVES(0, 0, 0, 30, OK),
        ARRIVES(0, 0, 0, 20, OK),
        ARRIVES(0, 1, 0, 25, OK), /* 50 and 25, F = 25 */
        SENDS(0, 1, 2),
        ARRIVES(0, 1, 0, 25, OK), /* 25 ns of debt, less 20 */
        EXPELS(25 * NS - 1, ""),
        EXPELS(25 * NS, "0"), /* a full bucket is enough, and 10 more are owed */
        ARRIVES(25 * NS, 0, 0, 7, OK),
        ARRIVES(25 * NS, 1, 0, 23, OK), /* 27 and 48, F = 25 */
        EXPELS(55 * NS - 1, ""),
        EXPELS(55 * NS, "3"), /* the bucket is empty at 35 ns; 25 > 20, full at 55 */
    };
    (void)unused;
    expect("occamy", "alpha=1", 1, STEPS(steps));
}

static void occamy_p4__sees_late(void **unused)
{
    static const struct step steps[] = {
        ARRIVES(0, 0, 0, 90, OK),
        ARRIVES(0, 0, 0, 10, OK),
        ARRIVES(2 * US - 1, 1, 0, 1, NO_ROOM), /* admission still sees an empty buffer */
        ARRIVES(2 * US, 1, 0, 1, OVER),
        DROPS(2 * US, 0, "0"), /* 100 > 0 + 40 */
        SENDS(2 * US, 0, 1),   /* 10 <= 90 + 40 */
        ARRIVES(4 * US - 1, 1, 0, 1, OVER),
        ARRIVES(4 * US, 1, 0, 1, OK),
    };
    (void)unused;
    expect("occamy-p4", "alpha=1:admit_margin=20B:drop_margin=40B:sync=1us", 1, STEPS(steps));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(es__shares),
        cmocka_unit_test(smxq__limits),
        cmocka_unit_test(dt__alpha_of_free),
        cmocka_unit_test(harmonic__bounds),
        cmocka_unit_test(lqd__longest_loses),
        cmocka_unit_test(occamy__expels_while_tokens_last),
        cmocka_unit_test(occamy__selects),
        cmocka_unit_test(occamy__empty_exception),
        cmocka_unit_test(occamy__packet_larger_than_the_bucket),
        cmocka_unit_test(occamy_p4__sees_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
