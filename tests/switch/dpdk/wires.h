/*
 * wires.h - what is plugged into a software switch under test: each port is a pair of rings (net_ring), so that a test
 * is both ends of every cable, sees every frame, and can count every mbuf.
 */
#ifndef TESTS_DPDK_WIRES_H
#define TESTS_DPDK_WIRES_H

#include <rte_mbuf.h>
#include <rte_ring.h>

#include "switch/dpdk/dataplane.h"
#include "switch/dpdk/handover.h"

#define WIRES_PORTS 8u
#define WIRES_BURST 32u
#define WIRES_RING_FRAMES 1024u
#define WIRES_SEGMENT_BYTES 2048u

struct wires {
    uint32_t ports;
    struct rte_mempool *pool;          /* of the frames that the test sends */
    struct rte_ring *in[WIRES_PORTS];  /* to the switch */
    struct rte_ring *out[WIRES_PORTS]; /* from it */
    uint16_t device[WIRES_PORTS];
    char name[WIRES_PORTS][32];
    const char *names[WIRES_PORTS]; /* for dataplane_config.devices */
};

/* Starts DPDK's environment, once for the program, which says so and counts as skipped when it cannot. */
void wires_environment(const char *program);

/* The usual config of a switch that this environment can run: all modules on the last processor that the process may
 * use, or, as a pipeline, receiving and sending on the first and the rest on the last. */
void wires_config(struct dataplane_config *config, bool pipeline);

/* Cables for so many ports and `mbufs` frames, each with room for `private_bytes` that are the test's. */
void wires_make(struct wires *wires, uint32_t ports, uint32_t mbufs, uint32_t private_bytes);

/* After the switch is gone; fails the test when a frame is missing. */
void wires_free(struct wires *wires);

/* Hands frames to a port; returns how many it took. */
static inline uint32_t wires_send(struct wires *wires, uint32_t port, struct rte_mbuf **mbufs, uint32_t count)
{
    mbufs_give(mbufs, count);
    return rte_ring_sp_enqueue_burst(wires->in[port], (void **)mbufs, count, NULL);
}

static inline uint32_t wires_take(struct wires *wires, uint32_t port, struct rte_mbuf **mbufs, uint32_t max)
{
    uint32_t count = rte_ring_sc_dequeue_burst(wires->out[port], (void **)mbufs, max, NULL);
    mbufs_take(mbufs, count);
    return count;
}

/* The address of the host behind a port. */
void wires_address(uint8_t mac[6], uint32_t port);

/* The policy on its side; a headroom scheme with lossless classes 1 to 3 and DT for the others. Everything else of the
 * config is set; the buffer grows by the headroom. */
void wires_policy(struct weir_mmu_config *mmu, const struct weir_policy *policy);

/* Sums over all ports and accounts. */
struct wires_sums {
    uint64_t in, out, lost, copies, discarded, control_in, control_out, offered;
    uint64_t sent, dropped; /* by the MMUs */
    uint64_t trimmed, copies_ended;
    uint64_t held_bytes; /* in the MMUs */
};
void wires_count(struct dataplane *dataplane, const struct dataplane_config *config, struct wires_sums *sums);

/* Everything that came in is accounted for, and the MMUs are empty. */
bool wires_balanced(const struct wires_sums *sums);
void wires_print(const struct wires_sums *sums);

#endif
