/*
 * plan.c - see plan.h. The chips are Broadcom's of Figure 4 of the DSH paper (Shan et al., IEEE ToN
 * 2025); buffers are in MiB, which the paper calls megabytes.
 */
#include "headroom/plan.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "weir/mmu.h"

#define MIB ((int64_t)1 << 20)
#define GBPS ((weir_bps)1000000000)
#define CHIPS_MAX 16u

/* clang-format off */
#define CHIP(chip, count, gbps, mib)                                                                                   \
    {.name = (chip), .link = {(gbps) * GBPS, 3 * WEIR_PS_PER_US / 2, 1500}, .ports = (count),                          \
     .classes = HEADROOM_CLASSES_MAX, .buffer_bytes = (mib) * MIB, .size = SIM_HEADROOM_EQUATION,                      \
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

int64_t headroom_plan_size(const struct headroom_plan *plan)
{
    switch (plan->size) {
    case SIM_HEADROOM_SAFE:
        return weir_headroom_safe(&plan->link);
    case SIM_HEADROOM_EQUATION:
        return weir_headroom_equation(&plan->link);
    case SIM_HEADROOM_BYTES:
        break;
    }
    return plan->size_bytes;
}

double headroom_plan_buffer_s(const struct headroom_plan *plan)
{
    return 8.0 * (double)plan->buffer_bytes / ((double)plan->link.rate_bps * plan->ports);
}

int64_t headroom_plan_reserve(const struct headroom_plan *plan, const struct weir_policy *scheme)
{
    struct weir_mmu_config config;
    struct weir_values values;
    weir_mmu_config_init(&config, plan->ports, plan->classes, plan->buffer_bytes); /* cells of one byte */
    config.rate_bps = plan->link.rate_bps;
    config.lossless_mask = weir_class_mask(plan->classes);
    config.uplink = (struct weir_uplink){.headroom_cells = headroom_plan_size(plan),
                                         .delay_ps = plan->measured_delay_ps,
                                         .mtu_bytes = plan->link.mtu_bytes};
    config.ingress = scheme;
    weir_values_init(&values, scheme);
    int ratio = weir_param_find(scheme, "ratio");
    for (uint32_t c = 0; ratio >= 0 && c < WEIR_CLASSES_MAX; c++)
        values.of[ratio][c] = plan->ratio;
    config.ingress_values = &values;
    return weir_mmu_headroom_cells(&config);
}

bool headroom_is_per_port(const struct headroom_plan *plan, const struct weir_policy *scheme)
{
    struct headroom_plan one = *plan, two = *plan;
    one.classes = 1;
    two.classes = 2;
    return headroom_plan_reserve(&one, scheme) == headroom_plan_reserve(&two, scheme);
}
