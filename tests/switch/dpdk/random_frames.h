/*
 * random_frames.h - frames as a switch may meet them: good ones of every kind that it knows, and damaged ones.
 */
#ifndef TESTS_DPDK_RANDOM_FRAMES_H
#define TESTS_DPDK_RANDOM_FRAMES_H

#include "weir/random.h"

#define RANDOM_FRAME_MAX 9216u

/* Writes one and returns its length, which is at least 1. Hosts are those of wires_address. */
uint32_t random_frame(struct weir_random *random, uint32_t ports, uint8_t bytes[RANDOM_FRAME_MAX]);

#endif
