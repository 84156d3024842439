/*
 * test_store.c - what is written to a file of results: the same rows in whatever order, one writer at a time,
 * readers beside it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/store/table.h"
#include "tests/support/results_dump.h"
#include "tests/support/results_file.h"
#include "weir/random.h"

static bool has_file(const struct results_folder *own, const char *end)
{
    char name[128];
    snprintf(name, sizeof name, "%s%s", own->file, end);
    return access(name, F_OK) == 0;
}

static int64_t ask(const char *path, const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return number;
}

static void store_close__leaves_one_plain_file(void **state)
{
    struct results_folder own;
    struct weir_error status;
    (void)state;
    results_folder_make(&own);
    struct store *store = results_open(own.file);
    assert_true(results_add(store, 0, &status));
    assert_true(has_file(&own, "-wal"));
    results_close(store);
    assert_true(has_file(&own, ""));
    assert_false(has_file(&own, "-wal") || has_file(&own, "-shm") || has_file(&own, "-journal"));
    assert_int_equal(ask(own.file, "SELECT journal_mode='delete' FROM pragma_journal_mode"), 1);
    assert_int_equal(ask(own.file, "PRAGMA application_id"), 0x77656972);
    assert_int_equal(ask(own.file, "PRAGMA user_version"), 3);
    results_folder_remove(&own);
}

static void store_add_run__rows(void **state)
{
    struct results_folder own;
    struct weir_error status;
    (void)state;
    results_folder_make(&own);
    results_write(own.file, RESULTS_SWEEP, UINT32_MAX);
    struct store *store = results_open(own.file);
    assert_true(results_has(store, 11));
    assert_false(results_has(store, 12));
    assert_true(results_add(store, 11, &status)); /* again: nothing changes */
    results_close(store);
    assert_int_equal(ask(own.file, "SELECT count(*) FROM run"), 12);
    assert_int_equal(ask(own.file, "SELECT count(*) FROM place"), 12);
    assert_int_equal(ask(own.file, "SELECT count(*) FROM label"), 12);
    assert_int_equal(ask(own.file, "SELECT count(*) FROM label WHERE axis='policy' AND value='Pushout'"), 3);
    assert_int_equal(ask(own.file, "SELECT count(*) FROM measure"), 12 * 22 + 6);
    assert_int_equal(ask(own.file, "SELECT count(*) FROM measure WHERE name='nothing'"), 0);
    assert_int_equal(ask(own.file, "SELECT count(*) FROM curve"), 24);
    assert_int_equal(ask(own.file, "SELECT length(points) FROM curve WHERE name LIKE 'probe%'"), 800);
    assert_int_equal(ask(own.file, "SELECT length(value)>100 FROM experiment WHERE key='scenario'"), 1);
    results_folder_remove(&own);
}

/* 1.0 is 3ff0000000000000; read from its last byte on. */
static void store_add_run__little_endian_points(void **state)
{
    struct results_folder own;
    struct weir_error status;
    struct measures measures = {.failed = false};
    (void)state;
    results_folder_make(&own);
    struct store *store = results_open(own.file);
    measures_add_curve(&measures, "s", "B", "c");
    measures_add_point(&measures, 1.0, -NAN);
    measures_add_point(&measures, -0.0, -2.5);
    const struct store_run run = {"0123456789abcdef", 1, "", &measures, 0, 0, "v", "c"};
    assert_true(store_add_run(store, &run, &status));
    measures_free(&measures);
    results_close(store);
    assert_int_equal(ask(own.file, "SELECT hex(points)='000000000000F03F000000000000F87F"
                                   "000000000000000000000000000004C0' FROM curve"),
                     1);
    results_folder_remove(&own);
}

/* A curve that cannot be stored, as one without a unit: nothing of its run is. */
static void store_add_run__whole_or_not_at_all(void **state)
{
    struct results_folder own;
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    struct measures measures = {.failed = false};
    (void)state;
    results_folder_make(&own);
    struct store *store = results_open(own.file);
    measures_add_curve(&measures, "s", "B", "c");
    measures_add_point(&measures, 1, 2);
    measures.curves[0].y_unit = NULL;
    const struct store_run run = {"0123456789abcdef", 1, "", &measures, 0, 0, "v", "c"};
    assert_false(store_add_run(store, &run, &status));
    assert_int_not_equal(status.code, WEIR_ERROR_NONE);
    measures_free(&measures);
    results_close(store);
    assert_int_equal(ask(own.file, "SELECT count(*) FROM run"), 0);
    results_folder_remove(&own);
}

static void write_in_order(const char *path, const struct experiment *experiment, uint64_t order)
{
    struct weir_error status;
    struct store *store = results_open(path);
    uint32_t count = experiment_runs(experiment), runs[16];
    for (uint32_t i = 0; i < count; i++)
        runs[i] = i;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = (uint32_t)(weir_hash(order, i) % count), kept = runs[i];
        runs[i] = runs[other];
        runs[other] = kept;
    }
    assert_true(results_plan(store, experiment, &status));
    for (uint32_t i = 0; i < count; i++) {
        char id[EXPERIMENT_ID_MAX];
        results_id(runs[i], id);
        if (weir_hash(order, 100 + i) % 3 == 0)
            assert_true(store_add_failure(store, id, "took too long", &status));
        assert_true(results_add(store, runs[i], &status));
        if (weir_hash(order, 200 + i) % 4 == 0) {
            results_close(store);
            store = results_open(path);
        }
    }
    results_close(store);
}

static void store__rows_do_not_depend_on_order(void **state)
{
    struct results_folder own;
    struct experiment experiment;
    char *expected = NULL;
    (void)state;
    results_read_experiment(&experiment, RESULTS_SWEEP, false);
    for (uint64_t order = 0; order < 6; order++) {
        results_folder_make(&own);
        write_in_order(own.file, &experiment, order);
        char *dump = results_dump(own.file);
        results_folder_remove(&own);
        if (expected == NULL)
            expected = dump;
        else if (strcmp(dump, expected) != 0)
            fail_msg("order %llu gives other rows", (unsigned long long)order);
        if (expected != dump)
            free(dump);
    }
    free(expected);
    experiment_free(&experiment);
}

static void store_plan__replaces_the_sweep_and_keeps_runs(void **state)
{
    struct results_folder own;
    struct experiment experiment;
    struct weir_error status;
    (void)state;
    results_folder_make(&own);
    results_write(own.file, RESULTS_SWEEP, UINT32_MAX);
    results_read_experiment(&experiment, RESULTS_BASE, false);
    struct store *store = results_open(own.file);
    assert_true(results_plan(store, &experiment, &status));
    results_close(store);
    assert_int_equal(ask(own.file, "SELECT count(*) FROM place"), 2);
    assert_int_equal(ask(own.file, "SELECT count(*) FROM label"), 0);
    assert_int_equal(ask(own.file, "SELECT count(*) FROM run"), 12);
    results_folder_remove(&own);
    experiment_free(&experiment);
}

static void store_forget_runs__those_and_no_others(void **state)
{
    struct results_folder own;
    struct weir_error status;
    char first[EXPERIMENT_ID_MAX], second[EXPERIMENT_ID_MAX];
    const char *const ids[] = {first, second};
    (void)state;
    results_folder_make(&own);
    results_write(own.file, RESULTS_SWEEP, UINT32_MAX);
    results_id(3, first);
    results_id(7, second);
    struct store *store = results_open(own.file);
    assert_true(store_forget_runs(store, ids, 2, &status));
    assert_false(results_has(store, 3) || results_has(store, 7));
    results_close(store);
    assert_int_equal(ask(own.file, "SELECT count(*) FROM place"), 12);
    assert_int_equal(ask(own.file, "SELECT count(*) FROM run"), 10);
    assert_int_equal(ask(own.file, "SELECT count(DISTINCT run) FROM measure"), 10);
    assert_int_equal(ask(own.file, "SELECT count(DISTINCT run) FROM curve"), 10);
    assert_int_equal(ask(own.file, "SELECT count(*) FROM cost"), 10);
    results_folder_remove(&own);
}

static void run_sql(const char *path, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* Nothing that weir did not define is read, run or written to. */
static void store_open__definitions_of_others(void **state)
{
    static const char *const cases[] = {
        "CREATE VIEW v AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r) SELECT n FROM r",
        "CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM measure; END",
        ("ALTER TABLE measure RENAME TO m; CREATE VIEW measure AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT "
         "n+1 FROM r) SELECT run,name||n AS name,unit,value FROM m,r"),
        "CREATE TABLE mine(a)",
        "CREATE INDEX i ON measure(value)",
        "CREATE VIRTUAL TABLE f USING fts5(a)",
        "ALTER TABLE run ADD COLUMN more TEXT",
        "PRAGMA user_version=2",
    };
    struct results_folder own;
    struct weir_error status;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        results_folder_make(&own);
        results_write(own.file, RESULTS_SWEEP, UINT32_MAX);
        run_sql(own.file, cases[i]);
        for (uint32_t writes = 0; writes < 2; writes++) {
            assert_null(writes ? store_open_to_write(own.file, &status) : store_open_to_read(own.file, &status));
            assert_int_equal(status.code, WEIR_ERROR_INPUT);
            if (strstr(ERROR_LINE(&status), "which weir did not make") == NULL)
                fail_msg("%s: %s", cases[i], ERROR_LINE(&status));
        }
        results_folder_remove(&own);
    }
}

/* A file from before runs knew their code is read as it is, and a writer brings it up to date. */
static void store_open__layout_without_code(void **state)
{
    struct results_folder own;
    struct weir_error status;
    struct table table;
    char id[EXPERIMENT_ID_MAX], *code;
    (void)state;
    results_folder_make(&own);
    results_write(own.file, RESULTS_SWEEP, UINT32_MAX);
    run_sql(own.file, RESULTS_UNSEAL "ALTER TABLE run DROP COLUMN code; PRAGMA user_version=1");
    assert_true(table_load(&table, own.file, &status));
    assert_int_equal(table.finished, 12);
    assert_string_equal(table.runs[5].code, "");
    table_free(&table);
    assert_int_equal(ask(own.file, "PRAGMA user_version"), 1);
    struct store *store = results_open(own.file);
    results_id(5, id);
    assert_true(store_find_run(store, id, &code, &status));
    assert_string_equal(code, "");
    free(code);
    assert_true(results_add(store, 5, &status));
    results_close(store);
    assert_int_equal(ask(own.file, "PRAGMA user_version"), 3);
    assert_int_equal(ask(own.file, "SELECT count(*) FROM run WHERE code=''"), 11);
    assert_true(table_load(&table, own.file, &status)); /* what it sealed fits */
    table_free(&table);
    results_folder_remove(&own);
}

static void store_add_failure__until_it_finishes(void **state)
{
    struct results_folder own;
    struct weir_error status;
    char id[EXPERIMENT_ID_MAX];
    (void)state;
    results_folder_make(&own);
    struct store *store = results_open(own.file);
    results_id(4, id);
    assert_true(store_add_failure(store, id, "took too long", &status));
    assert_true(store_add_failure(store, id, "ran out of memory", &status));
    assert_false(results_has(store, 4));
    results_close(store);
    assert_int_equal(ask(own.file, "SELECT count(*) FROM failure WHERE what='ran out of memory'"), 1);
    store = results_open(own.file);
    assert_true(results_add(store, 4, &status));
    results_close(store);
    assert_int_equal(ask(own.file, "SELECT count(*) FROM failure"), 0);
    store = results_open(own.file);
    assert_true(store_add_failure(store, id, "took too long", &status)); /* the old result does not stand for it */
    assert_false(results_has(store, 4));
    results_close(store);
    assert_int_equal(ask(own.file, "SELECT count(*) FROM measure"), 0);
    results_folder_remove(&own);
}

/* Names that mean something to SQLite or in a URI are names. */
static void store_open__any_name(void **state)
{
    static const char *const names[] = {"a b", "x?mode=memory", "50%25#1", ":memory:", "file:x", "\xc3\xa4", "'q'"};
    struct results_folder own;
    struct weir_error status;
    char before[512];
    (void)state;
    assert_non_null(getcwd(before, sizeof before));
    results_folder_make(&own);
    assert_int_equal(chdir(own.folder), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char whole[256];
        snprintf(whole, sizeof whole, "%s/%s", own.folder, names[i]);
        results_close(results_open(names[i]));
        results_close(results_open(whole));
        struct store *store = store_open_to_read(names[i], &status);
        assert_non_null(store);
        results_close(store);
        assert_int_equal(unlink(whole), 0);
    }
    assert_int_equal(chdir(before), 0);
    results_folder_remove(&own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(store_close__leaves_one_plain_file),
        cmocka_unit_test(store_add_run__rows),
        cmocka_unit_test(store_add_run__little_endian_points),
        cmocka_unit_test(store_add_run__whole_or_not_at_all),
        cmocka_unit_test(store__rows_do_not_depend_on_order),
        cmocka_unit_test(store_plan__replaces_the_sweep_and_keeps_runs),
        cmocka_unit_test(store_forget_runs__those_and_no_others),
        cmocka_unit_test(store_open__definitions_of_others),
        cmocka_unit_test(store_open__layout_without_code),
        cmocka_unit_test(store_add_failure__until_it_finishes),
        cmocka_unit_test(store_open__any_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
