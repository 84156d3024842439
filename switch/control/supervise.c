/*
 * supervise.c - see supervise.h. The watching process keeps its rights: it opens nothing and reads nothing, and starts
 * the next switch with them.
 */
#define _GNU_SOURCE 1
#include "switch/control/supervise.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/clock.h"

#define CRASHES_MAX 5u /* within CRASHES_S */
#define CRASHES_S 60.0
#define BETWEEN_US 200000u

struct watcher {
    int (*once)(void *context, struct supervised *supervised);
    void *context;
    const char *control;
    struct supervised *shared;
    sigset_t waits, before;
    double crash_at[CRASHES_MAX]; /* a ring */
};

void supervise_follow(void)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
}

/* Passes signals on until the child has ended: its status. */
static int await_end(const struct watcher *watcher, pid_t pid, bool *stopping)
{
    int status = 0;
    for (;;) {
        siginfo_t came;
        pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid || (ended < 0 && errno != EINTR))
            return status;
        int number = sigwaitinfo(&watcher->waits, &came);
        if (number != SIGINT && number != SIGTERM)
            continue;
        *stopping = true;
        kill(pid, number);
    }
}

static int watch_over(struct watcher *watcher)
{
    for (bool stopping = false;;) {
        fflush(NULL); /* nothing half-written is to be in two processes */
        pid_t parent = getpid(), pid = fork();
        if (pid == 0) {
            supervise_follow();
            if (getppid() != parent)
                _exit(CLI_INTERNAL);
            sigprocmask(SIG_SETMASK, &watcher->before, NULL);
            int code = watcher->once(watcher->context, watcher->shared);
            fflush(NULL);
            _exit(code);
        }
        if (pid < 0)
            return cli_error(CLI_INTERNAL, "--restart: cannot start a process: %s", strerror(errno));
        int status = await_end(watcher, pid, &stopping), number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        switch_socket_remove(watcher->control, &watcher->shared->socket);
        if (number == 0)
            return WEXITSTATUS(status);
        if (stopping)
            return cli_error(CLI_INTERNAL, "the switch ended by signal %d, %s", number, strsignal(number));
        /* Counts a crash; false: too many. */
        struct supervised *shared = watcher->shared;
        double now = clock_seconds(), *place = &watcher->crash_at[shared->restarts % CRASHES_MAX];
        bool too_many = shared->restarts >= CRASHES_MAX && now - *place < CRASHES_S;
        *place = now;
        if (too_many)
            return cli_error(CLI_INTERNAL, "the switch ended by signal %d, %s, %u times within %.0f s: given up",
                             number, strsignal(number), CRASHES_MAX + 1, CRASHES_S);
        shared->restarts++;
        shared->last_signal = number;
        cli_error(CLI_OK, "warning: the switch ended by signal %d, %s: restart %u", number, strsignal(number),
                  watcher->shared->restarts);
        usleep(BETWEEN_US);
    }
}

int supervise(int (*once)(void *context, struct supervised *supervised), void *context, const char *control)
{
    struct watcher watcher = {.once = once, .context = context, .control = control};
    void *shared = mmap(NULL, sizeof *watcher.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return cli_error_memory();
    watcher.shared = shared;
    sigemptyset(&watcher.waits);
    sigaddset(&watcher.waits, SIGINT);
    sigaddset(&watcher.waits, SIGTERM);
    sigaddset(&watcher.waits, SIGCHLD);
    sigprocmask(SIG_BLOCK, &watcher.waits, &watcher.before);
    int code = watch_over(&watcher);
    munmap(shared, sizeof *watcher.shared);
    return code;
}
