/*
 * run_csv.c - the result of `weir run` as CSV: a row per tag, per flow, per point, per queue. Times are in picoseconds;
 * what does not exist (the finish of a flow that did not finish) is empty. Of a sample with unfinished members, `known`
 * is the fraction, the least first, whose values are known: percentiles above it are lower bounds, and so is the max;
 * the mean leaves them out.
 */
#include <inttypes.h>
#include <string.h>

#include "show/writers/run.h"
#include "show/writers/run_fields.h"
#include "sim/transport/flow.h"

static void put_unfinished(uint64_t count, const struct statistics *times, const struct statistics *slowdowns,
                           FILE *out)
{
    const struct statistics *const samples[] = {times, slowdowns};
    fprintf(out, ",%" PRIu64, count);
    for (uint32_t i = 0; i < 2; i++) {
        putc(',', out);
        if (samples[i]->unfinished > 0)
            fprintf(out, "%.9g", statistics_known(samples[i]));
    }
}

static void put_tag(const struct run_tag *tag, FILE *out)
{
    const struct run_packets *packets = &tag->packets;
    output_csv_text(tag->name, out);
    fputs(",all", out);
    run_fields_csv(run_flow_fields, RUN_FLOW_FIELDS, &tag->flows, out);
    run_fields_csv(run_query_fields, RUN_QUERY_FIELDS, &tag->groups, out);
    fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, packets->sent, packets->delivered,
            packets->sent - packets->delivered);
    if (packets->delivered > 0)
        fprintf(out, ",%.9g,%.9g", packets->delay_sum_ps / (double)packets->delivered, packets->delay_max_ps);
    else
        fputs(",,", out);
    put_unfinished(tag->flows.unfinished, &tag->flows.fct_ps, &tag->flows.slowdown, out);
    put_unfinished(tag->groups.unfinished, &tag->groups.qct_ps, &tag->groups.slowdown, out);
    putc('\n', out);
}

/* Queries and packets have no sizes of their own. */
static void put_bin(const struct run_result *result, const struct run_tag *tag, uint32_t bin, FILE *out)
{
    int64_t min, max;
    run_bin_range(result->scenario, bin, &min, &max);
    output_csv_text(tag->name, out);
    if (max == INT64_MAX)
        fprintf(out, ",%" PRId64 "-", min);
    else
        fprintf(out, ",%" PRId64 "-%" PRId64, min, max);
    run_fields_csv(run_flow_fields, RUN_FLOW_FIELDS, &tag->bins[bin], out);
    run_fields_csv(run_query_fields, RUN_QUERY_FIELDS, NULL, out);
    fputs(",,,,,", out);
    put_unfinished(tag->bins[bin].unfinished, &tag->bins[bin].fct_ps, &tag->bins[bin].slowdown, out);
    fputs(",,,\n", out);
}

void run_csv_tags(const struct run_result *result, FILE *out)
{
    fputs("tag,bytes", out);
    run_fields_csv_heading(run_flow_fields, RUN_FLOW_FIELDS, out);
    run_fields_csv_heading(run_query_fields, RUN_QUERY_FIELDS, out);
    fputs(",packets_sent,packets_delivered,packets_missing,delay_mean_ps,delay_max_ps", out);
    fputs(",unfinished,fct_known,slowdown_known,queries_unfinished,qct_known,qct_slowdown_known\n", out);
    for (uint32_t i = 0; i < result->scenario->config.tag_count; i++) {
        const struct run_tag *tag = &result->tags[i];
        put_tag(tag, out);
        for (uint32_t bin = 0; tag->bins_in_use > 1 && bin <= result->scenario->size_bin_count; bin++)
            if (tag->bins[bin].flows > 0)
                put_bin(result, tag, bin, out);
    }
}

void run_csv_record(const struct flow_record *r, const char *tag, FILE *out)
{
    fprintf(out, "%" PRIu32 ",", r->id);
    output_csv_text(tag, out);
    fprintf(out, ",%" PRIu32 ",", r->traffic);
    if (r->group != FLOW_NO_GROUP)
        fprintf(out, "%" PRIu32, r->group);
    fprintf(out, ",%" PRIu32 ",%" PRIu32 ",", r->source, r->destination);
    if (r->bytes != FLOW_ENDLESS)
        fprintf(out, "%" PRId64, r->bytes);
    fprintf(out, ",%" PRId64 ",%" PRId64 ",", r->delivered_bytes, r->start_ps);
    if (r->finish_ps != WEIR_NEVER)
        fprintf(out, "%" PRId64, r->finish_ps);
    putc(',', out);
    if (r->ideal_ps != WEIR_NEVER && r->bytes != FLOW_ENDLESS)
        fprintf(out, "%" PRId64, r->ideal_ps);
    fprintf(out, ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64, r->timeouts, r->again, r->sent, r->packets);
}

static const char *const record_columns[] = {
    "id",          "tag",      "traffic",         "query",        "source",
    "destination", "bytes",    "delivered_bytes", "start_ps",     "finish_ps",
    "ideal_ps",    "timeouts", "resent",          "packets_sent", "packets_delivered"};
enum { RECORD_COLUMNS = sizeof record_columns / sizeof record_columns[0] };

void run_csv_record_heading(FILE *out)
{
    for (uint32_t i = 0; i < RECORD_COLUMNS; i++)
        fprintf(out, "%s%s", i > 0 ? "," : "", record_columns[i]);
}

bool run_csv_record_has(const char *column)
{
    uint32_t i = 0;
    while (i < RECORD_COLUMNS && strcmp(record_columns[i], column) != 0)
        i++;
    return i < RECORD_COLUMNS;
}

void run_csv_records(const struct run_result *result, FILE *out)
{
    const struct records *records = sim_records(result->sim);
    run_csv_record_heading(out);
    putc('\n', out);
    for (uint32_t i = 0; i < records->count; i++) {
        run_csv_record(&records->at[i], result->scenario->config.tag_names[records->at[i].tag], out);
        putc('\n', out);
    }
}

static void put_probe(const struct run_result *result, uint32_t index, FILE *out)
{
    const struct sim_config *config = &result->scenario->config;
    const struct topology *topology = &result->scenario->topology;
    const struct sim_probe *probe = &config->probes[index];
    const struct series *series = &sim_measure(result->sim)->probe[index];
    int64_t cell_bytes = sim_config_tier(config, topology->tier[probe->sw])->mmu.cell_bytes;
    char place[40], tc[16] = "all";
    run_probe_place(result, index, place);
    if (probe->tc != SIM_ALL_CLASSES)
        snprintf(tc, sizeof tc, "%" PRIu32, probe->tc);
    for (uint32_t i = 0; i < series->count; i++) {
        const struct series_point *point = &series->points[i];
        fprintf(out, "queue,%" PRIu32 ",\"%s\",%s,%" PRId64, index, place, tc, point->when);
        fprintf(out, ",%" PRId64 ",", point->queue_cells * cell_bytes);
        if (point->threshold_cells >= 0)
            fprintf(out, "%" PRId64, point->threshold_cells * cell_bytes);
        fprintf(out, ",%" PRId64 ",%" PRId64 ",\n", point->used_cells * cell_bytes, point->reading_bps);
    }
}

static void put_goodput(const struct run_result *result, uint32_t tag, FILE *out)
{
    weir_ps interval = result->scenario->config.goodput_interval_ps;
    for (uint32_t bin = 0; bin < run_goodput_bins(result); bin++) {
        fprintf(out, "goodput,%" PRIu32 ",", tag);
        output_csv_text(result->scenario->config.tag_names[tag], out);
        fprintf(out, ",,%" PRId64 ",,,,,%.9g\n", (int64_t)bin * interval, run_goodput_bps(result, tag, bin));
    }
}

void run_csv_series(const struct run_result *result, FILE *out)
{
    const struct measure *measure = sim_measure(result->sim);
    fputs("series,number,place,class,time_ps,queue_bytes,threshold_bytes,buffer_bytes,reading_bps,goodput_bps\n", out);
    for (uint32_t i = 0; i < measure->probe_count; i++)
        put_probe(result, i, out);
    for (uint32_t tag = 0; result->scenario->config.goodput_interval_ps > 0 && tag < measure->tag_count; tag++)
        put_goodput(result, tag, out);
}

void run_csv_losses(const struct run_result *result, FILE *out)
{
    const struct topology *topology = &result->scenario->topology;
    fputs("switch,port,neighbour,class,packets", out);
    for (uint32_t i = WEIR_REASON_NONE + 1; i < WEIR_REASON_COUNT; i++)
        fprintf(out, ",refused_%s", weir_reason_name((enum weir_reason)i));
    for (uint32_t i = WEIR_CAUSE_REFUSED + 1; i < WEIR_CAUSE_COUNT; i++)
        fprintf(out, ",lost_%s", weir_cause_name((enum weir_cause)i));
    fputs(",watchdog,marked\n", out);
    for (uint32_t p = 0; p < result->place_count; p++) {
        const struct run_place *place = &result->places[p];
        char at[16], to[16];
        scenario_node_name(topology, topology->hosts + place->sw, at);
        scenario_node_name(topology, place->neighbour, to);
        fprintf(out, "%s,%" PRIu32 ",%s,%" PRIu32 ",%" PRIu64, at, place->port, to, place->tc, place->losses.total);
        for (uint32_t i = WEIR_REASON_NONE + 1; i < WEIR_REASON_COUNT; i++)
            fprintf(out, ",%" PRIu64, place->losses.refused[i]);
        for (uint32_t i = WEIR_CAUSE_REFUSED + 1; i < WEIR_CAUSE_COUNT; i++)
            fprintf(out, ",%" PRIu64, place->losses.lost[i]);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 "\n", place->losses.watchdog, place->losses.marked);
    }
}
