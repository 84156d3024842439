/*
 * record.h - traces for the tests of the command line: one MMU under random calls of every kind. A headroom scheme gets
 * a lossless class, beside Occamy for the other one.
 */
#ifndef TESTS_APPS_RECORD_H
#define TESTS_APPS_RECORD_H

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "lib/trace/file.h"
#include "weir/oracle.h"
#include "weir/random.h"

#define RECORD_PORTS 4u
#define RECORD_CLASSES 2u

struct record_run {
    struct weir_random random;
    struct weir_mmu *mmu;
    struct cli_policy policy;
    struct weir_table_oracle oracle;
    uint8_t predictions[512];
    struct weir_mmu_config config;
    uint64_t arrivals;
    weir_ps now;
};

static inline void record_configure_lossless(struct record_run *run)
{
    static const struct weir_uplink uplinks[RECORD_PORTS] = {{10, 100000, 1500, 64, 0, 3840},
                                                             {10, 100000, 1500, 64, 20, 3840},
                                                             {20, 300000, 1500, 64, 20, 3840},
                                                             {5, 0, 1500, 64, 20, 5000}};
    struct weir_mmu_config *config = &run->config;
    config->egress = weir_policy_find("occamy");
    config->egress_values = NULL;
    config->ingress = run->policy.policy;
    config->ingress_values = &run->policy.values;
    config->lossless_mask = 1;
    config->ingress_private_cells[0] = 2;
    config->uplinks = uplinks;
    config->headroom_cells = weir_mmu_headroom_cells(config);
    config->buffer_cells += config->headroom_cells;
}

static inline void record_configure(struct record_run *run)
{
    static const weir_bps rates[RECORD_PORTS] = {10000000000, 10000000000, 25000000000, 1000000000};
    struct weir_mmu_config *config = &run->config;
    for (size_t i = 0; i < sizeof run->predictions; i++)
        run->predictions[i] = (uint8_t)weir_random_bits(&run->random);
    weir_table_oracle_init(&run->oracle, run->predictions, 8 * sizeof run->predictions, 0, 0);
    weir_mmu_config_init(config, RECORD_PORTS, RECORD_CLASSES, 120);
    config->cell_bytes = 100;
    config->private_cells[0] = 2;
    config->packets_max = 64;
    config->rates_bps = rates;
    config->scheduler = (struct weir_scheduler_config){.kind = WEIR_SCHED_DRR, .quantum_bytes = 1500, .weight = {1, 2}};
    config->marking[1] = (struct weir_marking){WEIR_MARK_RED, 5, 40, WEIR_Q16_ONE / 2};
    config->seed = 7;
    config->gives = WEIR_GIVES_FLOWS | WEIR_GIVES_FLOW_BYTES;
    config->egress = run->policy.policy;
    config->egress_values = &run->policy.values;
    if (run->policy.policy->needs & WEIR_NEED_INGRESS)
        record_configure_lossless(run);
    config->oracle = run->policy.policy->needs & WEIR_NEED_ORACLE ? &run->oracle.base : NULL;
}

static inline void record_arrive(struct record_run *run)
{
    uint32_t draw = weir_random_below(&run->random, 100);
    const struct weir_flow flow = {
        .hash = weir_hash(1, run->arrivals % 50), .bytes = (int64_t)(run->arrivals * 97 % 5000) - 1, .dscp = draw % 64};
    struct weir_packet packet = {
        .flow = &flow,
        .handle = run->arrivals++,
        .output = {draw < 50 ? 0 : draw % RECORD_PORTS}, /* one port is overloaded */
        .input = {draw % RECORD_PORTS},
        .tc = {weir_random_below(&run->random, RECORD_CLASSES)},
        .bytes = 64 + weir_random_below(&run->random, 1437),
        .flags = (draw % 3 == 0 ? WEIR_FLAG_ECN : 0) | (draw % 7 == 0 ? WEIR_FLAG_UNSCHEDULED : 0),
    };
    weir_mmu_arrive(run->mmu, &packet, run->now);
}

static inline void record_step(struct record_run *run)
{
    uint32_t draw = weir_random_below(&run->random, 1000);
    weir_port port = {weir_random_below(&run->random, RECORD_PORTS)};
    run->now += weir_random_below(&run->random, 1000000);
    if (draw < 560)
        record_arrive(run);
    else if (draw < 900)
        weir_mmu_depart(run->mmu, port, run->now);
    else if (draw < 960)
        weir_mmu_offer_expel(run->mmu, run->now);
    else if (draw < 970)
        weir_mmu_pause_received(run->mmu, port, 1 + draw % 3, run->now + (draw % 5) * 1000000, run->now);
    else if (draw < 975)
        weir_mmu_flush_classes(run->mmu, port, 1 + draw % 3, run->now);
    else if (draw < 990)
        weir_mmu_advance(run->mmu, run->now);
    else
        weir_mmu_change(run->mmu, run->config.ingress != NULL, &run->policy.values, run->now);
}

/* Records `events` random calls to an MMU with this policy; hashes every 100 records. */
static inline bool record_trace(const char *policy, uint64_t seed, uint64_t events, const char *path)
{
    static struct record_run run;
    struct trace_writer writer;
    run = (struct record_run){.random = weir_random_stream(seed, "record")};
    if (cli_parse_policy(policy, &run.policy) != CLI_OK)
        return false;
    record_configure(&run);
    void *memory = aligned_alloc(64, weir_mmu_size(&run.config));
    if (memory == NULL || !trace_writer_create(&writer, path, &run.config, 100)) {
        free(memory);
        return false;
    }
    run.mmu = weir_mmu_init(memory, &run.config);
    weir_mmu_set_trace(run.mmu, &writer.trace);
    for (uint64_t i = 0; i < events && !writer.trace.failed; i++)
        record_step(&run);
    weir_mmu_set_trace(run.mmu, NULL);
    bool written = trace_writer_finish(&writer, run.mmu);
    free(memory);
    return written;
}

#endif
