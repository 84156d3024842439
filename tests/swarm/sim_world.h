/*
 * sim_world.h - a random network with everything that happens in it, all from one seed, as a flat list of numbers.
 *
 * A world is not a config but the numbers a config is made from: every field is an int64_t with a name and a simplest
 * value (sim_world_groups), so that drawing, printing and shrinking need not know what a number means. The builder
 * gives every combination of numbers a sense as far as it can: what does not fit is reduced to what does. What is left
 * is refused by sim_create, as a user's config would be.
 */
#ifndef WEIR_TESTS_SIM_WORLD_H
#define WEIR_TESTS_SIM_WORLD_H

#include <stdio.h>

#include "sim/net/config.h"

#define WORLD_TIERS_MAX 2u
#define WORLD_TRANSPORTS_MAX 3u
#define WORLD_TRAFFICS_MAX 3u
#define WORLD_CHANGES_MAX 6u
#define WORLD_PROBES_MAX 3u
#define WORLD_LISTED_MAX 60u
#define WORLD_TAGS 3u

enum world_shape { WORLD_SINGLE, WORLD_DUMBBELL, WORLD_LEAF_SPINE, WORLD_FAT_TREE, WORLD_EXPLICIT, WORLD_SHAPES };

struct world_tier {
    int64_t policy, values; /* place in the registry; seed of its parameters, 0: defaults */
    int64_t cell_bytes, buffer_cells, private_cells;
    int64_t packets_max, evictions_max, ports_per_mmu, device_packets;
    int64_t scheduler, quantum_bytes, weights; /* weights: seed, 0: all 1 */
    int64_t marking, mark_low_cells, mark_high_cells, marks_leaving;
    int64_t trims; /* mask of classes that are cut, for the class above the highest of them; 0: none */
    int64_t trim_losses, trim_ecn;
    int64_t memory_percent, memory_depth_cells; /* read bandwidth in % of the sum of port rates */
    int64_t headroom;                           /* scheme of the lossless classes: place in world_headroom_schemes */
    int64_t headroom_size, alpha_divisor, delta_cells, insurance, ingress_private_cells;
};

struct world_transport {
    int64_t kind; /* place in transport_table */
    int64_t data_class, ack_class;
    int64_t initial_window, max_window, min_rto_ps, max_rto_ps;
    int64_t sack, handshake, slow_start, ecn, ack_every, ack_delay_ps, tail_loss_probe;
    int64_t rack, prr, undo, hystart, linux_rto, halve_window, tick_ps;
    int64_t keep_connections, open_connections, restart_idle, request, quick_acks, ack_delay_max_ps;
    int64_t rate_bps, poisson, exponential_sizes, on_ps, off_ps, exponential_periods;
    int64_t control, paths, entropies_log2, sleek, oversubscribed; /* of uet */
};

struct world_traffic {
    int64_t kind, transport, tag, from_ps, until_ps;
    int64_t source_first, source_count, destination_first, destination_count, pattern;
    int64_t sizes; /* 0: the tests' own short table, else a published one */
    int64_t load_percent, rate_per_s, periodic, fan_out, bytes, concurrency, rounds, interval_ps;
    int64_t listed, list; /* entries of a list and the seed they are drawn from */
    int64_t request_bytes, spread_ps, phased;
    int64_t on_ps, off_ps, long_percent;
};

struct world_change {
    int64_t when, link, up;
};

struct world_probe {
    int64_t sw, port, tc; /* tc of classes: the whole port */
    int64_t interval_ps, from_ps, until_ps, points_max;
};

struct sim_world {
    int64_t seed, until_ps;
    int64_t shape, hosts, switches, spines, parallel, extra_links;
    int64_t wiring; /* seed of an explicit network */
    int64_t mixed;  /* seed of different rates and delays per link; 0: uniform */
    int64_t host_bps, core_bps, host_delay_ps, core_delay_ps;
    int64_t mss_bytes, header_bytes, ack_bytes, gap_bytes;
    int64_t classes, ecmp, nic, queue_packets, queue_drops, queue_per_flow, jitter_ps, drift_ppm, reroute_ps,
        goodput_ps;
    int64_t lossless; /* mask of classes; 0: flow control has no part in this world */
    int64_t quanta, processing_bytes, watchdog_detect_ps, watchdog_restore_ps, watchdog_action;
    int64_t tiers, transports, traffics, changes, probes; /* how many of each below */
    struct world_tier tier[WORLD_TIERS_MAX];
    struct world_transport transport[WORLD_TRANSPORTS_MAX];
    struct world_traffic traffic[WORLD_TRAFFICS_MAX];
    struct world_change change[WORLD_CHANGES_MAX];
    struct world_probe probe[WORLD_PROBES_MAX];
};

/* One number of a world, or of one of its parts. */
struct world_gene {
    const char *name;
    size_t offset;
    int64_t simplest;
};

/* A kind of part: `*count` of them, `stride` bytes apart. The world itself is the first group, without a count. */
struct world_group {
    const char *name;
    size_t count, at, stride; /* offsets in struct sim_world */
    uint32_t least, room;     /* parts that no world is without, and the most of them */
    const struct world_gene *genes;
    uint32_t gene_count;
};

extern const struct world_group sim_world_groups[];
extern const uint32_t sim_world_group_count;

static inline int64_t *world_at(struct sim_world *world, size_t offset)
{
    return (int64_t *)(void *)((char *)world + offset);
}

/* Parts of a group; the world itself counts as one. */
static inline uint32_t world_parts(const struct sim_world *world, const struct world_group *group)
{
    return group->stride == 0 ? 1 : (uint32_t) * (const int64_t *)(const void *)((const char *)world + group->count);
}

/* Every number at its simplest: two hosts on one switch and one flow. */
void sim_world_init(struct sim_world *world);

/* Draws every number from the seed. */
typedef void sim_world_drawer(struct sim_world *world, uint64_t seed);
void sim_world_draw(struct sim_world *world, uint64_t seed);

/* Likewise, with lossless classes. */
void sim_world_draw_lossless(struct sim_world *world, uint64_t seed);

/* Names of the headroom schemes; the first WORLD_SAFE_SCHEMES of them lose nothing when their headroom is safe. */
#define WORLD_SAFE_SCHEMES 2u
#define WORLD_SCHEMES 5u
extern const char *const world_headroom_schemes[WORLD_SCHEMES];

/* Whether no packet of a lossless class may be refused: safe headroom everywhere, and links that do not fail. */
bool sim_world_is_safe(const struct sim_world *world);

/* One line per part, name=value, without what is at its simplest. */
void sim_world_print(FILE *out, const struct sim_world *world);

/* A config and all that it points to. Points into itself: not to be copied. */
struct built_world {
    struct topology topology;
    struct sim_config config;
    struct weir_values values[WORLD_TIERS_MAX], headroom_values[WORLD_TIERS_MAX];
    struct sim_transport transports[WORLD_TRANSPORTS_MAX];
    struct traffic_settings traffic[WORLD_TRAFFICS_MAX];
    struct size_table sizes;
    struct listed_flow flows[WORLD_TRAFFICS_MAX][WORLD_LISTED_MAX];
    struct listed_packet packets[WORLD_TRAFFICS_MAX][WORLD_LISTED_MAX];
    struct sim_link_change changes[WORLD_CHANGES_MAX];
    struct sim_probe probes[WORLD_PROBES_MAX];
    struct traffic_job_settings job[WORLD_TRAFFICS_MAX];
    struct goal goal[WORLD_TRAFFICS_MAX];
    unsigned char *job_image[WORLD_TRAFFICS_MAX];
    bool safe; /* there are lossless classes, and they lose nothing */
};

/* False with a message when the network cannot be built; release with sim_world_release otherwise. */
bool sim_world_build(struct built_world *built, const struct sim_world *world, struct weir_error *error);
void sim_world_release(struct built_world *built);

#endif
