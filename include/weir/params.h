/*
 * params.h - parameter descriptors of a policy, and values for them.
 *
 * One table per policy drives everything that knows its parameters: the parser, `weir policies`, the scenario files
 * and the reference docs. Values are integers in the unit's own format; text with units is parsed here and nowhere
 * else.
 */
#ifndef WEIR_PARAMS_H
#define WEIR_PARAMS_H

#include "weir/error.h"
#include "weir/types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum weir_unit {
    WEIR_UNIT_RATIO,  /* Q16; text "0.5", "8", "50%" */
    WEIR_UNIT_COUNT,  /* integer; text "3" */
    WEIR_UNIT_TIME,   /* picoseconds; text "80us", "2.1ms" */
    WEIR_UNIT_SPACE,  /* bytes; text "1500B", "410KB", "4MiB" */
    WEIR_UNIT_FLAG,   /* 0 or 1; text "yes", "no" */
    WEIR_UNIT_CHOICE, /* index into `choices`; text is the choice's name */
};

#define WEIR_AUTO INT64_MIN /* a default derived from the geometry, as `help` says; text "auto" */
#define WEIR_PARAMS_MAX 16u

struct weir_param {
    const char *name;
    enum weir_unit unit;
    bool per_class;             /* one value per class; text "8,1": class 0 first, the last one repeats */
    int64_t initial;            /* default, or WEIR_AUTO */
    int64_t min, max;           /* inclusive range, in the unit's format */
    const char *const *choices; /* null-terminated, for WEIR_UNIT_CHOICE */
    const char *help;           /* one sentence */
};

struct weir_values {
    int64_t of[WEIR_PARAMS_MAX][WEIR_CLASSES_MAX]; /* [parameter][class]; a scalar fills every class */
};

struct weir_policy;

/* Every parameter at its default. */
void weir_values_init(struct weir_values *values, const struct weir_policy *policy);

/*
 * Sets one parameter from text. False with a one-line error (what, where, what was expected, the nearest valid
 * name) in `error`, values unchanged, when the name is unknown, the text does not parse or is out of range.
 */
bool weir_values_set(struct weir_values *values, const struct weir_policy *policy, const char *name, const char *text,
                     struct weir_error *error);

/* Writes a value as the text that would parse back to it. Returns the length as snprintf does. */
int weir_value_format(char *out, size_t size, const struct weir_param *param, int64_t value);

/* Index of the parameter, or -1. */
int weir_param_find(const struct weir_policy *policy, const char *name);

/* Parses one value with its unit. False with an error. */
bool weir_value_parse(const struct weir_param *param, const char *text, int64_t *value, struct weir_error *error);

/* Of the `count` names, the one nearest to `name` in edit distance, or null when none is near. */
const char *weir_nearest_name(const char *name, const char *const *names, size_t count);

#ifdef __cplusplus
}
#endif

#endif
