/*
 * tcp_counts.h - what the kernel's TCP had to do to deliver: retransmissions and timeouts of a connection so far.
 */
#ifndef TRAFFIC_TCP_COUNTS_H
#define TRAFFIC_TCP_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TCP_COUNTS_UNKNOWN (-1) /* kernels before 6.7 do not count timeouts */

struct tcp_counts {
    int64_t retransmits; /* segments */
    int64_t timeouts;    /* or TCP_COUNTS_UNKNOWN */
};

/* False: the kernel does not say; everything is 0. */
bool tcp_counts_read(int fd, struct tcp_counts *counts);

/* From what TCP_INFO gave: `size` bytes. */
bool tcp_counts_from(const uint8_t *info, size_t size, struct tcp_counts *counts);

/* What was added from `before` to `now`. The kernel's counts wrap; they are compared in their own width. */
struct tcp_counts tcp_counts_since(const struct tcp_counts *before, const struct tcp_counts *now);

#endif
