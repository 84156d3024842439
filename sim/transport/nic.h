/*
 * nic.h - what a transport may ask of the host that it runs on: its turn at the NIC, packets, timers, memory. Kept by
 * sim/net/host.c, so that transports see no host from inside.
 */
#ifndef SIM_TRANSPORT_NIC_H
#define SIM_TRANSPORT_NIC_H

#include "sim/engine/config.h"
#include "sim/transport/flow.h"

struct host;

/* The flow has something to send: it takes its turn at the NIC. No effect when it waits there already. */
void host_flow_ready(struct host *host, struct flow *flow);

/* A fresh packet for feedback on `flow`, addressed to its source; send it with host_send. Null: out of memory, which
 * ends the run with an error. */
struct packet *host_feedback(struct host *host, struct flow *flow);
void host_send(struct host *host, struct packet *packet);

/* Sets the due time of one end of the flow and makes sure that the host wakes for it. */
void host_sender_timer(struct host *host, struct flow *flow, weir_ps due);
void host_receiver_timer(struct host *host, struct flow *flow, weir_ps due);

/* Every byte was acknowledged (or, without feedback, sent). The flow may be gone after the call if the receiver is done
 * too: return at once. */
void host_sender_done(struct host *host, struct flow *flow, weir_ps now);

/* The receiver has every byte. Sets finish_ps. The flow may be gone after the call. */
void host_receiver_done(struct host *host, struct flow *flow, weir_ps now);

/* Payload that arrived for the first time, for goodput. */
void host_delivered(struct host *host, struct flow *flow, uint32_t bytes, weir_ps now);

/* How long a packet was under way, for the delays of its tag; only of transports without feedback. */
void host_delayed(struct host *host, struct flow *flow, weir_ps delay_ps);

const struct sim_wire *host_wire(const struct host *host);
uint64_t host_seed(const struct host *host);
weir_bps host_rate(const struct host *host);

/* Memory for a flow's bitmaps: `words` of 64 bits, zeroed; free with the same size. Null: out of memory, which ends the
 * run with an error after this event. */
uint64_t *host_words(struct host *host, uint32_t words);
void host_words_free(struct host *host, uint64_t *memory, uint32_t words);

#endif
