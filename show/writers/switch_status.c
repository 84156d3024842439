/*
 * switch_status.c - what a running switch says of itself, for people. What a reply does not have is "-" or left out:
 * the switch may be of another version.
 */
#define _GNU_SOURCE 1
#include "show/writers/switch_status.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "show/writers/write.h"

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
                 output_time(number(reply, "emulated_s") * 1e12, own));
    cli_print("%s: up %s%s, %s, %s pages", text(reply, "scenario"), output_time(number(reply, "up_s") * 1e12, up),
              scaled, flag(reply, "run_to_completion") ? "all on one processor" : "on several processors",
              flag(reply, "huge_pages") ? "huge" : "ordinary");
    if (count(reply, "restarts") > 0)
        cli_print("restarted after a crash: %lld times, the last by signal %lld, %s", count(reply, "restarts"),
                  count(reply, "last_signal"), strsignal((int)count(reply, "last_signal")));
    put_policy("policy", json_object_get(reply, "policy"));
    put_policy("headroom", json_object_get(reply, "headroom"));
    if (json_object_get(reply, "lossless_lost_packets") != NULL)
        cli_print("lossless: %lld frames lost, sized for reactions of %s, longest absence so far %s",
                  count(reply, "lossless_lost_packets"), output_time(number(reply, "reaction_s") * 1e12, own),
                  output_time(number(reply, "away_max_s") * 1e12, late));
    cli_print("mbufs in use %lld of %lld, addresses %lld, max tx delay %s", count(reply, "mbufs_in_use"),
              count(reply, "mbufs"), count(reply, "addresses"), output_time(number(reply, "late_max_s") * 1e12, late));
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
        cli_print("MMU %zu: %s of %s", i, output_size(number(memory, "used_bytes"), used),
                  output_size(number(memory, "size_bytes"), size));
    }
}

/* The member of an object at a path, "lost_by_cause/refused". */
static struct data_cell member(const json_t *object, const char *path)
{
    char name[128];
    size_t length = strcspn(path, "/");
    snprintf(name, sizeof name, "%.*s", (int)length, path);
    const json_t *value = json_object_get(object, name);
    if (path[length] == '/')
        return member(value, path + length + 1);
    return json_is_string(value)    ? cell_text(json_string_value(value))
           : json_is_integer(value) ? cell_integer((int64_t)json_integer_value(value))
           : json_is_number(value)  ? cell_number(json_number_value(value))
                                    : cell_none();
}

/* The objects of an array: each column is a member of the name. Takes the frame. */
static struct data_frame *members(struct data_frame *frame, const json_t *array)
{
    for (size_t i = 0; i < json_array_size(array) && frame != NULL; i++)
        for (size_t c = 0; c < data_frame_columns(frame); c++)
            data_row(frame, member(json_array_get(array, i), data_frame_column(frame, c)->name));
    return frame;
}

int switch_status_show(const json_t *reply)
{
    static const struct data_column columns[] = {DATA_COLUMN("port", "port", INTEGER),
                                                 DATA_COLUMN("device", "device", TEXT, .width = 32),
                                                 DATA_COLUMN("rate_bps", "rate", RATE),
                                                 DATA_COLUMN("link", "link", WORD),
                                                 DATA_COLUMN("in_packets", "in", INTEGER),
                                                 DATA_COLUMN("out_packets", "out", INTEGER),
                                                 DATA_COLUMN("dropped_packets", "dropped", INTEGER),
                                                 DATA_COLUMN("discarded_packets", "discarded", INTEGER),
                                                 DATA_COLUMN("marked_packets", "marked", INTEGER),
                                                 DATA_COLUMN("queued_bytes", "queued", SIZE)};
    const json_t *ports = json_object_get(reply, "ports");
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    for (size_t i = 0; i < json_array_size(ports); i++) {
        const json_t *port = json_array_get(ports, i);
        for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
            if (strcmp(columns[c].name, "link") == 0)
                data_row(frame, cell_text(flag(port, "away") ? "moved" : flag(port, "link_up") ? "up" : "down"));
            else
                data_row(frame, member(port, columns[c].name));
        }
    }
    int code = data_frame_check(frame);
    if (code == CLI_OK) {
        put_about(reply);
        put_memories(reply);
        put_files(reply);
        write_text(frame);
    }
    data_frame_free(frame);
    return code;
}

static struct data_frame *queues_frame(const json_t *queues)
{
#define QUEUE(name) "SAI_QUEUE_STAT_" name
    static const struct data_column columns[] = {DATA_COLUMN("port", "port", INTEGER),
                                                 DATA_COLUMN("class", "class", INTEGER),
                                                 DATA_COLUMN(QUEUE("PACKETS"), "sent", INTEGER),
                                                 DATA_COLUMN(QUEUE("BYTES"), "bytes", INTEGER),
                                                 DATA_COLUMN(QUEUE("DROPPED_PACKETS"), "dropped", INTEGER),
                                                 DATA_COLUMN("lost_by_cause/refused", "refused", INTEGER),
                                                 DATA_COLUMN("lost_by_cause/pushout", "pushed", INTEGER),
                                                 DATA_COLUMN("lost_by_cause/expelled", "expelled", INTEGER),
                                                 DATA_COLUMN("lost_by_cause/dequeue", "dequeue", INTEGER),
                                                 DATA_COLUMN("lost_by_cause/flushed", "flushed", INTEGER),
                                                 DATA_COLUMN(QUEUE("WRED_ECN_MARKED_PACKETS"), "marked", INTEGER),
                                                 DATA_COLUMN(QUEUE("CURR_OCCUPANCY_BYTES"), "waiting", SIZE),
                                                 DATA_COLUMN("threshold_bytes", "limit", SIZE),
                                                 DATA_COLUMN(QUEUE("WATERMARK_BYTES") "/user", "peak", SIZE)};
#undef QUEUE
    return members(data_frame_new(DATA_ROWS, DATA_COLUMNS(columns)), queues);
}

static struct data_frame *groups_frame(const json_t *groups)
{
#define GROUP(name) "SAI_INGRESS_PRIORITY_GROUP_STAT_" name
    static const struct data_column columns[] = {
        DATA_COLUMN("memory", "MMU", INTEGER),
        DATA_COLUMN("port", "port", INTEGER),
        DATA_COLUMN("class", "class", INTEGER),
        DATA_COLUMN(GROUP("PACKETS"), "came in", INTEGER),
        DATA_COLUMN(GROUP("DROPPED_PACKETS"), "dropped", INTEGER),
        DATA_COLUMN(GROUP("CURR_OCCUPANCY_BYTES"), "held", SIZE),
        DATA_COLUMN(GROUP("XOFF_ROOM_CURR_OCCUPANCY_BYTES"), "headroom", SIZE),
        DATA_COLUMN(GROUP("WATERMARK_BYTES") "/user", "peak", SIZE),
        DATA_COLUMN(GROUP("XOFF_ROOM_WATERMARK_BYTES") "/user", "peak of headroom", SIZE),
        DATA_COLUMN("pauses", "pauses", INTEGER),
        DATA_COLUMN("resumes", "resumes", INTEGER)};
#undef GROUP
    return members(data_frame_new(DATA_ROWS, DATA_COLUMNS(columns)), groups);
}

/* Only reasons that occurred. */
static struct data_frame *discards_frame(const json_t *ports)
{
    static const struct data_column columns[] = {DATA_COLUMN("port", "port", INTEGER),
                                                 DATA_COLUMN("reason", "discarded", TEXT, .width = 32),
                                                 DATA_COLUMN("packets", "packets", INTEGER)};
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    const char *reason;
    json_t *value;
    for (size_t i = 0; i < json_array_size(ports); i++) {
        const json_t *port = json_array_get(ports, i);
        json_object_foreach(json_object_get(port, "discarded"), reason, value)
        {
            if (json_integer_value(value) != 0)
                data_row(frame, member(port, "port"), cell_text(reason),
                         cell_integer((int64_t)json_integer_value(value)));
        }
        /* What the device lost, and where it does not count that. */
        long long missed = count(port, "SAI_PORT_STAT_IN_DROPPED_PKTS");
        bool counted = !json_is_false(json_object_get(port, "missed_counted"));
        if (!counted || missed > 0)
            data_row(frame, member(port, "port"), cell_text("missed by the device"),
                     counted ? cell_integer(missed) : cell_shown(cell_none(), "not counted"));
    }
    return frame;
}

int switch_counters_show(const json_t *reply)
{
    struct data_frame *frames[] = {queues_frame(json_object_get(reply, "queues")),
                                   groups_frame(json_object_get(reply, "groups")),
                                   discards_frame(json_object_get(reply, "ports"))};
    int code = CLI_OK;
    for (size_t i = 0; i < 3 && code == CLI_OK; i++)
        code = data_frame_check(frames[i]);
    for (size_t i = 0; i < 3; i++) {
        if (code == CLI_OK && (i == 0 || data_frame_rows(frames[i]) > 0)) {
            fputs(i > 0 ? "\n" : "", stdout);
            write_text(frames[i]);
        }
        data_frame_free(frames[i]);
    }
    return code;
}
