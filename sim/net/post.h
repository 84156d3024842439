/*
 * post.h - what a worker has for other ranks (sim/parallel/ranks.h). It fills bags while it runs; between windows
 * they go into letters.
 */
#ifndef SIM_NET_POST_H
#define SIM_NET_POST_H

#include <stddef.h>

#include "sim/engine/packet.h"
#include "sim/net/records.h"
#include "sim/transport/flow.h"
#include "sim/workload/traffic.h"

struct sim;
struct sim_worker;

/* Bytes on their way to a rank. */
struct post_bytes {
    unsigned char *at;
    size_t size, room;
};

/* What one worker has for one rank. */
struct post_bag {
    struct post_bytes notes, packets;
    uint64_t packet_count;
};

/* What a worker keeps for the ranks. */
struct post {
    struct post_bag *bag; /* [ranks] */
    uint32_t ranks;       /* 0: this process is alone */
    struct post_flows {   /* made, and given up, since notes were sent */
        struct flow **at;
        uint32_t count, room;
    } born;
    struct post_ids {
        uint32_t *at;
        uint32_t count, room;
    } gone;
    struct records halves; /* of flows that began at another rank */
};

/* What is in bags. */

#define PACKET_SKIPS offsetof(struct packet, flow_id) /* addresses of this process */

struct packet_item {
    uint32_t link, home; /* home: ranks->count: nobody wants to know what becomes of it */
    weir_ps when;
    uint32_t hops, unused; /* stamps of telemetry that follow */
    unsigned char packet[sizeof(struct packet) - PACKET_SKIPS];
};

struct note_item {
    uint32_t kind, id;
    weir_ps when;
    uint32_t number, used; /* of a connection */
};

struct begins_item {
    struct note_item note;
    struct flow_request request;
    weir_ps ideal_ps, first_ps, base_rtt_ps;
};

/* Of one worker; false: out of memory. */
bool post_init(struct post *post, const struct sim *sim);
void post_free(struct post *post);

/* Called by workers. A flow was made here; one of these happened to it here. */
void post_flow_begins(struct sim_worker *worker, struct flow *flow);
void post_flow_releases(struct sim_worker *worker, uint32_t id);

enum post_kind {
    POST_SENDER_DONE,
    POST_RECEIVER_DONE,
    POST_CLOSED,
    POST_LOST,       /* a packet of it, at a third rank */
    POST_CONNECTION, /* it took this one */
    POST_BEGINS,
    POST_END /* of a flow that traffic at several hosts waits for */
};
void post_flow_note(struct sim_worker *worker, const struct flow *flow, enum post_kind kind, weir_ps now);

/* A packet was lost whose flow, of this number, is not here. */
void post_flow_lost(struct sim_worker *worker, const struct flow *flow, uint32_t flow_id, weir_ps now);

/* A packet leaves for another rank, over a link of that number. */
void post_packet_send(struct sim_worker *worker, uint32_t to, uint32_t link, weir_ps when, struct packet *packet);

/* Appends; false: out of memory. */
bool post_bytes_add(struct post_bytes *bytes, const void *at, size_t size);

/* Adds a note for a rank. */
void post_note(struct sim_worker *worker, uint32_t to, const void *note, size_t size);

#endif
