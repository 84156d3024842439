/*
 * sim_trace.h - records what happens at one MMU of a simulation and compares it afterwards with the naive model and
 * with what its links carried.
 */
#ifndef WEIR_TESTS_SIM_TRACE_H
#define WEIR_TESTS_SIM_TRACE_H

#include "sim/net/network.h"
#include "sim/sim.h"
#include "weir/trace.h"

struct sim_trace {
    struct weir_trace trace;
    uint32_t sw, memory, first_port;
    struct weir_mmu_config config; /* of that MMU */
    weir_bps *rates;
    uint8_t *bytes; /* the recording */
    size_t size, room;
};

/* Records MMU `number` modulo all MMUs, from the first event on. False: out of memory. */
bool sim_trace_start(struct sim_trace *trace, struct sim *sim, uint32_t number);

/* After the run: what does not agree, or null. Details go to `message`. */
const char *sim_trace_compare(struct sim_trace *trace, struct sim *sim, char message[WEIR_MESSAGE_MAX]);
void sim_trace_free(struct sim_trace *trace);

#endif
