/*
 * test_record.c - what is kept of figures: with the version and the code of its runs, and no number that nobody could
 * make again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/cli.h"
#include "lab/papers/record.h"
#include "tests/support/capture.h"
#include "tests/support/results_file.h"

static struct papers_record record;
static struct table table;
static const char *version;

static int put(void)
{
    static const struct judgement none;
    return papers_record_put(&record, "trial/fig1", &table, &none, version);
}

/* Nothing is put down, and a message says why. */
static void expect_refused(const char *why)
{
    struct capture err;
    capture_start(&err, stderr);
    int code = put();
    const char *text = capture_stop(&err);
    assert_int_equal(code, CLI_INPUT);
    if (strstr(text, why) == NULL)
        fail_msg("'%s' (expected '%s')", text, why);
    assert_int_equal(json_object_size(json_object_get(record.root, "figures")), 0);
}

static void papers_record_put__only_what_can_be_made_again(void **state)
{
    struct results_folder own;
    struct weir_error status;
    (void)state;
    results_folder_make(&own);
    results_write(own.file, RESULTS_SWEEP, UINT32_MAX);
    assert_true(table_load(&table, own.file, &status));
    record.root = json_pack("{s:{}}", "figures");

    version = "0.1.0+0123456789-dirty";
    expect_refused("this is weir 0.1.0+0123456789-dirty, built from a tree with changes");

    version = "0.1.0+0123456789";
    const char *kept = table.runs[7].code;
    table.runs[7].code = "weir=0123456789abcdef dt=00";
    expect_refused("made by different code");

    table.runs[7].code = kept;
    table.runs[8].code = "weir=0123456789abcdef lqd=7700000000000000";
    assert_int_equal(put(), CLI_OK);
    const json_t *entry = json_object_get(json_object_get(record.root, "figures"), "trial/fig1");
    assert_string_equal(json_string_value(json_object_get(entry, "version")), version);
    assert_string_equal(json_string_value(json_object_get(entry, "code")), RESULTS_CODE " lqd=7700000000000000");
    papers_record_free(&record);
    table_free(&table);
    results_folder_remove(&own);
}

static void papers_record_load__beside_its_page(void **state)
{
    static const struct {
        const char *text; /* null: there is no file */
        int code;
        const char *message;
    } cases[] = {
        {NULL, CLI_OK, ""},
        {"{\"figures\": {\"a\": {}}}", CLI_OK, ""},
        {"{\"figures\": 1}", CLI_INPUT, "is not a record of results"},
        {"{", CLI_INPUT, "results.json:1:1: "},
    };
    struct results_folder own;
    char page[128], *path = NULL;
    (void)state;
    results_folder_make(&own);
    snprintf(page, sizeof page, "%s.md", own.file);
    assert_int_equal(papers_beside(&path, page, "results.json"), CLI_OK);
    assert_int_equal(strrchr(path, '/') - path, strrchr(page, '/') - page);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct capture err;
        FILE *file = cases[i].text != NULL ? fopen(path, "w") : NULL;
        if (file != NULL)
            assert_true(fputs(cases[i].text, file) >= 0 && fclose(file) == 0);
        capture_start(&err, stderr);
        int code = papers_record_load(&record, page);
        const char *text = capture_stop(&err);
        assert_int_equal(code, cases[i].code);
        assert_non_null(strstr(text, cases[i].message));
        if (code == CLI_OK)
            assert_int_equal(json_object_size(json_object_get(record.root, "figures")), i);
        assert_string_equal(record.path, path);
        papers_record_free(&record);
    }
    assert_int_equal(remove(path), 0);
    free(path);
    assert_int_equal(papers_beside(&path, "page.md", "a"), CLI_OK);
    assert_string_equal(path, "a");
    free(path);
    results_folder_remove(&own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(papers_record_put__only_what_can_be_made_again),
        cmocka_unit_test(papers_record_load__beside_its_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
