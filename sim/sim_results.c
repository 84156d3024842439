/*
 * sim_results.c - what a simulation reports during and after the run.
 */
#include "sim/digest.h"
#include "sim/net/network.h"
#include "sim/net/nodes.h"
#include "sim/net/switch_learn.h"
#include "sim/parallel/ranks.h"
#include "sim/sim.h"

const struct weir_error *sim_error(const struct sim *sim)
{
    return &sim->error;
}

const struct records *sim_records(const struct sim *sim)
{
    return &sim->records;
}

const struct measure *sim_measure(const struct sim *sim)
{
    return &sim->measure;
}

/* Packets that nodes sent over their links. */
static uint64_t made_hops(const struct sim *sim, const struct node_list *made)
{
    const uint32_t hosts = sim->config.topology->hosts;
    uint64_t hops = 0;
    for (uint32_t i = 0; i < made->count; i++) {
        const struct switch_node *sw = made->at[i] < hosts ? NULL : &sim->switches[made->at[i] - hosts];
        hops += sw ? 0 : sim->hosts[made->at[i]].out->packets;
        for (uint32_t p = 0; sw && p < sw->ports; p++)
            hops += sw->port[p].out->packets;
    }
    return hops;
}

struct sim_progress sim_totals(const struct sim *sim)
{
    struct sim_progress totals = {.now = sim->now, .until = sim->config.until_ps, .flows_started = 0};
    for (uint32_t i = 0; i < sim->workers; i++) {
        totals.flows_started += sim->worker[i]->flows_started;
        totals.flows_ended += sim->worker[i]->flows_ended;
    }
    for (uint32_t i = 0; (!sim->late || sim->ranks) && i < 2 * sim->config.topology->link_count; i++)
        totals.packet_hops += sim->links[i].packets;
    for (uint32_t i = 0; sim->late && !sim->ranks && i < sim->workers; i++)
        totals.packet_hops += made_hops(sim, &sim->worker[i]->made);
    return totals;
}

uint64_t sim_sent_bytes(const struct sim *sim)
{
    const struct topology *t = sim->config.topology;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < t->link_count; i++)
        bytes += (t->links[i].a < t->hosts ? sim->links[2 * i].bytes : 0) +
                 (t->links[i].b < t->hosts ? sim->links[2 * i + 1].bytes : 0);
    return bytes;
}

const struct link *sim_link(const struct sim *sim, uint32_t link, bool reverse)
{
    return &sim->links[2 * link + reverse];
}

const struct weir_switch *sim_switch(const struct sim *sim, uint32_t sw)
{
    if (sim->late && sim->now == 0 && sim->status == SIM_RUNNING && sim_has_switch(sim, sw) && !sim->switches[sw].sw)
        nodes_make((struct sim *)(uintptr_t)sim, sim->config.topology->hosts + sw);
    return sim->switches[sw].sw;
}

uint64_t sim_memory_peak_bytes(const struct sim *sim, uint32_t sw, uint32_t memory)
{
    if (!sim->switches[sw].sw)
        return sim->measure.sw[sw].peak_bytes[memory];
    return switch_node_peak_bytes(&sim->switches[sw], memory);
}

uint32_t sim_switch_ports(const struct sim *sim, uint32_t sw)
{
    return sim->switches[sw].ports;
}

struct weir_mmu_config sim_memory_config(const struct sim *sim, uint32_t sw, uint32_t memory, weir_bps *rates)
{
    return switch_node_memory_config(&sim->switches[sw], memory, rates);
}

const uint8_t *sim_fates(const struct sim *sim, uint32_t sw, uint32_t memory, uint64_t *count)
{
    const struct switch_learn *learn = sim->switches[sw].learn;
    *count = learn && learn->fates ? learn->fates[memory].count : 0;
    return *count ? learn->fates[memory].lost : NULL;
}

uint64_t sim_rows_missed(const struct sim *sim)
{
    uint64_t missed = 0;
    for (uint32_t i = 0; i < sim->config.topology->switches; i++) {
        const struct switch_node *node = &sim->switches[i];
        for (uint32_t m = 0; node->learn && node->learn->training && m < node->memories; m++)
            missed += weir_training_missed(node->learn->training[m]);
    }
    return missed;
}

struct sim_profile sim_profile(const struct sim *sim)
{
    uint64_t letters_ns = sim->ranks ? sim->ranks->letters_ns : 0;
    struct sim_profile profile = {.ranks = sim->ranks ? sim->ranks->count : 1,
                                  .threads = sim->workers,
                                  .cut_links = sim->cut_links / 2,
                                  .windows = sim->window,
                                  .stretches = sim->stretches,
                                  .run_ns = sim->run_ns,
                                  .longest_ns = sim->worker[0]->longest_ns,
                                  .between_ns = sim->run_ns - sim->windows_ns - letters_ns};
    for (uint32_t i = 0; i < sim->workers; i++)
        profile.crossed += sim->worker[i]->crossed;
    profile.crossed_bytes = profile.crossed * (sizeof(struct packet) + sizeof(union parcel));
    return profile;
}

struct sim_rank_profile sim_rank_profile(const struct sim *sim, uint32_t rank)
{
    return sim->ranks->profile[rank];
}

struct sim_thread_profile sim_thread_profile(const struct sim *sim, uint32_t thread)
{
    const struct sim_worker *worker = sim->worker[thread];
    uint64_t own = worker->busy_ns + (thread == 0 ? sim->run_ns - sim->windows_ns : 0);
    struct sim_thread_profile profile = {.busy_ns = worker->busy_ns,
                                         .switches_ns = worker->switches_ns,
                                         .waiting_ns = sim->run_ns > own ? sim->run_ns - own : 0,
                                         .crossed = worker->crossed};
    profile.hosts = worker->after_host - worker->first_group * ENGINE_GROUP;
    profile.switches = worker->after_slot - worker->switch_group * ENGINE_GROUP;
    return profile;
}

const struct job *sim_job(const struct sim *sim, uint32_t traffic)
{
    return traffic_job_of(sim->traffic, traffic);
}

uint32_t sim_job_host(const struct sim *sim, uint32_t traffic, uint32_t rank)
{
    return traffic_job_host(sim->traffic, traffic, rank);
}

uint64_t sim_digest(const struct sim *sim)
{
    struct digest digest;
    digest_init(&digest);
    digest_records(&digest, &sim->records);
    digest_measure(&digest, &sim->measure);
    digest_u64(&digest, (uint64_t)sim->now);
    for (uint32_t i = 0; i < 2 * sim->config.topology->link_count; i++) {
        digest_u64(&digest, sim->links[i].packets);
        digest_u64(&digest, sim->links[i].bytes);
        digest_u64(&digest, sim->links[i].lost);
    }
    for (uint32_t i = 0; i < sim->config.traffic_count; i++)
        if (sim_job(sim, i))
            digest_job(&digest, sim_job(sim, i));
    return digest_value(&digest);
}
