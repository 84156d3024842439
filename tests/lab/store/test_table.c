/*
 * test_table.c - files of results in memory: values where they belong, runs that are missing, failed or shared,
 * curves, files that contradict themselves, and memory that runs short.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/store/table.h"
#include "tests/support/error_line.h"
#include "tests/support/failing_alloc.h"
#include "tests/support/results_file.h"

#include <sqlite3.h>

static void load(struct table *table, const char *path)
{
    struct weir_error status;
    if (!table_load(table, path, &status))
        fail_msg("%s", ERROR_LINE(&status));
}

static double value_of(const struct table *table, uint32_t run, const char *name)
{
    uint32_t measure = table_find(table, name);
    assert_int_not_equal(measure, UINT32_MAX);
    return table_value(table, run, measure);
}

static void table_load__values_by_run(void **state)
{
    struct results_folder own;
    struct table table;
    (void)state;
    results_folder_make(&own);
    results_write(own.file, RESULTS_SWEEP, UINT32_MAX);
    load(&table, own.file);
    assert_string_equal(table.source, "dir/trial.yaml");
    assert_string_equal(table.version, "0.1");
    assert_string_equal(table.experiment.name, "trial");
    assert_false(table.experiment.quick);
    assert_int_equal(table.experiment.axis_count, 2);
    assert_int_equal(table.finished, 12);
    assert_int_equal(table.measure_count, 23);
    for (uint32_t run = 0; run < 12; run++) {
        assert_true(table.runs[run].finished);
        assert_int_equal(table.runs[run].seed, 3 + run % 2);
        assert_true(table.runs[run].digest == run * 0xfedcba9876543211ull);
        assert_int_equal(table.runs[run].hops, 100 + run);
        assert_int_equal(table.runs[run].memory_bytes, 1000 + run);
        assert_true(table.runs[run].seconds == 0.5 * run);
        assert_string_equal(table.runs[run].version, "0.1-test");
        assert_string_equal(table.runs[run].config, "until: 1ms\n");
        assert_null(table.runs[run].failure);
        assert_true(value_of(&table, run, "a.x") == run);
        assert_true(value_of(&table, run, "b.bytes") == 1000.0 * run);
        assert_true(value_of(&table, run, "more.19") == run + 19 / 7.0);
        assert_true(run % 2 == 0 ? isnan(value_of(&table, run, "only.odd")) : value_of(&table, run, "only.odd") == 0);
    }
    for (uint32_t i = 1; i < table.measure_count; i++)
        assert_true(strcmp(table.measures[i - 1].name, table.measures[i].name) < 0);
    assert_string_equal(table.measures[table_find(&table, "b.bytes")].unit, "B");
    assert_int_equal(table_find(&table, "b.byte"), UINT32_MAX);
    assert_string_equal(table_nearest(&table, "b.byte"), "b.bytes");
    assert_null(table_nearest(&table, "something else"));
    table_free(&table);
    results_folder_remove(&own);
}

static void table_load__missing_and_failed_runs(void **state)
{
    struct results_folder own;
    struct table table;
    struct weir_error status;
    char id[EXPERIMENT_ID_MAX];
    (void)state;
    results_folder_make(&own);
    results_write(own.file, RESULTS_SWEEP, 7);
    struct store *store = results_open(own.file);
    results_id(7, id);
    assert_true(store_add_failure(store, id, "took too long", &status));
    results_close(store);
    load(&table, own.file);
    assert_int_equal(table.finished, 11);
    assert_false(table.runs[7].finished);
    assert_string_equal(table.runs[7].failure, "took too long");
    assert_int_equal(table.runs[7].seed, 4);
    assert_true(isnan(value_of(&table, 7, "a.x")));
    assert_true(value_of(&table, 8, "a.x") == 8);
    table_free(&table);
    results_folder_remove(&own);
}

/* Nothing has been stored of a plan; or not even a plan. */
static void table_load__nothing_yet(void **state)
{
    struct results_folder own;
    struct experiment experiment;
    struct table table;
    struct weir_error status;
    (void)state;
    results_folder_make(&own);
    results_close(results_open(own.file));
    assert_false(table_load(&table, own.file, &status));
    assert_int_equal(status.code, WEIR_ERROR_INPUT);
    assert_non_null(strstr(ERROR_LINE(&status), "has no experiment yet"));
    table_free(&table);
    results_read_experiment(&experiment, RESULTS_BASE, false);
    struct store *store = results_open(own.file);
    assert_true(results_plan(store, &experiment, &status));
    results_close(store);
    load(&table, own.file);
    assert_int_equal(table.finished, 0);
    assert_int_equal(table.measure_count, 0);
    assert_null(table_nearest(&table, "x"));
    assert_int_equal(table_find(&table, "x"), UINT32_MAX);
    table_free(&table);
    experiment_free(&experiment);
    results_folder_remove(&own);
}

static void table_load__quick_size(void **state)
{
    struct results_folder own;
    struct experiment experiment;
    struct table table;
    struct weir_error status;
    (void)state;
    results_read_experiment(&experiment,
                            RESULTS_SWEEP "quick: {seeds: 1, sweep.size: {switch.buffer: [100KB]}}\n"
                                          "figures:\n"
                                          "  - {kind: line, title: T, x: policy, y: 'a.x[size=300KB]'}\n",
                            true);
    results_folder_make(&own);
    struct store *store = results_open(own.file);
    assert_true(results_plan(store, &experiment, &status) && results_add(store, 1, &status));
    results_close(store);
    load(&table, own.file);
    assert_true(table.experiment.quick);
    assert_int_equal(experiment_runs(&table.experiment), 2);
    assert_int_equal(table.finished, 1);
    table_free(&table);
    experiment_free(&experiment);
    results_folder_remove(&own);
}

/* Two points whose effective configuration is the same have one run. */
static void table_load__shared_run(void **state)
{
    struct results_folder own;
    struct experiment experiment;
    struct table table;
    struct weir_error status;
    char ids[12][EXPERIMENT_ID_MAX];
    (void)state;
    results_folder_make(&own);
    results_read_experiment(&experiment, RESULTS_SWEEP, false);
    for (uint32_t run = 0; run < 12; run++)
        results_id(run % 5, ids[run]);
    const struct store_plan plan = {&experiment, "s", "v", (const char(*)[EXPERIMENT_ID_MAX])ids};
    struct store *store = results_open(own.file);
    assert_true(store_plan(store, &plan, &status));
    for (uint32_t run = 0; run < 7; run++) /* 5 and 6 have no place */
        assert_true(results_add(store, run, &status));
    results_close(store);
    load(&table, own.file);
    assert_int_equal(table.finished, 12);
    for (uint32_t run = 0; run < 12; run++)
        assert_true(value_of(&table, run, "a.x") == run % 5);
    table_free(&table);
    experiment_free(&experiment);
    results_folder_remove(&own);
}

/* A file of ours whose rows were changed by hand. */
static void table_load__contradictions(void **state)
{
    static const struct {
        const char *sql, *message;
    } cases[] = {
        {"DELETE FROM place WHERE point=3", "its sweep does not fit its scenario"},
        {"DELETE FROM place WHERE point=5", "its sweep does not fit its scenario"},
        {"INSERT INTO place VALUES(6,3,'x')", "its sweep does not fit its scenario"},
        {"UPDATE place SET seed=seed+10", "its sweep does not fit its scenario"},
        {"DELETE FROM experiment WHERE key='size'", "has no experiment yet"},
        {"UPDATE experiment SET value='a: [' WHERE key='scenario'", "cannot read the scenario in it: dir/trial.yaml:"},
        {"UPDATE experiment SET value='seed: x' WHERE key='scenario'", "(use the version that made it, 0.1)"},
        {"DROP TABLE measure", "is damaged"},
    };
    struct results_folder own;
    struct table table;
    struct weir_error status;
    sqlite3 *db;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        results_folder_make(&own);
        results_write(own.file, RESULTS_SWEEP, UINT32_MAX);
        assert_int_equal(sqlite3_open(own.file, &db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, RESULTS_UNSEAL, NULL, NULL, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, cases[i].sql, NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(db);
        assert_false(table_load(&table, own.file, &status));
        assert_int_equal(status.code, WEIR_ERROR_INPUT);
        if (strstr(ERROR_LINE(&status), cases[i].message) == NULL)
            fail_msg("%s: '%s'", cases[i].sql, ERROR_LINE(&status));
        table_free(&table);
        results_folder_remove(&own);
    }
}

/* Any row that changes, comes or goes without the store is found: at once, or with the curve it belongs to. */
static void table_load__edited_rows(void **state)
{
    static const char *const cases[] = {
        "UPDATE experiment SET value='other.yaml' WHERE key='source'",
        "UPDATE label SET value='Other' WHERE axis='policy' AND point=0",
        "UPDATE place SET run=(SELECT run FROM place WHERE point=1 AND seed=3) WHERE point=0 AND seed=3",
        "UPDATE run SET digest='0' WHERE id=(SELECT min(id) FROM run)",
        "UPDATE run SET code='' WHERE id=(SELECT max(id) FROM run)",
        "UPDATE cost SET version='9' WHERE run=(SELECT max(run) FROM cost)",
        "UPDATE measure SET value=value+1e-9 WHERE name='a.x'",
        "UPDATE measure SET value=0.5 WHERE name='only.odd'",
        "UPDATE measure SET name='a.y' WHERE name='a.x'",
        "UPDATE measure SET unit='B' WHERE name='a.x'",
        "DELETE FROM measure WHERE name='only.odd'",
        "INSERT INTO measure SELECT id,'new','s',1 FROM run",
        "INSERT INTO measure VALUES('ffff','new','s',1)",
        "INSERT INTO failure SELECT min(id),'took too long' FROM run",
        "DELETE FROM run WHERE id=(SELECT min(id) FROM run)",
        "DELETE FROM cost",
        "INSERT INTO run SELECT 'f'||id,seed,config,digest,hops,code FROM run",
        "DELETE FROM seal",
        "DELETE FROM seal WHERE name=''",
        "UPDATE seal SET sum=sum+1 WHERE name<>''",
        "DELETE FROM curve WHERE name='a.cdf'",
        "INSERT INTO curve SELECT run,'new.cdf',x_unit,y_unit,points FROM curve WHERE name='a.cdf'",
        "UPDATE curve SET y_unit='s' WHERE name LIKE 'probe%'",
        "UPDATE curve SET points=zeroblob(800) WHERE name LIKE 'probe%'",
    };
    struct results_folder own;
    struct weir_error status;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct table table;
        struct measure_curve curve = {.points = NULL};
        sqlite3 *db;
        results_folder_make(&own);
        results_write(own.file, RESULTS_SWEEP, UINT32_MAX);
        assert_int_equal(sqlite3_open(own.file, &db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, cases[i], NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(db);
        bool good = table_load(&table, own.file, &status);
        if (good) {
            struct table_curves *curves = table_curves_open(&table, &status);
            assert_non_null(curves);
            good = table_curve(curves, 0, "probe.s0-h0.queue", &curve);
            status = *table_curves_status(curves);
            table_curves_close(curves);
        }
        if (good || strstr(ERROR_LINE(&status), "is damaged: ") == NULL)
            fail_msg("%s: %s", cases[i], good ? "read as if nothing had happened" : ERROR_LINE(&status));
        free(curve.points);
        table_free(&table);
        results_folder_remove(&own);
    }
}

/* A small file whose runs times measures would fill the machine. */
static void table_load__caps_values(void **state)
{
    struct results_folder own;
    struct weir_error status;
    struct table table;
    sqlite3 *db;
    (void)state;
    results_folder_make(&own);
    results_write(own.file, RESULTS_SWEEP, UINT32_MAX);
    assert_int_equal(sqlite3_open(own.file, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     RESULTS_UNSEAL
                     "UPDATE experiment SET value=replace(value,'seeds: 2','seeds: 100000') WHERE key='scenario';"
                     "DELETE FROM place; WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i<599999) "
                     "INSERT INTO place SELECT i/100000,3+i%100000,(SELECT min(id) FROM run) FROM n;"
                     "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i<999) "
                     "INSERT INTO measure SELECT min(id),'m'||i,'s',1 FROM run,n GROUP BY i",
                     NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);
    assert_false(table_load(&table, own.file, &status));
    if (strstr(ERROR_LINE(&status), "more than 268435456 values") == NULL)
        fail_msg("%s", ERROR_LINE(&status));
    table_free(&table);
    results_folder_remove(&own);
}

static void table_curve__points_and_names(void **state)
{
    struct results_folder own;
    struct table table;
    struct weir_error status;
    struct measure_curve curve;
    uint32_t count;
    (void)state;
    results_folder_make(&own);
    results_write(own.file, RESULTS_SWEEP, UINT32_MAX);
    load(&table, own.file);
    struct table_curves *curves = table_curves_open(&table, &status);
    assert_non_null(curves);
    assert_true(table_curve(curves, 4, "probe.s0-h4.queue", &curve));
    assert_int_equal(curve.count, 50);
    assert_string_equal(curve.x_unit, "s");
    assert_string_equal(curve.y_unit, "B");
    for (uint32_t i = 0; i < 50; i++) {
        assert_true(curve.points[2 * i] == i * 1e-6);
        assert_true(i == 7 ? isnan(curve.points[15]) : curve.points[2 * i + 1] == 4 * 0.1 + i);
    }
    free(curve.points);
    assert_true(table_curve(curves, 4, "a.cdf", &curve) && curve.count == 0 && curve.points == NULL);
    assert_true(table_curve(curves, 4, "none", &curve) && curve.count == 0 && curve.points == NULL);
    char **names = table_curve_names(curves, 4, "probe", &count);
    assert_int_equal(count, 1);
    assert_string_equal(names[0], "probe.s0-h4.queue");
    table_curve_names_free(names, count);
    names = table_curve_names(curves, 4, "", &count);
    assert_int_equal(count, 2);
    assert_string_equal(names[0], "a.cdf");
    table_curve_names_free(names, count);
    names = table_curve_names(curves, 4, "b", &count);
    assert_int_equal(count, 0);
    table_curve_names_free(names, count);
    table_curves_close(curves);
    table_free(&table);
    results_folder_remove(&own);
}

/* Writes, reads and asks for curves; false when memory ran short somewhere, with nothing else to say. */
static bool work(const char *path, struct weir_error *status)
{
    struct table table;
    struct measure_curve curve = {.count = 0};
    uint32_t count = 0;
    struct store *store = store_open_to_write(path, status);
    if (store == NULL)
        return false;
    bool good = results_add(store, 3, status);
    struct weir_error closing;
    store_close(store, &closing);
    bool loaded = good && table_load(&table, path, status);
    struct table_curves *curves = loaded ? table_curves_open(&table, status) : NULL;
    char **names = curves != NULL ? table_curve_names(curves, 3, "", &count) : NULL;
    bool read = curves != NULL && table_curve(curves, 3, "probe.s0-h3.queue", &curve);
    if (curves != NULL && (names == NULL || !read))
        status->code = WEIR_ERROR_MEMORY;
    table_curve_names_free(names, count);
    free(curve.points);
    if (curves != NULL)
        table_curves_close(curves);
    if (good)
        table_free(&table);
    return good && names != NULL && read;
}

static void results__memory(void **state)
{
    struct results_folder own;
    bool failed = true;
    (void)state;
    results_folder_make(&own);
    results_write(own.file, RESULTS_SWEEP, UINT32_MAX);
    for (uint64_t n = 1; failed; n++) {
        struct weir_error status = {.code = WEIR_ERROR_NONE};
        failing_alloc_start(n);
        bool good = work(own.file, &status);
        failed = failing_alloc_stop();
        if (good == failed || failing_alloc_held() != 0 || (failed && status.code != WEIR_ERROR_MEMORY))
            fail_msg("allocation %llu: good %d, error %d '%s', held %lld", (unsigned long long)n, good, status.code,
                     ERROR_LINE(&status), (long long)failing_alloc_held());
    }
    results_folder_remove(&own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_load__values_by_run),     cmocka_unit_test(table_load__missing_and_failed_runs),
        cmocka_unit_test(table_load__nothing_yet),       cmocka_unit_test(table_load__quick_size),
        cmocka_unit_test(table_load__shared_run),        cmocka_unit_test(table_load__contradictions),
        cmocka_unit_test(table_load__edited_rows),       cmocka_unit_test(table_load__caps_values),
        cmocka_unit_test(table_curve__points_and_names), cmocka_unit_test(results__memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
