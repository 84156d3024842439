/*
 * traffic_world.h - a network for traffic to run in, without the network: a topology, a config with the usual values,
 * and a sink that collects the flows it is asked to start.
 */
#ifndef TESTS_SUPPORT_TRAFFIC_WORLD_H
#define TESTS_SUPPORT_TRAFFIC_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "sim/net/config.h"
#include "sim/workload/traffic.h"
#include "tests/support/error_line.h"

#define WORLD_TRAFFIC_MAX 4u

struct world_flow {
    uint32_t id;
    struct flow_request request;
};

struct world {
    struct topology topology;
    uint32_t *host_switch;
    struct traffic_settings traffics[WORLD_TRAFFIC_MAX];
    struct sim_config config;
    struct traffic *traffic;
    struct world_flow *flows;
    uint32_t count, room;
    uint32_t refuse_at; /* the sink refuses the flow after so many; 0: none */
    struct weir_error error;
};

static const char *const world_tags[] = {"all", "second"};

static inline bool world_start(void *context, uint32_t id, const struct flow_request *request)
{
    struct world *world = context;
    if (world->refuse_at > 0 && world->count >= world->refuse_at)
        return false;
    if (world->count == world->room) {
        world->room = world->room * 2 + 64;
        world->flows = realloc(world->flows, world->room * sizeof *world->flows);
        assert_non_null(world->flows);
    }
    assert_int_not_equal(request->source, request->destination);
    assert_true(request->source < world->topology.hosts && request->destination < world->topology.hosts);
    assert_true(request->bytes >= 1);
    world->flows[world->count++] = (struct world_flow){id, *request};
    return true;
}

/* Leaves of 16 hosts (or fewer), with half as many spines: oversubscribed by 2 at 100 Gb/s, as in Occamy's evaluation.
 */
static inline void world_init(struct world *world, uint32_t leaves, uint32_t hosts_per_leaf)
{
    *world = (struct world){0};
    struct topology_leaf_spine shape = {.leaves = leaves,
                                        .spines = (hosts_per_leaf + 1) / 2,
                                        .hosts_per_leaf = hosts_per_leaf,
                                        .parallel = 1,
                                        .host_rate_bps = 100000000000,
                                        .spine_rate_bps = 100000000000,
                                        .host_delay_ps = WEIR_PS_PER_US,
                                        .spine_delay_ps = WEIR_PS_PER_US};
    assert_true(topology_leaf_spine(&world->topology, &shape, &world->error));
    world->host_switch = malloc(world->topology.hosts * sizeof *world->host_switch);
    for (uint32_t h = 0; h < world->topology.hosts; h++)
        world->host_switch[h] = h / hosts_per_leaf;
    world->config = (struct sim_config){.seed = 1,
                                        .until_ps = WEIR_PS_PER_S,
                                        .topology = &world->topology,
                                        .wire = {.mss_bytes = 1460, .header_bytes = 40, .ack_bytes = 64},
                                        .traffic = world->traffics,
                                        .traffic_count = 1,
                                        .tag_names = world_tags,
                                        .tag_count = 2};
    for (uint32_t i = 0; i < WORLD_TRAFFIC_MAX; i++)
        world->traffics[i] = (struct traffic_settings){.until_ps = WEIR_PS_PER_S, .oversubscription = 1};
}

/* Starts over with the present config. */
static inline bool world_create(struct world *world)
{
    traffic_free(world->traffic);
    world->count = 0;
    const struct workload workload = sim_config_workload(&world->config, world->host_switch);
    world->traffic = traffic_create(&workload, &world->error);
    return world->traffic != NULL;
}

static inline struct traffic_sink world_sink(struct world *world)
{
    return (struct traffic_sink){.context = world, .start = world_start};
}

/* Creates, and launches everything that is open. */
static inline void world_run(struct world *world)
{
    if (!world_create(world))
        fail_msg("%s", ERROR_LINE(&world->error));
    struct traffic_sink sink = world_sink(world);
    assert_true(traffic_advance(world->traffic, WEIR_NEVER, &sink));
    assert_int_equal(traffic_next(world->traffic), WEIR_NEVER);
    assert_int_equal(traffic_next(world->traffic), WEIR_NEVER);
}

static inline void world_free(struct world *world)
{
    traffic_free(world->traffic);
    topology_free(&world->topology);
    free(world->host_switch);
    free(world->flows);
}

/* Whether two flows are the same, apart from their ids. */
static inline bool world_same(const struct flow_request *a, const struct flow_request *b)
{
    return a->source == b->source && a->destination == b->destination && a->bytes == b->bytes &&
           a->start_ps == b->start_ps && a->traffic == b->traffic && a->tag == b->tag && a->group == b->group &&
           a->cookie == b->cookie && a->packet_tc == b->packet_tc && a->packet_bytes == b->packet_bytes;
}

/* Whether a count fits a Poisson (or narrower) distribution of this mean: within 4 standard deviations. */
static inline bool world_fits(double count, double mean)
{
    return (count - mean) * (count - mean) <= 16 * mean;
}

#endif
