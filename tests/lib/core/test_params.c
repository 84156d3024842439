/* test_params.c - parameter values from text and back: what parses, what is refused and with which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "tests/support/error_line.h"
#include "weir/policy.h"
#include "weir/random.h"

static const char *const colours[] = {"red", "green", "blue", NULL};

static const struct weir_param params[] = {
    {"alpha", WEIR_UNIT_RATIO, true, WEIR_Q16_ONE, 1, 4096 * WEIR_Q16_ONE, NULL, ""},
    {"count", WEIR_UNIT_COUNT, false, 3, 0, 100, NULL, ""},
    {"window", WEIR_UNIT_TIME, false, 80 * WEIR_PS_PER_US, 1, WEIR_PS_PER_S, NULL, ""},
    {"limit", WEIR_UNIT_SPACE, true, WEIR_AUTO, 0, INT64_MAX, NULL, ""},
    {"strict", WEIR_UNIT_FLAG, false, 0, 0, 1, NULL, ""},
    {"colour", WEIR_UNIT_CHOICE, true, 1, 0, 2, colours, ""},
};
enum { ALPHA, COUNT, WINDOW, LIMIT, STRICT, COLOUR, PARAMS };

static const struct weir_policy policy = {.name = "test", .params = params, .param_count = PARAMS};
static const struct weir_policy bare_policy = {.name = "bare"};

static struct weir_param any_param(enum weir_unit unit)
{
    return (struct weir_param){"any", unit, false, WEIR_AUTO, -INT64_MAX, INT64_MAX, colours, ""};
}

static void weir_value_parse__reads_every_unit(void **unused)
{
    static const struct {
        enum weir_unit unit;
        const char *text;
        int64_t expected;
    } cases[] = {
        {WEIR_UNIT_RATIO, "8", 8 * 65536},
        {WEIR_UNIT_RATIO, "0.5", 32768},
        {WEIR_UNIT_RATIO, "50%", 32768},
        {WEIR_UNIT_RATIO, "0.1", 6554}, /* 6553.6 */
        {WEIR_UNIT_RATIO, "12.5%", 8192},
        {WEIR_UNIT_RATIO, "-0.5", -32768},
        {WEIR_UNIT_RATIO, "0.00000762939453125", 1}, /* half of the smallest: up */
        {WEIR_UNIT_RATIO, "0.00000762939453124", 0},
        {WEIR_UNIT_RATIO, "0.000000000000000001", 0},
        {WEIR_UNIT_RATIO, "140737488355327.99998", INT64_MAX},
        {WEIR_UNIT_COUNT, "0", 0},
        {WEIR_UNIT_COUNT, "-0", 0},
        {WEIR_UNIT_COUNT, "007", 7},
        {WEIR_UNIT_COUNT, "9223372036854775807", INT64_MAX},
        {WEIR_UNIT_COUNT, "-9223372036854775807", -INT64_MAX},
        {WEIR_UNIT_TIME, "1ps", 1},
        {WEIR_UNIT_TIME, "3ns", 3000},
        {WEIR_UNIT_TIME, "80us", 80000000},
        {WEIR_UNIT_TIME, "2.1ms", 2100000000},
        {WEIR_UNIT_TIME, "0.000000000001s", 1},
        {WEIR_UNIT_TIME, "1.0000000000005s", 1000000000001}, /* rounded */
        {WEIR_UNIT_TIME, "9223372.036854775807s", INT64_MAX},
        {WEIR_UNIT_SPACE, "1500B", 1500},
        {WEIR_UNIT_SPACE, "410KB", 410000},
        {WEIR_UNIT_SPACE, "1KiB", 1024},
        {WEIR_UNIT_SPACE, "1.5MB", 1500000},
        {WEIR_UNIT_SPACE, "4MiB", 4194304},
        {WEIR_UNIT_SPACE, "2GB", 2000000000},
        {WEIR_UNIT_SPACE, "0.5GiB", 536870912},
        {WEIR_UNIT_FLAG, "yes", 1},
        {WEIR_UNIT_FLAG, "true", 1},
        {WEIR_UNIT_FLAG, "no", 0},
        {WEIR_UNIT_FLAG, "false", 0},
        {WEIR_UNIT_CHOICE, "red", 0},
        {WEIR_UNIT_CHOICE, "blue", 2},
        {WEIR_UNIT_TIME, "auto", WEIR_AUTO},
        {WEIR_UNIT_CHOICE, "auto", WEIR_AUTO},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct weir_param param = any_param(cases[i].unit);
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        int64_t value = 0;
        if (!weir_value_parse(&param, cases[i].text, &value, &error) || value != cases[i].expected)
            print_message("'%s' gives %lld %s\n", cases[i].text, (long long)value, ERROR_LINE(&error));
        assert_int_equal(value, cases[i].expected);
        assert_string_equal(ERROR_LINE(&error), "");
    }
}

struct refusal {
    uint32_t param;
    const char *text, *message;
};

static void weir_values_set__says_what_is_wrong(void **unused)
{
    static const struct refusal cases[] = {
        {ALPHA, "-1", "alpha of policy test: '-1' is out of range (0.00001526 to 4096)"},
        {ALPHA, "0", "alpha of policy test: '0' is out of range (0.00001526 to 4096)"},
        {ALPHA, "4096.1", "alpha of policy test: '4096.1' is out of range (0.00001526 to 4096)"},
        {ALPHA, "8 ", "alpha of policy test: '8 ' has an unknown unit (expected: none or %)"},
        {ALPHA, "", "alpha of policy test: '' is not a number"},
        {ALPHA, "-", "alpha of policy test: '-' is not a number"},
        {ALPHA, ".5", "alpha of policy test: '.5' is not a number"},
        {ALPHA, "5.", "alpha of policy test: '5.' has an unknown unit (expected: none or %)"},
        {ALPHA, "1.2.3", "alpha of policy test: '1.2.3' has an unknown unit (expected: none or %)"},
        {ALPHA, "1e3", "alpha of policy test: '1e3' has an unknown unit (expected: none or %)"},
        {ALPHA, "auto", "alpha of policy test: 'auto' is not a number"},
        {ALPHA, "8,", "alpha of policy test: '' is not a number"},
        {ALPHA, "8,x", "alpha of policy test: 'x' is not a number"},
        {ALPHA, "0.1234567890123456789",
         "alpha of policy test: '0.1234567890123456789' has too many digits after the point"},
        {ALPHA, "1.0000000000000000000001",
         "alpha of policy test: '1.0000000000000000000001' has too many digits after the point"},
        {ALPHA, "9.99999999999999999999",
         "alpha of policy test: '9.99999999999999999999' has too many digits after the point"},
        {ALPHA, "1844674407370955170.55",
         "alpha of policy test: '1844674407370955170.55' has too many digits after the point"},
        {COUNT, "3.5", "count of policy test: '3.5' is not a whole number"},
        {COUNT, "3s", "count of policy test: '3s' has an unknown unit (expected: none)"},
        {COUNT, "101", "count of policy test: '101' is out of range (0 to 100)"},
        {COUNT, "9223372036854775808", "count of policy test: '9223372036854775808' is out of range (0 to 100)"},
        {COUNT, "99999999999999999999999",
         "count of policy test: '99999999999999999999999' is out of range (0 to 100)"},
        {COUNT, "1,2", "count of policy test: '1,2' is a list, but this parameter takes one value for all classes"},
        {WINDOW, "80", "window of policy test: '80' needs a unit (ps, ns, us, ms, s)"},
        {WINDOW, "80min", "window of policy test: '80min' has an unknown unit (expected: ps, ns, us, ms, s)"},
        {WINDOW, "2s", "window of policy test: '2s' is out of range (1ps to 1s)"},
        {WINDOW, "a\nb", "window of policy test: 'a?b' is not a number"},
        {LIMIT, "5kb", "limit of policy test: '5kb' has an unknown unit (expected: B, KB, KiB, MB, MiB, GB, GiB)"},
        {LIMIT, "99999999999GB", "limit of policy test: '99999999999GB' is out of range (0B to 9223372036854775807B)"},
        {STRICT, "maybe", "strict of policy test: 'maybe' is neither yes nor no"},
        {COLOUR, "yellow", "colour of policy test: 'yellow' is not one of red, green, blue"},
        {COLOUR, "auto", "colour of policy test: 'auto' is not one of red, green, blue"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct weir_values values, before;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        weir_values_init(&values, &policy);
        before = values;
        assert_false(weir_values_set(&values, &policy, params[cases[i].param].name, cases[i].text, &error));
        assert_string_equal(ERROR_LINE(&error), cases[i].message);
        assert_memory_equal(&values, &before, sizeof values);
    }
}

static void weir_values_set__unknown_name(void **unused)
{
    struct weir_values values;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)unused;
    weir_values_init(&values, &policy);
    assert_false(weir_values_set(&values, &policy, "aplha", "1", &error));
    assert_string_equal(ERROR_LINE(&error), "unknown parameter 'aplha' of policy test (nearest: alpha)");
    assert_false(weir_values_set(&values, &policy, "threshold", "1", &error));
    assert_string_equal(ERROR_LINE(&error),
                        "unknown parameter 'threshold' of policy test (it has: alpha, count, window, limit, "
                        "strict, colour)");
    assert_false(weir_values_set(&values, &bare_policy, "alpha", "1", &error));
    assert_string_equal(ERROR_LINE(&error), "unknown parameter 'alpha' of policy bare (it has none)");
}

static void weir_values_set__repeats_the_last_of_a_list(void **unused)
{
    struct weir_values values;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)unused;
    weir_values_init(&values, &policy);
    assert_true(weir_values_set(&values, &policy, "alpha", "8,50%,1", &error));
    assert_int_equal(values.of[ALPHA][0], 8 * WEIR_Q16_ONE);
    assert_int_equal(values.of[ALPHA][1], WEIR_Q16_ONE / 2);
    for (uint32_t c = 2; c < WEIR_CLASSES_MAX; c++)
        assert_int_equal(values.of[ALPHA][c], WEIR_Q16_ONE);
    assert_true(weir_values_set(&values, &policy, "limit", "auto,1KB", &error));
    assert_int_equal(values.of[LIMIT][0], WEIR_AUTO);
    assert_int_equal(values.of[LIMIT][31], 1000);
    assert_true(weir_values_set(&values, &policy, "count", "7", &error));
    assert_int_equal(values.of[COUNT][0], 7);
    assert_int_equal(values.of[COUNT][31], 7);
}

static void weir_values_set__lists_have_a_limit(void **unused)
{
    struct weir_values values;
    struct weir_error error;
    char text[2 * WEIR_CLASSES_MAX + 2];
    (void)unused;
    weir_values_init(&values, &policy);
    for (uint32_t c = 0; c <= WEIR_CLASSES_MAX; c++)
        memcpy(text + 2 * c, "2,", 2);
    text[2 * WEIR_CLASSES_MAX - 1] = '\0'; /* 32 values */
    assert_true(weir_values_set(&values, &policy, "alpha", text, &error));
    text[2 * WEIR_CLASSES_MAX - 1] = ',';
    text[2 * WEIR_CLASSES_MAX + 1] = '\0'; /* 33 */
    assert_false(weir_values_set(&values, &policy, "alpha", text, &error));
    assert_non_null(strstr(ERROR_LINE(&error), "has more values than there can be classes (32)"));
}

static void weir_values_set__long_text_is_shortened(void **unused)
{
    struct weir_values values;
    struct weir_error error;
    char text[1000];
    (void)unused;
    memset(text, '1', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    weir_values_init(&values, &policy);
    assert_false(weir_values_set(&values, &policy, "alpha", text, &error));
    assert_string_equal(ERROR_LINE(&error),
                        "alpha of policy test: '1111111111111111111111111111111111111111...' is too long");
    assert_false(weir_values_set(&values, &policy, text, "1", &error));
    assert_true(strlen(ERROR_LINE(&error)) < WEIR_MESSAGE_MAX - 1);
}

/* Long names of policy, parameter and choices: the message is cut, never overrun. */
static void weir_value_parse__long_names_fit_the_message(void **unused)
{
    char word[300];
    const char *const choices[] = {word, word, word, NULL};
    struct weir_param param = {word, WEIR_UNIT_CHOICE, false, 0, 0, 2, choices, ""};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    int64_t value = 5;
    (void)unused;
    memset(word, 'w', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    assert_false(weir_value_parse(&param, "x", &value, &error));
    assert_true(strlen(ERROR_LINE(&error)) < WEIR_MESSAGE_MAX);
    assert_int_equal(value, 5);
}

static void weir_value_parse__names_the_parameter(void **unused)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    int64_t value = 5;
    (void)unused;
    assert_false(weir_value_parse(&params[WINDOW], "80", &value, &error));
    assert_string_equal(ERROR_LINE(&error), "window: '80' needs a unit (ps, ns, us, ms, s)");
    assert_int_equal(value, 5);
}

static void weir_value_format__is_what_one_would_write(void **unused)
{
    static const struct {
        enum weir_unit unit;
        int64_t value;
        const char *expected;
    } cases[] = {
        {WEIR_UNIT_RATIO, 0, "0"},
        {WEIR_UNIT_RATIO, 8 * 65536, "8"},
        {WEIR_UNIT_RATIO, 32768, "0.5"},
        {WEIR_UNIT_RATIO, 6554, "0.1"},
        {WEIR_UNIT_RATIO, 58982, "0.9"},
        {WEIR_UNIT_RATIO, 21845, "0.33333"},
        {WEIR_UNIT_RATIO, 1, "0.00001526"},
        {WEIR_UNIT_RATIO, -32768, "-0.5"},
        {WEIR_UNIT_COUNT, -12, "-12"},
        {WEIR_UNIT_COUNT, INT64_MAX, "9223372036854775807"},
        {WEIR_UNIT_TIME, 0, "0ps"},
        {WEIR_UNIT_TIME, 999, "999ps"},
        {WEIR_UNIT_TIME, 80000000, "80us"},
        {WEIR_UNIT_TIME, 2100000000, "2.1ms"},
        {WEIR_UNIT_TIME, 1234567, "1.234567us"},
        {WEIR_UNIT_TIME, 3000000000000, "3s"},
        {WEIR_UNIT_SPACE, 0, "0B"},
        {WEIR_UNIT_SPACE, 1500, "1500B"},
        {WEIR_UNIT_SPACE, 28000, "28KB"},
        {WEIR_UNIT_SPACE, 4194304, "4MiB"},
        {WEIR_UNIT_SPACE, 1024000, "1000KiB"},
        {WEIR_UNIT_SPACE, 2000000000, "2GB"},
        {WEIR_UNIT_FLAG, 0, "no"},
        {WEIR_UNIT_FLAG, 1, "yes"},
        {WEIR_UNIT_CHOICE, 1, "green"},
        {WEIR_UNIT_SPACE, WEIR_AUTO, "auto"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct weir_param param = any_param(cases[i].unit);
        char text[64];
        assert_int_equal(weir_value_format(text, sizeof text, &param, cases[i].value), strlen(cases[i].expected));
        assert_string_equal(text, cases[i].expected);
    }
}

static void weir_value_format__returns_the_length_it_wants(void **unused)
{
    struct weir_param param = any_param(WEIR_UNIT_TIME);
    char text[4] = "xyz";
    (void)unused;
    assert_int_equal(weir_value_format(text, sizeof text, &param, 1234567), 10);
    assert_string_equal(text, "1.2");
}

static int64_t random_value(struct weir_random *r, enum weir_unit unit)
{
    if (unit == WEIR_UNIT_FLAG || unit == WEIR_UNIT_CHOICE)
        return weir_random_below(r, unit == WEIR_UNIT_FLAG ? 2 : 3);
    int64_t value = (int64_t)(weir_random_bits(r) >> (1 + weir_random_below(r, 63)));
    if (weir_random_below(r, 4) == 0)
        value -= value % 1000;
    return weir_random_below(r, 4) == 0 ? -value : value;
}

static void weir_value_format__parses_back(void **unused)
{
    (void)unused;
    for (uint32_t unit = WEIR_UNIT_RATIO; unit <= WEIR_UNIT_CHOICE; unit++) {
        struct weir_random r = weir_random_stream(unit, "format");
        struct weir_param param = any_param((enum weir_unit)unit);
        for (uint32_t i = 0; i < 20000; i++) {
            char text[64];
            struct weir_error error = {.code = WEIR_ERROR_NONE};
            int64_t back = 0, value = i == 0 ? WEIR_AUTO : random_value(&r, (enum weir_unit)unit);
            int length = weir_value_format(text, sizeof text, &param, value);
            bool parsed = weir_value_parse(&param, text, &back, &error);
            if (!parsed || back != value)
                print_message("unit %u, draw %u: %lld '%s' %lld %s\n", unit, i, (long long)value, text, (long long)back,
                              ERROR_LINE(&error));
            assert_true(parsed && back == value && length > 0 && length < 64);
        }
    }
}

static void weir_values_init__defaults(void **unused)
{
    struct weir_values values;
    (void)unused;
    memset(&values, 0xff, sizeof values);
    weir_values_init(&values, &policy);
    for (uint32_t p = 0; p < WEIR_PARAMS_MAX; p++)
        for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++)
            assert_int_equal(values.of[p][c], p < PARAMS ? params[p].initial : 0);
}

static void weir_param_find__by_name(void **unused)
{
    (void)unused;
    assert_int_equal(weir_param_find(&policy, "alpha"), ALPHA);
    assert_int_equal(weir_param_find(&policy, "colour"), COLOUR);
    assert_int_equal(weir_param_find(&policy, "alph"), -1);
    assert_int_equal(weir_param_find(&bare_policy, "alpha"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weir_value_parse__reads_every_unit),
        cmocka_unit_test(weir_value_parse__names_the_parameter),
        cmocka_unit_test(weir_value_parse__long_names_fit_the_message),
        cmocka_unit_test(weir_values_set__says_what_is_wrong),
        cmocka_unit_test(weir_values_set__unknown_name),
        cmocka_unit_test(weir_values_set__repeats_the_last_of_a_list),
        cmocka_unit_test(weir_values_set__lists_have_a_limit),
        cmocka_unit_test(weir_values_set__long_text_is_shortened),
        cmocka_unit_test(weir_value_format__is_what_one_would_write),
        cmocka_unit_test(weir_value_format__returns_the_length_it_wants),
        cmocka_unit_test(weir_value_format__parses_back),
        cmocka_unit_test(weir_values_init__defaults),
        cmocka_unit_test(weir_param_find__by_name),
    };
    return cmocka_run_group_tests_name("params", tests, NULL, NULL);
}
