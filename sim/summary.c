/*
 * summary.c - see summary.h.
 *
 * Flows and groups that the filter chooses count whether they finished or not. The filter takes a group as one large
 * flow: it has the tag of its flows, its bytes are their sum, its start is when it was asked for. A flow of which the
 * ideal is not known (ideal_ps is WEIR_NEVER) has a completion time but no slowdown.
 *
 * The ideal of a group with one receiver is the larger of two bounds. None of its flows is faster than alone; and all
 * bytes pass the receiver's link, beginning when the first of them can be there. With r_i the time that flow i takes on
 * that link, and f_i the time of its first segment alone, of which p_i on that link:
 *
 *   max(max over i of ideal_i,  min over i of (f_i - p_i) + sum over i of r_i)
 */
#include <stdlib.h>

#include "sim/engine/link.h"
#include "sim/summary.h"
#include "sim/transport/flow.h"
#include "weir/fixed.h"

/* What flows and groups have in common. */
struct item {
    uint32_t tag;
    int64_t bytes;
    weir_ps start_ps, finish_ps, ideal_ps; /* WEIR_NEVER: not finished, not known */
};

static bool samples_init(struct summary_samples *samples, uint32_t count)
{
    *samples = (struct summary_samples){
        .times = malloc(((size_t)count + 1) * sizeof(double)),
        .slowdowns = malloc(((size_t)count + 1) * sizeof(double)),
        .ages = malloc(((size_t)count + 1) * sizeof(double)),
        .bounds = malloc(((size_t)count + 1) * sizeof(double)),
        .acks = malloc(((size_t)count + 1) * sizeof(double)),
    };
    return samples->times && samples->slowdowns && samples->ages && samples->bounds && samples->acks;
}

void summary_samples_free(struct summary_samples *samples)
{
    free(samples->times);
    free(samples->slowdowns);
    free(samples->ages);
    free(samples->bounds);
    free(samples->acks);
    *samples = (struct summary_samples){0};
}

static void samples_add(struct summary_samples *samples, const struct item *item, weir_ps end_ps)
{
    bool finished = item->finish_ps != WEIR_NEVER, has_ideal = item->ideal_ps != WEIR_NEVER && item->ideal_ps > 0;
    if (!finished && item->bytes == FLOW_ENDLESS)
        return;
    double time = (double)((finished ? item->finish_ps : end_ps) - item->start_ps);
    double slowdown = time / (double)item->ideal_ps;
    if (finished)
        samples->times[samples->time_count++] = time;
    else
        samples->ages[samples->age_count++] = time;
    if (has_ideal && finished)
        samples->slowdowns[samples->slowdown_count++] = slowdown;
    else if (has_ideal)
        samples->bounds[samples->bound_count++] = slowdown;
}

/* Statistics of times and slowdowns: of all, and of the finished. */
static void samples_sum_up(struct summary_samples *samples, struct statistics all[2], struct statistics finished[2])
{
    statistics_of(samples->times, samples->time_count, &finished[0]);
    statistics_of(samples->slowdowns, samples->slowdown_count, &finished[1]);
    statistics_of_censored(samples->times, samples->time_count, samples->ages, samples->age_count, &all[0]);
    statistics_of_censored(samples->slowdowns, samples->slowdown_count, samples->bounds, samples->bound_count, &all[1]);
}

static bool filter_takes(const struct summary_filter *filter, const struct item *item)
{
    return (filter->tag == SUMMARY_ANY || filter->tag == item->tag) && item->bytes >= filter->min_bytes &&
           item->bytes <= filter->max_bytes && item->start_ps >= filter->from_ps && item->start_ps < filter->until_ps;
}

/* From the first start to the last finish; an unfinished flow lasts until the end of the run. */
struct span {
    weir_ps first, last;
};

bool summary_flows_sampled(const struct records *records, const struct summary_filter *filter, weir_ps end_ps,
                           struct summary_flows *out, struct summary_samples *samples)
{
    struct span span = {WEIR_NEVER, 0};
    *out = (struct summary_flows){0};
    if (!samples_init(samples, records->count))
        return false;
    for (uint32_t i = 0; i < records->count; i++) {
        const struct flow_record *record = &records->at[i];
        struct item item =
            (struct item){record->tag, record->bytes, record->start_ps, record->finish_ps, record->ideal_ps};
        if (!filter_takes(filter, &item))
            continue;
        out->flows++;
        out->timeouts += record->timeouts;
        out->flows_with_timeouts += record->timeouts > 0;
        out->again += record->again;
        out->delivered_bytes += record->delivered_bytes;
        out->lossless += record->lost == 0;
        out->lossless_bytes += record->lost == 0 && record->bytes != FLOW_ENDLESS ? record->bytes : 0;
        samples_add(samples, &item, end_ps);
        if (record->acked_ps != WEIR_NEVER && record->acked_ps > 0)
            samples->acks[samples->ack_count++] = (double)(record->acked_ps - record->start_ps);
        weir_ps last = item.finish_ps == WEIR_NEVER ? end_ps : item.finish_ps;
        span.first = item.start_ps < span.first ? item.start_ps : span.first;
        span.last = last > span.last ? last : span.last;
    }
    struct statistics all[2], finished[2];
    samples_sum_up(samples, all, finished);
    out->finished = samples->time_count;
    out->unfinished = samples->age_count;
    statistics_of(samples->acks, samples->ack_count, &out->acked_ps);
    out->fct_ps = all[0];
    out->slowdown = all[1];
    out->fct_finished_ps = finished[0];
    out->slowdown_finished = finished[1];
    if (span.last > span.first)
        out->goodput_bps = (double)out->delivered_bytes * 8 * (double)WEIR_PS_PER_S / (double)(span.last - span.first);
    return true;
}

bool summary_flows(const struct records *records, const struct summary_filter *filter, weir_ps end_ps,
                   struct summary_flows *out)
{
    struct summary_samples samples;
    bool done = summary_flows_sampled(records, filter, end_ps, out, &samples);
    summary_samples_free(&samples);
    return done;
}

/* By traffic, group and id: the flows of a group stand together, and no two are equal. */
static int group_compare(const void *a, const void *b)
{
    const struct flow_record *left = *(const struct flow_record *const *)a;
    const struct flow_record *right = *(const struct flow_record *const *)b;
    if (left->traffic != right->traffic)
        return left->traffic < right->traffic ? -1 : 1;
    if (left->group != right->group)
        return left->group < right->group ? -1 : 1;
    return (left->id > right->id) - (left->id < right->id);
}

/* How long a flow occupies the link of its receiver: its first segment, and all of them. */
struct group_times {
    weir_ps first, all;
};

static struct group_times group_times(const struct flow_record *flow, const struct summary_network *network)
{
    const struct sim_wire *wire = &network->config->wire;
    const struct link link = {.ps_per_byte = link_ps_per_byte(network->host_bps[flow->destination]),
                              .gap_bytes = (uint16_t)wire->gap_bytes};
    int64_t full = (flow->bytes - 1) / wire->mss_bytes; /* all segments but the last */
    uint32_t last_bytes = (uint32_t)(flow->bytes - full * wire->mss_bytes);
    weir_ps full_ps = link_time(&link, wire->mss_bytes + wire->header_bytes);
    weir_ps last_ps = link_time(&link, last_bytes + wire->header_bytes);
    weir_wide all = (weir_wide)full_ps * (weir_wide)full + (weir_wide)last_ps;
    return (struct group_times){full > 0 ? full_ps : last_ps, all > WEIR_TIME_MAX ? WEIR_TIME_MAX : (weir_ps)all};
}

/* Not known when the flows have several receivers, or when one of them has no ideal. */
static weir_ps group_ideal(const struct flow_record *const *flows, uint32_t count,
                           const struct summary_network *network)
{
    weir_ps first = WEIR_TIME_MAX, longest = 0, serial = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct flow_record *flow = flows[i];
        if (flow->ideal_ps == WEIR_NEVER || flow->destination != flows[0]->destination)
            return WEIR_NEVER;
        struct group_times times = group_times(flow, network);
        weir_ps way = flow->first_ps - times.first;
        first = way < first ? way : first;
        longest = flow->ideal_ps > longest ? flow->ideal_ps : longest;
        serial = serial > WEIR_TIME_MAX - times.all ? WEIR_TIME_MAX : serial + times.all;
    }
    weir_ps together = serial + (first > 0 ? first : 0);
    return together > longest ? together : longest;
}

/* What a group has beside times. */
struct group_luck {
    uint32_t flows;
    bool timed_out, lossless;
};

/* The group that begins at `flows`. */
static struct item group_gather(const struct flow_record *const *flows, uint32_t left, struct group_luck *luck)
{
    struct item group = {.tag = flows[0]->tag, .start_ps = WEIR_NEVER};
    uint32_t i = 0;
    *luck = (struct group_luck){.lossless = true};
    for (; i < left && flows[i]->traffic == flows[0]->traffic && flows[i]->group == flows[0]->group; i++) {
        const struct flow_record *flow = flows[i];
        if (__builtin_add_overflow(group.bytes, flow->bytes, &group.bytes))
            group.bytes = INT64_MAX;
        weir_ps asked_ps = flow->start_ps - flow->wait_ps;
        group.start_ps = asked_ps < group.start_ps ? asked_ps : group.start_ps;
        group.finish_ps = flow->finish_ps > group.finish_ps ? flow->finish_ps : group.finish_ps;
        luck->timed_out |= flow->timeouts > 0;
        luck->lossless &= flow->lost == 0;
    }
    luck->flows = i;
    return group;
}

/* Records that belong to a group, sorted; how many. */
static uint32_t groups_sort(const struct records *records, const struct flow_record **flows)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < records->count; i++)
        if (records->at[i].group != FLOW_NO_GROUP)
            flows[count++] = &records->at[i];
    if (count > 1)
        qsort(flows, count, sizeof *flows, group_compare);
    return count;
}

bool summary_groups_sampled(const struct records *records, const struct summary_filter *filter,
                            const struct summary_network *network, struct summary_groups *out,
                            struct summary_samples *samples)
{
    struct group_luck luck;
    const struct flow_record **flows = malloc(((size_t)records->count + 1) * sizeof *flows);
    *out = (struct summary_groups){0};
    bool done = samples_init(samples, records->count) && flows;
    uint32_t count = done ? groups_sort(records, flows) : 0;
    for (uint32_t i = 0; i < count; i += luck.flows) {
        struct item group = group_gather(&flows[i], count - i, &luck);
        if (!filter_takes(filter, &group))
            continue;
        if (luck.flows < flows[i]->group_flows)
            group.finish_ps = WEIR_NEVER;
        group.ideal_ps = group_ideal(&flows[i], luck.flows, network);
        samples_add(samples, &group, network->end_ps);
        out->groups++;
        out->groups_with_timeouts += luck.timed_out;
        out->lossless += luck.lossless;
        if (luck.lossless && __builtin_add_overflow(out->lossless_bytes, group.bytes, &out->lossless_bytes))
            out->lossless_bytes = INT64_MAX;
    }
    if (done) {
        struct statistics all[2], finished[2];
        samples_sum_up(samples, all, finished);
        out->finished = samples->time_count;
        out->unfinished = samples->age_count;
        out->qct_ps = all[0];
        out->slowdown = all[1];
        out->qct_finished_ps = finished[0];
        out->slowdown_finished = finished[1];
    }
    free(flows);
    return done;
}

bool summary_groups(const struct records *records, const struct summary_filter *filter,
                    const struct summary_network *network, struct summary_groups *out)
{
    struct summary_samples samples;
    bool done = summary_groups_sampled(records, filter, network, out, &samples);
    summary_samples_free(&samples);
    return done;
}

void summary_queue_losses(const struct measure_switch *sw, uint32_t queue, struct summary_losses *out)
{
    const struct measure_losses *losses = &sw->queue[queue];
    for (uint32_t reason = 0; reason < WEIR_REASON_COUNT; reason++) {
        out->refused[reason] += losses->refused[reason];
        out->total += losses->refused[reason];
    }
    for (uint32_t cause = 0; cause < WEIR_CAUSE_COUNT; cause++) {
        out->lost[cause] += losses->lost[cause];
        out->total += losses->lost[cause];
    }
    out->trimmed += losses->trimmed;
    out->copies_lost += losses->copies_lost;
    out->watchdog += losses->watchdog;
    out->total += losses->watchdog;
    out->marked += sw->marked[queue];
}

void summary_losses(const struct measure *measure, uint32_t sw, struct summary_losses *out)
{
    *out = (struct summary_losses){0};
    for (uint32_t i = 0; i < measure->switches; i++) {
        uint32_t queues = measure->sw[i].ports * measure->sw[i].classes;
        for (uint32_t queue = 0; queue < queues && (sw == SUMMARY_ANY || sw == i); queue++)
            summary_queue_losses(&measure->sw[i], queue, out);
    }
}
