/*
 * signal.h - signals where there are none (WASI).
 */
#ifndef ABSENT_SIGNAL_H
#define ABSENT_SIGNAL_H

typedef int sigset_t;
#define SIG_SETMASK 0

static inline int sigfillset(sigset_t *set)
{
    *set = -1;
    return 0;
}

#endif
