/*
 * test_confine.c - what a confined process can still do, each try in its own process.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/confine.h"
#include "tests/support/error_line.h"

static int try_exec(void)
{
    static char name[] = "true";
    char *const argv[] = {name, NULL};
    execve("/bin/true", argv, NULL);
    return errno;
}

static int try_socket(void)
{
    return socket(AF_INET, SOCK_STREAM, 0) >= 0 ? 0 : errno;
}

static int try_unix(void)
{
    return socket(AF_UNIX, SOCK_STREAM, 0) >= 0 ? 0 : errno;
}

static int try_bpf(void)
{
    return syscall(SYS_bpf, 0, NULL, 0) >= 0 ? 0 : errno;
}

static int try_setns(void)
{
    return syscall(SYS_unshare, 0) == 0 ? 0 : errno;
}

static int try_file(void)
{
    return open("/dev/null", O_RDWR) >= 0 ? 0 : errno;
}

static int try_fork(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    return pid > 0 && waitpid(pid, NULL, 0) == pid ? 0 : errno;
}

static int try_privileges(void)
{
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : 1;
}

static void *call(void *context)
{
    int (*const *what)(void) = context;
    return (void *)(intptr_t)(*what)();
}

/* As errno tells of it: in a thread, or in the first one. */
static int confined(enum confine_rights rights, int (*what)(void), bool thread)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        confine_calls(rights);
        if (rights != CONFINE_NOTHING && !confine_is_filtered())
            _exit(77);
        void *result = NULL;
        pthread_t other;
        if (thread && (pthread_create(&other, NULL, call, &what) != 0 || pthread_join(other, &result) != 0))
            _exit(99);
        _exit(thread ? (int)(intptr_t)result : what());
    }
    assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void confine_calls__cases(void **state)
{
    static const struct {
        enum confine_rights rights;
        int (*what)(void);
        int expected;
    } cases[] = {
        {CONFINE_FILES, try_exec, EPERM},     {CONFINE_FILES, try_socket, EPERM},  {CONFINE_FILES, try_unix, EPERM},
        {CONFINE_FILES, try_bpf, EPERM},      {CONFINE_FILES, try_setns, EPERM},   {CONFINE_FILES, try_file, 0},
        {CONFINE_FILES, try_fork, 0},         {CONFINE_FILES, try_privileges, 0},  {CONFINE_SOCKETS, try_exec, EPERM},
        {CONFINE_SOCKETS, try_bpf, EPERM},    {CONFINE_SOCKETS, try_setns, EPERM}, {CONFINE_SOCKETS, try_unix, 0},
        {CONFINE_SOCKETS, try_socket, 0},     {CONFINE_SOCKETS, try_file, 0},      {CONFINE_NOTHING, try_exec, 0},
        {CONFINE_NOTHING, try_privileges, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int thread = 0; thread < 2; thread++) {
            int got = confined(cases[i].rights, cases[i].what, thread);
            if (got == 77) {
                print_message("skipped: this kernel has no filters\n");
                skip();
            }
            if (got != cases[i].expected)
                fail_msg("case %zu: %s (expected %s)", i, strerror(got), strerror(cases[i].expected));
        }
}

static void confine_find_user__cases(void **state)
{
    struct confine_user user;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    (void)state;
    assert_true(confine_find_user(&user, "4000000", &error));
    assert_int_equal(user.uid, 4000000);
    assert_int_equal(user.gid, 4000000);
    static const char *const wrong[] = {"0", "root", "", "no such user", "-1", "4294967295", "12x"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (confine_find_user(&user, wrong[i], &error))
            fail_msg("'%s' is a user", wrong[i]);
    assert_string_equal(ERROR_LINE(&error), "--user: this machine has no user '12x'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(confine_calls__cases),
        cmocka_unit_test(confine_find_user__cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
