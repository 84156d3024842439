/*
 * params.c - parameter values between text and integers.
 *
 * A number is [-]digits[.digits] and a unit. It is read as an integer mantissa and a power of ten and scaled with
 * 128-bit integers, so that the value does not depend on any floating point; what the unit cannot hold exactly is
 * rounded to the nearest, halves up. Units are strict: a time without a unit is an error, not a guess.
 *
 *   value = round(mantissa * multiplier / (divisor * 10^decimals))
 *
 * Invariant: weir_value_parse(weir_value_format(v)) = v for every v of the unit.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "weir/fixed.h"
#include "weir/policy.h"

#define DECIMALS_MAX 18u
#define ITEM_MAX 64u /* longest text of one value, with its terminator */
#define SHOWN_MAX 40 /* of a wrong text, what an error repeats */

struct suffix {
    const char *text;
    uint64_t multiplier, divisor;
};

struct unit_format {
    const struct suffix *suffixes; /* ends with a null text */
    const char *expected;          /* for messages */
};

static const struct suffix ratio_suffixes[] = {{"", 65536, 1}, {"%", 65536, 100}, {NULL, 0, 0}};
static const struct suffix count_suffixes[] = {{"", 1, 1}, {NULL, 0, 0}};
static const struct suffix time_suffixes[] = {
    {"ps", 1, 1},
    {"ns", WEIR_PS_PER_NS, 1},
    {"us", WEIR_PS_PER_US, 1},
    {"ms", WEIR_PS_PER_MS, 1},
    {"s", WEIR_PS_PER_S, 1},
    {NULL, 0, 0},
};
static const struct suffix space_suffixes[] = {
    {"B", 1, 1},         {"KB", 1000, 1},       {"KiB", 1024, 1},       {"MB", 1000000, 1},
    {"MiB", 1048576, 1}, {"GB", 1000000000, 1}, {"GiB", 1073741824, 1}, {NULL, 0, 0},
};

static const struct unit_format unit_formats[] = {
    [WEIR_UNIT_RATIO] = {ratio_suffixes, "none or %"},
    [WEIR_UNIT_COUNT] = {count_suffixes, "none"},
    [WEIR_UNIT_TIME] = {time_suffixes, "ps, ns, us, ms, s"},
    [WEIR_UNIT_SPACE] = {space_suffixes, "B, KB, KiB, MB, MiB, GB, GiB"},
};

struct number {
    bool negative;
    uint64_t mantissa;
    uint32_t decimals;
    const char *rest; /* what follows the digits */
};

enum number_status { NUMBER_GOOD, NUMBER_NONE, NUMBER_TOO_LONG, NUMBER_TOO_LARGE };

/* A wrong text as an error shows it: one line, and not too much of it. */
struct shown {
    char text[SHOWN_MAX + 4];
};

static struct shown shown_text(const char *text)
{
    struct shown shown;
    snprintf(shown.text, sizeof shown.text, "%.*s%s", SHOWN_MAX, text, strlen(text) > SHOWN_MAX ? "..." : "");
    for (char *c = shown.text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ')
            *c = '?';
    return shown;
}

static bool fail(struct weir_error *error, const char *text, const char *what)
{
    return weir_fail(error, WEIR_ERROR_MALFORMED, "'%s' %s", shown_text(text).text, what);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static enum number_status read_number(const char *text, struct number *number)
{
    bool fraction = false;
    *number = (struct number){.negative = *text == '-', .rest = text + (*text == '-')};
    if (!is_digit(*number->rest))
        return NUMBER_NONE;
    for (;; number->rest++) {
        if (!fraction && *number->rest == '.' && is_digit(number->rest[1])) {
            fraction = true;
            number->rest++;
        } else if (!is_digit(*number->rest)) {
            const char *unit = number->rest + strspn(number->rest, " "); /* "5 ms" */
            number->rest = *unit != '\0' ? unit : number->rest;
            return NUMBER_GOOD;
        }
        if (number->mantissa > (UINT64_MAX - 9) / 10)
            return fraction ? NUMBER_TOO_LONG : NUMBER_TOO_LARGE;
        number->mantissa = number->mantissa * 10 + (uint64_t)(*number->rest - '0');
        number->decimals += fraction;
        if (number->decimals > DECIMALS_MAX)
            return NUMBER_TOO_LONG;
    }
}

static uint64_t power_of_ten(uint32_t exponent)
{
    uint64_t power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

/* round(a * b / c), halves up. */
static weir_wide scale_rounded(uint64_t a, uint64_t b, weir_wide c)
{
    return ((weir_wide)a * b + c / 2) / c;
}

/* False when the magnitude is beyond 63 bits. */
static bool scale_number(const struct number *number, const struct suffix *suffix, int64_t *value)
{
    weir_wide divisor = (weir_wide)power_of_ten(number->decimals) * suffix->divisor;
    weir_wide magnitude = scale_rounded(number->mantissa, suffix->multiplier, divisor);
    if (magnitude > INT64_MAX)
        return false;
    *value = number->negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

static bool fail_range(const struct weir_param *param, const char *text, struct weir_error *error)
{
    char low[ITEM_MAX], high[ITEM_MAX];
    weir_value_format(low, sizeof low, param, param->min);
    weir_value_format(high, sizeof high, param, param->max);
    return weir_fail(error, WEIR_ERROR_RANGE, "'%s' is out of range (%s to %s)", shown_text(text).text, low, high);
}

static bool fail_unit(const struct weir_param *param, const char *text, bool missing, struct weir_error *error)
{
    char what[96];
    snprintf(what, sizeof what, missing ? "needs a unit (%s)" : "has an unknown unit (expected: %s)",
             unit_formats[param->unit].expected);
    return fail(error, text, what);
}

static bool parse_number(const struct weir_param *param, const char *text, int64_t *value, struct weir_error *error)
{
    struct number number;
    int64_t scaled;
    switch (read_number(text, &number)) {
    case NUMBER_NONE:
        return fail(error, text, "is not a number");
    case NUMBER_TOO_LONG:
        return fail(error, text, "has too many digits after the point");
    case NUMBER_TOO_LARGE:
        return fail_range(param, text, error);
    case NUMBER_GOOD:
        break;
    }
    if (param->unit == WEIR_UNIT_COUNT && number.decimals > 0)
        return fail(error, text, "is not a whole number");
    const struct suffix *suffix = unit_formats[param->unit].suffixes;
    while (suffix->text != NULL && strcmp(suffix->text, number.rest) != 0)
        suffix++;
    if (suffix->text == NULL)
        return fail_unit(param, text, *number.rest == '\0', error);
    if (!scale_number(&number, suffix, &scaled) || scaled < param->min || scaled > param->max)
        return fail_range(param, text, error);
    *value = scaled;
    return true;
}

static bool parse_flag(const char *text, int64_t *value, struct weir_error *error)
{
    bool yes = strcmp(text, "yes") == 0 || strcmp(text, "true") == 0;
    if (!yes && strcmp(text, "no") != 0 && strcmp(text, "false") != 0)
        return fail(error, text, "is neither yes nor no");
    *value = yes;
    return true;
}

/* Writes the names as "a, b, c", as far as they fit. */
static void list_names(char *out, size_t size, const char *const *names, size_t count)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i > 0 ? ", " : "", names[i]);
}

static bool parse_choice(const struct weir_param *param, const char *text, int64_t *value, struct weir_error *error)
{
    size_t count = 0;
    for (; param->choices[count] != NULL; count++) {
        if (strcmp(param->choices[count], text) == 0) {
            *value = (int64_t)count;
            return true;
        }
    }
    char names[128], what[160];
    list_names(names, sizeof names, param->choices, count);
    snprintf(what, sizeof what, "is not one of %s", names);
    return fail(error, text, what);
}

/* As weir_value_parse, with an error that does not name the parameter. */
static bool parse_value(const struct weir_param *param, const char *text, int64_t *value, struct weir_error *error)
{
    if (strcmp(text, "auto") == 0 && param->initial == WEIR_AUTO) {
        *value = WEIR_AUTO;
        return true;
    }
    if (param->unit == WEIR_UNIT_FLAG)
        return parse_flag(text, value, error);
    if (param->unit == WEIR_UNIT_CHOICE)
        return parse_choice(param, text, value, error);
    return parse_number(param, text, value, error);
}

bool weir_value_parse(const struct weir_param *param, const char *text, int64_t *value, struct weir_error *error)
{
    if (parse_value(param, text, value, error))
        return true;
    return param->name[0] != '\0' && weir_fail_within(error, "%.60s: ", param->name);
}

/* Decimal digits of mantissa / 10^decimals without trailing zeros, and a unit. */
static int format_decimal(char *out, size_t size, const struct number *number, const char *unit)
{
    uint64_t mantissa = number->mantissa;
    uint32_t decimals = number->decimals;
    for (; decimals > 0 && mantissa % 10 == 0; decimals--)
        mantissa /= 10;
    uint64_t one = power_of_ten(decimals);
    const char *sign = number->negative ? "-" : "";
    unsigned long long whole = mantissa / one, fraction = mantissa % one;
    if (decimals == 0)
        return snprintf(out, size, "%s%llu%s", sign, whole, unit);
    return snprintf(out, size, "%s%llu.%0*llu%s", sign, whole, (int)decimals, fraction, unit);
}

/*
 * The fewest decimals that read back as the same Q16 number and show it exactly or with four digits at least:
 * 0.1 rather than 0.1000061, but 0.00001526 rather than 0.00001.
 */
static int format_ratio(char *out, size_t size, struct number magnitude)
{
    struct number shown = {.negative = magnitude.negative};
    for (;; shown.decimals++) {
        uint64_t one = power_of_ten(shown.decimals);
        shown.mantissa = (uint64_t)scale_rounded(magnitude.mantissa, one, 65536);
        bool exact = (weir_wide)shown.mantissa * 65536 == (weir_wide)magnitude.mantissa * one;
        bool same = scale_rounded(shown.mantissa, 65536, one) == magnitude.mantissa;
        if (exact || (same && shown.mantissa >= 1000))
            return format_decimal(out, size, &shown, "");
    }
}

/* In the largest unit that is not larger than the value: every smaller one is a power of ten of it. */
static int format_time(char *out, size_t size, struct number magnitude)
{
    const struct suffix *unit = time_suffixes;
    while (unit[1].text != NULL && unit[1].multiplier <= magnitude.mantissa) {
        unit++;
        magnitude.decimals += 3;
    }
    return format_decimal(out, size, &magnitude, unit->text);
}

/* In the largest unit that divides the value. */
static int format_space(char *out, size_t size, struct number magnitude)
{
    const struct suffix *unit = space_suffixes;
    for (const struct suffix *s = space_suffixes; s->text != NULL; s++)
        if (magnitude.mantissa != 0 && magnitude.mantissa % s->multiplier == 0)
            unit = s;
    magnitude.mantissa /= unit->multiplier;
    return format_decimal(out, size, &magnitude, unit->text);
}

int weir_value_format(char *out, size_t size, const struct weir_param *param, int64_t value)
{
    if (value == WEIR_AUTO)
        return snprintf(out, size, "auto");
    struct number magnitude = {.negative = value < 0, .mantissa = (uint64_t)(value < 0 ? -value : value)};
    switch (param->unit) {
    case WEIR_UNIT_RATIO:
        return format_ratio(out, size, magnitude);
    case WEIR_UNIT_TIME:
        return format_time(out, size, magnitude);
    case WEIR_UNIT_SPACE:
        return format_space(out, size, magnitude);
    case WEIR_UNIT_FLAG:
        return snprintf(out, size, "%s", value != 0 ? "yes" : "no");
    case WEIR_UNIT_CHOICE:
        return snprintf(out, size, "%s", param->choices[value]);
    case WEIR_UNIT_COUNT:
        break;
    }
    return format_decimal(out, size, &magnitude, "");
}

void weir_values_init(struct weir_values *values, const struct weir_policy *policy)
{
    memset(values, 0, sizeof *values);
    assert(policy->param_count <= WEIR_PARAMS_MAX);
    for (uint32_t p = 0; p < policy->param_count; p++)
        for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++)
            values->of[p][c] = policy->params[p].initial;
}

int weir_param_find(const struct weir_policy *policy, const char *name)
{
    for (uint32_t p = 0; p < policy->param_count; p++)
        if (strcmp(policy->params[p].name, name) == 0)
            return (int)p;
    return -1;
}

static bool fail_unknown(const struct weir_policy *policy, const char *name, struct weir_error *error)
{
    const char *names[WEIR_PARAMS_MAX];
    char hint[128];
    for (uint32_t p = 0; p < policy->param_count; p++)
        names[p] = policy->params[p].name;
    const char *nearest = weir_nearest_name(name, names, policy->param_count);
    list_names(hint, sizeof hint, names, policy->param_count);
    const char *what = nearest != NULL ? "nearest: " : policy->param_count > 0 ? "it has: " : "it has none";
    return weir_fail_unknown(error, name, "unknown parameter '%s' of policy %.32s (%s%.120s)", shown_text(name).text,
                             policy->name, what, nearest != NULL ? nearest : hint);
}

/* Reads a list into `row`, the last value repeated. `error` does not name the parameter. */
static bool parse_list(const struct weir_param *param, const char *text, int64_t row[WEIR_CLASSES_MAX],
                       struct weir_error *error)
{
    uint32_t count = 0;
    for (const char *at = text;; at++) {
        char item[ITEM_MAX];
        size_t length = strcspn(at, ",");
        if (count > 0 && !param->per_class)
            return fail(error, text, "is a list, but this parameter takes one value for all classes");
        if (count == WEIR_CLASSES_MAX)
            return fail(error, text, "has more values than there can be classes (32)");
        if (length >= sizeof item)
            return fail(error, at, "is too long");
        memcpy(item, at, length);
        item[length] = '\0';
        if (!parse_value(param, item, &row[count++], error))
            return false;
        at += length;
        if (*at == '\0')
            break;
    }
    for (uint32_t c = count; c < WEIR_CLASSES_MAX; c++)
        row[c] = row[count - 1];
    return true;
}

bool weir_values_set(struct weir_values *values, const struct weir_policy *policy, const char *name, const char *text,
                     struct weir_error *error)
{
    int p = weir_param_find(policy, name);
    if (p < 0)
        return fail_unknown(policy, name, error);
    int64_t row[WEIR_CLASSES_MAX];
    if (!parse_list(&policy->params[p], text, row, error))
        return weir_fail_within(error, "%.40s of policy %.32s: ", name, policy->name);
    memcpy(values->of[p], row, sizeof row);
    return true;
}
