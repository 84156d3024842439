/*
 * world.h - a random switch and a random list of things that happen to it, all from one seed.
 *
 * The events are drawn beforehand and depend on no outcome, so that a list stays valid when events are left out
 * (shrinking) or moved in time (metamorphic tests). The low byte of the seed is the policy's place in the registry:
 * one number replays everything. A headroom scheme gets lossless classes and any egress policy beside it. Sizes, times
 * and parameters come from short lists of round values, because the interesting cases are those in which two of them
 * meet.
 */
#ifndef WEIR_TESTS_WORLD_H
#define WEIR_TESTS_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tests/support/error_line.h"
#include "weir/fixed.h"
#include "weir/mmu.h"
#include "weir/oracle.h"
#include "weir/random.h"

#define WORLD_PORTS_MAX 8u
#define WORLD_EVENTS_MAX 2000u
#define WORLD_CHANGES 4u

enum world_op { WORLD_ARRIVE, WORLD_DEPART, WORLD_EXPEL, WORLD_FLUSH, WORLD_ADVANCE, WORLD_CHANGE, WORLD_OPS };

struct world_event {
    enum world_op op;
    weir_ps now;
    struct weir_packet packet; /* ARRIVE */
    weir_port port;            /* DEPART, FLUSH */
    uint32_t class_mask;       /* FLUSH */
    uint32_t change;           /* CHANGE: which of the value sets */
    bool ingress;              /* CHANGE: of the headroom scheme */
};

struct world {
    uint64_t seed;
    struct weir_random random;
    struct weir_mmu_config config;
    weir_bps rates_bps[WORLD_PORTS_MAX], input_rates_bps[WORLD_PORTS_MAX];
    struct weir_uplink uplinks[WORLD_PORTS_MAX];
    struct weir_values values[WORLD_CHANGES], ingress_values[WORLD_CHANGES]; /* the first is in force at the start */
    uint32_t event_count;
    struct weir_flow flow[WORLD_EVENTS_MAX]; /* of the packet of each event */
    struct world_event event[WORLD_EVENTS_MAX];
};

/* Refuses a quarter, by everything it is shown: a wrong feature shows as a wrong verdict. */
static inline bool world_predict(const struct weir_oracle *oracle, uint64_t index, const int64_t *feature)
{
    uint64_t hash = index;
    (void)oracle;
    for (uint32_t i = 0; i < WEIR_FEATURE_COUNT; i++)
        hash = weir_hash(hash, (uint64_t)feature[i]);
    return hash % 4 == 0;
}

static const struct weir_oracle world_oracle = {.predict = world_predict};

/* The policy that the world is about. */
static inline const struct weir_policy *world_policy(const struct world *w)
{
    return weir_policies[w->seed & 0xff];
}

static inline uint32_t world_below(struct world *w, uint32_t n)
{
    return weir_random_below(&w->random, n);
}

#define WORLD_PICK(world, list) ((list)[world_below(world, sizeof(list) / sizeof((list)[0]))])

static inline int64_t world_value(struct world *w, const struct weir_param *param)
{
    static const weir_q16 ratios[] = {WEIR_Q16_ONE / 8, WEIR_Q16_ONE / 2, WEIR_Q16_ONE * 9 / 10, WEIR_Q16_ONE,
                                      2 * WEIR_Q16_ONE, 8 * WEIR_Q16_ONE, 64 * WEIR_Q16_ONE};
    static const weir_ps times[] = {100 * WEIR_PS_PER_NS, WEIR_PS_PER_US, 3 * WEIR_PS_PER_US, 20 * WEIR_PS_PER_US};
    int64_t value = param->initial;
    uint32_t choices = 0;
    while (param->unit == WEIR_UNIT_CHOICE && param->choices[choices] != NULL)
        choices++;
    if (world_below(w, 3) > 0 && param->unit == WEIR_UNIT_RATIO)
        value = WORLD_PICK(w, ratios);
    else if (world_below(w, 3) > 0 && param->unit == WEIR_UNIT_TIME)
        value = WORLD_PICK(w, times);
    else if (world_below(w, 3) > 0 && param->unit == WEIR_UNIT_COUNT)
        value = 1 + world_below(w, 10);
    else if (world_below(w, 3) > 0 && param->unit == WEIR_UNIT_SPACE)
        value = 1 + world_below(w, (uint32_t)w->config.buffer_cells * w->config.cell_bytes);
    else if (param->unit == WEIR_UNIT_FLAG)
        value = world_below(w, 2);
    else if (param->unit == WEIR_UNIT_CHOICE)
        value = world_below(w, choices);
    if (value == WEIR_AUTO)
        return value;
    return value < param->min ? param->min : value > param->max ? param->max : value;
}

/* Sizes of a table of flows that can be built. */
static inline void world_round_flow_table(const struct weir_policy *policy, struct weir_values *values)
{
    int64_t *entries = values->of[WEIR_FLOW_PARAM_ENTRIES], *ways = values->of[WEIR_FLOW_PARAM_WAYS];
    if (!policy->flow_table)
        return;
    *entries = *entries % 4 == 0 ? 0 : weir_next_power_of_two((uint32_t)*entries);
    *ways = weir_next_power_of_two((uint32_t)*ways);
    if (*ways > *entries)
        *ways = *entries ? *entries : 1;
}

static inline void world_draw_values(struct world *w, const struct weir_policy *policy, struct weir_values *values)
{
    weir_values_init(values, policy);
    for (uint32_t p = 0; p < policy->param_count; p++) {
        const struct weir_param *param = &policy->params[p];
        int64_t value = world_value(w, param);
        for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++)
            values->of[p][c] = param->per_class && c > 0 && world_below(w, 2) == 0 ? world_value(w, param) : value;
    }
    world_round_flow_table(policy, values);
}

/* Later value sets keep periods and modes: a policy need not give a sense to what has evolved under another one. They
 * keep groups and tables of flows too, without which they would be refused. */
static inline void world_draw_changes(struct world *w, const struct weir_policy *policy,
                                      struct weir_values values[WORLD_CHANGES])
{
    world_draw_values(w, policy, &values[0]);
    for (uint32_t i = 1; i < WORLD_CHANGES; i++) {
        world_draw_values(w, policy, &values[i]);
        for (uint32_t p = 0; p < policy->param_count; p++) {
            enum weir_unit unit = policy->params[p].unit;
            bool groups = strcmp(policy->params[p].name, "group") == 0;
            bool shapes = policy->flow_table && p < WEIR_FLOW_PARAM_COUNT;
            if (unit == WEIR_UNIT_TIME || unit == WEIR_UNIT_CHOICE || groups || shapes)
                memcpy(values[i].of[p], values[0].of[p], sizeof values[0].of[p]);
        }
    }
}

/* Lossless classes, links, and a headroom pool as the scheme wants it, or at times a smaller one; the buffer grows by
 * it. At least one class stays lossy where there are two. */
static inline void world_draw_lossless(struct world *w)
{
    static const weir_bps rates_bps[] = {8000000000, 80000000000, 3000000000};
    struct weir_mmu_config *config = &w->config;
    config->ingress = world_policy(w);
    do
        config->egress = weir_policies[world_below(w, weir_policy_count)];
    while (config->egress->needs & WEIR_NEED_INGRESS);
    config->inputs = world_below(w, 2) * (1 + world_below(w, WORLD_PORTS_MAX));
    config->lossless_mask = 1 + world_below(w, config->classes == 1 ? 1 : (1u << config->classes) - 2);
    for (uint32_t i = 0; i < WORLD_PORTS_MAX; i++) {
        w->input_rates_bps[i] = WORLD_PICK(w, rates_bps);
        w->uplinks[i] = (struct weir_uplink){.headroom_cells = world_below(w, (uint32_t)config->buffer_cells / 4 + 1),
                                             .delay_ps = world_below(w, 3) * WEIR_PS_PER_US,
                                             .mtu_bytes = 1 + world_below(w, 9000)};
    }
    config->input_rates_bps = w->input_rates_bps;
    config->uplinks = w->uplinks;
    for (uint32_t c = 0; world_below(w, 3) == 0 && c < config->classes; c++) {
        config->ingress_private_cells[c] = world_below(w, 10);
        config->buffer_cells += config->ingress_private_cells[c] * weir_mmu_inputs(config);
    }
    world_draw_changes(w, config->ingress, w->ingress_values);
    config->ingress_values = &w->ingress_values[0];
    config->headroom_cells = weir_mmu_headroom_cells(config);
    if (world_below(w, 4) == 0)
        config->headroom_cells = world_below(w, (uint32_t)config->headroom_cells + 1);
    config->buffer_cells += config->headroom_cells;
}

/* Lossy classes are cut, and their copies go to one of the others. */
static inline void world_draw_trims(struct world *w)
{
    struct weir_mmu_config *config = &w->config;
    uint32_t to = world_below(w, config->classes);
    for (uint32_t c = 0; c < config->classes; c++)
        if (c != to && !((config->lossless_mask >> c | config->lossless_mask >> to) & 1) && world_below(w, 3) > 0)
            config->trim[c] = (struct weir_trim){.bytes = 1 + world_below(w, 2 * config->cell_bytes),
                                                 .to = {to},
                                                 .causes = (1 + world_below(w, 15)) & WEIR_TRIM_CAUSES,
                                                 .ecn = world_below(w, WEIR_TRIM_ECN_COUNT),
                                                 .skips_ingress = world_below(w, 2) == 0};
    for (uint32_t c = 0; c < config->classes; c++)
        if (config->trim[c].causes >> WEIR_CAUSE_PUSHOUT & 1 && world_below(w, 2) == 0)
            config->trim[c].newest = (uint8_t)(1 + world_below(w, WEIR_TRIM_CHANCES));
}

static inline void world_draw_config(struct world *w)
{
    static const uint32_t cell_bytes[] = {1, 80, 200, 1500};
    static const weir_bps rates_bps[] = {8000000000, 8000000000, 80000000000}; /* whole picoseconds per byte */
    struct weir_mmu_config *config = &w->config;
    weir_mmu_config_init(config, 1 + world_below(w, WORLD_PORTS_MAX), 1 + world_below(w, 4), 8 + world_below(w, 393));
    config->cell_bytes = WORLD_PICK(w, cell_bytes);
    for (uint32_t p = 0; p < config->ports; p++)
        w->rates_bps[p] = WORLD_PICK(w, rates_bps);
    config->rates_bps = w->rates_bps;
    config->memory_bps = 80000000000;
    config->memory_cell_bytes = world_below(w, 2) == 0 ? 200 : config->cell_bytes;
    config->memory_depth_cells = world_below(w, 5) * world_below(w, 50);
    config->packets_max = world_below(w, 4) == 0 ? 1 + world_below(w, 30) : (uint32_t)config->buffer_cells;
    config->evictions_max = 1 + world_below(w, world_below(w, 2) == 0 ? 4 : 100);
    config->scheduler.kind = world_below(w, WEIR_SCHED_COUNT);
    config->scheduler.quantum_bytes = WEIR_QUANTUM_MIN_BYTES + world_below(w, 2000);
    config->scheduler.strict_from = world_below(w, config->classes);
    config->egress = world_policy(w);
    config->oracle = &world_oracle;
    config->gives = WEIR_GIVES_FLOWS | WEIR_GIVES_FLOW_BYTES;
    weir_cells most = config->buffer_cells / (2 * config->ports * config->classes);
    for (uint32_t c = 0; world_below(w, 3) == 0 && c < config->classes; c++)
        config->private_cells[c] = world_below(w, (uint32_t)most + 1);
    if (config->egress->needs & WEIR_NEED_INGRESS)
        world_draw_lossless(w);
    if (world_below(w, 3) == 0)
        world_draw_trims(w);
}

static inline void world_draw_event(struct world *w, struct world_event *event, const uint32_t weight[WORLD_OPS])
{
    uint32_t total = 0, op = 0;
    for (uint32_t i = 0; i < WORLD_OPS; i++)
        total += weight[i];
    uint32_t draw = world_below(w, total);
    for (; draw >= weight[op]; op++)
        draw -= weight[op];
    uint32_t most = (uint32_t)(w->config.buffer_cells - w->config.headroom_cells);
    uint32_t cells = 1 + world_below(w, 1 + most / (1 + world_below(w, 20)));
    uint32_t bytes = cells * w->config.cell_bytes - world_below(w, w->config.cell_bytes);
    event->op = (enum world_op)op;
    event->port.i = world_below(w, w->config.ports);
    event->packet.output = event->port;
    event->packet.tc.i = world_below(w, w->config.classes);
    event->packet.bytes = bytes > 9000 ? 1 + bytes % 9000 : bytes;
    event->packet.flags = world_below(w, 4) == 0 ? WEIR_FLAG_UNSCHEDULED : 0;
    event->packet.flags |= world_below(w, 8) == 0 ? WEIR_FLAG_WHOLE : 0;
    event->change = world_below(w, WORLD_CHANGES);
    event->class_mask = UINT32_MAX;
    if (w->config.ingress == NULL)
        return;
    event->packet.input.i = world_below(w, weir_mmu_inputs(&w->config));
    event->class_mask = world_below(w, 2) == 0 ? UINT32_MAX : world_below(w, 16);
    event->ingress = world_below(w, 2) == 0;
}

/* Draws everything. The world points into itself: it must not be copied. */
static inline void world_draw(struct world *w, uint64_t seed)
{
    static const weir_ps steps[] = {WEIR_PS_PER_NS, 100 * WEIR_PS_PER_NS, WEIR_PS_PER_US, 100 * WEIR_PS_PER_US};
    memset(w, 0, sizeof *w);
    w->seed = seed;
    w->random = weir_random_stream(seed, "world");
    world_draw_config(w);
    world_draw_changes(w, w->config.egress, w->values);
    w->config.egress_values = &w->values[0];
    const uint32_t weight[WORLD_OPS] = {
        [WORLD_ARRIVE] = 400, [WORLD_DEPART] = 100 + world_below(w, 400), [WORLD_EXPEL] = world_below(w, 200),
        [WORLD_FLUSH] = 1,    [WORLD_ADVANCE] = world_below(w, 2) * 50,   [WORLD_CHANGE] = world_below(w, 2) * 4,
    };
    weir_ps step = WORLD_PICK(w, steps), now = 0;
    w->event_count = WORLD_EVENTS_MAX;
    for (uint32_t i = 0; i < w->event_count; i++) {
        uint32_t kind = world_below(w, 100);
        if (kind >= 25)
            now += kind < 99 ? step * world_below(w, 6) : 1000 * step + world_below(w, 1000000);
        world_draw_event(w, &w->event[i], weight);
        w->event[i].now = now;
        w->event[i].packet.handle = weir_hash(seed, i);
        /* Of so few flows that tables have collisions and flows come back; some with hashes that differ in few bits. */
        uint64_t draw = weir_hash(~seed, i), flow = draw % 24;
        w->flow[i] = (struct weir_flow){.hash = draw >> 8 & 1 ? weir_hash(seed, flow) : flow << 61 | flow >> 3,
                                        .bytes = draw >> 9 & 3 ? (int64_t)(draw >> 32 & 0x3fff) : WEIR_FLOW_UNKNOWN,
                                        .dscp = draw >> 11 & 63};
        w->event[i].packet.flow = &w->flow[i];
    }
}

/* An MMU of this config in memory that the caller frees. */
static inline struct weir_mmu *world_build(const struct weir_mmu_config *config)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (!weir_mmu_config_check(config, &error))
        fail_msg("%s", ERROR_LINE(&error));
    size_t size = (weir_mmu_size(config) + 63) / 64 * 64;
    void *memory = aligned_alloc(64, size);
    assert_non_null(memory);
    memset(memory, 0xa5, size);
    return weir_mmu_init(memory, config);
}

/* What one event does at the MMU. */
static inline const struct weir_effects *world_apply(const struct world *w, struct weir_mmu *mmu,
                                                     const struct world_event *event)
{
    switch (event->op) {
    case WORLD_ARRIVE:
        return weir_mmu_arrive(mmu, &event->packet, event->now);
    case WORLD_DEPART:
        return weir_mmu_depart(mmu, event->port, event->now);
    case WORLD_EXPEL:
        return weir_mmu_offer_expel(mmu, event->now);
    case WORLD_FLUSH:
        return weir_mmu_flush_classes(mmu, event->port, event->class_mask, event->now);
    case WORLD_CHANGE:
        weir_mmu_change(mmu, event->ingress, &(event->ingress ? w->ingress_values : w->values)[event->change],
                        event->now);
        /* fallthrough */
    default:
        return weir_mmu_advance(mmu, event->now);
    }
}

/* WEIR_SEED from the environment, or 0. */
static inline uint64_t world_seed_wanted(void)
{
    const char *text = getenv("WEIR_SEED");
    return text != NULL ? strtoull(text, NULL, 0) : 0;
}

/* WEIR_TEST_ROUNDS times the usual number of rounds. */
static inline uint32_t world_rounds(uint32_t usual)
{
    const char *text = getenv("WEIR_TEST_ROUNDS");
    return text != NULL ? usual * (uint32_t)strtoul(text, NULL, 10) : usual;
}

#endif
