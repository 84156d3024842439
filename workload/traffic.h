/*
 * traffic.h - where flows come from. Open traffic (Poisson, queries, incast, bursts, lists) depends on nothing that
 * happens in the network, so it is drawn ahead of time, window by window, in one order: (time, index of the traffic,
 * stream within it). Closed traffic (all-to-all, all-reduce) continues at the host where a flow ended.
 *
 * Where the settings leave room:
 * - Nothing is launched at or after until_ps, whatever the kind: a collective stops there. Starts of listed flows and
 *   packets are absolute; those outside of [from, until) are left out.
 * - A rack is the set of hosts of one switch. The next rack belongs to the next higher switch that has hosts. Patterns
 *   choose among the hosts of the other range; a host without an eligible peer is an error. For QUERY, INCAST and
 *   BURSTS the pattern is seen from the client (a host of the destination range), and responders are of the source
 *   range, drawn each time. PERMUTATION needs ranges of equal size.
 * - The load of QUERY and BURSTS is the load of the client's link, for the mean bytes of a whole query or burst.
 * - `periodic` launches happen at from_ps and then every 1/rate_per_s, rounded to a picosecond. Exponential ones begin
 *   with a gap. POISSON cannot be periodic.
 * - INCAST and BURSTS have one destination: destination_count is 0 or 1.
 * - LONG: the j-th flow starts at from_ps + j interval_ps, counted over sources and then over `concurrency`. With a
 *   destination range and pattern UNIFORM the i-th source sends to the destination i modulo their number; else each
 *   source's partner is drawn once, by the pattern.
 * - ALL_TO_ALL and ALL_REDUCE are among the hosts of the source range; the destination range is left out (or the same),
 *   `group` is the round. Rounds follow each other at each host without waiting for the others. ALL_REDUCE sends
 *   bytes/2 over each edge of two trees, in both directions.
 * - PACKETS: bytes is what remains of the packet without the header, at least 1; cookie is its class.
 */
#ifndef WORKLOAD_TRAFFIC_H
#define WORKLOAD_TRAFFIC_H

#include "topology/topology.h"
#include "workload/sizes.h"

enum traffic_type {
    TRAFFIC_POISSON,    /* flows by a size table at a load */
    TRAFFIC_QUERY,      /* partition-aggregate: fan_out responders answer a client together */
    TRAFFIC_INCAST,     /* one burst of many senders to one receiver, at given times */
    TRAFFIC_ALL_TO_ALL, /* each host sends to every other, a bounded number at once */
    TRAFFIC_ALL_REDUCE, /* double binary tree: reduce, then broadcast */
    TRAFFIC_BURSTS,     /* on-off: bursts of given size from a set of hosts to one */
    TRAFFIC_LONG,       /* given number of endless or sized flows between given hosts, from a time on */
    TRAFFIC_LIST,       /* flows listed one by one */
    TRAFFIC_PACKETS,    /* packets listed one by one (pcap, trace) */
    TRAFFIC_COUNT
};

enum traffic_pattern {
    TRAFFIC_PATTERN_UNIFORM,     /* any other host */
    TRAFFIC_PATTERN_OTHER_RACK,  /* any host on another switch */
    TRAFFIC_PATTERN_NEXT_RACK,   /* any host of the next switch, cyclically */
    TRAFFIC_PATTERN_PERMUTATION, /* a fixed random permutation without fixed points */
    TRAFFIC_PATTERN_ONE_TO_ONE,  /* host i to host i + hosts/2 */
    TRAFFIC_PATTERN_COUNT
};

/* One flow of a list. */
struct listed_flow {
    weir_ps start_ps;
    uint32_t source, destination;
    int64_t bytes;
    uint32_t tag;
};

/* One packet of a list. */
struct listed_packet {
    weir_ps start_ps;
    uint32_t source, destination;
    uint32_t bytes;
    uint8_t tc;
};

struct traffic_settings {
    enum traffic_type kind;
    uint32_t transport;        /* index into sim_config.transports */
    uint32_t tag;              /* of its flows: how measurement tells them apart; tag_names[tag] */
    weir_ps from_ps, until_ps; /* launches in [from, until) */
    /* hosts that send and that receive, both as ranges [first, first + count); count 0: all hosts */
    uint32_t source_first, source_count;
    uint32_t destination_first, destination_count;
    enum traffic_pattern pattern;
    /* POISSON: load of each sender's link, divided by `oversubscription`; QUERY, BURSTS: of each client's link, if
     * rate_per_s is 0 */
    const struct size_table *sizes; /* QUERY, INCAST, BURSTS: of each flow, when bytes is 0 */
    double load;
    double oversubscription; /* 1: none */
    /* QUERY, INCAST, BURSTS */
    double rate_per_s; /* per client (QUERY) or source set (BURSTS); exponential gaps unless `periodic` */
    bool periodic;
    uint32_t fan_out;     /* responders of a query, senders of an incast; 0: all eligible */
    uint32_t fan_out_min; /* not 0: drawn evenly from fan_out_min to fan_out for each */
    int64_t bytes;        /* of a whole query or burst, shared evenly; of each flow for ALL_TO_ALL and LONG; of what
                           * each host contributes to ALL_REDUCE, half of it over each tree */
    uint32_t batch;       /* POISSON: flows that start together, each with a size and destination of its own; 0: one */
    /* ALL_TO_ALL, ALL_REDUCE, LONG */
    uint32_t concurrency; /* flows a host keeps going; LONG: flows per (source, destination) pair */
    uint32_t rounds;      /* repetitions of the collective; INCAST: bursts */
    weir_ps interval_ps;  /* between INCAST bursts or LONG starts */
    /* LIST, PACKETS: sorted by start */
    const struct listed_flow *flows;
    const struct listed_packet *packets;
    uint32_t listed;
};

#define FLOW_ENDLESS INT64_MAX /* bytes of a flow that never ends */
#define FLOW_NO_GROUP UINT32_MAX

/* What traffic asks for. */
struct flow_request {
    uint32_t source, destination; /* hosts, different */
    int64_t bytes;                /* payload, at least 1, or FLOW_ENDLESS */
    weir_ps start_ps;
    uint32_t traffic; /* index into sim_config.traffic; its transport and tag are the flow's */
    uint32_t tag;
    uint32_t group;        /* query or burst number within that traffic, or FLOW_NO_GROUP */
    uint32_t cookie;       /* the traffic's own, for what follows the flow's end */
    uint32_t packet_bytes; /* a single packet of exactly this size (TRAFFIC_PACKETS), else 0 */
    uint8_t packet_tc;     /* and of this class */
};

/* Where and of what flows are made; the pointers stay the caller's. */
struct workload {
    uint64_t seed;
    const struct topology *topology;
    const uint32_t *host_switch;            /* [hosts]: the switch, from 0, that a host hangs on */
    uint32_t header_bytes, mss_bytes;       /* of every packet */
    const struct traffic_settings *traffic; /* [traffic_count] */
    uint32_t traffic_count;
    uint32_t tag_count;
};

/* A flow of closed traffic, as its traffic knows it. */
struct flow_ended {
    uint32_t traffic, source, destination, cookie;
};

struct traffic;

/* How traffic reaches the rest of the simulation. */
struct traffic_sink {
    void *context;
    /* A flow with this id is to start at request->start_ps. */
    bool (*start)(void *context, uint32_t id, const struct flow_request *request);
};

#define TRAFFIC_PART "traffic" /* the part that errors name, with the index of the traffic */

/* Memory for every source; null with an error on bad settings or out of memory. Draws come
 * from streams named after the traffic's index and the host, e.g. "traffic/3/host/17"; fan-outs and sizes of QUERY,
 * INCAST and BURSTS from others ("traffic/3/shape/17"). What `workload` points to must outlive it. */
struct traffic *traffic_create(const struct workload *workload, struct weir_error *error);
void traffic_free(struct traffic *traffic);

/* When the next open flow starts; WEIR_NEVER when there is none. */
weir_ps traffic_next(const struct traffic *traffic);

/* Starts every open flow with start_ps < end, in order; false: the sink refused (out of memory), or no id is left. Ids
 * count from 1: first the blocks that closed traffics set aside, in order; then open flows as they are made. The first
 * flows of closed traffic come from here too, at from_ps. */
bool traffic_advance(struct traffic *traffic, weir_ps end, const struct traffic_sink *sink);

/*
 * A flow of closed traffic ended at one of its ends; starts what follows from it at `now`: only flows whose source is
 * that same host (flow->source when `receiver` is false, else flow->destination). Their ids were set aside at creation
 * and do not depend on the order of calls for different hosts; each host's state is its own.
 */
bool traffic_ended(struct traffic *traffic, const struct flow_ended *flow, bool receiver, weir_ps now,
                   const struct traffic_sink *sink);

/* True when a flow of this traffic must be reported to traffic_ended. */
bool traffic_is_closed(const struct traffic_settings *source);

#endif
