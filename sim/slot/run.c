/*
 * run.c - the loop of the slotted model around the library's MMU.
 *
 * A packet's handle is its arrival index, so that what the MMU reports lost marks the packet's own bit. Invariant at
 * the end: every arrival was sent or lost, once.
 */
#include "run.h"

#include <assert.h>
#include <stdlib.h>

#include "weir/view.h"

#define RUN_ALIGN 64u
#define RUN_REPORT_SLOTS 4096u                                     /* between two reports of progress */
#define SLOT_DEPTH_MAX (WEIR_PACKET_BYTES_MAX / SLOT_PACKET_BYTES) /* packets that the memory's bucket can hold */

struct run {
    struct weir_error *error;
    struct weir_mmu *mmu;
    void *mmu_memory;
    struct weir_training *training; /* null: no rows wanted */
    void *training_memory;
    const struct weir_view *view;
    const struct slot_recording *recording;
    const struct slot_progress *progress;
    struct slot_result *result;
    uint32_t ports;
    bool expels;
    bool written; /* no sink has refused */
    weir_ps now;
};

void slot_mmu_config(struct weir_mmu_config *config, const struct slot_switch *sw)
{
    weir_mmu_config_init(config, sw->ports, 1, sw->buffer);
    config->cell_bytes = SLOT_PACKET_BYTES;
    config->rate_bps = SLOT_RATE_BPS;
    config->packets_max = sw->buffer + 1; /* one for the arrival, else it is refused before a victim is sought */
    config->evictions_max = sw->ports;
    config->memory_cell_bytes = SLOT_PACKET_BYTES;
    config->memory_depth_cells = sw->ports < SLOT_DEPTH_MAX ? sw->ports : SLOT_DEPTH_MAX;
    config->egress = sw->policy;
    config->egress_values = sw->values;
    config->oracle = sw->oracle;
}

static void lose(struct run *run, uint64_t index)
{
    assert((run->result->lost_bits[index / 8] >> index % 8 & 1) == 0);
    run->result->lost_bits[index / 8] |= (uint8_t)(1u << index % 8);
    run->result->lost++;
}

static void take_lost(struct run *run, const struct weir_effects *effects)
{
    for (uint32_t i = 0; i < effects->lost_count; i++)
        lose(run, effects->lost[i].handle);
}

static void offer_expel(struct run *run)
{
    if (run->expels)
        take_lost(run, weir_mmu_offer_expel(run->mmu, run->now));
}

static void take_rows(struct run *run)
{
    struct weir_training_row row;
    while (run->training != NULL && weir_training_take(run->training, &row))
        run->written = run->written && run->recording->take_row(run->recording->context, &row);
}

static void arrive(struct run *run, uint64_t index, uint32_t port)
{
    struct weir_packet packet = {.handle = index, .output = {port}, .bytes = SLOT_PACKET_BYTES};
    if (run->training != NULL)
        weir_training_arrive(run->training, run->view, &packet, run->now);
    const struct weir_effects *effects = weir_mmu_arrive(run->mmu, &packet, run->now);
    if (weir_effects_invalid(effects) && run->error->code == WEIR_ERROR_NONE) {
        weir_fail(run->error, WEIR_ERROR_INPUT, "port %u: the switch has ports 0 to %u", port, run->ports - 1);
        weir_fail_in(run->error, "arrival", index);
    }
    if (!effects->accepted) {
        lose(run, index);
        run->result->refused++;
    }
    take_lost(run, effects);
    offer_expel(run);
    take_rows(run);
}

static void serve(struct run *run, const struct slot_arrivals *arrivals)
{
    uint64_t index = 0;
    uint64_t slot = 0;
    for (; slot < arrivals->slots || weir_view_used(run->view) > 0; slot++) {
        run->now = (weir_ps)slot * SLOT_PS;
        if (slot < arrivals->slots)
            for (; index < arrivals->slot_end[slot]; index++)
                arrive(run, index, arrivals->port[index]);
        for (uint32_t port = 0; port < run->ports; port++) {
            const struct weir_effects *effects = weir_mmu_depart(run->mmu, (weir_port){port}, run->now);
            take_lost(run, effects);
            if (!effects->departed)
                continue;
            run->result->sent++;
            run->result->port_sent[port]++;
            if (run->training != NULL)
                weir_training_depart(run->training, run->view, effects->account, run->now);
        }
        offer_expel(run);
        if (slot % RUN_REPORT_SLOTS == 0 && slot < arrivals->slots)
            slot_progress_report(run->progress, (uint32_t)slot, (uint32_t)arrivals->slots);
    }
    run->result->arrived = index;
    run->result->slots = slot;
    assert(run->result->sent + run->result->lost == index);
}

static bool allocate(struct run *run, const struct weir_mmu_config *config, uint64_t packets)
{
    run->mmu_memory = aligned_alloc(RUN_ALIGN, weir_mmu_size(config));
    run->result->port_sent = calloc(run->ports, sizeof *run->result->port_sent);
    run->result->lost_bits = calloc(packets / 8 + 1, 1);
    if (run->mmu_memory == NULL || run->result->port_sent == NULL || run->result->lost_bits == NULL)
        return false;
    run->mmu = weir_mmu_init(run->mmu_memory, config);
    run->view = weir_mmu_view(run->mmu);
    if (run->recording == NULL)
        return true;
    weir_mmu_set_trace(run->mmu, run->recording->trace);
    if (run->recording->take_row == NULL)
        return true;
    /* A row waits for the fates of all earlier arrivals, so that in the worst case all of them wait at once. */
    uint64_t rows = packets > config->packets_max ? packets : config->packets_max;
    struct weir_training_config training = {
        .mmu = config,
        .tail = true,
        .virtual_counters = run->recording->virtual_counters,
        .average_ps = run->recording->average_ps > 0 ? run->recording->average_ps : SLOT_AVERAGE_PS,
        .rows_max = rows < UINT32_MAX ? (uint32_t)rows : UINT32_MAX,
    };
    size_t bytes = (weir_training_size(&training) + RUN_ALIGN - 1) / RUN_ALIGN * RUN_ALIGN;
    run->training_memory = aligned_alloc(RUN_ALIGN, bytes);
    if (run->training_memory == NULL)
        return false;
    run->training = weir_training_init(run->training_memory, &training);
    return true;
}

enum weir_error_code slot_run(const struct slot_switch *sw, const struct slot_arrivals *arrivals,
                              const struct slot_recording *recording, struct slot_result *result,
                              struct weir_error *error)
{
    struct weir_mmu_config config;
    struct weir_error unseen;
    struct run run = {.recording = recording,
                      .error = error != NULL ? error : &unseen,
                      .progress = sw->progress,
                      .result = result,
                      .ports = sw->ports,
                      .expels = (sw->policy->needs & WEIR_NEED_EXPEL) != 0,
                      .written = true};
    *result = (struct slot_result){0};
    run.error->code = WEIR_ERROR_NONE;
    slot_mmu_config(&config, sw);
    if (!weir_mmu_config_check(&config, error))
        return WEIR_ERROR_INPUT;
    enum weir_error_code status = WEIR_ERROR_MEMORY;
    if (allocate(&run, &config, arrivals->count)) {
        serve(&run, arrivals);
        if (run.training != NULL) {
            weir_training_finish(run.training);
            take_rows(&run);
        }
        weir_mmu_set_trace(run.mmu, NULL);
        if (run.recording != NULL && run.recording->end_trace != NULL)
            run.written = run.recording->end_trace(run.recording->context, run.mmu) && run.written;
        status = run.error->code != WEIR_ERROR_NONE ? run.error->code
                 : run.written                      ? WEIR_ERROR_NONE
                                                    : WEIR_ERROR_WRITE;
    }
    free(run.mmu_memory);
    free(run.training_memory);
    if (status != WEIR_ERROR_NONE)
        slot_result_free(result);
    return status;
}

void slot_result_free(struct slot_result *result)
{
    free(result->port_sent);
    free(result->lost_bits);
    result->port_sent = NULL;
    result->lost_bits = NULL;
}

enum weir_error_code slot_run_lqd(uint32_t ports, uint32_t buffer, const struct slot_arrivals *arrivals,
                                  struct slot_result *result, struct weir_error *error)
{
    struct weir_values values;
    struct slot_switch sw = {.ports = ports, .buffer = buffer, .policy = weir_policy_find("lqd"), .values = &values};
    weir_values_init(&values, sw.policy);
    bool known = weir_values_set(&values, sw.policy, "remove", "tail", error);
    assert(known);
    (void)known;
    return slot_run(&sw, arrivals, NULL, result, error);
}

struct weir_table_oracle slot_oracle(const struct slot_result *lqd, weir_q16 flip, uint64_t seed)
{
    struct weir_table_oracle oracle;
    weir_table_oracle_init(&oracle, lqd->lost_bits, lqd->arrived, flip, seed);
    return oracle;
}
