/*
 * dataplane_rig.h - a software switch under test between two rings per port: frames are put into one and taken from the
 * other by the test, while the switch runs on its own processors. Neither root nor huge pages are needed; where DPDK
 * cannot be started all the same, the test says so and counts as skipped.
 *
 *   struct rig rig;
 *   rig_config(&rig, 4, 2, 100000);            4 ports, 2 classes, 100000 cells of 1 byte
 *   rig.config.gap_bytes = 24;                 whatever differs from the usual values
 *   rig_start(&rig, "dt", "alpha=1");
 *   rig_send(&(struct rig_frame){.input = 0, .to = 1});
 *   assert_true(rig_waits_for(1, 1));
 *   rig_end(&rig);                             stops, empties the rings, and misses no mbuf
 */
#ifndef TESTS_SUPPORT_DATAPLANE_RIG_H
#define TESTS_SUPPORT_DATAPLANE_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <rte_mbuf.h>

#include "switch/dpdk/dataplane.h"
#include "switch/dpdk/handover.h"

#define RIG_PORTS 4u
#define RIG_PATIENCE_MS 300000u /* before a frame that does not come is missed: machines may be busy */
#define RIG_BROADCAST UINT32_MAX
#define RIG_GRACE (10 * WEIR_PS_PER_S)

struct rig {
    struct weir_mmu_config mmu;
    struct weir_values values, ingress_values;
    struct dataplane_config config;
    struct dataplane *dp;
    uint32_t mbufs_in_use; /* of the switch's own, before it was started */
};

/* An IPv4 frame of host `from` (0: the input port + 1) to host `to`; host h has the address 02:00:00:00:00:h. */
struct rig_frame {
    uint32_t input;    /* port */
    uint32_t from, to; /* hosts; RIG_BROADCAST */
    uint32_t bytes;    /* without check sequence; 0: 60 */
    uint8_t tos;       /* DSCP and ECN */
    uint32_t number;   /* found again by rig_number */
};

/* First and last in every program with a rig; exits with 77 where DPDK cannot be started. After a failed case its
 * switch still runs, so that nothing is taken apart. Returns `failed`. */
void rig_begin(void);
int rig_finish(int failed);

void rig_config(struct rig *rig, uint32_t ports, uint32_t classes, weir_cells buffer_cells);

/* Receiving and expulsion on one processor, forwarding and sending on another; false: there is only one. */
bool rig_pipeline(struct rig *rig);

/* Makes the switch, with settings of the policy as "name=value:name=value" or null; then starts it. */
void rig_build(struct rig *rig, const char *policy, const char *settings);
void rig_start(struct rig *rig, const char *policy, const char *settings);

void rig_stop(struct rig *rig, weir_ps grace_ps);

/* Stops, checks that the counters add up and that every mbuf is back, and frees the switch. */
void rig_end(struct rig *rig);

/* A frame with these bytes, to be put into a port. */
struct rte_mbuf *rig_mbuf(const uint8_t *bytes, uint32_t length);
void rig_put(uint32_t input, struct rte_mbuf *mbuf);
void rig_send(const struct rig_frame *frame);

/* Whether so many frames have come out of a port before the patience ends; they stay in the ring. */
bool rig_waits_for(uint32_t output, uint32_t count);
uint32_t rig_waiting(uint32_t output);

/* The peer of a port takes nothing: its ring is filled up with frames of nobody; and takes them all. */
void rig_stall(uint32_t output);
void rig_go_on(uint32_t output);

/* The next frame that came out of a port, or null; to be freed. */
struct rte_mbuf *rig_take(uint32_t output);
uint32_t rig_number(const struct rte_mbuf *mbuf);

/* Waits until the switch has taken all frames from the rings and nothing is in it any more. */
void rig_settle(struct rig *rig);

struct dataplane_port_counters rig_counters(struct rig *rig, uint32_t port);
struct weir_account_counters rig_account(struct rig *rig, uint32_t port, uint32_t tc);

/* The device of a port, for those who know DPDK. */
uint16_t rig_device(uint32_t port);

#endif
