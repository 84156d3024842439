/*
 * switch_config.c - see switch_config.h.
 */
#include "sim/net/switch_config.h"

#include "weir/fixed.h"
#include "weir/headroom.h"

weir_cells switch_headroom_cells(const struct sim_switch *settings, const struct weir_uplink *uplink, weir_bps rate_bps)
{
    struct weir_headroom_link link = {rate_bps, uplink->delay_ps, uplink->mtu_bytes};
    uint32_t cell_bytes = settings->mmu.cell_bytes;
    switch (settings->headroom_size) {
    case SIM_HEADROOM_EQUATION:
        return weir_cells_for_bytes(weir_headroom_equation(&link), cell_bytes);
    case SIM_HEADROOM_BYTES:
        return weir_cells_for_bytes(settings->headroom_bytes, cell_bytes);
    case SIM_HEADROOM_SAFE:
        break;
    }
    return weir_headroom_safe_cells(uplink, rate_bps, cell_bytes);
}

struct weir_switch_config switch_config_make(const struct sim_switch *settings, const struct switch_ports *ports,
                                             struct weir_mmu_config *mmu)
{
    uint32_t per_memory = settings->ports_per_mmu;
    *mmu = settings->mmu;
    mmu->seed = ports->seed;
    struct weir_switch_config config = {.ports = ports->count,
                                        .ports_per_mmu =
                                            per_memory && per_memory < ports->count ? per_memory : ports->count,
                                        .mmu = mmu,
                                        .rates_bps = ports->rates_bps};
    if (mmu->lossless_mask) {
        config.uplinks = ports->uplinks;
        struct weir_mmu_config first = weir_switch_mmu_config(&config, 0); /* all are fed by the same inputs */
        if (mmu->ingress && mmu->ingress->reserve)
            mmu->headroom_cells = weir_mmu_headroom_cells(&first);
    }
    return config;
}
