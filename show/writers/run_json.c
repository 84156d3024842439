/*
 * run_json.c - the result of `weir run` as JSON. Times that end in _ps are in picoseconds; measures are those of
 * measures.def, in their units.
 */
#include <inttypes.h>
#include <stdio.h>

#include "cli/output.h"
#include "show/writers/run.h"
#include "show/writers/run_frames.h"
#include "show/writers/run_violations.h"
#include "show/writers/write.h"

static struct data_cell count_cell(uint64_t count)
{
    return cell_integer((int64_t)count);
}

static struct data_cell time_cell(weir_ps time)
{
    return cell_if(time != WEIR_NEVER, cell_integer(time));
}

static struct data_frame *losses_frame(const struct summary_losses *losses)
{
    struct data_frame *refused = data_frame_new(DATA_OBJECT, NULL, 0), *lost = data_frame_new(DATA_OBJECT, NULL, 0);
    for (uint32_t i = WEIR_REASON_NONE + 1; i < WEIR_REASON_COUNT; i++)
        data_frame_set(refused, weir_reason_name((enum weir_reason)i), count_cell(losses->refused[i]));
    for (uint32_t i = WEIR_CAUSE_REFUSED + 1; i < WEIR_CAUSE_COUNT; i++)
        data_frame_set(lost, weir_cause_name((enum weir_cause)i), count_cell(losses->lost[i]));
    return data_object({"packets", count_cell(losses->total)}, {"refused", cell_frame(refused)},
                       {"lost", cell_frame(lost)}, {"watchdog", count_cell(losses->watchdog)},
                       {"marked", count_cell(losses->marked)});
}

static struct data_frame *lost_frame(const struct run_lost *lost)
{
    return data_object({"packets", count_cell(lost->total)}, {"refused", count_cell(lost->refused)},
                       {"after_acceptance", count_cell(lost->after_acceptance)},
                       {"unroutable", count_cell(lost->unroutable)},
                       {"on_failed_links", count_cell(lost->on_failed_links)},
                       {"by_watchdog", count_cell(lost->by_watchdog)}, {"at_hosts", count_cell(lost->at_hosts)});
}

/* The use of something at losses; missing without any. */
static struct data_cell use_cell(const struct run_result *result, const uint64_t *bins)
{
    if (result->sampled_losses == 0)
        return cell_none();
    return cell_frame(data_object(
        {"p1", cell_number(statistics_percentile(bins, 1))}, {"p10", cell_number(statistics_percentile(bins, 10))},
        {"p50", cell_number(statistics_percentile(bins, 50))}, {"p99", cell_number(statistics_percentile(bins, 99))}));
}

static struct data_frame *probes_frame(const struct run_result *result)
{
    static const struct data_column columns[] = {DATA_COLUMN("place", NULL, WORD), DATA_COLUMN("points", NULL, COUNT),
                                                 DATA_COLUMN("full", NULL, FLAG)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = 0; i < result->scenario->config.probe_count; i++) {
        const struct series *series = &sim_measure(result->sim)->probe[i];
        char place[40];
        run_probe_place(result, i, place);
        data_row(frame, cell_text(place), cell_integer(series->count), cell_flag(series->full));
    }
    return frame;
}

static struct data_frame *about_frame(const struct run_result *result)
{
    const struct scenario *scenario = result->scenario;
    return data_object({"file", cell_text(scenario->origin)}, {"name", cell_text(scenario->name)},
                       {"title", cell_text(scenario->title)}, {"seed", count_cell(scenario->config.seed)},
                       {"until_ps", cell_integer(scenario->config.until_ps)},
                       {"ended_ps", cell_integer(result->totals.now)}, {"interrupted", cell_flag(result->interrupted)});
}

static struct data_cell first_loss_cell(const struct run_result *result)
{
    const struct pfc_loss *loss = &result->pfc.first;
    if (result->pfc.lost == 0)
        return cell_none();
    const struct topology *topology = &result->scenario->topology;
    int64_t cell = sim_config_tier(&result->scenario->config, topology->tier[loss->sw])->mmu.cell_bytes;
    char at[16];
    scenario_node_name(topology, topology->hosts + loss->sw, at);
    return cell_frame(data_object({"when_ps", cell_integer(loss->when)}, {"paused_ps", time_cell(loss->decided_ps)},
                                  {"sent_ps", time_cell(loss->sent_ps)}, {"at", cell_text(at)},
                                  {"input", cell_integer(loss->input)}, {"class", cell_integer(loss->tc)},
                                  {"bytes", cell_integer(loss->bytes)}, {"term", cell_text(run_loss_term(loss))},
                                  {"queue_headroom_bytes", cell_integer(loss->headroom_cells * cell)},
                                  {"queue_headroom_size", cell_integer(loss->queue_limit * cell)},
                                  {"memory_headroom_bytes", cell_integer(loss->pool_cells * cell)},
                                  {"memory_headroom_size", cell_integer(loss->pool_limit * cell)}));
}

static struct data_cell deadlock_cell(const struct run_result *result)
{
    const struct measure_deadlock *deadlock = &sim_measure(result->sim)->deadlock;
    char text[RUN_CYCLE_MAX];
    if (deadlock->found == 0)
        return cell_none();
    return cell_frame(data_object({"found", cell_integer(deadlock->found)}, {"onset_ps", time_cell(deadlock->onset_ps)},
                                  {"found_ps", time_cell(deadlock->found_ps)},
                                  {"ended_ps", time_cell(deadlock->ended_ps)},
                                  {"cycle", cell_text(run_cycle_text(result, text))},
                                  {"class", cell_integer(deadlock->tc)}, {"queues", cell_integer(deadlock->queues)}));
}

static struct data_frame *flow_control_frame(const struct run_result *result)
{
    const struct pfc_summary *pfc = &result->pfc;
    struct data_frame *paused = data_object(
        {"hosts_ps", cell_integer(pfc->held_hosts_ps)}, {"switches_ps", cell_integer(pfc->held_switches_ps)},
        {"frames", count_cell(pfc->frames)}, {"pauses", count_cell(pfc->pauses)}, {"resumes", count_cell(pfc->resumes)},
        {"refreshes", count_cell(pfc->refreshes)}, {"port_level", count_cell(pfc->port_pauses)});
    struct data_frame *headroom = data_object(
        {"queue_bytes", cell_integer(pfc->headroom_bytes)}, {"reserved_bytes", cell_integer(pfc->reserved_bytes)},
        {"buffer_bytes", cell_integer(pfc->buffer_bytes)}, {"peak", cell_number(pfc->peak)});
    return data_object({"paused", cell_frame(paused)}, {"headroom", cell_frame(headroom)},
                       {"queues", cell_frame(run_frame_pauses(result))}, {"lossless_lost", count_cell(pfc->lost)},
                       {"first_loss", first_loss_cell(result)}, {"deadlock", deadlock_cell(result)},
                       {"watchdog_storms", count_cell(pfc->storms)},
                       {"watchdog_dropped", count_cell(result->lost.by_watchdog)},
                       {"violations", cell_integer(run_violations_count(result))});
}

json_t *run_json(const struct run_result *result)
{
    struct run_numbers numbers;
    char digest[17];
    if (!run_numbers_make(&numbers, result)) {
        run_numbers_free(&numbers);
        return NULL;
    }
    snprintf(digest, sizeof digest, "%016" PRIx64, result->digest);
    struct data_frame *root = data_object(
        {"scenario", cell_frame(about_frame(result))}, {"tags", cell_frame(run_frame_tags(result, &numbers))},
        {"lost", cell_frame(lost_frame(&result->lost))}, {"losses", cell_frame(losses_frame(&result->losses))},
        {"places", cell_frame(run_frame_losses(result, true))},
        {"memories", cell_frame(run_frame_memories(result, true))},
        {"buffer_at_loss", use_cell(result, result->buffer_at_loss)},
        {"bandwidth_at_loss", use_cell(result, result->bandwidth_at_loss)},
        {"probes", cell_frame(probes_frame(result))}, {"marked", count_cell(result->losses.marked)},
        {"packet_hops", count_cell(result->totals.packet_hops)},
        {"flows_started", count_cell(result->totals.flows_started)},
        {"flows_ended", count_cell(result->totals.flows_ended)}, {"digest", cell_text(digest)});
    if (result->pfc.lossless)
        data_frame_set(root, "flow_control", cell_frame(flow_control_frame(result)));
    /* Every measure of the run by its name. */
    const struct measures *measures = &numbers.measures;
    struct data_frame *frame = data_frame_new(DATA_OBJECT, NULL, 0);
    for (uint32_t i = 0; i < measures->value_count; i++)
        data_frame_set(frame, measures->values[i].name, cell_number(measures->values[i].value));
    data_frame_set(root, "measures", cell_frame(frame));
    data_frame_set(root, "censored", cell_frame(run_frame_censored(&numbers)));
    json_t *json = data_frame_failed(root) ? NULL : write_json(root);
    data_frame_free(root);
    run_numbers_free(&numbers);
    return json;
}
