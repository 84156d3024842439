/*
 * test_document.c - YAML to trees, changes to trees, and trees to YAML.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenario/yaml/document.h"
#include "tests/support/error_line.h"

static bool read_text(struct document *document, const char *text, struct weir_error *error)
{
    *error = (struct weir_error){.code = WEIR_ERROR_NONE};
    return document_read(document, "f", text, strlen(text), error);
}

static void assert_prints(const struct node *root, const char *expected)
{
    char *text = node_text(root);
    assert_string_equal(text, expected);
    free(text);
}

static void document_read__marks(void **state)
{
    struct document document;
    struct weir_error error;
    (void)state;
    assert_true(read_text(&document, "# c\na:\n  b: [1, x]\n", &error));
    const struct node *a = node_find(document.root, "a"), *b = node_find(a, "b");
    assert_int_equal(a->key_mark.line, 2);
    assert_int_equal(a->key_mark.column, 1);
    assert_int_equal(b->key_mark.line, 3);
    assert_int_equal(b->key_mark.column, 3);
    assert_int_equal(b->mark.column, 6);
    assert_int_equal(b->count, 2);
    assert_string_equal(b->last->text, "x");
    assert_int_equal(b->last->mark.column, 10);
    assert_string_equal(b->last->mark.origin, "f");
    assert_null(node_find(document.root, "b"));
    document_free(&document);
}

static void document_read__mistakes(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "f:1:1: nothing is here (expected a map of sections)"},
        {"a", "f:1:1: a value is here (expected a map of sections)"},
        {"[a]", "f:1:1: a list is here (expected a map of sections)"},
        {"a: 1\na: 2", "f:2:1: key 'a' is given twice (first in line 1)"},
        {"a: {b: 1, b: 2}", "f:1:11: key 'b' is given twice (first in line 1)"},
        {"a: &x 1", "f:1:4: anchors are not possible (expected the value itself)"},
        {"a: &x {b: 1}", "f:1:4: anchors are not possible (expected the value itself)"},
        {"a: *x", "f:1:4: aliases are not possible (expected the value itself)"},
        {"*x : 1", "f:1:1: aliases are not possible (expected the value itself)"},
        {"a: !!int 1", "f:1:4: tags are not possible (expected the value itself)"},
        {"!map {a: 1}", "f:1:1: tags are not possible (expected the value itself)"},
        {"{[a]: 1}", "f:1:2: a key must be a word"},
        {"a: 1\n---\nb: 2", "f:2:1: a second document starts here (expected one)"},
        {"a: \"\\u0085\"", "f:1:4: a control character in a text (expected printable characters)"},
        {"a: \"\\x7f\"", "f:1:4: a control character in a text (expected printable characters)"},
        {"\"a\\tb\": 1", "f:1:1: a control character in a text (expected printable characters)"},
        {"a: [", "f:2:1: not valid YAML: did not find expected node content"},
        {"a: 1\n\x01", "f:2:1: not valid YAML: control characters are not allowed"},
        {"a: \xc3(", "f:1:5: not valid YAML: invalid trailing UTF-8 octet"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct document document;
        struct weir_error error;
        assert_false(read_text(&document, cases[i].text, &error));
        assert_false(error.code == WEIR_ERROR_MEMORY);
        assert_string_equal(ERROR_LINE(&error), cases[i].message);
        document_free(&document);
    }
}

static void document_read__limits(void **state)
{
    enum { KEYS = 1001 };
    static char text[16 * KEYS];
    struct document document;
    struct weir_error error;
    size_t used = 0;
    (void)state;
    for (uint32_t i = 0; i < KEYS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "k%u: 1\n", i);
    assert_false(read_text(&document, text, &error));
    assert_string_equal(ERROR_LINE(&error), "f:1001:1: too many keys in one map (expected at most 1000)");
    document_free(&document);
    assert_false(read_text(&document, "a: [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]", &error));
    assert_string_equal(ERROR_LINE(&error), "f:1:19: too deep (expected at most 16 levels)");
    document_free(&document);
    char *large = malloc(DOCUMENT_BYTES_MAX + 1);
    assert_non_null(large);
    memset(large, '\n', DOCUMENT_BYTES_MAX + 1);
    error = (struct weir_error){.code = WEIR_ERROR_NONE};
    assert_false(document_read(&document, "f", large, DOCUMENT_BYTES_MAX + 1, &error));
    assert_string_equal(ERROR_LINE(&error), "f: too large (expected at most 16 MiB)");
    document_free(&document);
    free(large);
}

static void document_set__changes(void **state)
{
    static const struct {
        const char *assignment, *printed;
    } cases[] = {
        {"a=2", "a: 2\nb:\n  - c: 1\n  - c: 2\n"},
        {"d=x", "a: 1\nb:\n  - c: 1\n  - c: 2\nd: x\n"},
        {"b.1.c=9", "a: 1\nb:\n  - c: 1\n  - c: 9\n"},
        {"b.0.d=80% buffer", "a: 1\nb:\n  - c: 1\n    d: 80% buffer\n  - c: 2\n"},
        {"e.f.g=[1, 2]", "a: 1\nb:\n  - c: 1\n  - c: 2\ne:\n  f:\n    g: [1, 2]\n"},
        {"b={x: 1, y: {z: 2}}", "a: 1\nb:\n  x: 1\n  y:\n    z: 2\n"},
        {"a='x: y'", "a: \"x: y\"\nb:\n  - c: 1\n  - c: 2\n"},
        {"a=b=c", "a: \"b=c\"\nb:\n  - c: 1\n  - c: 2\n"},
        {"b=[]", "a: 1\nb: []\n"},
        {"b=null", "a: 1\n"},
        {"a=~", "b:\n  - c: 1\n  - c: 2\n"},
        {"a='null'", "a: null\nb:\n  - c: 1\n  - c: 2\n"},
        {"b.1.c=null", "a: 1\nb:\n  - c: 1\n  - {}\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct document document;
        struct weir_error error;
        assert_true(read_text(&document, "a: 1\nb: [{c: 1}, {c: 2}]\n", &error));
        if (!document_set(&document, "--set", cases[i].assignment, &error))
            fail_msg("%s", ERROR_LINE(&error));
        assert_prints(document.root, cases[i].printed);
        document_free(&document);
    }
}

static void document_set__mistakes(void **state)
{
    static const struct {
        const char *assignment, *message;
    } cases[] = {
        {"a", "--set a: no value (expected key.path=value)"},
        {"=1", "--set =1: an empty name in the path (expected key.path=value)"},
        {"a..b=1", "--set a..b=1: an empty name in the path (expected key.path=value)"},
        {"a.b=1", "--set a.b=1: 'a' is a value and has no key 'b'"},
        {"b.2=1", "--set b.2=1: no item '2' (expected a number below 2, the length of the list)"},
        {"b.x=1", "--set b.x=1: no item 'x' (expected a number below 2, the length of the list)"},
        {"b.-1=1", "--set b.-1=1: no item '-1' (expected a number below 2, the length of the list)"},
        {"b.9999999999=1", "--set b.9999999999=1: no item '9999999999' (expected a number below 2, the length of the "
                           "list)"},
        {"a=", "--set a=: nothing is here (expected a value)"},
        {"c=null", "--set c=null: nothing is there to take away"},
        {"b.0=null", "--set b.0=null: an item of a list stays (expected a key)"},
        {"a=[", "--set a=[: not valid YAML: did not find expected node content"},
        {"a={x: 1, x: 2}", "--set a={x: 1, x: 2}: key 'x' is given twice"},
        {"a=&x 1", "--set a=&x 1: anchors are not possible (expected the value itself)"},
        {"a.b.c.d.e.f.g.h.i.j.k.l.m=1", "--set a.b.c.d.e.f.g.h.i.j.k.l.m=1: 'a' is a value and has no key 'b'"},
        {"z.b.c.d.e.f.g.h.i.j.k.l.m=1",
         "--set z.b.c.d.e.f.g.h.i.j.k.l.m=1: the path is too long (expected at most 12 names)"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct document document;
        struct weir_error error;
        assert_true(read_text(&document, "a: 1\nb: [{c: 1}, {c: 2}]\n", &error));
        assert_false(document_set(&document, "--set", cases[i].assignment, &error));
        assert_string_equal(ERROR_LINE(&error), cases[i].message);
        document_free(&document);
    }
}

/* An item of a list is also called by its tag, or by its kind when it has none. */
static void document_set__items_by_name(void **state)
{
    static const char text[] = "t: [{tag: a, kind: k}, {kind: k, b: 1}, {tag: x}, {tag: x}, {kind: a-b}, 1]\n";
    static const struct {
        const char *assignment;
        uint32_t item;
        const char *message; /* null: the item is changed */
    } cases[] = {
        {"t.a.b=2", 0, NULL},
        {"t.0.b=2", 0, NULL},
        {"t.k.b=2", 1, NULL},
        {"t.a-b.b=2", 4, NULL},
        {"t.x.b=2", 0, "--set t.x.b=2: several items are 'x' (expected a number below 6)"},
        {"t.a-c.b=2", 0, "--set t.a-c.b=2: no item 'a-c' (did you mean 'a-b'?)"},
        {"t.other.b=2", 0, "--set t.other.b=2: no item 'other' (expected a number below 6, the length of the list)"},
        {"t.6.b=2", 0, "--set t.6.b=2: no item '6' (expected a number below 6, the length of the list)"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct document document;
        struct weir_error error;
        assert_true(read_text(&document, text, &error));
        bool good = document_set(&document, "--set", cases[i].assignment, &error);
        assert_int_equal(good, cases[i].message == NULL);
        if (!good)
            assert_string_equal(ERROR_LINE(&error), cases[i].message);
        const struct node *item = document.root->first->first;
        for (uint32_t k = 0; k < cases[i].item; k++)
            item = item->next;
        if (good)
            assert_string_equal(node_find(item, "b")->text, "2");
        document_free(&document);
    }
}

/* A copy needs nothing of the original, and an entry can be taken out anywhere. */
static void node_copy__stands_alone(void **state)
{
    static const char *const keys[] = {"a", "b", "c"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct document document;
        struct weir_error error;
        struct arena arena = {.blocks = NULL};
        assert_true(read_text(&document, "a: 1\nb: {x: [1, {y: z}], w: {}}\nc: 3\n", &error));
        struct node *copy = node_copy(&arena, document.root);
        assert_non_null(copy);
        assert_true(node_equal(copy, document.root));
        document_free(&document);
        assert_string_equal(copy->first->mark.origin, "f");
        assert_int_equal(copy->last->key_mark.line, 3);
        node_remove(copy, "d");
        node_remove(copy, keys[i]);
        assert_int_equal(copy->count, 2);
        assert_null(node_find(copy, keys[i]));
        assert_non_null(node_add_key(copy, "e", node_scalar(&arena, "5")));
        assert_string_equal(copy->last->key, "e");
        assert_null(copy->last->next);
        assert_ptr_equal(copy->first->next->next, copy->last);
        arena_free(&arena);
    }
}

/* Whatever the text, what is printed reads back as the same tree. */
static void node_print__reads_back(void **state)
{
    static const char *const texts[] = {
        "a",    "a b",  " a",   "a ",  "",         "-",        "- a",          "--- ",       "---", "...",  "#x",
        "a #x", "a: b", "a:",   ":",   "?",        "? x",      "[x",           "{x",         "}",   "x, y", "&x",
        "*x",   "!x",   "|",    ">",   "%x",       "@x",       "`x",           "\"",         "'",   "\\",   "a\"b\\c",
        "~",    "null", "true", "1.0", "<script>", "\xc3\xa9", "\xe2\x80\xae", "80% buffer", "=1",  "<<"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct arena arena = {.used = 0};
        struct document again;
        struct weir_error error;
        struct node *root = node_collection(&arena, NODE_MAP), *list = node_collection(&arena, NODE_LIST);
        struct node *item = node_collection(&arena, NODE_MAP);
        assert_non_null(node_add_key(root, "key", node_scalar(&arena, texts[i])));
        assert_non_null(node_add(list, node_scalar(&arena, texts[i])));
        assert_non_null(node_add_key(item, "of", node_scalar(&arena, texts[i])));
        assert_non_null(node_add(list, item));
        assert_non_null(node_add_key(root, "list", list));
        char *text = node_text(root);
        if (!read_text(&again, text, &error))
            fail_msg("'%s': %s", texts[i], ERROR_LINE(&error));
        assert_true(node_equal(root, again.root));
        free(text);
        document_free(&again);
        arena_free(&arena);
    }
}

/* With and without a byte order mark, which is no text. */
static void document_read__byte_order_mark(void **state)
{
    struct document document;
    struct weir_error error;
    (void)state;
    assert_true(read_text(&document,
                          "\xef\xbb\xbf"
                          "a: 1\n",
                          &error));
    assert_string_equal(node_find(document.root, "a")->text, "1");
    assert_int_equal(node_find(document.root, "a")->key_mark.column, 1);
    document_free(&document);
    assert_false(read_text(&document,
                           "a: 1\n\xef\xbb\xbf"
                           "b: 1: 2\n",
                           &error));
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(document_read__marks),           cmocka_unit_test(document_read__mistakes),
        cmocka_unit_test(document_read__byte_order_mark), cmocka_unit_test(document_read__limits),
        cmocka_unit_test(document_set__changes),          cmocka_unit_test(document_set__mistakes),
        cmocka_unit_test(document_set__items_by_name),    cmocka_unit_test(node_copy__stands_alone),
        cmocka_unit_test(node_print__reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
