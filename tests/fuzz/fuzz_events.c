/*
 * fuzz_events.c - any bytes at all as a switch and what happens to it: the MMU, with its invariants checked, and the
 * naive model must agree on every verdict and loss.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/core/mmu_internal.h"
#include "weir/naive.h"
#include "weir/oracle.h"
#include "weir/random.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    const uint8_t *at, *end;
};

/* The next byte; zeros after the last one. */
static uint32_t take(struct input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static void check(bool holds)
{
    if (!holds)
        abort();
}

static bool predict(const struct weir_oracle *oracle, uint64_t index, const int64_t feature[WEIR_FEATURE_COUNT])
{
    (void)oracle;
    return (index * 7 + (uint64_t)feature[WEIR_FEATURE_QUEUE] + (uint64_t)feature[WEIR_FEATURE_BUFFER_AVERAGE]) % 3 ==
           0;
}

/* A value that the parameter allows: its default, an end of its range, or something small. */
static int64_t take_value(struct input *in, const struct weir_param *param)
{
    uint32_t kind = take(in);
    int64_t small = param->min + (int64_t)take(in) * (param->unit == WEIR_UNIT_RATIO ? 4096 : 1);
    if (kind % 4 == 1)
        return param->min;
    if (kind % 4 == 2)
        return param->max;
    return kind % 4 == 3 && small <= param->max ? small : param->initial;
}

/* The scheme beside complete sharing, with a headroom pool as it wants it. */
static void take_lossless(struct input *in, struct weir_mmu_config *config)
{
    config->ingress = config->egress;
    config->ingress_values = config->egress_values;
    config->egress = weir_policy_find("cs");
    config->egress_values = NULL;
    config->lossless_mask = take(in) % (1u << config->classes);
    config->uplink =
        (struct weir_uplink){.headroom_cells = take(in), .delay_ps = take(in) * WEIR_PS_PER_NS, .mtu_bytes = take(in)};
    config->headroom_cells = weir_mmu_headroom_cells(config);
    config->buffer_cells += config->headroom_cells;
}

static void take_config(struct input *in, struct weir_mmu_config *config, struct weir_values *values)
{
    static const struct weir_oracle oracle = {.predict = predict};
    static const uint32_t cell_bytes[] = {1, 80, 208, 1500};
    const struct weir_policy *policy = weir_policies[take(in) % weir_policy_count];
    uint32_t ports = 1 + take(in) % 5, classes = 1 + take(in) % 4;
    weir_mmu_config_init(config, ports, classes, 4 + take(in));
    config->cell_bytes = cell_bytes[take(in) % 4];
    config->evictions_max = 1 + take(in) % 20;
    config->packets_max = 1 + take(in);
    config->scheduler.kind = (enum weir_scheduler_kind)(take(in) % WEIR_SCHED_COUNT);
    config->memory_depth_cells = take(in);
    for (uint32_t i = 0; i < classes; i++)
        config->private_cells[i] = take(in) % (uint32_t)(1 + config->buffer_cells / (2 * ports * classes));
    config->egress = policy;
    config->egress_values = values;
    config->oracle = &oracle;
    config->gives = WEIR_GIVES_FLOWS | WEIR_GIVES_FLOW_BYTES;
    weir_values_init(values, policy);
    for (uint32_t p = 0; p < policy->param_count; p++)
        for (uint32_t i = 0; i < WEIR_CLASSES_MAX; i++)
            values->of[p][i] = i == 0 || (policy->params[p].per_class && i < classes)
                                   ? take_value(in, &policy->params[p])
                                   : values->of[p][0];
    if (policy->needs & WEIR_NEED_INGRESS)
        take_lossless(in, config);
}

static void agree_lost(const struct weir_effects *fx, const struct weir_naive_result *r)
{
    check(fx->lost_count == r->lost_count);
    for (uint32_t i = 0; i < fx->lost_count; i++)
        check(fx->lost[i].index == r->lost[i].index && weir_account_is(fx->lost[i].account, r->lost[i].account) &&
              fx->lost[i].cause == r->lost[i].cause);
}

static void depart(struct weir_mmu *mmu, struct weir_naive *naive, weir_port port, weir_ps now)
{
    const struct weir_effects *fx = weir_mmu_depart(mmu, port, now);
    for (uint32_t i = 0; i < fx->lost_count; i++) {
        struct weir_naive_result r = weir_naive_leave(naive, fx->lost[i].account, now);
        check(!r.sent && r.lost_count == 1 && r.lost[0].index == fx->lost[i].index);
    }
    if (!fx->departed) {
        weir_naive_idle(naive, port, now);
        return;
    }
    struct weir_naive_result r = weir_naive_leave(naive, fx->account, now);
    check(r.sent && r.index == fx->departed_index);
}

static void step(struct input *in, const struct weir_mmu_config *config, struct weir_mmu *mmu, struct weir_naive *naive)
{
    uint32_t op = take(in), place = take(in), amount = take(in);
    weir_ps now = mmu->now + (weir_ps)(take(in) << (op >> 4)) * WEIR_PS_PER_NS;
    struct weir_packet packet = {.output = {place % config->ports},
                                 .input = {amount % config->ports},
                                 .tc = {place / config->ports % config->classes},
                                 .bytes = 1 + amount * config->cell_bytes / 8,
                                 .flags = op & 8 ? WEIR_FLAG_UNSCHEDULED : 0};
    const struct weir_flow flow = {.hash = weir_hash(1, amount % 16), .bytes = (int64_t)(amount * 100) - 1};
    packet.flow = &flow;
    struct weir_naive_result r;
    switch (op % 8) {
    case 0:
        depart(mmu, naive, packet.output, now);
        break;
    case 1:
        r = weir_naive_offer_expel(naive, now);
        agree_lost(weir_mmu_offer_expel(mmu, now), &r);
        break;
    case 2:
        r = weir_naive_flush_classes(naive, packet.output, UINT32_MAX, now);
        agree_lost(weir_mmu_flush(mmu, packet.output, now), &r);
        break;
    case 3:
        weir_mmu_advance(mmu, now);
        break;
    default:
        r = weir_naive_arrive(naive, &packet, now);
        const struct weir_effects *fx = weir_mmu_arrive(mmu, &packet, now);
        check(fx->accepted == r.accepted && (fx->accepted || fx->reason == r.reason));
        agree_lost(fx, &r);
    }
}

static void agree_paused(const struct weir_mmu *mmu, const struct weir_naive *naive)
{
    for (uint32_t i = 0; i < weir_naive_inputs(naive); i++) {
        const struct weir_port_state *p = &weir_mmu_ingress_view(mmu)->port[i];
        bool port_level;
        check(p->paused_mask == weir_naive_paused(naive, (weir_port){i}, &port_level) && p->paused == port_level);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, data + size};
    struct weir_mmu_config config;
    struct weir_values values;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    take_config(&in, &config, &values);
    if (!weir_mmu_config_check(&config, &error))
        return 0;
    void *memory = aligned_alloc(64, weir_mmu_size(&config));
    struct weir_naive *naive = weir_naive_new(&config);
    check(memory && naive);
    struct weir_mmu *mmu = weir_mmu_init(memory, &config);
    while (in.at < in.end) {
        step(&in, &config, mmu, naive);
        agree_paused(mmu, naive);
    }
    check(weir_mmu_hash(mmu) == weir_naive_hash(naive));
    weir_naive_free(naive);
    free(memory);
    return 0;
}
