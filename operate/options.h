/*
 * options.h - what commands that read a configuration have in common: the options that say what no table does, and
 * opening it.
 */
#ifndef OPERATE_OPTIONS_H
#define OPERATE_OPTIONS_H

#include "cli/command.h"
#include "operate/evaluate/scenario.h"
#include "operate/model/model.h"

/* Reads the configuration, and the lookup table beside it where one is named, and makes the model: an exit code.
 * Release model and configuration either way. */
int sonic_open(struct sonic_config *config, struct sonic_model *model, const char *path, const char *lookup,
               const struct sonic_given *given);

/* Makes changes, "TABLE.KEY.FIELD=VALUE" each, and reads the result anew: an exit code. */
int sonic_change(struct sonic_config *config, struct sonic_model *model, const char *const *sets, uint32_t count);

/* What options say of traffic. */
struct sonic_wanted_traffic {
    const char *what; /* null: none */
    uint64_t ports;   /* 0: not said */
    uint64_t until_us;
    int64_t bytes, load;
};
void sonic_wanted_traffic_init(struct sonic_wanted_traffic *wanted);
int sonic_traffic_of(struct sonic_traffic *traffic, const struct sonic_wanted_traffic *wanted);
extern const struct weir_param sonic_burst_range, sonic_load_range;

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
     CLI_FILE(TYPE, lookup)}
#define SONIC_FORMULA(TYPE) \
    {.name = "formula", \
     .value = "YEAR", \
     .help = "SONiC's headroom formula as of 2020, 2021, 2024 or 2026; default: 2026", \
     .more = "sonic-swss changed it with pull requests 1930 (November 2021), 3235 (2024) and 4757 (2026).", \
     .offer = CLI_WORDS("2020 2021 2024 2026"), \
     CLI_READ(TYPE, given.formula, sonic_read_formula)}
/* What the platform or the tables may not say. */
#define SONIC_MEMORY(TYPE) \
    {.name = "mmu", \
     .value = "SIZE", \
     .help = "buffer of the chip of a configuration, such as 32MiB, where the platform is not known", \
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
     CLI_READ(TYPE, given.xoff, sonic_read_xoff)}
#define SONIC_CHIP(TYPE) \
    {.name = "cell", \
     .value = "SIZE", \
     .help = "cell of the buffer, such as 208B, where the platform is not known", \
     CLI_VALUE(TYPE, given.cell, &sonic_cell_range)}, \
    SONIC_MEMORY(TYPE), \
    {.name = "rate", \
     .value = "RATE", \
     .help = "speed of ports whose speed no table has, such as 100Gbps", \
     CLI_READ(TYPE, given.speed_mbps, sonic_read_rate)}, \
    {.name = "cable", \
     .value = "LENGTH", \
     .help = "cable of ports whose cable no table has, such as 300m", \
     CLI_READ(TYPE, given.cable_m, sonic_read_cable)}
/* TYPE has a member `traffic` (struct sonic_wanted_traffic). */
#define SONIC_TRAFFIC(TYPE) \
    {.name = "traffic", \
     .value = "WHAT", \
     .help = "simulate it under incast, websearch, rdma, mix, all-reduce, all-to-all, or a FILE: a list of flows, " \
             "or a capture (.pcap, .pcapng)", \
     .more = "incast: all ports but one send a burst to it, in lossless classes. websearch: TCP flows at a load. " \
             "rdma: the same in lossless classes, and the burst. mix: the burst, and websearch beside it. " \
             "all-reduce, all-to-all: collectives of all ports in lossless classes, again and again, of --incast " \
             "bytes. A list has lines of start_ns source destination bytes; hosts are ports, from 0.", \
     .offer = CLI_WORDS("incast websearch rdma mix all-reduce all-to-all"), \
     CLI_TEXT(TYPE, traffic.what)}, \
    {.name = "ports", \
     .value = "N", \
     .help = "simulate the first N ports that are up; default: 16", \
     .more = "They are in the pipes that a whole switch has them in: few ports share one pipe.", \
     .with = "traffic", \
     CLI_NUMBER(TYPE, traffic.ports, 2, SONIC_PORTS_MAX)}, \
    {.name = "incast", \
     .value = "SIZE", \
     .help = "bytes of the burst, all sources together, or of a collective; default: 1MB", \
     .with = "traffic", \
     CLI_VALUE(TYPE, traffic.bytes, &sonic_burst_range)}, \
    {.name = "load", \
     .value = "LOAD", \
     .help = "of websearch and rdma, a part of the rate of a port; default: 0.2", \
     .with = "traffic", \
     CLI_VALUE(TYPE, traffic.load, &sonic_load_range)}, \
    {.name = "until", \
     .value = "US", \
     .help = "simulated microseconds; default: 5000", \
     .with = "traffic", \
     CLI_NUMBER(TYPE, traffic.until_us, 1, 1000000)}
/* clang-format on */

#endif
