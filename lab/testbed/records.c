/*
 * records.c - see records.h. Until all files are read, the row of a server is a separate record that
 * never started.
 */
#define _GNU_SOURCE 1
#include "lab/testbed/records.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/net/ideal.h"
#include "sim/transport/flow.h"

enum column {
    COLUMN_ROLE,
    COLUMN_ID,
    COLUMN_SOURCE,
    COLUMN_DESTINATION,
    COLUMN_TRAFFIC,
    COLUMN_TAG,
    COLUMN_GROUP,
    COLUMN_BYTES,
    COLUMN_START,
    COLUMN_FINISH,
    COLUMN_DELIVERED,
    COLUMN_RETRANSMITS,
    COLUMN_TIMEOUTS,
    COLUMN_PACKETS,
    COLUMN_COUNT
};

#define NOT_COUNTED INT64_C(-1) /* timeouts, by a kernel that does not */
#define NS_MAX (INT64_MAX / 1000)

static const char header[] = "role,id,source,destination,traffic,tag,group,bytes,start_ns,finish_ns,delivered,"
                             "retransmits,timeouts,packets\n";

/* Splits a line in place; false: it has another number of fields, or one other than the role is not a number. */
static bool read_row(char *line, bool *server, int64_t values[COLUMN_COUNT])
{
    char *rest = line, *field, *end;
    uint32_t count = 0;
    line[strcspn(line, "\n")] = '\0';
    while ((field = strsep(&rest, ",")) != NULL && count < COLUMN_COUNT) {
        errno = 0;
        values[count] = count == COLUMN_ROLE ? 0 : strtoll(field, &end, 10);
        if (count == COLUMN_ROLE)
            *server = strcmp(field, "server") == 0;
        else if (end == field || *end != '\0' || errno != 0)
            return false;
        count++;
    }
    return count == COLUMN_COUNT && field == NULL && (*server || strcmp(line, "client") == 0);
}

static weir_ps scaled(int64_t ns, uint32_t scale)
{
    return (weir_ps)ns * 1000 / (weir_ps)scale;
}

/* Nothing happens before the start or after more time than a picosecond count holds. */
static bool times_fit(const int64_t values[COLUMN_COUNT])
{
    return values[COLUMN_START] >= -1 && values[COLUMN_START] <= NS_MAX && values[COLUMN_FINISH] >= -1 &&
           values[COLUMN_FINISH] <= NS_MAX && values[COLUMN_DELIVERED] >= 0;
}

static bool row_fits(const int64_t values[COLUMN_COUNT], const struct scenario *scenario)
{
    const struct sim_config *config = &scenario->config;
    int64_t hosts = scenario->topology.hosts;
    return values[COLUMN_ID] > 0 && values[COLUMN_ID] <= UINT32_MAX && values[COLUMN_SOURCE] >= 0 &&
           values[COLUMN_SOURCE] < hosts && values[COLUMN_DESTINATION] >= 0 && values[COLUMN_DESTINATION] < hosts &&
           values[COLUMN_TRAFFIC] >= 0 && values[COLUMN_TRAFFIC] < config->traffic_count && values[COLUMN_TAG] >= 0 &&
           values[COLUMN_TAG] < config->tag_count && values[COLUMN_RETRANSMITS] >= 0 &&
           values[COLUMN_RETRANSMITS] < UINT32_MAX && values[COLUMN_TIMEOUTS] >= NOT_COUNTED &&
           values[COLUMN_TIMEOUTS] < UINT32_MAX && values[COLUMN_PACKETS] >= 0 && times_fit(values);
}

static struct flow_record record_of(const int64_t values[COLUMN_COUNT], bool server, uint32_t scale)
{
    bool grouped = values[COLUMN_GROUP] >= 0 && values[COLUMN_GROUP] < FLOW_NO_GROUP;
    return (struct flow_record){
        .id = (uint32_t)values[COLUMN_ID],
        .source = (uint32_t)values[COLUMN_SOURCE],
        .destination = (uint32_t)values[COLUMN_DESTINATION],
        .traffic = (uint32_t)values[COLUMN_TRAFFIC],
        .tag = (uint32_t)values[COLUMN_TAG],
        .group = grouped ? (uint32_t)values[COLUMN_GROUP] : FLOW_NO_GROUP,
        .bytes = values[COLUMN_BYTES] > 0 ? values[COLUMN_BYTES] : FLOW_ENDLESS,
        .delivered_bytes = values[COLUMN_DELIVERED],
        .start_ps = server ? WEIR_NEVER : scaled(values[COLUMN_START], scale),
        .finish_ps = server || values[COLUMN_FINISH] < 0 ? WEIR_NEVER : scaled(values[COLUMN_FINISH], scale),
        .timeouts =
            values[COLUMN_TIMEOUTS] == NOT_COUNTED ? TESTBED_TIMEOUTS_UNKNOWN : (uint32_t)values[COLUMN_TIMEOUTS],
        .again = server ? (uint32_t)values[COLUMN_RETRANSMITS] : 0,
        .sent = server ? (uint64_t)values[COLUMN_PACKETS] : 0,
        .packets = server ? 0 : (uint64_t)values[COLUMN_PACKETS],
    };
}

static bool read_rows(struct records *records, FILE *in, const struct scenario *scenario, struct weir_error *error)
{
    char line[1024];
    if (fgets(line, sizeof line, in) == NULL || strcmp(line, header) != 0)
        return weir_fail(error, WEIR_ERROR_INPUT, "line 1: no records of weir-traffic");
    for (uint32_t number = 2; fgets(line, sizeof line, in) != NULL; number++) {
        int64_t values[COLUMN_COUNT] = {0};
        bool server = false;
        if (!read_row(line, &server, values) || !row_fits(values, scenario))
            return weir_fail(error, WEIR_ERROR_INPUT, "line %u: no row of this scenario", number);
        struct flow_record record = record_of(values, server, scenario->testbed.scale);
        if (!records_add(records, &record))
            return weir_fail_memory(error);
    }
    return true;
}

bool testbed_records_add(struct records *records, const char *path, const struct scenario *scenario,
                         struct weir_error *error)
{
    FILE *in = fopen(path, "re");
    if (in == NULL)
        return weir_fail(error, WEIR_ERROR_READ, "%s: cannot open: %s", path, strerror(errno));
    bool read = read_rows(records, in, scenario, error);
    if (!read)
        weir_fail_at(error, path, 0, 0);
    fclose(in);
    return read;
}

bool testbed_records_finish(struct records *records, const struct scenario *scenario, struct weir_error *error)
{
    struct routes routes;
    if (!routes_init(&routes, &scenario->topology, sim_config_routes_hash(&scenario->config)))
        return weir_fail_memory(error);
    records_sort(records);
    /* What the server knew goes to its flow; both stand beside each other. A server's row without a client's is a flow
     * that nobody has asked for here, and is left out. */
    uint32_t kept = 0;
    for (uint32_t i = 0, next; i < records->count; i = next) {
        struct flow_record flow = records->at[i];
        for (next = i + 1; next < records->count && records->at[next].id == flow.id; next++) {
            const struct flow_record *other = &records->at[next];
            uint32_t timeouts = flow.timeouts == TESTBED_TIMEOUTS_UNKNOWN || other->timeouts == TESTBED_TIMEOUTS_UNKNOWN
                                    ? TESTBED_TIMEOUTS_UNKNOWN
                                    : flow.timeouts + other->timeouts,
                     again = flow.again + other->again;
            uint64_t sent = flow.sent + other->sent, packets = flow.packets + other->packets;
            flow = flow.start_ps == WEIR_NEVER ? *other : flow;
            flow.timeouts = timeouts;
            flow.again = again;
            flow.sent = sent;
            flow.packets = packets;
        }
        if (flow.start_ps != WEIR_NEVER)
            records->at[kept++] = flow;
    }
    records->count = kept;
    for (uint32_t i = 0; i < records->count; i++) {
        /* As the simulator does for a flow that it starts. */
        const struct sim_config *config = &scenario->config;
        struct ideal_hop hops[IDEAL_HOPS_MAX];
        struct ideal_way way = {records->at[i].source, records->at[i].destination, records->at[i].id,
                                config->ecmp == SIM_ECMP_PACKET};
        uint32_t count = ideal_path(&scenario->topology, &routes, &way, hops);
        int64_t first = records->at[i].bytes < config->wire.mss_bytes ? records->at[i].bytes : config->wire.mss_bytes;
        records->at[i].ideal_ps = records->at[i].first_ps = WEIR_NEVER;
        if (count == 0 || records->at[i].bytes == FLOW_ENDLESS)
            continue;
        records->at[i].ideal_ps = ideal_time(hops, count, &config->wire, records->at[i].bytes);
        records->at[i].first_ps = ideal_time(hops, count, &config->wire, first);
    }
    routes_free(&routes);
    return true;
}
