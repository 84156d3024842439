/*
 * host_nic.h - what a NIC can have beyond its turns (sim_hosts in config.h): a wait before it begins to send, an order
 * by class, a queue of packets. A host with none of them has no struct host_nic and does nothing of this.
 *
 * The queue is host->control, from which a NIC sends first anyway: packets go there as soon as transports can make
 * them, data and feedback alike, and flows wait in host->ready only while it is full. With priorities both lists are
 * sorted by class.
 */
#ifndef SIM_NET_HOST_NIC_H
#define SIM_NET_HOST_NIC_H

#include "sim/net/host.h"

struct host_nic {
    enum sim_nic kind;
    weir_ps jitter_ps;          /* 0: none */
    uint64_t draws, salt;       /* of waits */
    bool waits;                 /* something waited when the host was last looked at */
    bool drops;                 /* queue: loses what does not fit, else flows wait */
    uint32_t limit, packets;    /* queue: at most, and now */
    uint32_t per_flow;          /* queue: data packets of one flow at most; 0: any number */
    struct packet_list control; /* queue: feedback that was made by this event */
};

/* Gives the host what the config says; its links are there. False: out of memory. */
bool host_nic_init(struct host *host);

/* Part of that: the link from a host goes by that host's clock. */
void host_nic_drift(const struct sim *sim, uint32_t host, struct link *out);

/* After every event of a host with a struct host_nic, and before it looks when it may send. */
void host_nic_prepare(struct host *host, weir_ps now);

/* A packet leaves the queue; if its flow waits for that, it goes on. */
void host_nic_leave(struct host *host, const struct packet *packet);

/* Puts a flow that may send, or a packet, in its place by class; `first`: before those of its class. */
void host_nic_insert_flow(struct host *host, struct flow *flow);
void host_nic_insert_control(struct host *host, struct packet *packet, bool first);

#endif
