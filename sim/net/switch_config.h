/*
 * switch_config.h - from the settings of a tier and the links of one switch to the config of its memories. The
 * simulator's switches are made from it, and the software switch that stands in their place.
 */
#ifndef SIM_NET_SWITCH_CONFIG_H
#define SIM_NET_SWITCH_CONFIG_H

#include "sim/net/config.h"
#include "weir/switch.h"

/* The ports of one switch. */
struct switch_ports {
    uint32_t count;
    const weir_bps *rates_bps;         /* [count] */
    const struct weir_uplink *uplinks; /* [count]: headroom included; used only where classes are lossless */
    uint64_t seed;                     /* of this switch's draws */
};

/* The headroom of a lossless queue that this link feeds; `uplink` is complete but for it. */
weir_cells switch_headroom_cells(const struct sim_switch *settings, const struct weir_uplink *uplink,
                                 weir_bps rate_bps);

/* The settings for these ports, as weir_switch_config_check and weir_switch_init want them. `mmu` is filled in; it and
 * what `ports` points to are referred to. */
struct weir_switch_config switch_config_make(const struct sim_switch *settings, const struct switch_ports *ports,
                                             struct weir_mmu_config *mmu);

#endif
