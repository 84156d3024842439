/*
 * show.c - replies of a switch as tables. What a reply does not have is shown as 0 or left out: the switch may
 * be of another version.
 */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>

#include "show/writers/run.h"
#include "switch/control/client.h"

static double number(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}

static long long count(const json_t *object, const char *name)
{
    return (long long)json_integer_value(json_object_get(object, name));
}

static const char *text(const json_t *object, const char *name)
{
    const char *value = json_string_value(json_object_get(object, name));
    return value != NULL ? value : "";
}

static bool flag(const json_t *object, const char *name)
{
    return json_is_true(json_object_get(object, name));
}

/* "policy occamy: alpha=8, select=longest" */
static void put_policy(const char *what, json_t *policy)
{
    const char *name;
    json_t *value;
    const char *between = ": ";
    char line[1024];
    if (!json_is_object(policy))
        return;
    size_t used = (size_t)snprintf(line, sizeof line, "%s %s", what, text(policy, "name"));
    json_object_foreach(policy, name, value)
    {
        if (strcmp(name, "name") == 0 || json_string_value(value) == NULL || used >= sizeof line)
            continue;
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s=%s", between, name, json_string_value(value));
        between = ", ";
    }
    cli_print("%s", line);
}

static void put_about(const json_t *reply)
{
    char up[32], own[32], scaled[96] = "", late[32];
    if (count(reply, "scale") > 1)
        snprintf(scaled, sizeof scaled, ", scale %lld (%s by the clock of the switch)", count(reply, "scale"),
                 run_duration(number(reply, "emulated_s") * 1e12, own));
    cli_print("%s: up %s%s, %s, %s pages", text(reply, "scenario"), run_duration(number(reply, "up_s") * 1e12, up),
              scaled, flag(reply, "run_to_completion") ? "all on one processor" : "on several processors",
              flag(reply, "huge_pages") ? "huge" : "ordinary");
    if (count(reply, "restarts") > 0)
        cli_print("restarted after a crash: %lld times, the last by signal %lld, %s", count(reply, "restarts"),
                  count(reply, "last_signal"), strsignal((int)count(reply, "last_signal")));
    put_policy("policy", json_object_get(reply, "policy"));
    put_policy("headroom", json_object_get(reply, "headroom"));
    cli_print("mbufs in use %lld of %lld, addresses %lld, max tx delay %s", count(reply, "mbufs_in_use"),
              count(reply, "mbufs"), count(reply, "addresses"), run_duration(number(reply, "late_max_s") * 1e12, late));
}

static void put_files(const json_t *reply)
{
    const json_t *trace = json_object_get(reply, "trace"), *drops = json_object_get(reply, "drops");
    if (json_is_object(trace) && json_object_get(trace, "failure") != NULL)
        cli_print("trace %s: given up: %s", text(trace, "path"), text(trace, "failure"));
    else if (json_is_object(trace))
        cli_print("trace %s of MMU %lld: %s, %lld B", text(trace, "path"), count(trace, "memory"),
                  flag(trace, "active") ? "being written" : "ended", count(trace, "bytes"));
    if (json_is_object(drops))
        cli_print("drops %s: %lld written, %lld missed%s", text(drops, "path"), count(drops, "written"),
                  count(drops, "missed"),
                  flag(drops, "active") ? ""
                  : flag(drops, "full") ? ", full"
                                        : ", given up");
}

static void put_memories(const json_t *reply)
{
    const json_t *memories = json_object_get(reply, "memories");
    char used[32], size[32];
    for (size_t i = 0; i < json_array_size(memories); i++) {
        const json_t *memory = json_array_get(memories, i);
        cli_print("MMU %zu: %s of %s", i, run_size(number(memory, "used_bytes"), used),
                  run_size(number(memory, "size_bytes"), size));
    }
}

static const char *rate_text(double bps, char text_out[32])
{
    const char *unit = bps >= 1e9 ? "Gbps" : "Mbps";
    snprintf(text_out, 32, "%.4g%s", bps / (bps >= 1e9 ? 1e9 : 1e6), unit);
    return text_out;
}

int switch_show_status(const json_t *reply)
{
    static const struct output_column columns[] = {
        {"port", true}, {"device", false}, {"rate", true},      {"link", false},  {"in", true},
        {"out", true},  {"dropped", true}, {"discarded", true}, {"marked", true}, {"queued", true}};
    static const char *const counters[] = {"in_packets", "out_packets", "dropped_packets", "discarded_packets",
                                           "marked_packets"};
    const json_t *ports = json_object_get(reply, "ports");
    struct output_table *table = output_table_new(columns, sizeof columns / sizeof columns[0]);
    char rate[32], size[32];
    for (size_t i = 0; i < json_array_size(ports); i++) {
        const json_t *port = json_array_get(ports, i);
        output_table_cell(table, "%lld", count(port, "port"));
        output_table_cell_cut(table, text(port, "device"), 32);
        output_table_cell(table, "%s", rate_text(number(port, "rate_bps"), rate));
        output_table_cell(table, "%s", flag(port, "away") ? "moved" : flag(port, "link_up") ? "up" : "down");
        for (size_t k = 0; k < sizeof counters / sizeof counters[0]; k++)
            output_table_cell(table, "%lld", count(port, counters[k]));
        output_table_cell(table, "%s", run_size(number(port, "queued_bytes"), size));
    }
    int code = output_table_check(table);
    if (code == CLI_OK) {
        put_about(reply);
        put_memories(reply);
        put_files(reply);
        output_table_put(table);
    }
    output_table_free(table);
    return code;
}

static void size_cell(struct output_table *table, double bytes)
{
    char size[32];
    output_table_cell(table, "%s", run_size(bytes, size));
}

static struct output_table *queues_table(const json_t *queues)
{
    static const struct output_column columns[] = {
        {"port", true},    {"class", true},   {"sent", true},     {"bytes", true},   {"dropped", true},
        {"refused", true}, {"pushed", true},  {"expelled", true}, {"dequeue", true}, {"flushed", true},
        {"marked", true},  {"waiting", true}, {"limit", true},    {"peak", true}};
    static const char *const causes[] = {"refused", "pushout", "expelled", "dequeue", "flushed"};
    struct output_table *table = output_table_new(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < json_array_size(queues); i++) {
        const json_t *queue = json_array_get(queues, i), *lost = json_object_get(queue, "lost_by_cause");
        output_table_cell(table, "%lld", count(queue, "port"));
        output_table_cell(table, "%lld", count(queue, "class"));
        output_table_cell(table, "%lld", count(queue, "SAI_QUEUE_STAT_PACKETS"));
        output_table_cell(table, "%lld", count(queue, "SAI_QUEUE_STAT_BYTES"));
        output_table_cell(table, "%lld", count(queue, "SAI_QUEUE_STAT_DROPPED_PACKETS"));
        for (size_t k = 0; k < sizeof causes / sizeof causes[0]; k++)
            output_table_cell(table, "%lld", count(lost, causes[k]));
        output_table_cell(table, "%lld", count(queue, "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS"));
        size_cell(table, number(queue, "SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES"));
        if (json_is_number(json_object_get(queue, "threshold_bytes")))
            size_cell(table, number(queue, "threshold_bytes"));
        else
            output_table_cell(table, "-");
        size_cell(table, number(json_object_get(queue, "SAI_QUEUE_STAT_WATERMARK_BYTES"), "user"));
    }
    return table;
}

#define GROUP(name) "SAI_INGRESS_PRIORITY_GROUP_STAT_" name

static struct output_table *groups_table(const json_t *groups)
{
    static const struct output_column columns[] = {{"MMU", true},      {"port", true},    {"class", true},
                                                   {"came in", true},  {"dropped", true}, {"held", true},
                                                   {"headroom", true}, {"peak", true},    {"peak of headroom", true},
                                                   {"pauses", true},   {"resumes", true}};
    struct output_table *table = output_table_new(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < json_array_size(groups); i++) {
        const json_t *group = json_array_get(groups, i);
        output_table_cell(table, "%lld", count(group, "memory"));
        output_table_cell(table, "%lld", count(group, "port"));
        output_table_cell(table, "%lld", count(group, "class"));
        output_table_cell(table, "%lld", count(group, GROUP("PACKETS")));
        output_table_cell(table, "%lld", count(group, GROUP("DROPPED_PACKETS")));
        size_cell(table, number(group, GROUP("CURR_OCCUPANCY_BYTES")));
        size_cell(table, number(group, GROUP("XOFF_ROOM_CURR_OCCUPANCY_BYTES")));
        size_cell(table, number(json_object_get(group, GROUP("WATERMARK_BYTES")), "user"));
        size_cell(table, number(json_object_get(group, GROUP("XOFF_ROOM_WATERMARK_BYTES")), "user"));
        output_table_cell(table, "%lld", count(group, "pauses"));
        output_table_cell(table, "%lld", count(group, "resumes"));
    }
    return table;
}

/* What the device lost, and where nobody counts that. */
static size_t missed_row(struct output_table *table, const json_t *port)
{
    long long missed = count(port, "SAI_PORT_STAT_IN_DROPPED_PKTS");
    bool counted = !json_is_false(json_object_get(port, "missed_counted"));
    if (counted && missed == 0)
        return 0;
    output_table_cell(table, "%lld", count(port, "port"));
    output_table_cell(table, "missed by the device");
    if (counted)
        output_table_cell(table, "%lld", missed);
    else
        output_table_cell(table, "not counted");
    return 1;
}

/* Only reasons that occurred. */
static struct output_table *discards_table(const json_t *ports, size_t *rows)
{
    static const struct output_column columns[] = {{"port", true}, {"discarded", false}, {"packets", true}};
    struct output_table *table = output_table_new(columns, sizeof columns / sizeof columns[0]);
    const char *reason;
    json_t *value;
    *rows = 0;
    for (size_t i = 0; i < json_array_size(ports); i++) {
        const json_t *port = json_array_get(ports, i);
        json_object_foreach(json_object_get(port, "discarded"), reason, value)
        {
            if (json_integer_value(value) == 0)
                continue;
            output_table_cell(table, "%lld", count(port, "port"));
            output_table_cell_cut(table, reason, 32);
            output_table_cell(table, "%lld", (long long)json_integer_value(value));
            ++*rows;
        }
        *rows += missed_row(table, port);
    }
    return table;
}

int switch_show_counters(const json_t *reply)
{
    const json_t *groups = json_object_get(reply, "groups");
    size_t discards;
    struct output_table *tables[] = {queues_table(json_object_get(reply, "queues")), groups_table(groups),
                                     discards_table(json_object_get(reply, "ports"), &discards)};
    const bool shown[] = {true, json_array_size(groups) > 0, discards > 0};
    int code = CLI_OK;
    for (size_t i = 0; i < 3 && code == CLI_OK; i++)
        code = output_table_check(tables[i]);
    for (size_t i = 0; i < 3; i++) {
        if (code == CLI_OK && shown[i]) {
            if (i > 0)
                putchar('\n');
            output_table_put(tables[i]);
        }
        output_table_free(tables[i]);
    }
    return code;
}
