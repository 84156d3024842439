/*
 * test_parcel.c - runs as bytes on their way from another machine: whole, cut, changed, and as files.
 */
#define _GNU_SOURCE 1
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/spread/parcel.h"

#define ID "0123456789abcdef"

static uint8_t sent[] = "until: 1ms\n\0measures";

static struct parcel make(int status)
{
    return (struct parcel){.id = ID,
                           .code = "weir=1 dt=2",
                           .version = "0.1.0",
                           .done = {.item = 7,
                                    .status = status,
                                    .late = true,
                                    .bytes = sent,
                                    .size = sizeof sent,
                                    .seconds = 1.5,
                                    .memory_bytes = 4096}};
}

static void expect_same(const struct parcel *got, const struct parcel *wanted)
{
    assert_string_equal(got->id, wanted->id);
    assert_string_equal(got->code, wanted->code);
    assert_string_equal(got->version, wanted->version);
    assert_int_equal(got->done.item, 0); /* whoever takes it knows its place */
    assert_int_equal(got->done.status, wanted->done.status);
    assert_int_equal(got->done.late, wanted->done.late);
    assert_true(got->done.seconds == wanted->done.seconds);
    assert_int_equal(got->done.memory_bytes, wanted->done.memory_bytes);
    assert_int_equal(got->done.size, wanted->done.size);
    assert_memory_equal(got->done.bytes, wanted->done.bytes, wanted->done.size);
}

static void parcel_unpack__gives_back(void **state)
{
    (void)state;
    for (int status = 0; status < 0x300; status += 0x100) {
        struct parcel parcel = make(status), back;
        size_t size;
        uint8_t *bytes = parcel_pack(&parcel, &size);
        assert_non_null(bytes);
        assert_true(parcel_unpack(&back, bytes, size));
        expect_same(&back, &parcel);
        assert_int_equal(parcel_is_finished(&back), status == 0);
        free(bytes);
    }
}

/* Every prefix, and every byte changed: refused. The copy has its exact size, for the sanitizer. */
static void parcel_unpack__damaged(void **state)
{
    (void)state;
    struct parcel parcel = make(0), back;
    size_t size;
    uint8_t *bytes = parcel_pack(&parcel, &size);
    for (size_t length = 0; length < size; length++) {
        uint8_t *copy = malloc(length + 1);
        assert_non_null(copy);
        memcpy(copy, bytes, length);
        assert_false(parcel_unpack(&back, copy, length));
        free(copy);
    }
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 0x20;
        assert_false(parcel_unpack(&back, bytes, size));
        bytes[i] ^= 0x20;
    }
    assert_true(parcel_unpack(&back, bytes, size));
    free(bytes);
}

/* An id that is no name of a file of its folder is refused even with the right sum. */
static void parcel_unpack__ids(void **state)
{
    (void)state;
    static const char *const ids[] = {"", "../../etc/passwd", "0123456789abcdeg", "0123456789ABCDEF",
                                      "0123456789abcde"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        struct parcel parcel = make(0), back;
        size_t size;
        memset(parcel.id, 0, sizeof parcel.id);
        memcpy(parcel.id, ids[i], strlen(ids[i]));
        uint8_t *bytes = parcel_pack(&parcel, &size);
        assert_false(parcel_unpack(&back, bytes, size));
        free(bytes);
    }
}

static void parcel_load__files_and_marks(void **state)
{
    (void)state;
    char folder[] = "/tmp/weir-parcel.XXXXXX", path[64];
    struct parcel parcel = make(0), back;
    uint8_t *bytes;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(parcel_load(folder, ID, &back, &bytes), PARCEL_MISSING);
    free(bytes);
    assert_false(parcel_is_marked(folder, ID));
    assert_true(parcel_save(folder, &parcel));
    assert_int_equal(parcel_load(folder, ID, &back, &bytes), PARCEL_GOOD);
    expect_same(&back, &parcel);
    free(bytes);
    parcel_unmark(folder, ID); /* it is no mark */
    assert_int_equal(parcel_load(folder, ID, &back, &bytes), PARCEL_GOOD);
    free(bytes);
    parcel_mark(folder, ID);
    assert_true(parcel_is_marked(folder, ID));
    assert_int_equal(parcel_load(folder, ID, &back, &bytes), PARCEL_STORED);
    free(bytes);
    parcel_unmark(folder, ID);
    assert_int_equal(parcel_load(folder, ID, &back, &bytes), PARCEL_MISSING);
    free(bytes);
    assert_true(snprintf(path, sizeof path, "%s/%s", folder, ID) > 0);
    assert_int_equal(mkdir(path, 0700), 0); /* no file at all */
    assert_int_equal(parcel_load(folder, ID, &back, &bytes), PARCEL_MISSING);
    assert_null(bytes);
    assert_int_equal(rmdir(path), 0);
    FILE *file = fopen(path, "w");
    assert_true(file != NULL && fputc(1, file) == 1 && fclose(file) == 0);
    assert_int_equal(parcel_load(folder, ID, &back, &bytes), PARCEL_MISSING); /* a byte is neither a run nor a mark */
    free(bytes);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parcel_unpack__gives_back),
        cmocka_unit_test(parcel_unpack__damaged),
        cmocka_unit_test(parcel_unpack__ids),
        cmocka_unit_test(parcel_load__files_and_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
