/*
 * test_code.c - which code made a run: the text, what differs between two of them, and what is told of a file with runs
 * of different code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/store/code.h"
#include "tests/support/results_file.h"

static void code_add__each_part_once(void **state)
{
    char text[CODE_MAX] = "", name[70];
    (void)state;
    assert_true(code_add(text, "weir", "01"));
    assert_true(code_add(text, "dt", "02"));
    assert_true(code_add(text, "edt", "03"));
    assert_true(code_add(text, "dt", "02"));
    assert_string_equal(text, "weir=01 dt=02 edt=03");
    for (uint32_t i = 0; strlen(text) + 75 < CODE_MAX; i++) {
        snprintf(name, sizeof name, "%060u", i);
        assert_true(code_add(text, name, "0123456789abcdef"));
    }
    char before[CODE_MAX];
    memcpy(before, text, sizeof before);
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_false(code_add(text, name, "0123456789abcdef"));
    assert_string_equal(text, before);
}

static void code_compare__names_the_part(void **state)
{
    static const struct {
        const char *made, *now;
        enum code_change change;
        const char *name;
    } cases[] = {
        {"weir=1 dt=2", "weir=1 dt=2", CODE_SAME, ""},
        {"", "weir=1 dt=2", CODE_UNKNOWN, ""},
        {"weir=1 dt=2", "weir=3 dt=2", CODE_CHANGED, "weir"},
        {"weir=1 dt=2", "weir=1 dt=3", CODE_CHANGED, "dt"},
        {"weir=1 dt=2", "weir=1 dt=22", CODE_CHANGED, "dt"},
        {"weir=1 dt=2 sih=4", "weir=1 dt=2 sih=5", CODE_CHANGED, "sih"},
        {"weir=1 dt=2", "weir=1 dt=2 sih=4", CODE_CHANGED, "sih"},
        {"weir=1 dt=2 sih=4", "weir=1 dt=2", CODE_CHANGED, "sih"},
        {"weir=1 dt=2", "testbed=1 dt=2", CODE_CHANGED, "testbed"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char name[CODE_NAME_MAX];
        assert_int_equal(code_compare(cases[i].made, cases[i].now, name), cases[i].change);
        assert_string_equal(name, cases[i].name);
    }
}

/* Six runs of each policy, as the codes of a sweep are. */
static void load(struct table *table, const char *path)
{
    struct weir_error status;
    assert_true(table_load(table, path, &status));
    for (uint32_t run = 0; run < 12; run++)
        table->runs[run].code = run < 6 ? "weir=1 dt=2" : "weir=1 lqd=3";
}

static void expect_lines(const struct table *table, const char *heading, const char *const *lines)
{
    struct code_mix mix;
    uint32_t count = 0;
    assert_true(code_mix_find(&mix, table));
    if (heading != NULL && (mix.heading == NULL || strstr(mix.heading, heading) == NULL))
        fail_msg("heading '%s' (expected '%s')", mix.heading != NULL ? mix.heading : "", heading);
    for (; lines[count] != NULL && count < mix.count; count++)
        assert_string_equal(mix.lines[count], lines[count]);
    assert_null(lines[count]);
    assert_int_equal(mix.count, count);
    assert_int_equal(mix.heading != NULL, count > 0);
    code_mix_free(&mix);
}

static void code_mix__names_parts_and_places(void **state)
{
    struct results_folder own;
    struct table table;
    (void)state;
    results_folder_make(&own);
    results_write(own.file, RESULTS_SWEEP, UINT32_MAX);
    load(&table, own.file);
    expect_lines(&table, NULL, (const char *const[]){NULL}); /* each policy has its own code, and that is no mix */

    table.runs[4].code = table.runs[5].code = "weir=1 dt=22"; /* 200KB, both seeds */
    expect_lines(&table, "different code",
                 (const char *const[]){"policy dt 2 (weir 0.1-test): 4 runs: policy=DT, size=100KB,300KB",
                                       "policy dt 22 (weir 0.1-test): 2 runs: policy=DT, size=200KB", NULL});

    table.runs[4].finished = table.runs[5].finished = false; /* what is not there is no mix */
    expect_lines(&table, NULL, (const char *const[]){NULL});
    table_free(&table);

    load(&table, own.file);
    for (uint32_t run = 1; run < 12; run += 2)
        table.runs[run].code = run < 6 ? "weir=9 dt=2" : "weir=9 lqd=3";
    expect_lines(&table, "different code",
                 (const char *const[]){"weir 1 (weir 0.1-test): 6 runs: seed=3",
                                       "weir 9 (weir 0.1-test): 6 runs: seed=4", NULL});
    table_free(&table);

    load(&table, own.file);
    table.runs[0].code = "testbed=5 dt=2"; /* real packets beside simulated ones are meant to be compared */
    expect_lines(&table, NULL, (const char *const[]){NULL});
    table.runs[11].code = "";
    expect_lines(
        &table, "different code",
        (const char *const[]){"unknown code (weir 0.1-test): 1 run: policy=Pushout, size=200KB, seed=4", NULL});
    for (uint32_t run = 0; run < 12; run++)
        table.runs[run].code = "";
    expect_lines(&table, "do not say", (const char *const[]){"unknown code (weir 0.1-test): 12 runs", NULL});
    table_free(&table);
    results_folder_remove(&own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_add__each_part_once),
        cmocka_unit_test(code_compare__names_the_part),
        cmocka_unit_test(code_mix__names_parts_and_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
