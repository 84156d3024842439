/*
 * test_output.c - files that appear whole or not at all, and JSON that is whole or null.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "tests/support/capture.h"
#include "tests/support/folder.h"

static size_t count_files(void)
{
    size_t count = 0;
    DIR *directory = opendir(".");
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(directory);
    return count;
}

static void assert_content(const char *path, const char *expected)
{
    char text[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t count = fread(text, 1, sizeof text - 1, file);
    text[count] = '\0';
    fclose(file);
    assert_string_equal(text, expected);
}

static void output_file__appears_at_commit(void **state)
{
    struct output_file file;
    struct stat status;
    (void)state;
    mode_t mask = umask(027);
    assert_true(output_file_open(&file, "a"));
    umask(mask);
    assert_true(output_file_write(&file, "new", 3));
    assert_int_not_equal(stat("a", &status), 0);
    assert_true(output_file_commit(&file));
    assert_content("a", "new");
    assert_int_equal(stat("a", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_int_equal(count_files(), 1);
    output_file_discard(&file);
    assert_int_equal(unlink("a"), 0);
}

static void output_file__discard_keeps_the_old(void **state)
{
    struct output_file file;
    (void)state;
    assert_true(output_file_save("a", "old", 3));
    assert_true(output_file_open(&file, "a"));
    assert_true(output_file_write(&file, "new", 3));
    assert_content("a", "old");
    output_file_discard(&file);
    assert_content("a", "old");
    assert_int_equal(count_files(), 1);
    assert_true(output_file_save("a", "newer", 5));
    assert_content("a", "newer");
    assert_int_equal(unlink("a"), 0);
}

static void output_file__link_stays_a_link(void **state)
{
    struct stat status;
    (void)state;
    assert_true(output_file_save("a", "old", 3));
    assert_int_equal(symlink("a", "b"), 0);
    assert_true(output_file_save("b", "new", 3));
    assert_content("a", "new");
    assert_int_equal(lstat("b", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(unlink("a") + unlink("b"), 0);
}

static void output_file__failures(void **state)
{
    static const struct {
        const char *path, *message;
    } cases[] = {
        {"/dev/full", "weir: /dev/full: cannot write: No space left on device\n"},
        {"none/a", "weir: none/a: cannot write: No such file or directory\n"},
        {".", "weir: .: cannot write: Is a directory\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct capture capture;
        capture_start(&capture, stderr);
        bool saved = output_file_save(cases[i].path, "new", 3);
        assert_string_equal(capture_stop(&capture), cases[i].message);
        assert_false(saved);
        assert_int_equal(count_files(), 0);
    }
    struct stat status;
    assert_int_equal(stat("/dev/full", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
}

/* Something took the place while the file was written. */
static void output_file_commit__cannot_rename(void **state)
{
    struct output_file file;
    struct capture capture;
    (void)state;
    assert_true(output_file_open(&file, "a"));
    assert_true(output_file_write(&file, "new", 3));
    assert_int_equal(mkdir("a", 0700), 0);
    capture_start(&capture, stderr);
    bool saved = output_file_commit(&file);
    assert_string_equal(capture_stop(&capture), "weir: a: cannot write: Is a directory\n");
    assert_false(saved);
    assert_int_equal(count_files(), 1);
    assert_int_equal(rmdir("a"), 0);
}

/* What /dev/stdout leads to in a pipeline has no path of its own. */
static void output_file__writes_to_a_pipe_behind_a_link(void **state)
{
    char link[64], text[8] = "";
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    snprintf(link, sizeof link, "/proc/self/fd/%d", ends[1]);
    assert_true(output_file_save(link, "new", 3));
    assert_int_equal(read(ends[0], text, sizeof text), 3);
    assert_string_equal(text, "new");
    assert_int_equal(close(ends[0]) + close(ends[1]), 0);
}

static void output_same_file__by_what_it_is(void **state)
{
    static const struct {
        const char *a, *b;
        bool same;
    } cases[] = {
        {"a", "a", true},
        {"new", "new", true},
        {"a", "./a", true},
        {"new", "./new", true},
        {"a", "b", true},
        {"new", "other", false},
        {"a", "new", false},
        {"new", "a", false},
        {"new", "/new", false},
        {"none/x", "none/x", true},
        {"/dev/null", "/dev/null", false},
    };
    (void)state;
    assert_true(output_file_save("a", "x", 1));
    assert_int_equal(symlink("a", "b"), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        print_message("%s and %s\n", cases[i].a, cases[i].b);
        assert_int_equal(output_same_file(cases[i].a, cases[i].b), cases[i].same);
    }
    assert_int_equal(unlink("a") + unlink("b"), 0);
}

static void output_file_stream__appears_at_commit(void **state)
{
    struct output_file file;
    (void)state;
    assert_true(output_file_open(&file, "a") && output_file_stream(&file));
    fputs("new", file.stream);
    assert_true(output_file_flush(&file));
    assert_int_equal(access("a", F_OK), -1);
    fputs("er", file.stream);
    assert_true(output_file_commit(&file));
    assert_content("a", "newer");
    assert_true(output_file_open(&file, "a") && output_file_stream(&file));
    fputs("never", file.stream);
    output_file_discard(&file);
    assert_content("a", "newer");
    assert_int_equal(count_files(), 1);
    assert_int_equal(unlink("a"), 0);
}

static void output_file_stream__failure_is_remembered(void **state)
{
    struct output_file file;
    struct capture capture;
    (void)state;
    assert_true(output_file_open(&file, "/dev/full") && output_file_stream(&file));
    fputs("new", file.stream);
    assert_int_not_equal(fflush(file.stream), 0);
    capture_start(&capture, stderr);
    bool flushed = output_file_flush(&file);
    assert_string_equal(capture_stop(&capture), "weir: /dev/full: cannot write: No space left on device\n");
    assert_false(flushed);
    assert_int_equal(file.fd, -1);
}

static void output_json__null_goes_to_the_root(void **state)
{
    struct capture capture;
    (void)state;
    assert_null(output_json_append(json_array(), NULL));
    assert_null(output_json_append(NULL, json_integer(1)));
    assert_null(output_json_set(json_object(), "key", NULL));
    assert_null(output_json_set(NULL, "key", json_integer(1)));
    capture_start(&capture, stderr);
    int code = output_json(json_pack("{s:o, s:o}", "a", json_array(), "b", NULL));
    assert_string_equal(capture_stop(&capture), "weir: out of memory\n");
    assert_int_equal(code, CLI_INTERNAL);
}

static void output_json__prints(void **state)
{
    struct capture capture;
    json_t *array = json_array();
    (void)state;
    array = output_json_append(array, output_json_string("\xce\xb1"));
    array = output_json_append(array, output_json_string("\xff"));
    array = output_json_append(array, json_real(0.5));
    capture_start(&capture, stdout);
    int code = output_json(output_json_set(json_object(), "key", array));
    assert_string_equal(capture_stop(&capture), "{\n  \"key\": [\n    \"\xce\xb1\",\n    \"?\",\n"
                                                "    0.5\n  ]\n}\n");
    assert_int_equal(code, CLI_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_file__appears_at_commit),
        cmocka_unit_test(output_file__discard_keeps_the_old),
        cmocka_unit_test(output_file__link_stays_a_link),
        cmocka_unit_test(output_file__failures),
        cmocka_unit_test(output_file_commit__cannot_rename),
        cmocka_unit_test(output_file__writes_to_a_pipe_behind_a_link),
        cmocka_unit_test(output_same_file__by_what_it_is),
        cmocka_unit_test(output_file_stream__appears_at_commit),
        cmocka_unit_test(output_file_stream__failure_is_remembered),
        cmocka_unit_test(output_json__null_goes_to_the_root),
        cmocka_unit_test(output_json__prints),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
