/*
 * pool.h - pieces of work in processes of their own, a few at a time. A piece that crashes, hangs or eats memory takes
 * nothing else with it, and needs no lock and no clean-up: its process sends bytes through a pipe and ends.
 *
 *   pool_start   forks a child that calls the work function with the writing end of its pipe
 *   pool_wait    collects bytes until a child has ended, a signal asks to stop, or time is up
 *
 * The limit on time is one of the wall clock, without the time in which the pool was suspended (Ctrl-Z): its children
 * are suspended with it.
 *
 * SIGINT and SIGTERM are held back while the pool exists and come as POOL_SIGNAL; children ignore both, since the
 * owner of the pool decides what becomes of them. A child dies with its parent.
 */
#ifndef LAB_SPREAD_POOL_H
#define LAB_SPREAD_POOL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the child: does piece `item`, writes what came out to `fd` and returns the exit status. */
typedef int pool_work(void *context, uint32_t item, int fd);

struct pool_settings {
    uint32_t jobs; /* children at once, at least 1 */
    double time_s; /* a child that takes longer is killed; 0: no limit */
    pool_work *work;
    void *context;
};

struct pool_child {
    int pid; /* 0: the place is free */
    int fd;  /* reading end */
    uint32_t item;
    double started; /* a moment of the clock, later by all suspensions since */
    bool late;
    uint8_t *bytes;
    size_t size, room;
};

struct pool {
    struct pool_settings settings;
    struct pool_child *children; /* [jobs] */
    struct pollfd *polls;        /* [jobs + 2]: `signals`, the children that run, in their order, and the ear */
    uint32_t running;
    bool listens;    /* waits for `ear` too, even while there is no child */
    int ear;         /* a descriptor of the owner's */
    double awake;    /* the last moment at which this process is known to have run */
    int signals;     /* a signalfd */
    sigset_t before; /* the mask to restore */
};

/* A child that has ended. */
struct pool_done {
    uint32_t item;
    int status;     /* as wait gives it */
    bool late;      /* killed at its time limit */
    uint8_t *bytes; /* all that it wrote; to be freed */
    size_t size;
    double seconds;
    uint64_t memory_bytes; /* the most that was resident */
};

enum pool_event {
    POOL_DONE,      /* *done is filled in */
    POOL_TIME,      /* the time to wait is over, or there is no child to wait for */
    POOL_SIGNAL,    /* SIGINT or SIGTERM */
    POOL_EAR,       /* there is something to read from the ear */
    POOL_NO_MEMORY, /* for what a child sent */
    POOL_FAILED     /* cannot wait; errno says why */
};

/* False with errno set; free either way. */
bool pool_init(struct pool *pool, const struct pool_settings *settings);

/* From now on the pool waits for something to read from this descriptor too, even while there is no child. */
static inline void pool_listen(struct pool *pool, int ear)
{
    pool->listens = true;
    pool->ear = ear;
}

static inline bool pool_has_room(const struct pool *pool)
{
    return pool->running < pool->settings.jobs;
}

/* When there is room. False with errno set: no child was started. */
bool pool_start(struct pool *pool, uint32_t item);

enum pool_event pool_wait(struct pool *pool, double seconds, struct pool_done *done);

/* Kills the children that are left. */
void pool_free(struct pool *pool);

#endif
