/*
 * bench_switch_sched.c - DPDK's own traffic manager beside ours: rte_sched with one pipe for each of our ports and one
 * of its traffic classes for each of ours, at rates that never hold a frame back. A hand is enqueued in bursts, and
 * dequeued in bursts until nothing is left. Which queue a frame belongs to is written into it beforehand: lookup and
 * classification cost this contender nothing.
 */
#include <rte_cycles.h>
#include <rte_sched.h>
#include <stdio.h>
#include <string.h>

#include "bench_switch.h"

#define RATE_BYTES_PER_S UINT64_C(125000000000) /* 1 Tb/s */
#define BUCKET_BYTES 1000000u
#define QUEUE_FRAMES 256u
#define PERIOD_MS 10u
#define OVERHEAD_BYTES 24u
#define EMPTY_MAX 1000000u /* dequeues in a row that give nothing although frames are held */

static struct rte_sched_port *sched_create(void)
{
    struct rte_sched_subport_profile_params profile = {
        .tb_rate = RATE_BYTES_PER_S, .tb_size = BUCKET_BYTES, .tc_period = PERIOD_MS};
    struct rte_sched_pipe_params pipe = {
        .tb_rate = RATE_BYTES_PER_S / BENCH_PORTS, .tb_size = BUCKET_BYTES, .tc_period = PERIOD_MS, .tc_ov_weight = 1};
    struct rte_sched_subport_params subport = {.n_pipes_per_subport_enabled = BENCH_PORTS,
                                               .pipe_profiles = &pipe,
                                               .n_pipe_profiles = 1,
                                               .n_max_pipe_profiles = 1};
    struct rte_sched_port_params port = {.name = "bench",
                                         .rate = RATE_BYTES_PER_S,
                                         .mtu = 1500 + 18,
                                         .frame_overhead = OVERHEAD_BYTES,
                                         .n_subports_per_port = 1,
                                         .subport_profiles = &profile,
                                         .n_subport_profiles = 1,
                                         .n_max_subport_profiles = 1,
                                         .n_pipes_per_subport = BENCH_PORTS};
    for (uint32_t tc = 0; tc < RTE_SCHED_TRAFFIC_CLASSES_PER_PIPE; tc++) {
        profile.tc_rate[tc] = profile.tb_rate;
        pipe.tc_rate[tc] = pipe.tb_rate;
        subport.qsize[tc] = QUEUE_FRAMES;
    }
    memset(pipe.wrr_weights, 1, sizeof(pipe.wrr_weights));
    struct rte_sched_port *sched = rte_sched_port_config(&port);
    bool works = sched && rte_sched_subport_config(sched, 0, &subport, 0) == 0;
    for (uint32_t p = 0; works && p < BENCH_PORTS; p++)
        works = rte_sched_pipe_config(sched, 0, p, 0) == 0;
    if (works || !sched)
        return sched;
    rte_sched_port_free(sched);
    return NULL;
}

/* One hand in and out again; false when frames were dropped or do not come out. */
static bool hand_play(struct rte_sched_port *sched, struct rte_mbuf *hand[BENCH_PORTS][BENCH_BURST])
{
    struct rte_mbuf *out[BENCH_BURST];
    uint32_t held = 0, empty = 0;
    for (uint32_t input = 0; input < BENCH_PORTS; input++)
        held += (uint32_t)rte_sched_port_enqueue(sched, hand[input], BENCH_BURST);
    bool whole = held == BENCH_HAND;
    while (held > 0 && empty < EMPTY_MAX) {
        uint32_t got = (uint32_t)rte_sched_port_dequeue(sched, out, BENCH_BURST);
        empty = got ? 0 : empty + 1;
        held -= got;
    }
    return whole && held == 0;
}

bool bench_play_sched(struct bench_deck *deck, uint64_t cycles, struct bench_sample *sample)
{
    struct rte_sched_port *sched = sched_create();
    if (!sched) {
        fprintf(stderr, "bench: rte_sched could not be set up\n");
        return false;
    }
    for (uint32_t hand = 0; hand < BENCH_HANDS; hand++)
        for (uint32_t input = 0; input < BENCH_PORTS; input++)
            for (uint32_t i = 0; i < BENCH_BURST; i++)
                rte_sched_port_pkt_write(sched, deck->hand[hand][input][i], 0, deck->output[hand][input][i],
                                         deck->tc[hand][input][i], 0, RTE_COLOR_GREEN);
    bool works = true;
    for (uint32_t hand = 0; works && sample->cycles < cycles; hand = (hand + 1) % BENCH_HANDS) {
        uint64_t start = rte_rdtsc_precise();
        works = hand_play(sched, deck->hand[hand]);
        sample->cycles += rte_rdtsc_precise() - start;
        sample->frames += BENCH_HAND;
    }
    if (!works)
        fprintf(stderr, "bench: rte_sched lost or kept frames\n");
    rte_sched_port_free(sched);
    return works;
}
