/*
 * results.c - the summary: see results.h.
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
    for (uint32_t i = 0; i < results->server->plan->count; i++) {
        const struct server_flow *flow = &results->server->flows[i];
        struct tag_summary *tag = &tags[results->server->plan->at[i].tag];
        if (!flow->asked)
            continue;
        bool unknown = flow->counts.timeouts == TCP_COUNTS_UNKNOWN;
        tag->sent_flows++;
        tag->sent_bytes += flow->sent_bytes;
        tag->retransmits += (uint64_t)flow->counts.retransmits;
        tag->timeouts += unknown ? 0 : (uint64_t)flow->counts.timeouts;
        tag->timeouts_unknown = tag->timeouts_unknown || unknown;
    }
    return tags;
}

/* Times of finished flows or queries. */
static void add_times(struct data_frame *frame, const struct statistics *values)
{
    const double times[] = {values->mean, values->p50, values->p99, values->max};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        data_row(frame, cell_if(values->count > 0, cell_number(times[i] / (double)WEIR_PS_PER_S)));
}

/* What this host asked for, and what it sent. Tags without any are left out. */
static struct data_frame *asked_frame(const struct results *results, const struct tag_summary *tags)
{
    static const struct data_column columns[] = {DATA_COLUMN("tag", "asked for", TEXT, .width = TAG_COLUMNS),
                                                 DATA_COLUMN("flows", "flows", INTEGER),
                                                 DATA_COLUMN("finished", "finished", INTEGER),
                                                 DATA_COLUMN("fct.mean", "FCT mean", TIME),
                                                 DATA_COLUMN("fct.p50", "p50", TIME),
                                                 DATA_COLUMN("fct.p99", "p99", TIME),
                                                 DATA_COLUMN("fct.max", "max", TIME),
                                                 DATA_COLUMN("queries", "queries", INTEGER),
                                                 DATA_COLUMN("queries_finished", "finished", INTEGER),
                                                 DATA_COLUMN("qct.mean", "QCT mean", TIME),
                                                 DATA_COLUMN("qct.p50", "p50", TIME),
                                                 DATA_COLUMN("qct.p99", "p99", TIME),
                                                 DATA_COLUMN("qct.max", "max", TIME)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = 0; i < results->scenario->config.tag_count; i++) {
        const struct summary_flows *flows = &tags[i].flows;
        const struct summary_groups *groups = &tags[i].groups;
        if (flows->flows == 0)
            continue;
        data_row(frame, cell_text(results->scenario->config.tag_names[i]), cell_integer((int64_t)flows->flows),
                 cell_integer((int64_t)flows->finished));
        add_times(frame, &flows->fct_finished_ps);
        data_row(frame, cell_integer((int64_t)groups->groups), cell_integer((int64_t)groups->finished));
        add_times(frame, &groups->qct_finished_ps);
    }
    return frame;
}

struct data_frame *results_frame(const struct results *results, struct data_frame *tables[2])
{
    const struct client *client = results->client;
    struct tag_summary *tags = summarize(results);
    if (tags == NULL)
        return NULL;
    tables[0] = asked_frame(results, tags);
    static const struct data_column columns[] = {
        DATA_COLUMN("tag", "sent", TEXT, .width = TAG_COLUMNS), DATA_COLUMN("flows", "flows", INTEGER),
        DATA_COLUMN("sent_bytes", "bytes", INTEGER), DATA_COLUMN("resent", "retransmits", INTEGER),
        DATA_COLUMN("timeouts", "timeouts", INTEGER)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (uint32_t i = 0; i < results->scenario->config.tag_count; i++) {
        const struct tag_summary *tag = &tags[i];
        if (tag->sent_flows > 0)
            data_row(frame, cell_text(results->scenario->config.tag_names[i]), cell_integer((int64_t)tag->sent_flows),
                     cell_integer(tag->sent_bytes), cell_integer((int64_t)tag->retransmits),
                     tag->timeouts_unknown ? cell_shown(cell_none(), "unknown") : cell_integer((int64_t)tag->timeouts));
    }
    tables[1] = frame;
    free(tags);
    return data_object({"host", cell_integer(client->network->host)}, {"scale", cell_integer(results->scale)},
                       {"length_ns", cell_integer(results->length_ns)}, {"stopped", cell_flag(results->stopped)},
                       {"late_ns", cell_integer(client->late_ns)}, {"failed", cell_integer(client->failed)},
                       {"asked", cell_frame(tables[0])}, {"sent", cell_frame(tables[1])});
}

static void put_flow(const char *role, const struct host_flow *flow, FILE *out)
{
    fprintf(out, "%s,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRId64 ",%" PRId64, role, flow->id,
            flow->source, flow->destination, flow->traffic, flow->tag,
            flow->group == FLOW_NO_GROUP ? INT64_C(-1) : (int64_t)flow->group,
            flow->bytes == FLOW_ENDLESS ? INT64_C(-1) : flow->bytes);
}

bool results_write(const struct results *results, const char *path)
{
    struct output_file file;
    if (!output_file_open(&file, path) || !output_file_stream(&file))
        return false;
    const struct client *client = results->client;
    const struct server *server = results->server;
    fputs("role,id,source,destination,traffic,tag,group,bytes,start_ns,finish_ns,delivered,retransmits,timeouts,"
          "packets\n",
          file.stream);
    for (uint32_t i = 0; i < client->launched; i++) {
        const struct client_flow *flow = &client->flows[i];
        put_flow("client", &client->plan->at[i], file.stream);
        fprintf(file.stream, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRIu64 "\n",
                flow->start_ns, flow->finish_ns, flow->delivered_bytes, flow->counts.retransmits, flow->counts.timeouts,
                flow->packets);
    }
    for (uint32_t i = 0; i < server->plan->count; i++) {
        const struct server_flow *flow = &server->flows[i];
        if (!flow->asked)
            continue;
        put_flow("server", &server->plan->at[i], file.stream);
        fprintf(file.stream, ",-1,-1,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRIu64 "\n", flow->sent_bytes,
                flow->counts.retransmits, flow->counts.timeouts, flow->packets);
    }
    return output_file_commit(&file);
}
