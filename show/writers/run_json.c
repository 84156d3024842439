/*
 * run_json.c - the result of `weir run` as JSON. Times are in picoseconds, but "measures" are those of measures.def, in
 * their units.
 */
#include <inttypes.h>

#include "run/measures/measures.h"
#include "show/writers/run.h"
#include "show/writers/run_fields.h"
#include "show/writers/run_violations.h"

static json_t *losses_json(const struct summary_losses *losses)
{
    json_t *refused = json_object(), *lost = json_object();
    for (uint32_t i = WEIR_REASON_NONE + 1; i < WEIR_REASON_COUNT; i++)
        refused = output_json_set(refused, weir_reason_name((enum weir_reason)i),
                                  json_integer((json_int_t)losses->refused[i]));
    for (uint32_t i = WEIR_CAUSE_REFUSED + 1; i < WEIR_CAUSE_COUNT; i++)
        lost = output_json_set(lost, weir_cause_name((enum weir_cause)i), json_integer((json_int_t)losses->lost[i]));
    return json_pack("{s:I, s:o, s:o, s:I, s:I}", "packets", (json_int_t)losses->total, "refused", refused, "lost",
                     lost, "watchdog", (json_int_t)losses->watchdog, "marked", (json_int_t)losses->marked);
}

static json_t *flows_json(const struct summary_flows *flows)
{
    return run_fields_json(run_flow_fields, RUN_FLOW_FIELDS, flows);
}

/* The largest bin has no end: null. */
static json_t *bin_json(const struct run_result *result, const struct run_tag *tag, uint32_t bin)
{
    int64_t min, max;
    run_bin_range(result->scenario, bin, &min, &max);
    json_t *json = output_json_set(flows_json(&tag->bins[bin]), "min_bytes", json_integer((json_int_t)min));
    return output_json_set(json, "max_bytes", max == INT64_MAX ? json_null() : json_integer((json_int_t)max));
}

/* Delays are null when nothing was delivered. */
static json_t *packets_json(const struct run_packets *p)
{
    bool any = p->delivered > 0;
    return json_pack("{s:I, s:I, s:I, s:o, s:o}", "sent", (json_int_t)p->sent, "delivered", (json_int_t)p->delivered,
                     "missing", (json_int_t)(p->sent - p->delivered), "delay_mean_ps",
                     any ? json_real(p->delay_sum_ps / (double)p->delivered) : json_null(), "delay_max_ps",
                     any ? json_real(p->delay_max_ps) : json_null());
}

static json_t *tag_json(const struct run_result *result, const struct run_tag *tag)
{
    json_t *bins = json_array();
    for (uint32_t bin = 0; bin <= result->scenario->size_bin_count; bin++)
        bins = output_json_append(bins, bin_json(result, tag, bin));
    json_t *json = output_json_set(flows_json(&tag->flows), "tag", json_string(tag->name));
    json = output_json_set(json, "sizes", bins);
    json = output_json_set(json, "queries", run_fields_json(run_query_fields, RUN_QUERY_FIELDS, &tag->groups));
    return output_json_set(json, "packets", packets_json(&tag->packets));
}

static json_t *place_json(const struct run_result *result, const struct run_place *place)
{
    const struct topology *topology = &result->scenario->topology;
    char at[16], to[16];
    scenario_node_name(topology, topology->hosts + place->sw, at);
    scenario_node_name(topology, place->neighbour, to);
    return json_pack("{s:s, s:s, s:i, s:i, s:o}", "at", at, "to", to, "port", (int)place->port, "class", (int)place->tc,
                     "losses", losses_json(&place->losses));
}

static json_t *memory_json(const struct run_result *result, const struct run_memory *memory)
{
    char name[32];
    run_memory_name(result, memory, name);
    return json_pack("{s:s, s:I, s:I}", "memory", name, "buffer_bytes", (json_int_t)memory->buffer_bytes, "peak_bytes",
                     (json_int_t)memory->peak_bytes);
}

static json_t *lost_json(const struct run_lost *lost)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "packets", (json_int_t)lost->total, "refused",
                     (json_int_t)lost->refused, "after_acceptance", (json_int_t)lost->after_acceptance, "unroutable",
                     (json_int_t)lost->unroutable, "on_failed_links", (json_int_t)lost->on_failed_links, "by_watchdog",
                     (json_int_t)lost->by_watchdog, "at_hosts", (json_int_t)lost->at_hosts);
}

/* The use of something at losses; null without any. */
static json_t *use_json(const struct run_result *result, const uint64_t *bins)
{
    if (result->sampled_losses == 0)
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:f}", "p1", statistics_percentile(bins, 1), "p10",
                     statistics_percentile(bins, 10), "p50", statistics_percentile(bins, 50), "p99",
                     statistics_percentile(bins, 99));
}

static json_t *probe_json(const struct run_result *result, uint32_t index)
{
    const struct series *series = &sim_measure(result->sim)->probe[index];
    char place[40];
    run_probe_place(result, index, place);
    return json_pack("{s:s, s:I, s:b}", "place", place, "points", (json_int_t)series->count, "full", series->full);
}

/* Texts of a scenario are UTF-8; the names of files may be anything. */
static json_t *text_or_null(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

static json_t *about_json(const struct run_result *result)
{
    const struct scenario *scenario = result->scenario;
    return json_pack("{s:o, s:o, s:o, s:I, s:I, s:I, s:b}", "file", output_json_string(scenario->origin), "name",
                     text_or_null(scenario->name), "title", text_or_null(scenario->title), "seed",
                     (json_int_t)scenario->config.seed, "until_ps", (json_int_t)scenario->config.until_ps, "ended_ps",
                     (json_int_t)result->totals.now, "interrupted", result->interrupted);
}

/* Flow control and lossless classes. */
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

static json_t *pfc_json(const struct run_result *result)
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

/* Every measure of the run by its name; null: out of memory. */
static json_t *measures_json(const struct run_result *result)
{
    struct measures measures;
    json_t *json = run_measures_make(&measures, result) ? json_object() : NULL;
    for (uint32_t i = 0; json != NULL && i < measures.value_count; i++)
        json = output_json_set(json, measures.values[i].name, json_real(measures.values[i].value));
    measures_free(&measures);
    return json;
}

json_t *run_json(const struct run_result *result)
{
    char digest[17];
    json_t *tags = json_array(), *places = json_array(), *memories = json_array(), *probes = json_array();
    snprintf(digest, sizeof digest, "%016" PRIx64, result->digest);
    for (uint32_t i = 0; i < result->scenario->config.tag_count; i++)
        tags = output_json_append(tags, tag_json(result, &result->tags[i]));
    for (uint32_t i = 0; i < result->place_count; i++)
        places = output_json_append(places, place_json(result, &result->places[i]));
    for (uint32_t i = 0; i < result->memory_count; i++)
        memories = output_json_append(memories, memory_json(result, &result->memories[i]));
    for (uint32_t i = 0; i < result->scenario->config.probe_count; i++)
        probes = output_json_append(probes, probe_json(result, i));
    json_t *json = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:s}", "scenario",
                             about_json(result), "tags", tags, "lost", lost_json(&result->lost), "losses",
                             losses_json(&result->losses), "places", places, "memories", memories, "buffer_at_loss",
                             use_json(result, result->buffer_at_loss), "bandwidth_at_loss",
                             use_json(result, result->bandwidth_at_loss), "probes", probes, "marked",
                             (json_int_t)result->losses.marked, "packet_hops", (json_int_t)result->totals.packet_hops,
                             "flows_started", (json_int_t)result->totals.flows_started, "flows_ended",
                             (json_int_t)result->totals.flows_ended, "digest", digest);
    if (result->pfc.lossless)
        json = output_json_set(json, "flow_control", pfc_json(result));
    return output_json_set(json, "measures", measures_json(result));
}
