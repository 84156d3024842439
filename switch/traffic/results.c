/*
 * results.c - the rows: see results.h.
 */
#include "switch/traffic/results.h"

#include <inttypes.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "sim/transport/flow.h"

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
