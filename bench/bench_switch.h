/*
 * bench_switch.h - what the contenders of weir-bench-switch share: the frames, and how time is taken.
 *
 * The deck is all frames in circulation, in an order drawn once: 64 bytes, valid UDP over IPv4, destinations evenly
 * over the ports and classes by DSCP. A contender plays hands: it gets one burst for every port, the clock runs while
 * it works on them, and frames are dealt again with the clock stopped: no contender pays for a generator, and
 * the order in which frames leave does not decide the order in which they come.
 */
#ifndef BENCH_BENCH_SWITCH_H
#define BENCH_BENCH_SWITCH_H

#include <rte_mbuf.h>

#include "switch/dpdk/dataplane.h"

#define BENCH_PORTS 8u
#define BENCH_CLASSES 8u
#define BENCH_BURST 32u
#define BENCH_HAND (BENCH_PORTS * BENCH_BURST) /* frames */
#define BENCH_HANDS 4u
#define BENCH_FRAME_BYTES 60u /* 64 with the check sequence */

struct bench_deck {
    struct rte_mempool *pool;
    /* hand[h][p] comes in by port p: its frames have other destinations. */
    struct rte_mbuf *hand[BENCH_HANDS][BENCH_PORTS][BENCH_BURST];
    uint8_t output[BENCH_HANDS][BENCH_PORTS][BENCH_BURST];
    uint8_t tc[BENCH_HANDS][BENCH_PORTS][BENCH_BURST];
};

/* The address behind a port. */
void bench_address(uint8_t mac[6], uint32_t port);

/* Of mbufs as the switch of this config would make them. False when the environment has no memory for it. */
bool bench_deck_make(struct bench_deck *deck, const struct dataplane_config *config);
void bench_deck_free(struct bench_deck *deck);

/* What was measured. */
struct bench_sample {
    uint64_t frames;
    uint64_t cycles; /* of the time stamp counter, while the clock ran */
};

/* The buffer of the switch: 4 MiB in cells of 200 bytes, which no hand can fill, and strict classes as rte_sched has
 * them; the rates hold no frame back. */
void bench_mmu_config(struct weir_mmu_config *config, const struct weir_policy *policy);

/* Each plays hands until the clock has run for so many cycles. False after a message on stderr: something did not work
 * as it should, so there is nothing to tell. */
bool bench_play_sched(struct bench_deck *deck, uint64_t cycles, struct bench_sample *sample);
bool bench_play_mmu(struct bench_deck *deck, const struct weir_policy *policy, uint64_t cycles,
                    struct bench_sample *sample);
bool bench_play_weir(struct bench_deck *deck, const struct dataplane_config *config, uint64_t cycles,
                     struct bench_sample *sample);

/* A switch with the MMU `mmu`; addresses are given, and learning is on. Its devices are made by bench_play_weir. */
void bench_switch_config(struct dataplane_config *config, const struct weir_mmu_config *mmu, uint32_t cpu);

#endif
