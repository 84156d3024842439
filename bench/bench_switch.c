/*
 * bench_switch.c - what the software switch costs on one processor, and what it is compared with. One process measures
 * one contender; bench/switch.py interleaves them and takes medians. The result is one JSON object on stdout.
 *
 *   weir-bench-switch weir POLICY     the whole switch
 *   weir-bench-switch mmu POLICY      the calls of the MMU alone
 *   weir-bench-switch trim            the whole switch, which refuses all but the highest class and trims it
 *   weir-bench-switch rte_sched       DPDK's own traffic manager
 *     --seconds N (1), --cpu N (0)
 */
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_lcore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_switch.h"

struct play {
    const char *contender;
    const struct weir_policy *policy; /* null: rte_sched */
    uint32_t cpu;
    double seconds;
    struct weir_mmu_config mmu;
    struct weir_values values;
    struct dataplane_config config;
    struct bench_deck deck;
    struct bench_sample sample;
};

static bool play_read(struct play *play, int argc, char **argv)
{
    play->contender = argc > 1 ? argv[1] : "";
    bool sched = strcmp(play->contender, "rte_sched") == 0;
    bool trim = strcmp(play->contender, "trim") == 0;
    int at = sched || trim ? 2 : 3;
    if (trim)
        play->policy = weir_policy_find("smxq");
    else if (!sched && strcmp(play->contender, "weir") != 0 && strcmp(play->contender, "mmu") != 0)
        return false;
    if (!sched && !trim && (argc < 3 || !(play->policy = weir_policy_find(argv[2]))))
        return false;
    for (; at + 1 < argc; at += 2) {
        if (strcmp(argv[at], "--seconds") == 0)
            play->seconds = strtod(argv[at + 1], NULL);
        else if (strcmp(argv[at], "--cpu") == 0)
            play->cpu = (uint32_t)strtoul(argv[at + 1], NULL, 10);
        else
            return false;
    }
    return at == argc && play->seconds > 0;
}

/* Seven of eight frames are refused, and offered again to the highest class. */
static void play_trim(struct play *play)
{
    int limit = weir_param_find(play->policy, "limit");
    weir_values_init(&play->values, play->policy);
    for (uint32_t tc = 0; tc + 1 < BENCH_CLASSES; tc++) {
        play->values.of[limit][tc] = 1;
        play->mmu.trim[tc] = (struct weir_trim){
            .bytes = DATAPLANE_TRIM_MIN_BYTES, .to = {BENCH_CLASSES - 1}, .causes = 1u << WEIR_CAUSE_REFUSED};
    }
    play->values.of[limit][BENCH_CLASSES - 1] = play->mmu.buffer_cells * play->mmu.cell_bytes;
    play->mmu.egress_values = &play->values;
}

/* On the processor that is measured: this thread moves there, since DPDK would spin on another one to wait for it. */
static int play_run(struct play *play)
{
    uint64_t cycles = (uint64_t)(play->seconds * (double)rte_get_tsc_hz());
    rte_cpuset_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(play->cpu, &cpus);
    if (rte_thread_set_affinity(&cpus) != 0) {
        fprintf(stderr, "bench: processor %u cannot be used\n", play->cpu);
        return 4;
    }
    if (!play->policy)
        return bench_play_sched(&play->deck, cycles, &play->sample) ? 0 : 4;
    if (strcmp(play->contender, "mmu") == 0)
        return bench_play_mmu(&play->deck, play->policy, cycles, &play->sample) ? 0 : 4;
    return bench_play_weir(&play->deck, &play->config, cycles, &play->sample) ? 0 : 4;
}

int main(int argc, char **argv)
{
    static struct play play = {.seconds = 1};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (!play_read(&play, argc, argv)) {
        fprintf(stderr, "usage: weir-bench-switch weir POLICY|mmu POLICY|trim|rte_sched [--seconds N] [--cpu N]\n");
        return 2;
    }
    bench_mmu_config(&play.mmu, play.policy ? play.policy : weir_policy_find("cs"));
    if (strcmp(play.contender, "trim") == 0)
        play_trim(&play);
    bench_switch_config(&play.config, &play.mmu, play.cpu);
    if (!dataplane_environment(&play.config, "weir-bench-switch", &error)) {
        fprintf(stderr, "bench: %s\n", error.text);
        return 4;
    }
    if (!bench_deck_make(&play.deck, &play.config)) {
        fprintf(stderr, "bench: no memory for the frames\n");
        return 4;
    }
    int status = play_run(&play);
    if (status == 0) {
        double seconds = (double)play.sample.cycles / (double)rte_get_tsc_hz();
        printf("{\"contender\": \"%s\", \"policy\": \"%s\", \"mpps\": %.4f, \"frames\": %llu, \"huge_pages\": %s}\n",
               play.contender, play.policy ? play.policy->name : "", 1e-6 * (double)play.sample.frames / seconds,
               (unsigned long long)play.sample.frames, rte_eal_has_hugepages() ? "true" : "false");
    }
    bench_deck_free(&play.deck);
    dataplane_environment_end();
    return status;
}
