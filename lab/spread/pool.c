/*
 * pool.c - the parent's side of pool.h: who is running, what they have sent, who is too late; and the child's: a forked
 * process that lets go of everything its parent holds, does its piece and ends without running what the parent has
 * registered for its own end.
 */
#define _GNU_SOURCE 1
#include "lab/spread/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/clock.h"

#define POOL_BLOCK 65536u
#define AWAKE_MS 100    /* how often it is seen to that time goes on, where children have a limit */
#define SUSPENDED_S 0.5 /* away for longer than this: not merely kept waiting for a processor */

/* A signal that is ignored on purpose, as in the background of a script, stays ignored. */
static void add_unless_ignored(sigset_t *set, int number)
{
    struct sigaction action;
    if (sigaction(number, NULL, &action) != 0 || action.sa_handler != SIG_IGN)
        sigaddset(set, number);
}

bool pool_init(struct pool *pool, const struct pool_settings *settings)
{
    sigset_t stop;
    *pool = (struct pool){.settings = *settings, .signals = -1};
    sigemptyset(&stop);
    add_unless_ignored(&stop, SIGINT);
    add_unless_ignored(&stop, SIGTERM);
    sigprocmask(SIG_BLOCK, &stop, &pool->before);
    pool->children = calloc(settings->jobs, sizeof *pool->children);
    pool->polls = calloc((size_t)settings->jobs + 2, sizeof *pool->polls);
    if (pool->children == NULL || pool->polls == NULL) {
        errno = ENOMEM;
        return false;
    }
    pool->signals = signalfd(-1, &stop, SFD_NONBLOCK | SFD_CLOEXEC);
    return pool->signals >= 0;
}

#define CHILD_FD 3 /* the first descriptor after the standard ones */

static void reset_signals(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t none;
    sigemptyset(&action.sa_mask);
    for (int number = 1; number < NSIG; number++)
        sigaction(number, &action, NULL); /* fails for those that cannot be changed */
    action.sa_handler = SIG_IGN;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static __attribute__((noreturn)) void run_child(const struct pool_settings *settings, uint32_t item, int fd, int parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before the line above */
        _exit(127);
    /* The parent's lock on the database, its signals and the pipes of other children are not ours. */
    if (fd != CHILD_FD && dup2(fd, CHILD_FD) != CHILD_FD)
        _exit(127);
    close_range(CHILD_FD + 1, ~0u, 0);
    fcntl(CHILD_FD, F_SETFL, 0); /* blocking: a full pipe is to wait */
    fd = CHILD_FD;
    reset_signals();
    _exit(settings->work(settings->context, item, fd));
}

bool pool_start(struct pool *pool, uint32_t item)
{
    int ends[2], parent = (int)getpid();
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return false;
    fflush(NULL); /* nothing half-written is to be in two processes */
    pid_t pid = fork();
    if (pid == 0)
        run_child(&pool->settings, item, ends[1], parent);
    int error = errno;
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        errno = error;
        return false;
    }
    double now = clock_seconds();
    if (pool->running++ == 0)
        pool->awake = now;
    struct pool_child *child = pool->children;
    while (child->pid != 0)
        child++;
    *child = (struct pool_child){.pid = (int)pid, .fd = ends[0], .item = item, .started = now};
    return true;
}

/* Called at least every `asleep_s` seconds when all is well. What is missing is not held against the children. */
static void note_awake(struct pool *pool, double now, double asleep_s)
{
    double away = now - pool->awake - asleep_s;
    for (uint32_t i = 0; i < pool->settings.jobs && away > SUSPENDED_S; i++) {
        struct pool_child *child = &pool->children[i];
        child->started = child->started + away < now ? child->started + away : now;
    }
    pool->awake = now;
}

static bool child_grow(struct pool_child *child)
{
    if (child->room - child->size >= POOL_BLOCK)
        return true;
    size_t room = 2 * child->room + POOL_BLOCK;
    uint8_t *bytes = realloc(child->bytes, room);
    if (bytes == NULL)
        return false;
    child->bytes = bytes;
    child->room = room;
    return true;
}

enum child_read { CHILD_GOES_ON, CHILD_ENDED, CHILD_NO_MEMORY };

static enum child_read child_read(struct pool_child *child)
{
    for (;;) {
        if (!child_grow(child))
            return CHILD_NO_MEMORY;
        ssize_t got = read(child->fd, child->bytes + child->size, child->room - child->size);
        if (got > 0)
            child->size += (size_t)got;
        else if (got == 0 || (errno != EAGAIN && errno != EINTR))
            return CHILD_ENDED;
        else if (errno == EAGAIN)
            return CHILD_GOES_ON;
    }
}

static void child_collect(struct pool *pool, struct pool_child *child, struct pool_done *done)
{
    struct rusage usage = {.ru_maxrss = 0};
    *done = (struct pool_done){.item = child->item, .late = child->late, .bytes = child->bytes, .size = child->size};
    close(child->fd);
    while (wait4(child->pid, &done->status, 0, &usage) < 0 && errno == EINTR)
        ;
    done->seconds = clock_seconds() - child->started;
    done->memory_bytes = (uint64_t)usage.ru_maxrss * 1024;
    *child = (struct pool_child){.pid = 0};
    pool->running--;
}

/* True when there is something to tell. */
static bool look(struct pool *pool, struct pool_done *done, enum pool_event *event)
{
    struct signalfd_siginfo info;
    if (read(pool->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        *event = POOL_SIGNAL;
        return true;
    }
    const struct pollfd *poll = pool->polls;
    for (uint32_t i = 0; i < pool->settings.jobs; i++) {
        if (pool->children[i].pid == 0 || (++poll)->revents == 0)
            continue;
        enum child_read read = child_read(&pool->children[i]);
        if (read == CHILD_GOES_ON)
            continue;
        if (read == CHILD_ENDED)
            child_collect(pool, &pool->children[i], done);
        *event = read == CHILD_ENDED ? POOL_DONE : POOL_NO_MEMORY;
        return true;
    }
    if (!pool->listens || (++poll)->revents == 0)
        return false;
    *event = POOL_EAR;
    return true;
}

enum pool_event pool_wait(struct pool *pool, double seconds, struct pool_done *done)
{
    double now = clock_seconds(), until = now + seconds;
    enum pool_event event = POOL_TIME;
    note_awake(pool, now, 0);
    while (pool->running > 0 || pool->listens) {
        /* Only what is open: poll takes no more entries than a process may have descriptors. */
        nfds_t count = 0;
        pool->polls[count++] = (struct pollfd){pool->signals, POLLIN, 0};
        for (uint32_t i = 0; i < pool->settings.jobs; i++)
            if (pool->children[i].pid != 0)
                pool->polls[count++] = (struct pollfd){pool->children[i].fd, POLLIN, 0};
        if (pool->listens)
            pool->polls[count++] = (struct pollfd){pool->ear, POLLIN, 0};
        /* Milliseconds until the next thing that happens by itself: the end of the wait, or a child's time limit. */
        double next = until;
        for (uint32_t i = 0; i < pool->settings.jobs && pool->settings.time_s > 0; i++) {
            const struct pool_child *child = &pool->children[i];
            if (child->pid != 0 && !child->late && child->started + pool->settings.time_s < next)
                next = child->started + pool->settings.time_s;
        }
        double left = (next - now) * 1e3, longest = pool->settings.time_s > 0 ? AWAKE_MS : 1e6;
        int wait_ms = left <= 0 ? 0 : left > longest ? (int)longest : (int)left + 1;
        int ready = poll(pool->polls, count, wait_ms);
        if (ready < 0 && errno != EINTR)
            return POOL_FAILED;
        now = clock_seconds();
        note_awake(pool, now, wait_ms * 1e-3);
        if (ready > 0 && look(pool, done, &event))
            return event;
        for (uint32_t i = 0; i < pool->settings.jobs && pool->settings.time_s > 0; i++) {
            struct pool_child *child = &pool->children[i];
            if (child->pid == 0 || child->late || now - child->started < pool->settings.time_s)
                continue;
            child->late = true;
            kill(child->pid, SIGKILL);
        }
        if (now >= until)
            return POOL_TIME;
    }
    return event;
}

void pool_free(struct pool *pool)
{
    struct pool_done done;
    for (uint32_t i = 0; pool->children != NULL && i < pool->settings.jobs; i++) {
        if (pool->children[i].pid == 0)
            continue;
        kill(pool->children[i].pid, SIGKILL);
        child_collect(pool, &pool->children[i], &done);
        free(done.bytes);
    }
    if (pool->signals >= 0)
        close(pool->signals);
    free(pool->children);
    free(pool->polls);
    sigprocmask(SIG_SETMASK, &pool->before, NULL);
}
