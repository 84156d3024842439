/*
 * measures_series.c - see run_measures_series.h.
 *
 * Jain's index of goodput is taken over the tags that have a flow under way in an interval: a tag that has not begun,
 * or is over, is not treated unfairly. That of receivers compares what each got of what its link could have carried for
 * it.
 */
#include "measures/measures_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/link.h"

#define PLACE_MAX 64u

static double seconds(weir_ps time)
{
    return (double)time / (double)WEIR_PS_PER_S;
}

/* The curve that was begun last gets these pairs, thinned. */
static void add_points(struct measures *m, double *points, uint32_t count)
{
    count = run_series_thin(points, count);
    for (uint32_t i = 0; i < count; i++)
        measures_add_point(m, points[2 * i], points[2 * i + 1]);
}

/* From the first start to the last finish of each tag. */
struct span {
    weir_ps first, last;
};

static void find_spans(const struct run_result *result, struct span *spans)
{
    const struct records *records = sim_records(result->sim);
    for (uint32_t tag = 0; tag < result->scenario->config.tag_count; tag++)
        spans[tag] = (struct span){WEIR_NEVER, 0};
    for (uint32_t i = 0; i < records->count; i++) {
        const struct flow_record *record = &records->at[i];
        struct span *span = &spans[record->tag];
        span->first = record->start_ps < span->first ? record->start_ps : span->first;
        span->last = record->finish_ps > span->last ? record->finish_ps : span->last;
    }
}

static double goodput_bps(const struct run_result *result, uint32_t tag, uint32_t bin)
{
    double bits = (double)sim_measure(result->sim)->goodput[tag][bin] * 8;
    return bits * (double)WEIR_PS_PER_S / (double)run_goodput_width(result, bin);
}

/* Of the tags under way in an interval; not a number when there is none, or nothing was delivered. */
static double goodput_jain(const struct run_result *result, const struct span *spans, double *rates, uint32_t bin)
{
    weir_ps from = bin * result->scenario->config.goodput_interval_ps;
    weir_ps until = from + run_goodput_width(result, bin);
    uint32_t count = 0;
    for (uint32_t tag = 0; tag < result->scenario->config.tag_count; tag++)
        if (spans[tag].first < until && spans[tag].last > from)
            rates[count++] = goodput_bps(result, tag, bin);
    double jain = statistics_jain(rates, count);
    return jain > 0 ? jain : NAN;
}

static void add_jain(struct measures *m, double *points, uint32_t bins)
{
    double sum = 0, least = INFINITY;
    uint32_t count = 0;
    for (uint32_t bin = 0; bin < bins; bin++) {
        double jain = points[2 * bin + 1];
        if (isnan(jain))
            continue;
        sum += jain;
        least = jain < least ? jain : least;
        count++;
    }
    measures_add(m, "1", sum / count, "goodput.jain.mean");
    measures_add(m, "1", least, "goodput.jain.min");
    measures_add_curve(m, "s", "1", "goodput.jain");
    add_points(m, points, bins);
}

static void add_goodput_series(struct measures *m, const struct run_result *result, double *points)
{
    weir_ps interval = result->scenario->config.goodput_interval_ps;
    uint32_t bins = run_goodput_bins(result);
    for (uint32_t tag = 0; tag < result->scenario->config.tag_count; tag++) {
        for (uint32_t bin = 0; bin < bins; bin++) {
            points[2 * bin] = seconds(bin * interval);
            points[2 * bin + 1] = goodput_bps(result, tag, bin);
        }
        measures_add_curve(m, "s", "bit/s", "goodput.%s", result->tags[tag].name);
        add_points(m, points, bins);
    }
}

static bool add_goodput(struct measures *m, const struct run_result *result)
{
    uint32_t bins = run_goodput_bins(result), tags = result->scenario->config.tag_count;
    if (bins == 0)
        return true;
    double *points = malloc(2 * (size_t)bins * sizeof *points), *rates = malloc(tags * sizeof *rates);
    struct span *spans = malloc(tags * sizeof *spans);
    bool done = points != NULL && rates != NULL && spans != NULL;
    if (done) {
        add_goodput_series(m, result, points);
        find_spans(result, spans);
        for (uint32_t bin = 0; bin < bins; bin++) {
            points[2 * bin] = seconds(bin * result->scenario->config.goodput_interval_ps);
            points[2 * bin + 1] = goodput_jain(result, spans, rates, bin);
        }
        add_jain(m, points, bins);
    }
    free(points);
    free(rates);
    free(spans);
    return done;
}

/* Full packets that a host's link carries in the whole run. */
static double link_packets(const struct run_result *result, uint32_t host)
{
    const struct sim_wire *wire = &result->scenario->config.wire;
    double bits = 8.0 * (wire->mss_bytes + wire->header_bytes + wire->gap_bytes);
    return (double)result->host_bps[host] * seconds(result->totals.now) / bits;
}

/* Of hosts to which udp flows sent: packets received over those sent, or over what the link can carry if that is less.
 */
static bool add_received(struct measures *m, const struct run_result *result)
{
    const struct records *records = sim_records(result->sim);
    uint32_t hosts = result->scenario->topology.hosts, count = 0;
    double *sent = calloc(hosts, sizeof *sent), *part = calloc(hosts, sizeof *part);
    for (uint32_t i = 0; sent != NULL && part != NULL && i < records->count; i++) {
        sent[records->at[i].destination] += (double)records->at[i].sent;
        part[records->at[i].destination] += (double)records->at[i].packets;
    }
    for (uint32_t host = 0; sent != NULL && part != NULL && host < hosts; host++) {
        double most = link_packets(result, host);
        if (sent[host] > 0)
            part[count++] = part[host] / (sent[host] < most ? sent[host] : most);
    }
    if (count > 1)
        measures_add(m, "1", statistics_jain(part, count), "received.jain");
    bool done = sent != NULL && part != NULL;
    free(sent);
    free(part);
    return done;
}

/* "s0-h3", ".1" behind it for one class of several. */
static void place_of_probe(const struct run_result *result, uint32_t index, char place[PLACE_MAX])
{
    const struct sim_probe *probe = &result->scenario->config.probes[index];
    char ends[40];
    run_probe_place(result, index, ends);
    if (probe->tc == SIM_ALL_CLASSES || sim_measure(result->sim)->sw[probe->sw].classes == 1)
        snprintf(place, PLACE_MAX, "%s", ends);
    else
        snprintf(place, PLACE_MAX, "%s.%u", ends, probe->tc);
}

/* A place that was named before (parallel links, a queue followed twice) gets a number, so that names stay unique. */
static void name_of_probe(const struct run_result *result, uint32_t index, char name[PLACE_MAX + 12])
{
    char place[PLACE_MAX], other[PLACE_MAX];
    uint32_t number = 1;
    place_of_probe(result, index, place);
    for (uint32_t i = 0; i < index; i++) {
        place_of_probe(result, i, other);
        number += strcmp(place, other) == 0;
    }
    if (number == 1)
        snprintf(name, PLACE_MAX + 12, "%s", place);
    else
        snprintf(name, PLACE_MAX + 12, "%s-%u", place, number);
}

static int64_t cell_bytes(const struct run_result *result, const struct sim_probe *probe)
{
    return sim_config_tier(&result->scenario->config, result->scenario->topology.tier[probe->sw])->mmu.cell_bytes;
}

/* A queue keeps its length from one point to the next. The last one lasts to the end, unless the series was cut. */
static void add_queue(struct measures *m, const struct run_result *result, uint32_t index, const char *name)
{
    const struct sim_probe *probe = &result->scenario->config.probes[index];
    const struct series *series = &sim_measure(result->sim)->probe[index];
    double bytes = (double)cell_bytes(result, probe), sum = 0, time = 0;
    weir_cells most = series->points[0].queue_cells;
    weir_ps end = probe->until_ps < result->totals.now ? probe->until_ps : result->totals.now;
    for (uint32_t i = 0; i < series->count; i++) {
        const struct series_point *point = &series->points[i];
        weir_ps until = i + 1 < series->count ? point[1].when : series->full ? point->when : end;
        double lasts = until > point->when ? (double)(until - point->when) : 0;
        sum += (double)point->queue_cells * lasts;
        time += lasts;
        most = point->queue_cells > most ? point->queue_cells : most;
    }
    measures_add(m, "B", (time > 0 ? sum / time : (double)series->points[0].queue_cells) * bytes, "probe.%s.queue.mean",
                 name);
    measures_add(m, "B", (double)most * bytes, "probe.%s.queue.max", name);
}

/* What the port sent in the whole run, headers included, gaps not. */
static double port_bps(const struct run_result *result, const struct sim_probe *probe)
{
    const struct topology *topology = &result->scenario->topology;
    uint32_t node = topology->hosts + probe->sw, port = probe->port;
    for (uint32_t i = 0; i < topology->link_count; i++) {
        const struct topology_link *link = &topology->links[i];
        if ((link->a == node || link->b == node) && port-- == 0)
            return (double)sim_link(result->sim, i, link->b == node)->bytes * 8 / seconds(result->totals.now);
    }
    return NAN;
}

enum probe_curve { CURVE_QUEUE, CURVE_THRESHOLD, CURVE_USED, CURVE_COUNT };

static weir_cells point_cells(const struct series_point *point, enum probe_curve curve)
{
    const weir_cells cells[CURVE_COUNT] = {point->queue_cells, point->threshold_cells, point->used_cells};
    return cells[curve];
}

static bool add_probe(struct measures *m, const struct run_result *result, uint32_t index)
{
    static const char *const curves[CURVE_COUNT] = {"queue", "threshold", "used"};
    const struct sim_probe *probe = &result->scenario->config.probes[index];
    const struct series *series = &sim_measure(result->sim)->probe[index];
    char name[PLACE_MAX + 12];
    name_of_probe(result, index, name);
    measures_add(m, "bit/s", port_bps(result, probe), "probe.%s.throughput", name);
    if (series->count == 0)
        return true;
    double *points = malloc(2 * (size_t)series->count * sizeof *points), bytes = (double)cell_bytes(result, probe);
    if (points == NULL)
        return false;
    add_queue(m, result, index, name);
    for (uint32_t curve = 0; curve < CURVE_COUNT; curve++) {
        for (uint32_t i = 0; i < series->count; i++) {
            weir_cells cells = point_cells(&series->points[i], curve);
            points[2 * i] = seconds(series->points[i].when);
            points[2 * i + 1] = cells < 0 ? NAN : (double)cells * bytes;
        }
        measures_add_curve(m, "s", "B", "probe.%s.%s", name, curves[curve]);
        add_points(m, points, series->count);
    }
    free(points);
    return true;
}

bool run_measures_series(struct measures *measures, const struct run_result *result)
{
    bool done = add_goodput(measures, result) && add_received(measures, result);
    for (uint32_t i = 0; done && i < sim_measure(result->sim)->probe_count; i++)
        done = add_probe(measures, result, i);
    return done;
}
