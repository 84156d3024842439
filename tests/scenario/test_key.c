/*
 * test_key.c - values with units: what each kind reads, how it prints it, and what it says of mistakes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scenario/keys/key.h"
#include "tests/support/error_line.h"
#include "weir/policy.h"

static const char *const colours[] = {"red", "green", NULL};
static const struct key_scale scale = {.frame_bytes = 1500,
                                       .segment_bytes = 1460,
                                       .buffer_bytes = 410000,
                                       .memory_ports = 8,
                                       .memory_bps = 80000000000,
                                       .hosts = 4,
                                       .switches = 2};

static struct key key_of(enum key_kind kind)
{
    return (struct key){.kind = kind, .min = 0, .max = INT64_C(1) << 50, .choices = colours};
}

static void key_parse__values(void **state)
{
    static const struct {
        enum key_kind kind;
        const char *text;
        int64_t value;
        const char *printed; /* null: the same text */
    } cases[] = {
        {KEY_RATIO, "0.5", 32768, NULL},
        {KEY_RATIO, "50%", 32768, "0.5"},
        {KEY_RATIO, "1/16", 4096, "0.0625"},
        {KEY_RATIO, "7/2", 229376, "3.5"},
        {KEY_COUNT, "12", 12, NULL},
        {KEY_COUNTS, "12", 12, NULL},
        {KEY_TIME, "5us", 5000000, NULL},
        {KEY_TIME, "2.1ms", 2100000000, NULL},
        {KEY_TIME, "0s", 0, "0ps"},
        {KEY_SPACE, "410KB", 410000, NULL},
        {KEY_SPACE, "1MiB", 1048576, NULL},
        {KEY_SPACE, "1.5KB", 1500, "1500B"},
        {KEY_SPACE, "65pkt", 97500, "97500B"},
        {KEY_SPACE, "0.5pkt", 750, "750B"},
        {KEY_SPACE, "1.5B", 2, "2B"},
        {KEY_SPACE, "1.49B", 1, "1B"},
        {KEY_SPACE, "80% buffer", 328000, "328KB"},
        {KEY_SPACE, "33.3% buffer", 136530, "136530B"},
        {KEY_PAYLOAD, "10pkt", 14600, "14600B"},
        {KEY_PAYLOAD, "100% buffer", 410000, "410KB"},
        {KEY_BUFFER, "512KB per port", 4096000, "4000KiB"},
        {KEY_BUFFER, "9.6KB per Gbps", 768000, "750KiB"},
        {KEY_BUFFER, "1MB", 1000000, "1MB"},
        {KEY_SPACE, "5 KB", 5000, "5KB"},
        {KEY_TIME, "5 ms", 5000000000, "5ms"},
        {KEY_RATE, "10G", 10000000000, "10Gbps"},
        {KEY_RATE, "10 Gb/s", 10000000000, "10Gbps"},
        {KEY_RATE, "10Gbit/s", 10000000000, "10Gbps"},
        {KEY_RATE, "10Gbps", 10000000000, NULL},
        {KEY_RATE, "2.5Gbps", 2500000000, "2500Mbps"},
        {KEY_RATE, "1Tbps", 1000000000000, NULL},
        {KEY_RATE, "7bps", 7, NULL},
        {KEY_REAL, "0.6", 600000000, NULL},
        {KEY_REAL, "60%", 600000000, "0.6"},
        {KEY_REAL, "3", 3000000000, NULL},
        {KEY_REAL, "2/3", 666666667, "0.666666667"},
        {KEY_REAL, "0.000000001", 1, NULL},
        {KEY_FREQUENCY, "2000/s", 2000000000000, NULL},
        {KEY_FREQUENCY, "0.25/s", 250000000, NULL},
        {KEY_FLAG, "yes", 1, NULL},
        {KEY_FLAG, "false", 0, "no"},
        {KEY_CHOICE, "green", 1, NULL},
        {KEY_CLASSES, "3", 8, NULL},
        {KEY_CLASSES, "0-6", 127, NULL},
        {KEY_CLASSES, "5-5", 32, "5"},
        {KEY_CLASSES, "0-31", 0xffffffff, NULL},
        {KEY_NODE, "h3", 3, NULL},
        {KEY_NODE, "s1", 5, NULL},
        {KEY_HOST, "h0", 0, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct key key = key_of(cases[i].kind);
        char printed[64];
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        int64_t value = -1, again = -1;
        if (!key_parse(&key, &scale, cases[i].text, &value, &error))
            fail_msg("%s: %s", cases[i].text, ERROR_LINE(&error));
        assert_int_equal(value, cases[i].value);
        key_format(&key, &scale, value, printed);
        assert_string_equal(printed, cases[i].printed != NULL ? cases[i].printed : cases[i].text);
        assert_true(key_parse(&key, &scale, printed, &again, &error));
        assert_int_equal(again, value);
    }
}

#define CLASSES(text)                                                                                                  \
    "'" text "' is not possible (expected classes 0 to 31: one, a range such as 0-31, or a list of them)"

static void key_parse__mistakes(void **state)
{
    static const struct {
        enum key_kind kind;
        const char *text, *message;
    } cases[] = {
        {KEY_COUNT, "", "'' is empty (expected a value)"},
        {KEY_COUNT, "x", "'x' is not a number"},
        {KEY_COUNT, "1.5", "'1.5' is not a whole number"},
        {KEY_RATIO, "1/0", "'1/0' is not a fraction (expected two numbers, such as 1/16)"},
        {KEY_REAL, "1/2/3", "'1/2/3' is not a fraction (expected two numbers, such as 1/16)"},
        {KEY_REAL, "-1/2", "'-1/2' is not a fraction (expected two numbers, such as 1/16)"},
        {KEY_REAL, "9999999/1", "'9999999/1' is out of range (0 to 1125899.906842624)"},
        {KEY_CLASSES, "32", CLASSES("32")},
        {KEY_CLASSES, "6-0", CLASSES("6-0")},
        {KEY_CLASSES, "0-", CLASSES("0-")},
        {KEY_CLASSES, "0-1-2", CLASSES("0-1-2")},
        {KEY_CLASSES, "-1", CLASSES("-1")},
        {KEY_CLASSES, "1.5", CLASSES("1.5")},
        {KEY_TIME, "5", "'5' needs a unit (ps, ns, us, ms, s)"},
        {KEY_TIME, "5uS", "'5uS' has an unknown unit (expected: ps, ns, us, ms, s)"},
        {KEY_SPACE, "5kB", "'5kB' has an unknown unit (did you mean 'KB'?)"},
        {KEY_SPACE, "5", "'5' needs a unit (B, KB, KiB, MB, MiB, GB, GiB, pkt, % buffer)"},
        {KEY_SPACE, "5K", "'5K' has an unknown unit (expected: B, KB, KiB, MB, MiB, GB, GiB, pkt, % buffer)"},
        {KEY_SPACE, "5 ", "'5 ' has an unknown unit (expected: B, KB, KiB, MB, MiB, GB, GiB, pkt, % buffer)"},
        {KEY_SPACE, "80%buffer",
         "'80%buffer' has an unknown unit (expected: B, KB, KiB, MB, MiB, GB, GiB, pkt, % buffer)"},
        {KEY_SPACE, "-1KB", "'-1KB' is out of range (0B to 1048576GiB)"},
        {KEY_SPACE, "9999999GiB", "'9999999GiB' is out of range (0B to 1048576GiB)"},
        {KEY_SPACE, "KB", "'KB' is not a number"},
        {KEY_SPACE, ".5KB", "'.5KB' is not a number"},
        {KEY_SPACE, "5.KB", "'5.KB' has an unknown unit (expected: B, KB, KiB, MB, MiB, GB, GiB, pkt, % buffer)"},
        {KEY_SPACE, "1.2.3KB", "'1.2.3KB' has an unknown unit (expected: B, KB, KiB, MB, MiB, GB, GiB, pkt, % buffer)"},
        {KEY_SPACE, "1234567890123456789KB", "'1234567890123456789KB' has too many digits"},
        {KEY_RATE, "10GBps", "'10GBps' has an unknown unit (expected: bps, Kbps, Mbps, Gbps, Tbps)"},
        {KEY_REAL, "1e3", "'1e3' has an unknown unit (expected: none, %)"},
        {KEY_REAL, "nan", "'nan' is not a number"},
        {KEY_FREQUENCY, "10", "'10' needs a unit (/s)"},
        {KEY_FLAG, "on", "'on' is neither yes nor no"},
        {KEY_CHOICE, "gren", "'gren' is not possible (did you mean 'green'?)"},
        {KEY_CHOICE, "mauve-taupe", "'mauve-taupe' is not possible (expected red, green)"},
        {KEY_NODE, "h4", "'h4' is not a node (expected a host h0 to h3 or a switch s0 to s1)"},
        {KEY_NODE, "s2", "'s2' is not a node (expected a host h0 to h3 or a switch s0 to s1)"},
        {KEY_NODE, "h1.0", "'h1.0' is not a node (expected a host h0 to h3 or a switch s0 to s1)"},
        {KEY_NODE, "h-0", "'h-0' is not a node (expected a host h0 to h3 or a switch s0 to s1)"},
        {KEY_NODE, "3", "'3' is not a node (expected a host h0 to h3 or a switch s0 to s1)"},
        {KEY_HOST, "s0", "'s0' is not a host (expected a host h0 to h3)"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct key key = key_of(cases[i].kind);
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        int64_t value = 77;
        assert_false(key_parse(&key, &scale, cases[i].text, &value, &error));
        assert_string_equal(ERROR_LINE(&error), cases[i].message);
        assert_int_equal(value, 77);
    }
}

/* A unit is known only where its measure is. */
static void key_parse__scale_unknown(void **state)
{
    const struct key_scale nothing = {.hosts = 0};
    struct key space = key_of(KEY_SPACE), buffer = key_of(KEY_BUFFER);
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    int64_t value;
    (void)state;
    assert_false(key_parse(&space, &nothing, "1pkt", &value, &error));
    assert_string_equal(ERROR_LINE(&error), "'1pkt' has an unknown unit (expected: B, KB, KiB, MB, MiB, GB, GiB)");
    assert_false(key_parse(&space, &nothing, "10% buffer", &value, &error));
    assert_false(key_parse(&buffer, &nothing, "1KB per port", &value, &error));
    assert_false(key_parse(&space, &scale, "1KB per port", &value, &error));
}

static void key_parse__word(void **state)
{
    struct key key = {.kind = KEY_COUNT, .min = 1, .max = 9, .word = "all", .word_value = 0};
    struct weir_error error;
    char text[64];
    int64_t value = 5;
    (void)state;
    assert_true(key_parse(&key, &scale, "all", &value, &error));
    assert_int_equal(value, 0);
    key_format(&key, &scale, 0, text);
    assert_string_equal(text, "all");
    assert_false(key_parse(&key, &scale, "0", &value, &error));
    assert_string_equal(ERROR_LINE(&error), "'0' is out of range (1 to 9)");
}

static void key_of_param__every_policy(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < weir_policy_count; p++) {
        struct weir_values values;
        weir_values_init(&values, weir_policies[p]);
        for (uint32_t i = 0; i < weir_policies[p]->param_count; i++) {
            struct key key = key_of_param(&weir_policies[p]->params[i], i);
            char text[64];
            struct weir_error error = {.code = WEIR_ERROR_NONE};
            int64_t value = 0, held;
            memcpy(&held, (const char *)&values + key.offset, sizeof held);
            assert_int_equal(held, weir_policies[p]->params[i].initial);
            key_format(&key, &scale, held, text);
            assert_true(key_parse(&key, &scale, text, &value, &error));
            assert_int_equal(value, held);
        }
    }
}

/* A mask is shown stretch by stretch. */
static void key_format__classes(void **state)
{
    const struct key key = {.kind = KEY_CLASSES, .max = 31, .word = "none"};
    char text[64];
    uint32_t mask = 0x8000001d;
    (void)state;
    key_format(&key, &scale, mask, text);
    assert_string_equal(text, "0, 2-4, 31");
    key_format(&key, &scale, 0, text);
    assert_string_equal(text, "none");
    static const char *const stretches[] = {"0", "2-4", "31"};
    for (size_t i = 0; i < 3; i++) {
        key_format_stretch(&mask, text);
        assert_string_equal(text, stretches[i]);
    }
    assert_int_equal(mask, 0);
}

/* Two words may stand for values that are not numbers. */
static void key_parse__two_words(void **state)
{
    const struct key key = {
        .kind = KEY_SPACE, .max = 1000, .word = "safe", .word_value = -1, .other_word = "equation", .other_value = -2};
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {{"safe", -1}, {"equation", -2}, {"3B", 3}};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct weir_error error;
        char text[64];
        int64_t value = 0;
        assert_true(key_parse(&key, &scale, cases[i].text, &value, &error));
        assert_int_equal(value, cases[i].value);
        key_format(&key, &scale, value, text);
        assert_string_equal(text, cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(key_format__classes),        cmocka_unit_test(key_parse__two_words),
        cmocka_unit_test(key_parse__values),          cmocka_unit_test(key_parse__mistakes),
        cmocka_unit_test(key_parse__scale_unknown),   cmocka_unit_test(key_parse__word),
        cmocka_unit_test(key_of_param__every_policy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
