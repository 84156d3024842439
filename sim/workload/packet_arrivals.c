/*
 * packet_arrivals.c - the list of packets, and how a trace becomes one. Captures are read in capture.c.
 */
#include "sim/workload/packet_arrivals.h"

#include <stdlib.h>

#include "lib/plugin/plugin.h"
#include "weir/trace.h"

bool packet_arrivals_add(struct packet_arrivals *arrivals, const struct listed_packet *packet)
{
    if (arrivals->count == arrivals->room) {
        uint32_t room = arrivals->room > 0 ? arrivals->room * 2 : 256;
        if (room < arrivals->room)
            return false;
        struct listed_packet *larger = realloc(arrivals->at, room * sizeof *larger);
        if (!larger)
            return false;
        arrivals->at = larger;
        arrivals->room = room;
    }
    arrivals->at[arrivals->count++] = *packet;
    return true;
}

void packet_arrivals_free(struct packet_arrivals *arrivals)
{
    free(arrivals->at);
    *arrivals = (struct packet_arrivals){0};
}

/* Both are large: a record has room for thousands of losses. */
struct trace_image {
    struct weir_trace_reader reader;
    struct weir_record record;
    struct weir_trace_ports ports;
};

static bool trace_add(struct packet_arrivals *arrivals, const struct trace_image *image, uint32_t hosts,
                      struct weir_error *error)
{
    const struct weir_packet *packet = &image->record.packet;
    uint32_t from = packet->input.i, to = packet->output.i;
    if (from >= hosts || to >= hosts) {
        weir_fail(error, WEIR_ERROR_INPUT, "a packet from port %u to port %u, there are %u hosts", from, to, hosts);
        return weir_fail_in(error, "byte", image->reader.at);
    }
    struct listed_packet listed = {
        .start_ps = image->record.now,
        .source = from == to ? (from + 1) % hosts : from,
        .destination = to,
        .bytes = packet->bytes,
        .tc = (uint8_t)packet->tc.i,
    };
    if (packet_arrivals_add(arrivals, &listed))
        return true;
    return weir_fail_memory(error);
}

static bool trace_read(struct packet_arrivals *arrivals, struct trace_image *image, uint32_t hosts,
                       struct weir_error *error)
{
    enum weir_trace_status status;
    while ((status = weir_trace_next(&image->reader, &image->record, error)) == WEIR_TRACE_RECORD)
        if (image->record.kind == WEIR_REC_ARRIVE && !trace_add(arrivals, image, hosts, error))
            return false;
    return status == WEIR_TRACE_FINISHED;
}

bool packet_arrivals_from_trace(struct packet_arrivals *arrivals, const uint8_t *bytes, size_t size, uint32_t hosts,
                                struct weir_error *error)
{
    if (hosts < 2)
        return weir_fail(error, WEIR_ERROR_INPUT, "packets need two hosts, there are %u", hosts);
    struct trace_image *image = malloc(sizeof *image);
    if (!image)
        return weir_fail_memory(error);
    const struct weir_trace_image trace = {bytes, size, &image->ports, plugin_policy_find};
    bool read = weir_trace_open_image(&image->reader, &trace, error) && trace_read(arrivals, image, hosts, error);
    free(image);
    if (!read)
        packet_arrivals_free(arrivals);
    return read;
}
