/*
 * recording.c - traces of an MMU. A replay starts from an empty buffer and a policy that knows nothing, so an MMU that
 * has been in use is rebuilt when it is empty and nothing is paused. Its counters up to then are carried over
 * (carried.c).
 */
#include <stdlib.h>

#include "switch/dpdk/dataplane_internal.h"

#define RECORDING_LOOK_US 500u

bool recording_init(struct dataplane *dp)
{
    uint32_t inputs = dp->config.ports, classes = dp->mmu_config.classes;
    dp->recording = calloc(dp->memories, sizeof(*dp->recording));
    dp->carried = calloc(dp->memories, sizeof(*dp->carried));
    if (!dp->recording || !dp->carried)
        return false;
    for (uint32_t m = 0; m < dp->memories; m++) {
        uint32_t accounts = weir_mmu_view(weir_switch_mmu(dp->sw, m))->geometry.accounts;
        struct carried *carried = &dp->carried[m];
        carried->account = calloc(accounts, sizeof(*carried->account));
        carried->group = calloc((size_t)inputs * classes, sizeof(*carried->group));
        carried->pause = calloc(inputs, sizeof(*carried->pause));
        if (!carried->account || !carried->group || !carried->pause)
            return false;
    }
    return true;
}

void recording_free(struct dataplane *dp)
{
    for (uint32_t m = 0; dp->carried && m < dp->memories; m++) {
        free(dp->carried[m].account);
        free(dp->carried[m].group);
        free(dp->carried[m].pause);
    }
    free(dp->carried);
    free(dp->recording);
}

/* Expired pauses end when the port is asked; an empty port is not asked. */
static bool memory_holds_nobody(struct dataplane *dp, struct weir_mmu *mmu)
{
    const struct weir_view *egress = weir_mmu_view(mmu), *ingress = weir_mmu_ingress_view(mmu);
    for (uint32_t p = 0; p < egress->geometry.ports; p++) {
        if (weir_view_port(egress, (weir_port){p})->paused_mask)
            weir_mmu_depart(mmu, (weir_port){p}, dp->now);
        if (weir_view_port(egress, (weir_port){p})->paused_mask)
            return false;
    }
    for (uint32_t i = 0; ingress && i < ingress->geometry.ports; i++)
        if (weir_view_port(ingress, (weir_port){i})->paused_mask || weir_view_port(ingress, (weir_port){i})->paused)
            return false;
    return true;
}

static void recording_begin(struct dataplane *dp, uint32_t memory, struct weir_trace *trace)
{
    struct recording *recording = &dp->recording[memory];
    struct weir_mmu *mmu = weir_switch_mmu(dp->sw, memory);
    struct weir_mmu_config config = weir_switch_mmu_config(&dp->config.sw, memory);
    struct carried *carried = &dp->carried[memory];
    const struct weir_view *egress = weir_mmu_view(mmu), *ingress = weir_mmu_ingress_view(mmu);
    for (uint32_t a = 0; a < egress->geometry.accounts; a++)
        carried_account(&carried->account[a], weir_mmu_account_counters(mmu, (weir_account){a}));
    for (uint32_t a = 0; ingress && a < ingress->geometry.accounts; a++)
        carried_group(&carried->group[a], weir_mmu_group_counters(mmu, (weir_account){a}));
    for (uint32_t i = 0; ingress && i < ingress->geometry.ports; i++)
        carried_pause(&carried->pause[i], weir_mmu_pause_counters(mmu, (weir_port){i}));
    carried_pool(&carried->pool, weir_mmu_pool_counters(mmu));
    weir_mmu_init(mmu, &config);
    weir_trace_begin(trace, &config);
    weir_mmu_set_trace(mmu, trace);
    __atomic_store_n(&recording->trace, trace, __ATOMIC_RELEASE);
    recording->wanted = NULL;
    mmu_changed(dp);
}

void recording_try(struct dataplane *dp)
{
    bool wanted = false;
    for (uint32_t m = 0; m < dp->memories; m++) {
        struct recording *recording = &dp->recording[m];
        struct weir_mmu *mmu = weir_switch_mmu(dp->sw, m);
        if (!recording->wanted)
            continue;
        if (weir_view_used(weir_mmu_view(mmu)) == 0 && memory_holds_nobody(dp, mmu))
            recording_begin(dp, m, recording->wanted);
        wanted |= recording->wanted != NULL;
    }
    dp->wants_recording = wanted;
}

/* One look by control itself, which is enough when no processor runs; true when the trace has begun or cannot. */
static bool recording_look(struct dataplane *dp, uint32_t memory, struct weir_trace *trace)
{
    mmu_enter(dp);
    recording_try(dp);
    bool begun = dp->recording[memory].trace == trace;
    mmu_leave(dp);
    return begun;
}

bool dataplane_trace_begin(struct dataplane *dp, uint32_t memory, struct weir_trace *trace, weir_ps patience_ps,
                           struct weir_error *error)
{
    weir_ps end = clock_machine(&dp->clock) + patience_ps;
    if (memory >= dp->memories)
        return weir_fail(error, WEIR_ERROR_INPUT, "trace: no MMU %u (expected 0 to %u)", memory, dp->memories - 1);
    mmu_enter(dp);
    bool taken = dp->recording[memory].trace || dp->recording[memory].wanted;
    if (!taken) {
        dp->recording[memory].wanted = trace;
        dp->wants_recording = true;
    }
    mmu_leave(dp);
    if (taken) {
        weir_fail(error, WEIR_ERROR_INPUT, "trace: MMU %u is already being traced (stop that trace first)", memory);
        return false;
    }
    while (!recording_look(dp, memory, trace)) {
        if (clock_machine(&dp->clock) < end) {
            rte_delay_us_sleep(RECORDING_LOOK_US);
            continue;
        }
        mmu_enter(dp);
        dp->recording[memory].wanted = NULL;
        bool begun = dp->recording[memory].trace == trace;
        mmu_leave(dp);
        if (begun)
            return true;
        weir_fail(error, WEIR_ERROR_INPUT,
                  "trace: MMU %u was never empty and unpaused in that time (try again under less load)", memory);
        return false;
    }
    return true;
}

bool dataplane_trace_end(struct dataplane *dp, uint32_t memory)
{
    bool written = false;
    if (memory >= dp->memories)
        return false;
    mmu_enter(dp);
    struct recording *recording = &dp->recording[memory];
    struct weir_mmu *mmu = weir_switch_mmu(dp->sw, memory);
    if (recording->trace) {
        written = weir_trace_end(recording->trace, mmu);
        weir_mmu_set_trace(mmu, NULL);
        recording->trace = NULL;
    }
    mmu_leave(dp);
    return written;
}
