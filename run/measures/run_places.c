/*
 * run_places.c - where packets were lost and marked, and how full buffers got: the part of a result that is about
 * switches.
 */
#include <stdlib.h>

#include "run/measures/run_result.h"
#include "sim/engine/link.h"
#include "weir/switch.h"

/* The node at the other end of a switch's port. */
static uint32_t neighbour(const struct topology *topology, uint32_t sw, uint32_t port)
{
    uint32_t node = topology->hosts + sw;
    for (uint32_t i = 0; i < topology->link_count; i++) {
        const struct topology_link *link = &topology->links[i];
        if ((link->a == node || link->b == node) && port-- == 0)
            return link->a == node ? link->b : link->a;
    }
    return node;
}

void run_probe_place(const struct run_result *result, uint32_t probe, char place[40])
{
    const struct topology *topology = &result->scenario->topology;
    const struct sim_probe *at = &result->scenario->config.probes[probe];
    char from[16], to[16];
    scenario_node_name(topology, topology->hosts + at->sw, from);
    scenario_node_name(topology, neighbour(topology, at->sw, at->port), to);
    snprintf(place, 40, "%s-%s", from, to);
}

void run_memory_name(const struct run_result *result, const struct run_memory *memory, char name[32])
{
    if (sim_measure(result->sim)->sw[memory->sw].mmus > 1)
        snprintf(name, 32, "s%u.%u", memory->sw, memory->number);
    else
        snprintf(name, 32, "s%u", memory->sw);
}

/* Adds the queues of one switch to result->places, or with a null list only counts them. */
static void add_queues(struct run_result *result, uint32_t index)
{
    const struct measure_switch *sw = &sim_measure(result->sim)->sw[index];
    for (uint32_t i = 0; i < sw->classes * sw->ports; i++) {
        struct run_place place = {.sw = index, .port = i % sw->ports, .tc = i / sw->ports};
        summary_queue_losses(sw, i, &place.losses);
        if (place.losses.total == 0 && place.losses.marked == 0)
            continue;
        if (result->places != NULL) {
            place.neighbour = neighbour(&result->scenario->topology, index, place.port);
            result->places[result->place_count] = place;
            result->lossy_places += place.losses.total > 0;
        }
        result->place_count++;
    }
}

/* By losses, most first, then by queue. */
static int place_compare(const void *a, const void *b)
{
    const struct run_place *left = a, *right = b;
    if (left->losses.total != right->losses.total)
        return left->losses.total > right->losses.total ? -1 : 1;
    if (left->sw != right->sw)
        return left->sw < right->sw ? -1 : 1;
    if (left->tc != right->tc)
        return left->tc < right->tc ? -1 : 1;
    return (left->port > right->port) - (left->port < right->port);
}

static bool add_places(struct run_result *result)
{
    uint32_t switches = sim_measure(result->sim)->switches;
    for (uint32_t sw = 0; sw < switches; sw++)
        add_queues(result, sw);
    result->places = calloc((size_t)result->place_count + 1, sizeof *result->places);
    if (result->places == NULL)
        return false;
    result->place_count = 0;
    for (uint32_t sw = 0; sw < switches; sw++)
        add_queues(result, sw);
    qsort(result->places, result->place_count, sizeof *result->places, place_compare);
    return true;
}

static bool add_memories(struct run_result *result)
{
    const struct measure *measure = sim_measure(result->sim);
    const struct topology *topology = &result->scenario->topology;
    uint32_t count = 0;
    for (uint32_t sw = 0; sw < measure->switches; sw++)
        count += measure->sw[sw].mmus;
    result->memories = calloc((size_t)count + 1, sizeof *result->memories);
    if (result->memories == NULL)
        return false;
    for (uint32_t sw = 0; sw < measure->switches; sw++) {
        const struct weir_mmu_config *mmu = &sim_config_tier(&result->scenario->config, topology->tier[sw])->mmu;
        for (uint32_t m = 0; m < measure->sw[sw].mmus; m++) {
            result->memories[result->memory_count++] = (struct run_memory){
                .sw = sw,
                .number = m,
                .peak_bytes = sim_memory_peak_bytes(result->sim, sw, m),
                .buffer_bytes = (uint64_t)mmu->buffer_cells * mmu->cell_bytes,
            };
        }
    }
    return true;
}

static void add_use_at_loss(struct run_result *result, const struct measure_switch *sw)
{
    for (uint32_t m = 0; m < sw->mmus; m++) {
        for (uint32_t b = 0; b < MEASURE_BINS; b++) {
            result->buffer_at_loss[b] += sw->memory[m].buffer_at_loss[b];
            result->sampled_losses += sw->memory[m].buffer_at_loss[b];
            result->bandwidth_at_loss[b] += sw->memory[m].bandwidth_at_loss[b];
        }
    }
}

static void add_occupancy(struct run_result *result, const struct measure_switch *sw)
{
    for (uint32_t m = 0; m < sw->mmus; m++)
        for (uint32_t b = 0; b < MEASURE_BINS; b++)
            result->buffer_in_use[b] += sw->memory[m].in_use[b];
}

bool run_result_add_places(struct run_result *result)
{
    const struct measure *measure = sim_measure(result->sim);
    summary_losses(measure, SUMMARY_ANY, &result->losses);
    for (uint32_t sw = 0; sw < measure->switches; sw++) {
        add_use_at_loss(result, &measure->sw[sw]);
        if (result->scenario->topology.tier[sw] == 0)
            add_occupancy(result, &measure->sw[sw]);
    }
    struct run_lost *lost = &result->lost;
    for (uint32_t r = 0; r < WEIR_REASON_COUNT; r++)
        lost->refused += result->losses.refused[r];
    lost->by_watchdog = result->losses.watchdog;
    lost->after_acceptance = result->losses.total - lost->refused - lost->by_watchdog;
    for (uint32_t sw = 0; sw < sim_measure(result->sim)->switches; sw++)
        lost->unroutable += sim_measure(result->sim)->sw[sw].unroutable;
    for (uint32_t i = 0; i < result->scenario->topology.link_count; i++)
        lost->on_failed_links += sim_link(result->sim, i, false)->lost + sim_link(result->sim, i, true)->lost;
    lost->at_hosts = sim_measure(result->sim)->lost_at_hosts;
    lost->total = result->losses.total + lost->unroutable + lost->on_failed_links + lost->at_hosts;
    return add_places(result) && add_memories(result);
}
