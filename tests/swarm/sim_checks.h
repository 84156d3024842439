/*
 * sim_checks.h - what must hold in every simulation, whatever was configured: while it runs, at the end of any window,
 * and when it is done.
 */
#ifndef WEIR_TESTS_SIM_CHECKS_H
#define WEIR_TESTS_SIM_CHECKS_H

#include "sim/digest.h"
#include "sim/net/network.h"
#include "sim/sim.h"

/* Each returns the rule that does not hold, or null; details go to `message`. */
const char *sim_check_running(struct sim *sim, char message[WEIR_MESSAGE_MAX]);
const char *sim_check_done(struct sim *sim, char message[WEIR_MESSAGE_MAX]);

/* No packet of a lossless class was lost in a switch: for worlds in which none may be. */
const char *sim_check_lossless(const struct sim *sim, char message[WEIR_MESSAGE_MAX]);

/* Parts of the above that are about flow control. */
const char *sim_check_flow_control(const struct sim *sim, char message[WEIR_MESSAGE_MAX]);
void sim_check_digest_flow_control(struct digest *digest, const struct sim *sim);

/* The digest, and with it the losses and delays by tag that have no part in it. */
uint64_t sim_check_digest(const struct sim *sim);

#endif
