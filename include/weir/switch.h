/*
 * switch.h - a switch of one or more MMUs. Some chips split their memory: a Tomahawk leaf of 24 ports has three
 * memories of 4 MiB, each serving 8 output ports. An output port belongs to one MMU; an input port feeds all of them,
 * so its pause state is the union over the MMUs, and the edges are found here.
 */
#ifndef WEIR_SWITCH_H
#define WEIR_SWITCH_H

#include "weir/mmu.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weir_switch;

struct weir_switch_config {
    uint32_t ports;         /* of the switch */
    uint32_t ports_per_mmu; /* output ports p .. p + ports_per_mmu - 1 share a memory; the last may have fewer */
    const struct weir_mmu_config *mmu;        /* of each memory; its `ports` and port rates are overridden */
    const weir_bps *rates_bps;                /* [ports], or null: all at mmu->rate_bps */
    const struct weir_uplink *uplinks;        /* [ports], or null: all as mmu->uplink */
    const struct weir_oracle *const *oracles; /* [MMUs], or null: all mmu->oracle */
};

bool weir_switch_config_check(const struct weir_switch_config *config, struct weir_error *error);
/* The config of one of its MMUs: its slice of the output ports, all of the input ports. Refers to config->rates_bps,
 * config->uplinks and config->oracles. */
struct weir_mmu_config weir_switch_mmu_config(const struct weir_switch_config *config, uint32_t mmu);

size_t weir_switch_size(const struct weir_switch_config *config);
struct weir_switch *weir_switch_init(void *memory, const struct weir_switch_config *config);

uint32_t weir_switch_mmu_count(const struct weir_switch *sw);
struct weir_mmu *weir_switch_mmu(const struct weir_switch *sw, uint32_t mmu); /* null: there is none of this number */

/* The MMU of an output port, and the port's number within it; null for a port that the switch does not have. */
struct weir_mmu *weir_switch_port_mmu(const struct weir_switch *sw, weir_port output, weir_port *local);

/*
 * Turns the pause edges of one MMU's effects into edges of the switch: a class is paused when the first MMU wants
 * it, and resumed when the last one lets go. Edges of ports that the switch does not have are ignored. Returns how many
 * were written to `edges` (room for effects->edge_count).
 */
uint32_t weir_switch_edges(struct weir_switch *sw, const struct weir_effects *effects, struct weir_pause_edge *edges);

#ifdef __cplusplus
}
#endif

#endif
