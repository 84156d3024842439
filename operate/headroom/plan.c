/*
 * plan.c - see plan.h. The chips are Broadcom's of Figure 4 of the DSH paper (Shan et al., IEEE ToN
 * 2025); buffers are in MiB, which the paper calls megabytes.
 */
#include "operate/headroom/plan.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "weir/fixed.h"
#include "weir/mmu.h"

#define MIB ((int64_t)1 << 20)
#define GBPS ((weir_bps)1000000000)
#define CHIPS_MAX 16u

/* clang-format off */
#define CHIP(chip, count, gbps, mib)                                                                                   \
    {.name = (chip), .rate_bps = (gbps) * GBPS, .delay_ps = 3 * WEIR_PS_PER_US / 2, .mtu_bytes = 1500,                 \
     .least_bytes = 64, .gap_bytes = 20, .cell_bytes = 1, .small = WEIR_Q16_ONE, .is_standard = true,                  \
     .ports = (count), .classes = HEADROOM_CLASSES_MAX, .buffer_bytes = (mib) * MIB, .size = SIM_HEADROOM_EQUATION,    \
     .measured_delay_ps = 3 * WEIR_PS_PER_US / 2, .ratio = (WEIR_Q16_ONE * 4 + 2) / 5}
/* clang-format on */

const struct headroom_plan headroom_chips[] = {
    CHIP("trident+", 48, 10, 9),
    CHIP("trident2", 32, 40, 12),
    CHIP("tomahawk", 32, 100, 16),
    CHIP("tomahawk2", 64, 100, 42),
    CHIP("tomahawk3", 32, 400, 64),
    CHIP("tomahawk4", 64, 400, 113),
    {.name = NULL},
};

uint32_t headroom_schemes(const struct weir_policy *schemes[HEADROOM_SCHEMES_MAX])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < weir_policy_count && count < HEADROOM_SCHEMES_MAX; i++)
        if (weir_policies[i]->needs & WEIR_NEED_INGRESS)
            schemes[count++] = weir_policies[i];
    return count;
}

const struct headroom_plan *headroom_find_chip(const char *name)
{
    const char *names[CHIPS_MAX];
    size_t count = 0;
    for (; headroom_chips[count].name != NULL && count < CHIPS_MAX; count++) {
        names[count] = headroom_chips[count].name;
        if (strcmp(names[count], name) == 0)
            return &headroom_chips[count];
    }
    const char *nearest = name[0] != '\0' ? weir_nearest_name(name, names, count) : NULL;
    if (nearest != NULL)
        cli_error(CLI_INPUT, "--chip: unknown chip '%s' (did you mean '%s'?)", name, nearest);
    else
        cli_error(CLI_INPUT, "--chip: unknown chip '%s' (see 'weir headroom --trend')", name);
    return NULL;
}

static uint32_t span_bytes(const struct headroom_plan *plan, struct headroom_span span)
{
    weir_wide bit_ps = (weir_wide)plan->rate_bps * (weir_wide)span.ps, byte = (weir_wide)8 * WEIR_PS_PER_S;
    return (uint32_t)(span.bytes + (int64_t)((bit_ps + byte - 1) / byte));
}

struct weir_headroom_link headroom_plan_link(const struct headroom_plan *plan)
{
    return (struct weir_headroom_link){.rate_bps = plan->rate_bps,
                                       .delay_ps = plan->delay_ps,
                                       .mtu_bytes = plan->mtu_bytes,
                                       .processing_bytes = plan->is_standard ? weir_pfc_response_bytes(plan->rate_bps)
                                                                             : span_bytes(plan, plan->processing),
                                       .own_bytes = span_bytes(plan, plan->own)};
}

/* `processing_bytes` counts what both ends take. */
static struct weir_uplink plan_uplink(const struct headroom_plan *plan)
{
    int64_t bytes[WEIR_HEADROOM_COUNT];
    struct weir_headroom_link link = headroom_plan_link(plan);
    weir_headroom_terms(&link, bytes);
    return (struct weir_uplink){.delay_ps = plan->delay_ps,
                                .mtu_bytes = plan->mtu_bytes,
                                .least_bytes = plan->least_bytes,
                                .gap_bytes = plan->gap_bytes,
                                .processing_bytes = (uint32_t)(bytes[WEIR_HEADROOM_PROCESSING] +
                                                               bytes[WEIR_HEADROOM_SLOWER] + bytes[WEIR_HEADROOM_OWN])};
}

uint32_t headroom_plan_worst_packet(const struct headroom_plan *plan)
{
    struct weir_uplink uplink = plan_uplink(plan);
    return weir_headroom_worst_packet(&uplink, plan->cell_bytes);
}

int64_t headroom_plan_wire_bytes(const struct headroom_plan *plan)
{
    struct weir_headroom_link link = headroom_plan_link(plan);
    return weir_headroom_safe(&link) + (plan->cell_bytes > 1 ? WEIR_HEADROOM_GAPS * (int64_t)plan->gap_bytes : 0);
}

/* Cells for a byte of the wire, with packets of this size. */
static double cells_per_byte(const struct headroom_plan *plan, uint32_t bytes)
{
    return (double)weir_cells_for_bytes(bytes, plan->cell_bytes) / ((double)bytes + plan->gap_bytes);
}

bool headroom_plan_is_bound(const struct headroom_plan *plan)
{
    return plan->small == WEIR_Q16_ONE || plan->cell_bytes == 1;
}

weir_cells headroom_plan_safe_cells(const struct headroom_plan *plan)
{
    struct weir_uplink uplink = plan_uplink(plan);
    if (headroom_plan_is_bound(plan))
        return weir_headroom_safe_cells(&uplink, plan->rate_bps, plan->cell_bytes);
    double small = (double)plan->small / WEIR_Q16_ONE;
    double per_byte = small * cells_per_byte(plan, headroom_plan_worst_packet(plan)) +
                      (1 - small) * cells_per_byte(plan, plan->mtu_bytes);
    return (weir_cells)(per_byte * (double)headroom_plan_wire_bytes(plan)) + 1;
}

bool headroom_plan_is_optimistic(const struct headroom_plan *plan)
{
    uint32_t allowed = weir_pfc_response_bytes(plan->rate_bps);
    return allowed > WEIR_PFC_PROCESSING_BYTES && headroom_plan_link(plan).processing_bytes < allowed;
}

int64_t headroom_plan_size(const struct headroom_plan *plan)
{
    struct weir_headroom_link link = headroom_plan_link(plan);
    int64_t bytes = plan->size_bytes;
    if (plan->size == SIM_HEADROOM_SAFE)
        return headroom_plan_safe_cells(plan) * plan->cell_bytes;
    if (plan->size == SIM_HEADROOM_EQUATION)
        bytes = weir_headroom_equation(&link);
    return weir_cells_for_bytes(bytes, plan->cell_bytes) * plan->cell_bytes;
}

double headroom_plan_buffer_s(const struct headroom_plan *plan)
{
    return 8.0 * (double)plan->buffer_bytes / ((double)plan->rate_bps * plan->ports);
}

int64_t headroom_plan_reserve(const struct headroom_plan *plan, const struct weir_policy *scheme)
{
    struct weir_mmu_config config;
    struct weir_values values;
    weir_mmu_config_init(&config, plan->ports, plan->classes, plan->buffer_bytes / plan->cell_bytes);
    config.cell_bytes = plan->cell_bytes;
    config.rate_bps = plan->rate_bps;
    config.lossless_mask = weir_class_mask(plan->classes);
    config.uplink = plan_uplink(plan);
    config.uplink.headroom_cells = headroom_plan_size(plan) / plan->cell_bytes;
    config.uplink.delay_ps = plan->measured_delay_ps;
    config.ingress = scheme;
    weir_values_init(&values, scheme);
    int ratio = weir_param_find(scheme, "ratio");
    for (uint32_t c = 0; ratio >= 0 && c < WEIR_CLASSES_MAX; c++)
        values.of[ratio][c] = plan->ratio;
    config.ingress_values = &values;
    return weir_mmu_headroom_cells(&config) * plan->cell_bytes;
}

bool headroom_is_per_port(const struct headroom_plan *plan, const struct weir_policy *scheme)
{
    struct headroom_plan one = *plan, two = *plan;
    one.classes = 1;
    two.classes = 2;
    return headroom_plan_reserve(&one, scheme) == headroom_plan_reserve(&two, scheme);
}
