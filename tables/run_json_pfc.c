/*
 * run_json_pfc.c - flow control and lossless classes in the JSON of `weir run`.
 */
#include "tables/run.h"
#include "tables/run_violations.h"

static json_t *time_json(weir_ps time)
{
    return time == WEIR_NEVER ? json_null() : json_integer((json_int_t)time);
}

static json_t *loss_json(const struct run_result *result)
{
    const struct pfc_loss *loss = &result->pfc.first;
    const struct topology *topology = &result->scenario->topology;
    int64_t cell = sim_config_tier(&result->scenario->config, topology->tier[loss->sw])->mmu.cell_bytes;
    char at[16];
    scenario_node_name(topology, topology->hosts + loss->sw, at);
    return json_pack("{s:I, s:o, s:o, s:s, s:i, s:i, s:i, s:s, s:I, s:I, s:I, s:I}", "when_ps", (json_int_t)loss->when,
                     "paused_ps", time_json(loss->decided_ps), "sent_ps", time_json(loss->sent_ps), "at", at, "input",
                     (int)loss->input, "class", (int)loss->tc, "bytes", (int)loss->bytes, "term", run_loss_term(loss),
                     "queue_headroom_bytes", (json_int_t)(loss->headroom_cells * cell), "queue_headroom_size",
                     (json_int_t)(loss->queue_limit * cell), "memory_headroom_bytes",
                     (json_int_t)(loss->pool_cells * cell), "memory_headroom_size",
                     (json_int_t)(loss->pool_limit * cell));
}

static json_t *deadlock_json(const struct run_result *result)
{
    const struct measure_deadlock *deadlock = &sim_measure(result->sim)->deadlock;
    char text[RUN_CYCLE_MAX];
    if (deadlock->found == 0)
        return json_null();
    return json_pack("{s:i, s:o, s:o, s:o, s:s, s:i, s:i}", "found", (int)deadlock->found, "onset_ps",
                     time_json(deadlock->onset_ps), "found_ps", time_json(deadlock->found_ps), "ended_ps",
                     time_json(deadlock->ended_ps), "cycle", run_cycle_text(result, text), "class", (int)deadlock->tc,
                     "queues", (int)deadlock->queues);
}

json_t *run_json_pfc(const struct run_result *result)
{
    const struct pfc_summary *pfc = &result->pfc;
    json_t *pauses = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "hosts_ps", (json_int_t)pfc->held_hosts_ps,
                               "switches_ps", (json_int_t)pfc->held_switches_ps, "frames", (json_int_t)pfc->frames,
                               "pauses", (json_int_t)pfc->pauses, "resumes", (json_int_t)pfc->resumes, "refreshes",
                               (json_int_t)pfc->refreshes, "port_level", (json_int_t)pfc->port_pauses);
    json_t *headroom =
        json_pack("{s:I, s:I, s:I, s:f}", "queue_bytes", (json_int_t)pfc->headroom_bytes, "reserved_bytes",
                  (json_int_t)pfc->reserved_bytes, "buffer_bytes", (json_int_t)pfc->buffer_bytes, "peak", pfc->peak);
    return json_pack("{s:o, s:o, s:o, s:I, s:o, s:o, s:I, s:I, s:i}", "paused", pauses, "headroom", headroom, "queues",
                     run_json_pauses(result), "lossless_lost", (json_int_t)pfc->lost, "first_loss",
                     pfc->lost > 0 ? loss_json(result) : json_null(), "deadlock", deadlock_json(result),
                     "watchdog_storms", (json_int_t)pfc->storms, "watchdog_dropped",
                     (json_int_t)result->lost.by_watchdog, "violations", (int)run_violations_count(result));
}
