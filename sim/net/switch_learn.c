/*
 * switch_learn.c - see switch_learn.h. Fates are known by the arrival's running number, of which the MMU's effects have
 * the low 32 bits; a packet in the buffer is never 2^32 arrivals old.
 */
#include "sim/net/switch_learn.h"

#include <stdlib.h>
#include <string.h>

#include "sim/net/network.h"
#include "weir/fixed.h"

#define FATES_FIRST UINT64_C(8192)

static bool learns_rows(const struct switch_node *node)
{
    const struct sim_training *wanted = node->sim->config.training;
    return wanted && (!wanted->chosen || wanted->chosen[node->index]);
}

/* A row waits for all before it: as many as arrive by all ports while a full buffer drains through one. */
static uint32_t rows_max(const struct switch_node *node, const struct weir_mmu_config *mmu)
{
    const struct sim_wire *wire = &node->sim->config.wire;
    int64_t packets = mmu->buffer_cells * mmu->cell_bytes / (wire->mss_bytes + wire->header_bytes) + 1024;
    int64_t rows = 2 * packets * mmu->ports, least = (int64_t)mmu->packets_max + 1024;
    rows = rows < least ? least : rows;
    return rows < UINT32_MAX ? (uint32_t)rows : UINT32_MAX;
}

static struct weir_training *training_new(const struct switch_node *node, uint32_t memory, weir_bps *rates)
{
    const struct sim_training *wanted = node->sim->config.training;
    struct weir_mmu_config mmu = switch_node_memory_config(node, memory, rates);
    struct weir_training_config config = {.mmu = &mmu,
                                          .tail = !wanted->heads,
                                          .real = node->learn->real,
                                          .virtual_counters = wanted->virtual_counters,
                                          .departures_first = true,
                                          .gap_bytes = node->sim->config.wire.gap_bytes,
                                          .average_ps = wanted->average_ps,
                                          .rows_max = rows_max(node, &mmu)};
    void *place = aligned_alloc(64, weir_align(weir_training_size(&config)));
    return place ? weir_training_init(place, &config) : NULL;
}

static bool init_rows(struct switch_node *node)
{
    struct switch_learn *learn = node->learn;
    weir_bps *rates = calloc(node->ports, sizeof *rates);
    learn->training = calloc(node->memories, sizeof *learn->training);
    bool good = rates && learn->training;
    for (uint32_t m = 0; good && m < node->memories; m++)
        good = (learn->training[m] = training_new(node, m, rates)) != NULL;
    free(rates);
    return good;
}

bool switch_learn_init(struct switch_node *node, const struct weir_mmu_config *mmu)
{
    if (!learns_rows(node) && !node->sim->config.notes_fates)
        return true;
    node->learn = calloc(1, sizeof *node->learn);
    if (!node->learn)
        return false;
    node->learn->real = strcmp(mmu->egress->name, "lqd") == 0;
    if (node->sim->config.notes_fates && !(node->learn->fates = calloc(node->memories, sizeof *node->learn->fates)))
        return false;
    return !learns_rows(node) || init_rows(node);
}

void switch_learn_free(struct switch_node *node)
{
    struct switch_learn *learn = node->learn;
    if (!learn)
        return;
    for (uint32_t m = 0; m < node->memories; m++) {
        if (learn->training)
            free(learn->training[m]);
        if (learn->fates)
            free(learn->fates[m].lost);
    }
    free(learn->training);
    free(learn->fates);
    free(learn);
}

static struct weir_training *training_of(const struct switch_node *node, uint32_t memory)
{
    return node->learn->training ? node->learn->training[memory] : NULL;
}

static void take_rows(struct switch_node *node, uint32_t memory)
{
    const struct sim_training *wanted = node->sim->config.training;
    struct weir_training_row row;
    while (weir_training_take(node->learn->training[memory], &row)) {
        bool taught = !wanted->teach || wanted->teach(wanted->context, node->index, memory, &row);
        if (!taught || (wanted->take && !worker_note_row(node->worker, node->index, memory, &row)))
            node->worker->out_of_memory = true; /* ends the run after this window */
    }
}

/* Room for one more arrival. */
static bool grow_fates(struct switch_fates *fates)
{
    uint64_t room = fates->room ? 2 * fates->room : FATES_FIRST;
    uint8_t *lost = realloc(fates->lost, room / 8);
    if (!lost)
        return false;
    memset(lost + fates->room / 8, 0, (room - fates->room) / 8);
    fates->lost = lost;
    fates->room = room;
    return true;
}

static void note_lost(struct switch_node *node, uint32_t memory, uint32_t index)
{
    const struct switch_learn *learn = node->learn;
    if (learn->fates && learn->fates[memory].lost) {
        struct switch_fates *fates = &learn->fates[memory];
        uint64_t whole = fates->count - (uint32_t)((uint32_t)fates->count - index);
        fates->lost[whole / 8] |= (uint8_t)(1u << whole % 8);
    }
    if (learn->real && learn->training)
        weir_training_settle(learn->training[memory], index, true);
}

void switch_learn_arrive(struct switch_node *node, const struct switch_port *port, const struct weir_packet *packet,
                         weir_ps now)
{
    struct weir_training *training = training_of(node, port->memory);
    if (training)
        weir_training_arrive(training, weir_mmu_view(port->mmu), packet, now);
    if (!node->learn->fates)
        return;
    struct switch_fates *fates = &node->learn->fates[port->memory];
    if (fates->count == fates->room && !grow_fates(fates))
        node->worker->out_of_memory = true; /* ends the run after this window */
    else
        fates->count++;
}

void switch_learn_decided(struct switch_node *node, const struct switch_port *port, const struct weir_effects *effects)
{
    if (!effects->accepted)
        note_lost(node, port->memory, (uint32_t)effects->index);
    if (node->learn->training)
        take_rows(node, port->memory);
}

void switch_learn_depart(struct switch_node *node, const struct switch_port *port, const struct weir_effects *effects,
                         weir_ps now)
{
    struct weir_training *training = training_of(node, port->memory);
    if (!training)
        return;
    weir_training_depart(training, weir_mmu_view(port->mmu), effects->account, now);
    if (node->learn->real)
        weir_training_settle(training, effects->departed_index, false);
}

void switch_learn_lose(struct switch_node *node, const struct switch_port *port, const struct weir_effects *effects)
{
    for (uint32_t i = 0; i < effects->lost_count; i++)
        note_lost(node, port->memory, effects->lost[i].index);
}

void switch_learn_finish(struct switch_node *node)
{
    for (uint32_t m = 0; node->learn && node->learn->training && m < node->memories; m++) {
        weir_training_finish(node->learn->training[m]);
        take_rows(node, m);
    }
}
