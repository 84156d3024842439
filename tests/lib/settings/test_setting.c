/*
 * test_setting.c - defaults, ranges and fields of every width, by a table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "lib/settings/setting.h"

struct thing {
    bool flag;
    uint32_t count;
    weir_ps time_ps;
    double real;
    const weir_bps *rates;
};

static const struct setting thing_settings[] = {
    {.name = "flag", .unit = SETTING_FLAG, SETTING_FIELD(struct thing, flag), .initial = 1, .max = 1, .help = "-"},
    {.name = "count",
     .unit = SETTING_COUNT,
     SETTING_FIELD(struct thing, count),
     .initial = 3,
     .min = 2,
     .max = 9,
     .word = "all",
     .word_value = 0,
     .help = "-"},
    {.name = "time",
     .unit = SETTING_TIME,
     SETTING_FIELD(struct thing, time_ps),
     .initial = 5,
     .min = 5,
     .max = 7,
     .or_zero = true,
     .help = "-"},
    {.name = "real",
     .unit = SETTING_REAL,
     SETTING_FIELD(struct thing, real),
     .initial = SETTING_BILLION / 4,
     .max = SETTING_BILLION,
     .kernel_differs = true,
     .kernel = SETTING_BILLION / 2,
     .help = "-"},
    {.name = "rates", .unit = SETTING_RATES, SETTING_FIELD(struct thing, rates), .help = "-"},
};
static const struct setting_table thing_table = SETTING_TABLE(thing_settings, struct thing);

static void settings_init__defaults(void **state)
{
    struct thing thing;
    struct weir_error error;
    (void)state;
    memset(&thing, 0xff, sizeof thing);
    settings_init(&thing_table, &thing);
    assert_true(thing.flag && thing.count == 3 && thing.time_ps == 5 && thing.real == 0.25 && thing.rates == NULL);
    assert_true(settings_check(&thing_table, &thing, &error));
    assert_true(settings_init_kernel(&thing_table, &thing));
    assert_true(thing.count == 3 && thing.real == 0.5); /* only what differs */
    thing.real = 0.25;
}

static void settings_check__ranges(void **state)
{
    static const struct {
        const char *name;
        int64_t value;
        const char *text; /* null: in range */
    } rows[] = {
        {"count", 2, NULL},
        {"count", 9, NULL},
        {"count", 0, NULL}, /* its word */
        {"count", 1, "count: 1 is not within 2 to 9"},
        {"count", 10, "count: 10 is not within 2 to 9"},
        {"time", 0, NULL}, /* C callers may */
        {"time", -1, "time: -1 is not within 5 to 7"},
        {"real", 0, NULL},
        {"real", SETTING_BILLION * 2, "real: 2 is not within 0 to 1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct thing thing;
        struct weir_error error;
        const struct setting *setting = settings_find(&thing_table, rows[i].name);
        settings_init(&thing_table, &thing);
        setting_store(setting, &thing, rows[i].value);
        assert_int_equal(setting_load(setting, &thing), rows[i].value);
        assert_int_equal(settings_check(&thing_table, &thing, &error), rows[i].text == NULL);
        if (rows[i].text)
            assert_string_equal(error.text, rows[i].text);
    }
}

static void settings_check__no_number(void **state)
{
    struct thing thing;
    struct weir_error error;
    (void)state;
    settings_init(&thing_table, &thing);
    thing.real = (double)NAN;
    assert_false(settings_check(&thing_table, &thing, &error));
    assert_int_equal(error.code, WEIR_ERROR_RANGE);
    assert_null(settings_find(&thing_table, "other"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_init__defaults),
        cmocka_unit_test(settings_check__ranges),
        cmocka_unit_test(settings_check__no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
