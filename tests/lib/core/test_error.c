/*
 * test_error.c - codes stay, places are added from the inside out, and nothing is written beyond a text.
 */
#include "tests/support/error_line.h"
#include "tests/support/fixture.h"

static void weir_error_line__names_the_place(void **state)
{
    struct weir_error error;
    (void)state;
    assert_false(weir_fail(&error, WEIR_ERROR_RANGE, "load %d; at most %d", 7, 1));
    assert_string_equal(ERROR_LINE(&error), "load 7; at most 1");
    assert_false(weir_fail_in(&error, "traffic", 3));
    assert_false(weir_fail_in(&error, "transport", 4)); /* the first one counts: it is the innermost */
    assert_string_equal(ERROR_LINE(&error), "traffic 3: load 7; at most 1");
    assert_false(weir_fail_at(&error, "a.yaml", 9, 5));
    assert_false(weir_fail_at(&error, "b.yaml", 1, 1));
    assert_string_equal(ERROR_LINE(&error), "a.yaml:9:5: traffic 3: load 7; at most 1");
    assert_int_equal(error.code, WEIR_ERROR_RANGE);
}

static void weir_fail_within__goes_before_the_part(void **state)
{
    struct weir_error error;
    (void)state;
    weir_fail(&error, WEIR_ERROR_MALFORMED, "cut short");
    weir_fail_in(&error, "byte", 17);
    weir_fail_within(&error, "file: '%s': ", "x.pcap");
    weir_fail_at(&error, "a.yaml", 0, 0);
    assert_string_equal(ERROR_LINE(&error), "a.yaml: file: 'x.pcap': byte 17: cut short");
    assert_int_equal(error.code, WEIR_ERROR_MALFORMED);
}

static void weir_fail_memory__has_no_place(void **state)
{
    struct weir_error error;
    (void)state;
    assert_false(weir_fail_memory(&error));
    weir_fail_in(&error, "traffic", 3);
    weir_fail_at(&error, "a.yaml", 1, 2);
    weir_fail_within(&error, "file: ");
    assert_string_equal(ERROR_LINE(&error), "out of memory");
    assert_int_equal(error.code, WEIR_ERROR_MEMORY);
}

static void weir_fail_unknown__keeps_the_name(void **state)
{
    struct weir_error error;
    (void)state;
    assert_false(weir_fail_unknown(&error, "dtt", "unknown policy '%s'", "dtt"));
    assert_string_equal(error.name, "dtt");
    weir_fail(&error, WEIR_ERROR_INPUT, "something else");
    assert_string_equal(error.name, "");
}

static void weir_fail__cuts_what_is_too_long(void **state)
{
    struct weir_error error;
    char text[2 * WEIR_MESSAGE_MAX];
    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    weir_fail(&error, WEIR_ERROR_INPUT, "%s", text);
    assert_int_equal(strlen(error.text), WEIR_MESSAGE_MAX - 1);
    weir_fail_in(&error, "a part with a name that is longer than any", UINT64_MAX);
    weir_fail_within(&error, "%s", text);
    weir_fail_at(&error, text, UINT32_MAX, UINT32_MAX);
    assert_in_range(strlen(ERROR_LINE(&error)), WEIR_MESSAGE_MAX, WEIR_ERROR_LINE_MAX - 1);
}

static void weir_fail__nobody_wants_to_know(void **state)
{
    (void)state;
    assert_false(weir_fail(NULL, WEIR_ERROR_INPUT, "x"));
    assert_false(weir_fail_memory(NULL));
    assert_false(weir_fail_unknown(NULL, "x", "y"));
    assert_false(weir_fail_in(NULL, "x", 1));
    assert_false(weir_fail_at(NULL, "x", 1, 1));
    assert_false(weir_fail_within(NULL, "x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weir_error_line__names_the_place), cmocka_unit_test(weir_fail_within__goes_before_the_part),
        cmocka_unit_test(weir_fail_memory__has_no_place),   cmocka_unit_test(weir_fail_unknown__keeps_the_name),
        cmocka_unit_test(weir_fail__cuts_what_is_too_long), cmocka_unit_test(weir_fail__nobody_wants_to_know),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
