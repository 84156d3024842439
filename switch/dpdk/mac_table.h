/*
 * mac_table.h - which port an address is behind: learned from sources, forgotten with age, or given. Owned by the
 * forwarding module; memory by the caller, nothing allocated afterwards. Never fuller than it was made for: when no
 * place is left for a new address near its hash, it is not learned and frames to it go on being flooded.
 *
 * Time is noted in steps of an eighth of the aging time, so an address is known for that time after its last frame, and
 * for an eighth longer at most.
 */
#ifndef DPDK_MAC_TABLE_H
#define DPDK_MAC_TABLE_H

#include "weir/types.h"

#define MAC_NO_PORT UINT32_MAX

struct mac_table;

/* An address as a number, first byte highest. */
uint64_t mac_of_bytes(const uint8_t bytes[6]);

size_t mac_table_size(uint32_t addresses_max);
/* `memory` is aligned to 64. addresses_max counts those of mac_table_add too. */
struct mac_table *mac_table_init(void *memory, uint32_t addresses_max, weir_ps aging_ps);

/* An address that never moves nor ages; one that was learned gives way. False when there is no place. */
bool mac_table_add(struct mac_table *table, uint64_t address, uint32_t port);

/* Notes that the address was seen at the port at this time (machine time, growing). */
void mac_table_learn(struct mac_table *table, uint64_t address, uint32_t port, weir_ps now);

/* The port, or MAC_NO_PORT. */
uint32_t mac_table_find(struct mac_table *table, uint64_t address, weir_ps now);

/* The link of a port went down: what was learned there is forgotten. */
void mac_table_forget_port(struct mac_table *table, uint32_t port);

/* Addresses that are known at this time. */
uint32_t mac_table_count(const struct mac_table *table, weir_ps now);

#endif
