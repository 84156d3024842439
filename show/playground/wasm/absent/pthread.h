/*
 * pthread.h - threads where there are none (WASI): starting one fails, as it may anywhere.
 */
#ifndef ABSENT_PTHREAD_H
#define ABSENT_PTHREAD_H

#include <errno.h>
#include <signal.h>
#include <stddef.h>

typedef int pthread_t;
typedef int pthread_mutex_t;
#define PTHREAD_MUTEX_INITIALIZER 0

static inline int pthread_create(pthread_t *thread, const void *how, void *(*run)(void *), void *context)
{
    (void)thread;
    (void)how;
    (void)run;
    (void)context;
    return EAGAIN;
}

static inline int pthread_join(pthread_t thread, void **result)
{
    (void)thread;
    (void)result;
    return ESRCH;
}

static inline int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    (void)mutex;
    return 0;
}

static inline int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    (void)mutex;
    return 0;
}

static inline int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    (void)how;
    (void)set;
    (void)before;
    return 0;
}

#endif
