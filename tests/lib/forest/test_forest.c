/*
 * test_forest.c - a forest by hand: what it answers, which shapes are refused, and its text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/forest/train.h"
#include "tests/lib/forest/forest_rows.h"
#include "tests/support/error_line.h"

static void set_leaf(struct forest *forest, uint32_t at, double p)
{
    forest->node[at] = (struct forest_node){.limit = FOREST_LEAF_LIMIT, .child = at};
    forest->lean[at] = forest_lean_of(p);
}

static void set_split(struct forest *forest, uint32_t at, enum weir_feature feature, int64_t limit, uint32_t child)
{
    forest->node[at] = (struct forest_node){.limit = limit, .child = child, .feature = feature};
}

/* Tree 1: queue <= 100 ? 0 : (buffer <= 500 ? 1/3 : 1). Tree 2: one leaf. */
static struct forest *two_trees(double second)
{
    struct forest *forest = forest_new(2, 6);
    assert_non_null(forest);
    set_split(forest, 0, WEIR_FEATURE_QUEUE, 100, 1);
    set_leaf(forest, 1, 0);
    set_split(forest, 2, WEIR_FEATURE_BUFFER, 500, 3);
    set_leaf(forest, 3, 1.0 / 3);
    set_leaf(forest, 4, 1);
    forest->tree[1].root = 5;
    set_leaf(forest, 5, second);
    return forest;
}

static bool asks(const struct forest *forest, int64_t queue, int64_t buffer)
{
    int64_t feature[WEIR_FEATURE_COUNT] = {[WEIR_FEATURE_QUEUE] = queue, [WEIR_FEATURE_BUFFER] = buffer};
    return forest->base.predict(&forest->base, 0, feature);
}

static void predict__follows_the_questions(void **state)
{
    (void)state;
    struct forest *forest = two_trees(0.6);
    struct weir_error error;
    assert_true(forest_seal(forest, &error));
    assert_int_equal(forest->tree[0].depth, 2);
    assert_int_equal(forest->tree[1].depth, 0);
    assert_false(asks(forest, 100, 9999)); /* (0 + 0.6) / 2 */
    assert_false(asks(forest, 101, 500));  /* (1/3 + 0.6) / 2 */
    assert_true(asks(forest, 101, 501));   /* (1 + 0.6) / 2 */
    int64_t feature[WEIR_FEATURE_COUNT] = {[WEIR_FEATURE_QUEUE] = 101, [WEIR_FEATURE_BUFFER] = 501};
    assert_true(forest_probability(forest, feature) > 0.8 - 1e-12 && forest_probability(forest, feature) < 0.8 + 1e-12);
    forest_free(forest);
}

/* Node by node, as the trees are written. */
static int64_t plain_walk(const struct forest *forest, const int64_t feature[WEIR_FEATURE_COUNT])
{
    int64_t sum = 0;
    for (uint32_t t = 0; t < forest->trees; t++) {
        uint32_t at = forest->tree[t].root;
        while (!forest_is_leaf(&forest->node[at]))
            at = forest->node[at].child + (feature[forest->node[at].feature] > forest->node[at].limit);
        sum += forest->lean[at];
    }
    return sum;
}

/* However many trees there are and however deep: side by side or alone, with roots that are leaves. */
static void ask__is_a_plain_walk(void **state)
{
    struct forest_rows rows = noisy_rows(400, 0.2, 1), asked = noisy_rows(300, 0, 2);
    (void)state;
    for (uint32_t trees = 1; trees <= 9; trees++)
        for (uint32_t depth = 0; depth <= 9; depth++) {
            struct forest_settings settings;
            struct weir_error error;
            forest_settings_init(&settings);
            settings.trees = trees;
            settings.depth = depth;
            struct forest *forest = forest_train(&rows, &settings, NULL, NULL, &error);
            assert_non_null(forest);
            for (uint64_t i = 0; i < asked.count; i++) {
                int64_t feature[WEIR_FEATURE_COUNT];
                forest_rows_get(&asked, i, feature);
                assert_true(forest_ask(forest, feature) == plain_walk(forest, feature));
            }
            forest_free(forest);
        }
    forest_rows_free(&rows);
    forest_rows_free(&asked);
}

/* The mean is exactly one half in real numbers, whatever each third was rounded to. */
static void predict__a_tie_says_kept(void **state)
{
    (void)state;
    const double thirds[][2] = {{1.0 / 3, 2.0 / 3}, {2.0 / 3, 1.0 / 3}, {0.5, 0.5}, {0, 1}, {1, 0}};
    for (size_t i = 0; i < sizeof thirds / sizeof thirds[0]; i++) {
        struct forest *forest = forest_new(2, 2);
        set_leaf(forest, 0, thirds[i][0]);
        forest->tree[1].root = 1;
        set_leaf(forest, 1, thirds[i][1]);
        assert_true(forest_seal(forest, NULL));
        assert_false(asks(forest, 1, 1));
        forest_free(forest);
    }
}

static void seal__refuses_what_is_no_tree(void **state)
{
    (void)state;
    static const struct {
        uint32_t at;
        struct forest_node node;
        const char *line;
    } table[] = {
        {0, {100, 0, 0}, "node 0 of tree 1: its children are not behind it in the same tree"},
        {2, {500, 4, 0}, "node 2 of tree 1: its children are not behind it in the same tree"},
        {2, {500, 1, 0}, "node 2 of tree 1: its children are not behind it in the same tree"},
        {2, {FOREST_LEAF_LIMIT, 2, 0}, "node 3 of tree 1: no other node leads to it"},
        {1, {7, 2, 0}, "node 2 of tree 1 has two parents"},
        {2, {500, 3, WEIR_FEATURE_COUNT}, "node 2 of tree 1: its feature does not exist"},
        {1, {FOREST_LEAF_LIMIT, 2, 0}, "node 1 of tree 1: it is a leaf with children"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct forest *forest = two_trees(0);
        struct weir_error error = {0};
        forest->node[table[i].at] = table[i].node;
        assert_false(forest_seal(forest, &error));
        assert_string_equal(ERROR_LINE(&error), table[i].line);
        forest_free(forest);
    }
}

static char *text_of(const struct forest *forest)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_true(forest_write(forest, out));
    fclose(out);
    return text;
}

static struct forest *read_text(const char *text, size_t size, struct weir_error *error)
{
    FILE *in = fmemopen((void *)(uintptr_t)text, size, "r");
    struct forest *forest = forest_read(in, "model", error);
    fclose(in);
    return forest;
}

static void text__reads_back_what_was_written(void **state)
{
    (void)state;
    struct forest *forest = two_trees(0.6);
    assert_true(forest_seal(forest, NULL));
    forest->average_ps = 24 * WEIR_PS_PER_US;
    forest->counters = FOREST_COUNTERS_VIRTUAL;
    char *text = text_of(forest);
    struct weir_error error = {0};
    struct forest *again = read_text(text, strlen(text), &error);
    assert_non_null(again);
    assert_true(forest_digest(again) == forest_digest(forest));
    assert_int_equal(again->counters, FOREST_COUNTERS_VIRTUAL);
    char *text_again = text_of(again);
    assert_string_equal(text, text_again);
    free(text);
    free(text_again);
    forest_free(forest);
    forest_free(again);
}

static void text__refuses_every_part_of_itself(void **state)
{
    (void)state;
    struct forest *forest = two_trees(0.6);
    assert_true(forest_seal(forest, NULL));
    char *text = text_of(forest);
    for (size_t size = 1; size + 1 < strlen(text); size++) {
        struct weir_error error = {0};
        assert_null(read_text(text, size, &error));
        assert_true(error.code != WEIR_ERROR_NONE);
    }
    free(text);
    forest_free(forest);
}

static void text__names_the_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *line;
    } table[] = {
        {"hello\n", "model:1:1: is not a forest (its first line is \"weir-forest 1\")"},
        {"weir-forest 9\n", "model:1:13: version 9 cannot be read (this program reads version 1)"},
        {"weir-forest 1\ncounters imaginary\n", "model:2:10: \"imaginary\" is unknown (expected real … virtual)"},
        {"weir-forest 1\ncounters real\naverage 0\ntrees 257\n", "model:4:7: \"257\" is not a number from 1 to 256"},
        {"weir-forest 1\ncounters real\naverage 0\ntrees 1\ntree 3\nsplit colour 1 1\n",
         "model:6:7: \"colour\" is unknown (expected queue … buffer_average)"},
        {"weir-forest 1\ncounters real\naverage 0\ntrees 1\ntree 3\nsplit queue 1 2\n",
         "model:6:15: node 0: its children are not behind it in the same tree"},
        {"weir-forest 1\ncounters real\naverage 0\ntrees 1\ntree 1\nleaf 1\nend 0\n",
         "model:7:1: the digest is not that of the trees above: the file was changed"},
        {"# nothing but a comment\n", "model:1:1: ends before its last line, \"end\""},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct weir_error error = {0};
        assert_null(read_text(table[i].text, strlen(table[i].text), &error));
        assert_string_equal(ERROR_LINE(&error), table[i].line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predict__follows_the_questions),
        cmocka_unit_test(ask__is_a_plain_walk),
        cmocka_unit_test(predict__a_tie_says_kept),
        cmocka_unit_test(seal__refuses_what_is_no_tree),
        cmocka_unit_test(text__reads_back_what_was_written),
        cmocka_unit_test(text__refuses_every_part_of_itself),
        cmocka_unit_test(text__names_the_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
