/*
 * test_cli.c - the shared conventions of the commands: policy texts, numbers, and their messages.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/cli.h"
#include "tests/support/capture.h"

static int parse_policy(const char *text, struct cli_policy *policy, struct capture *capture)
{
    capture_start(capture, stderr);
    int code = cli_parse_policy(text, policy);
    capture_stop(capture);
    return code;
}

static void cli_parse_policy__good(void **state)
{
    struct cli_policy policy;
    struct capture capture;
    (void)state;
    assert_int_equal(parse_policy("dt", &policy, &capture), CLI_OK);
    assert_string_equal(policy.policy->name, "dt");
    assert_int_equal(policy.values.of[0][0], WEIR_Q16_ONE);
    assert_int_equal(parse_policy("occamy:alpha=8,1:select=longest", &policy, &capture), CLI_OK);
    assert_int_equal(policy.values.of[0][0], 8 * WEIR_Q16_ONE);
    assert_int_equal(policy.values.of[0][1], WEIR_Q16_ONE);
    assert_int_equal(policy.values.of[0][31], WEIR_Q16_ONE);
    assert_int_equal(policy.values.of[weir_param_find(policy.policy, "select")][0], 1);
    assert_string_equal(capture.text, "");
}

static void cli_parse_policy__mistakes(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "weir: unknown policy '' (see 'weir policies'; --policy-file loads others)\n"},
        {"ocamy", "weir: unknown policy 'ocamy' (did you mean 'occamy'?)\n"},
        {"something", "weir: unknown policy 'something' (see 'weir policies'; --policy-file loads others)\n"},
        {"dt:alfa=1", "weir: unknown parameter 'alfa' of policy dt (nearest: alpha)\n"},
        {"dt:alpha=x", "weir: alpha of policy dt: 'x' is not a number\n"},
        {"dt:alpha=0", "weir: alpha of policy dt: '0' is out of range (0.00001526 to 4096)\n"},
        {"dt:alpha", "weir: policy dt: no value for 'alpha' (expected parameter=value)\n"},
        {"dt:", "weir: policy dt: no value for '' (expected parameter=value)\n"},
        {"dt:alpha=1:alpha=2", "weir: policy dt: parameter 'alpha' is given twice (expected once)\n"},
        {"d\nt", "weir: unknown policy 'd?t' (did you mean 'dt'?)\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cli_policy policy;
        struct capture capture;
        assert_int_equal(parse_policy(cases[i].text, &policy, &capture), CLI_INPUT);
        assert_string_equal(capture.text, cases[i].message);
    }
}

static void cli_parse_number__range(void **state)
{
    static const struct {
        const char *text;
        int code;
        const char *message;
    } cases[] = {
        {"1", CLI_OK, ""},
        {"64", CLI_OK, ""},
        {"007", CLI_OK, ""},
        {"0", CLI_INPUT, "weir: --ports: '0' is out of range (expected an integer from 1 to 64)\n"},
        {"65", CLI_INPUT, "weir: --ports: '65' is out of range (expected an integer from 1 to 64)\n"},
        {"99999999999999999999", CLI_INPUT,
         "weir: --ports: '99999999999999999999' is out of range (expected an integer from 1 to 64)\n"},
        {"", CLI_USAGE, "weir: --ports: '' is not a number (expected an integer from 1 to 64)\n"},
        {"-1", CLI_INPUT, "weir: --ports: '-1' is out of range (expected an integer from 1 to 64)\n"},
        {"-", CLI_USAGE, "weir: --ports: '-' is not a number (expected an integer from 1 to 64)\n"},
        {"-1x", CLI_USAGE, "weir: --ports: '-1x' is not a number (expected an integer from 1 to 64)\n"},
        {"+1", CLI_USAGE, "weir: --ports: '+1' is not a number (expected an integer from 1 to 64)\n"},
        {" 1", CLI_USAGE, "weir: --ports: ' 1' is not a number (expected an integer from 1 to 64)\n"},
        {"4x", CLI_USAGE, "weir: --ports: '4x' is not a number (expected an integer from 1 to 64)\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct capture capture;
        uint64_t number = 0;
        capture_start(&capture, stderr);
        int code = cli_parse_number("--ports", cases[i].text, 1, 64, &number);
        assert_string_equal(capture_stop(&capture), cases[i].message);
        assert_int_equal(code, cases[i].code);
        assert_true(code != CLI_OK || (number >= 1 && number <= 64));
    }
}

static void cli_parse_value__range(void **state)
{
    static const struct weir_param load = {.name = "--load", .unit = WEIR_UNIT_RATIO, .min = 1, .max = WEIR_Q16_ONE};
    static const struct {
        const char *text;
        int code;
    } cases[] = {
        {"0.5", CLI_OK},   {"50%", CLI_OK},  {"1.5", CLI_INPUT},
        {"-1", CLI_INPUT}, {"0", CLI_INPUT}, {"99999999999999999999999", CLI_INPUT},
        {"x", CLI_USAGE},  {"", CLI_USAGE},  {"1us", CLI_USAGE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct capture capture;
        int64_t value = 0;
        capture_start(&capture, stderr);
        int code = cli_parse_value(&load, cases[i].text, &value);
        const char *message = capture_stop(&capture);
        assert_int_equal(code, cases[i].code);
        assert_int_equal(strncmp(message, "weir: --load: '", 15) == 0, code != CLI_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cli_parse_policy__good),
        cmocka_unit_test(cli_parse_policy__mistakes),
        cmocka_unit_test(cli_parse_number__range),
        cmocka_unit_test(cli_parse_value__range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
