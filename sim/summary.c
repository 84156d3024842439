/*
 * summary.c - see summary.h.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/flow.h"
#include "sim/summary.h"

static int summary_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Nearest rank of a sorted sample. */
static double summary_rank(const double *sorted, uint64_t count, double percent)
{
    double exact = percent / 100 * (double)count;
    uint64_t rank = (uint64_t)exact;
    rank += (double)rank < exact;
    return sorted[rank ? rank - 1 : 0];
}

void summary_values(double *values, uint64_t count, struct summary_values *out)
{
    *out = (struct summary_values){.count = count};
    if (count == 0)
        return;
    qsort(values, count, sizeof(*values), summary_compare);
    double sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += values[i];
    out->mean = sum / (double)count;
    out->min = values[0];
    out->max = values[count - 1];
    out->p50 = summary_rank(values, count, 50);
    out->p90 = summary_rank(values, count, 90);
    out->p95 = summary_rank(values, count, 95);
    out->p99 = summary_rank(values, count, 99);
    out->p999 = summary_rank(values, count, 99.9);
}

static bool summary_takes(const struct summary_filter *filter, const struct flow_record *record)
{
    return (filter->tag == SUMMARY_ANY || filter->tag == record->tag) && record->bytes >= filter->min_bytes &&
           record->bytes <= filter->max_bytes && record->start_ps >= filter->from_ps &&
           record->start_ps < filter->until_ps;
}

bool summary_flows(const struct records *records, const struct summary_filter *filter, weir_ps end_ps,
                   struct summary_flows *out)
{
    *out = (struct summary_flows){0};
    double *fct = malloc((records->count + 1) * sizeof(*fct));
    double *slowdown = malloc((records->count + 1) * sizeof(*slowdown));
    weir_ps first = WEIR_NEVER, last = 0;
    for (uint32_t i = 0; fct && slowdown && i < records->count; i++) {
        const struct flow_record *r = &records->at[i];
        if (!summary_takes(filter, r))
            continue;
        bool finished = r->finish_ps != WEIR_NEVER;
        weir_ps finish = finished ? r->finish_ps : end_ps;
        out->flows++;
        out->timeouts += r->timeouts;
        out->flows_with_timeouts += r->timeouts > 0;
        out->again += r->again;
        out->delivered_bytes += r->delivered_bytes;
        first = r->start_ps < first ? r->start_ps : first;
        last = finish > last ? finish : last;
        if (!finished)
            continue;
        fct[out->finished] = (double)(r->finish_ps - r->start_ps);
        slowdown[out->finished] = fct[out->finished] / (double)r->ideal_ps;
        out->finished++;
    }
    bool ok = fct && slowdown;
    if (ok) {
        summary_values(fct, out->finished, &out->fct_ps);
        summary_values(slowdown, out->finished, &out->slowdown);
    }
    if (last > first)
        out->goodput_bps = (double)out->delivered_bytes * 8e12 / (double)(last - first);
    free(fct);
    free(slowdown);
    return ok;
}

/* Orders records by (traffic, group). */
static int summary_compare_groups(const void *a, const void *b)
{
    const struct flow_record *x = *(const struct flow_record *const *)a, *y = *(const struct flow_record *const *)b;
    if (x->traffic != y->traffic)
        return x->traffic < y->traffic ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

struct summary_group {
    int64_t bytes;
    weir_ps start_ps, finish_ps, ideal_ps;
    bool finished, timed_out;
};

/* Takes in the records of one group; returns how many they are. */
static uint32_t summary_group(const struct flow_record *const *at, uint32_t count, struct summary_group *group)
{
    uint32_t n = 0;
    *group = (struct summary_group){.start_ps = WEIR_NEVER, .finished = true};
    for (; n < count && at[n]->traffic == at[0]->traffic && at[n]->group == at[0]->group; n++) {
        const struct flow_record *r = at[n];
        group->bytes += r->bytes;
        group->start_ps = r->start_ps < group->start_ps ? r->start_ps : group->start_ps;
        group->finish_ps = r->finish_ps > group->finish_ps ? r->finish_ps : group->finish_ps;
        group->ideal_ps = r->ideal_ps > group->ideal_ps ? r->ideal_ps : group->ideal_ps;
        group->finished &= r->finish_ps != WEIR_NEVER;
        group->timed_out |= r->timeouts > 0;
    }
    return n;
}

static double summary_group_ideal(const struct summary_group *group, const struct summary_link *link)
{
    double all = (double)link->base_ps + (double)group->bytes * link->wire_per_payload * 8e12 / (double)link->rate_bps;
    return all > (double)group->ideal_ps ? all : (double)group->ideal_ps;
}

static void summary_each_group(const struct flow_record *const *at, uint32_t count, const struct summary_link *link,
                               double *values, struct summary_groups *out)
{
    double *slowdown = values + count;
    struct summary_group group;
    for (uint32_t i = 0; i < count;) {
        i += summary_group(at + i, count - i, &group);
        out->groups++;
        out->groups_with_timeouts += group.timed_out;
        if (!group.finished)
            continue;
        values[out->finished] = (double)(group.finish_ps - group.start_ps);
        slowdown[out->finished] = values[out->finished] / summary_group_ideal(&group, link);
        out->finished++;
    }
    summary_values(values, out->finished, &out->qct_ps);
    summary_values(slowdown, out->finished, &out->slowdown);
}

bool summary_groups(const struct records *records, const struct summary_filter *filter, const struct summary_link *link,
                    struct summary_groups *out)
{
    *out = (struct summary_groups){0};
    const struct flow_record **at = malloc((records->count + 1) * sizeof(*at));
    double *values = malloc(2 * ((size_t)records->count + 1) * sizeof(*values));
    bool ok = at && values;
    if (ok) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < records->count; i++)
            if (records->at[i].group != FLOW_NO_GROUP && summary_takes(filter, &records->at[i]))
                at[count++] = &records->at[i];
        qsort(at, count, sizeof(*at), summary_compare_groups);
        summary_each_group(at, count, link, values, out);
    }
    free(at);
    free(values);
    return ok;
}

void summary_losses(const struct measure *measure, uint32_t sw, struct summary_losses *out)
{
    *out = (struct summary_losses){0};
    for (uint32_t s = 0; s < measure->switches; s++) {
        const struct measure_switch *at = &measure->sw[s];
        for (uint32_t q = 0; (sw == SUMMARY_ANY || sw == s) && q < at->ports * at->classes; q++) {
            out->marked += at->marked[q];
            for (uint32_t r = 0; r < WEIR_REASON_COUNT; r++)
                out->refused[r] += at->queue[q].refused[r];
            for (uint32_t c = 0; c < WEIR_CAUSE_COUNT; c++)
                out->lost[c] += at->queue[q].lost[c];
        }
    }
    for (uint32_t r = 0; r < WEIR_REASON_COUNT; r++)
        out->total += out->refused[r];
    for (uint32_t c = 0; c < WEIR_CAUSE_COUNT; c++)
        out->total += out->lost[c];
}

double summary_bins_percentile(const uint64_t *bins, double percent)
{
    uint64_t count = 0, seen = 0;
    for (uint32_t i = 0; i < MEASURE_BINS; i++)
        count += bins[i];
    for (uint32_t i = 0; i < MEASURE_BINS; i++) {
        seen += bins[i];
        if (seen && (double)seen * 100 >= percent * (double)count)
            return (double)i / (MEASURE_BINS - 1);
    }
    return 0;
}

double summary_jain(const double *values, uint32_t count)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += values[i];
        squares += values[i] * values[i];
    }
    return squares > 0 ? sum * sum / (count * squares) : 0;
}
