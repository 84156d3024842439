/*
 * measures_pfc.c - see run_measures_pfc.h, and docs/measures.md for the names.
 */
#include "measures/measures_pfc.h"

static double seconds(weir_ps time)
{
    return (double)time / (double)WEIR_PS_PER_S;
}

/* A histogram by its name, each bin by its lower end, which is `step` above that of the one before. */
static void add_bins(struct measures *m, const char *name, const char *unit, const uint64_t *bins, double step)
{
    double values[MEASURE_BINS];
    struct statistics v;
    struct run_cdf cdf;
    for (uint32_t bin = 0; bin < MEASURE_BINS; bin++)
        values[bin] = bin * step;
    statistics_of_weighted(values, bins, MEASURE_BINS, &v);
    if (v.count == 0)
        return;
    const struct {
        const char *name;
        double value;
    } stats[] = {{"mean", v.mean}, {"min", v.min}, {"max", v.max}, {"p50", v.p50},
                 {"p90", v.p90},   {"p95", v.p95}, {"p99", v.p99}, {"p999", v.p999}};
    for (uint32_t i = 0; i < sizeof stats / sizeof stats[0]; i++)
        measures_add(m, unit, stats[i].value, "%s.%s", name, stats[i].name);
    run_cdf_make(&cdf, values, bins, MEASURE_BINS);
    measures_add_curve(m, unit, "1", "%s.cdf", name);
    for (uint32_t i = 0; i < cdf.count; i++)
        measures_add_point(m, cdf.x[i], cdf.y[i]);
}

static void add_pauses(struct measures *m, const struct pfc_summary *pfc)
{
    measures_add(m, "s", seconds(pfc->held_hosts_ps + pfc->held_switches_ps), "pause.time");
    measures_add(m, "s", seconds(pfc->held_hosts_ps), "pause.time.hosts");
    measures_add(m, "s", seconds(pfc->held_switches_ps), "pause.time.switches");
    measures_add(m, "1", (double)pfc->frames, "pause.frames");
    measures_add(m, "1", (double)pfc->pauses, "pause.pauses");
    measures_add(m, "1", (double)pfc->resumes, "pause.resumes");
    measures_add(m, "1", (double)pfc->refreshes, "pause.refreshes");
    measures_add(m, "1", (double)pfc->port_pauses, "pause.port_level");
    double step = (double)pfc->fastest_bps / PFC_MEASURE_RATE_STEPS;
    add_bins(m, "pause.arrival_rate", "bit/s", pfc->arrival_rate, step);
    add_bins(m, "pause.departure_rate", "bit/s", pfc->departure_rate, step);
}

static void add_headroom(struct measures *m, const struct pfc_summary *pfc)
{
    const double step = 1.0 / (MEASURE_BINS - 1);
    measures_add(m, "B", (double)pfc->headroom_bytes, "headroom.size");
    measures_add(m, "B", (double)pfc->reserved_bytes, "headroom.reserved");
    measures_add(m, "1", (double)pfc->reserved_bytes / (double)pfc->buffer_bytes, "headroom.share");
    measures_add(m, "s", pfc->buffer_per_capacity_s, "buffer.per_capacity");
    measures_add(m, "1", pfc->peak, "headroom.peak");
    add_bins(m, "headroom.use", "1", pfc->use, step);
    add_bins(m, "headroom.pool_use", "1", pfc->pool_use, step);
    add_bins(m, "headroom.queues", "1", pfc->queues, step);
}

static void add_deadlock(struct measures *m, const struct measure_deadlock *deadlock)
{
    measures_add(m, "1", deadlock->found > 0, "deadlock.found");
    if (deadlock->found > 0)
        measures_add(m, "s", seconds(deadlock->onset_ps), "deadlock.onset");
    if (deadlock->ended_ps != WEIR_NEVER)
        measures_add(m, "s", seconds(deadlock->ended_ps), "deadlock.end");
}

void run_measures_pfc(struct measures *measures, const struct run_result *result)
{
    const struct pfc_summary *pfc = &result->pfc;
    if (!pfc->lossless)
        return;
    add_pauses(measures, pfc);
    add_headroom(measures, pfc);
    measures_add(measures, "1", (double)pfc->lost, "lossless.lost");
    add_deadlock(measures, &sim_measure(result->sim)->deadlock);
    measures_add(measures, "1", (double)pfc->storms, "watchdog.storms");
    measures_add(measures, "1", (double)result->lost.by_watchdog, "watchdog.dropped");
    measures_add(measures, "1", (double)result->lost.by_watchdog, "lost.watchdog");
    measures_add(measures, "1", run_violations_count(result), VIOLATIONS_MEASURE);
}
