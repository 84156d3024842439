/*
 * run_series.c - what a run says interval by interval and probe by probe: goodput, fairness, queues that were followed.
 *
 * Jain's index of goodput is taken over the tags that have a flow under way in an interval: a tag that has not begun,
 * or is over, is not treated unfairly. The index of receivers compares what each got with what its
 * link could have carried for it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/measures/run_result.h"
#include "sim/engine/link.h"

static double seconds(weir_ps time)
{
    return (double)time / (double)WEIR_PS_PER_S;
}

/* An interrupted run has not been through its last bin. */
uint32_t run_goodput_bins(const struct run_result *result)
{
    const struct measure *measure = sim_measure(result->sim);
    weir_ps interval = result->scenario->config.goodput_interval_ps;
    if (interval == 0)
        return 0;
    uint32_t bins = (uint32_t)(result->totals.now / interval) + !result->interrupted;
    return bins < measure->goodput_bins ? bins : measure->goodput_bins;
}

/* The last bin ends with the run. */
static weir_ps goodput_width(const struct run_result *result, uint32_t bin)
{
    const struct sim_config *config = &result->scenario->config;
    weir_ps left = config->until_ps - bin * config->goodput_interval_ps;
    return left < config->goodput_interval_ps ? left : config->goodput_interval_ps;
}

double run_goodput_bps(const struct run_result *result, uint32_t tag, uint32_t bin)
{
    double bits = (double)sim_measure(result->sim)->goodput[tag][bin] * 8;
    return bits * (double)WEIR_PS_PER_S / (double)goodput_width(result, bin);
}

double run_goodput_jain_mean(const struct run_result *result)
{
    double sum = 0;
    uint32_t count = 0, bins = run_goodput_bins(result);
    for (uint32_t bin = 0; bin < bins; bin++) {
        if (isnan(result->goodput_jain[bin]))
            continue;
        sum += result->goodput_jain[bin];
        count++;
    }
    return count > 0 ? sum / count : NAN;
}

double run_goodput_jain_min(const struct run_result *result)
{
    double least = NAN;
    uint32_t bins = run_goodput_bins(result);
    for (uint32_t bin = 0; bin < bins; bin++)
        if (isnan(least) || result->goodput_jain[bin] < least)
            least = result->goodput_jain[bin];
    return least;
}

/* From the first start to the last finish of each tag. */
struct span {
    weir_ps first, last;
};

/* Of the tags under way in an interval; not a number when there is none, or nothing was delivered. */
static double goodput_jain(const struct run_result *result, const struct span *spans, double *rates, uint32_t bin)
{
    weir_ps from = bin * result->scenario->config.goodput_interval_ps;
    weir_ps until = from + goodput_width(result, bin);
    uint32_t count = 0;
    for (uint32_t tag = 0; tag < result->scenario->config.tag_count; tag++)
        if (spans[tag].first < until && spans[tag].last > from)
            rates[count++] = run_goodput_bps(result, tag, bin);
    double jain = statistics_jain(rates, count);
    return jain > 0 ? jain : NAN;
}

static bool add_goodput_jain(struct run_result *result)
{
    uint32_t bins = run_goodput_bins(result), tags = result->scenario->config.tag_count;
    if (bins == 0)
        return true;
    result->goodput_jain = malloc(bins * sizeof *result->goodput_jain);
    double *rates = malloc(tags * sizeof *rates);
    struct span *spans = malloc(tags * sizeof *spans);
    bool done = result->goodput_jain != NULL && rates != NULL && spans != NULL;
    if (done) {
        const struct records *records = sim_records(result->sim);
        for (uint32_t tag = 0; tag < result->scenario->config.tag_count; tag++)
            spans[tag] = (struct span){WEIR_NEVER, 0};
        for (uint32_t i = 0; i < records->count; i++) {
            const struct flow_record *record = &records->at[i];
            struct span *span = &spans[record->tag];
            span->first = record->start_ps < span->first ? record->start_ps : span->first;
            span->last = record->finish_ps > span->last ? record->finish_ps : span->last;
        }
        for (uint32_t bin = 0; bin < bins; bin++)
            result->goodput_jain[bin] = goodput_jain(result, spans, rates, bin);
    }
    free(rates);
    free(spans);
    return done;
}

/* Of hosts to which udp flows sent: packets received over those sent, or over what the link can carry if that is less.
 * No number when there are fewer than two. */
static double received_jain(const struct run_result *result, double *sent, double *part)
{
    const struct records *records = sim_records(result->sim);
    uint32_t hosts = result->scenario->topology.hosts, count = 0;
    for (uint32_t i = 0; i < records->count; i++) {
        sent[records->at[i].destination] += (double)records->at[i].sent;
        part[records->at[i].destination] += (double)records->at[i].packets;
    }
    for (uint32_t host = 0; host < hosts; host++) {
        /* Full packets that a host's link carries in the whole run. */
        const struct sim_wire *wire = &result->scenario->config.wire;
        double bits = 8.0 * (wire->mss_bytes + wire->header_bytes + wire->gap_bytes);
        double most = (double)result->host_bps[host] * seconds(result->totals.now) / bits;
        if (sent[host] > 0)
            part[count++] = part[host] / (sent[host] < most ? sent[host] : most);
    }
    return count > 1 ? statistics_jain(part, count) : NAN;
}

bool run_result_add_fairness(struct run_result *result)
{
    uint32_t hosts = result->scenario->topology.hosts;
    double *sent = calloc(hosts, sizeof *sent), *part = calloc(hosts, sizeof *part);
    bool done = sent != NULL && part != NULL && add_goodput_jain(result);
    if (done)
        result->received_jain = received_jain(result, sent, part);
    free(sent);
    free(part);
    return done;
}

/* "s0-h3", ".1" behind it for one class of several. */
static void place_of_probe(const struct run_result *result, uint32_t index, char place[RUN_PLACE_MAX])
{
    const struct sim_probe *probe = &result->scenario->config.probes[index];
    char ends[40];
    run_probe_place(result, index, ends);
    if (probe->tc == SIM_ALL_CLASSES || sim_measure(result->sim)->sw[probe->sw].classes == 1)
        snprintf(place, RUN_PLACE_MAX, "%s", ends);
    else
        snprintf(place, RUN_PLACE_MAX, "%s.%u", ends, probe->tc);
}

void run_probe_name(const struct run_result *result, uint32_t index, char name[RUN_PLACE_MAX])
{
    char other[RUN_PLACE_MAX];
    uint32_t number = 1;
    place_of_probe(result, index, name);
    for (uint32_t i = 0; i < index; i++) {
        place_of_probe(result, i, other);
        number += strcmp(name, other) == 0;
    }
    size_t used = strlen(name);
    if (number > 1)
        snprintf(name + used, RUN_PLACE_MAX - used, "-%u", number);
}

double run_probe_bytes(const struct run_result *result, uint32_t index, weir_cells cells)
{
    const struct scenario *scenario = result->scenario;
    uint32_t tier = scenario->topology.tier[scenario->config.probes[index].sw];
    return cells < 0 ? NAN : (double)cells * (double)sim_config_tier(&scenario->config, tier)->mmu.cell_bytes;
}

/* A queue keeps its length from one point to the next. The last one lasts to the end, unless the series was cut. */
double run_probe_queue_mean(const struct run_result *result, uint32_t index)
{
    const struct sim_probe *probe = &result->scenario->config.probes[index];
    const struct series *series = &sim_measure(result->sim)->probe[index];
    double bytes = run_probe_bytes(result, index, 1), sum = 0, time = 0;
    weir_ps end = probe->until_ps < result->totals.now ? probe->until_ps : result->totals.now;
    if (series->count == 0)
        return NAN;
    for (uint32_t i = 0; i < series->count; i++) {
        const struct series_point *point = &series->points[i];
        weir_ps until = i + 1 < series->count ? point[1].when : series->full ? point->when : end;
        double lasts = until > point->when ? (double)(until - point->when) : 0;
        sum += (double)point->queue_cells * lasts;
        time += lasts;
    }
    return (time > 0 ? sum / time : (double)series->points[0].queue_cells) * bytes;
}

double run_probe_queue_max(const struct run_result *result, uint32_t index)
{
    const struct series *series = &sim_measure(result->sim)->probe[index];
    weir_cells most = -1;
    for (uint32_t i = 0; i < series->count; i++)
        most = series->points[i].queue_cells > most ? series->points[i].queue_cells : most;
    return run_probe_bytes(result, index, most);
}

double run_probe_bps(const struct run_result *result, uint32_t index)
{
    const struct topology *topology = &result->scenario->topology;
    const struct sim_probe *probe = &result->scenario->config.probes[index];
    uint32_t node = topology->hosts + probe->sw, port = probe->port;
    for (uint32_t i = 0; i < topology->link_count; i++) {
        const struct topology_link *link = &topology->links[i];
        if ((link->a == node || link->b == node) && port-- == 0)
            return (double)sim_link(result->sim, i, link->b == node)->bytes * 8 / seconds(result->totals.now);
    }
    return NAN;
}
