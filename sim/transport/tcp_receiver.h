/*
 * tcp_receiver.h - the receiving end of a TCP flow.
 */
#ifndef SIM_TRANSPORT_TCP_RECEIVER_H
#define SIM_TRANSPORT_TCP_RECEIVER_H

#include "sim/transport/nic.h"

void tcp_data(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now);
void tcp_receiver_timer(struct host *host, struct flow *flow, weir_ps now);

/* As tcp_check, for this end. */
const char *tcp_receiver_check(const struct flow *flow);

#endif
