/*
 * test_letters.c - the font that a drawing brings with it: its tables hold what they say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "show/draw/letters.h"

static uint32_t number_at(const uint8_t *at, uint32_t bytes)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < bytes; i++)
        value = value << 8 | at[i];
    return value;
}

/* The table of this name; its sum is right. */
static const uint8_t *table_of(const uint8_t *font, size_t size, const char *name, uint32_t *length)
{
    for (uint32_t i = 0; i < number_at(font + 4, 2); i++) {
        const uint8_t *row = font + 12 + 16 * i;
        uint32_t start = number_at(row + 8, 4), sum = 0;
        *length = number_at(row + 12, 4);
        if (memcmp(row, name, 4) != 0)
            continue;
        assert_true(start % 4 == 0 && start + *length <= size);
        for (uint32_t at = 0; at < *length; at += 4)
            sum += number_at(font + start + at, 4);
        if (strcmp(name, "head") == 0) /* was made before the sum of the whole was put there */
            sum -= number_at(font + start + 8, 4);
        assert_int_equal(sum, number_at(row + 4, 4));
        return font + start;
    }
    fail_msg("no table %s", name);
    return NULL;
}

static void letters_use__counts_once(void **state)
{
    struct letters letters = {.bold = true};
    (void)state;
    assert_int_equal(letters_use(&letters, 'A'), 1);
    assert_int_equal(letters_use(&letters, 0xb5), 2);
    assert_int_equal(letters_use(&letters, 'A'), 1);
    assert_int_equal(letters_use(&letters, 0x4e2d), 0); /* no such letter */
    assert_int_equal(letters.count, 2);
    assert_int_equal(letters_character(&letters, 2), 0xb5);
    assert_int_equal(letters_width(&letters, 1), 1479); /* as Helvetica Bold: 722 of 1000 */
}

static void letters_font__tables(void **state)
{
    struct letters letters = {.bold = false};
    size_t size;
    uint32_t length, sum = 0;
    (void)state;
    for (uint32_t character = ' '; character < 0x7f; character++)
        assert_true(letters_use(&letters, character) > 0);
    letters_use(&letters, 0xe4); /* composed: a letter and dots */
    uint8_t *font = letters_font(&letters, &size);
    assert_non_null(font);
    assert_int_equal(size % 4, 0);
    for (size_t at = 0; at < size; at += 4)
        sum += number_at(font + at, 4);
    assert_int_equal(sum, 0xb1b0afba);
    assert_int_equal(number_at(table_of(font, size, "maxp", &length) + 4, 2), 97); /* with the one for none */
    assert_int_equal(length, 32);
    table_of(font, size, "head", &length);
    assert_int_equal(length, 54);
    table_of(font, size, "hhea", &length);
    assert_int_equal(length, 36);
    table_of(font, size, "hmtx", &length);
    assert_int_equal(length, 4 * 97);
    uint32_t outlines;
    const uint8_t *glyf = table_of(font, size, "glyf", &outlines), *loca = table_of(font, size, "loca", &length);
    assert_int_equal(length, 4 * 98);
    assert_int_equal(number_at(loca + 4 * 97, 4), outlines);
    for (uint32_t i = 0; i < 97; i++) {
        uint32_t from = number_at(loca + 4 * i, 4), to = number_at(loca + 4 * (i + 1), 4);
        assert_true(from <= to && to <= outlines);
        if (to > from) /* no composed ones are left, nor hints */
            assert_in_range(number_at(glyf + from, 2), 1, 20);
    }
    free(font);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_use__counts_once),
        cmocka_unit_test(letters_font__tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
