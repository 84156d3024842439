/*
 * test_document_json.c - JSON read without libyaml is the tree that libyaml makes of it, marks included, and what is no
 * JSON is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scenario/yaml/document.h"
#include "tests/support/error_line.h"

/* Beside the other reader, under other names. */
bool json_read(struct document *document, const char *origin, const char *text, size_t size, struct weir_error *error);
struct node *json_read_value(struct arena *arena, struct mark mark, const char *text, struct weir_error *error);
void json_free(struct document *document);
#define document_read json_read
#define document_read_value json_read_value
#define document_free json_free
#include "scenario/yaml/document_json.c"
#undef document_read
#undef document_read_value
#undef document_free

static void check_marks(const struct node *a, const struct node *b)
{
    assert_int_equal(a->mark.line, b->mark.line);
    assert_int_equal(a->key_mark.line, b->key_mark.line);
    assert_int_equal(a->key_mark.column, b->key_mark.column);
    if (a->kind == NODE_SCALAR)
        assert_int_equal(a->mark.column, b->mark.column);
    for (a = a->first, b = b->first; a != NULL; a = a->next, b = b->next)
        check_marks(a, b);
}

static void document_read__agrees_with_libyaml(void **state)
{
    static const char *const texts[] = {
        "{}",
        "{\"a\": 1, \"b\": \"two\", \"c\": [1, 2.5, \"x y\", [], {}], \"d\": {\"e\": true, \"f\": null}}",
        "{\n  \"a\": {\n    \"b\": \"60% buffer\"\n  },\n  \"c\": [\n    \"h4-h5\",\n    {\"k\": \"v\"}\n  ]\n}\n",
        "{\"quote\": \"a \\\"b\\\" c\", \"slash\": \"a\\\\b\", \"utf8\": \"\xce\xb1 \xc3\x97\"}",
        " { \"a\" : -1e3 , \"b\" : [ 1 , 2 ] } ",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        struct document ours, theirs;
        if (!json_read(&ours, "f", texts[i], strlen(texts[i]), &error))
            fail_msg("%s", ERROR_LINE(&error));
        assert_true(document_read(&theirs, "f", texts[i], strlen(texts[i]), &error));
        if (!node_equal(ours.root, theirs.root))
            fail_msg("text %zu", i);
        check_marks(ours.root, theirs.root);
        json_free(&ours);
        document_free(&theirs);
    }
}

static void document_read__refuses(void **state)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", "f:1:1: not valid JSON: expected a value"},
        {"7", "f:1:1: a value is here (expected a map of sections)"},
        {"{\"a\": , \"b\": 1}", "f:1:7: not valid JSON: expected a value"},
        {"[1]", "f:1:2: a list is here (expected a map of sections)"},
        {"{\"a\": 1", "f:1:8: not valid JSON: expected ',' or the end of the list or map"},
        {"{\"a\": 1,}", "f:1:9: not valid JSON: expected a key between quotes"},
        {"{\"a\" 1}", "f:1:6: not valid JSON: expected ':' after a key"},
        {"{\"a\": 1, \"a\": 2}", "f:1:10: key 'a' is given twice"},
        {"{\"a\": \"x", "f:1:9: not valid JSON: a text without its end (expected '\"')"},
        {"{\"a\": \"x\\n\"}", "f:1:12: not valid JSON: an escape (expected \\\" or \\\\)"},
        {"{\"a\": 1} x", "f:1:10: not valid JSON: expected nothing more"},
        {"{\"a\":\n\"x\ty\"}", "f:2:3: not valid JSON: a control character in a text (expected printable characters)"},
        {"{\"a\": [[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]}", "f:1:23: not valid JSON: too deep (expected at most 16 levels)"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        struct document document;
        assert_false(json_read(&document, "f", rows[i].text, strlen(rows[i].text), &error));
        assert_string_equal(ERROR_LINE(&error), rows[i].message);
        json_free(&document);
    }
}

static void document_read_value__reads_one(void **state)
{
    struct arena arena = {0};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    const struct node *list = json_read_value(&arena, (struct mark){"--set", 0, 0}, "[1, 2]", &error);
    assert_non_null(list);
    assert_int_equal(list->count, 2);
    assert_string_equal(list->first->mark.origin, "--set");
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(document_read__agrees_with_libyaml),
        cmocka_unit_test(document_read__refuses),
        cmocka_unit_test(document_read_value__reads_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
