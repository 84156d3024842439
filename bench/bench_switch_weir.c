/*
 * bench_switch_weir.c - the whole software switch, run to completion on one processor: ports over rings (net_ring),
 * parsing, learning and lookup, classification, the MMU, and shaped ports. The modules are called in the order in which
 * a processor runs them; what is put into the rings before and taken out of them afterwards is not timed.
 */
#include <rte_cycles.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <stdio.h>
#include <string.h>

#include "bench_switch.h"
#include "switch/dpdk/dataplane_internal.h"

#define RING_FRAMES (4 * BENCH_HAND)
#define ROUNDS_MAX 1000u /* for one hand */
#define MEMORY_MIB 512u

struct cables {
    struct rte_ring *in[BENCH_PORTS], *out[BENCH_PORTS];
};

/* What rte_eth_from_rings makes of the names that cables_make gives. */
static const char *const devices[BENCH_PORTS] = {"net_ring_0", "net_ring_1", "net_ring_2", "net_ring_3",
                                                 "net_ring_4", "net_ring_5", "net_ring_6", "net_ring_7"};

static bool cables_make(struct cables *cables)
{
    char name[32];
    for (uint32_t p = 0; p < BENCH_PORTS; p++) {
        snprintf(name, sizeof(name), "in%u", p);
        cables->in[p] = rte_ring_create(name, RING_FRAMES, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
        snprintf(name, sizeof(name), "out%u", p);
        cables->out[p] = rte_ring_create(name, RING_FRAMES, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
        snprintf(name, sizeof(name), "%u", p);
        if (!cables->in[p] || !cables->out[p] || rte_eth_from_rings(name, &cables->in[p], 1, &cables->out[p], 1, 0) < 0)
            return false;
    }
    return true;
}

/* All frames of a hand go into the rings; true when they did. */
static bool hand_deal(struct cables *cables, struct rte_mbuf *hand[BENCH_PORTS][BENCH_BURST])
{
    uint32_t dealt = 0;
    for (uint32_t p = 0; p < BENCH_PORTS; p++)
        dealt += rte_ring_sp_enqueue_bulk(cables->in[p], (void **)hand[p], BENCH_BURST, NULL);
    return dealt == BENCH_HAND;
}

static uint32_t hand_count(const struct cables *cables)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < BENCH_PORTS; p++)
        count += rte_ring_count(cables->out[p]);
    return count;
}

/* Rounds until the hand is out, of which the looks in between are not timed. */
static bool hand_play(struct dataplane *dp, struct cables *cables, struct bench_sample *sample)
{
    for (uint32_t round = 0; round < ROUNDS_MAX && hand_count(cables) < BENCH_HAND; round++) {
        uint64_t start = rte_rdtsc_precise();
        rx_poll(dp, &dp->work[0]);
        forward_poll(dp, &dp->work[0]);
        tx_poll(dp, &dp->work[0]);
        expel_poll(dp);
        sample->cycles += rte_rdtsc_precise() - start;
    }
    sample->frames += BENCH_HAND;
    return hand_count(cables) == BENCH_HAND;
}

void bench_switch_config(struct dataplane_config *config, const struct weir_mmu_config *mmu, uint32_t cpu)
{
    static struct dataplane_address addresses[BENCH_PORTS];
    dataplane_config_init(config);
    config->devices = devices;
    config->ports = BENCH_PORTS;
    config->burst = BENCH_BURST;
    config->sw = (struct weir_switch_config){.ports = BENCH_PORTS, .ports_per_mmu = BENCH_PORTS, .mmu = mmu};
    config->addresses = addresses;
    config->address_count = BENCH_PORTS;
    config->memory_mib = MEMORY_MIB;
    for (uint32_t p = 0; p < BENCH_PORTS; p++) {
        addresses[p].port = p;
        bench_address(addresses[p].mac, p);
    }
    for (uint32_t module = 0; module < DATAPLANE_MODULES; module++)
        config->cpus[module] = (struct dataplane_cpus){.cpu = {cpu}, .count = 1};
}

bool bench_play_weir(struct bench_deck *deck, const struct dataplane_config *config, uint64_t cycles,
                     struct bench_sample *sample)
{
    static struct cables cables;
    struct weir_error error = {.text = "no memory for the rings"};
    struct dataplane *dp = cables_make(&cables) ? dataplane_create(config, &error) : NULL;
    if (!dp) {
        fprintf(stderr, "bench: %s\n", error.text);
        return false;
    }
    /* A switch whose modules are called here instead of by DPDK's lcores. */
    bool works = true;
    __atomic_store_n(&dp->phase, DATAPLANE_RUNS, __ATOMIC_RELEASE);
    for (uint32_t hand = 0; works && sample->cycles < cycles; hand = (hand + 1) % BENCH_HANDS) {
        works = hand_deal(&cables, deck->hand[hand]) && hand_play(dp, &cables, sample);
        struct rte_mbuf *mbufs[BENCH_HAND];
        for (uint32_t p = 0; p < BENCH_PORTS; p++)
            rte_ring_sc_dequeue_burst(cables.out[p], (void **)mbufs, BENCH_HAND, NULL);
    }
    __atomic_store_n(&dp->phase, DATAPLANE_IDLE, __ATOMIC_RELEASE);
    if (!works)
        fprintf(stderr, "bench: the switch lost or kept frames under %s\n", config->sw.mmu->egress->name);
    dataplane_free(dp);
    return works;
}
