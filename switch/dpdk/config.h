/*
 * config.h - everything a software switch is made from: plain data, free of DPDK's types, so that the part which reads
 * scenario files can fill it on a machine without DPDK. Start from dataplane_config_init. Pointers stay the caller's
 * and must outlive the dataplane.
 *
 * All times and rates are those of the emulated switch. Its clock runs `time_scale` times slower than the machine's: at
 * 100, a port of 10 Gb/s sends 100 Mb/s, a link of 20 us takes 2 ms, and a policy's timer of 10 us runs for 1 ms. The
 * one place that knows is the dataplane's clock.
 */
#ifndef DPDK_CONFIG_H
#define DPDK_CONFIG_H

#include "weir/switch.h"

#define DATAPLANE_PORTS_MAX 64u
#define DATAPLANE_LCORES_MAX 64u
#define DATAPLANE_DSCP_COUNT 64u
#define DATAPLANE_PCP_COUNT 8u
#define DATAPLANE_BURST_MAX 256u
#define DATAPLANE_REACTION_AUTO (-1)
#define DATAPLANE_TRIM_MIN_BYTES 64u /* with two tags and the header of IPv4 or IPv6 */

/* What decides the class of a frame; frames that do not have it are of class 0. */
enum dataplane_classify {
    DATAPLANE_CLASSIFY_DSCP, /* of IPv4 or IPv6, also behind VLAN tags */
    DATAPLANE_CLASSIFY_PCP,  /* of the outermost VLAN tag */
    DATAPLANE_CLASSIFY_NONE  /* class 0 for all */
};

/* The modules of the switch. Each runs on one or more processors; modules on the same processor take turns. */
enum dataplane_module {
    DATAPLANE_RX,      /* polls the ports; ports are dealt out over its processors */
    DATAPLANE_FORWARD, /* looks up, classifies, asks the MMU; one processor */
    DATAPLANE_TX,      /* takes packets from the MMU as port rates allow; ports are dealt out over its processors */
    DATAPLANE_EXPEL,   /* offers spare memory bandwidth to the policy; one processor */
    DATAPLANE_MODULES
};

/* Processors of a module, as numbers of the operating system. */
struct dataplane_cpus {
    uint32_t cpu[DATAPLANE_LCORES_MAX];
    uint32_t count;
};

/* An address that is always behind one port. */
struct dataplane_address {
    uint8_t mac[6];
    uint32_t port;
};

struct dataplane_config {
    /* Devices: of each port what DPDK calls a device, "net_af_packet0,iface=veth0" or a PCI address. */
    const char *const *devices; /* [ports] */
    uint32_t ports;
    uint32_t mtu_bytes;        /* largest IP packet; frames may be 18 bytes and two VLAN tags longer */
    uint32_t mbufs;            /* in the pool; 0: enough for buffer, rings, lines and devices */
    uint32_t device_rx_frames; /* descriptors asked of a device */
    uint32_t device_tx_frames;
    uint32_t burst; /* most frames per poll of a port */

    /* Where modules run. All on one processor: run to completion. Nothing set: all on the first allowed one. */
    struct dataplane_cpus cpus[DATAPLANE_MODULES];
    bool sleeps; /* a processor that finds nothing to do for a while sleeps for some 50 us: for shared machines */

    /* Forwarding */
    enum dataplane_classify classify;
    uint8_t class_of_dscp[DATAPLANE_DSCP_COUNT];
    uint8_t class_of_pcp[DATAPLANE_PCP_COUNT];
    int8_t trim_dscp[DATAPLANE_PORTS_MAX]; /* of what the port sends of a trimmed frame; -1: the frame's own */
    bool learning;                         /* else only `addresses` are known */
    bool flooding;          /* frames to unknown and group addresses go to all other ports, else they are dropped */
    weir_ps aging_ps;       /* a learned address is forgotten after so long without a frame from it; machine time */
    uint32_t addresses_max; /* learned ones */
    const struct dataplane_address *addresses; /* [address_count] */
    uint32_t address_count;

    /* Links */
    uint32_t gap_bytes;       /* taken on the wire beyond the frame as it is in memory: FCS, preamble, gap */
    const weir_ps *delays_ps; /* [ports]: one-way delay that is added on the way in and on the way out; null: none */
    bool paced_inputs;        /* a port takes in frames no faster than its rate: the sender's link, emulated */

    /* The buffer: ports, rates, MMUs, policies. sw.ports is `ports`. */
    struct weir_switch_config sw;

    /* PFC, when the MMU has lossless classes: class c is priority c. */
    uint32_t pfc_quanta; /* pause time in a frame; renewed when half of it is over */
    weir_ps reaction_ps; /* machine time: the longest that a processor of this switch, or of the peers', is taken to be
                            away. Headroom is sized by it. DATAPLANE_REACTION_AUTO: to be measured before the start */

    uint32_t time_scale; /* at least 1 */

    /* Memory of EAL */
    bool no_huge;        /* ordinary pages; also taken by itself when the machine has no free huge ones */
    uint32_t memory_mib; /* with ordinary pages; 0: what the mbufs need */
};

/* One class per three bits of DSCP or PCP (class c: DSCP 8c to 8c + 7), 1500-byte MTU, learning and flooding on,
 * scale 1, no delays. The highest class takes what would be above it once sw is known: dataplane_config_check. */
void dataplane_config_init(struct dataplane_config *config);

/* True when it can be built, else one line in `error`. */
bool dataplane_config_check(const struct dataplane_config *config, struct weir_error *error);

#endif
