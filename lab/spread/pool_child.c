/*
 * pool_child.c - the child's side of pool.h: a forked process that lets go of everything its parent holds, does its
 * piece and ends without running what the parent has registered for its own end.
 */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "lab/spread/pool.h"

#define CHILD_FD 3 /* the first descriptor after the standard ones */

/* The parent's lock on the database, its signals and the pipes of other children are not ours. */
static int keep_only(int fd)
{
    if (fd != CHILD_FD && dup2(fd, CHILD_FD) != CHILD_FD)
        _exit(127);
    close_range(CHILD_FD + 1, ~0u, 0);
    fcntl(CHILD_FD, F_SETFL, 0); /* blocking: a full pipe is to wait */
    return CHILD_FD;
}

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

void pool_child_run(const struct pool_settings *settings, uint32_t item, int fd, int parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before the line above */
        _exit(127);
    fd = keep_only(fd);
    reset_signals();
    _exit(settings->work(settings->context, item, fd));
}
