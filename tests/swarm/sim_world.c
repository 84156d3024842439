/*
 * sim_world.c - the names and simplest values of a world's numbers, and what is done by them alone: the simplest world
 * and printing. Drawing is in sim_world_draw.c, the way to a config in sim_world_build.c.
 */
#include "sim_world.h"

#include <inttypes.h>
#include <string.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))
#define GENE(type, field, simplest)                                                                                    \
    {                                                                                                                  \
#field, offsetof(struct type, field), simplest                                                                 \
    }

static const struct world_gene world_genes[] = {
    GENE(sim_world, seed, 1),
    GENE(sim_world, until_ps, WEIR_PS_PER_US),
    GENE(sim_world, shape, WORLD_SINGLE),
    GENE(sim_world, hosts, 2),
    GENE(sim_world, switches, 1),
    GENE(sim_world, spines, 1),
    GENE(sim_world, parallel, 1),
    GENE(sim_world, extra_links, 0),
    GENE(sim_world, wiring, 0),
    GENE(sim_world, mixed, 0),
    GENE(sim_world, host_bps, 8000000000),
    GENE(sim_world, core_bps, 8000000000),
    GENE(sim_world, host_delay_ps, WEIR_PS_PER_US),
    GENE(sim_world, core_delay_ps, WEIR_PS_PER_US),
    GENE(sim_world, mss_bytes, 1000),
    GENE(sim_world, header_bytes, 40),
    GENE(sim_world, ack_bytes, 40),
    GENE(sim_world, gap_bytes, 0),
    GENE(sim_world, classes, 1),
    GENE(sim_world, ecmp, 0),
    GENE(sim_world, nic, 0),
    GENE(sim_world, queue_packets, 1000),
    GENE(sim_world, queue_drops, 0),
    GENE(sim_world, queue_per_flow, 0),
    GENE(sim_world, jitter_ps, 0),
    GENE(sim_world, drift_ppm, 0),
    GENE(sim_world, reroute_ps, 0),
    GENE(sim_world, goodput_ps, 0),
    GENE(sim_world, lossless, 0),
    GENE(sim_world, quanta, 65535),
    GENE(sim_world, processing_bytes, 3840),
    GENE(sim_world, watchdog_detect_ps, 0),
    GENE(sim_world, watchdog_restore_ps, 1),
    GENE(sim_world, watchdog_action, 0),
};

static const struct world_gene tier_genes[] = {
    GENE(world_tier, policy, 0),
    GENE(world_tier, values, 0),
    GENE(world_tier, cell_bytes, 1),
    GENE(world_tier, buffer_cells, 1000000),
    GENE(world_tier, private_cells, 0),
    GENE(world_tier, packets_max, 4096),
    GENE(world_tier, evictions_max, 64),
    GENE(world_tier, ports_per_mmu, 0),
    GENE(world_tier, device_packets, 0),
    GENE(world_tier, scheduler, WEIR_SCHED_FIFO),
    GENE(world_tier, quantum_bytes, 1500),
    GENE(world_tier, weights, 0),
    GENE(world_tier, marking, WEIR_MARK_NONE),
    GENE(world_tier, marks_leaving, 0),
    GENE(world_tier, mark_low_cells, 0),
    GENE(world_tier, mark_high_cells, 0),
    GENE(world_tier, trims, 0),
    GENE(world_tier, memory_percent, 100),
    GENE(world_tier, memory_depth_cells, 8),
    GENE(world_tier, headroom, 0),
    GENE(world_tier, headroom_size, SIM_HEADROOM_SAFE),
    GENE(world_tier, alpha_divisor, 16),
    GENE(world_tier, delta_cells, 0),
    GENE(world_tier, insurance, 1),
    GENE(world_tier, ingress_private_cells, 0),
};

static const struct world_gene transport_genes[] = {
    GENE(world_transport, kind, 0),
    GENE(world_transport, data_class, 0),
    GENE(world_transport, ack_class, 0),
    GENE(world_transport, initial_window, 10),
    GENE(world_transport, max_window, 1000),
    GENE(world_transport, min_rto_ps, WEIR_PS_PER_MS),
    GENE(world_transport, max_rto_ps, WEIR_PS_PER_S),
    GENE(world_transport, sack, 1),
    GENE(world_transport, handshake, 0),
    GENE(world_transport, slow_start, 1),
    GENE(world_transport, ecn, 0),
    GENE(world_transport, ack_every, 1),
    GENE(world_transport, ack_delay_ps, 0),
    GENE(world_transport, tail_loss_probe, 0),
    GENE(world_transport, rack, 0),
    GENE(world_transport, prr, 0),
    GENE(world_transport, undo, 0),
    GENE(world_transport, hystart, 0),
    GENE(world_transport, linux_rto, 0),
    GENE(world_transport, halve_window, 0),
    GENE(world_transport, tick_ps, 0),
    GENE(world_transport, keep_connections, 0),
    GENE(world_transport, open_connections, 0),
    GENE(world_transport, restart_idle, 0),
    GENE(world_transport, request, 0),
    GENE(world_transport, quick_acks, 0),
    GENE(world_transport, ack_delay_max_ps, 0),
    GENE(world_transport, rate_bps, WEIR_PS_PER_S / 1000),
    GENE(world_transport, poisson, 0),
    GENE(world_transport, exponential_sizes, 0),
    GENE(world_transport, on_ps, 0),
    GENE(world_transport, off_ps, 0),
    GENE(world_transport, exponential_periods, 0),
    GENE(world_transport, control, 0),
    GENE(world_transport, paths, 3),
    GENE(world_transport, entropies_log2, 6),
    GENE(world_transport, sleek, 0),
    GENE(world_transport, oversubscribed, 0),
};

static const struct world_gene traffic_genes[] = {
    GENE(world_traffic, kind, TRAFFIC_LIST),
    GENE(world_traffic, transport, 0),
    GENE(world_traffic, tag, 0),
    GENE(world_traffic, from_ps, 0),
    GENE(world_traffic, until_ps, WEIR_PS_PER_US),
    GENE(world_traffic, source_first, 0),
    GENE(world_traffic, source_count, 0),
    GENE(world_traffic, destination_first, 0),
    GENE(world_traffic, destination_count, 0),
    GENE(world_traffic, pattern, TRAFFIC_PATTERN_UNIFORM),
    GENE(world_traffic, sizes, 0),
    GENE(world_traffic, load_percent, 50),
    GENE(world_traffic, rate_per_s, 10000),
    GENE(world_traffic, periodic, 0),
    GENE(world_traffic, fan_out, 1),
    GENE(world_traffic, bytes, 1),
    GENE(world_traffic, concurrency, 1),
    GENE(world_traffic, rounds, 1),
    GENE(world_traffic, interval_ps, 0),
    GENE(world_traffic, listed, 1),
    GENE(world_traffic, list, 0),
    GENE(world_traffic, request_bytes, 0),
    GENE(world_traffic, spread_ps, 0),
    GENE(world_traffic, phased, 0),
    GENE(world_traffic, on_ps, WEIR_PS_PER_US),
    GENE(world_traffic, off_ps, WEIR_PS_PER_US),
    GENE(world_traffic, long_percent, 0),
};

static const struct world_gene change_genes[] = {
    GENE(world_change, when, 0),
    GENE(world_change, link, 0),
    GENE(world_change, up, 0),
};

static const struct world_gene probe_genes[] = {
    GENE(world_probe, sw, 0),
    GENE(world_probe, port, 0),
    GENE(world_probe, tc, 0),
    GENE(world_probe, interval_ps, WEIR_PS_PER_US),
    GENE(world_probe, from_ps, 0),
    GENE(world_probe, until_ps, WEIR_PS_PER_US),
    GENE(world_probe, points_max, 1000),
};

#define GROUP(field, number, least, genes)                                                                             \
    {                                                                                                                  \
#field, offsetof(struct sim_world, number), offsetof(struct sim_world, field),                                 \
            sizeof(((struct sim_world *)0)->field[0]), least, COUNT(((struct sim_world *)0)->field), genes,            \
            COUNT(genes)                                                                                               \
    }

const struct world_group sim_world_groups[] = {
    {"world", 0, 0, 0, 1, 1, world_genes, COUNT(world_genes)},
    GROUP(tier, tiers, 1, tier_genes),
    GROUP(transport, transports, 1, transport_genes),
    GROUP(traffic, traffics, 1, traffic_genes),
    GROUP(change, changes, 0, change_genes),
    GROUP(probe, probes, 0, probe_genes),
};
const uint32_t sim_world_group_count = COUNT(sim_world_groups);

const char *const world_headroom_schemes[WORLD_SCHEMES] = {"sih", "dsh", "adaptive", "oversubscribed", "sai-groups"};

bool sim_world_is_safe(const struct sim_world *world)
{
    bool safe = world->changes == 0 && world->watchdog_detect_ps == 0;
    for (int64_t i = 0; i < world->tiers; i++)
        safe &= world->tier[i].headroom < (int64_t)WORLD_SAFE_SCHEMES &&
                world->tier[i].headroom_size == SIM_HEADROOM_SAFE && world->tier[i].insurance &&
                !(weir_policies[world->tier[i].policy]->needs & WEIR_NEED_LOSSLESS); /* refuses, unpaused */
    return safe;
}

void sim_world_init(struct sim_world *world)
{
    memset(world, 0, sizeof *world);
    for (uint32_t g = 0; g < sim_world_group_count; g++) {
        const struct world_group *group = &sim_world_groups[g];
        if (group->stride != 0)
            *world_at(world, group->count) = group->least;
        for (uint32_t i = 0; i < group->room; i++)
            for (uint32_t k = 0; k < group->gene_count; k++)
                *world_at(world, group->at + i * group->stride + group->genes[k].offset) = group->genes[k].simplest;
    }
}

static void print_part(FILE *out, struct sim_world *world, const struct world_group *group, uint32_t part)
{
    fprintf(out, "%s", group->name);
    for (uint32_t k = 0; k < group->gene_count; k++) {
        int64_t value = *world_at(world, group->at + part * group->stride + group->genes[k].offset);
        if (value != group->genes[k].simplest)
            fprintf(out, " %s=%" PRId64, group->genes[k].name, value);
    }
    fprintf(out, "\n");
}

void sim_world_print(FILE *out, const struct sim_world *world)
{
    struct sim_world copy = *world;
    for (uint32_t g = 0; g < sim_world_group_count; g++)
        for (uint32_t i = 0; i < world_parts(world, &sim_world_groups[g]); i++)
            print_part(out, &copy, &sim_world_groups[g], i);
}
