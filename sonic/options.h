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
/* What the platform or the tables may not say. */
#define SONIC_CHIP(TYPE) \
    {.name = "cell", \
     .value = "SIZE", \
     .help = "cell of the buffer, such as 208B, where the platform is not known", \
     CLI_VALUE(TYPE, given.cell, &sonic_cell_range)}, \
    {.name = "mmu", \
     .value = "SIZE", \
     .help = "buffer of the chip, such as 32MiB, likewise", \
     CLI_VALUE(TYPE, given.mmu, &sonic_memory_range)}, \
    {.name = "pipes", \
     .value = "N", \
     .help = "parts that the buffer is split into, likewise", \
     CLI_VALUE(TYPE, given.pipes, &sonic_pipes_range)}, \
    {.name = "xoff", \
     .value = "PLACE", \
     .help = "whether the xoff of a pool is inside or outside of its size; default: as the platform has it, else " \
             "both are tried", \
     .offer = CLI_WORDS("inside outside"), \
     CLI_READ(TYPE, given.xoff, sonic_read_xoff)}, \
    {.name = "rate", \
     .value = "RATE", \
     .help = "speed of ports whose speed no table has, such as 100Gbps", \
     CLI_READ(TYPE, given.speed_mbps, sonic_read_rate)}, \
    {.name = "cable", \
     .value = "LENGTH", \
     .help = "cable of ports whose cable no table has, such as 300m", \
     CLI_READ(TYPE, given.cable_m, sonic_read_cable)}
/* clang-format on */

#endif
