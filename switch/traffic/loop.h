/*
 * loop.h - the one loop of the process: descriptors that have something to say, a moment to wake at, and signals that
 * ask it to end.
 */
#ifndef TRAFFIC_LOOP_H
#define TRAFFIC_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

/* First member of what the loop watches, which is allocated with malloc and released by loop_close. */
struct loop_source {
    int fd; /* -1: closed */
    void (*ready)(struct loop_source *source, uint32_t events);
    struct loop_source *next_gone;
};

struct loop {
    int epoll_fd, timer_fd, signal_fd;
    int64_t wake_ns;          /* what the timer is set to; 0: it is not */
    bool stopped;             /* by a signal */
    struct loop_source *gone; /* closed, but perhaps named by an event that is still to be looked at */
};

/* Takes SIGINT and SIGTERM over. False: see errno. Release with loop_free either way. */
bool loop_init(struct loop *loop);
void loop_free(struct loop *loop);

/* False: see errno; the source stays the caller's. */
bool loop_add(struct loop *loop, struct loop_source *source, uint32_t events);
void loop_change(struct loop *loop, struct loop_source *source, uint32_t events);

/* Closes the descriptor and releases the source when it is safe. */
void loop_close(struct loop *loop, struct loop_source *source);

/* Waits until something is ready or `wake_ns` (wall.h) has come, and lets what is ready act. False: see errno. */
bool loop_wait(struct loop *loop, int64_t wake_ns);

#endif
