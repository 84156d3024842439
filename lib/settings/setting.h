/*
 * setting.h - describes the settings of anything that is configured by a C struct: one table says the name, unit,
 * range, default and field of each. Transports and topologies have one per kind. The scenario reader, the printed
 * configuration, the reference, the schema and the checks of C callers all read that table, so a setting is added in
 * one place.
 */
#ifndef SETTINGS_SETTING_H
#define SETTINGS_SETTING_H

#include "weir/error.h"
#include "weir/types.h"

enum setting_unit {
    SETTING_RATIO,   /* weir_q16 */
    SETTING_COUNT,   /* uint8_t, uint32_t or int64_t */
    SETTING_TIME,    /* weir_ps */
    SETTING_PAYLOAD, /* int64_t, bytes of payload */
    SETTING_RATE,    /* weir_bps */
    SETTING_REAL,    /* double; its default and range are in billionths */
    SETTING_FLAG,    /* bool */
    SETTING_CHOICE,  /* uint8_t, an index into `choices` */
    SETTING_RATES,   /* const weir_bps *: one rate for each of the setting `hosts`; null: not given */
    SETTING_LINKS    /* const struct topology_link * and, beside it, a uint32_t count */
};

#define SETTING_BILLION INT64_C(1000000000) /* SETTING_REAL's 1 */

struct setting {
    const char *name;
    enum setting_unit unit;
    uint32_t offset, size;     /* of the field */
    int64_t initial, min, max; /* default and inclusive range, in the field's unit */
    const char *word;          /* text for `word_value`, which may lie outside of the range; null: none */
    int64_t word_value;
    const char *const *choices; /* of SETTING_CHOICE; ends with null */
    bool kernel_differs;        /* the kernel has another default, which is `kernel` (settings_init_kernel) */
    int64_t kernel;
    bool or_zero;  /* C callers may also set 0; the field's comment says what it means */
    bool required; /* a scenario must give it */
    bool later; /* printed only where it differs from its default: ids of results older than the setting stay valid */
    const char *help;
};

#define SETTING_FIELD(type, field) .offset = offsetof(type, field), .size = sizeof(((type *)0)->field)

/* The settings of one struct. */
struct setting_table {
    const struct setting *at;
    uint32_t count;
    uint32_t size; /* of the struct */
};

#define SETTING_TABLE(settings, type)                                                                                  \
    {                                                                                                                  \
        (settings), (uint32_t)(sizeof(settings) / sizeof((settings)[0])), (uint32_t)sizeof(type)                       \
    }

/* All zero, then every default. */
void settings_init(const struct setting_table *table, void *target);

/* The kernel's defaults, where they differ; false: the table has none. */
bool settings_init_kernel(const struct setting_table *table, void *target);

/* True when every value is in range; else the error names the setting. */
bool settings_check(const struct setting_table *table, const void *target, struct weir_error *error);

/* Null: no setting has this name. */
const struct setting *settings_find(const struct setting_table *table, const char *name);

/* A number field as an integer in its unit, and back. Not for SETTING_RATES and SETTING_LINKS. */
int64_t setting_load(const struct setting *setting, const void *target);
void setting_store(const struct setting *setting, void *target, int64_t value);

/* The same for any field: an integer of 1, 4 or 8 bytes, or a double in billionths. */
int64_t field_load(const void *field, uint32_t size, bool is_real);
void field_store(void *field, uint32_t size, bool is_real, int64_t value);

#endif
