/* test_names.c - every reason and cause has its own name, and the nearest name is the one a user meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "weir/params.h"

static void weir_reason_name__all_differ(void **unused)
{
    (void)unused;
    assert_string_equal(weir_reason_name(WEIR_REASON_OVER_THRESHOLD), "over-threshold");
    for (uint32_t a = 0; a < WEIR_REASON_COUNT; a++)
        for (uint32_t b = 0; b < a; b++)
            assert_string_not_equal(weir_reason_name((enum weir_reason)a), weir_reason_name((enum weir_reason)b));
}

static void weir_cause_name__all_differ(void **unused)
{
    (void)unused;
    assert_string_equal(weir_cause_name(WEIR_CAUSE_EXPELLED), "expelled");
    for (uint32_t a = 0; a < WEIR_CAUSE_COUNT; a++)
        for (uint32_t b = 0; b < a; b++)
            assert_string_not_equal(weir_cause_name((enum weir_cause)a), weir_cause_name((enum weir_cause)b));
}

static void weir_nearest_name__counts_edits(void **unused)
{
    static const char *const names[] = {"alpha", "window", "congested_bytes", "drain", "c1"};
    static const struct {
        const char *name, *expected;
    } cases[] = {
        {"alpha", "alpha"},  /* no edit */
        {"aplha", "alpha"},  /* swapped */
        {"alpa", "alpha"},   /* missing */
        {"allpha", "alpha"}, /* added */
        {"alphb", "alpha"},  /* replaced */
        {"lapah", "alpha"},  /* two swaps */
        {"lapha", "alpha"},  /* a swap at the start */
        {"wndwo", "window"}, /* two edits */
        {"wdo", NULL},       /* three edits of a short name */
        {"congestedbyte", "congested_bytes"},
        {"kongestet_byts", "congested_bytes"}, /* three edits, fourteen letters */
        {"kongestet_bits", "congested_bytes"}, /* four edits */
        {"kunkestet_bits", NULL},              /* six */
        {"c2", "c1"},
        {"ALPHA", "alpha"}, /* capitals */
        {"ALPH", NULL},
        {"alfa", "alpha"},
        {"crin", NULL}, /* two edits, another first letter */
        {"", "c1"},     /* two letters away */
        {"threshold", NULL},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *got = weir_nearest_name(cases[i].name, names, 5);
        if (got != NULL && cases[i].expected != NULL)
            assert_string_equal(got, cases[i].expected);
        if ((got == NULL) != (cases[i].expected == NULL))
            print_message("nearest to '%s' is '%s'\n", cases[i].name, got != NULL ? got : "none");
        assert_int_equal(got == NULL, cases[i].expected == NULL);
    }
}

static void weir_nearest_name__first_among_equals(void **unused)
{
    static const char *const names[] = {"oc1", "oc2", "dc"};
    (void)unused;
    assert_string_equal(weir_nearest_name("oc3", names, 3), "oc1");
    assert_string_equal(weir_nearest_name("oc", names, 3), "oc1");
    assert_null(weir_nearest_name("oc1", names, 0));
}

static void weir_nearest_name__long_names_are_near_to_nothing(void **unused)
{
    char text[80];
    const char *const names[] = {text, "window"};
    (void)unused;
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_null(weir_nearest_name(text, names, 2));
    assert_string_equal(weir_nearest_name("windo", names, 2), "window");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weir_reason_name__all_differ),
        cmocka_unit_test(weir_cause_name__all_differ),
        cmocka_unit_test(weir_nearest_name__counts_edits),
        cmocka_unit_test(weir_nearest_name__first_among_equals),
        cmocka_unit_test(weir_nearest_name__long_names_are_near_to_nothing),
    };
    return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
