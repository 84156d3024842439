/*
 * test_screen.c - the filter before a terminal: what passes, what becomes '?', however the bytes are cut into writes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/output.h"
#include "cli/screen.h"

static const struct {
    const char *text, *shown;
} cases[] = {
    {"plain \xc3\xa4\xe2\x80\xa6\xf0\x9f\x99\x82 text", "plain \xc3\xa4\xe2\x80\xa6\xf0\x9f\x99\x82 text"},
    {"\x1b[31mred\x1b[0m", "?[31mred?[0m"},
    {"bell\a, back\b, return\r, delete\x7f", "bell?, back?, return?, delete?"},
    {"C1 \xc2\x9b"
     "2J as UTF-8",
     "C1 ?2J as UTF-8"},
    {"C1 \x9b"
     "2J as a byte",
     "C1 ?2J as a byte"},
    {"override \xe2\x80\xae, isolate \xe2\x81\xa7, mark \xd8\x9c", "override ?, isolate ?, mark ?"},
    {"separators \xe2\x80\xa8\xe2\x80\xa9", "separators ??"},
    {"tag \xf3\xa0\x81\x81", "tag ?"},
    {"too long \xc0\x9b, \xe0\x82\x9b; a surrogate \xed\xa0\x80", "too long ?, ?; a surrogate ?"},
    {"cut \xe2\x80", "cut ?"},
    {"begun \xe2\x80"
     "a, \xf0\x9f"
     "\x1b[m",
     "begun ?a, ??[m"},
    {"beyond \xf4\x90\x80\x80, never \xfe\xff", "beyond ?, never ??"},
};

static void screen_mask__cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s", cases[i].text);
        screen_mask(text);
        assert_string_equal(text, cases[i].shown);
    }
    char lines[] = "two\nlines\tand a tab";
    screen_mask(lines);
    assert_string_equal(lines, "two?lines?and a tab");
}

/* Through the stream, `step` bytes at a time. */
static void print_in_steps(const char *text, size_t step, char *shown, size_t room)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    FILE *out = screen_stream(ends[1]);
    assert_non_null(out);
    for (size_t at = 0, size = strlen(text); at < size; at += step) {
        fwrite(text + at, 1, size - at < step ? size - at : step, out);
        assert_int_equal(fflush(out), 0);
    }
    assert_int_equal(fclose(out), 0);
    ssize_t count = read(ends[0], shown, room - 1);
    shown[count > 0 ? count : 0] = '\0';
    close(ends[0]);
}

static void screen_stream__cases_in_any_steps(void **state)
{
    char shown[128];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t step = 1; step < 8; step++) {
            print_in_steps(cases[i].text, step, shown, sizeof shown);
            assert_string_equal(shown, cases[i].shown);
        }
    print_in_steps("two\nlines\tand a tab\n", 5, shown, sizeof shown);
    assert_string_equal(shown, "two\nlines\tand a tab\n");
}

static void output_json__escapes_what_terminals_obey(void **state)
{
    (void)state;
    char *text = output_json_text(json_pack("[s]", "\xc3\xa4 \x1b \xc2\x9b \xe2\x80\xae \xf3\xa0\x81\x81"));
    assert_string_equal(text, "[\n  \"\xc3\xa4 \\u001B \\u009B \\u202E \\uDB40\\uDC41\"\n]");
    json_t *read = json_loads(text, 0, NULL);
    assert_string_equal(json_string_value(json_array_get(read, 0)),
                        "\xc3\xa4 \x1b \xc2\x9b \xe2\x80\xae \xf3\xa0\x81\x81");
    json_decref(read);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(screen_mask__cases),
        cmocka_unit_test(screen_stream__cases_in_any_steps),
        cmocka_unit_test(output_json__escapes_what_terminals_obey),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
