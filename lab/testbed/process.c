/*
 * process.c - see process.h.
 */
#define _GNU_SOURCE 1
#include "lab/testbed/process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SPACES "/run/netns/"
#define READY_S 30u /* for a switch, which may have to wait for memory */
#define LOOK_MS 20u
#define TAIL_BYTES 4096

/* What the child needs, opened before it exists; -1: not wanted. */
struct descriptors {
    int input, log, space, report;
};

static int open_input(const char *text)
{
    int fd = text != NULL ? memfd_create("input", MFD_CLOEXEC) : open("/dev/null", O_RDONLY | O_CLOEXEC);
    size_t size = text != NULL ? strlen(text) : 0;
    if (fd >= 0 && size > 0 && (write(fd, text, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

static void become(const struct testbed_program_run *run, const struct descriptors *fds, pid_t parent)
{
    setpgid(0, 0);
    /* What a pool's child ignores must not be ignored by a program that wants to be stopped by it. */
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t none;
    sigemptyset(&action.sa_mask);
    for (int number = 1; number < NSIG; number++)
        sigaction(number, &action, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    const struct sched_param priority = {.sched_priority = run->priority};
    if (run->priority > 0)
        sched_setscheduler(0, SCHED_RR, &priority); /* without the right to, it goes on as any other */
    if (!run->stays)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!run->stays && getppid() != parent) /* it died before the line above */
        _exit(127);
    bool good = (fds->space < 0 || setns(fds->space, CLONE_NEWNET) == 0) &&
                (run->cpus == NULL || sched_setaffinity(0, sizeof *run->cpus, run->cpus) == 0) &&
                dup2(fds->input, STDIN_FILENO) >= 0 && dup2(fds->log, STDOUT_FILENO) >= 0 &&
                dup2(fds->log, STDERR_FILENO) >= 0;
    close_range(STDERR_FILENO + 1, ~0u,
                CLOSE_RANGE_CLOEXEC); /* also what this process was given and does not know of */
    if (good)
        execvp(run->argv[0], (char *const *)run->argv);
    int error = errno;
    if (write(fds->report, &error, sizeof error) < 0)
        _exit(126);
    _exit(127);
}

/* What the child reports before it becomes the program: nothing when it could. */
static int read_error(int fd)
{
    int error = 0;
    ssize_t got;
    while ((got = read(fd, &error, sizeof error)) < 0 && errno == EINTR)
        ;
    return got == (ssize_t)sizeof error ? error : 0;
}

static int start_child(const struct testbed_program_run *run, struct descriptors *fds)
{
    int ends[2], error = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return 0;
    fds->report = ends[1];
    fflush(NULL); /* nothing half-written is to be in two processes */
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become(run, fds, parent);
    error = errno;
    close(ends[1]);
    fds->report = -1;
    if (pid > 0 && (error = read_error(ends[0])) != 0) {
        waitpid(pid, NULL, 0);
        pid = -1;
    }
    close(ends[0]);
    errno = error;
    return pid > 0 ? (int)pid : 0;
}

int testbed_start(const struct testbed_program_run *run, struct weir_error *error)
{
    struct descriptors fds = {-1, -1, -1, -1};
    char path[sizeof SPACES + TESTBED_SPACE_MAX];
    snprintf(path, sizeof path, SPACES "%s", run->space != NULL ? run->space : "");
    fds.space = run->space != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    fds.input = open_input(run->input);
    fds.log = run->log != NULL ? open(run->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)
                               : open("/dev/null", O_WRONLY | O_CLOEXEC);
    int pid = (fds.input >= 0 && fds.log >= 0 && (run->space == NULL || fds.space >= 0)) ? start_child(run, &fds) : 0;
    if (pid == 0)
        weir_fail(error, WEIR_ERROR_SYSTEM, "cannot start '%s': %s", run->argv[0], strerror(errno));
    const int all[] = {fds.input, fds.log, fds.space, fds.report};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i] >= 0)
            close(all[i]);
    return pid;
}

bool testbed_last_words(const char *log, char line[TESTBED_MESSAGE_MAX])
{
    char tail[TAIL_BYTES + 1], *at;
    FILE *in = fopen(log, "re");
    if (in == NULL)
        return false;
    if (fseek(in, -TAIL_BYTES, SEEK_END) != 0)
        rewind(in);
    size_t size = fread(tail, 1, TAIL_BYTES, in);
    fclose(in);
    while (size > 0 && (tail[size - 1] == '\n' || tail[size - 1] == ' '))
        size--;
    tail[size] = '\0';
    at = strrchr(tail, '\n');
    snprintf(line, TESTBED_MESSAGE_MAX, "%.*s", (int)TESTBED_MESSAGE_MAX - 1, at != NULL ? at + 1 : tail);
    return size > 0;
}

bool testbed_log_line(const char *log, const char *text, char line[TESTBED_MESSAGE_MAX])
{
    bool found = false;
    FILE *in = fopen(log, "re");
    while (in != NULL && !found && fgets(line, TESTBED_MESSAGE_MAX, in) != NULL)
        found = strstr(line, text) != NULL;
    if (in != NULL)
        fclose(in);
    line[strcspn(line, "\n")] = '\0';
    return found;
}

/* Waits for it; true when it ended with status 0. Else one line: its last words in the log, or its status. */
static bool testbed_await(const struct testbed_program_run *run, int pid, struct weir_error *error)
{
    const char *name = strrchr(run->argv[0], '/') != NULL ? strrchr(run->argv[0], '/') + 1 : run->argv[0];
    char words[TESTBED_MESSAGE_MAX];
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (WIFSIGNALED(status))
        weir_fail(error, WEIR_ERROR_SYSTEM, "%s: ended by signal %d, %s", name, WTERMSIG(status),
                  strsignal(WTERMSIG(status)));
    else if (run->log != NULL && testbed_last_words(run->log, words))
        weir_fail(error, WEIR_ERROR_SYSTEM, "%s: %.200s", name, words);
    else
        weir_fail(error, WEIR_ERROR_SYSTEM, "%s: ended with status %d", name, WEXITSTATUS(status));
    return false;
}

bool testbed_run(const struct testbed_program_run *run, struct weir_error *error)
{
    int pid = testbed_start(run, error);
    return pid > 0 && testbed_await(run, pid, error);
}

bool testbed_try(bool (*attempt)(void))
{
    int status = 1;
    fflush(NULL); /* nothing half-written is to be in two processes */
    pid_t pid = fork();
    if (pid == 0)
        _exit(attempt() ? 0 : 1);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return pid > 0 && status == 0;
}

bool testbed_has_ended(int pid, int *status)
{
    return waitpid(pid, status, WNOHANG) == pid;
}

void testbed_pause(uint32_t ms)
{
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

void testbed_processors(cpu_set_t *of_switch, cpu_set_t *of_hosts)
{
    int last = 0;
    if (sched_getaffinity(0, sizeof *of_hosts, of_hosts) != 0)
        CPU_ZERO(of_hosts);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        last = CPU_ISSET(cpu, of_hosts) ? cpu : last;
    CPU_ZERO(of_switch);
    CPU_SET(last, of_switch);
    if (CPU_COUNT(of_hosts) > 1)
        CPU_CLR(last, of_hosts);
    else
        *of_hosts = *of_switch;
}

bool testbed_await_ready(const struct testbed_program_run *run, int pid, struct weir_error *error)
{
    int status;
    char words[TESTBED_MESSAGE_MAX];
    for (uint32_t waited = 0; waited < READY_S * 1000; waited += LOOK_MS) {
        /* True when a line of the log begins with "ready". */
        char line[256];
        bool ready = false;
        FILE *in = fopen(run->log, "re");
        while (in != NULL && !ready && fgets(line, sizeof line, in) != NULL)
            ready = strncmp(line, "ready", 5) == 0;
        if (in != NULL)
            fclose(in);
        if (ready)
            return true;
        if (testbed_has_ended(pid, &status)) {
            bool spoke = testbed_last_words(run->log, words);
            return weir_fail(error, WEIR_ERROR_SYSTEM, "%s did not start%s%.160s", run->argv[0], spoke ? ": " : "",
                             spoke ? words : "");
        }
        testbed_pause(LOOK_MS);
    }
    return weir_fail(error, WEIR_ERROR_SYSTEM, "%s is not ready after %u s (see %s)", run->argv[0], READY_S, run->log);
}
