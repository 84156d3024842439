/*
 * test_naive.c - the naive buffer itself: pools, descriptors, push-out, flush and hash.
 */
#include "tests/support/naive_table.h"

static void arrive__complete_sharing(void **unused)
{
    static const struct step steps[] = {
        ARRIVES(0, 0, 0, 60, OK), ARRIVES(0, 1, 0, 40, OK), ARRIVES(0, 0, 0, 1, NO_ROOM),
        SENDS(0, 0, 0),           ARRIVES(0, 0, 0, 60, OK), ARRIVES(0, 0, 0, 101, WEIR_REASON_TOO_LARGE),
    };
    (void)unused;
    expect("cs", "", 1, STEPS(steps));
}

static void arrive__descriptors(void **unused)
{
    static const struct step steps[] = {
        ARRIVES(0, 0, 0, 1, OK),
        ARRIVES(0, 1, 0, 1, OK),
        ARRIVES(0, 1, 0, 1, WEIR_REASON_NO_DESCRIPTOR),
        ARRIVES(0, 1, 0, 101, WEIR_REASON_TOO_LARGE),
        SENDS(0, 1, 1),
        ARRIVES(0, 1, 0, 1, OK),
        SENDS(0, 1, 4), /* refused arrivals count in the index */
    };
    struct model m;
    (void)unused;
    model_config(&m, 2, 1);
    m.config.packets_max = 2;
    model_build(&m, "cs", "");
    model_expect(&m, STEPS(steps));
    weir_naive_free(m.naive);
}

static void arrive__private_minimum(void **unused)
{
    static const struct step steps[] = {
        ARRIVES(0, 0, 0, 51, OVER), /* shared pool 80, 51 - 10 private = 41 > 80 / 2 */
        ARRIVES(0, 0, 0, 50, OK),   /* 10 private, 40 shared */
        ARRIVES(0, 1, 0, 10, OK),   /* all private */
        ARRIVES(0, 1, 0, 20, OK),   /* T = 20 */
        ARRIVES(0, 1, 0, 1, OVER),  /* T = 10 */
        SENDS(0, 1, 2),             /* frees shared cells first: 10 private, 10 shared left */
        ARRIVES(0, 1, 0, 6, OVER),  /* T = 15, 10 + 6 */
        ARRIVES(0, 1, 0, 5, OK),
    };
    struct model m;
    (void)unused;
    model_config(&m, 2, 1);
    m.config.private_cells[0] = 10;
    model_build(&m, "dt", "alpha=0.5");
    model_expect(&m, STEPS(steps));
    weir_naive_free(m.naive);
}

static void flush__lowest_class_first(void **unused)
{
    static const struct step steps[] = {
        ARRIVES(0, 0, 1, 1, OK), ARRIVES(0, 0, 0, 1, OK), ARRIVES(0, 1, 0, 1, OK),
        ARRIVES(0, 0, 0, 1, OK), FLUSHES(0, 0, "1 3"),    FLUSHES(0, 0, "0"),
        FLUSHES(0, 0, ""),       SENDS(0, 1, 2),          DROPS(0, 1, ""), /* empty: neither sent nor lost */
    };
    struct model m;
    (void)unused;
    model_config(&m, 2, 2);
    m.config.evictions_max = 2;
    model_build(&m, "cs", "");
    model_expect(&m, STEPS(steps));
    weir_naive_free(m.naive);
}

static void change__takes_new_values(void **unused)
{
    static const struct step before[] = {ARRIVES(0, 0, 0, 51, OVER)}, after[] = {ARRIVES(0, 0, 0, 51, OK)};
    struct model m;
    (void)unused;
    model_config(&m, 2, 1);
    model_build(&m, "dt", "alpha=0.5");
    model_expect(&m, STEPS(before));
    fixture_values(&m.values, m.config.egress, "alpha=1");
    weir_naive_change(m.naive, &m.values, 0);
    model_expect(&m, STEPS(after));
    weir_naive_free(m.naive);
}

static void arrive__too_many_evictions(void **unused)
{
    static const struct step fill[] = {
        ARRIVES(0, 0, 0, 20, OK),
        ARRIVES(0, 0, 0, 20, OK),
        ARRIVES(0, 0, 0, 20, OK),
        ARRIVES(0, 0, 0, 40, OK),
    };
    static const struct step more[] = {ARRIVES(0, 1, 0, 41, NO_ROOM)}, just[] = {PUSHES(0, 1, 0, 40, "0 1")};
    struct model m;
    (void)unused;
    model_config(&m, 2, 1);
    m.config.evictions_max = 2;
    model_build(&m, "lqd", "");
    model_expect(&m, STEPS(fill));
    uint64_t before = weir_naive_hash(m.naive);
    model_expect(&m, STEPS(more));
    assert_true(weir_naive_hash(m.naive) == before);
    model_expect(&m, STEPS(just));
    assert_false(weir_naive_hash(m.naive) == before);
    weir_naive_free(m.naive);
}

static void hash__order_matters(void **unused)
{
    static const struct step small_first[] = {ARRIVES(0, 0, 0, 10, OK), ARRIVES(0, 0, 0, 20, OK)};
    static const struct step large_first[] = {ARRIVES(0, 0, 0, 20, OK), ARRIVES(0, 0, 0, 10, OK)};
    static const struct step other_port[] = {ARRIVES(0, 0, 0, 10, OK), ARRIVES(0, 1, 0, 20, OK)};
    const struct step *tables[] = {small_first, large_first, other_port, small_first};
    uint64_t hash[4];
    (void)unused;
    for (size_t i = 0; i < 4; i++) {
        struct model m;
        model_config(&m, 2, 1);
        model_build(&m, "cs", "");
        model_expect(&m, tables[i], 2);
        hash[i] = weir_naive_hash(m.naive);
        weir_naive_free(m.naive);
    }
    assert_true(hash[0] == hash[3]);
    assert_true(hash[0] != hash[1] && hash[0] != hash[2] && hash[1] != hash[2]);
}

static void new__not_modelled(void **unused)
{
    struct weir_policy unknown = {.name = "unknown"};
    struct model m;
    (void)unused;
    model_config(&m, 2, 1);
    model_build(&m, "cs", "");
    weir_naive_free(m.naive);
    m.config.lossless_mask = 1;
    assert_null(weir_naive_new(&m.config));
    m.config.lossless_mask = 0;
    m.config.ingress = m.config.egress;
    assert_null(weir_naive_new(&m.config));
    m.config.ingress = NULL;
    m.config.egress = weir_policy_find("credence");
    m.config.egress_values = NULL;
    assert_null(weir_naive_new(&m.config)); /* no oracle */
    m.config.egress = &unknown;
    assert_null(weir_naive_new(&m.config));
    weir_naive_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrive__complete_sharing), cmocka_unit_test(arrive__descriptors),
        cmocka_unit_test(arrive__private_minimum),  cmocka_unit_test(flush__lowest_class_first),
        cmocka_unit_test(change__takes_new_values), cmocka_unit_test(arrive__too_many_evictions),
        cmocka_unit_test(hash__order_matters),      cmocka_unit_test(new__not_modelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
