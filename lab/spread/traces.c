/*
 * traces.c - traces of MMUs during `weir run`, for `weir replay`. A trace is written while the
 * simulation runs and appears with the other files, or not at all.
 * The header of a trace is the config of its MMU.
 */
#include <stdlib.h>
#include <string.h>

#include "lab/spread/run.h"
#include "weir/switch.h"

static bool open_trace(struct run_trace *trace, const struct run_trace_choice *choice, const struct sim *sim,
                       struct weir_mmu *mmu)
{
    weir_bps *rates = calloc(sim_switch_ports(sim, choice->sw), sizeof *rates);
    if (rates == NULL) {
        cli_error_memory();
        return false;
    }
    struct weir_mmu_config config = sim_memory_config(sim, choice->sw, choice->memory, rates);
    bool opened = trace_writer_create(&trace->writer, choice->path, &config, 0);
    free(rates);
    if (!opened)
        return false;
    trace->mmu = mmu;
    weir_mmu_set_trace(mmu, &trace->writer.trace);
    return true;
}

static int find_memory(const struct run_trace_choice *choice, const struct sim *sim, const struct topology *topology,
                       struct weir_mmu **mmu)
{
    if (choice->sw >= topology->switches)
        return cli_error(CLI_INPUT, "--trace %s: no switch s%u (expected s0 to s%u)", choice->text, choice->sw,
                         topology->switches - 1);
    const struct weir_switch *sw = sim_switch(sim, choice->sw);
    uint32_t count = weir_switch_mmu_count(sw);
    if (choice->memory >= count)
        return cli_error(CLI_INPUT, "--trace %s: switch s%u has no MMU %u (expected 0 to %u)", choice->text, choice->sw,
                         choice->memory, count - 1);
    *mmu = weir_switch_mmu(sw, choice->memory);
    return CLI_OK;
}

int run_traces_open(struct run_traces *traces, const struct run_choice *choice, const struct scenario *scenario,
                    const struct sim *sim)
{
    *traces = (struct run_traces){.count = 0};
    for (uint32_t i = 0; i < choice->traces; i++) {
        struct weir_mmu *mmu = NULL;
        int code = find_memory(&choice->trace[i], sim, &scenario->topology, &mmu);
        if (code != CLI_OK)
            return code;
        if (!open_trace(&traces->at[i], &choice->trace[i], sim, mmu))
            return CLI_INTERNAL;
        traces->count++;
    }
    return CLI_OK;
}

bool run_traces_end(struct run_traces *traces, bool interrupted)
{
    bool good = true;
    for (uint32_t i = 0; i < traces->count; i++) {
        struct run_trace *trace = &traces->at[i];
        weir_mmu_set_trace(trace->mmu, NULL);
        good = good && trace_writer_end(&trace->writer, trace->mmu) &&
               (!interrupted || output_file_rename_partial(&trace->writer.file));
    }
    return good;
}

bool run_traces_commit(struct run_traces *traces)
{
    for (uint32_t i = 0; i < traces->count; i++)
        if (!trace_writer_commit(&traces->at[i].writer))
            return false;
    return true;
}

void run_traces_discard(struct run_traces *traces)
{
    for (uint32_t i = 0; i < traces->count; i++)
        trace_writer_discard(&traces->at[i].writer);
    traces->count = 0;
}
