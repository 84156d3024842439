/*
 * test_flow_list.c - good lists are read whatever their line ends, bad ones are refused with line and column.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/workload/flow_list.h"
#include "tests/support/error_line.h"

struct reading {
    struct listed_flows list;
    struct flow_tags tags;
    struct weir_error error;
};

/* Reads from memory of exactly the text's size, so that the sanitizer sees every byte too far. */
static bool read_text(struct reading *reading, const char *text, size_t size)
{
    *reading = (struct reading){.error = {.code = WEIR_ERROR_NONE}};
    struct flow_list_setup setup = {.hosts = 16, .tag = 7, .tags = &reading->tags};
    char *exact = malloc(size > 0 ? size : 1);
    memcpy(exact, text, size);
    bool read = flow_list_read(&reading->list, exact, size, &setup, &reading->error);
    free(exact);
    return read;
}

static void reading_free(struct reading *reading)
{
    listed_flows_free(&reading->list);
    flow_tags_free(&reading->tags);
}

static void flow_list_read__reads_every_field(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "# start_ns source ...\n0 0 1 150000\n2500 3 1 1000000 background\n\n  7000\t15 0\t1 x-1_Z # end\n",
        "# start_ns\r\n0 0 1 150000\r\n2500 3 1 1000000 background\r\n\r\n  7000\t15 0\t1 x-1_Z # end\r\n",
        "0 0 1 150000\n2500 3 1 1000000 background\n7000 15 0 1 x-1_Z",
        "0 0 1 150000#\n2500 3 1 1000000 background#text\n#\n7000 15 0 1 x-1_Z \r",
    };
    static const struct listed_flow expected[] = {
        {.start_ps = 0, .source = 0, .destination = 1, .bytes = 150000, .tag = 7},
        {.start_ps = 2500000, .source = 3, .destination = 1, .bytes = 1000000, .tag = 0},
        {.start_ps = 7000000, .source = 15, .destination = 0, .bytes = 1, .tag = 1}};
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        struct reading reading;
        if (!read_text(&reading, texts[t], strlen(texts[t])))
            fail_msg("text %zu: %s", t, ERROR_LINE(&reading.error));
        assert_int_equal(reading.list.count, 3);
        for (uint32_t i = 0; i < 3; i++) {
            const struct listed_flow *flow = &reading.list.at[i];
            assert_int_equal(flow->start_ps, expected[i].start_ps);
            assert_int_equal(flow->source, expected[i].source);
            assert_int_equal(flow->destination, expected[i].destination);
            assert_int_equal(flow->bytes, expected[i].bytes);
            assert_int_equal(flow->tag, expected[i].tag);
        }
        assert_int_equal(reading.tags.count, 2);
        assert_string_equal(reading.tags.names[0], "background");
        assert_string_equal(reading.tags.names[1], "x-1_Z");
        reading_free(&reading);
    }
}

static void flow_list_read__accepts_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "\n", "#", "# only\n#comments", " \t \r\n\r\n"};
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        struct reading reading;
        assert_true(read_text(&reading, texts[t], strlen(texts[t])));
        assert_int_equal(reading.list.count, 0);
        reading_free(&reading);
    }
}

static void flow_list_read__accepts_the_largest_numbers(void **state)
{
    (void)state;
    struct reading reading;
    const char *text = "4611686018427387 15 14 9223372036854775806\n0004 05 006 0000000000000000000000001\n";
    assert_true(read_text(&reading, text, strlen(text)));
    assert_int_equal(reading.list.at[0].start_ps, 4000);
    assert_int_equal(reading.list.at[0].bytes, 1);
    assert_int_equal(reading.list.at[1].start_ps, 4611686018427387000);
    assert_int_equal(reading.list.at[1].bytes, INT64_MAX - 1);
    reading_free(&reading);
}

static void flow_list_read__says_where_and_what(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"x", "line 1, column 1: expected a start in nanoseconds from 0 to 4611686018427387, found 'x'"},
        {"\n-5 0 1 9", "line 2, column 1: expected a start in nanoseconds from 0 to 4611686018427387, found '-5'"},
        {"4611686018427388 0 1 9", "line 1, column 1: expected a start"},
        {"99999999999999999999999999999999 0 1 9", "found '999999999999999999999999...'"},
        {"1.5 0 1 9", "found '1.5'"},
        {"+1 0 1 9", "found '+1'"},
        {"1,0,1,9", "found '1,0,1,9'"},
        {"1", "line 1, column 2: expected a source host from 0 to 15, the line ends"},
        {"#\r\n1  \r\n", "line 2, column 4: expected a source host from 0 to 15, the line ends"},
        {"1 16 1 9", "line 1, column 3: expected a source host from 0 to 15, found '16'"},
        {"1 0 4294967297 9", "line 1, column 5: expected a destination host from 0 to 15, found '4294967297'"},
        {"1 3 3 9", "line 1, column 5: expected a destination other than the source, found '3'"},
        {"1 3\t 03 9", "line 1, column 6: expected a destination other than the source, found '03'"},
        {"1 0 1", "line 1, column 6: expected bytes from 1 to 9223372036854775806, the line ends"},
        {"1 0 1 #9", "line 1, column 7: expected bytes from 1 to 9223372036854775806, the line ends"},
        {"1 0 1 0", "column 7: expected bytes"},
        {"1 0 1 9223372036854775807", "column 7: expected bytes"},
        {"1 0 1 18446744073709551617", "column 7: expected bytes"},
        {"1 0 1 9k", "column 7: expected bytes from 1 to 9223372036854775806, found '9k'"},
        {"1 0 1 9 a b", "line 1, column 11: expected the end of the line, found 'b'"},
        {"1 0 1 9 a/b", "line 1, column 9: expected a tag of at most 31 letters, digits, '-' or '_', found 'a/b'"},
        {"1 0 1 9 a\r2 0 1 9", "column 9: expected a tag of at most 31 letters, digits, '-' or '_', found 'a?2'"},
        {"1 0 1 9 abcdefghijklmnopqrstuvwxyz123456", "column 9: expected a tag"},
        {"\xef\xbb\xbf"
         "1 0 1 9",
         "line 1, column 1: expected a start in nanoseconds from 0 to 4611686018427387, found '???1'"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct reading reading;
        assert_false(read_text(&reading, cases[c].text, strlen(cases[c].text)));
        if (!strstr(ERROR_LINE(&reading.error), cases[c].expected))
            fail_msg("'%s': %s", cases[c].text, ERROR_LINE(&reading.error));
        assert_null(reading.list.at);
        reading_free(&reading);
    }
}

static void flow_list_read__refuses_zero_bytes_in_the_text(void **state)
{
    (void)state;
    struct reading reading;
    assert_false(read_text(&reading, "1 0 1 9\0 a", 10));
    assert_non_null(strstr(ERROR_LINE(&reading.error), "found '9?'"));
    reading_free(&reading);
}

static void flow_list_read__sorts_by_start_and_keeps_ties(void **state)
{
    (void)state;
    enum { FLOWS = 2000 };
    char *text = malloc(FLOWS * 32);
    size_t size = 0;
    struct weir_random random = weir_random_stream(11, "flows");
    for (uint32_t i = 0; i < FLOWS; i++)
        size += (size_t)snprintf(text + size, 32, "%u 0 1 %u\n", weir_random_below(&random, 50), i + 1);
    struct reading reading;
    assert_true(read_text(&reading, text, size));
    assert_int_equal(reading.list.count, FLOWS);
    for (uint32_t i = 1; i < FLOWS; i++) {
        const struct listed_flow *a = &reading.list.at[i - 1], *b = &reading.list.at[i];
        assert_true(a->start_ps < b->start_ps || (a->start_ps == b->start_ps && a->bytes < b->bytes));
    }
    reading_free(&reading);
    free(text);
}

static void flow_list_read__bounds_the_number_of_tags(void **state)
{
    (void)state;
    char text[257 * 24];
    size_t size = 0;
    for (uint32_t i = 0; i < 257; i++)
        size += (size_t)snprintf(text + size, 24, "1 0 1 9 tag-%u\n", i % 256);
    struct reading reading;
    assert_true(read_text(&reading, text, size));
    assert_int_equal(reading.tags.count, 256);
    reading_free(&reading);
    text[size - 2] = 'x'; /* tag-0 becomes tag-x */
    assert_false(read_text(&reading, text, size));
    assert_non_null(strstr(ERROR_LINE(&reading.error), "line 257, column 9: expected one of the 256 tags used so far"));
    reading_free(&reading);
}

static void flow_list_read__needs_two_hosts(void **state)
{
    (void)state;
    struct reading reading = {.error = {.code = WEIR_ERROR_NONE}};
    struct flow_list_setup setup = {.hosts = 1, .tags = &reading.tags};
    assert_false(flow_list_read(&reading.list, "", 0, &setup, &reading.error));
    assert_non_null(strstr(ERROR_LINE(&reading.error), "two hosts"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flow_list_read__reads_every_field),
        cmocka_unit_test(flow_list_read__accepts_nothing),
        cmocka_unit_test(flow_list_read__accepts_the_largest_numbers),
        cmocka_unit_test(flow_list_read__says_where_and_what),
        cmocka_unit_test(flow_list_read__refuses_zero_bytes_in_the_text),
        cmocka_unit_test(flow_list_read__sorts_by_start_and_keeps_ties),
        cmocka_unit_test(flow_list_read__bounds_the_number_of_tags),
        cmocka_unit_test(flow_list_read__needs_two_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
