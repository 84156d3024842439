/*
 * packets.h - packets that are followed, written as they go: as CSV, a row per event, or as pcapng, which every packet
 * analyser reads, with an interface per queue and per host. Memory stays at a few bytes per followed flow.
 *
 * In pcapng a packet has synthetic headers of its transport: TCP with sequence numbers in bytes, RoCEv2 with PSNs, else
 * UDP; hosts are 10.x.y.z by number. What happened to it is its comment, and its packet id is the same at each place.
 */
#ifndef SHOW_WRITERS_PACKETS_H
#define SHOW_WRITERS_PACKETS_H

#include <stdio.h>

#include "run/follow.h"

enum packets_form { PACKETS_CSV, PACKETS_PCAPNG, PACKETS_FORMS };

struct packets_writer;

/* Begins the file. Null: out of memory. */
struct packets_writer *packets_writer_new(enum packets_form form, const struct scenario *scenario, FILE *out);

/* False: out of memory; what `out` says of itself is the caller's to ask. */
bool packets_writer_put(struct packets_writer *writer, const struct sim_packet_event *event);
void packets_writer_free(struct packets_writer *writer);

#endif
