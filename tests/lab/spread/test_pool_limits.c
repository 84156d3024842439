/*
 * test_pool_limits.c - a pool in a process that lacks something: descriptors, or time, because it is suspended.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lab/spread/pool.h"

#define LONG_TIME 1000.0 /* a test that waits so long has failed */
#define LIMIT_S 8        /* of a child that works for a fraction of a second: a busy machine may take long for it */

static int answer(void *context, uint32_t item, int fd)
{
    (void)context, (void)item;
    return write(fd, "x", 1) == 1 ? 0 : 1;
}

/* Takes a fifth of a second of the processor, however long that takes. */
static int busy(void *context, uint32_t item, int fd)
{
    struct rusage usage = {.ru_maxrss = 0};
    while (usage.ru_utime.tv_sec * 1000000 + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec < 200000)
        getrusage(RUSAGE_SELF, &usage);
    return answer(context, item, fd);
}

/* In its own process: cmocka's way to fail would go on with the tests of the parent. */
static void expect(bool good, int line)
{
    if (good)
        return;
    fprintf(stderr, "line %d\n", line);
    _exit(1);
}

static void few_descriptors(void)
{
    struct rlimit limit;
    const struct pool_settings settings = {64, 0, answer, NULL};
    struct pool pool;
    uint32_t started = 0, ended = 0;
    expect(getrlimit(RLIMIT_NOFILE, &limit) == 0, __LINE__);
    limit.rlim_cur = 16; /* the hard limit stays: valgrind refuses to change it */
    expect(setrlimit(RLIMIT_NOFILE, &limit) == 0 && pool_init(&pool, &settings), __LINE__);
    while (ended < 100) {
        while (started < 100 && pool_has_room(&pool) && pool_start(&pool, 0))
            started++;
        expect(started == 100 || (errno == EMFILE && pool.running > 0 && pool.running < 16), __LINE__);
        struct pool_done done = {.bytes = NULL};
        expect(pool_wait(&pool, LONG_TIME, &done) == POOL_DONE && done.size == 1, __LINE__);
        free(done.bytes);
        ended++;
    }
    pool_free(&pool);
}

/* More children are allowed than descriptors: fewer run, and nobody waits for those that do not. */
static void pool_start__few_descriptors(void **state)
{
    (void)state;
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        few_descriptors();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void wait_while_suspended(int ready)
{
    const struct pool_settings settings = {1, LIMIT_S, busy, NULL};
    struct pool pool;
    struct pool_done done = {.bytes = NULL};
    setpgid(0, 0);
    expect(pool_init(&pool, &settings) && pool_start(&pool, 0), __LINE__);
    expect(write(ready, "x", 1) == 1, __LINE__);
    expect(pool_wait(&pool, LONG_TIME, &done) == POOL_DONE, __LINE__);
    expect(!done.late && WIFEXITED(done.status), __LINE__);
    expect(done.seconds < LIMIT_S, __LINE__);
    free(done.bytes);
    pool_free(&pool);
}

/* Ctrl-Z stops everybody for longer than the limit. */
static void pool_wait__suspended(void **state)
{
    (void)state;
    const struct timespec longer = {LIMIT_S + 1, 0};
    int ends[2], status;
    char byte;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        wait_while_suspended(ends[1]);
        _exit(0);
    }
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(kill(-pid, SIGSTOP), 0);
    nanosleep(&longer, NULL);
    assert_int_equal(kill(-pid, SIGCONT), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pool_start__few_descriptors),
        cmocka_unit_test(pool_wait__suspended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
