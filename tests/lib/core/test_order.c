/*
 * test_order.c - the ordered questions of a view against a scan of its accounts, with few changes between two
 * questions, which the tree follows, and with so many that it has given up.
 */
#include "lib/core/order.h"
#include "tests/support/fixture.h"

struct shape {
    uint32_t ports, classes;
    uint32_t private_cells; /* of class 0 */
};

/* Ports and classes that are powers of two and that are not, few and many. */
static const struct shape shapes[] = {{1, 1, 0}, {2, 2, 0}, {3, 3, 0}, {5, 8, 20}, {40, 3, 0}};

#define SHAPES (sizeof shapes / sizeof shapes[0])

static weir_account scan_longest(const struct weir_view *v, uint32_t from, uint32_t to)
{
    weir_account longest = WEIR_NO_ACCOUNT;
    weir_cells most = 0;
    for (uint32_t i = from; i < to; i++)
        if (weir_view_shared(v, (weir_account){i}) > most) {
            most = weir_view_shared(v, (weir_account){i});
            longest = (weir_account){i};
        }
    return longest;
}

static weir_cells scan_cells(const struct weir_view *v, weir_account account)
{
    return weir_account_is(account, WEIR_NO_ACCOUNT) ? 0 : weir_view_shared(v, account);
}

static weir_account scan_next_above(const struct weir_view *v, weir_account last, const weir_cells *threshold)
{
    uint32_t accounts = v->geometry.accounts, start = weir_account_is(last, WEIR_NO_ACCOUNT) ? 0 : last.i + 1;
    for (uint32_t step = 0; step < accounts; step++) {
        weir_account account = {(start + step) % accounts};
        if (weir_view_shared(v, account) > threshold[weir_account_class(&v->geometry, account).i])
            return account;
    }
    return WEIR_NO_ACCOUNT;
}

/* One question each time, since the first of several brings the tree up to date for the others. */
static void ask(const struct weir_view *v, struct weir_random *random)
{
    const struct weir_geometry *g = &v->geometry;
    weir_class tc = {weir_random_below(random, g->classes)};
    weir_account all = scan_longest(v, 0, g->accounts);
    weir_account of_class = scan_longest(v, tc.i * g->ports, (tc.i + 1) * g->ports);
    weir_cells threshold[WEIR_CLASSES_MAX];
    switch (weir_random_below(random, 5)) {
    case 0:
        assert_int_equal(weir_view_longest(v).i, all.i);
        break;
    case 1:
        assert_int_equal(weir_view_peak(v), scan_cells(v, all));
        break;
    case 2:
        assert_int_equal(weir_view_class_longest(v, tc).i, of_class.i);
        break;
    case 3:
        assert_int_equal(weir_view_class_peaks(v)[tc.i], scan_cells(v, of_class));
        break;
    default:
        for (uint32_t c = 0; c < g->classes; c++)
            threshold[c] = weir_random_below(random, 200);
        weir_account last = {weir_random_below(random, g->accounts + 1)};
        last = last.i == g->accounts ? WEIR_NO_ACCOUNT : last;
        assert_int_equal(weir_view_next_above(v, last, threshold).i, scan_next_above(v, last, threshold).i);
    }
}

static void happen(struct fixture *f, struct weir_random *random)
{
    uint32_t port = weir_random_below(random, f->config.ports);
    uint32_t draw = weir_random_below(random, 1000);
    if (draw == 0)
        weir_mmu_flush(f->mmu, (weir_port){port}, 0);
    else if (draw < 550)
        fixture_send(f, port, weir_random_below(random, f->config.classes), 1 + weir_random_below(random, 60), 0);
    else
        fixture_depart(f, port, 0);
}

/* Under both policies: LQD's own questions come when the buffer is full, Occamy's whenever it is offered bandwidth. */
static void compare(const struct shape *shape, const char *policy, uint64_t seed)
{
    struct fixture f;
    struct weir_random random = weir_random_stream(seed, policy);
    fixture_config(&f, shape->ports, shape->classes, 40 * shape->ports * shape->classes);
    f.config.private_cells[0] = shape->private_cells;
    fixture_build(&f, policy, NULL);
    for (uint32_t round = 0; round < 2000; round++) {
        uint32_t changes = weir_random_below(&random, round % 4 == 0 ? 100 : 8);
        for (uint32_t i = 0; i < changes; i++)
            happen(&f, &random);
        if (weir_random_below(&random, 8) == 0)
            weir_mmu_offer_expel(f.mmu, 0);
        ask(weir_mmu_view(f.mmu), &random);
        assert_null(weir_mmu_check(f.mmu));
    }
    fixture_free(&f);
}

static void weir_view__agrees_with_a_scan(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < SHAPES; i++) {
        compare(&shapes[i], "lqd", i);
        compare(&shapes[i], "occamy", i);
    }
}

/* The tree follows as many changes as it has leaves, whatever they are, and is rebuilt after more than that. */
static void weir_view_tree__loses_patience(void **unused)
{
    static const uint32_t longest[] = {2, 3, 0, 1}; /* after 3, 4, 5 and 6 changes, 10 cells and one more each */
    (void)unused;
    for (uint32_t changes = 3; changes <= 6; changes++) {
        struct fixture f;
        fixture_config(&f, 2, 2, 1000);
        fixture_build(&f, "lqd", NULL);
        const struct weir_view *v = weir_mmu_view(f.mmu);
        assert_int_equal(weir_view_peak(v), 0);
        for (uint32_t i = 0; i < changes; i++)
            fixture_fill(&f, i % 2, i / 2 % 2, 10 + i, 0);
        assert_int_equal(v->order->patience, changes < 4 ? 4 - changes : 0);
        assert_int_equal(weir_view_longest(v).i, longest[changes - 3]);
        assert_int_equal(v->order->patience, 4);
        fixture_free(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weir_view__agrees_with_a_scan),
        cmocka_unit_test(weir_view_tree__loses_patience),
    };
    return cmocka_run_group_tests_name("view", tests, NULL, NULL);
}
