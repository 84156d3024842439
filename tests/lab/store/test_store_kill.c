/*
 * test_store_kill.c - a writer that is killed at any moment: what it committed is there, what it was at is not,
 * and going on gives the rows of a writer that was never killed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/support/results_dump.h"
#include "tests/support/results_file.h"
#include "weir/random.h"

#define SWEEP RESULTS_BASE "sweep: {size: {switch.buffer: {from: 100KB, to: 6000KB, step: 100KB}}}\n"
#define RUNS 120u

/* The child: adds what is missing, and says so after each commit. */
static void add_missing(const char *path, const struct experiment *experiment, int report)
{
    struct weir_error status;
    struct store *store = store_open_to_write(path, &status);
    if (store == NULL || !results_plan(store, experiment, &status))
        _exit(1);
    for (uint32_t run = 0; run < RUNS; run++) {
        if (results_has(store, run))
            continue;
        if (!results_add(store, run, &status) || write(report, &run, sizeof run) != sizeof run)
            _exit(2);
    }
    _exit(store_close(store, &status) ? 0 : 3);
}

/* Kills the child after `runs` reports, or `microseconds` after the last of them. The last run that it reported. */
static int64_t run_and_kill(const char *path, const struct experiment *experiment, uint32_t runs, long microseconds)
{
    int pipe_ends[2], outcome;
    int64_t last = -1;
    uint32_t run;
    assert_int_equal(pipe(pipe_ends), 0);
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(pipe_ends[0]);
        add_missing(path, experiment, pipe_ends[1]);
    }
    close(pipe_ends[1]);
    for (uint32_t i = 0; i < runs && read(pipe_ends[0], &run, sizeof run) == sizeof run; i++)
        last = run;
    const struct timespec pause = {0, microseconds * 1000};
    nanosleep(&pause, NULL);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &outcome, 0), pid);
    if (WIFEXITED(outcome) && WEXITSTATUS(outcome) != 0)
        fail_msg("the child ends with %d", WEXITSTATUS(outcome));
    while (read(pipe_ends[0], &run, sizeof run) == sizeof run)
        last = run;
    close(pipe_ends[0]);
    return last;
}

/* Every run up to `last` is there, one more may be, and none behind that. */
static uint32_t assert_prefix(const char *path, int64_t last)
{
    struct store *store = results_open(path);
    uint32_t there = 0;
    for (uint32_t run = 0; run < RUNS; run++) {
        bool has = results_has(store, run);
        if (has && there != run)
            fail_msg("run %u is there, run %u is not", run, there);
        there += has;
    }
    if ((int64_t)there < last + 1 || (int64_t)there > last + 2)
        fail_msg("%u runs are there after %lld", there, (long long)last + 1);
    results_close(store);
    return there;
}

static char *dump_of_one_go(const struct experiment *experiment)
{
    struct results_folder own;
    struct weir_error status;
    results_folder_make(&own);
    struct store *store = results_open(own.file);
    assert_true(results_plan(store, experiment, &status));
    for (uint32_t run = RUNS; run-- > 0;)
        assert_true(results_add(store, run, &status));
    results_close(store);
    char *dump = results_dump(own.file);
    results_folder_remove(&own);
    return dump;
}

static void store__killed_again_and_again(void **state)
{
    struct experiment experiment;
    struct results_folder own;
    uint32_t kills = 0;
    (void)state;
    results_read_experiment(&experiment, SWEEP, false);
    assert_int_equal(experiment_runs(&experiment), RUNS);
    char *expected = dump_of_one_go(&experiment);
    for (uint64_t seed = 0; seed < 3 || (kills <= 10 && seed < 100); seed++) { /* a child may be done before its kill */
        results_folder_make(&own);
        for (uint32_t round = 0, there = 0; there < RUNS; round++, kills++) {
            int64_t last = run_and_kill(own.file, &experiment, (uint32_t)(weir_hash(seed, round) % 8),
                                        (long)(weir_hash(seed, 1000 + round) % 300));
            there = assert_prefix(own.file, last >= 0 ? last : (int64_t)there - 1);
        }
        char *dump = results_dump(own.file);
        if (strcmp(dump, expected) != 0)
            fail_msg("seed %llu: other rows than without a kill", (unsigned long long)seed);
        free(dump);
        results_folder_remove(&own);
    }
    assert_true(kills > 10);
    free(expected);
    experiment_free(&experiment);
}

/* While the file is being made: it becomes a file of ours or counts as new, whenever that was. */
static void store__killed_at_birth(void **state)
{
    struct experiment experiment;
    struct results_folder own;
    (void)state;
    results_read_experiment(&experiment, SWEEP, false);
    for (uint32_t round = 0; round < 25; round++) {
        results_folder_make(&own);
        int64_t last = run_and_kill(own.file, &experiment, 0, round * 250);
        assert_prefix(own.file, last);
        results_folder_remove(&own);
    }
    experiment_free(&experiment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(store__killed_again_and_again),
        cmocka_unit_test(store__killed_at_birth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
