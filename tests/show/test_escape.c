/*
 * test_escape.c - whatever a name holds, it stays text in every format.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/draw/escape.h"
#include "show/page/data.h"

typedef void escape_function(const char *text, FILE *out);

static void assert_escaped(escape_function *escape, const char *text, const char *expected)
{
    char *found = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&found, &size);
    assert_non_null(out);
    escape(text, out);
    fclose(out);
    assert_string_equal(found, expected);
    free(found);
}

static const struct {
    const char *text, *markup, *json, *gnuplot;
} cases[] = {
    {"plain", "plain", "\"plain\"", "'plain'"},
    {"", "", "\"\"", "''"},
    {"<script>", "&lt;script&gt;", "\"\\u003cscript\\u003e\"", "'<script>'"},
    {"</script><!--", "&lt;/script&gt;&lt;!--", "\"\\u003c/script\\u003e\\u003c!--\"", "'</script><!--'"},
    {"a&b \"c\" 'd'", "a&amp;b &quot;c&quot; &#39;d&#39;", "\"a\\u0026b \\\"c\\\" 'd'\"", "'a&b \"c\" ''d'''"},
    {"a\nb\tc\r\x7f", "a b c  ", "\"a b c  \"", "'a b c  '"},
    {"back\\slash", "back\\slash", "\"back\\\\slash\"", "'back\\slash'"},
    {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80",
     "\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\"", "'\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80'"},
    /* No UTF-8: a byte alone, cut short, overlong, a surrogate, beyond Unicode. */
    {"\xff", "\xef\xbf\xbd", "\"\xef\xbf\xbd\"", "'\xef\xbf\xbd'"},
    {"\xc3", "\xef\xbf\xbd", "\"\xef\xbf\xbd\"", "'\xef\xbf\xbd'"},
    {"\xc3<", "\xef\xbf\xbd&lt;", "\"\xef\xbf\xbd\\u003c\"", "'\xef\xbf\xbd<'"},
    {"\xc0\xbc", "\xef\xbf\xbd\xef\xbf\xbd", "\"\xef\xbf\xbd\xef\xbf\xbd\"", "'\xef\xbf\xbd\xef\xbf\xbd'"},
    {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"",
     "'\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd'"},
    {"\xf7\xbf\xbf\xbf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd",
     "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"", "'\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd'"},
    /* Ends of lines for JavaScript, and characters that turn the text around. */
    {"a\xe2\x80\xa8z\xe2\x80\xa9", "a z ", "\"a z \"", "'a z '"},
    {"a\xe2\x80\xae", "a ", "\"a \"", "'a '"},
};

static void put_json(const char *text, FILE *out)
{
    assert_true(data_put(data_text(text), out));
}

static void escape__every_format(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_escaped(escape_markup, cases[i].text, cases[i].markup);
        assert_escaped(put_json, cases[i].text, cases[i].json);
        assert_escaped(escape_gnuplot, cases[i].text, cases[i].gnuplot);
    }
}

static void escape_markup_lines__keeps_them(void **state)
{
    (void)state;
    assert_escaped(escape_markup_lines, "a: <b>\n  c\n", "a: &lt;b&gt;\n  c\n");
}

static void put_infinity(const char *text, FILE *out)
{
    (void)text;
    assert_true(data_put(data_number(INFINITY), out));
    assert_true(data_put(data_number(NAN), out));
    assert_true(data_put(data_number(-1.5e-7), out));
    assert_true(data_put(data_number(-3), out));
}

static void data_number__finite_or_null(void **state)
{
    (void)state;
    assert_escaped(put_infinity, "", "nullnull-1.5e-7-3");
}

static void escape_file_name__safe(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name;
    } names[] = {{"Mean QCT (ms)", "mean-qct-ms"},
                 {"../../etc/passwd", "etc-passwd"},
                 {"", ""},
                 {"///", ""},
                 {"\xff<b>", "b"},
                 {"12345678901234567890", "123456789012345"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char name[16];
        escape_file_name(names[i].text, name, sizeof name);
        assert_string_equal(name, names[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escape__every_format),
        cmocka_unit_test(escape_markup_lines__keeps_them),
        cmocka_unit_test(data_number__finite_or_null),
        cmocka_unit_test(escape_file_name__safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
