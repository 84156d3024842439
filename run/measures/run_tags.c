/*
 * run_tags.c - what records of flows say, tag by tag: completion times of flows and of queries, by size too. Nothing
 * here knows where the records come from, a simulation or real packets.
 */
#include <stdlib.h>

#include "run/measures/run_result.h"

void run_bin_range(const struct scenario *scenario, uint32_t bin, int64_t *min, int64_t *max)
{
    const int64_t *edge = scenario->size_bins;
    uint32_t last = scenario->size_bin_count;
    *min = bin == 0 ? 0 : edge[bin - 1] + (bin == 1); /* the first edge belongs to the bin below it, the others not */
    *max = bin == last ? INT64_MAX : edge[bin] - (bin > 0);
}

/* The fraction of all that are known to have finished within x: where some did not, the curve ends below 1. */
static void make_cdf(struct run_cdf *cdf, const double *finished, const struct statistics *statistics)
{
    uint64_t all = statistics->count + statistics->unfinished;
    run_cdf_make(cdf, finished, NULL, statistics->count);
    for (uint32_t i = 0; statistics->unfinished > 0 && i < cdf->count; i++)
        cdf->y[i] *= (double)statistics->count / (double)all;
}

static bool add_groups(struct run_result *result, const struct records *records, const struct summary_filter *filter,
                       struct run_tag *out)
{
    const struct summary_network network = {&result->scenario->config, result->host_bps, result->totals.now};
    struct summary_samples samples;
    bool done = summary_groups_sampled(records, filter, &network, &out->groups, &samples);
    if (done) {
        make_cdf(&out->qct_ps, samples.times, &out->groups.qct_ps);
        make_cdf(&out->qct_slowdown, samples.slowdowns, &out->groups.slowdown);
    }
    summary_samples_free(&samples);
    return done;
}

static bool add_bins(struct run_result *result, const struct records *records, struct summary_filter filter,
                     struct run_tag *out)
{
    const struct summary_network network = {&result->scenario->config, result->host_bps, result->totals.now};
    for (uint32_t bin = 0; bin <= result->scenario->size_bin_count; bin++) {
        run_bin_range(result->scenario, bin, &filter.min_bytes, &filter.max_bytes);
        if (!summary_flows(records, &filter, result->totals.now, &out->bins[bin]))
            return false;
        if (out->groups.groups > 0 && !summary_groups(records, &filter, &network, &out->group_bins[bin]))
            return false;
        out->bins_in_use += out->bins[bin].flows > 0;
    }
    return true;
}

bool run_result_add_tags(struct run_result *result, const struct records *records)
{
    const struct scenario *scenario = result->scenario;
    result->tags = calloc((size_t)scenario->config.tag_count + 1, sizeof *result->tags);
    result->host_bps = calloc(scenario->topology.hosts, sizeof *result->host_bps);
    if (result->tags == NULL || result->host_bps == NULL)
        return false;
    /* The rate of each host's only link. */
    const struct topology *topology = &result->scenario->topology;
    for (uint32_t i = 0; i < topology->link_count; i++) {
        const struct topology_link *link = &topology->links[i];
        if (link->a < topology->hosts)
            result->host_bps[link->a] = link->rate_bps;
        if (link->b < topology->hosts)
            result->host_bps[link->b] = link->rate_bps;
    }
    for (uint32_t tag = 0; tag < scenario->config.tag_count; tag++) {
        struct run_tag *out = &result->tags[tag];
        struct summary_filter filter = {.tag = tag, .max_bytes = INT64_MAX, .until_ps = WEIR_NEVER};
        out->name = result->scenario->config.tag_names[tag];
        out->first_loss_ps = WEIR_NEVER;
        struct summary_samples samples;
        bool done = summary_flows_sampled(records, &filter, result->totals.now, &out->flows, &samples);
        if (done) {
            make_cdf(&out->fct_ps, samples.times, &out->flows.fct_ps);
            make_cdf(&out->slowdown, samples.slowdowns, &out->flows.slowdown);
        }
        summary_samples_free(&samples);
        if (!(done && add_groups(result, records, &filter, out) && add_bins(result, records, filter, out)))
            return false;
        result->unfinished_flows += result->tags[tag].flows.unfinished;
        result->unfinished_queries += result->tags[tag].groups.unfinished;
    }
    return true;
}
