/*
 * tcp_sender.h - the operations that every transport of the TCP family has in common. A congestion control adds its
 * tcp_control and an `open` that names it.
 */
#ifndef SIM_TRANSPORT_TCP_SENDER_H
#define SIM_TRANSPORT_TCP_SENDER_H

#include "sim/transport/tcp_control.h"
#include "sim/transport/tcp_receiver.h"
#include "sim/transport/transport.h"

void tcp_open(struct host *host, struct flow *flow, const struct tcp_control *control);
enum transport_more tcp_emit(struct host *host, struct flow *flow, struct packet *packet, weir_ps now);
void tcp_ack(struct host *host, struct flow *flow, const struct packet *packet, weir_ps now);
void tcp_sender_timer(struct host *host, struct flow *flow, weir_ps now);
void tcp_close(struct host *host, struct flow *flow);

/* Checks what must hold of the sender between two calls; null, or what does not. Runs by itself in builds with
 * WEIR_CHECKS. */
const char *tcp_check(const struct flow *flow);

/* The cube root, in plain IEEE arithmetic (tcp_cubic.c). */
double tcp_cubic_root(double x);

#define TCP_OPERATIONS                                                                                                 \
    .emit = tcp_emit, .data = tcp_data, .ack = tcp_ack, .sender_timer = tcp_sender_timer,                              \
    .receiver_timer = tcp_receiver_timer, .close = tcp_close

#define TCP_DEVIATIONS "marks are echoed packet by packet; no rescue retransmission; no undo of needless reductions"

#endif
