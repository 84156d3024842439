/*
 * client.h - the receiving end of flows: asks for each at its time, over a connection that waits or a new one, and
 * notes when it has all. A flow whose connection breaks stays unfinished; the others go on.
 */
#ifndef TRAFFIC_CLIENT_H
#define TRAFFIC_CLIENT_H

#include "switch/traffic/host_flows.h"
#include "switch/traffic/idle.h"
#include "switch/traffic/loop.h"
#include "switch/traffic/network.h"
#include "switch/traffic/tcp_counts.h"

#define CLIENT_NEVER INT64_C(-1)

/* What became of a flow at its destination. Times from the start of the run. */
struct client_flow {
    int64_t start_ns;  /* asked for; CLIENT_NEVER: not launched */
    int64_t finish_ns; /* had all of it; or CLIENT_NEVER */
    int64_t delivered_bytes;
    uint64_t packets;         /* UDP: that came */
    struct tcp_counts counts; /* of its request, and of a connection that was opened for it */
};

struct client_link;

struct client {
    struct loop *loop;
    const struct network *network;
    const struct host_flow_list *plan;
    struct client_flow *flows; /* [plan->count] */
    int64_t zero_ns;           /* the start of the run (wall.h) */
    uint32_t launched;         /* the first so many of the plan */
    uint32_t finished, failed; /* of those launched; failed: they never will be */
    int64_t late_ns;           /* the most that a launch came after its time */
    struct idle idle;
    struct client_link *links;   /* all of them */
    struct client_link *retries; /* those that try to connect again, by time */
    bool said;                   /* that a host cannot be reached */
};

/* False: out of memory; release with client_free either way. */
bool client_init(struct client *client, struct loop *loop, const struct network *network,
                 const struct host_flow_list *plan);
void client_free(struct client *client);

/* Opens so many connections to each host and transport that flows are asked from. False: out of memory. */
bool client_warm_up(struct client *client, uint32_t connections);

/* Launches what is due and connects again where that is due. False: out of memory. */
bool client_act(struct client *client, int64_t now_ns);

/* When it next wants to act; INT64_MAX: never by itself. */
int64_t client_next_ns(const struct client *client);

/* Notes what TCP counted for the flows that are under way. */
void client_settle(struct client *client);

/* True when all flows were launched and none is under way. */
bool client_is_done(const struct client *client);

#endif
