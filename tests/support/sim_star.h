/*
 * sim_star.h - a simulation small enough to follow by hand: hosts on one switch, links of 8 Gb/s (a byte takes a
 * nanosecond), no gaps between packets, headers of 10 bytes and segments of 90.
 */
#ifndef TESTS_SUPPORT_SIM_STAR_H
#define TESTS_SUPPORT_SIM_STAR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "sim/net/network.h"
#include "sim/sim.h"
#include "sim/transport/tcp.h"
#include "tests/support/error_line.h"
#include "weir/policy.h"

#define STAR_HOSTS 4u
#define STAR_LISTED 8u
#define NS WEIR_PS_PER_NS

struct star {
    struct topology_link links[STAR_HOSTS + 1];
    uint8_t tier[2];
    struct topology topology;
    struct sim_transport transport;
    struct listed_flow flows[STAR_LISTED];
    struct traffic_settings traffic;
    struct sim_config config;
    struct sim *sim;
};

/* Host 0 sends 900 bytes to host 1 at time 0; change what is to be different, then call star_create. */
static inline void star_init(struct star *star)
{
    static const char *const tags[] = {"only"};
    memset(star, 0, sizeof *star);
    for (uint32_t i = 0; i < STAR_HOSTS; i++)
        star->links[i] = (struct topology_link){i, STAR_HOSTS, 8000000000, 0};
    star->topology = (struct topology){
        .hosts = STAR_HOSTS, .switches = 1, .link_count = STAR_HOSTS, .links = star->links, .tier = star->tier};
    sim_transport_init(&star->transport, &transport_newreno);
    star->flows[0] = (struct listed_flow){.start_ps = 0, .source = 0, .destination = 1, .bytes = 900, .tag = 0};
    star->traffic = (struct traffic_settings){
        .kind = TRAFFIC_LIST, .until_ps = WEIR_PS_PER_S, .oversubscription = 1, .flows = star->flows, .listed = 1};
    sim_config_init(&star->config);
    star->config.until_ps = WEIR_PS_PER_MS;
    star->config.topology = &star->topology;
    star->config.wire = (struct sim_wire){90, 10, 10, 0};
    star->config.tiers[0].mmu.egress = weir_policy_find("cs");
    star->config.transports = &star->transport;
    star->config.transport_count = 1;
    star->config.traffic = &star->traffic;
    star->config.traffic_count = 1;
    star->config.tag_names = tags;
    star->config.tag_count = 1;
}

/* Two switches instead of one, with half of the hosts each, and links of 1 us: between them a network can be divided.
 */
static inline void star_divide(struct star *star)
{
    for (uint32_t i = 0; i < STAR_HOSTS; i++)
        star->links[i] = (struct topology_link){i, STAR_HOSTS + i / (STAR_HOSTS / 2), 8000000000, 1000 * NS};
    star->links[STAR_HOSTS] = (struct topology_link){STAR_HOSTS, STAR_HOSTS + 1, 8000000000, 1000 * NS};
    star->topology = (struct topology){
        .hosts = STAR_HOSTS, .switches = 2, .link_count = STAR_HOSTS + 1, .links = star->links, .tier = star->tier};
}

static inline void star_create(struct star *star)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    star->sim = sim_create(&star->config, &error);
    if (star->sim == NULL)
        fail_msg("%s", ERROR_LINE(&error));
}

/* Flows in both directions that lose packets, a failure, a probe, a goodput series: everything that allocates. */
static inline void star_busy(struct star *star)
{
    static const struct sim_link_change changes[] = {{30 * WEIR_PS_PER_US, 3, false}, {50 * WEIR_PS_PER_US, 3, true}};
    static const struct sim_probe probe = {.port = 1, .until_ps = WEIR_PS_PER_S, .points_max = 100000};
    star_init(star);
    for (uint32_t i = 0; i < STAR_LISTED; i++)
        star->flows[i] = (struct listed_flow){.start_ps = i * 100 * NS,
                                              .source = i % STAR_HOSTS,
                                              .destination = (i + 1 + i / 4) % STAR_HOSTS,
                                              .bytes = 50000,
                                              .tag = 0};
    star->traffic.listed = STAR_LISTED;
    star->config.tiers[0].mmu.buffer_cells = 1000;
    star->config.tiers[0].mmu.egress = weir_policy_find("occamy");
    star->config.changes = changes;
    star->config.change_count = 2;
    star->config.probes = &probe;
    star->config.probe_count = 1;
    star->config.goodput_interval_ps = 10 * WEIR_PS_PER_US;
    star->config.until_ps = 100 * WEIR_PS_PER_MS;
}

#endif
