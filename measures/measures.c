/*
 * measures.c - the result of a run as measures, by the names of docs/measures.md. What a run has no data for is
 * left out: a tag without queries has no QCT, an empty sample no percentiles. Series and what they say are in
 * run_measures_series.c, lossless classes in run_measures_pfc.c.
 *
 * Inside, times are picoseconds; measures have seconds.
 */
#include "measures/measures.h"

#include <stdio.h>

#include "measures/measures_pfc.h"
#include "measures/measures_series.h"

/* What a name begins with: a tag, or a tag and a bin. */
struct base {
    const char *name;
    char bin[16]; /* ".short", or empty */
};

/* A sample below it, and the factor that brings its values to the unit. */
struct sample {
    const char *name, *unit;
    double scale;
};

static const struct sample fct = {"fct", "s", 1 / (double)WEIR_PS_PER_S};
static const struct sample qct = {"qct", "s", 1 / (double)WEIR_PS_PER_S};
static const struct sample delay = {"delay", "s", 1 / (double)WEIR_PS_PER_S};
static const struct sample slowdown = {"slowdown", "1", 1};
static const struct sample qct_slowdown = {"qct_slowdown", "1", 1};

static void add_values(struct measures *m, const struct base *base, const struct sample *sample,
                       const struct statistics *v)
{
    const struct {
        const char *name;
        double value;
    } stats[] = {{"mean", v->mean}, {"min", v->min}, {"max", v->max}, {"p50", v->p50},
                 {"p90", v->p90},   {"p95", v->p95}, {"p99", v->p99}, {"p999", v->p999}};
    for (uint32_t i = 0; v->count > 0 && i < sizeof stats / sizeof stats[0]; i++)
        measures_add(m, sample->unit, stats[i].value * sample->scale, "%s%s.%s.%s", base->name, base->bin, sample->name,
                     stats[i].name);
}

static void add_cdf(struct measures *m, const struct base *base, const struct sample *sample, const struct run_cdf *cdf)
{
    if (cdf->count == 0)
        return;
    measures_add_curve(m, sample->unit, "1", "%s%s.%s.cdf", base->name, base->bin, sample->name);
    for (uint32_t i = 0; i < cdf->count; i++)
        measures_add_point(m, cdf->x[i] * sample->scale, cdf->y[i]);
}

static void add_count(struct measures *m, const struct base *base, const char *name, uint64_t count)
{
    measures_add(m, "1", (double)count, "%s%s.%s", base->name, base->bin, name);
}

static void add_flows(struct measures *m, const struct run_result *result, const struct base *base,
                      const struct run_tag *tag)
{
    const struct summary_flows *f = &tag->flows;
    if (f->flows > 0) {
        add_count(m, base, "flows", f->flows);
        add_count(m, base, "finished", f->finished);
        if (!result->timeouts_unknown) {
            add_count(m, base, "timeouts", f->timeouts);
            add_count(m, base, "flows_with_timeouts", f->flows_with_timeouts);
        }
        add_count(m, base, "resent", f->again);
    }
    measures_add(m, "B", (double)f->delivered_bytes, "%s.delivered", tag->name);
    measures_add(m, "bit/s", f->goodput_bps, "%s.goodput", tag->name);
    add_values(m, base, &fct, &f->fct_ps);
    add_values(m, base, &slowdown, &f->slowdown);
    add_cdf(m, base, &fct, &tag->fct_ps);
    add_cdf(m, base, &slowdown, &tag->slowdown);
}

static void add_queries(struct measures *m, const struct run_result *result, const struct base *base,
                        const struct run_tag *tag)
{
    const struct summary_groups *g = &tag->groups;
    if (g->groups == 0)
        return;
    add_count(m, base, "queries", g->groups);
    add_count(m, base, "queries_finished", g->finished);
    if (!result->timeouts_unknown)
        add_count(m, base, "queries_with_timeouts", g->groups_with_timeouts);
    add_values(m, base, &qct, &g->qct_ps);
    add_values(m, base, &qct_slowdown, &g->slowdown);
    add_cdf(m, base, &qct, &tag->qct_ps);
    add_cdf(m, base, &qct_slowdown, &tag->qct_slowdown);
}

static void add_packets(struct measures *m, const struct base *base, const struct run_packets *p)
{
    if (p->sent == 0)
        return;
    add_count(m, base, "sent", p->sent);
    add_count(m, base, "received", p->delivered);
    add_count(m, base, "missing", p->sent - p->delivered);
    measures_add(m, "1", (double)(p->sent - p->delivered) / (double)p->sent, "%s.loss", base->name);
    add_values(m, base, &delay, &p->delay_ps);
    add_cdf(m, base, &delay, &p->delay_cdf);
}

/* Of queries where the tag has some, else of flows. */
static void add_lossless(struct measures *m, const struct base *base, const struct summary_flows *flows,
                         const struct summary_groups *groups, bool grouped)
{
    uint64_t all = grouped ? groups->groups : flows->flows;
    uint64_t lossless = grouped ? groups->lossless : flows->lossless;
    int64_t bytes = grouped ? groups->lossless_bytes : flows->lossless_bytes;
    if (all == 0)
        return;
    measures_add(m, "1", (double)lossless / (double)all, "%s%s.lossless", base->name, base->bin);
    measures_add(m, "B", (double)bytes, "%s%s.lossless_bytes", base->name, base->bin);
}

/* "short" ... "long", else by number. */
static struct base base_of_bin(const struct run_tag *tag, uint32_t bin, uint32_t bins)
{
    static const char *const names[][3] = {{"short", "long"}, {"short", "middle", "long"}};
    struct base base = {.name = tag->name};
    if (bins == 2 || bins == 3)
        snprintf(base.bin, sizeof base.bin, ".%s", names[bins - 2][bin]);
    else
        snprintf(base.bin, sizeof base.bin, ".bin%u", bin + 1);
    return base;
}

static void add_bin(struct measures *m, const struct base *base, const struct run_tag *tag, uint32_t bin)
{
    const struct summary_flows *flows = &tag->bins[bin];
    const struct summary_groups *groups = &tag->group_bins[bin];
    if (flows->flows > 0) {
        add_count(m, base, "flows", flows->flows);
        add_count(m, base, "finished", flows->finished);
    }
    if (groups->groups > 0)
        add_count(m, base, "queries", groups->groups);
    add_values(m, base, &fct, &flows->fct_ps);
    add_values(m, base, &slowdown, &flows->slowdown);
}

/* Of every packet of a tag: known to a simulation alone. */
static void add_losses(struct measures *m, const struct base *base, const struct run_tag *tag)
{
    add_count(m, base, "lost", tag->lost);
    if (tag->lost > 0)
        measures_add(m, "s", (double)tag->first_loss_ps / (double)WEIR_PS_PER_S, "%s.first_loss", tag->name);
    add_lossless(m, base, &tag->flows, &tag->groups, tag->groups.groups > 0);
}

static void add_tag(struct measures *m, const struct run_result *result, const struct run_tag *tag)
{
    const struct base base = {.name = tag->name};
    uint32_t bins = result->scenario->size_bin_count + 1;
    if (tag->flows.flows == 0 && tag->packets.sent == 0)
        return;
    add_flows(m, result, &base, tag);
    add_queries(m, result, &base, tag);
    add_packets(m, &base, &tag->packets);
    if (result->sim != NULL)
        add_losses(m, &base, tag);
    for (uint32_t bin = 0; bins > 1 && bin < bins; bin++) {
        struct base of_bin = base_of_bin(tag, bin, bins);
        add_bin(m, &of_bin, tag, bin);
        if (result->sim != NULL)
            add_lossless(m, &of_bin, &tag->bins[bin], &tag->group_bins[bin], tag->groups.groups > 0);
    }
}

static void add_lost(struct measures *m, const struct run_result *result)
{
    const struct base base = {.name = "lost"};
    const struct run_lost *lost = &result->lost;
    add_count(m, &base, "total", lost->total);
    add_count(m, &base, "refused", lost->refused);
    add_count(m, &base, "after_acceptance", lost->after_acceptance);
    add_count(m, &base, "unroutable", lost->unroutable);
    if (result->sim != NULL)
        add_count(m, &base, "on_failed_links", lost->on_failed_links);
    for (uint32_t i = WEIR_REASON_NONE + 1; i < WEIR_REASON_COUNT; i++)
        add_count(m, &base, weir_reason_name((enum weir_reason)i), result->losses.refused[i]);
    for (uint32_t i = WEIR_CAUSE_REFUSED + 1; i < WEIR_CAUSE_COUNT; i++)
        add_count(m, &base, weir_cause_name((enum weir_cause)i), result->losses.lost[i]);
}

/* What was in use at losses: the bins of measure.h, each by its lower end. */
static void add_use(struct measures *m, const char *what, const uint64_t *bins)
{
    const struct base base = {.name = "loss"};
    const struct sample use = {what, "1", 1};
    double values[MEASURE_BINS];
    struct statistics statistics;
    struct run_cdf cdf;
    for (uint32_t bin = 0; bin < MEASURE_BINS; bin++)
        values[bin] = (double)bin / (MEASURE_BINS - 1);
    statistics_of_weighted(values, bins, MEASURE_BINS, &statistics);
    run_cdf_make(&cdf, values, bins, MEASURE_BINS);
    add_values(m, &base, &use, &statistics);
    add_cdf(m, &base, &use, &cdf);
}

static double fullest_memory(const struct run_result *result)
{
    double peak = 0;
    for (uint32_t i = 0; i < result->memory_count; i++) {
        const struct run_memory *memory = &result->memories[i];
        double part = (double)memory->peak_bytes / (double)memory->buffer_bytes;
        peak = part > peak ? part : peak;
    }
    return peak;
}

bool run_measures_make(struct measures *measures, const struct run_result *result)
{
    *measures = (struct measures){.digest = result->digest, .hops = result->totals.packet_hops};
    for (uint32_t i = 0; i < result->scenario->config.tag_count; i++)
        add_tag(measures, result, &result->tags[i]);
    add_lost(measures, result);
    add_use(measures, "buffer", result->buffer_at_loss);
    add_use(measures, "bandwidth", result->bandwidth_at_loss);
    run_measures_pfc(measures, result);
    measures_add(measures, "1", fullest_memory(result), "memory.peak");
    measures_add(measures, "1", (double)result->losses.marked, "marked");
    measures_add(measures, "1", (double)result->totals.packet_hops, "hops");
    measures_add(measures, "s", (double)result->totals.now / (double)WEIR_PS_PER_S, "end");
    if (result->sim == NULL) {
        measures_add(measures, "1", (double)result->emulation.behind, "testbed.behind");
        measures_add(measures, "s", (double)result->emulation.late_ps / (double)WEIR_PS_PER_S, "testbed.late");
        return !measures->failed;
    }
    return run_measures_series(measures, result) && !measures->failed;
}
