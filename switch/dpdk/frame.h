/*
 * frame.h - what a switch must know of an Ethernet frame: whether it may pass, its class, and where its ECN bits are.
 * Pure functions over bytes, free of DPDK's types, since frames come from anywhere and are fuzzed.
 */
#ifndef DPDK_FRAME_H
#define DPDK_FRAME_H

#include "switch/dpdk/config.h"
#include "switch/dpdk/dataplane.h"

/* How frames are read, prepared once. */
struct frame_rules {
    enum dataplane_classify classify;
    uint8_t class_of_dscp[DATAPLANE_DSCP_COUNT]; /* below the number of classes */
    uint8_t class_of_pcp[DATAPLANE_PCP_COUNT];
    uint32_t length_max; /* bytes of a frame without VLAN tags and check sequence */
};
void frame_rules_init(struct frame_rules *rules, const struct dataplane_config *config);

/* A frame as it was received. */
struct frame {
    const uint8_t *bytes; /* without the check sequence */
    uint32_t length;      /* of the frame */
    uint32_t at_hand;     /* bytes that can be looked at: of the first segment */
    int32_t vlan;         /* tag that the device took off, as TCI; -1: none */
};

enum frame_kind {
    FRAME_FORWARD, /* to be looked up and forwarded */
    FRAME_CONTROL, /* MAC control, to be obeyed and not forwarded */
    FRAME_DISCARD  /* `discard` says why */
};

struct frame_info {
    enum frame_kind kind;
    enum dataplane_discard discard;
    uint64_t source, destination; /* addresses, first byte highest */
    bool group;                   /* the destination is a group */
    uint8_t tc;
    bool ecn;          /* it can be marked: ECT(0) or ECT(1), or is already */
    bool malformed_ip; /* claims to be IP and is not: forwarded as one without DSCP and ECN */
    uint16_t ip_at;    /* where the IP header begins; 0: none */
};

/* Where the payload of the IP header at `ip_at` begins; a header that frame_look found. */
uint32_t frame_ip_end(const uint8_t *bytes, uint32_t ip_at);

/* What becomes of the headers of a frame whose end is cut off. */
struct frame_cut {
    uint32_t length; /* of the frame; its IP header is within */
    int32_t dscp;    /* -1: it keeps its own */
    enum weir_trim_ecn ecn;
};

/*
 * Understands Ethernet II with up to two VLAN tags (a tag that the device took off is the outermost) and IPv4 or IPv6
 * behind them. Everything else that may pass, frames with a length in place of a type among them, has no DSCP. A frame
 * is judged by its length first, then by its source, then by its destination.
 */
void frame_look(const struct frame_rules *rules, const struct frame *frame, struct frame_info *info);

/* The flow of a frame that may be forwarded, and its DSCP: a hash of addresses, protocol and ports, of fragments
 * without ports, of frames that are not IP of their Ethernet addresses. */
void frame_flow(const struct frame *frame, const struct frame_info *info, struct weir_flow *flow);

/* Sets Congestion Experienced; a frame with info->ecn. The checksum of an IPv4 header stays right (or wrong). */
void frame_mark(uint8_t *bytes, const struct frame_info *info);

/* Rewrites the IP header for the cut: length, DSCP, ECN, checksum of IPv4, which stays right (or wrong). What stands
 * behind it stays as it was. */
void frame_cut(uint8_t *bytes, uint32_t ip_at, const struct frame_cut *cut);

#endif
