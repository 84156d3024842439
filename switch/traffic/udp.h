/*
 * udp.h - UDP flows, which no request starts: their source sends them when they start, at the constant rate of their
 * transport, and their destination counts what arrives. A datagram stands for a segment of the scenario and makes a
 * frame of the same size.
 */
#ifndef TRAFFIC_UDP_H
#define TRAFFIC_UDP_H

#include "switch/traffic/client.h"
#include "switch/traffic/server.h"

struct udp_out;

struct udp {
    const struct network *network;
    const struct sim_wire *wire;
    struct client *client;
    struct server *server;
    struct udp_out *out; /* by index: flows that are sent from here */
    uint32_t count;
    uint32_t *in; /* indices into the client's plan, by id: flows that arrive here */
    uint32_t in_count;
    struct loop_source *source; /* null: the scenario has no UDP */
    int64_t retry_ns;           /* when the interface may take more; 0: it takes all */
};

/* Of flows of client and server. CLI_OK or an exit code after one line; release with udp_free either way. */
int udp_init(struct udp *udp, struct client *client, struct server *server, const struct scenario *scenario,
             uint32_t scale);
void udp_free(struct udp *udp);

/* Sends what is due. */
void udp_act(struct udp *udp, int64_t now_ns);

/* When it next wants to act; INT64_MAX: never. */
int64_t udp_next_ns(const struct udp *udp);

#endif
