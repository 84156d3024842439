/*
 * run_result.c - see run_result.h.
 */
#include "run_result.h"

#include <stdlib.h>

#include "sim/flow.h"
#include "sim/link.h"

uint32_t run_neighbour(const struct topology *topology, uint32_t sw, uint32_t port)
{
    uint32_t node = topology->hosts + sw;
    for (uint32_t i = 0; i < topology->link_count; i++) {
        const struct topology_link *link = &topology->links[i];
        if ((link->a == node || link->b == node) && port-- == 0)
            return link->a == node ? link->b : link->a;
    }
    return node;
}

void run_probe_place(const struct run_result *result, uint32_t probe, char place[40])
{
    const struct topology *topology = &result->scenario->topology;
    const struct sim_probe *at = &result->scenario->config.probes[probe];
    char from[16], to[16];
    scenario_node_name(topology, topology->hosts + at->sw, from);
    scenario_node_name(topology, run_neighbour(topology, at->sw, at->port), to);
    snprintf(place, 40, "%s-%s", from, to);
}

static uint64_t losses_total(const struct measure_losses *losses)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < WEIR_REASON_COUNT; i++)
        total += losses->refused[i];
    for (uint32_t i = 0; i < WEIR_CAUSE_COUNT; i++)
        total += losses->lost[i];
    return total;
}

/* Keeps the list sorted by losses, the first queue first at equal numbers. */
static void note_place(struct run_result *result, const struct run_place *place)
{
    uint32_t at = result->place_count < RUN_PLACES_MAX ? result->place_count++ : RUN_PLACES_MAX;
    while (at > 0 && result->places[at - 1].losses.total < place->losses.total) {
        if (at < RUN_PLACES_MAX)
            result->places[at] = result->places[at - 1];
        at--;
    }
    if (at < RUN_PLACES_MAX)
        result->places[at] = *place;
}

static void add_switch(struct run_result *result, const struct measure_switch *sw, uint32_t index)
{
    result->unroutable += sw->unroutable;
    for (uint32_t i = 0; i < sw->classes * sw->ports; i++) {
        const struct measure_losses *losses = &sw->queue[i];
        struct run_place place = {.sw = index, .port = i % sw->ports, .tc = i / sw->ports};
        place.losses.total = losses_total(losses);
        if (place.losses.total == 0)
            continue;
        for (uint32_t r = 0; r < WEIR_REASON_COUNT; r++)
            place.losses.refused[r] = losses->refused[r];
        for (uint32_t c = 0; c < WEIR_CAUSE_COUNT; c++)
            place.losses.lost[c] = losses->lost[c];
        note_place(result, &place);
    }
    for (uint32_t m = 0; m < sw->mmus; m++) {
        for (uint32_t b = 0; b < MEASURE_BINS; b++) {
            result->buffer_at_loss[b] += sw->memory[m].buffer_at_loss[b];
            result->bandwidth_at_loss[b] += sw->memory[m].bandwidth_at_loss[b];
        }
    }
}

static void add_losses(struct run_result *result)
{
    const struct measure *measure = sim_measure(result->sim);
    const struct topology *topology = &result->scenario->topology;
    summary_losses(measure, SUMMARY_ANY, &result->losses);
    for (uint32_t sw = 0; sw < measure->switches; sw++)
        add_switch(result, &measure->sw[sw], sw);
    for (uint32_t i = 0; i < result->place_count; i++)
        result->places[i].neighbour = run_neighbour(topology, result->places[i].sw, result->places[i].port);
    for (uint32_t i = 0; i < topology->link_count; i++)
        result->failed += sim_link(result->sim, i, false)->lost + sim_link(result->sim, i, true)->lost;
}

static bool add_tag(struct run_result *result, uint32_t tag)
{
    const struct records *records = sim_records(result->sim);
    struct run_tag *out = &result->tags[tag];
    const struct summary_filter filter = {.tag = tag, .max_bytes = INT64_MAX, .until_ps = WEIR_NEVER};
    const struct summary_link link = {.rate_bps = 10000000000, .wire_per_payload = 1}; /* of a slowdown not shown */
    out->name = result->scenario->config.tag_names[tag];
    for (uint32_t i = 0; i < records->count; i++) {
        const struct flow_record *record = &records->at[i];
        if (record->tag != tag)
            continue;
        out->packets += record->packets;
        out->delay_sum_ps += record->delay_sum_ps;
        if ((double)record->delay_max_ps > out->delay_max_ps)
            out->delay_max_ps = (double)record->delay_max_ps;
    }
    return summary_flows(records, &filter, result->totals.now, &out->flows) &&
           summary_groups(records, &filter, &link, &out->groups);
}

/* A series that ended before its last point ended for lack of memory. */
static bool series_are_whole(const struct run_result *result)
{
    const struct measure *measure = sim_measure(result->sim);
    for (uint32_t i = 0; i < measure->probe_count; i++)
        if (measure->probe[i].full && measure->probe[i].count < result->scenario->config.probes[i].points_max)
            return false;
    return true;
}

bool run_result_make(struct run_result *result, const struct scenario *scenario, const struct sim *sim,
                     bool interrupted)
{
    *result = (struct run_result){.scenario = scenario, .sim = sim, .interrupted = interrupted};
    result->totals = sim_totals(sim);
    result->digest = sim_digest(sim);
    result->tags = calloc((size_t)scenario->config.tag_count + 1, sizeof *result->tags);
    if (result->tags == NULL || !series_are_whole(result))
        return false;
    for (uint32_t tag = 0; tag < scenario->config.tag_count; tag++)
        if (!add_tag(result, tag))
            return false;
    add_losses(result);
    return true;
}

void run_result_free(struct run_result *result)
{
    free(result->tags);
    result->tags = NULL;
}
