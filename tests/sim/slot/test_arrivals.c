/*
 * test_arrivals.c - arrival sequences: slot boundaries, and the text form with its errors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arrivals.h"
#include "tests/support/error_line.h"

static enum weir_error_code read_text(struct slot_arrivals *arrivals, const char *text, struct weir_error *error)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fputs(text, file);
    rewind(file);
    enum weir_error_code status = slot_arrivals_read(arrivals, file, "in", error);
    fclose(file);
    return status;
}

static void slot_arrivals_add__fills_the_open_slot(void **state)
{
    (void)state;
    struct slot_arrivals arrivals;
    slot_arrivals_init(&arrivals, 4);
    slot_arrivals_add(&arrivals, 3);
    slot_arrivals_add(&arrivals, 0);
    slot_arrivals_end_slot(&arrivals);
    slot_arrivals_end_slot(&arrivals);
    slot_arrivals_add(&arrivals, 1);
    slot_arrivals_end_slot(&arrivals);
    assert_false(arrivals.failed);
    assert_int_equal(arrivals.count, 3);
    assert_int_equal(arrivals.slots, 3);
    assert_int_equal(arrivals.slot_end[0], 2);
    assert_int_equal(arrivals.slot_end[1], 2);
    assert_int_equal(arrivals.slot_end[2], 3);
    assert_int_equal(slot_arrivals_first(&arrivals, 0), 0);
    assert_int_equal(slot_arrivals_first(&arrivals, 2), 2);
    assert_int_equal(arrivals.port[0], 3);
    assert_int_equal(arrivals.port[2], 1);
    slot_arrivals_free(&arrivals);
}

static void slot_arrivals_add__grows(void **state)
{
    (void)state;
    struct slot_arrivals arrivals;
    slot_arrivals_init(&arrivals, 7);
    for (uint32_t i = 0; i < 10000; i++) {
        slot_arrivals_add(&arrivals, i % 7);
        slot_arrivals_end_slot(&arrivals);
    }
    assert_false(arrivals.failed);
    for (uint32_t i = 0; i < 10000; i++) {
        assert_int_equal(arrivals.port[i], i % 7);
        assert_int_equal(arrivals.slot_end[i], i + 1);
    }
    slot_arrivals_free(&arrivals);
}

static void slot_arrivals_add__adds_nothing_after_a_failure(void **state)
{
    (void)state;
    struct slot_arrivals arrivals;
    slot_arrivals_init(&arrivals, 2);
    arrivals.failed = true;
    slot_arrivals_add(&arrivals, 1);
    slot_arrivals_end_slot(&arrivals);
    assert_int_equal(arrivals.count, 0);
    assert_int_equal(arrivals.slots, 0);
    slot_arrivals_free(&arrivals);
}

static void slot_arrivals_read__takes_what_the_format_allows(void **state)
{
    static const struct {
        const char *text;
        uint64_t slots, count;
        uint32_t last; /* port of the last arrival */
    } cases[] = {
        {"0 1 2\n", 1, 3, 2},
        {"0 1 2", 1, 3, 2},                       /* no newline at the end */
        {"0\n\n1\n", 3, 2, 1},                    /* an empty line is a slot */
        {"  \n3\n", 2, 1, 3},                     /* so is a blank one */
        {"# heading\n0 # rest\n#\n1\n", 2, 2, 1}, /* a comment line is none */
        {"\t0\t 3 \r\n2\r\n", 2, 3, 2},
        {"0003\n", 1, 1, 3},
        {"0 1 # last", 1, 2, 1},
        {"1#x\n", 1, 1, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        struct slot_arrivals arrivals;
        slot_arrivals_init(&arrivals, 4);
        assert_int_equal(read_text(&arrivals, cases[i].text, &error), WEIR_ERROR_NONE);
        assert_int_equal(arrivals.slots, cases[i].slots);
        assert_int_equal(arrivals.count, cases[i].count);
        assert_int_equal(arrivals.slot_end[arrivals.slots - 1], cases[i].count);
        assert_int_equal(arrivals.port[arrivals.count - 1], cases[i].last);
        slot_arrivals_free(&arrivals);
    }
}

static void slot_arrivals_read__names_the_place_of_a_mistake(void **state)
{
    static const struct {
        const char *text, *place;
    } cases[] = {
        {"0 1\n0 4\n", "in:2:3: no such port"},
        {"99999999999999999999999\n", "in:1:1: no such port"},
        {"0\n# c\n 1 x\n", "in:3:4: expected a port number"},
        {"-1\n", "in:1:1: expected a port number"},
        {"0,1\n", "in:1:2: expected a port number"},
        {"", "in:1:1: no slots"},
        {"# nothing\n", "in:2:1: no slots"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        struct slot_arrivals arrivals;
        slot_arrivals_init(&arrivals, 4);
        assert_int_equal(read_text(&arrivals, cases[i].text, &error), WEIR_ERROR_INPUT);
        assert_memory_equal(ERROR_LINE(&error), cases[i].place, strlen(cases[i].place));
        slot_arrivals_free(&arrivals);
    }
}

static void slot_arrivals_write__reads_back(void **state)
{
    (void)state;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct slot_arrivals written, read;
    slot_arrivals_init(&written, 12);
    for (uint32_t slot = 0; slot < 50; slot++) {
        for (uint32_t i = 0; i < slot * 5 % 7; i++)
            slot_arrivals_add(&written, (slot + 5 * i) % 12);
        slot_arrivals_end_slot(&written);
    }
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(slot_arrivals_write(&written, file), WEIR_ERROR_NONE);
    rewind(file);
    slot_arrivals_init(&read, 12);
    assert_int_equal(slot_arrivals_read(&read, file, "copy", &error), WEIR_ERROR_NONE);
    fclose(file);
    assert_int_equal(read.slots, written.slots);
    assert_int_equal(read.count, written.count);
    assert_memory_equal(read.port, written.port, written.count * sizeof *written.port);
    assert_memory_equal(read.slot_end, written.slot_end, written.slots * sizeof *written.slot_end);
    slot_arrivals_free(&read);
    slot_arrivals_free(&written);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slot_arrivals_add__fills_the_open_slot),
        cmocka_unit_test(slot_arrivals_add__grows),
        cmocka_unit_test(slot_arrivals_add__adds_nothing_after_a_failure),
        cmocka_unit_test(slot_arrivals_read__takes_what_the_format_allows),
        cmocka_unit_test(slot_arrivals_read__names_the_place_of_a_mistake),
        cmocka_unit_test(slot_arrivals_write__reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
