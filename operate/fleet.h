/*
 * fleet.h - many switches at once: their findings grouped, and where they differ from the vendor's configuration or,
 * without one, from most switches of the same hwsku.
 */
#ifndef OPERATE_FLEET_H
#define OPERATE_FLEET_H

#include "operate/lint/lint.h"

struct fleet_switch {
    const char *name, *hwsku, *chip; /* the last two null: not known */
    uint32_t of_severity[LINT_SEVERITIES];
    bool is_refused; /* could not be read: the reason has been printed */
};

/* The same finding of several switches. */
struct fleet_group {
    const struct lint_rule *rule;
    enum lint_severity severity;
    const char *table, *text;
    uint32_t *switches, count, room; /* of the switches that have it, each once */
    uint32_t findings;
};

/* A field that some switches have otherwise. */
struct fleet_difference {
    const char *hwsku, *table, *key, *field, *usual, *value; /* "(none)": it is not there */
    const char *which;                                       /* names of switches */
    uint32_t count;
};

struct fleet {
    struct arena arena;
    struct sonic_list switches, groups, differences;
    json_t *values; /* by hwsku, table, key and field: the values, and which switches have them */
    uint32_t errors;
};
#define FLEET_SWITCHES(f) ((struct fleet_switch *)(f)->switches.at)
#define FLEET_GROUPS(f) ((struct fleet_group *)(f)->groups.at)
#define FLEET_DIFFERENCES(f) ((struct fleet_difference *)(f)->differences.at)

/* The switches of a folder: each folder in it, and each *.json. An exit code: an error has been printed. `standard`:
 * the vendor's configuration; null: none. Release it either way. */
int fleet_read(struct fleet *fleet, const char *folder, const char *standard, const struct sonic_given *given);
void fleet_free(struct fleet *fleet);

int fleet_show(const struct fleet *fleet, bool has_standard, bool verbose);
struct data_frame *fleet_frame(const struct fleet *fleet);

#endif
