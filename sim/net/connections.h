/*
 * connections.h - connections between hosts that flows take and leave: those that rest, by source, destination and
 * transport, the last that came to rest first, as weir-traffic has them (switch/traffic/idle.h). Each pair of hosts is
 * touched only where its flows start, so that the order in which nodes run does not matter.
 */
#ifndef SIM_NET_CONNECTIONS_H
#define SIM_NET_CONNECTIONS_H

#include "sim/transport/flow.h"

struct connection_pair {
    uint32_t source, destination;
    const struct sim_transport *transport; /* null: this place is free */
    struct connection *resting;
    uint32_t made;
};

struct connections {
    struct connection_pair *pairs; /* a hash table with open addressing */
    uint32_t count, room;          /* room: 0 or a power of two */
    struct connection **all;       /* to be freed */
    uint32_t all_count, all_room;
};

/* One that rests, or a new one; null: out of memory. */
struct connection *connections_take(struct connections *connections, const struct flow *flow);

/* What the other end of a flow knows of a connection that was taken at another rank: the same each time for the same
 * number. Null: out of memory. */
struct connection *connections_copy(struct connections *connections, const struct flow *flow, uint32_t number);

/* False: out of memory. */
bool connections_rest(struct connections *connections, const struct flow *flow, struct connection *connection);
void connections_free(struct connections *connections);

#endif
