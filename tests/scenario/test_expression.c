/*
 * test_expression.c - expressions as trees: precedence, holds, functions, numbers with units, and messages.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenario/experiment/experiment.h"
#include "tests/support/error_line.h"

static const struct axis_value policies[] = {{.label = "DT"}, {.label = "occamy:alpha=8"}, {.label = "a, b"}};
static const struct axis_value sizes[] = {{.label = "20% buffer", .number = 0.2, .numeric = true},
                                          {.label = "80% buffer", .number = 0.8, .numeric = true}};
static const struct axis axes[] = {
    {.name = "policy", .title = "policy", .values = policies, .count = 3},
    {.name = "query-size", .title = "Size", .unit = "", .values = sizes, .count = 2},
};

static const struct expression *read(struct arena *arena, const char *text, bool lenient, struct weir_error *error)
{
    const struct expression_axes all = {axes, 2, lenient};
    *error = (struct weir_error){.code = WEIR_ERROR_NONE};
    return expression_read(arena, &all, (struct mark){"f", 3, 7}, text, error);
}

/* The tree in brackets, as text. */
static void show(const struct expression *e, FILE *out)
{
    static const char *const names[] = {"",    "",    "",    "neg",  "+",   "-",     "*",       "/",
                                        "<",   "<=",  "==",  "!=",   "&",   "|",     "abs",     "MAX",
                                        "MIN", "max", "min", "mean", "sum", "count", "largest", "at"};
    switch (e->kind) {
    case EXPRESSION_NUMBER:
        fprintf(out, "%.17g", e->number);
        return;
    case EXPRESSION_MEASURE:
        fputs(e->name, out);
        return;
    case EXPRESSION_AXIS:
        fprintf(out, "#%u", e->axis);
        return;
    default:
        fprintf(out, "(%s", names[e->kind]);
    }
    if (e->kind >= EXPRESSION_MAX)
        fprintf(out, " #%u", e->axis);
    if (e->kind == EXPRESSION_HOLD)
        fprintf(out, "=%d", (int)e->value);
    if (e->left != NULL) {
        putc(' ', out);
        show(e->left, out);
    }
    if (e->right != NULL) {
        putc(' ', out);
        show(e->right, out);
    }
    putc(')', out);
}

static void expect_tree(const char *text, bool lenient, const char *expected)
{
    struct arena arena = {.blocks = NULL};
    struct weir_error error;
    char *shown = NULL;
    size_t size = 0;
    const struct expression *e = read(&arena, text, lenient, &error);
    if (e == NULL)
        fail_msg("%s: %s", text, ERROR_LINE(&error));
    FILE *out = open_memstream(&shown, &size);
    assert_non_null(out);
    show(e, out);
    fclose(out);
    if (strcmp(shown, expected) != 0)
        fail_msg("%s: %s, expected %s", text, shown, expected);
    free(shown);
    arena_free(&arena);
}

static void expression_read__trees(void **state)
{
    static const struct {
        const char *text, *tree;
    } cases[] = {
        {"1", "1"},
        {"  0.1 ", "0.10000000000000001"},
        {"1 - a.b / c", "(- 1 (/ a.b c))"},
        {"1 - 2 - 3", "(- (- 1 2) 3)"},
        {"8 / 4 / 2 * 3", "(* (/ (/ 8 4) 2) 3)"},
        {"(1 + 2) * 3", "(* (+ 1 2) 3)"},
        {"-a * -2", "(* (neg a) (neg 2))"},
        {"--a", "(neg (neg a))"},
        {"2-1", "(- 2 1)"},
        {"a-b - c", "(- a-b c)"},
        {"a- b", "(- a b)"},
        {"a < b", "(< a b)"},
        {"a > b", "(< b a)"},
        {"a >= b and c <= d or e != 1", "(| (& (<= b a) (<= c d)) (!= e 1))"},
        {"a or b and c", "(| a (& b c))"},
        {"1 + 2 == 3", "(== (+ 1 2) 3)"},
        {"android + oration", "(+ android oration)"},
        {"query-size * 2", "(* #1 2)"},
        {"query-size.max", "query-size.max"},
        {"a.b[policy=DT]", "(at #0=0 a.b)"},
        {"a[policy=occamy:alpha=8] / 2", "(/ (at #0=1 a) 2)"},
        {"a[ policy = DT , query-size = 80% buffer ]", "(at #1=1 (at #0=0 a))"},
        {"a[policy=\"a, b\"][query-size='20% buffer']", "(at #1=0 (at #0=2 a))"},
        {"-a[policy=DT]", "(neg (at #0=0 a))"},
        {"(a - b)[policy=DT]", "(at #0=0 (- a b))"},
        {"max(policy, a)", "(max #0 a)"},
        {"min(query-size, a - b)", "(min #1 (- a b))"},
        {"max(a, b)", "(MAX a b)"},
        {"min(1, max(2, 3))", "(MIN 1 (MAX 2 3))"},
        {"max(query-size + 0, 1)", "(MAX (+ #1 0) 1)"},
        {"abs(a - 1)", "(abs (- a 1))"},
        {"mean(policy, a) + sum(policy, b) + count(policy, c > 0)",
         "(+ (+ (mean #0 a) (sum #0 b)) (count #0 (< 0 c)))"},
        {"largest(query-size, burst.lost == 0)[policy=DT]", "(at #0=0 (largest #1 (== burst.lost 0)))"},
        {"max", "max"},
        {"55%", "0.55000000000000004"},
        {"222us", "0.000222"},
        {"10KB + 1Gbps + 8x", "(+ (+ 10000 1000000000) 8)"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_tree(cases[i].text, false, cases[i].tree);
}

static void expression_read__lenient(void **state)
{
    (void)state;
    expect_tree("a[policy=ABM]", true, "(at #0=-1 a)");
}

static void expression_read__messages(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "the expression ends too early (expected a number, a measure or '(')"},
        {"1 +", "the expression ends too early (expected a number, a measure or '(')"},
        {"(1", "the expression ends too early (expected an operator or ')')"},
        {"1 2", "unexpected '2' (expected an operator, or nothing more)"},
        {"a)", "unexpected ')' (expected an operator, or nothing more)"},
        {"a = b", "'= b' is not understood (expected == to compare)"},
        {"5uz", "'5uz' is not understood (expected a number, a measure or '(')"},
        {"1.2.3", "'1.2.3' is not understood (expected a number, a measure or '(')"},
        {"a $ b", "'$ b' is not understood (expected an operator, or nothing more)"},
        {"a < b < c", "unexpected '< c' (expected an operator, or nothing more)"},
        {"and", "unexpected 'and' (expected a number, a measure or '(')"},
        {"a[polcy=DT]", "unknown axis 'polcy' (did you mean 'policy'?)"},
        {"a[policy=dt]", "axis policy has no value 'dt' (did you mean 'DT'?)"},
        {"a[policy=DT", "'[policy=DT' is not understood (expected [axis=label])"},
        {"a[policy]", "'[policy]' is not understood (expected [axis=label])"},
        {"a[policy=]", "'[policy=]' is not understood (expected [axis=label])"},
        {"a[]", "'[]' is not understood (expected [axis=label])"},
        {"a[policy=\"DT]", "'[policy=\"DT]' is not understood (expected [axis=label])"},
        {"a[policy=DT, policy=DT]", "axis 'policy' is held twice"},
        {"policy", "axis 'policy' has no numbers (expected one whose labels are numbers of one unit)"},
        {"largest(policy, a)", "axis 'policy' has no numbers (expected one whose labels are numbers of one unit)"},
        {"mean(polcy, a)", "unknown axis 'polcy' (did you mean 'policy'?)"},
        {"mean(a + 1, a)", "unexpected 'a + 1, a)' (expected an axis and a comma)"},
        {"max(a)", "unexpected ')' (expected a comma)"},
        {"maks(policy, a)", "unknown function 'maks' (did you mean 'max'?)"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena arena = {.blocks = NULL};
        struct weir_error error;
        char expected[WEIR_MESSAGE_MAX];
        snprintf(expected, sizeof expected, "f:3:7: %s", cases[i].message);
        const struct expression *e = read(&arena, cases[i].text, false, &error);
        if (e != NULL || strcmp(ERROR_LINE(&error), expected) != 0)
            fail_msg("'%s': %s, expected %s", cases[i].text, e != NULL ? "read" : ERROR_LINE(&error), expected);
        arena_free(&arena);
    }
}

/* Neither nested brackets nor long chains make a deep tree. */
static void expression_read__too_deep(void **state)
{
    static const char *const pieces[] = {"(", "-", "1+", "max(policy,", "abs("};
    struct arena arena = {.blocks = NULL};
    struct weir_error error;
    char *text = malloc(100001);
    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        size_t length = strlen(pieces[i]), used = 0;
        while (used + length < 100000) {
            memcpy(text + used, pieces[i], length);
            used += length;
        }
        text[used] = '\0';
        assert_null(read(&arena, text, false, &error));
        assert_string_equal(ERROR_LINE(&error), "f:3:7: the expression is too deep (expected at most 64 levels)");
    }
    free(text);
    arena_free(&arena);
    char chain[256] = "1";
    for (int i = 0; i < 63; i++)
        strncat(chain, "+1", sizeof chain - strlen(chain) - 1);
    const struct expression *e = read(&arena, chain, false, &error);
    assert_non_null(e);
    assert_int_equal(e->depth, 64);
    arena_free(&arena);
}

static void expression_number__units(void **state)
{
    static const struct {
        const char *text;
        double number;
        const char *unit; /* null: no number */
    } cases[] = {
        {"3", 3, ""},
        {"-2.5", -2.5, ""},
        {"0.3", 0.3, ""},
        {"55%", 0.55, ""},
        {"8x", 8, ""},
        {"80% buffer", 0.8, ""},
        {"65pkt", 65, ""},
        {"2000/s", 2000, ""},
        {"1ps", 1e-12, "s"},
        {"222us", 222e-6, "s"},
        {"20ms", 0.02, "s"},
        {"1.5s", 1.5, "s"},
        {"410KB", 410e3, "B"},
        {"1MiB", 1048576, "B"},
        {"512KB per port", 512e3, "B"},
        {"9.6KB per Gbps", 9600, "B"},
        {"100Gbps", 1e11, "bit/s"},
        {"", 0, NULL},
        {"DT", 0, NULL},
        {"5 us", 5e-6, "s"},
        {"10 Gb/s", 1e10, "bit/s"},
        {"10G", 1e10, "bit/s"},
        {"10K", 0, NULL},
        {"5uz", 0, NULL},
        {"1e3", 0, NULL},
        {"h3", 0, NULL},
        {"512KB per rack", 0, NULL},
        {"1234567890123456789", 0, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double number = 0;
        const char *unit = NULL;
        bool good = expression_number(cases[i].text, &number, &unit);
        if (good != (cases[i].unit != NULL) || (good && number != cases[i].number) ||
            (good && strcmp(unit, cases[i].unit) != 0))
            fail_msg("'%s': %d %.17g %s", cases[i].text, good, number, good ? unit : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expression_read__trees),    cmocka_unit_test(expression_read__lenient),
        cmocka_unit_test(expression_read__messages), cmocka_unit_test(expression_read__too_deep),
        cmocka_unit_test(expression_number__units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
