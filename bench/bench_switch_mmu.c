/*
 * bench_switch_mmu.c - the part of a packet's time that is the MMU's own: the calls which the software switch makes for
 * a hand, without frames, tables, rings and ports. For every burst its arrivals and an offer to expel, if the policy
 * takes one; then the departures, port by port.
 */
#include <rte_cycles.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_switch.h"

#define BUFFER_BYTES (4u << 20)
#define CELL_BYTES 200u
#define RATE_BPS INT64_C(400000000000)
#define ARRIVAL_PS INT64_C(1000) /* between two packets; time passes so that expulsion gets its tokens */

void bench_mmu_config(struct weir_mmu_config *config, const struct weir_policy *policy)
{
    weir_mmu_config_init(config, BENCH_PORTS, BENCH_CLASSES, BUFFER_BYTES / CELL_BYTES);
    config->cell_bytes = CELL_BYTES;
    config->rate_bps = RATE_BPS;
    config->scheduler.kind = WEIR_SCHED_STRICT;
    config->egress = policy;
}

struct packets {
    struct weir_packet packet[BENCH_HANDS][BENCH_PORTS][BENCH_BURST];
};

/* Returns how many departed. */
static uint32_t hand_play(struct weir_mmu *mmu, const struct packets *packets, uint32_t hand, weir_ps *now)
{
    bool expels = weir_mmu_policy(mmu)->needs & WEIR_NEED_EXPEL;
    uint32_t departed = 0;
    for (uint32_t input = 0; input < BENCH_PORTS; input++) {
        for (uint32_t i = 0; i < BENCH_BURST; i++)
            weir_mmu_arrive(mmu, &packets->packet[hand][input][i], *now);
        if (expels)
            weir_mmu_offer_expel(mmu, *now);
        *now += BENCH_BURST * ARRIVAL_PS;
    }
    for (uint32_t port = 0; port < BENCH_PORTS; port++)
        while (weir_mmu_depart(mmu, (weir_port){port}, *now)->departed)
            departed++;
    return departed;
}

bool bench_play_mmu(struct bench_deck *deck, const struct weir_policy *policy, uint64_t cycles,
                    struct bench_sample *sample)
{
    static struct packets packets;
    struct weir_mmu_config config;
    bench_mmu_config(&config, policy);
    void *memory = aligned_alloc(64, weir_mmu_size(&config));
    if (!memory) {
        fprintf(stderr, "bench: out of memory\n");
        return false;
    }
    struct weir_mmu *mmu = weir_mmu_init(memory, &config);
    for (uint32_t hand = 0; hand < BENCH_HANDS; hand++)
        for (uint32_t input = 0; input < BENCH_PORTS; input++)
            for (uint32_t i = 0; i < BENCH_BURST; i++)
                packets.packet[hand][input][i] =
                    (struct weir_packet){.handle = (uint64_t)(uintptr_t)deck->hand[hand][input][i],
                                         .output = {deck->output[hand][input][i]},
                                         .input = {input},
                                         .tc = {deck->tc[hand][input][i]},
                                         .bytes = BENCH_FRAME_BYTES};
    weir_ps now = 0;
    bool works = true;
    for (uint32_t hand = 0; works && sample->cycles < cycles; hand = (hand + 1) % BENCH_HANDS) {
        uint64_t start = rte_rdtsc_precise();
        works = hand_play(mmu, &packets, hand, &now) == BENCH_HAND;
        sample->cycles += rte_rdtsc_precise() - start;
        sample->frames += BENCH_HAND;
    }
    if (!works)
        fprintf(stderr, "bench: the MMU lost or kept packets under %s\n", policy->name);
    free(memory);
    return works;
}
