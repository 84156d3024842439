/*
 * base_rtt.h - the round-trip time that RoCE transports take for that of an empty network: the largest between any two
 * hosts, of a full packet there and its ACK back.
 */
#ifndef SIM_NET_BASE_RTT_H
#define SIM_NET_BASE_RTT_H

#include <stdbool.h>

struct sim;

/* Sets sim->base_rtt_ps; routes are known. False: out of memory. */
bool sim_base_rtt(struct sim *sim);

#endif
