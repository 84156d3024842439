/*
 * test_naive_virtual.c - hand-made tables for followlqd and credence: virtual lengths, and what the oracle is shown.
 */
#include "tests/support/naive_table.h"
#include "weir/oracle.h"

static void followlqd__virtual_lengths(void **unused)
{
    static const struct step dequeue[] = {
        ARRIVES(0, 0, 0, 60, OK),
        ARRIVES(0, 1, 0, 50, NO_ROOM), /* virtual: 50 and 50 */
        ARRIVES(0, 1, 0, 40, OK),      /* virtual unchanged, 40 <= 50 */
        SENDS(0, 0, 0),                /* virtual 0 and 50 */
        ARRIVES(0, 0, 0, 51, OVER),    /* 51 do not fit and 50 is not longer */
        ARRIVES(0, 0, 0, 50, OK),
    };
    static const struct step rate[] = {
        ARRIVES(0, 0, 0, 60, OK),
        ARRIVES(10 * NS, 1, 0, 51, OVER), /* 10 of 60 sent: 51 more do not fit */
        IDLES(10 * NS, 0),                /* it has a packet: not idle */
        ARRIVES(20 * NS, 1, 0, 61, OVER),
        ARRIVES(20 * NS, 1, 0, 60, NO_ROOM), /* virtual 40 and 60: room there, not here */
        SENDS(25 * NS, 0, 0),                /* 10 alone at 20 ns, then 60 with the real port: 0 and 50 */
        ARRIVES(99 * NS, 0, 0, 90, OK),      /* port 1 sent alone until empty at 70 ns */
        ARRIVES(500 * NS, 0, 0, 1, OK),      /* port 0 is locked: 91 */
        SENDS(500 * NS, 0, 4),
        SENDS(500 * NS, 0, 5),
        IDLES(500 * NS, 0),              /* on its own again */
        ARRIVES(510 * NS, 0, 0, 30, OK), /* sends 10 alone at once */
        ARRIVES(515 * NS, 0, 0, 1, OVER),
    };
    (void)unused;
    expect("followlqd", "drain=dequeue", 1, STEPS(dequeue));
    expect("followlqd", "quantum=10B", 1, STEPS(rate));
}

/* Answers from a list of arrivals and remembers what it was shown last. */
struct listening_oracle {
    struct weir_oracle base;
    uint64_t lost_index;
    int64_t *shown;
};

static bool listening_predict(const struct weir_oracle *oracle, uint64_t index, const int64_t *feature)
{
    const struct listening_oracle *listening = (const struct listening_oracle *)oracle;
    memcpy(listening->shown, feature, WEIR_FEATURE_COUNT * sizeof feature[0]);
    return index == listening->lost_index;
}

static void credence__asks_the_oracle(void **unused)
{
    static const struct step steps[] = {
        ARRIVES(0, 0, 0, 40, OK),
        ARRIVES(0, 0, 0, 20, OK),                    /* longest 40 < 100 / 2 */
        ARRIVES(0, 1, 0, 10, WEIR_REASON_PREDICTED), /* longest 60; virtual 60 and 10 */
        ARRIVES(0, 1, 0, 10, OK),
        ARRIVES(0, 0, 0, 10, OK),
        ARRIVES(0, 0, 0, 25, OVER),     /* virtual 70 and 20, own is longest */
        ARRIVES(0, 1, 0, 25, NO_ROOM),  /* virtual 55 and 45 */
        SENDS(50 * NS, 0, 0),           /* 30 left, 40 in all; averages 15 and 20 */
        ARRIVES(50 * NS, 1, 0, 25, OK), /* longest 30, virtual 15 and 70 */
        ARRIVES(50 * NS, 1, 0, 15, OK), /* longest 35, virtual 15 and 85 */
        ARRIVES(50 * NS, 1, 0, 1, OK),  /* longest 50: asked */
    };
    static const struct step later[] = {
        SENDS(150 * NS, 1, 3),           /* averages reach what is left: 41 and 71 */
        ARRIVES(150 * NS, 1, 0, 20, OK), /* longest 41 */
        ARRIVES(150 * NS, 1, 0, 1, OK),  /* longest 61: asked */
    };
    int64_t shown[WEIR_FEATURE_COUNT] = {0};
    struct listening_oracle oracle = {{.predict = listening_predict}, 2, shown};
    struct model m;
    (void)unused;
    model_config(&m, 2, 1);
    m.config.oracle = &oracle.base;
    model_build(&m, "credence", "drain=dequeue:tau=100ns");
    model_expect(&m, STEPS(steps));
    assert_memory_equal(shown, ((int64_t[]){50, 0, 80, 20}), sizeof shown);
    model_expect(&m, STEPS(later));
    assert_memory_equal(shown, ((int64_t[]){61, 41, 91, 71}), sizeof shown);
    weir_naive_free(m.naive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(followlqd__virtual_lengths),
        cmocka_unit_test(credence__asks_the_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
