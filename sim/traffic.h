/*
 * traffic.h - where flows come from. Open traffic (Poisson, queries, incast, bursts, lists) depends on nothing that
 * happens in the network, so it is drawn ahead of time, window by window, in one order: (time, index of the traffic,
 * stream within it). Closed traffic (all-to-all, all-reduce) continues at the host where a flow ended.
 *
 * Where config.h leaves room:
 * - Nothing is launched at or after until_ps, whatever the kind: a collective stops there. Starts of listed flows and
 *   packets are absolute; those outside of [from, until) are left out.
 * - A rack is the set of hosts of one switch. The next rack is that of the next higher switch that has hosts. Patterns
 *   choose among the hosts of the other range; a host that nobody is eligible for is an error. For QUERY, INCAST and
 *   BURSTS the pattern is seen from the client (a host of the destination range), and responders are of the source
 *   range, drawn anew each time. PERMUTATION needs ranges of equal size.
 * - The load of QUERY and BURSTS is that of the client's link, for the mean bytes of a whole query or burst.
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
#ifndef SIM_TRAFFIC_H
#define SIM_TRAFFIC_H

#include "sim/config.h"
#include "sim/flow.h"

struct traffic;

/* How traffic reaches the rest of the simulation. */
struct traffic_sink {
    void *context;
    /* A flow with this id is to start at request->start_ps. */
    bool (*start)(void *context, uint32_t id, const struct flow_request *request);
};

/* Memory for every source of the config; null and one line in `message` on bad settings or out of memory. Draws come
 * from streams named after the traffic's index and the host, e.g. "traffic/3/host/17"; fan-outs and sizes of QUERY,
 * INCAST and BURSTS from others ("traffic/3/shape/17"). `host_switch` ([hosts]: the switch, from 0, that a host hangs
 * on) and the config must outlive it. */
struct traffic *traffic_create(const struct sim_config *config, const uint32_t *host_switch,
                               char message[WEIR_MESSAGE_MAX]);
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
bool traffic_ended(struct traffic *traffic, const struct flow *flow, bool receiver, weir_ps now,
                   const struct traffic_sink *sink);

/* True when a flow of this traffic must be reported to traffic_ended. */
bool traffic_is_closed(const struct sim_traffic *source);

#endif
