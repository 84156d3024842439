/*
 * test_guard.c - the last words of a process that its guard ends: to its parent, or to stderr.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "lab/plan/guard.h"
#include "weir/error.h"

/* What a process says that sleeps beyond its limit; it begins with the kind of the error where a parent listens. */
static void guard__ends_what_takes_too_long(void **state)
{
    static const char words[] = "the run took longer than 0.001s, its limit", line[] = "weir: ";
    (void)state;
    for (int child = 0; child < 2; child++) {
        char text[128] = "";
        int ends[2], status;
        assert_int_equal(pipe(ends), 0);
        pid_t pid = fork();
        if (pid == 0) {
            const struct run_limits limits = {.time_ps = WEIR_PS_PER_MS};
            if (!child)
                dup2(ends[1], STDERR_FILENO);
            guard_start(&limits, 1, child ? ends[1] : GUARD_STDERR);
            sleep(30);
            _exit(0);
        }
        close(ends[1]);
        size_t size = 0;
        for (ssize_t got = 1; got > 0; size += got > 0 ? (size_t)got : 0)
            got = read(ends[0], text + size, sizeof text - 1 - size);
        close(ends[0]);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == CLI_INTERNAL);
        if (child) {
            assert_int_equal(text[0], WEIR_ERROR_SYSTEM);
            assert_string_equal(text + 1, words);
        } else {
            assert_memory_equal(text, line, sizeof line - 1);
            assert_memory_equal(text + sizeof line - 1, words, sizeof words - 1);
            assert_string_equal(text + sizeof line + sizeof words - 2, "\n");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(guard__ends_what_takes_too_long)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
