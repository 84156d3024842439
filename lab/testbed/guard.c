/*
 * guard.c - see guard.h.
 *
 * The guard holds the reading end of a pipe of which only its parent has the other: the end of the pipe without a word
 * is the end of the parent. It is in its own session and ignores what would end it, so that what kills its parent,
 * a signal from the terminal or its hang-up, does not reach it. It takes down until nothing is there any more: a
 * program that the parent had just started may still have made something. Meanwhile a testbed of that name is refused,
 * or it would be taken for the old one: while a guard lives it holds the lock on a file which only root can open.
 */
#define _GNU_SOURCE 1
#include "lab/testbed/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/testbed/process.h"

#define GUARD_FD 3 /* the first descriptor after the standard ones */
#define NAME_FD 4
#define PATIENCE_MS 5000u
#define LOOK_MS 20u
#define ROUNDS 20u
#define BETWEEN_MS 150u

static void lock_path(const char *name, char path[TESTBED_PATH_MAX])
{
    snprintf(path, TESTBED_PATH_MAX, TESTBED_FOLDER "/lock-%s", name);
}

/* While the lock is held. */
static void forget_name(const char *name)
{
    char path[TESTBED_PATH_MAX];
    lock_path(name, path);
    unlink(path);
}

static void stand_guard(int fd, int held, const char *name)
{
    char word;
    ssize_t got;
    /* Lets go of everything that is not its own. */
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    int nothing = open("/dev/null", O_RDWR);
    setsid();
    sigemptyset(&ignore.sa_mask);
    for (int number = 1; number < NSIG; number++)
        if (number != SIGCHLD)
            sigaction(number, &ignore, NULL); /* fails for those that cannot be ignored */
    for (int standard = STDIN_FILENO; standard <= STDERR_FILENO && nothing >= 0; standard++)
        dup2(nothing, standard);
    int away = fcntl(held, F_DUPFD, NAME_FD + 1); /* out of the way of the first */
    if (dup2(fd, GUARD_FD) != GUARD_FD || dup2(away, NAME_FD) != NAME_FD)
        _exit(127);
    close_range(NAME_FD + 1, ~0u, 0);
    if (chdir("/") != 0)
        _exit(127);
    while ((got = read(GUARD_FD, &word, 1)) < 0 && errno == EINTR)
        ;
    if (got != 1) {
        uint32_t quiet = 0;
        for (uint32_t round = 0; round < ROUNDS && quiet < 2; round++) {
            bool there = testbed_is_there(name);
            if (there)
                testbed_down(name);
            quiet = there ? 0 : quiet + 1;
            testbed_pause(BETWEEN_MS);
        }
    }
    forget_name(name);
    _exit(0);
}

/* True when the file at `path` is the one that is open: a guard that ended may have removed it meanwhile. */
static bool is_the_same(int fd, const char *path)
{
    struct stat open_one, named;
    return fstat(fd, &open_one) == 0 && lstat(path, &named) == 0 && open_one.st_dev == named.st_dev &&
           open_one.st_ino == named.st_ino;
}

/* The name, as long as the descriptor or a copy of it is open; -1: taken, or see errno. */
static int hold_name(const char *name)
{
    char path[TESTBED_PATH_MAX];
    lock_path(name, path);
    if (mkdir(TESTBED_FOLDER, 0755) != 0 && errno != EEXIST)
        return -1;
    for (uint32_t waited = 0; waited <= PATIENCE_MS; waited += LOOK_MS) {
        int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0)
            return -1;
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 && is_the_same(fd, path))
            return fd;
        close(fd);
        testbed_pause(LOOK_MS);
    }
    errno = EWOULDBLOCK;
    return -1;
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
    if (held < 0 && errno == EWOULDBLOCK)
        return weir_fail(error, WEIR_ERROR_SYSTEM, "a testbed '%s' is in use by another process (--name makes another)",
                         name);
    if (held < 0)
        return weir_fail(error, WEIR_ERROR_SYSTEM, "cannot lock %s: %s", TESTBED_FOLDER, strerror(errno));
    bool there = testbed_is_there(name), set = !there && start_guard(guard, name, held);
    if (there)
        weir_fail(error, WEIR_ERROR_SYSTEM, "testbed '%s' already exists ('weir testbed down --name %s' removes it)",
                  name, name);
    else if (!set)
        weir_fail(error, WEIR_ERROR_SYSTEM, "cannot start a process: %s", strerror(errno));
    if (!set)
        forget_name(name);
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
