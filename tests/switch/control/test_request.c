/*
 * test_request.c - requests to a running switch: what is understood, and what each mistake is told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "switch/control/request.h"
#include "tests/support/error_line.h"

static void parse(const char *line, struct switch_request *request)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (!switch_request_parse(line, strlen(line), request, &error))
        fail_msg("%s: %s", line, ERROR_LINE(&error));
}

static void switch_request_parse__commands(void **state)
{
    struct switch_request r;
    (void)state;
    parse("{\"command\":\"status\"}", &r);
    assert_int_equal(r.command, SWITCH_STATUS);
    parse(" {\"command\" : \"stop\"} ", &r);
    assert_int_equal(r.command, SWITCH_STOP);
    parse("{\"command\":\"counters\"}", &r);
    assert_int_equal(r.command, SWITCH_COUNTERS);
    assert_false(r.has_port || r.has_class || r.has_clear);
    parse("{\"class\":1,\"clear\":\"persistent\",\"command\":\"counters\",\"port\":7}", &r);
    assert_true(r.has_port && r.has_class && r.has_clear);
    assert_int_equal(r.port, 7);
    assert_int_equal(r.tc, 1);
    assert_int_equal(r.clear, WEIR_WM_PERSISTENT);
    parse("{\"command\":\"set\",\"key\":\"ingress.alpha\",\"value\":\"1/8\"}", &r);
    assert_string_equal(r.key, "ingress.alpha");
    assert_string_equal(r.value, "1/8");
    parse("{\"command\":\"trace\",\"action\":\"start\",\"path\":\"/a/\\u00e4\",\"memory\":2}", &r);
    assert_true(r.start);
    assert_int_equal(r.memory, 2);
    assert_string_equal(r.path, "/a/\u00e4");
    parse("{\"command\":\"trace\",\"action\":\"stop\"}", &r);
    assert_false(r.start);
}

static void switch_request_parse__errors(void **state)
{
    static const struct {
        const char *line, *message;
    } cases[] = {
        {"", "not JSON: "},
        {"hello", "not JSON: "},
        {"{\"command\":\"status\"", "not JSON: "},
        {"{\"command\":\"status\"} more", "not JSON: "},
        {"[1]", "no request (expected an object such as {\"command\":\"status\"})"},
        {"{}", "'command' is missing (expected status, counters, set, trace or stop)"},
        {"{\"command\":1}", "command: no text is here (expected status, ...)"},
        {"{\"command\":\"statsu\"}", "unknown command 'statsu' (did you mean 'status'?)"},
        {"{\"command\":\"zzzzzzzz\"}", "unknown command 'zzzzzzzz' (expected status, counters, set, trace, stop)"},
        {"{\"command\":\"status\",\"port\":1}", "unknown member 'port' (expected command)"},
        {"{\"command\":\"counters\",\"prot\":1}", "unknown member 'prot' (did you mean 'port'?)"},
        {"{\"command\":\"counters\",\"port\":-1}", "port: no number is here (expected an integer from 0 to 65535)"},
        {"{\"command\":\"counters\",\"port\":1.5}", "port: no number is here (expected an integer from 0 to 65535)"},
        {"{\"command\":\"counters\",\"port\":65536}", "port: no number is here (expected an integer from 0 to 65535)"},
        {"{\"command\":\"counters\",\"clear\":\"all\"}", "unknown clear 'all' (expected periodic, user, persistent)"},
        {"{\"command\":\"set\",\"key\":\"alpha\"}", "set: 'key' or 'value' is missing (expected both)"},
        {"{\"command\":\"set\",\"key\":\"\",\"value\":\"1\"}", "key: no text is here"},
        {"{\"command\":\"set\",\"key\":\"alpha\",\"value\":1}", "value: no text is here"},
        {"{\"command\":\"trace\"}", "trace: 'action' is missing (expected start or stop)"},
        {"{\"command\":\"trace\",\"action\":\"start\"}",
         "trace: 'path' is missing or relative (expected one from the root)"},
        {"{\"command\":\"trace\",\"action\":\"start\",\"path\":\"a\"}",
         "trace: 'path' is missing or relative (expected one from the root)"},
        {"{\"command\":\"trace\",\"action\":\"stop\",\"path\":\"/a\"}", "trace: 'path' does not go with stop"},
        {"{\"command\":\"stop\",\"command\":\"stop\"}", "not JSON: "},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct switch_request r;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        assert_false(switch_request_parse(cases[i].line, strlen(cases[i].line), &r, &error));
        if (strcmp(cases[i].message, "not JSON: ") == 0) /* the rest is the library's */
            error.text[strlen(cases[i].message)] = '\0';
        assert_string_equal(ERROR_LINE(&error), cases[i].message);
    }
}

/* Texts that are too long are refused, and shown cut. */
static void switch_request_parse__long_texts(void **state)
{
    struct switch_request r;
    char line[SWITCH_REQUEST_MAX];
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    memset(line, 'x', sizeof line);
    int head = snprintf(line, sizeof line, "{\"command\":\"set\",\"value\":\"1\",\"key\":\"");
    line[head] = 'x';
    memcpy(line + head + SWITCH_TEXT_MAX - 1, "\"}", 3);
    parse(line, &r);
    line[head + SWITCH_TEXT_MAX - 1] = 'x';
    memcpy(line + head + SWITCH_TEXT_MAX, "\"}", 3);
    assert_false(switch_request_parse(line, strlen(line), &r, &error));
    assert_string_equal(ERROR_LINE(&error), "key: too long (expected at most 255 bytes)");
    memcpy(line, "{\"command\":\"", 12);
    memset(line + 12, 'y', 4000);
    memcpy(line + 4012, "\"}", 3);
    assert_false(switch_request_parse(line, strlen(line), &r, &error));
    assert_true(strlen(ERROR_LINE(&error)) < 160);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switch_request_parse__commands),
        cmocka_unit_test(switch_request_parse__errors),
        cmocka_unit_test(switch_request_parse__long_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
