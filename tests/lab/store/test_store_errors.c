/*
 * test_store_errors.c - files that are not ours, damaged ones, places where nothing can be written, full disks
 * and second writers: each gives a message that says what to do, and nothing is touched that is not ours.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "lab/store/table.h"
#include "tests/support/error_line.h"
#include "tests/support/results_file.h"
#include "weir/random.h"

#include <sqlite3.h>

static size_t file_read(const char *path, unsigned char *bytes, size_t room)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    size_t size = fread(bytes, 1, room, in);
    fclose(in);
    return size;
}

static void file_write(const char *path, const void *bytes, size_t size)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

static void file_make_sql(const char *path, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void assert_refused(const struct weir_error *status, enum weir_error_code code, const char *message)
{
    if (status->code != code || strstr(ERROR_LINE(status), message) == NULL)
        fail_msg("error %d, '%s' (expected %d, '%s')", status->code, ERROR_LINE(status), code, message);
}

/* Neither opened to write nor to read; the same bytes afterwards, and nothing beside them. */
static void assert_untouched(const struct results_folder *own, const char *message)
{
    static unsigned char before[65536], after[65536];
    struct weir_error status;
    struct table table;
    size_t size = file_read(own->file, before, sizeof before);
    assert_null(store_open_to_write(own->file, &status));
    assert_refused(&status, WEIR_ERROR_INPUT, message);
    assert_null(store_open_to_read(own->file, &status));
    assert_refused(&status, WEIR_ERROR_INPUT, message);
    assert_false(table_load(&table, own->file, &status));
    assert_refused(&status, WEIR_ERROR_INPUT, message);
    table_free(&table);
    assert_int_equal(file_read(own->file, after, sizeof after), size);
    assert_memory_equal(before, after, size);
    unlink(own->file);
    results_folder_remove(own);
}

static void store_open__foreign(void **state)
{
    struct results_folder own;
    unsigned char noise[9000];
    (void)state;
    for (uint32_t i = 0; i < sizeof noise; i++)
        noise[i] = (unsigned char)weir_hash(5, i);
    static const size_t sizes[] = {1, 15, 16, 99, 100, 4096, sizeof noise};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        results_folder_make(&own);
        file_write(own.file, noise, sizes[i]);
        assert_untouched(&own, "r.db: is not a file of weir's results");
    }
    results_folder_make(&own);
    file_make_sql(own.file, "CREATE TABLE t(a); INSERT INTO t VALUES(1)");
    assert_untouched(&own, "is not a file of weir's results");
    results_folder_make(&own);
    file_make_sql(own.file, "PRAGMA journal_mode=WAL; CREATE TABLE t(a)");
    assert_untouched(&own, "is not a file of weir's results");
    results_folder_make(&own);
    file_make_sql(own.file, "PRAGMA application_id=0x77656972; PRAGMA user_version=4; CREATE TABLE t(a)");
    assert_untouched(&own, "was made by another version of weir (its tables have layout 4, this version has 3");
}

/* A table that is gone is not a run that is missing: it would be made again, for hours, and could not be stored. */
static void store_find_run__tells_of_errors(void **state)
{
    struct results_folder own;
    struct weir_error status;
    char *code, id[EXPERIMENT_ID_MAX];
    (void)state;
    results_folder_make(&own);
    results_write(own.file, RESULTS_SWEEP, UINT32_MAX);
    struct store *store = results_open(own.file);
    results_id(0, id);
    assert_true(store_find_run(store, id, &code, &status));
    assert_string_equal(code, RESULTS_CODE);
    free(code);
    file_make_sql(own.file, "DROP TABLE run");
    assert_false(store_find_run(store, id, &code, &status));
    assert_null(code);
    assert_refused(&status, WEIR_ERROR_INPUT, "r.db: is damaged");
    results_close(store);
    results_folder_remove(&own);
}

static void store_open__empty_counts_as_new(void **state)
{
    struct results_folder own;
    struct weir_error status;
    (void)state;
    results_folder_make(&own);
    file_write(own.file, "", 0);
    assert_null(store_open_to_read(own.file, &status));
    assert_refused(&status, WEIR_ERROR_INPUT, "is empty");
    results_close(results_open(own.file));
    results_folder_remove(&own);
}

/* Whatever is read or written of a damaged file: a message or a result, never a crash, and damage is called so. */
static void try_damaged(const char *path, uint64_t seed, uint32_t *refused)
{
    struct weir_error status;
    struct table table;
    bool good = table_load(&table, path, &status);
    *refused += !good;
    if (!good && (status.code != WEIR_ERROR_INPUT || status.text[0] == '\0'))
        fail_msg("seed %llu: error %d '%s'", (unsigned long long)seed, status.code, ERROR_LINE(&status));
    table_free(&table);
    struct store *store = store_open_to_write(path, &status);
    good = store != NULL;
    for (uint32_t run = 0; run < 12 && good; run++)
        good = results_add(store, run, &status);
    if (!good && (status.code != WEIR_ERROR_INPUT || status.text[0] == '\0'))
        fail_msg("seed %llu: error %d '%s' when writing", (unsigned long long)seed, status.code, ERROR_LINE(&status));
    if (store != NULL)
        store_close(store, &status);
}

static void store_open__damaged(void **state)
{
    static unsigned char whole[1 << 18], bytes[1 << 18];
    struct results_folder own;
    uint32_t refused = 0;
    (void)state;
    results_folder_make(&own);
    results_write(own.file, RESULTS_SWEEP, UINT32_MAX);
    size_t size = file_read(own.file, whole, sizeof whole);
    assert_true(size > 16384 && size < sizeof whole);
    for (uint64_t seed = 0; seed < 60; seed++) {
        size_t length = seed % 3 == 0 ? 100 + weir_hash(seed, 0) % (size - 100) : size;
        memcpy(bytes, whole, size);
        for (uint32_t i = 1; i < 40 && seed % 3 == 1; i++)
            bytes[100 + weir_hash(seed, i) % (size - 100)] = (unsigned char)weir_hash(seed, 1000 + i);
        if (seed % 3 == 2) /* a page of zeros */
            memset(bytes + 4096 * (1 + weir_hash(seed, 1) % (size / 4096 - 1)), 0, 4096);
        file_write(own.file, bytes, length);
        try_damaged(own.file, seed, &refused);
    }
    assert_true(refused > 20);
    results_folder_remove(&own);
}

/* The measures of all runs: equal for equal files. */
static uint64_t table_hash(const struct table *table)
{
    uint64_t hash = weir_hash(table->measure_count, table->finished);
    for (size_t i = 0; i < (size_t)experiment_runs(&table->experiment) * table->measure_count; i++) {
        uint64_t bits;
        memcpy(&bits, &table->values[i], sizeof bits);
        hash = weir_hash(hash, bits);
    }
    for (uint32_t run = 0; run < experiment_runs(&table->experiment); run++) {
        const char *const texts[] = {table->runs[run].id, table->runs[run].config, table->runs[run].code,
                                     table->runs[run].version};
        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
            for (const char *c = texts[i]; *c != '\0'; c++)
                hash = weir_hash(hash, (unsigned char)*c);
        hash = weir_hash(weir_hash(hash, table->runs[run].digest), table->runs[run].hops);
    }
    return hash;
}

/* One wrong byte anywhere: the file is refused, or nothing that is read of it differs. */
static void table_load__one_wrong_byte(void **state)
{
    static unsigned char whole[1 << 18];
    struct results_folder own;
    struct weir_error status;
    struct table table;
    uint32_t refused = 0;
    (void)state;
    results_folder_make(&own);
    results_write(own.file, RESULTS_SWEEP, UINT32_MAX);
    size_t size = file_read(own.file, whole, sizeof whole);
    assert_true(table_load(&table, own.file, &status));
    uint64_t right = table_hash(&table);
    table_free(&table);
    for (uint64_t round = 0; round < 1500; round++) {
        size_t at = weir_hash(7, round) % size;
        unsigned char kept = whole[at];
        whole[at] ^= (unsigned char)(1u << weir_hash(8, round) % 8);
        file_write(own.file, whole, size);
        whole[at] = kept;
        bool good = table_load(&table, own.file, &status);
        if (good && table_hash(&table) != right)
            fail_msg("byte %zu: a wrong result is read", at);
        refused += !good;
        table_free(&table);
    }
    assert_true(refused > 300);
    results_folder_remove(&own);
}

static void store_open__no_such_place(void **state)
{
    static const struct {
        const char *path, *to_write, *to_read;
    } cases[] = {
        {"/none-such/x.db", "the folder does not exist (create it first)", "no such file"},
        {"", "the folder does not exist", "no such file"},
        {"/tmp", "is a folder (expected a file)", "is a folder (expected a file)"},
        {"/dev/null", "is not a plain file", "is not a plain file"},
        {"/dev/null/x.db", "Not a directory", "Not a directory"},
    };
    struct weir_error status;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_null(store_open_to_write(cases[i].path, &status));
        assert_refused(&status, WEIR_ERROR_WRITE, cases[i].to_write);
        assert_null(store_open_to_read(cases[i].path, &status));
        assert_refused(&status, WEIR_ERROR_INPUT, cases[i].to_read);
    }
}

typedef void child_function(const struct results_folder *own);

/* In its own process, since what it gives up cannot be taken back. */
static void run_child(child_function *child, const struct results_folder *own)
{
    int outcome;
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (getuid() == 0 && setuid(65534) != 0)
            _exit(3);
        child(own);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &outcome, 0), pid);
    if (outcome != 0)
        fail_msg("the child ends with %x", (unsigned)outcome);
}

/* In a child: cmocka's own way to fail would go on with the tests of the parent. */
static void expect(bool good, const struct weir_error *status, int line)
{
    if (good)
        return;
    fprintf(stderr, "line %d: error %d '%s'\n", line, status->code, ERROR_LINE(status));
    _exit(1);
}

static void child_read_only(const struct results_folder *own)
{
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    struct table table;
    char beside[128];
    expect(store_open_to_write(own->file, &status) == NULL && status.code == WEIR_ERROR_WRITE, &status, __LINE__);
    expect(strstr(ERROR_LINE(&status), "cannot be written: Permission denied (choose another file") != NULL, &status,
           __LINE__);
    expect(table_load(&table, own->file, &status) && table.finished == 12, &status, __LINE__);
    table_free(&table);
    snprintf(beside, sizeof beside, "%s/new.db", own->folder);
    expect(store_open_to_write(beside, &status) == NULL && status.code == WEIR_ERROR_WRITE, &status, __LINE__);
}

static void child_writable_file_only(const struct results_folder *own)
{
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    expect(store_open_to_write(own->file, &status) == NULL && status.code == WEIR_ERROR_WRITE, &status, __LINE__);
    expect(strstr(ERROR_LINE(&status), "its folder must be writable too") != NULL, &status, __LINE__);
}

static void child_secret(const struct results_folder *own)
{
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    expect(store_open_to_read(own->file, &status) == NULL && status.code == WEIR_ERROR_INPUT, &status, __LINE__);
    expect(strstr(ERROR_LINE(&status), "cannot be read: Permission denied") != NULL, &status, __LINE__);
}

static void store_open__permissions(void **state)
{
    struct results_folder own;
    (void)state;
    results_folder_make(&own);
    results_write(own.file, RESULTS_SWEEP, UINT32_MAX);
    assert_int_equal(chmod(own.file, 0444), 0);
    assert_int_equal(chmod(own.folder, 0555), 0);
    run_child(child_read_only, &own);
    /* Left in WAL mode, as a file is that was copied while it was written. */
    assert_int_equal(chmod(own.file, 0644), 0);
    assert_int_equal(chmod(own.folder, 0755), 0);
    file_make_sql(own.file, "PRAGMA journal_mode=WAL");
    assert_int_equal(chmod(own.file, 0444), 0);
    assert_int_equal(chmod(own.folder, 0555), 0);
    run_child(child_read_only, &own);
    assert_int_equal(chmod(own.file, 0666), 0);
    run_child(child_writable_file_only, &own);
    assert_int_equal(chmod(own.file, 0000), 0);
    run_child(child_secret, &own);
    assert_int_equal(chmod(own.folder, 0755), 0);
    results_folder_remove(&own);
}

static void child_left_behind(const struct results_folder *own)
{
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    struct table table;
    expect(!table_load(&table, own->file, &status) && status.code == WEIR_ERROR_INPUT, &status, __LINE__);
    expect(strstr(ERROR_LINE(&status), "-wal can only be read where the folder is writable (copy both") != NULL,
           &status, __LINE__);
    table_free(&table);
}

/* A writer that ended without closing: what it wrote is in the WAL, which cannot be read in a read-only folder. */
static void table_load__wal_in_read_only_folder(void **state)
{
    struct results_folder own;
    char index[128];
    (void)state;
    results_folder_make(&own);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct weir_error status;
        _exit(results_add(results_open(own.file), 0, &status) ? 0 : 1);
    }
    int outcome;
    assert_int_equal(waitpid(pid, &outcome, 0), pid);
    assert_int_equal(outcome, 0);
    snprintf(index, sizeof index, "%s-shm", own.file);
    assert_int_equal(unlink(index), 0);
    assert_int_equal(chmod(own.folder, 0555), 0);
    run_child(child_left_behind, &own);
    assert_int_equal(chmod(own.folder, 0755), 0);
    results_folder_remove(&own);
}

static void limit_files(rlim_t bytes)
{
    const struct rlimit limit = {bytes, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        _exit(4);
}

/* A limit on the size of files acts as a full disk does. */
static void child_full_at_once(const struct results_folder *own)
{
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    limit_files(1000);
    expect(store_open_to_write(own->file, &status) == NULL && status.code == WEIR_ERROR_WRITE, &status, __LINE__);
    expect(strstr(ERROR_LINE(&status), "the disk is full (make room") != NULL, &status, __LINE__);
    expect(access(own->file, F_OK) != 0, &status, __LINE__);
}

static void child_full_later(const struct results_folder *own)
{
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    uint32_t added = 0;
    struct store *store = results_open(own->file);
    limit_files(300000);
    while (added < 1000 && results_add(store, added, &status))
        added++;
    expect(added > 3 && added < 1000 && status.code == WEIR_ERROR_WRITE, &status, __LINE__);
    expect(strstr(ERROR_LINE(&status), "the disk is full (make room") != NULL, &status, __LINE__);
    limit_files(RLIM_INFINITY);
    expect(results_add(store, added, &status), &status, __LINE__); /* there is room again */
    expect(store_close(store, &status), &status, __LINE__);
    store = results_open(own->file);
    for (uint32_t run = 0; run < added + 2; run++)
        expect(results_has(store, run) == (run <= added), &status, __LINE__);
    expect(store_close(store, &status), &status, __LINE__);
}

static void store__full(void **state)
{
    struct results_folder own;
    (void)state;
    results_folder_make(&own);
    assert_int_equal(chmod(own.folder, 0777), 0);
    run_child(child_full_at_once, &own);
    run_child(child_full_later, &own);
    results_folder_remove(&own);
}

/* The second of two writers is told; a reader sees what is committed. */
static void child_second(const struct results_folder *own)
{
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    struct table table;
    expect(store_open_to_write(own->file, &status) == NULL && status.code == WEIR_ERROR_BUSY, &status, __LINE__);
    expect(strstr(ERROR_LINE(&status), "another process is writing to it (wait") != NULL, &status, __LINE__);
    expect(table_load(&table, own->file, &status) && table.finished == 1, &status, __LINE__);
    table_free(&table);
}

static void store_open__second_writer(void **state)
{
    struct results_folder own;
    struct experiment experiment;
    struct weir_error status;
    (void)state;
    results_folder_make(&own);
    results_read_experiment(&experiment, RESULTS_SWEEP, false);
    assert_int_equal(chmod(own.folder, 0777), 0);
    umask(0);
    struct store *store = results_open(own.file);
    assert_true(results_plan(store, &experiment, &status));
    assert_true(results_add(store, 5, &status));
    run_child(child_second, &own);
    assert_true(results_add(store, 6, &status));
    results_close(store);
    results_close(results_open(own.file));
    results_folder_remove(&own);
    experiment_free(&experiment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(store_open__foreign),
        cmocka_unit_test(store_find_run__tells_of_errors),
        cmocka_unit_test(store_open__empty_counts_as_new),
        cmocka_unit_test(store_open__damaged),
        cmocka_unit_test(table_load__one_wrong_byte),
        cmocka_unit_test(store_open__no_such_place),
        cmocka_unit_test(store_open__permissions),
        cmocka_unit_test(table_load__wal_in_read_only_folder),
        cmocka_unit_test(store__full),
        cmocka_unit_test(store_open__second_writer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
