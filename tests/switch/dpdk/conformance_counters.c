/*
 * conformance_counters.c - what the switch counted, against captures and trace: ports against captures, queues against
 * the trace, and that all which came in is accounted for.
 */
#include <jansson.h>
#include <string.h>

#include "conformance.h"

struct sums {
    uint64_t frames, bytes, controls;
};

static struct sums capture_sums(const struct capture *capture)
{
    struct sums sums = {.frames = capture->count};
    for (uint32_t i = 0; i < capture->count; i++) {
        sums.bytes += capture->frame[i].length;
        sums.controls += frame_is_control(&capture->frame[i]);
    }
    return sums;
}

/* A number of an object, perhaps one level deeper: "discarded/runt". */
static int64_t number_of(const json_t *object, const char *key)
{
    char outer[64];
    const char *slash = strchr(key, '/');
    if (slash) {
        snprintf(outer, sizeof outer, "%.*s", (int)(slash - key), key);
        return number_of(json_object_get(object, outer), slash + 1);
    }
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : -1;
}

static void expect(const json_t *object, const char *key, uint64_t expected, struct findings *findings)
{
    int64_t got = number_of(object, key);
    if (got < 0 || (uint64_t)got != expected)
        find(findings, "counter %s of port %lld class %lld is %lld, expected %llu", key,
             (long long)number_of(object, "port"), (long long)number_of(object, "class"), (long long)got,
             (unsigned long long)expected);
}

static void counters_port(const struct run *run, uint32_t port, const json_t *object, struct findings *findings)
{
    struct sums in = capture_sums(&run->in[port]), out = capture_sums(&run->out[port]);
    uint64_t offered = 0, flooded = 0, discards = 0;
    for (uint32_t i = 0; i < run->story.passages; i++)
        offered += run->story.passage[i].input == port;
    for (uint32_t i = 0; i < run->in[port].count; i++) {
        struct look look = frame_judge(&run->in[port].frame[i], port);
        flooded += (look.outputs & (look.outputs - 1)) != 0;
        discards += look.discard != NULL;
    }
    uint64_t copies = flooded * (PORTS - 2); /* to all others; the frame itself goes to the first */
    expect(object, "SAI_PORT_STAT_ETHER_STATS_RX_NO_ERRORS", in.frames, findings);
    expect(object, "SAI_PORT_STAT_IF_IN_OCTETS", in.bytes, findings);
    expect(object, "SAI_PORT_STAT_ETHER_STATS_TX_NO_ERRORS", out.frames, findings);
    expect(object, "SAI_PORT_STAT_IF_OUT_OCTETS", out.bytes, findings);
    expect(object, "SAI_PORT_STAT_PAUSE_RX_PKTS", in.controls, findings);
    expect(object, "SAI_PORT_STAT_PAUSE_TX_PKTS", out.controls, findings);
    expect(object, "SAI_PORT_STAT_IF_IN_DISCARDS", discards, findings);
    expect(object, "flooded", flooded, findings);
    expect(object, "copies", copies, findings);
    expect(object, "offered", offered, findings);
    if (in.frames + copies != in.controls + discards + offered)
        find(findings, "port %u: %llu frames in are not all accounted for", port, (unsigned long long)in.frames);
}

static void counters_queue(const struct run *run, uint32_t port, uint32_t tc, const json_t *object,
                           struct findings *findings)
{
    uint64_t sent = 0, bytes = 0, marked = 0, lost[WEIR_CAUSE_COUNT] = {0}, lost_all = 0;
    const struct story *story = &run->story;
    for (uint32_t i = 0; i < story->passages; i++) {
        const struct passage *passage = &story->passage[i];
        if (passage->output != port || passage->tc != tc)
            continue;
        marked += passage->marked;
        sent += passage->state == PASSAGE_LEFT;
        if (passage->state == PASSAGE_LEFT)
            bytes += run->in[passage->input].frame[passage->number].length;
    }
    for (uint32_t i = 0; i < story->losses; i++) {
        const struct passage *passage = &story->passage[story->loss[i].passage];
        lost[story->loss[i].cause] += passage->output == port && passage->tc == tc;
    }
    for (uint32_t cause = 0; cause < WEIR_CAUSE_COUNT; cause++) {
        char key[64];
        snprintf(key, sizeof key, "lost_by_cause/%s", weir_cause_name((enum weir_cause)cause));
        expect(object, key, lost[cause], findings);
        lost_all += lost[cause];
    }
    expect(object, "SAI_QUEUE_STAT_PACKETS", sent, findings);
    expect(object, "SAI_QUEUE_STAT_BYTES", bytes, findings);
    expect(object, "SAI_QUEUE_STAT_DROPPED_PACKETS", lost_all, findings);
    expect(object, "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS", marked, findings);
    expect(object, "SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES", 0, findings);
}

/* Over everything: what came in, copies included, left, was dropped, or was for the switch itself. */
static void counters_totals(const struct run *run, struct findings *findings)
{
    uint64_t in = 0, out = 0, copies = 0, controls_in = 0, controls_out = 0;
    for (uint32_t port = 0; port < PORTS; port++) {
        struct sums sums_in = capture_sums(&run->in[port]), sums_out = capture_sums(&run->out[port]);
        in += sums_in.frames;
        controls_in += sums_in.controls;
        out += sums_out.frames;
        controls_out += sums_out.controls;
        for (uint32_t i = 0; i < run->in[port].count; i++) {
            uint32_t outputs = frame_judge(&run->in[port].frame[i], port).outputs;
            copies += outputs ? (uint32_t)__builtin_popcount(outputs) - 1 : 0;
        }
    }
    if (in + copies - controls_in != out - controls_out + run->drops.count)
        find(findings, "%llu frames and %llu copies came in, but %llu left and %u were dropped",
             (unsigned long long)(in - controls_in), (unsigned long long)copies,
             (unsigned long long)(out - controls_out), run->drops.count);
}

/* The sum of a counter over ports or queues; absent ones count nothing, and then nothing fits. */
static uint64_t sum_of(const json_t *list, const char *key)
{
    uint64_t sum = 0;
    size_t at;
    json_t *item;
    json_array_foreach(list, at, item) sum += number_of(item, key) > 0 ? (uint64_t)number_of(item, key) : 0;
    return sum;
}

bool counters_are_settled(const char *path, uint64_t frames_in)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    const json_t *ports = json_object_get(root, "ports"), *queues = json_object_get(root, "queues");
    uint64_t in = sum_of(ports, "SAI_PORT_STAT_ETHER_STATS_RX_NO_ERRORS"), offered = sum_of(ports, "offered");
    uint64_t elsewhere = sum_of(ports, "SAI_PORT_STAT_IF_IN_DISCARDS") + sum_of(ports, "SAI_PORT_STAT_PAUSE_RX_PKTS");
    uint64_t sent = sum_of(queues, "SAI_QUEUE_STAT_PACKETS"), lost = sum_of(queues, "SAI_QUEUE_STAT_DROPPED_PACKETS");
    uint64_t out = sum_of(ports, "SAI_PORT_STAT_ETHER_STATS_TX_NO_ERRORS");
    bool settled = in == frames_in && in + sum_of(ports, "copies") == elsewhere + offered && offered == sent + lost &&
                   out == sent + sum_of(ports, "SAI_PORT_STAT_PAUSE_TX_PKTS");
    json_decref(root);
    return settled;
}

void compare_counters(const struct run *run, const char *path, struct findings *findings)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error), *item;
    size_t at, ports = 0, queues = 0;
    json_array_foreach(json_object_get(root, "ports"), at, item)
    {
        if (number_of(item, "port") >= 0 && number_of(item, "port") < PORTS) {
            counters_port(run, (uint32_t)number_of(item, "port"), item, findings);
            ports++;
        }
    }
    json_array_foreach(json_object_get(root, "queues"), at, item)
    {
        int64_t port = number_of(item, "port"), tc = number_of(item, "class");
        if (port >= 0 && port < PORTS && tc >= 0 && tc < CLASSES) {
            counters_queue(run, (uint32_t)port, (uint32_t)tc, item, findings);
            queues++;
        }
    }
    if (ports != PORTS || queues != PORTS * CLASSES)
        find(findings, "%s: counters of %zu ports and %zu queues, expected %u and %u", path, ports, queues, PORTS,
             PORTS * CLASSES);
    json_decref(root);
    counters_totals(run, findings);
}
