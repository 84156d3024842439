/*
 * run_result.c - see run_result.h: of a simulation. What records of flows say is in run_tags.c, what switches lost and
 * held in run_places.c, fairness and series in run_series.c.
 */
#include "run/measures/run_result.h"

#include <stdlib.h>

#include "sim/transport/flow.h"

static bool add_delays(struct run_result *result)
{
    double *values = malloc(MEASURE_DELAY_BINS * sizeof *values);
    if (values == NULL)
        return false;
    for (uint32_t bin = 0; bin < MEASURE_DELAY_BINS; bin++)
        values[bin] = measure_delay_of_bin(bin);
    for (uint32_t tag = 0; tag < result->scenario->config.tag_count; tag++) {
        /* Mean, least and greatest are exact; percentiles come from the bins, and none is beyond the extremes. */
        struct run_packets *packets = &result->tags[tag].packets;
        const struct measure_tag *measured = &sim_measure(result->sim)->tag[tag];
        struct statistics *delay = &packets->delay_ps;
        if (measured->delays == NULL || packets->delivered == 0)
            continue;
        statistics_of_weighted(values, measured->delays, MEASURE_DELAY_BINS, delay);
        run_cdf_make(&packets->delay_cdf, values, measured->delays, MEASURE_DELAY_BINS);
        delay->mean = packets->delay_sum_ps / (double)packets->delivered;
        delay->min = (double)measured->delay_min_ps;
        delay->max = packets->delay_max_ps;
        statistics_clamp_percentiles(delay);
    }
    free(values);
    return true;
}

bool run_result_make(struct run_result *result, const struct scenario *scenario, const struct sim *sim,
                     bool interrupted)
{
    *result = (struct run_result){.scenario = scenario, .sim = sim, .interrupted = interrupted};
    result->totals = sim_totals(sim);
    result->digest = sim_digest(sim);
    /* A series that ended before its last point ended for lack of memory. */
    const struct measure *measure = sim_measure(result->sim);
    for (uint32_t i = 0; i < measure->probe_count; i++)
        if (measure->probe[i].full && measure->probe[i].count < result->scenario->config.probes[i].points_max)
            return false;
    if (!run_result_add_tags(result, sim_records(sim)))
        return false;
    for (uint32_t tag = 0; tag < result->scenario->config.tag_count; tag++) {
        result->tags[tag].lost = sim_measure(result->sim)->tag[tag].lost;
        result->tags[tag].first_loss_ps = sim_measure(result->sim)->tag[tag].first_loss_ps;
    }
    const struct records *records = sim_records(result->sim);
    const struct measure_packets *listed = sim_measure(result->sim)->listed;
    for (uint32_t tag = 0; tag < result->scenario->config.tag_count; tag++) {
        struct run_tag *out = &result->tags[tag];
        out->packets = (struct run_packets){.sent = listed[tag].sent,
                                            .delivered = listed[tag].delivered,
                                            .delay_sum_ps = (double)listed[tag].delay_sum_ps,
                                            .delay_max_ps = (double)listed[tag].delay_max_ps};
        out->flows.delivered_bytes += (int64_t)listed[tag].bytes;
        if (result->totals.now > 0)
            out->flows.goodput_bps +=
                (double)listed[tag].bytes * 8 * (double)WEIR_PS_PER_S / (double)result->totals.now;
    }
    for (uint32_t i = 0; i < records->count; i++) {
        const struct flow_record *record = &records->at[i];
        struct run_packets *packets = &result->tags[record->tag].packets;
        packets->sent += record->sent;
        packets->delivered += record->packets;
        packets->delay_sum_ps += record->delay_sum_ps;
        if ((double)record->delay_max_ps > packets->delay_max_ps)
            packets->delay_max_ps = (double)record->delay_max_ps;
    }
    pfc_summary_make(&result->pfc, sim);
    return run_result_add_jobs(result) && add_delays(result) && run_result_add_places(result) &&
           run_result_add_fairness(result);
}

void run_result_free(struct run_result *result)
{
    free(result->tags);
    free(result->host_bps);
    free(result->places);
    free(result->memories);
    free(result->goodput_jain);
    *result = (struct run_result){.scenario = result->scenario};
}

bool run_loss_violates(const struct run_result *result)
{
    return result->pfc.lost > 0 && !result->scenario->config.pfc.loss_expected;
}

bool run_deadlock_violates(const struct run_result *result)
{
    return sim_measure(result->sim)->deadlock.found > 0 && !result->scenario->config.pfc.deadlock_expected;
}

uint32_t run_violations_count(const struct run_result *result)
{
    return (uint32_t)run_loss_violates(result) + run_deadlock_violates(result);
}
