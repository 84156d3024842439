/*
 * test_store_place.c - where a file of results is: new or there before, behind a symbolic link, removed or
 * replaced under its writer, and never on a standard descriptor.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/wait.h>

#include "lab/store/table.h"
#include "tests/support/error_line.h"
#include "tests/support/results_file.h"

/* A folder in which r.db is a symbolic link to `target`, which need not be there. */
static void link_make(struct results_folder *own, struct results_folder *target)
{
    results_folder_make(target);
    results_folder_make(own);
    assert_int_equal(symlink(target->file, own->file), 0);
}

static void link_remove(const struct results_folder *own, const struct results_folder *target)
{
    struct stat about;
    assert_int_equal(lstat(own->file, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    results_folder_remove(own);
    results_folder_remove(target);
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

static void store_abandon__removes_what_it_created(void **state)
{
    struct results_folder own, target;
    (void)state;
    results_folder_make(&own);
    store_abandon(results_open(own.file));
    assert_false(is_there(own.file));
    assert_int_equal(rmdir(own.folder), 0);
    link_make(&own, &target);
    store_abandon(results_open(own.file));
    assert_false(is_there(target.file));
    link_remove(&own, &target);
}

static void store_abandon__keeps_what_was_there(void **state)
{
    struct results_folder own;
    struct experiment experiment;
    struct weir_error status;
    (void)state;
    results_folder_make(&own);
    results_close(results_open(own.file));
    store_abandon(results_open(own.file));
    assert_true(is_there(own.file));
    unlink(own.file);
    struct store *store = results_open(own.file);
    assert_true(results_add(store, 0, &status));
    store_abandon(store);
    assert_true(is_there(own.file));
    unlink(own.file);
    results_read_experiment(&experiment, RESULTS_BASE, false);
    store = results_open(own.file);
    assert_true(results_plan(store, &experiment, &status));
    store_abandon(store);
    assert_true(is_there(own.file));
    experiment_free(&experiment);
    results_folder_remove(&own);
}

/* What another process put in the place of ours is not removed. */
static void store_abandon__keeps_what_is_not_its_own(void **state)
{
    struct results_folder own;
    (void)state;
    results_folder_make(&own);
    struct store *store = results_open(own.file);
    assert_int_equal(unlink(own.file), 0);
    results_write(own.file, RESULTS_SWEEP, UINT32_MAX);
    store_abandon(store);
    struct table table;
    struct weir_error status;
    assert_true(table_load(&table, own.file, &status));
    assert_int_equal(table.finished, 12);
    table_free(&table);
    results_folder_remove(&own);
}

static void expect_failure(const struct weir_error *status, const char *message)
{
    if (status->code != WEIR_ERROR_WRITE || strstr(ERROR_LINE(status), message) == NULL)
        fail_msg("error %d, '%s' (expected '%s')", status->code, ERROR_LINE(status), message);
}

static void store_add_run__removed(void **state)
{
    struct results_folder own;
    struct weir_error status;
    (void)state;
    results_folder_make(&own);
    struct store *store = results_open(own.file);
    assert_true(results_add(store, 0, &status));
    assert_int_equal(unlink(own.file), 0);
    assert_false(results_add(store, 1, &status));
    expect_failure(&status, "r.db: was removed or renamed while it was written to (start again");
    assert_false(store_close(store, &status));
    expect_failure(&status, "was removed or renamed");
    results_folder_remove(&own);
}

/* A second writer begins with a new file while the first still has the old one: neither disturbs the other. */
static void store_close__removed_and_made_anew(void **state)
{
    struct results_folder own;
    struct weir_error status;
    struct experiment experiment;
    (void)state;
    results_folder_make(&own);
    results_read_experiment(&experiment, RESULTS_SWEEP, false);
    struct store *first = results_open(own.file);
    assert_true(results_add(first, 0, &status));
    assert_int_equal(unlink(own.file), 0);
    struct store *second = results_open(own.file);
    assert_true(results_plan(second, &experiment, &status));
    assert_false(results_add(first, 1, &status));
    expect_failure(&status, "was replaced by another file while it was written to (choose another file)");
    assert_true(results_add(second, 2, &status));
    assert_false(store_close(first, &status));
    struct table table;
    assert_true(table_load(&table, own.file, &status));
    assert_int_equal(table.finished, 1);
    table_free(&table);
    results_close(second);
    experiment_free(&experiment);
    results_folder_remove(&own);
}

/* `outcome`: of waitpid; 0, or the signal that was to kill it. */
static void wait_for(pid_t pid, int outcome)
{
    int found;
    assert_int_equal(waitpid(pid, &found, 0), pid);
    assert_int_equal(found, outcome);
}

/* Runs that a killed writer left in the WAL count, though there is none beside the link. */
static void table_load__wal_behind_a_link(void **state)
{
    struct results_folder own, target;
    (void)state;
    link_make(&own, &target);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct weir_error status;
        struct experiment experiment;
        results_read_experiment(&experiment, RESULTS_SWEEP, false);
        struct store *store = results_open(own.file);
        if (results_plan(store, &experiment, &status) && results_add(store, 0, &status))
            kill(getpid(), SIGKILL);
        _exit(1);
    }
    wait_for(pid, SIGKILL);
    assert_int_equal(chmod(target.folder, 0777), 0);
    assert_int_equal(chmod(own.folder, 0555), 0);
    char name[128];
    snprintf(name, sizeof name, "%s-wal", target.file);
    assert_int_equal(chmod(name, 0666), 0);
    snprintf(name, sizeof name, "%s-shm", target.file);
    assert_int_equal(chmod(name, 0666), 0);
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        struct weir_error status = {.code = WEIR_ERROR_NONE};
        struct table table;
        if (getuid() == 0 && setuid(65534) != 0)
            _exit(3);
        bool good = table_load(&table, own.file, &status) && table.finished == 1;
        if (!good)
            fprintf(stderr, "%u runs, error %d '%s'\n", table.finished, status.code, ERROR_LINE(&status));
        _exit(good ? 0 : 1);
    }
    wait_for(pid, 0);
    assert_int_equal(chmod(own.folder, 0755), 0);
    link_remove(&own, &target);
}

static void store_open__standard_descriptors_closed(void **state)
{
    struct results_folder own;
    (void)state;
    results_folder_make(&own);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct weir_error status;
        close(STDIN_FILENO);
        close(STDOUT_FILENO);
        close(STDERR_FILENO);
        struct store *store = store_open_to_write(own.file, &status);
        struct stat file, standard;
        bool good = store != NULL && stat(own.file, &file) == 0;
        for (int fd = 0; fd < 3; fd++)
            good = good && (fstat(fd, &standard) != 0 || standard.st_ino != file.st_ino);
        _exit(good && store_close(store, &status) ? 0 : 1);
    }
    wait_for(pid, 0);
    results_folder_remove(&own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(store_abandon__removes_what_it_created),
        cmocka_unit_test(store_abandon__keeps_what_was_there),
        cmocka_unit_test(store_abandon__keeps_what_is_not_its_own),
        cmocka_unit_test(store_add_run__removed),
        cmocka_unit_test(store_close__removed_and_made_anew),
        cmocka_unit_test(table_load__wal_behind_a_link),
        cmocka_unit_test(store_open__standard_descriptors_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
