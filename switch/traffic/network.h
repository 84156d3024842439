/*
 * network.h - who this host is and how it reaches the others.
 */
#ifndef TRAFFIC_NETWORK_H
#define TRAFFIC_NETWORK_H

#include "switch/traffic/sockets.h"

#define NETWORK_HOSTS_MAX 4096u
#define NETWORK_TRANSPORTS_MAX 256u

/* A transport of the scenario as sockets have it. */
struct network_transport {
    struct socket_settings data; /* of the end that sends the flow */
    struct socket_settings acks; /* of the end that asks for it */
    bool udp;                    /* sources send unasked; see udp.h */
};

struct network {
    uint32_t host, hosts;
    struct in_addr address[NETWORK_HOSTS_MAX];
    uint16_t port; /* of the first transport; the next ones follow */
    uint32_t transports;
    struct network_transport transport[NETWORK_TRANSPORTS_MAX];
};

#endif
