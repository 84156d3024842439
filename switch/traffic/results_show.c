/*
 * results_show.c - the summary: see results.h.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "sim/summary.h"
#include "sim/transport/flow.h"
#include "switch/traffic/results.h"

#define TAG_COLUMNS 24u

/* Of one tag: what this host asked for, and what it sent. */
struct tag_summary {
    struct summary_flows flows;
    struct summary_groups groups;
    uint64_t sent_flows, retransmits, timeouts;
    int64_t sent_bytes;
    bool timeouts_unknown;
};

static weir_ps ps_of(int64_t ns)
{
    return ns == CLIENT_NEVER ? WEIR_NEVER : (weir_ps)ns * 1000;
}

/* The flows that were asked for, as the simulator's records; times are those of this machine. */
static bool make_records(const struct client *client, struct records *records)
{
    for (uint32_t i = 0; i < client->launched; i++) {
        const struct host_flow *plan = &client->plan->at[i];
        const struct client_flow *flow = &client->flows[i];
        struct flow_record record = {.id = plan->id,
                                     .source = plan->source,
                                     .destination = plan->destination,
                                     .traffic = plan->traffic,
                                     .tag = plan->tag,
                                     .group = plan->group,
                                     .bytes = plan->bytes,
                                     .delivered_bytes = flow->delivered_bytes,
                                     .start_ps = ps_of(flow->start_ns),
                                     .finish_ps = ps_of(flow->finish_ns),
                                     .ideal_ps = WEIR_NEVER,
                                     .first_ps = WEIR_NEVER};
        if (!records_add(records, &record))
            return false;
    }
    return true;
}

static void add_sent(const struct server *server, struct tag_summary *tags)
{
    for (uint32_t i = 0; i < server->plan->count; i++) {
        const struct server_flow *flow = &server->flows[i];
        struct tag_summary *tag = &tags[server->plan->at[i].tag];
        if (!flow->asked)
            continue;
        bool unknown = flow->counts.timeouts == TCP_COUNTS_UNKNOWN;
        tag->sent_flows++;
        tag->sent_bytes += flow->sent_bytes;
        tag->retransmits += (uint64_t)flow->counts.retransmits;
        tag->timeouts += unknown ? 0 : (uint64_t)flow->counts.timeouts;
        tag->timeouts_unknown = tag->timeouts_unknown || unknown;
    }
}

/* Null: out of memory. */
static struct tag_summary *summarize(const struct results *results)
{
    const struct sim_config *config = &results->scenario->config;
    const struct summary_network network = {.config = config, .end_ps = ps_of(results->length_ns)};
    struct tag_summary *tags = calloc((size_t)config->tag_count + 1, sizeof *tags);
    struct records records = {.at = NULL};
    bool done = tags && make_records(results->client, &records);
    for (uint32_t i = 0; done && i < config->tag_count; i++) {
        const struct summary_filter filter = {.tag = i, .max_bytes = INT64_MAX, .until_ps = WEIR_NEVER};
        done = summary_flows(&records, &filter, ps_of(results->length_ns), &tags[i].flows) &&
               summary_groups(&records, &filter, &network, &tags[i].groups);
    }
    records_free(&records);
    if (!done) {
        free(tags);
        return NULL;
    }
    add_sent(results->server, tags);
    return tags;
}

static void cell_time(struct output_table *table, const struct statistics *values, double ps)
{
    if (values->count == 0)
        output_table_cell(table, "-");
    else
        output_table_cell(table, "%.4g ms", ps / (double)WEIR_PS_PER_MS);
}

static void cell_times(struct output_table *table, const struct statistics *values)
{
    cell_time(table, values, values->mean);
    cell_time(table, values, values->p50);
    cell_time(table, values, values->p99);
    cell_time(table, values, values->max);
}

static struct output_table *asked_table(const struct results *results, const struct tag_summary *tags)
{
    static const struct output_column columns[] = {
        {"asked for", false}, {"flows", true}, {"finished", true}, {"FCT mean", true}, {"p50", true},
        {"p99", true},        {"max", true},   {"queries", true},  {"finished", true}, {"QCT mean", true},
        {"p50", true},        {"p99", true},   {"max", true}};
    struct output_table *table = output_table_new(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < results->scenario->config.tag_count; i++) {
        if (tags[i].flows.flows == 0)
            continue;
        output_table_cell_cut(table, results->scenario->config.tag_names[i], TAG_COLUMNS);
        output_table_cell(table, "%" PRIu64, tags[i].flows.flows);
        output_table_cell(table, "%" PRIu64, tags[i].flows.finished);
        cell_times(table, &tags[i].flows.fct_finished_ps);
        output_table_cell(table, "%" PRIu64, tags[i].groups.groups);
        output_table_cell(table, "%" PRIu64, tags[i].groups.finished);
        cell_times(table, &tags[i].groups.qct_finished_ps);
    }
    return table;
}

static struct output_table *sent_table(const struct results *results, const struct tag_summary *tags)
{
    static const struct output_column columns[] = {
        {"sent", false}, {"flows", true}, {"bytes", true}, {"retransmits", true}, {"timeouts", true}};
    struct output_table *table = output_table_new(columns, sizeof columns / sizeof columns[0]);
    for (uint32_t i = 0; i < results->scenario->config.tag_count; i++) {
        if (tags[i].sent_flows == 0)
            continue;
        output_table_cell_cut(table, results->scenario->config.tag_names[i], TAG_COLUMNS);
        output_table_cell(table, "%" PRIu64, tags[i].sent_flows);
        output_table_cell(table, "%" PRId64, tags[i].sent_bytes);
        output_table_cell(table, "%" PRIu64, tags[i].retransmits);
        if (tags[i].timeouts_unknown)
            output_table_cell(table, "unknown");
        else
            output_table_cell(table, "%" PRIu64, tags[i].timeouts);
    }
    return table;
}

static int show_tables(const struct results *results, const struct tag_summary *tags)
{
    struct output_table *asked = asked_table(results, tags), *sent = sent_table(results, tags);
    int code = output_table_check(asked);
    code = code == CLI_OK ? output_table_check(sent) : code;
    if (code == CLI_OK) {
        const struct client *client = results->client;
        printf("host %" PRIu32 ", %.3f s at scale %" PRIu32 "%s\n", client->network->host,
               (double)results->length_ns * 1e-9, results->scale, results->stopped ? ": stopped by a signal" : "");
        printf("launched at most %.3f ms late, %" PRIu32 " flows failed\n\n", (double)client->late_ns * 1e-6,
               client->failed);
        output_table_put(asked);
        putchar('\n');
        output_table_put(sent);
    }
    output_table_free(asked);
    output_table_free(sent);
    return code;
}

static json_t *json_values(const struct statistics *values)
{
    if (values->count == 0)
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:f}", "mean_ns", values->mean / 1000, "p50_ns", values->p50 / 1000, "p99_ns",
                     values->p99 / 1000, "max_ns", values->max / 1000);
}

static json_t *json_tag(const char *name, const struct tag_summary *tag)
{
    return json_pack("{s:o, s:I, s:I, s:o, s:I, s:I, s:o, s:I, s:I, s:I, s:o}", "tag", output_json_string(name),
                     "flows", (json_int_t)tag->flows.flows, "finished", (json_int_t)tag->flows.finished, "fct",
                     json_values(&tag->flows.fct_finished_ps), "queries", (json_int_t)tag->groups.groups,
                     "queries_finished", (json_int_t)tag->groups.finished, "qct",
                     json_values(&tag->groups.qct_finished_ps), "sent_flows", (json_int_t)tag->sent_flows, "sent_bytes",
                     (json_int_t)tag->sent_bytes, "retransmits", (json_int_t)tag->retransmits, "timeouts",
                     tag->timeouts_unknown ? json_null() : json_integer((json_int_t)tag->timeouts));
}

static int show_json(const struct results *results, const struct tag_summary *tags)
{
    const struct client *client = results->client;
    json_t *array = json_array();
    for (uint32_t i = 0; i < results->scenario->config.tag_count; i++)
        array = output_json_append(array, json_tag(results->scenario->config.tag_names[i], &tags[i]));
    return output_json(json_pack("{s:I, s:I, s:I, s:b, s:I, s:I, s:o}", "host", (json_int_t)client->network->host,
                                 "scale", (json_int_t)results->scale, "length_ns", (json_int_t)results->length_ns,
                                 "stopped", results->stopped, "late_ns", (json_int_t)client->late_ns, "failed",
                                 (json_int_t)client->failed, "tags", array));
}

int results_show(const struct results *results, bool json)
{
    struct tag_summary *tags = summarize(results);
    if (tags == NULL)
        return cli_error_memory();
    int code = json ? show_json(results, tags) : show_tables(results, tags);
    free(tags);
    return code;
}
