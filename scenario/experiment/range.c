/*
 * range.c - {from: 0.1, to: 0.9, step: 0.1} as a list of values. Counting is in integers, units of the last written
 * digit, so that the third value is 0.3 and nothing near it; the texts keep the unit as it was written.
 *
 * With `count` instead of `step` the values between the ends are rounded: on a linear scale to six decimals, on a
 * logarithmic one to four digits.
 */
#include <string.h>

#include "scenario/experiment/reading.h"
#include "scenario/yaml/decimal.h"
#include "weir/random.h"

/* What is written: differences of two such numbers, in units of the last decimal, stay within 64 bits. */
#define WHOLE_MAX UINT64_C(1000000000000)
#define ONE_MAX UINT64_C(1000000)

enum { SCALE_LINEAR, SCALE_LOG };
static const char *const scales[] = {"linear", "log", NULL};

struct range {
    const char *from, *to, *step;
    uint32_t count, scale;
};

#define RANGE_TEXT(field, must, text)                                                                                  \
    {                                                                                                                  \
        .name = #field, .kind = KEY_TEXT, .required = (must), KEY_FIELD(struct range, field), .min = 1, .max = 40,     \
        .help = (text)                                                                                                 \
    }

static const struct key range_keys[] = {
    RANGE_TEXT(from, true, "The first value, with its unit."),
    RANGE_TEXT(to, true, "The last value, in the same unit."),
    RANGE_TEXT(step, false, "From one value to the next, in the same unit; it meets `to`."),
    {.name = "count",
     .kind = KEY_COUNT,
     KEY_FIELD(struct range, count),
     .min = 2,
     .max = READING_VALUES_MAX,
     .word = "none",
     .word_value = 0,
     .help = "Number of values, both ends included, instead of `step`."},
    {.name = "scale",
     .kind = KEY_CHOICE,
     KEY_FIELD(struct range, scale),
     .choices = scales,
     .help = "With `count`: equal differences, rounded to six decimals, or equal factors, rounded to four digits."},
};

const struct section range_section = {
    .name = "range",
    SECTION_KEYS(struct range, range_keys),
    .place = "sweep.AXIS.PATH",
    .help = "Instead of a list of values: numbers that grow from one end to the other.",
};

/* Integers in units of the last digit of any of them. */
struct counting {
    int64_t from, to, step;
    uint64_t one;
    const char *unit;
};

static bool read_number(struct reading *reading, const struct node *map, const char *key, struct decimal *number)
{
    const struct node *node = node_find(map, key);
    if (!decimal_read(node->text, number))
        return reader_fail(&reading->reader, node, "%s: '%s' is not a number (expected one such as 10us)", key,
                           error_text(node->text).text);
    if (number->one > ONE_MAX || number->mantissa / number->one >= WHOLE_MAX)
        return reader_fail(&reading->reader, node,
                           "%s: '%s' has too many digits (expected 12 before and 6 behind the point)", key,
                           error_text(node->text).text);
    return true;
}

static bool check_unit(struct reading *reading, const struct node *map, const char *key, const char *unit)
{
    struct decimal number;
    const struct node *node = node_find(map, key);
    return !decimal_read(node->text, &number) || strcmp(number.rest, unit) == 0 ||
           reader_fail(&reading->reader, node, "%s: '%s' has another unit than from (expected %s)", key,
                       error_text(node->text).text, unit[0] != '\0' ? error_text(unit).text : "none");
}

static int64_t scaled(const struct decimal *number, uint64_t one)
{
    int64_t value = (int64_t)(number->mantissa * (one / number->one));
    return number->negative ? -value : value;
}

static bool check_step(struct reading *reading, const struct node *map, const struct counting *counting)
{
    const struct node *step = node_find(map, "step");
    if (counting->step <= 0)
        return reader_fail(&reading->reader, step,
                           "step: '%s' does not lead from 'from' to 'to' (expected more than 0)",
                           error_text(step->text).text);
    if ((counting->to - counting->from) % counting->step != 0)
        return reader_fail(&reading->reader, step, "step: '%s' does not meet 'to' (expected a divisor of the range)",
                           error_text(step->text).text);
    if ((counting->to - counting->from) / counting->step >= READING_VALUES_MAX)
        return reader_fail(&reading->reader, step, "step: too many values (expected at most %u)", READING_VALUES_MAX);
    return true;
}

/* The i-th of count values between the ends, on a linear scale. */
static int64_t between(const struct counting *in, uint32_t i, uint32_t count)
{
    int64_t gaps = (int64_t)count - 1, above = (in->to - in->from) / gaps * (int64_t)i;
    int64_t rest = (in->to - in->from) % gaps * (int64_t)i;
    return in->from + above + (rest + gaps / 2) / gaps;
}

/* The same on a logarithmic one, to four digits. */
static int64_t between_log(const struct counting *in, uint32_t i, uint32_t count)
{
    double low = weir_log((double)in->from), high = weir_log((double)in->to);
    double exact = weir_exp(low + (high - low) * (double)i / (double)(count - 1));
    int64_t step = 1;
    while (exact / (double)step >= 10000)
        step *= 10;
    return i == 0 ? in->from : i == count - 1 ? in->to : (int64_t)(exact / (double)step + 0.5) * step;
}

static bool fill(struct reading *reading, const struct node *map, const struct range *range, struct counting *in,
                 struct reading_values *values)
{
    bool stepped = range->count == 0;
    values->count = stepped ? (uint32_t)((in->to - in->from) / in->step) + 1 : range->count;
    values->at = arena_take_array(reading->reader.arena, values->count, sizeof(struct node *));
    if (values->at == NULL)
        return weir_fail_memory(reading->reader.error);
    int64_t before = in->from - 1;
    for (uint32_t i = 0; i < values->count; i++) {
        int64_t value = stepped                        ? in->from + (int64_t)i * in->step
                        : range->scale == SCALE_LINEAR ? between(in, i, values->count)
                                                       : between_log(in, i, values->count);
        if (value <= before)
            return reader_fail(&reading->reader, map,
                               "range: %u values are too many for ends so close (expected fewer)", values->count);
        before = value;
        /* value / one without zeros behind the last digit, and the unit. */
        char decimals[24], text[96];
        uint64_t magnitude = value < 0 ? (uint64_t)-value : (uint64_t)value;
        snprintf(decimals, sizeof decimals, "%06llu", (unsigned long long)(magnitude % in->one * (ONE_MAX / in->one)));
        size_t length = strlen(decimals);
        while (length > 0 && decimals[length - 1] == '0')
            length--;
        snprintf(text, sizeof text, "%s%llu%s%.*s%s", value < 0 ? "-" : "", (unsigned long long)(magnitude / in->one),
                 length > 0 ? "." : "", (int)length, decimals, in->unit);
        struct node *node = node_scalar(reading->reader.arena, text);
        if (node != NULL)
            node->mark = map->mark;
        values->at[i] = node;
        if (values->at[i] == NULL)
            return weir_fail_memory(reading->reader.error);
    }
    return true;
}

bool reading_of_range(struct reading *reading, const struct node *map, struct reading_values *values)
{
    struct range range;
    struct counting counting;
    section_defaults(&range_section, &range, 0);
    if (!section_read(&reading->reader, &range_section, map, 0, &range))
        return false;
    bool stepped = range.step != NULL;
    if (stepped == (range.count > 0))
        return reader_fail(&reading->reader, map, "range: 'step' or 'count' is needed (expected one of them)");
    if (stepped && range.scale == SCALE_LOG)
        return reader_fail(&reading->reader, node_find(map, "scale"), "scale: a step has no scale (expected 'count')");
    struct decimal from, to, step = {.one = 1};
    if (!read_number(reading, map, "from", &from) || !read_number(reading, map, "to", &to) ||
        (stepped && !read_number(reading, map, "step", &step)) || !check_unit(reading, map, "to", from.rest) ||
        (stepped && !check_unit(reading, map, "step", from.rest)))
        return false;
    uint64_t one = from.one > to.one ? from.one : to.one;
    one = step.one > one ? step.one : one;
    counting = (struct counting){scaled(&from, one), scaled(&to, one), scaled(&step, one), one, from.rest};
    if (counting.to <= counting.from)
        return reader_fail(&reading->reader, node_find(map, "to"),
                           "to: '%s' is not above from (expected growing values)",
                           error_text(node_find(map, "to")->text).text);
    if (stepped && !check_step(reading, map, &counting))
        return false;
    if (range.scale == SCALE_LOG && counting.from <= 0)
        return reader_fail(&reading->reader, node_find(map, "from"),
                           "from: '%s' has no logarithm (expected more than 0)", error_text(range.from).text);
    if (!stepped) {
        counting.from *= (int64_t)(ONE_MAX / counting.one);
        counting.to *= (int64_t)(ONE_MAX / counting.one);
        counting.one = ONE_MAX;
    }
    return fill(reading, map, &range, &counting, values);
}
