/*
 * wire.h - how large packets are.
 */
#ifndef SIM_ENGINE_WIRE_H
#define SIM_ENGINE_WIRE_H

#include <stdint.h>

struct sim_wire {
    uint32_t mss_bytes;    /* payload of a full segment */
    uint32_t header_bytes; /* added to every segment, in buffers and on the wire */
    uint32_t ack_bytes;    /* an ACK, in buffers and on the wire */
    uint32_t gap_bytes;    /* added on the wire only: preamble and inter-packet gap */
};

#endif
