/*
 * packets.c - see packets.h. Headers are in packet_headers.c.
 */
#include "show/writers/packets.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/blocks.h"
#include "cli/version.h"
#include "show/writers/packet_headers.h"
#include "show/writers/write.h"
#include "sim/engine/packet.h"

struct packets_writer {
    enum packets_form form;
    const struct scenario *scenario;
    FILE *out;
    struct run_neighbours neighbours;
    struct data_frame *frame; /* of CSV: one row */
    /* Of pcapng. */
    uint32_t *interfaces; /* [nodes + ports]: number + 1 of a node's, of a queue's; 0: it has none yet */
    uint32_t interface_count;
    struct packet_flows flows;
    uint8_t bytes[BLOCKS_PACKET_MAX];
};

static const struct data_column columns[] = {DATA_COLUMN("time_ps", NULL, PS),
                                             DATA_COLUMN("packet", NULL, WORD),
                                             DATA_COLUMN("flow", NULL, INTEGER),
                                             DATA_COLUMN("tag", NULL, TEXT),
                                             DATA_COLUMN("kind", NULL, WORD),
                                             DATA_COLUMN("source", NULL, INTEGER),
                                             DATA_COLUMN("destination", NULL, INTEGER),
                                             DATA_COLUMN("sequence", NULL, INTEGER),
                                             DATA_COLUMN("ack", NULL, INTEGER),
                                             DATA_COLUMN("bytes", NULL, SIZE),
                                             DATA_COLUMN("hop", NULL, INTEGER),
                                             DATA_COLUMN("place", NULL, WORD),
                                             DATA_COLUMN("class", NULL, INTEGER),
                                             DATA_COLUMN("event", NULL, WORD),
                                             DATA_COLUMN("why", NULL, WORD),
                                             DATA_COLUMN("queue_bytes", NULL, SIZE),
                                             DATA_COLUMN("marked", NULL, COUNT),
                                             DATA_COLUMN("resent", NULL, COUNT)};

static bool flush_blocks(struct packets_writer *writer, const struct blocks *blocks)
{
    fwrite(blocks->at, 1, blocks->used, writer->out);
    return true;
}

static bool begin(struct packets_writer *writer)
{
    const struct topology *topology = &writer->scenario->topology;
    if (!run_neighbours_make(&writer->neighbours, topology))
        return false;
    if (writer->form == PACKETS_CSV) {
        writer->frame = data_frame_new_row(DATA_COLUMNS(columns));
        if (data_frame_failed(writer->frame))
            return false;
        write_csv(writer->frame, writer->out); /* its heading */
        return true;
    }
    char program[96];
    struct blocks blocks = {.at = writer->bytes, .room = sizeof writer->bytes};
    snprintf(program, sizeof program, "weir %.80s", version_text());
    writer->interfaces = calloc((size_t)topology->hosts + topology->switches + 2 * (size_t)topology->link_count,
                                sizeof *writer->interfaces);
    blocks_section(&blocks, program, "Simulated packets; headers are synthetic.");
    return writer->interfaces != NULL && flush_blocks(writer, &blocks);
}

struct packets_writer *packets_writer_new(enum packets_form form, const struct scenario *scenario, FILE *out)
{
    struct packets_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL)
        return NULL;
    writer->form = form;
    writer->scenario = scenario;
    writer->out = out;
    if (begin(writer))
        return writer;
    packets_writer_free(writer);
    return NULL;
}

void packets_writer_free(struct packets_writer *writer)
{
    if (writer == NULL)
        return;
    run_neighbours_free(&writer->neighbours);
    data_frame_free(writer->frame);
    packet_flows_free(&writer->flows);
    free(writer->interfaces);
    free(writer);
}

static bool put_row(struct packets_writer *writer, const struct sim_packet_event *event)
{
    const bool feedback = event->flags & PACKET_ACK;
    char place[RUN_FOLLOW_TEXT_MAX], packet[32];
    snprintf(packet, sizeof packet, "h%" PRIu32 ".%" PRIu32, event->source, event->number);
    run_follow_place(&writer->neighbours, event, place);
    data_row(writer->frame, cell_integer(event->when), cell_text(packet), cell_integer(event->flow),
             cell_text(writer->scenario->config.tag_names[event->tag]), cell_text(run_follow_kind(event)),
             cell_integer(event->source), cell_integer(event->destination),
             cell_if(!feedback, cell_integer(event->segment)), cell_if(feedback, cell_integer(event->ack)),
             cell_integer(event->bytes), cell_integer(event->hops), cell_text(place), cell_integer(event->tc),
             cell_text(run_follow_step(event)), cell_text(run_follow_why(event)),
             cell_if(event->queue_bytes >= 0, cell_integer(event->queue_bytes)),
             cell_integer((event->flags & PACKET_MARKED) != 0), cell_integer((event->flags & PACKET_AGAIN) != 0));
    return write_csv_rows(writer->frame, writer->out);
}

/* The interface of the place, whose block goes before its first packet. */
static uint32_t interface_of(struct packets_writer *writer, const struct sim_packet_event *event, const char *place)
{
    const struct topology *topology = &writer->scenario->topology;
    uint32_t *known = event->port == SIM_PACKET_NOWHERE
                          ? &writer->interfaces[event->node]
                          : &writer->interfaces[topology->hosts + topology->switches +
                                                writer->neighbours.first[event->node] + event->port];
    if (*known == 0) {
        struct blocks blocks = {.at = writer->bytes, .room = sizeof writer->bytes};
        blocks_interface(&blocks, place, PACKET_HEADERS_MAX);
        flush_blocks(writer, &blocks);
        *known = ++writer->interface_count;
    }
    return *known - 1;
}

static bool put_packet(struct packets_writer *writer, const struct sim_packet_event *event)
{
    char place[RUN_FOLLOW_TEXT_MAX], comment[160];
    struct packet_headers headers;
    if (!packet_headers_make(&headers, &writer->flows, &writer->scenario->config, event))
        return false;
    run_follow_place(&writer->neighbours, event, place);
    const bool feedback = event->flags & PACKET_ACK;
    const char *why = run_follow_why(event);
    int used =
        snprintf(comment, sizeof comment,
                 "%s: %s%s%s; packet h%" PRIu32 ".%" PRIu32 " hop %u; flow %" PRIu32 " %s %s %" PRIu32 " class %u",
                 place, run_follow_step(event), why != NULL ? ": " : "", why != NULL ? why : "", event->source,
                 event->number, event->hops, event->flow, run_follow_kind(event), feedback ? "up to" : "segment",
                 feedback ? event->ack : event->segment, event->tc);
    if (event->queue_bytes >= 0)
        snprintf(comment + used, sizeof comment - (size_t)used, "; queue %" PRId64 " B", event->queue_bytes);
    const bool leaves = event->step == SIM_PACKET_SENT || event->step == SIM_PACKET_LEFT;
    const struct blocks_packet packet = {.interface = interface_of(writer, event, place),
                                         .when_ns = (uint64_t)(event->when / WEIR_PS_PER_NS),
                                         .bytes = headers.bytes,
                                         .kept = headers.length,
                                         .whole = headers.whole,
                                         .comment = comment,
                                         .direction = leaves ? BLOCKS_OUTBOUND : BLOCKS_INBOUND,
                                         .id = (uint64_t)event->source << 32 | event->number};
    struct blocks blocks = {.at = writer->bytes, .room = sizeof writer->bytes};
    blocks_packet(&blocks, &packet);
    return flush_blocks(writer, &blocks);
}

bool packets_writer_put(struct packets_writer *writer, const struct sim_packet_event *event)
{
    return writer->form == PACKETS_CSV ? put_row(writer, event) : put_packet(writer, event);
}
