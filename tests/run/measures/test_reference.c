/*
 * test_reference.c - docs/reference/measures.md has the headings and tables of the table of measures, in their order,
 * and no others.
 */
#define _GNU_SOURCE 1
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/measures/names.h"
#include "run/measures/row.h"

/* The next line that is a heading or a row of a table; false: there is none. */
static bool next_line(FILE *file, char **line, size_t *room)
{
    while (getline(line, room, file) >= 0)
        if (strncmp(*line, "## ", 3) == 0 || **line == '|')
            return true;
    return false;
}

static void reference__is_in_the_docs(void **state)
{
    char path[4096], *text = NULL, *made = NULL, *written = NULL;
    size_t size = 0, made_room = 0, written_room = 0;
    const char *root = getenv("WEIR_ROOT");
    (void)state;
    assert_non_null(root);
    snprintf(path, sizeof path, "%s/docs/reference/measures.md", root);
    FILE *docs = fopen(path, "r"), *out = open_memstream(&text, &size);
    assert_true(docs != NULL && out != NULL);
    measures_reference(out);
    fclose(out);
    FILE *reference = fmemopen(text, size, "r");
    assert_non_null(reference);
    for (;;) {
        bool more = next_line(reference, &made, &made_room), docs_more = next_line(docs, &written, &written_room);
        if (more != docs_more || (more && strcmp(made, written) != 0))
            fail_msg("docs/reference/measures.md differs from `weir measures`: has '%s', expected '%s'",
                     docs_more ? written : "", more ? made : "");
        if (!more)
            break;
    }
    fclose(reference);
    fclose(docs);
    free(text);
    free(made);
    free(written);
}

/* What a row must have for the reference and for names to be readable. */
static void rows__are_complete(void **state)
{
    (void)state;
    assert_int_equal(measure_rows[0].kind, MEASURE_SECTION);
    for (uint32_t i = 0; i < measure_row_count; i++) {
        const struct measure_row *row = &measure_rows[i];
        assert_true(row->name != NULL && row->name[0] != '\0');
        if (row->kind == MEASURE_SECTION)
            continue;
        assert_true(row->help != NULL && strchr(row->help, '\n') == NULL && strchr(row->help, '|') == NULL);
        for (uint32_t k = 0; k < i; k++)
            if (row->kind == measure_rows[k].kind && strcmp(row->name, measure_rows[k].name) == 0)
                fail_msg("%s is there twice", row->name);
    }
}

static void pattern__of_kinds(void **state)
{
    static const struct {
        const char *row;
        struct measure_pattern_choice choice;
        const char *pattern; /* null: none */
    } cases[] = {
        {"T.[BIN.]fct", {.curves = false}, "T.fct.STAT"},
        {"T.[BIN.]fct", {.by_size = true}, "T.BIN.fct.STAT"},
        {"T.[BIN.]fct", {.curves = true}, "T.fct.cdf"},
        {"T.[BIN.]fct", {.curves = true, .by_size = true}, NULL},
        {"T.flows_with_timeouts", {.by_size = true}, NULL},
        {"hops", {.curves = false}, "hops"},
        {"hops", {.curves = true}, NULL},
        {"goodput.T", {.curves = true}, "goodput.T"},
        {"goodput.T", {.curves = false}, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char pattern[RUN_MEASURE_NAME_MAX];
        uint32_t row = 0;
        while (strcmp(measure_rows[row].name, cases[i].row) != 0)
            assert_true(++row < measure_row_count);
        assert_int_equal(measure_row_pattern(&measure_rows[row], cases[i].choice, pattern), cases[i].pattern != NULL);
        if (cases[i].pattern != NULL)
            assert_string_equal(pattern, cases[i].pattern);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference__is_in_the_docs),
        cmocka_unit_test(rows__are_complete),
        cmocka_unit_test(pattern__of_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
