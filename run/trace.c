/*
 * trace.c - see run_trace in run.h.
 */
#include <stdlib.h>

#include "run/run.h"
#include "weir/switch.h"

bool run_trace_begin(struct run_trace *trace, const struct run *run, uint32_t sw, uint32_t memory)
{
    const struct sim *sim = run_sim(run);
    weir_bps *rates = calloc(sim_switch_ports(sim, sw), sizeof *rates);
    struct weir_trace *to = NULL;
    if (rates == NULL)
        return false;
    struct weir_mmu_config config = sim_memory_config(sim, sw, memory, rates);
    bool begun = trace->begin(trace->context, &config, &to);
    free(rates);
    if (!begun)
        return false;
    trace->mmu = weir_switch_mmu(sim_switch(sim, sw), memory);
    weir_mmu_set_trace(trace->mmu, to);
    return true;
}

bool run_trace_end(struct run_trace *trace)
{
    weir_mmu_set_trace(trace->mmu, NULL);
    return trace->end(trace->context, trace->mmu);
}
