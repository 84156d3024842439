/*
 * waits.h - what jobs waited for: keeps what their operations do, and when flow control paused links, where somebody
 * asks. Nobody else pays for it.
 */
#ifndef SIM_WAITS_H
#define SIM_WAITS_H

#include "sim/jobs/history.h"
#include "sim/sim.h"

/* From here on, before the first run. False: out of memory. Not over several ranks. */
bool sim_keep_jobs(struct sim *sim);

/* Of the job of a traffic; null: it is none, or nothing was kept. */
const struct job_history *sim_job_history(const struct sim *sim, uint32_t traffic);

/* The link on the way of a flow that flow control paused for longest within [from, to). False: none was, as far as the
 * flow's usual way goes. */
struct sim_pause {
    weir_ps from_ps, to_ps; /* asked for */
    weir_ps longest_ps;
    uint32_t sw, from; /* the switch that paused it, and the node that it comes from */
};
bool sim_paused(const struct sim *sim, const struct flow_record *flow, struct sim_pause *pause);

#endif
