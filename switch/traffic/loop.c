/*
 * loop.c - see loop.h. The timer is a descriptor too: epoll's own timeout counts in milliseconds, which is much at the
 * rates of a testbed.
 */
#define _GNU_SOURCE 1
#include "switch/traffic/loop.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "switch/traffic/wall.h"

#define EVENTS_AT_ONCE 64

/* Told apart from sources by their address. */
static bool watch(struct loop *loop, int *fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = fd};
    return *fd >= 0 && epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, *fd, &event) == 0;
}

bool loop_init(struct loop *loop)
{
    sigset_t signals;
    *loop = (struct loop){.epoll_fd = epoll_create1(EPOLL_CLOEXEC), .timer_fd = -1, .signal_fd = -1};
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    if (loop->epoll_fd < 0 || sigprocmask(SIG_BLOCK, &signals, NULL) != 0)
        return false;
    loop->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    loop->signal_fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
    return watch(loop, &loop->timer_fd) && watch(loop, &loop->signal_fd);
}

static void free_gone(struct loop *loop)
{
    while (loop->gone) {
        struct loop_source *next = loop->gone->next_gone;
        free(loop->gone);
        loop->gone = next;
    }
}

void loop_free(struct loop *loop)
{
    int fds[] = {loop->signal_fd, loop->timer_fd, loop->epoll_fd};
    free_gone(loop);
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

bool loop_add(struct loop *loop, struct loop_source *source, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = source};
    return epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, source->fd, &event) == 0;
}

void loop_change(struct loop *loop, struct loop_source *source, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = source};
    epoll_ctl(loop->epoll_fd, EPOLL_CTL_MOD, source->fd, &event); /* of a source that is watched it takes no memory */
}

void loop_close(struct loop *loop, struct loop_source *source)
{
    if (source->fd >= 0)
        close(source->fd);
    source->fd = -1;
    source->next_gone = loop->gone;
    loop->gone = source;
}

static bool set_timer(struct loop *loop, int64_t wake_ns)
{
    if (wake_ns == loop->wake_ns)
        return true;
    loop->wake_ns = wake_ns;
    const struct itimerspec when = {.it_value = {wake_ns / WALL_S, wake_ns % WALL_S}};
    return timerfd_settime(loop->timer_fd, TFD_TIMER_ABSTIME, &when, NULL) == 0;
}

bool loop_wait(struct loop *loop, int64_t wake_ns)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    if (!set_timer(loop, wake_ns > 0 ? wake_ns : 1))
        return false;
    int count = epoll_wait(loop->epoll_fd, events, EVENTS_AT_ONCE, -1);
    for (int i = 0; i < count; i++) {
        uint64_t expirations;
        if (events[i].data.ptr == &loop->timer_fd) {
            (void)!read(loop->timer_fd, &expirations, sizeof expirations);
            loop->wake_ns = 0;
        } else if (events[i].data.ptr == &loop->signal_fd) {
            struct signalfd_siginfo signal;
            loop->stopped = read(loop->signal_fd, &signal, sizeof signal) > 0 || loop->stopped;
        } else {
            struct loop_source *source = events[i].data.ptr;
            if (source->fd >= 0)
                source->ready(source, events[i].events);
        }
    }
    free_gone(loop);
    return count >= 0 || errno == EINTR;
}
