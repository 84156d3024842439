/*
 * test_request.c - what a client of weir-traffic sends: every field comes over, nothing else is taken.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "switch/traffic/request.h"

static const struct request example = {
    .flow = 0x01020304, .client = 0x0a0b0c0d, .transport = 0x1112, .bytes = INT64_C(0x2122232425262728)};

static void request_write__places(void **state)
{
    static const uint8_t expected[REQUEST_BYTES] = {'W',  'E',  'I',  'R',  1,    0,    0x12, 0x11,
                                                    0x04, 0x03, 0x02, 0x01, 0x0d, 0x0c, 0x0b, 0x0a,
                                                    0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21};
    uint8_t bytes[REQUEST_BYTES];
    (void)state;
    request_write(&example, bytes);
    assert_memory_equal(bytes, expected, sizeof expected);
}

static void request_read__what_was_written(void **state)
{
    const struct request cases[] = {example, {.flow = 1, .bytes = 1}, {.flow = UINT32_MAX, .bytes = INT64_MAX}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct request found = {.flow = 0};
        uint8_t bytes[REQUEST_BYTES];
        request_write(&cases[i], bytes);
        assert_true(request_read(&found, bytes));
        assert_int_equal(found.flow, cases[i].flow);
        assert_int_equal(found.client, cases[i].client);
        assert_int_equal(found.transport, cases[i].transport);
        assert_true(found.bytes == cases[i].bytes);
    }
}

static void request_read__strangers(void **state)
{
    struct request found;
    uint8_t good[REQUEST_BYTES], bytes[REQUEST_BYTES];
    (void)state;
    request_write(&example, good);
    for (size_t i = 0; i < 6; i++) { /* magic and version */
        memcpy(bytes, good, sizeof bytes);
        bytes[i] ^= 1;
        assert_false(request_read(&found, bytes));
    }
    const struct request nothing = {.flow = 1, .bytes = 0}, negative = {.flow = 1, .bytes = -1};
    request_write(&nothing, bytes);
    assert_false(request_read(&found, bytes));
    request_write(&negative, bytes);
    assert_false(request_read(&found, bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(request_write__places),
                                       cmocka_unit_test(request_read__what_was_written),
                                       cmocka_unit_test(request_read__strangers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
