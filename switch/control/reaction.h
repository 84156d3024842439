/*
 * reaction.h - how long this machine takes a processor away from the switch, measured before the switch starts. PFC in
 * software is as fast as the worst of these moments: headroom is sized by it (dataplane.reaction).
 */
#ifndef CONTROL_REACTION_H
#define CONTROL_REACTION_H

#include "switch/dpdk/config.h"

/* Polls for a second on every processor of the switch, sleeping where the switch would, and returns twice the longest
 * time that one of them was away, in whole microseconds. Below zero: no thread could be made. */
weir_ps switch_reaction_measure(const struct dataplane_config *config);

#endif
