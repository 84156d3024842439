/*
 * guard.c - see guard.h.
 */
#define _GNU_SOURCE 1
#include "lab/plan/guard.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/clock.h"
#include "show/writers/run.h"

#define GUARD_NS 10000000 /* between two looks */
#define GUARD_STACK (64u << 10)
#define GUARD_GRACE_S 1.0
#define GUARD_BEYOND (UINT64_C(64) << 20)

/* One process has one guard: its thread, its limits, and what it found. */
static struct {
    pthread_mutex_t lock;
    pid_t owner;           /* the process that has the thread; 0: none */
    uint64_t memory_bytes; /* 0: no limit */
    double deadline;       /* a moment of the clock; 0: none */
    double time_s;
    int fd;
    struct rlimit before;
    char note[200];
} guard = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_bool refused;

bool guard_refused(void)
{
    return atomic_load(&refused);
}

const char *guard_note(void)
{
    return guard.note;
}

/* Bytes that a run may have resident; 0: no limit. */
static uint64_t guard_memory(const struct run_limits *limits, uint32_t jobs)
{
    if (limits->memory_bytes != RUN_MEMORY_AUTO)
        return limits->memory_bytes;
    uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES), page = (uint64_t)sysconf(_SC_PAGESIZE);
    return pages / 4 * 3 * page / (jobs > 0 ? jobs : 1);
}

static uint64_t resident(void)
{
    char text[64] = "";
    unsigned long long all = 0, here = 0;
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t got = file >= 0 ? read(file, text, sizeof text - 1) : 0;
    if (file >= 0)
        close(file);
    return got > 0 && sscanf(text, "%llu %llu", &all, &here) == 2 ? here * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

/* Nothing can be cleaned up: the thread of the run is somewhere inside of it. */
static void end_now(enum weir_error_code code, const char *text)
{
    char line[256];
    uint8_t kind = (uint8_t)code;
    bool child = guard.fd != GUARD_STDERR;
    int length = snprintf(line, sizeof line, child ? "%s%s%s" : "%s: %s%s", child ? "" : cli_program_name(), text,
                          child ? "" : "\n");
    int fd = child ? guard.fd : STDERR_FILENO;
    if (!child || write(fd, &kind, 1) == 1)
        (void)!write(fd, line, (size_t)length);
    _exit(CLI_INTERNAL);
}

static void look(void)
{
    uint64_t limit = guard.memory_bytes, now = limit > 0 ? resident() : 0;
    uint64_t beyond = limit / 4 > GUARD_BEYOND ? limit / 4 : GUARD_BEYOND;
    char text[256];
    if (limit > 0 && now > limit && !atomic_load(&refused)) {
        const struct rlimit none = {1, guard.before.rlim_max}; /* of 0 Linux thinks that valgrind means no limit */
        atomic_store(&refused, true);
        cli_set_memory_note(guard.note);
        setrlimit(RLIMIT_DATA, &none);
    }
    if (limit > 0 && now > limit + beyond) {
        snprintf(text, sizeof text, "out of memory%s%s", guard.note[0] != '\0' ? ": " : "", guard.note);
        end_now(WEIR_ERROR_MEMORY, text);
    }
    if (guard.deadline > 0 && clock_seconds() > guard.deadline + GUARD_GRACE_S) {
        snprintf(text, sizeof text, "the run took longer than %.4gs, its limit", guard.time_s);
        end_now(WEIR_ERROR_SYSTEM, text);
    }
}

static void *watch(void *unused)
{
    const struct timespec pause = {0, GUARD_NS};
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&guard.lock);
        look();
        pthread_mutex_unlock(&guard.lock);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static bool thread_start(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the thread of the run */
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, GUARD_STACK);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    bool started = pthread_create(&thread, &attributes, watch, NULL) == 0;
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void write_note(const struct run_limits *limits, uint32_t jobs)
{
    char size[32], shared[48] = "";
    output_size((double)guard.memory_bytes, size);
    if (limits->memory_bytes != RUN_MEMORY_AUTO) {
        snprintf(guard.note, sizeof guard.note, "limits.memory is %s", size);
        return;
    }
    if (jobs > 1)
        snprintf(shared, sizeof shared, " by %u runs at a time", jobs);
    snprintf(guard.note, sizeof guard.note,
             "a run may take %s, three quarters of this machine%s%s (limits.memory sets another limit, or none)", size,
             jobs > 1 ? ", shared" : "", shared);
}

void guard_start(const struct run_limits *limits, uint32_t jobs, int fd)
{
    uint64_t memory = guard_memory(limits, jobs);
    double time_s = (double)limits->time_ps / (double)WEIR_PS_PER_S;
    if (guard.owner != getpid()) { /* of a forked child the parent's lock may be held by nobody that is left */
        pthread_mutex_init(&guard.lock, NULL);
        atomic_store(&refused, false);
        getrlimit(RLIMIT_DATA, &guard.before);
    }
    pthread_mutex_lock(&guard.lock);
    guard.memory_bytes = memory;
    guard.time_s = time_s;
    guard.deadline = time_s > 0 ? clock_seconds() + time_s : 0;
    guard.fd = fd;
    write_note(limits, jobs);
    pthread_mutex_unlock(&guard.lock);
    if (guard.owner != getpid() && thread_start())
        guard.owner = getpid();
}

void guard_stop(void)
{
    if (guard.owner != getpid())
        return;
    pthread_mutex_lock(&guard.lock);
    guard.memory_bytes = 0;
    guard.deadline = 0;
    setrlimit(RLIMIT_DATA, &guard.before);
    pthread_mutex_unlock(&guard.lock);
}
