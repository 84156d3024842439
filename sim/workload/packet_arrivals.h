/*
 * packet_arrivals.h - packets to be sent one by one (TRAFFIC_PACKETS), from a capture or from a recording of an
 * MMU. Both readers work on a complete image in memory, and complain about anything malformed with its byte offset.
 */
#ifndef WORKLOAD_PACKET_ARRIVALS_H
#define WORKLOAD_PACKET_ARRIVALS_H

#include "sim/workload/traffic.h"

#define PACKET_DSCPS 64u

/* Packets sorted by start; equal starts keep their order. Starts as all zeros, but for what is given. */
struct packet_arrivals {
    const uint8_t *class_of_dscp; /* [PACKET_DSCPS], given: of packets of a capture; null: all are of class 0 */
    struct listed_packet *at;
    uint32_t count, room;
    uint64_t not_ip; /* frames of a capture that carry neither IPv4 nor IPv6: left out */
    uint64_t cut;    /* frames captured too short to show their addresses: left out */
};

/*
 * A pcap or pcapng file (capture.c, with libpcap): Ethernet with up to 4 VLAN tags. Times count from the earliest
 * packet. Addresses become hosts as they appear (source before destination), modulo the number of
 * hosts; when both ends are the same host, the next one sends. Sizes are those on the wire without the frame check
 * sequence; classes are those of the DSCP, and ECN says who understands marks.
 */
bool packet_arrivals_from_capture(struct packet_arrivals *arrivals, const uint8_t *bytes, size_t size, uint32_t hosts,
                                  struct weir_error *error);

/*
 * A trace (weir/trace.h): every arrival, whether it was accepted or not. The input port is the sending host, the output
 * port the receiving one, and must be less than `hosts`; when both are equal, the next host sends. Times are the
 * trace's.
 */
bool packet_arrivals_from_trace(struct packet_arrivals *arrivals, const uint8_t *bytes, size_t size, uint32_t hosts,
                                struct weir_error *error);

/* For the readers: appends; false: out of memory. */
bool packet_arrivals_add(struct packet_arrivals *arrivals, const struct listed_packet *packet);

void packet_arrivals_free(struct packet_arrivals *arrivals);

#endif
