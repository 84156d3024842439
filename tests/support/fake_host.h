/*
 * fake_host.h - one flow between a sender and a receiver over a wire that only delays, for tests of transports: the
 * part of host.h that transports call, without switches or other flows. Losses and marks are listed by segment and
 * transmission, or drawn. Every packet sent is logged.
 */
#ifndef TESTS_SUPPORT_FAKE_HOST_H
#define TESTS_SUPPORT_FAKE_HOST_H

#include "sim/engine/telemetry.h"
#include "sim/net/config.h"
#include "sim/net/host.h"
#include "sim/transport/transport.h"

#define FAKE_SYN UINT32_MAX /* as a segment: the opening packet */

/* What happens to one transmission of a segment, counted from 1. */
struct fake_fate {
    uint32_t segment, transmission;
    bool marked; /* else it is lost */
};

struct fake_log {
    weir_ps when;
    struct packet packet;
    bool lost;
};

struct fake_host {
    struct host host; /* first, so that a host is its fake */
    struct flow flow;
    struct sim_transport settings;
    struct sim_wire wire;
    weir_ps delay_ps;   /* one way */
    uint32_t jitter_ps; /* drawn on top of the delay, so that packets overtake each other */
    weir_ps nic_ps;     /* between data packets */
    const struct fake_fate *fates;
    uint32_t fate_count;
    uint32_t cut_from, cut_until;   /* segments whose first transmission arrives without its payload */
    uint32_t mark_from, mark_until; /* segments that are marked whenever they are sent */
    weir_q16 data_loss, ack_loss;   /* drawn */
    struct weir_random random;

    weir_ps now, nic_free_ps;
    weir_ps wake_ps[2]; /* of the sender and of the receiver */
    uint32_t timer_calls;
    struct packet_list wire_list; /* all packets on the way, by arrival */
    uint32_t *transmissions;      /* [segments] */
    uint32_t syns;
    struct fake_log *data, *acks;
    uint32_t data_count, ack_count, data_room, ack_room;
    int64_t delivered_bytes;
    int64_t words; /* given out and not back */
    struct telemetry_pool telemetry;
    struct telemetry_table table;
    uint32_t queue_bytes; /* in every stamp of packets that carry telemetry */
    bool sender_done, receiver_done;
    weir_ps sender_done_ps;
    bool no_words;                         /* host_words fails */
    struct connection connection;          /* with keep_connections: the only one */
    int32_t taken;                         /* how often it was taken and not left */
    _Alignas(8) unsigned char shared[256]; /* host_shared */
    uint64_t counts[HOST_COUNTS];
};

/* A flow of full segments: mss 1460, header 40, ACK 40; 10 us one way, 1 us per packet at the NIC. Settings, fates and
 * the rest may be changed before fake_run. Segments 0: endless. */
void fake_init(struct fake_host *fake, const struct transport *kind, uint32_t segments);

/* Opens the flow if it is not open yet and handles every event before `end`; true when both ends are done. */
bool fake_run(struct fake_host *fake, weir_ps end);

/* The nth transmission (1 ..) of a segment, or null. */
const struct fake_log *fake_sent(const struct fake_host *fake, uint32_t segment, uint32_t transmission);

/* Fails the test unless a flow with feedback has ended and left nothing behind. */
void fake_assert_complete(const struct fake_host *fake);

/* Gives back all memory; fails the test if the transport kept some. */
void fake_free(struct fake_host *fake);

/* Of the feedback so far, how many packets have the flag. */
uint32_t fake_acks_with(const struct fake_host *fake, uint32_t flag);

#endif
