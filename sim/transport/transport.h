/*
 * transport.h - how the two ends of a flow behave: one table of operations per transport. A transport sees its flow,
 * the host it runs on and the time; it sends only when the NIC asks (emit), so that a window or a rate is applied at
 * the moment of sending and no queue of unsent packets exists. Congestion controls of the TCP family are a table below
 * this one (tcp_control.h), those of RoCE another one (roce_control.h).
 */
#ifndef SIM_TRANSPORT_TRANSPORT_H
#define SIM_TRANSPORT_TRANSPORT_H

#include "sim/transport/nic.h"

enum transport_more {
    TRANSPORT_NOTHING, /* no packet was made, and none can be sent now */
    TRANSPORT_LAST,    /* one was made; no more for now */
    TRANSPORT_MORE     /* one was made, and the next may follow at once */
};

struct transport {
    const char *name;
    const char *title;
    const char *source; /* paper or RFC, and deviations */

    /* The flow starts: runs on the source host. Calls host_flow_ready when it has something to send. */
    void (*open)(struct host *host, struct flow *flow, weir_ps now);

    /* The NIC is free and it is the flow's turn. Fills `packet` (segment, bytes, flags; ack 0); the NIC fills in flow,
     * destination, class and sending time. A flow that answers LAST or NOTHING leaves the ready list. */
    enum transport_more (*emit)(struct host *host, struct flow *flow, struct packet *packet, weir_ps now);

    /* A data packet arrived at the destination. The packet stays the caller's, which takes it back afterwards. */
    void (*data)(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now);

    /* Feedback arrived at the source; null: the transport has none. */
    void (*ack)(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now);

    /* flow->sender_due_ps (runs on the source) or receiver_due_ps (on the destination) has come. Due times may be moved
     * later or to WEIR_NEVER freely; to move one earlier, or to set it first, call host_*_timer. Before the call the
     * due time is set to WEIR_NEVER. Null: never used. */
    void (*sender_timer)(struct host *host, struct flow *flow, weir_ps now);
    void (*receiver_timer)(struct host *host, struct flow *flow, weir_ps now);

    /* The flow's memory is about to be reused, or the run ends: give back what was allocated for it. May be null. */
    void (*close)(struct host *host, struct flow *flow);
};

extern const struct transport transport_newreno, transport_cubic, transport_dctcp, transport_udp;
extern const struct transport transport_none, transport_dcqcn, transport_hpcc, transport_timely;
extern const struct transport transport_powertcp, transport_powertcp_delay;

/* All of them, null-terminated. */
extern const struct transport *const transport_table[];
const struct transport *transport_find(const char *name);

#endif
