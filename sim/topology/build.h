/*
 * build.h - what the builders of topologies share: memory, links, checks, and settings that several shapes have.
 *
 * A builder fixes the order of links and with it the number of every port, which scenarios and probes rely on. Switches
 * next to hosts get the lowest numbers: routes.h keeps its tables small by that.
 */
#ifndef TOPOLOGY_BUILD_H
#define TOPOLOGY_BUILD_H

#include <assert.h>

#include "sim/topology/topology.h"

/* How many of each; wide, so that products of 32-bit settings can be refused instead of wrapping. */
struct build_size {
    uint64_t hosts, switches, links;
};

/* A link's rate and delay. */
struct build_wire {
    weir_bps rate_bps;
    weir_ps delay_ps;
};

/* Refuses counts out of the range of their setting; `t` becomes empty. */
bool build_check_counts(struct topology *t, const struct setting_table *settings, const void *shape,
                        struct weir_error *error);

/* Memory for nodes and links; false: too large, or out of memory. */
bool build_start(struct topology *t, const struct build_size *size, struct weir_error *error);
void build_join(struct topology *t, uint32_t a, uint32_t b, const struct build_wire *wire);

/* The last step: topology_check, and nothing is held if it fails. */
bool build_finish(struct topology *t, struct weir_error *error);

/* Refuses at compile time a struct that scenarios have no room for. */
#define TOPOLOGY_FITS(shape)                                                                                           \
    static_assert(sizeof(shape) <= TOPOLOGY_SHAPE_BYTES, "the shape needs more than TOPOLOGY_SHAPE_BYTES")

#define BUILD_COUNT(text, shape, field, about)                                                                         \
    {                                                                                                                  \
        .name = (text), .unit = SETTING_COUNT, .required = true, SETTING_FIELD(shape, field), .min = 1,                \
        .max = TOPOLOGY_NODES_MAX, .help = (about)                                                                     \
    }
#define BUILD_RATE(text, shape, field, about)                                                                          \
    {                                                                                                                  \
        .name = (text), .unit = SETTING_RATE, SETTING_FIELD(shape, field), .initial = 10000000000,                     \
        .min = WEIR_RATE_BPS_MIN, .max = WEIR_RATE_BPS_MAX, .help = (about)                                            \
    }
#define BUILD_DELAY(text, shape, field, about)                                                                         \
    {                                                                                                                  \
        .name = (text), .unit = SETTING_TIME, SETTING_FIELD(shape, field), .initial = WEIR_PS_PER_US, .min = 0,        \
        .max = WEIR_PS_PER_S, .help = (about)                                                                          \
    }

#define BUILD_HOSTS(shape) BUILD_COUNT("hosts", shape, hosts, "Number of hosts.")
#define BUILD_ALL_LINKS(shape)                                                                                         \
    BUILD_RATE("rate", shape, rate_bps, "Rate of every link."),                                                        \
        BUILD_DELAY("delay", shape, delay_ps, "Propagation delay of every link, one way.")
#define BUILD_HOST_LINKS(shape)                                                                                        \
    BUILD_RATE("host_rate", shape, host_rate_bps, "Rate of the links to hosts."),                                      \
        BUILD_DELAY("host_delay", shape, host_delay_ps, "Delay of the links to hosts, one way.")

#endif
