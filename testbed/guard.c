/*
 * guard.c - see guard.h.
 *
 * The guard holds the reading end of a pipe of which only its parent has the other: the end of the pipe without a word
 * is the end of the parent. It is in a session of its own and ignores what would end it, so that what kills its parent,
 * a signal from the terminal or its hang-up, does not reach it. It takes down until nothing is there any more: a
 * program that the parent had just started may still have made something. Meanwhile a testbed of that name is refused,
 * or it would be taken for the old one: while a guard lives it holds a socket with an abstract name.
 */
#define _GNU_SOURCE 1
#include "testbed/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testbed/process.h"

#define GUARD_FD 3 /* the first descriptor after the standard ones */
#define NAME_FD 4
#define PATIENCE_MS 5000u
#define LOOK_MS 20u
#define ROUNDS 20u
#define BETWEEN_MS 150u

static void take_down(const char *name)
{
    uint32_t quiet = 0;
    for (uint32_t round = 0; round < ROUNDS && quiet < 2; round++) {
        bool there = testbed_is_there(name);
        if (there)
            testbed_down(name);
        quiet = there ? 0 : quiet + 1;
        testbed_pause(BETWEEN_MS);
    }
}

/* Lets go of everything that is not its own. */
static void become_guard(int fd, int name)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    int nothing = open("/dev/null", O_RDWR);
    setsid();
    sigemptyset(&ignore.sa_mask);
    for (int number = 1; number < NSIG; number++)
        if (number != SIGCHLD)
            sigaction(number, &ignore, NULL); /* fails for those that cannot be ignored */
    for (int standard = STDIN_FILENO; standard <= STDERR_FILENO && nothing >= 0; standard++)
        dup2(nothing, standard);
    int away = fcntl(name, F_DUPFD, NAME_FD + 1); /* out of the way of the first */
    if (dup2(fd, GUARD_FD) != GUARD_FD || dup2(away, NAME_FD) != NAME_FD)
        _exit(127);
    close_range(NAME_FD + 1, ~0u, 0);
    if (chdir("/") != 0)
        _exit(127);
}

static void stand_guard(int fd, int held, const char *name)
{
    char word;
    ssize_t got;
    become_guard(fd, held);
    while ((got = read(GUARD_FD, &word, 1)) < 0 && errno == EINTR)
        ;
    if (got != 1)
        take_down(name);
    _exit(0);
}

/* The name, as long as the descriptor is open; -1: taken. */
static int hold_name(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX}; /* a path that begins with a zero is no file */
    int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "weir-testbed-%s", name);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    for (uint32_t waited = 0; fd >= 0 && bind(fd, (const struct sockaddr *)&address, size) != 0; waited += LOOK_MS) {
        if (errno != EADDRINUSE || waited > PATIENCE_MS) {
            close(fd);
            return -1;
        }
        testbed_pause(LOOK_MS);
    }
    return fd;
}

static bool start_guard(struct testbed_guard *guard, const char *name, int held)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    fflush(NULL); /* nothing half-written is to be in two processes */
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        stand_guard(ends[0], held, name);
    }
    int error = errno;
    close(ends[0]);
    if (pid > 0)
        *guard = (struct testbed_guard){.pid = (int)pid, .fd = ends[1]};
    else
        close(ends[1]);
    errno = error;
    return pid > 0;
}

bool testbed_guard_set(struct testbed_guard *guard, const char *name, struct weir_error *error)
{
    *guard = (struct testbed_guard){.fd = -1};
    int held = hold_name(name);
    if (held < 0)
        return weir_fail(error, WEIR_ERROR_SYSTEM, "a testbed '%s' is in use by another process (--name makes another)",
                         name);
    bool there = testbed_is_there(name), set = !there && start_guard(guard, name, held);
    if (there)
        weir_fail(error, WEIR_ERROR_SYSTEM, "testbed '%s' already exists ('weir testbed down --name %s' removes it)",
                  name, name);
    else if (!set)
        weir_fail(error, WEIR_ERROR_SYSTEM, "cannot start a process: %s", strerror(errno));
    close(held);
    return set;
}

void testbed_guard_lift(struct testbed_guard *guard)
{
    if (guard->fd < 0)
        return;
    bool told = write(guard->fd, "", 1) == 1;
    close(guard->fd);
    guard->fd = -1;
    while (told && waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
        ;
}
