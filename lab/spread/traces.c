/*
 * traces.c - traces of MMUs during `weir run`, for `weir replay`. A trace is written while the
 * simulation runs and appears with the other files, or not at all.
 * The header of a trace is the config of its MMU.
 */

#include "lab/spread/spread.h"
#include "weir/switch.h"

static bool begin(void *context, const struct weir_mmu_config *config, struct weir_trace **trace)
{
    struct spread_trace_file *file = context;
    file->asked = true;
    *trace = &file->writer.trace;
    return trace_writer_create(&file->writer, file->path, config, 0);
}

static bool end(void *context, const struct weir_mmu *mmu)
{
    struct spread_trace_file *file = context;
    return trace_writer_end(&file->writer, mmu);
}

static int check_place(const struct spread_trace_choice *choice, const struct run *run)
{
    const uint32_t switches = run->scenario.topology.switches;
    if (choice->sw >= switches)
        return cli_error(CLI_INPUT, "--trace %s: no switch s%u (expected s0 to s%u)", choice->text, choice->sw,
                         switches - 1);
    const uint32_t count = weir_switch_mmu_count(sim_switch(run_sim(run), choice->sw));
    if (choice->memory >= count)
        return cli_error(CLI_INPUT, "--trace %s: switch s%u has no MMU %u (expected 0 to %u)", choice->text, choice->sw,
                         choice->memory, count - 1);
    return CLI_OK;
}

int spread_traces_open(struct spread_traces *traces, const struct spread_choice *choice, const struct run *run)
{
    *traces = (struct spread_traces){.count = 0};
    for (uint32_t i = 0; i < choice->traces; i++) {
        struct spread_trace_file *file = &traces->at[i];
        int code = check_place(&choice->trace[i], run);
        if (code != CLI_OK)
            return code;
        *file = (struct spread_trace_file){.path = choice->trace[i].path, .trace = {NULL, begin, end, file}};
        if (!run_trace_begin(&file->trace, run, choice->trace[i].sw, choice->trace[i].memory))
            return file->asked ? CLI_INTERNAL : cli_error_memory();
        traces->count++;
    }
    return CLI_OK;
}

bool spread_traces_end(struct spread_traces *traces, bool interrupted)
{
    bool good = true;
    for (uint32_t i = 0; i < traces->count; i++)
        good = good && run_trace_end(&traces->at[i].trace) &&
               (!interrupted || output_file_rename_partial(&traces->at[i].writer.file));
    return good;
}

bool spread_traces_commit(struct spread_traces *traces)
{
    for (uint32_t i = 0; i < traces->count; i++)
        if (!trace_writer_commit(&traces->at[i].writer))
            return false;
    return true;
}

void spread_traces_discard(struct spread_traces *traces)
{
    for (uint32_t i = 0; i < traces->count; i++)
        trace_writer_discard(&traces->at[i].writer);
    traces->count = 0;
}
