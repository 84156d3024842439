/*
 * test_pool.c - work in processes that answer, crash, hang, eat memory, or are stopped.
 */
#define _GNU_SOURCE 1
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/clock.h"
#include "lab/plan/guard.h"
#include "lab/spread/pool.h"

/* The address sanitizer takes more address space than any limit allows. */
#ifdef __SANITIZE_ADDRESS__
#define LIMITS_WORK false
#elif defined(__has_feature)
#define LIMITS_WORK !__has_feature(address_sanitizer)
#else
#define LIMITS_WORK true
#endif

#define LONG_TIME 1000.0 /* a test that waits so long has failed */
#define LARGE 1000000u

enum item {
    ITEM_ANSWER,
    ITEM_LARGE,
    ITEM_STATUS,
    ITEM_CRASH,
    ITEM_HANG,
    ITEM_MEMORY,
    ITEM_LIMITED_MEMORY,
    ITEM_DESCRIPTORS,
    ITEM_STUBBORN
};

static int send_text(int fd, const char *text)
{
    return write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : 1;
}

static int send_large(int fd)
{
    for (uint32_t i = 0; i < LARGE; i++) {
        unsigned char byte = (unsigned char)(i * 7);
        if (write(fd, &byte, 1) != 1)
            return 1;
    }
    return 0;
}

static int count_descriptors(int fd)
{
    char text[32];
    int open = 0;
    for (int i = 3; i < 256; i++)
        open += fcntl(i, F_GETFD) >= 0;
    snprintf(text, sizeof text, "%d", open);
    return send_text(fd, text);
}

static int take_memory(int fd)
{
    size_t size = (size_t)256 << 20;
    volatile char *memory = malloc(size);
    if (memory == NULL)
        return send_text(fd, "none left");
    for (size_t i = 0; i < size; i += 4096)
        memory[i] = 1; /* or it is not there at all */
    free((void *)memory);
    return send_text(fd, "got it");
}

/* Under a guard: what is not resident does not count, what is does. No more than a little beyond the limit, for as long
 * as the guard may take to see it. */
static int take_limited_memory(int fd)
{
    const struct timespec moment = {0, 1000000};
    const struct run_limits limits = {.memory_bytes = 128 << 20};
    struct rusage usage = {.ru_maxrss = 0};
    double end = clock_seconds() + LONG_TIME;
    mallopt(M_MMAP_THRESHOLD, 1 << 19); /* what is freed is gone */
    guard_start(&limits, 1, fd);
    volatile char *sparse = mmap(NULL, (size_t)1 << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (sparse == MAP_FAILED)
        return send_text(fd, "no address space");
    while (clock_seconds() < end) {
        char *memory = malloc(1 << 20);
        if (memory == NULL)
            return send_text(fd, guard_refused() ? guard_note() : "none left");
        getrusage(RUSAGE_SELF, &usage);
        if (usage.ru_maxrss > 144 << 10) {
            free(memory);
        } else {
            memset(memory, 1, 1 << 20);
            sparse[0] = memory[0];
        }
        nanosleep(&moment, NULL);
    }
    return send_text(fd, "got it");
}

static void hang(void)
{
    for (;;)
        pause();
}

static int work(void *context, uint32_t item, int fd)
{
    switch ((enum item)item) {
    case ITEM_ANSWER:
        return send_text(fd, context);
    case ITEM_LARGE:
        return send_large(fd);
    case ITEM_STATUS:
        send_text(fd, "why");
        return 3;
    case ITEM_CRASH:
        send_text(fd, "half of");
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
        return 0;
    case ITEM_HANG:
        hang();
        return 0;
    case ITEM_MEMORY:
        return take_memory(fd);
    case ITEM_LIMITED_MEMORY:
        return take_limited_memory(fd);
    case ITEM_DESCRIPTORS:
        return count_descriptors(fd);
    case ITEM_STUBBORN:
        raise(SIGINT); /* decided by the owner of the pool, not here */
        raise(SIGTERM);
        return send_text(fd, "still here");
    }
    return 1;
}

static void pool_make(struct pool *pool, uint32_t jobs, double time_s)
{
    static char answer[] = "an answer";
    const struct pool_settings settings = {jobs, time_s, work, answer};
    assert_true(pool_init(pool, &settings));
}

/* The outcome of one item, alone in its pool. */
static struct pool_done do_one(enum item item, double time_s)
{
    struct pool pool;
    struct pool_done done = {.bytes = NULL};
    pool_make(&pool, 1, time_s);
    assert_true(pool_start(&pool, item));
    assert_false(pool_has_room(&pool));
    assert_int_equal(pool_wait(&pool, LONG_TIME, &done), POOL_DONE);
    assert_true(pool_has_room(&pool));
    assert_int_equal(done.item, item);
    pool_free(&pool);
    return done;
}

static void expect_text(struct pool_done *done, const char *text)
{
    assert_int_equal(done->size, strlen(text));
    assert_memory_equal(done->bytes, text, done->size);
    free(done->bytes);
}

static void pool_wait__outcomes(void **state)
{
    (void)state;
    static const struct {
        enum item item;
        const char *text;
        bool exits;
        int number; /* status or signal */
    } table[] = {{ITEM_ANSWER, "an answer", true, 0},
                 {ITEM_STATUS, "why", true, 3},
                 {ITEM_CRASH, "half of", false, SIGSEGV},
                 {ITEM_DESCRIPTORS, "1", true, 0},
                 {ITEM_STUBBORN, "still here", true, 0}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct pool_done done = do_one(table[i].item, 0);
        assert_int_equal(WIFEXITED(done.status), table[i].exits);
        assert_int_equal(table[i].exits ? WEXITSTATUS(done.status) : WTERMSIG(done.status), table[i].number);
        assert_false(done.late);
        assert_true(done.seconds >= 0 && done.seconds < LONG_TIME);
        assert_true(done.memory_bytes > 0);
        expect_text(&done, table[i].text);
    }
}

static void pool_wait__more_than_a_pipe_holds(void **state)
{
    (void)state;
    struct pool_done done = do_one(ITEM_LARGE, 0);
    assert_int_equal(done.size, LARGE);
    for (uint32_t i = 0; i < LARGE; i++)
        assert_int_equal(done.bytes[i], (unsigned char)(i * 7));
    free(done.bytes);
}

static void pool_wait__kills_what_is_late(void **state)
{
    (void)state;
    double started = clock_seconds();
    struct pool_done done = do_one(ITEM_HANG, 0.2);
    double took = clock_seconds() - started;
    assert_true(done.late);
    assert_true(WIFSIGNALED(done.status) && WTERMSIG(done.status) == SIGKILL);
    assert_true(took >= 0.2 && took < LONG_TIME);
    free(done.bytes);
    done = do_one(ITEM_ANSWER, LONG_TIME);
    assert_false(done.late);
    free(done.bytes);
}

static void pool_wait__memory_limit(void **state)
{
    (void)state;
    if (!LIMITS_WORK) {
        print_message("skipped: the sanitizer has memory of its own\n");
        skip();
    }
    struct pool_done done = do_one(ITEM_MEMORY, 0);
    expect_text(&done, "got it");
    assert_true(done.memory_bytes > (uint64_t)200 << 20);
    done = do_one(ITEM_LIMITED_MEMORY, 0);
    expect_text(&done, "limits.memory is 134.2MB");
}

/* Others go on beside one that hangs, and what is left is killed at the end. */
static void pool_wait__several_at_once(void **state)
{
    (void)state;
    struct pool pool;
    uint32_t started = 0, ended = 0;
    pool_make(&pool, 4, 0);
    assert_true(pool_start(&pool, ITEM_HANG));
    while (ended < 50) {
        for (; started < 50 && pool_has_room(&pool); started++)
            assert_true(pool_start(&pool, ITEM_ANSWER));
        struct pool_done done = {.bytes = NULL};
        assert_int_equal(pool_wait(&pool, LONG_TIME, &done), POOL_DONE);
        assert_int_equal(done.item, ITEM_ANSWER);
        expect_text(&done, "an answer");
        ended++;
    }
    assert_int_equal(pool.running, 1);
    struct pool_done done;
    assert_int_equal(pool_wait(&pool, 0.01, &done), POOL_TIME);
    int pid = 0;
    for (uint32_t i = 0; i < 4; i++)
        pid += pool.children[i].pid;
    pool_free(&pool);
    assert_int_equal(kill(pid, 0), -1);
    assert_int_equal(errno, ESRCH);
}

static void pool_wait__nothing_to_wait_for(void **state)
{
    (void)state;
    struct pool pool;
    struct pool_done done;
    double before = clock_seconds();
    pool_make(&pool, 2, 0);
    assert_int_equal(pool_wait(&pool, LONG_TIME, &done), POOL_TIME);
    pool_free(&pool);
    assert_true(clock_seconds() - before < LONG_TIME);
}

static void pool_wait__signals(void **state)
{
    (void)state;
    static const int numbers[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < 2; i++) {
        struct pool pool;
        struct pool_done done;
        sigset_t before, after;
        sigprocmask(SIG_BLOCK, NULL, &before);
        pool_make(&pool, 1, 0);
        assert_true(pool_start(&pool, ITEM_HANG));
        kill(getpid(), numbers[i]);
        assert_int_equal(pool_wait(&pool, LONG_TIME, &done), POOL_SIGNAL);
        pool_free(&pool);
        sigprocmask(SIG_BLOCK, NULL, &after);
        assert_int_equal(sigismember(&after, numbers[i]), sigismember(&before, numbers[i]));
    }
}

/* As in the background of a script. */
static void pool_init__ignored_signals_stay_ignored(void **state)
{
    (void)state;
    struct pool pool;
    struct pool_done done;
    signal(SIGINT, SIG_IGN);
    pool_make(&pool, 1, 0);
    assert_true(pool_start(&pool, ITEM_HANG));
    kill(getpid(), SIGINT);
    assert_int_equal(pool_wait(&pool, 0.05, &done), POOL_TIME);
    pool_free(&pool);
    signal(SIGINT, SIG_DFL);
}

/* A parent that is killed leaves nobody behind: the pipe, which only the child holds then, ends. */
static void pool_start__child_dies_with_its_parent(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t parent = fork();
    if (parent == 0) {
        struct pool pool;
        struct pool_done done;
        const struct pool_settings settings = {1, 0, work, NULL};
        if (!pool_init(&pool, &settings) || !pool_start(&pool, ITEM_HANG))
            _exit(1);
        pool_wait(&pool, 0.05, &done);
        char text[16];
        int length = snprintf(text, sizeof text, "%d", pool.children[0].pid);
        _exit(write(ends[1], text, (size_t)length + 1) == length + 1 ? 0 : 1);
    }
    close(ends[1]);
    char text[16] = "";
    assert_true(read(ends[0], text, sizeof text) > 1);
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(parent, &status, 0), parent);
    assert_int_equal(status, 0);
    int child = (int)strtol(text, NULL, 10);
    double started = clock_seconds();
    char path[32], stat[64] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", child);
    for (bool gone = false; !gone;) { /* gone, or a zombie that nobody has collected yet */
        FILE *file = fopen(path, "r");
        gone = file == NULL || fgets(stat, sizeof stat, file) == NULL || strstr(stat, ") Z") != NULL;
        if (file != NULL)
            fclose(file);
        assert_true(clock_seconds() - started < LONG_TIME);
    }
}

/* Something else to wait for, with and without a child. */
static void pool_listen__hears(void **state)
{
    (void)state;
    struct pool pool;
    struct pool_done done = {.bytes = NULL};
    int ends[2];
    char byte = 1;
    assert_int_equal(pipe(ends), 0);
    pool_make(&pool, 1, 0);
    pool_listen(&pool, ends[0]);
    assert_int_equal(pool_wait(&pool, 0, &done), POOL_TIME);
    assert_int_equal(write(ends[1], &byte, 1), 1);
    assert_int_equal(pool_wait(&pool, LONG_TIME, &done), POOL_EAR);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_true(pool_start(&pool, ITEM_ANSWER));
    assert_int_equal(pool_wait(&pool, LONG_TIME, &done), POOL_DONE);
    expect_text(&done, "an answer");
    close(ends[1]); /* an end is something to hear too */
    assert_int_equal(pool_wait(&pool, LONG_TIME, &done), POOL_EAR);
    pool_free(&pool);
    close(ends[0]);
}

int main(void)
{
    if (getenv("WEIR_VALGRIND") != NULL) {
        puts("skipped: memory of a child is valgrind's");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pool_wait__outcomes),
        cmocka_unit_test(pool_wait__more_than_a_pipe_holds),
        cmocka_unit_test(pool_wait__kills_what_is_late),
        cmocka_unit_test(pool_wait__memory_limit),
        cmocka_unit_test(pool_wait__several_at_once),
        cmocka_unit_test(pool_wait__nothing_to_wait_for),
        cmocka_unit_test(pool_wait__signals),
        cmocka_unit_test(pool_init__ignored_signals_stay_ignored),
        cmocka_unit_test(pool_start__child_dies_with_its_parent),
        cmocka_unit_test(pool_listen__hears),
    };
    signal(SIGINT, SIG_DFL); /* ignored where tests run in the background */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
