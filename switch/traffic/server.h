/*
 * server.h - the sending end of flows: listens on a port per transport and answers each request with the bytes asked
 * for. What TCP had to do for a flow is read when the next request comes or the connection ends, so that
 * retransmissions of its last segments count.
 */
#ifndef TRAFFIC_SERVER_H
#define TRAFFIC_SERVER_H

#include "switch/traffic/host_flows.h"
#include "switch/traffic/loop.h"
#include "switch/traffic/network.h"
#include "switch/traffic/tcp_counts.h"

/* What became of a flow at its source. */
struct server_flow {
    bool asked;
    bool done; /* all of it was handed to TCP, or to the interface */
    int64_t sent_bytes;
    uint64_t packets; /* UDP: that were sent */
    struct tcp_counts counts;
};

struct server_link;

struct server {
    struct loop *loop;
    const struct network *network;
    const struct host_flow_list *plan;
    struct server_flow *flows; /* [plan->count] */
    uint32_t done;             /* of them */
    struct loop_source *listener[NETWORK_TRANSPORTS_MAX];
    struct server_link *links; /* all of them */
    bool full;                 /* no descriptor is left for another connection */
    uint64_t strange;          /* requests that do not fit the scenario */
};

/* Listens. CLI_OK or an exit code after one line; release with server_free either way. */
int server_init(struct server *server, struct loop *loop, const struct network *network,
                const struct host_flow_list *plan);
void server_free(struct server *server);

/* True when every flow was asked for and acknowledged to its end. */
bool server_is_done(const struct server *server);

/* Reads what TCP has counted for the flows of connections that are still open. */
void server_settle(struct server *server);

#endif
