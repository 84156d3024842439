/*
 * key.c - values with units between text and integers: see key.h.
 *
 * Units of weir/params.h are parsed there. Those that depend on the scenario (packets, parts of the buffer), rates and
 * decimal fractions are read here in the same manner: digits as an integer mantissa and a power of ten, scaled exactly
 * and rounded to the nearest, halves up.
 *
 *   value = round(mantissa * multiplier / (divisor * 10^decimals))
 */
#include "scenario/keys/key.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "scenario/yaml/decimal.h"
#include "scenario/yaml/error.h"
#include "weir/fixed.h"

#define SUFFIXES_MAX 24u

struct suffix {
    const char *text;
    uint64_t multiplier, divisor;
};

struct suffixes {
    struct suffix at[SUFFIXES_MAX];
    uint32_t count;
};

static const struct suffix space_units[] = {
    {"B", 1, 1},         {"KB", 1000, 1},       {"KiB", 1024, 1},     {"MB", 1000000, 1},
    {"MiB", 1048576, 1}, {"GB", 1000000000, 1}, {"GiB", 1u << 30, 1},
};
static const struct suffix space_per_port[] = {
    {"B per port", 1, 1}, {"KB per port", 1000, 1}, {"KiB per port", 1024, 1}, {"MB per port", 1000000, 1}};
static const struct suffix space_per_gbps[] = {
    {"B per Gbps", 1, 1}, {"KB per Gbps", 1000, 1}, {"KiB per Gbps", 1024, 1}, {"MB per Gbps", 1000000, 1}};
static const struct suffix rate_units[] = {
    {"bps", 1, 1}, {"Kbps", 1000, 1}, {"Mbps", 1000000, 1}, {"Gbps", 1000000000, 1}, {"Tbps", 1000000000000, 1}};
static const struct suffix real_units[] = {{"", 1000000000, 1}, {"%", 10000000, 1}};
static const struct suffix frequency_units[] = {{"/s", 1000000000, 1}};

static void suffixes_add(struct suffixes *to, const struct suffix *units, size_t count, struct suffix scale)
{
    for (size_t i = 0; i < count && scale.multiplier > 0; i++)
        to->at[to->count++] = (struct suffix){units[i].text, units[i].multiplier * scale.multiplier, scale.divisor};
}

static bool fail(struct weir_error *error, const char *text, const char *what)
{
    return weir_fail(error, WEIR_ERROR_MALFORMED, "'%s' %.180s", error_text(text).text, what);
}

static bool fail_range(const struct key *key, const char *text, struct weir_error *error)
{
    char low[64], high[64];
    struct key plain = *key; /* the word is not part of the range */
    plain.word = plain.other_word = NULL;
    key_format(&plain, &(struct key_scale){.hosts = 0}, key->min, low);
    key_format(&plain, &(struct key_scale){.hosts = 0}, key->max, high);
    return weir_fail(error, WEIR_ERROR_RANGE, "'%s' is out of range (%s to %s)", error_text(text).text, low, high);
}

/* The units that are possible here; those "per" something in a few words. */
static bool fail_unit(const struct suffixes *suffixes, const char *text, bool missing, struct weir_error *error)
{
    char what[176];
    bool per = false;
    size_t used = (size_t)snprintf(what, sizeof what, missing ? "needs a unit (" : "has an unknown unit (expected: ");
    for (uint32_t i = 0; i < suffixes->count && used < sizeof what; i++) {
        const char *unit = suffixes->at[i].text;
        bool plain = strstr(unit, " per ") == NULL;
        per = per || !plain;
        if (plain)
            used += (size_t)snprintf(what + used, sizeof what - used, "%s%s", i > 0 ? ", " : "", *unit ? unit : "none");
    }
    if (used < sizeof what)
        snprintf(what + used, sizeof what - used, "%s)", per ? "; B to MB also 'per port' and 'per Gbps'" : "");
    return fail(error, text, what);
}

static bool parse_scaled(const struct key *key, const struct key_scale *scale, const char *text, int64_t *value,
                         struct weir_error *error)
{
    struct decimal number;
    /* The units a key may have where the scale is this. */
    enum key_kind kind = key->kind;
    static const struct suffix packet = {"pkt", 1, 1}, part = {"% buffer", 1, 1};
    const struct suffix one = {NULL, 1, 1};
    struct suffixes all = {.count = 0};
    if (kind == KEY_RATE)
        suffixes_add(&all, rate_units, sizeof rate_units / sizeof rate_units[0], one);
    else if (kind == KEY_REAL)
        suffixes_add(&all, real_units, sizeof real_units / sizeof real_units[0], one);
    else if (kind == KEY_FREQUENCY)
        suffixes_add(&all, frequency_units, 1, one);
    else {
        int64_t packet_bytes = kind == KEY_PAYLOAD ? scale->segment_bytes : scale->frame_bytes;
        suffixes_add(&all, space_units, sizeof space_units / sizeof space_units[0], one);
        suffixes_add(&all, &packet, 1, (struct suffix){NULL, (uint64_t)packet_bytes, 1});
        suffixes_add(&all, &part, 1, (struct suffix){NULL, (uint64_t)scale->buffer_bytes, 100});
    }
    if (kind == KEY_BUFFER) {
        suffixes_add(&all, space_per_port, 4, (struct suffix){NULL, scale->memory_ports, 1});
        suffixes_add(&all, space_per_gbps, 4, (struct suffix){NULL, (uint64_t)scale->memory_bps / 1000000, 1000});
    }
    struct suffixes suffixes = all;
    if (!decimal_read(text, &number))
        return fail(error, text, text[0] >= '0' && text[0] <= '9' ? "has too many digits" : "is not a number");
    uint32_t i = 0;
    const char *unit = key->kind == KEY_RATE ? decimal_rate_unit(number.rest) : number.rest;
    while (i < suffixes.count && strcmp(suffixes.at[i].text, unit) != 0)
        i++;
    /* "kB" is KB, "gbps" is Gbps; "GBps" may be eight times that. */
    bool doubtful = key->kind == KEY_RATE && strchr(unit, 'B') != NULL;
    for (uint32_t near = 0; near < suffixes.count && i == suffixes.count && !doubtful; near++)
        if (strcasecmp(suffixes.at[near].text, unit) == 0)
            return weir_fail(error, WEIR_ERROR_INPUT, "'%s' has an unknown unit (did you mean '%s'?)",
                             error_text(text).text, suffixes.at[near].text);
    if (i == suffixes.count)
        return fail_unit(&suffixes, text, *number.rest == '\0', error);
    weir_wide divisor = (weir_wide)number.one * suffixes.at[i].divisor;
    weir_wide scaled = ((weir_wide)number.mantissa * suffixes.at[i].multiplier + divisor / 2) / divisor;
    if ((number.negative && scaled > 0) || scaled > INT64_MAX || (int64_t)scaled < key->min ||
        (int64_t)scaled > key->max)
        return fail_range(key, text, error);
    *value = (int64_t)scaled;
    return true;
}

static bool parse_choice(const struct key *key, const char *text, int64_t *value, struct weir_error *error)
{
    for (uint32_t i = 0; key->choices[i] != NULL; i++) {
        if (strcmp(key->choices[i], text) == 0) {
            *value = i;
            return true;
        }
    }
    return weir_fail(error, WEIR_ERROR_INPUT, "'%s' is not possible%.170s", error_text(text).text,
                     error_hint(text, key->choices).text);
}

static bool parse_node(const struct key *key, const struct key_scale *scale, const char *text, int64_t *value,
                       struct weir_error *error)
{
    bool host = text[0] == 'h', hosts_only = key->kind == KEY_HOST;
    struct decimal number;
    bool good = (host || (text[0] == 's' && !hosts_only)) && decimal_read(text + 1, &number) && *number.rest == '\0' &&
                number.one == 1 && !number.negative;
    if (good && number.mantissa < (host ? scale->hosts : scale->switches)) {
        *value = (int64_t)(number.mantissa + (host ? 0 : scale->hosts));
        return true;
    }
    char what[120], switches[48] = "";
    if (!hosts_only)
        snprintf(switches, sizeof switches, " or a switch s0 to s%u", scale->switches - 1);
    snprintf(what, sizeof what, "is not a %s (expected a host h0 to h%u%s)", hosts_only ? "host" : "node",
             scale->hosts - 1, switches);
    return fail(error, text, what);
}

static bool parse_whole(const char *text, char end, uint64_t *value, const char **rest)
{
    struct decimal number;
    if (!decimal_read(text, &number) || number.negative || number.one != 1 || *number.rest != end)
        return false;
    *value = number.mantissa;
    *rest = number.rest;
    return true;
}

/* "3" or "0-6", as a mask. */
static bool parse_classes(const struct key *key, const char *text, int64_t *value, struct weir_error *error)
{
    const uint64_t most = key->max < (int64_t)WEIR_CLASSES_MAX ? (uint64_t)key->max : WEIR_CLASSES_MAX - 1;
    uint64_t first, last;
    const char *rest;
    char what[128] = "is not possible (expected class 0)";
    bool good = parse_whole(text, '\0', &first, &rest);
    if (good)
        last = first;
    else
        good = parse_whole(text, '-', &first, &rest) && parse_whole(rest + 1, '\0', &last, &rest);
    if (good && first <= last && last <= most) {
        *value = (int64_t)((UINT64_C(2) << last) - (UINT64_C(1) << first));
        return true;
    }
    if (most > 0)
        snprintf(what, sizeof what,
                 "is not possible (expected classes 0 to %u: one, a range such as 0-%u, or a list of them)",
                 (unsigned)most, (unsigned)most);
    return fail(error, text, what);
}

/* Kinds that weir/params.h has too. */
static bool unit_of(enum key_kind kind, enum weir_unit *unit)
{
    switch (kind) {
    case KEY_RATIO:
        *unit = WEIR_UNIT_RATIO;
        return true;
    case KEY_COUNT:
    case KEY_COUNTS:
        *unit = WEIR_UNIT_COUNT;
        return true;
    case KEY_TIME:
        *unit = WEIR_UNIT_TIME;
        return true;
    case KEY_FLAG:
        *unit = WEIR_UNIT_FLAG;
        return true;
    default:
        return false;
    }
}

bool key_parse(const struct key *key, const struct key_scale *scale, const char *text, int64_t *value,
               struct weir_error *error)
{
    struct weir_param param = {.name = "", .min = key->min, .max = key->max};
    if (text[0] == '\0')
        return fail(error, text, "is empty (expected a value)");
    if (key->word != NULL && strcmp(text, key->word) == 0) {
        *value = key->word_value;
        return true;
    }
    if (key->other_word != NULL && strcmp(text, key->other_word) == 0) {
        *value = key->other_value;
        return true;
    }
    if (key->kind == KEY_CHOICE)
        return parse_choice(key, text, value, error);
    if (key->kind == KEY_CLASSES)
        return parse_classes(key, text, value, error);
    if ((key->kind == KEY_RATIO || key->kind == KEY_REAL) && strchr(text, '/') != NULL) {
        /* "1/16". */
        const uint64_t one = key->kind == KEY_RATIO ? (uint64_t)WEIR_Q16_ONE : (uint64_t)KEY_BILLION;
        uint64_t above, below;
        const char *rest;
        if (!parse_whole(text, '/', &above, &rest) || !parse_whole(rest + 1, '\0', &below, &rest) || below == 0)
            return fail(error, text, "is not a fraction (expected two numbers, such as 1/16)");
        weir_wide scaled = ((weir_wide)above * one + below / 2) / below;
        if (scaled > INT64_MAX || (int64_t)scaled < key->min || (int64_t)scaled > key->max)
            return fail_range(key, text, error);
        *value = (int64_t)scaled;
        return true;
    }
    if (key->kind == KEY_NODE || key->kind == KEY_HOST)
        return parse_node(key, scale, text, value, error);
    if (!unit_of(key->kind, &param.unit))
        return parse_scaled(key, scale, text, value, error);
    return weir_value_parse(&param, text, value, error);
}

void key_format_stretch(uint32_t *mask, char text[64])
{
    uint32_t first = 0, last;
    while (!(*mask >> first & 1))
        first++;
    for (last = first; last + 1 < WEIR_CLASSES_MAX && *mask >> (last + 1) & 1; last++)
        continue;
    snprintf(text, 64, first == last ? "%u" : "%u-%u", first, last);
    *mask &= ~(uint32_t)((UINT64_C(2) << last) - 1);
}

void key_format(const struct key *key, const struct key_scale *scale, int64_t value, char text[64])
{
    struct weir_param param = {.unit = WEIR_UNIT_SPACE};
    if (key->word != NULL && value == key->word_value)
        snprintf(text, 64, "%s", key->word);
    else if (key->other_word != NULL && value == key->other_value)
        snprintf(text, 64, "%s", key->other_word);
    else if (key->kind == KEY_CLASSES) {
        /* For the reference; cut where it does not fit. */
        uint32_t mask = (uint32_t)value;
        char stretch[64];
        size_t used = 0;
        text[0] = '\0';
        while (mask != 0 && used < 64) {
            key_format_stretch(&mask, stretch);
            used += (size_t)snprintf(text + used, 64 - used, "%s%s", used > 0 ? ", " : "", stretch);
        }
    } else if (key->kind == KEY_CHOICE)
        snprintf(text, 64, "%s", key->choices[value]);
    else if (key->kind == KEY_RATE) {
        /* In the largest unit that divides the value. */
        size_t unit = 0;
        for (size_t i = 0; i < sizeof rate_units / sizeof rate_units[0]; i++)
            if (value != 0 && (uint64_t)value % rate_units[i].multiplier == 0)
                unit = i;
        snprintf(text, 64, "%llu%s", (unsigned long long)((uint64_t)value / rate_units[unit].multiplier),
                 rate_units[unit].text);
    } else if (key->kind == KEY_REAL || key->kind == KEY_FREQUENCY) {
        char digits[16];
        snprintf(digits, sizeof digits, "%09lld", (long long)(value % KEY_BILLION));
        size_t length = 9;
        while (length > 0 && digits[length - 1] == '0')
            length--;
        snprintf(text, 64, "%lld%s%.*s%s", (long long)(value / KEY_BILLION), length > 0 ? "." : "", (int)length, digits,
                 key->kind == KEY_REAL ? "" : "/s");
    } else if (key->kind == KEY_NODE || key->kind == KEY_HOST)
        snprintf(text, 64, "%c%lld", value < scale->hosts ? 'h' : 's',
                 (long long)(value < scale->hosts ? value : value - scale->hosts));
    else {
        unit_of(key->kind, &param.unit);
        weir_value_format(text, 64, &param, value);
    }
}

const char *key_kind_name(enum key_kind kind)
{
    static const char *const names[] = {
        [KEY_RATIO] = "ratio",         [KEY_COUNT] = "count",     [KEY_TIME] = "time", [KEY_SPACE] = "space",
        [KEY_PAYLOAD] = "payload",     [KEY_BUFFER] = "buffer",   [KEY_RATE] = "rate", [KEY_REAL] = "ratio",
        [KEY_FREQUENCY] = "frequency", [KEY_FLAG] = "yes, no",    [KEY_CHOICE] = "",   [KEY_NODE] = "node",
        [KEY_HOST] = "host",           [KEY_HOSTS] = "hosts",     [KEY_TEXT] = "text", [KEY_OTHER] = "",
        [KEY_COUNTS] = "counts",       [KEY_CLASSES] = "classes",
    };
    return names[kind];
}

struct key key_of_param(const struct weir_param *param, uint32_t index)
{
    static const enum key_kind kinds[] = {
        [WEIR_UNIT_RATIO] = KEY_RATIO, [WEIR_UNIT_COUNT] = KEY_COUNT, [WEIR_UNIT_TIME] = KEY_TIME,
        [WEIR_UNIT_SPACE] = KEY_SPACE, [WEIR_UNIT_FLAG] = KEY_FLAG,   [WEIR_UNIT_CHOICE] = KEY_CHOICE,
    };
    return (struct key){.name = param->name,
                        .kind = kinds[param->unit],
                        .shape = param->per_class ? KEY_PER_CLASS : KEY_ALL_CLASSES,
                        .offset = index * (uint32_t)sizeof(((struct weir_values *)0)->of[0]),
                        .size = sizeof(int64_t),
                        .min = param->min,
                        .max = param->max,
                        .word = param->initial == WEIR_AUTO ? "auto" : NULL,
                        .word_value = WEIR_AUTO,
                        .choices = param->choices,
                        .help = param->help};
}

struct key key_of_setting(const struct setting *setting, uint32_t offset)
{
    static const char *const rates[] = {"list of rates", NULL}, *const links[] = {"list of links", NULL};
    static const enum key_kind kinds[] = {
        [SETTING_RATIO] = KEY_RATIO,     [SETTING_COUNT] = KEY_COUNT, [SETTING_TIME] = KEY_TIME,
        [SETTING_PAYLOAD] = KEY_PAYLOAD, [SETTING_RATE] = KEY_RATE,   [SETTING_REAL] = KEY_REAL,
        [SETTING_FLAG] = KEY_FLAG,       [SETTING_RATES] = KEY_OTHER, [SETTING_LINKS] = KEY_OTHER,
        [SETTING_CHOICE] = KEY_CHOICE,
    };
    return (struct key){.name = setting->name,
                        .kind = kinds[setting->unit],
                        .required = setting->required,
                        .later = setting->later,
                        .offset = offset + setting->offset,
                        .size = setting->size,
                        .min = setting->min,
                        .max = setting->max,
                        .word = setting->word,
                        .word_value = setting->word_value,
                        .choices = setting->unit == SETTING_RATES   ? rates
                                   : setting->unit == SETTING_LINKS ? links
                                                                    : setting->choices,
                        .help = setting->help};
}
