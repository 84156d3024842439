/* test_tournament.c - the winner tree against a plain array that is scanned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "weir/random.h"
#include "weir/tournament.h"

#define LEAVES_MAX 64u

/* A subtree holds the leaves [first, first + width). */
struct subtree {
    uint32_t root, first, width;
};

static struct subtree subtree_of(uint32_t leaves, uint32_t level, uint32_t which)
{
    uint32_t width = leaves >> level;
    return (struct subtree){(1u << level) + which, which * width, width};
}

static uint32_t scan_winner(const int64_t *key, struct subtree s)
{
    uint32_t best = s.first;
    for (uint32_t i = s.first; i < s.first + s.width; i++)
        if (key[i] > key[best])
            best = i;
    return best;
}

static uint32_t scan_above(const int64_t *key, struct subtree s, uint32_t from, int64_t bound)
{
    for (uint32_t i = from; i < s.first + s.width; i++)
        if (key[i] > bound)
            return i;
    return WEIR_NO_LEAF;
}

static void check_subtrees(const int64_t *node, uint32_t leaves, const int64_t *key, struct weir_random *r)
{
    for (uint32_t level = 0; leaves >> level > 0; level++) {
        struct subtree s = subtree_of(leaves, level, weir_random_below(r, 1u << level));
        int64_t bound = (int64_t)weir_random_below(r, 12) - 1;
        uint32_t from = s.first + weir_random_below(r, s.width);
        assert_int_equal(weir_tournament_winner(node, leaves, s.root), scan_winner(key, s));
        assert_int_equal(node[s.root], key[scan_winner(key, s)]);
        assert_int_equal(weir_tournament_first_above(node, leaves, s.root, bound), scan_above(key, s, s.first, bound));
        assert_int_equal(weir_tournament_next_above(node, leaves, s.root, from, bound),
                         scan_above(key, s, from, bound));
    }
}

/* Few distinct keys, so that ties are common; now and then an extreme one. */
static int64_t random_key(struct weir_random *r)
{
    uint32_t draw = weir_random_below(r, 100);
    if (draw == 0)
        return INT64_MAX;
    return draw == 1 ? INT64_MIN : (int64_t)weir_random_below(r, 10);
}

static void weir_tournament__agrees_with_a_scan(void **unused)
{
    (void)unused;
    for (uint32_t leaves = 1; leaves <= LEAVES_MAX; leaves *= 2) {
        struct weir_random r = weir_random_stream(leaves, "tournament");
        int64_t node[2 * LEAVES_MAX] = {0}, key[LEAVES_MAX] = {0};
        for (uint32_t step = 0; step < 3000; step++) {
            uint32_t leaf = weir_random_below(&r, leaves);
            key[leaf] = random_key(&r);
            weir_tournament_set(node, leaves, leaf, key[leaf]);
            check_subtrees(node, leaves, key, &r);
        }
    }
}

static void weir_tournament_build__equals_setting_each(void **unused)
{
    (void)unused;
    for (uint32_t leaves = 1; leaves <= LEAVES_MAX; leaves *= 2) {
        int64_t set[2 * LEAVES_MAX] = {0}, built[2 * LEAVES_MAX] = {0};
        struct weir_random r = weir_random_stream(leaves, "build");
        for (uint32_t i = 0; i < leaves; i++) {
            built[leaves + i] = weir_random_below(&r, 100);
            weir_tournament_set(set, leaves, i, built[leaves + i]);
        }
        weir_tournament_build(built, leaves);
        assert_memory_equal(built, set, sizeof set);
    }
}

static void weir_tournament_winner__is_leftmost_among_equals(void **unused)
{
    int64_t node[16] = {0};
    (void)unused;
    assert_int_equal(weir_tournament_winner(node, 8, 1), 0);
    weir_tournament_set(node, 8, 6, 5);
    assert_int_equal(weir_tournament_winner(node, 8, 1), 6);
    weir_tournament_set(node, 8, 3, 5);
    assert_int_equal(weir_tournament_winner(node, 8, 1), 3);
    assert_int_equal(weir_tournament_winner(node, 8, 3), 6);
}

static void weir_tournament_next_above__stays_in_its_subtree(void **unused)
{
    int64_t node[16] = {0};
    (void)unused;
    weir_tournament_set(node, 8, 5, 9);
    assert_int_equal(weir_tournament_next_above(node, 8, 1, 1, 0), 5);
    assert_int_equal(weir_tournament_next_above(node, 8, 2, 1, 0), WEIR_NO_LEAF); /* leaves 0 to 3 */
    assert_int_equal(weir_tournament_next_above(node, 8, 1, 6, 0), WEIR_NO_LEAF);
    assert_int_equal(weir_tournament_first_above(node, 8, 1, 9), WEIR_NO_LEAF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weir_tournament__agrees_with_a_scan),
        cmocka_unit_test(weir_tournament_build__equals_setting_each),
        cmocka_unit_test(weir_tournament_winner__is_leftmost_among_equals),
        cmocka_unit_test(weir_tournament_next_above__stays_in_its_subtree),
    };
    return cmocka_run_group_tests_name("tournament", tests, NULL, NULL);
}
