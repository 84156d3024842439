/*
 * options.h - what commands that read a configuration have in common: the options that say what no table does, and
 * opening it.
 */
#ifndef SONIC_OPTIONS_H
#define SONIC_OPTIONS_H

#include "cli/command.h"
#include "sonic/model.h"

/* Reads the configuration, and the lookup table beside it where one is named, and makes the model: an exit code.
 * Release model and configuration either way. */
int sonic_open(struct sonic_config *config, struct sonic_model *model, const char *path, const char *lookup,
               const struct sonic_given *given);

/* Values of options: an exit code. */
int sonic_read_xoff(void *target, const struct cli_option *option, const char *text);
int sonic_read_rate(void *target, const struct cli_option *option, const char *text);
int sonic_read_cable(void *target, const struct cli_option *option, const char *text);
int sonic_read_formula(void *target, const struct cli_option *option, const char *text);
extern const struct weir_param sonic_cell_range, sonic_memory_range, sonic_pipes_range;

/* TYPE has members `given` (struct sonic_given) and `lookup` (const char *). */
/* clang-format off */
#define SONIC_PLATFORM(TYPE) \
    {.name = "platform", \
     .value = "NAME|FILE", \
     .help = "chip of the switch: a name of platforms/, such as tomahawk2, or a file like those; default: by " \
             "DEVICE_METADATA", \
     CLI_TEXT(TYPE, given.platform)}
#define SONIC_LOOKUP(TYPE) \
    {.name = "lookup", \
     .value = "FILE", \
     .help = "pg_profile_lookup.ini of the switch, from which the traditional model makes lossless profiles", \
     .offer = CLI_FILES, \
     CLI_TEXT(TYPE, lookup)}
#define SONIC_FORMULA(TYPE) \
    {.name = "formula", \
     .value = "YEAR", \
     .help = "SONiC's headroom formula as of 2020, 2024 or 2026; default: 2026", \
     .more = "sonic-swss changed it with pull requests 3235 (2024) and 4757 (2026).", \
     .offer = CLI_WORDS("2020 2024 2026"), \
     CLI_READ(TYPE, given.formula, sonic_read_formula)}
/* clang-format on */

#endif
