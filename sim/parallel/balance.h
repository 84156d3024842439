/*
 * balance.h - every packet that was made is accounted for.
 */
#ifndef SIM_PARALLEL_BALANCE_H
#define SIM_PARALLEL_BALANCE_H

#include <stdbool.h>
#include <stdint.h>

struct sim;

/* Checks that every packet made is accounted for; false: see sim->error. */
bool balance_check(struct sim *sim);

/* The same with other ranks: packets on links, in NICs and in switches of each, and the sum of these and of
 * sim_packets_alive where the results of all are. */
uint64_t balance_inside(const struct sim *sim);
bool balance_compare(struct sim *sim, uint64_t inside, uint64_t alive);

#endif
