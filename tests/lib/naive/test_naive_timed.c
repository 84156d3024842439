/*
 * test_naive_timed.c - hand-made tables for the policies that remember: edt, tdt and abm.
 */
#include "tests/support/naive_table.h"

#define EDT "alpha=1:c1=2:c2=3:tm1=10us:tm2=50us"

static void edt__timers(void **unused)
{
    static const struct step tm2[] = {
        THREE_TENS(0),
        ARRIVES(0, 0, 0, 45, OK),
        ARRIVES(50 * US - 1, 0, 0, 1, OK),
        ARRIVES(50 * US, 0, 0, 1, OVER),
    };
    static const struct step tm1_late[] = {THREE_TENS(10 * US - 1), ARRIVES(10 * US, 0, 0, 41, OK)};
    static const struct step tm1_due[] = {THREE_TENS(10 * US), ARRIVES(10 * US, 0, 0, 41, OVER)};
    (void)unused;
    expect("edt", EDT, 1, STEPS(tm2));
    expect("edt", EDT, 1, STEPS(tm1_late));
    expect("edt", EDT, 1, STEPS(tm1_due));
}

static void edt__counters(void **unused)
{
    static const struct step dequeues[] = {THREE_TENS(0), SENDS(0, 0, 0), SENDS(0, 0, 1), ARRIVES(0, 0, 0, 81, OVER)};
    static const struct step one_dequeue[] = {THREE_TENS(0), SENDS(0, 0, 0), ARRIVES(0, 0, 0, 80, OK)};
    static const struct step overflow[] = {
        THREE_TENS(0),
        ARRIVES(0, 1, 0, 30, OK),
        ARRIVES(0, 0, 0, 50, NO_ROOM),
        ARRIVES(0, 0, 0, 11, OVER),
    };
    static const struct step two_free[] = {
        THREE_TENS(0),           ARRIVES(0, 1, 0, 5, OK),    ARRIVES(0, 1, 0, 5, OK),
        ARRIVES(0, 1, 0, 5, OK), ARRIVES(0, 1, 0, 36, OVER), ARRIVES(0, 1, 0, 35, OK), /* 100 / 2 each */
    };
    (void)unused;
    expect("edt", EDT, 1, STEPS(dequeues));
    expect("edt", EDT, 1, STEPS(one_dequeue));
    expect("edt", EDT, 1, STEPS(overflow));
    expect("edt", EDT, 1, STEPS(two_free));
}

static void tdt__three_modes(void **unused)
{
    static const struct step steps[] = {
        ARRIVES(0, 0, 0, 50, OK),   /* nec = 50 = B / n: absorption */
        ARRIVES(0, 0, 0, 40, OK),   /* 90 <= B, over alpha F = 50 */
        ARRIVES(0, 0, 0, 11, OVER), /* 11 > F: overflow, normal; dc = 11 */
        ARRIVES(0, 0, 0, 1, OVER),  /* dc = 12 */
        ARRIVES(0, 0, 0, 38, OVER), /* dc = 50 = B / 2: evacuation */
        SENDS(0, 0, 0),             /* 40 left, not below B / 2n = 25 */
        ARRIVES(0, 0, 0, 11, OVER), /* B / n = 50 though F = 60 */
        ARRIVES(0, 0, 0, 10, OK),
        SENDS(0, 0, 1),           /* 10 left: normal */
        ARRIVES(0, 0, 0, 45, OK), /* 55 <= F = 90 */
    };
    (void)unused;
    expect("tdt", "", 1, STEPS(steps));
    expect("tdt", "evacuation=min-dt:leave=twice-queue", 1, STEPS(steps));
}

static void tdt__leaves_absorption(void **unused)
{
    static const struct step absorbing[] = {ARRIVES(0, 0, 0, 50, OK), SENDS(0, 0, 0), ARRIVES(0, 0, 0, 51, OK)};
    static const struct step oc2_reached[] = {ARRIVES(0, 0, 0, 50, OK), SENDS(0, 0, 0), ARRIVES(0, 0, 0, 51, OVER)};
    static const struct step two_dequeues[] = {
        THREE_TENS(0), ARRIVES(0, 0, 0, 50, OK), SENDS(0, 0, 0), SENDS(0, 0, 1), ARRIVES(0, 0, 0, 40, OK),
    };
    static const struct step three_dequeues[] = {
        THREE_TENS(0),  ARRIVES(0, 0, 0, 10, OK), SENDS(0, 0, 0),
        SENDS(0, 0, 1), SENDS(0, 0, 2),           ARRIVES(0, 0, 0, 41, OVER), /* T = 45 */
    };
    (void)unused;
    expect("tdt", "alpha=0.5", 1, STEPS(absorbing));
    expect("tdt", "alpha=0.5:oc2=50B", 1, STEPS(oc2_reached));
    expect("tdt", "alpha=0.5:nec=30B", 1, STEPS(two_dequeues));
    expect("tdt", "alpha=0.5:nec=30B", 1, STEPS(three_dequeues));
}

static void abm__congestion(void **unused)
{
    static const struct step steps[] = {
        ARRIVES(0, 0, 0, 30, OK),        ARRIVES(0, 1, 0, 30, OK),      ARRIVES(80 * US - 1, 0, 0, 3, OK),
        ARRIVES(80 * US, 0, 0, 1, OVER), BOOSTED(80 * US, 0, 0, 1, OK), /* n_p = 2: T = 37 / 2 */
    };
    (void)unused;
    expect("abm", "alpha=1:congested_bytes=20B", 1, STEPS(steps));
    expect("abm", "alpha=1:congestion=threshold:congested_ratio=0.5", 1, STEPS(steps));
}

static void abm__drain(void **unused)
{
    static const struct step share[] = {
        /* mu = 20/30 for class 0; 10/30 < 1/2 counts as 1 */
        ARRIVES(0, 0, 0, 20, OK),
        ARRIVES(0, 0, 0, 20, OK),
        ARRIVES(0, 0, 1, 10, OK),
        ARRIVES(0, 0, 1, 10, OK),
        SENDS(0, 0, 0),
        SENDS(0, 2, 2),
        ARRIVES(80 * US, 0, 0, 27, OVER),
        ARRIVES(80 * US, 0, 0, 26, OK), /* T = 2/3 of 70 */
        ARRIVES(80 * US, 0, 1, 34, OK),
        ARRIVES(160 * US, 0, 0, 1, OVER),
    };
    static const struct step rate[] = {
        /* a port can send 40 B in 40 ns, class 0 sent 30 */
        ARRIVES(0, 0, 0, 30, OK),
        SENDS(0, 0, 0),
        ARRIVES(40 * NS, 0, 0, 76, OVER),
        ARRIVES(40 * NS, 0, 0, 75, OK),
    };
    (void)unused;
    expect("abm", "alpha=1:drain=share", 2, STEPS(share));
    expect("abm", "alpha=1:window=40ns", 2, STEPS(rate));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edt__timers),      cmocka_unit_test(edt__counters),
        cmocka_unit_test(tdt__three_modes), cmocka_unit_test(tdt__leaves_absorption),
        cmocka_unit_test(abm__congestion),  cmocka_unit_test(abm__drain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
