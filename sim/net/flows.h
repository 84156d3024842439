/*
 * flows.h - the life of a flow: asked for by traffic, started at its source, closed into a record.
 */
#ifndef SIM_NET_FLOWS_H
#define SIM_NET_FLOWS_H

#include "sim/engine/packet.h"
#include "sim/transport/flow.h"
#include "sim/workload/traffic.h"

struct sim;
struct sim_worker;

/* The host at which a flow starts. */
uint32_t sim_flow_host(const struct sim *sim, const struct flow_request *request);

/* A flow begins. The context is the worker of that host: this is a sink of traffic. */
bool sim_flow_start(void *context, uint32_t id, const struct flow_request *request);

/* Part of that: the flow, not yet on the list of its host and without its ideal times. Null: out of memory, and the
 * worker knows. */
struct flow *sim_flow_make(struct sim_worker *worker, uint32_t id, const struct flow_request *request);

/* One end of the flow is done: closed traffic goes on from there. */
void sim_flow_ended(struct sim_worker *worker, const struct flow *flow, bool receiver, weir_ps now);

/* The moment has come that traffic waited for at this host. */
void sim_traffic_woken(struct sim_worker *worker, uint32_t traffic, uint32_t host, weir_ps now);

/* Both ends are done, or the run is over: the flow will become a record. */
void sim_flow_close(struct sim_worker *worker, struct flow *flow, weir_ps now);

/* The same where another rank has found it out. */
void sim_flow_close_here(struct sim_worker *worker, struct flow *flow, weir_ps now);

/* A packet of the flow is lost, somewhere. */
void sim_flow_lost(struct sim_worker *worker, struct flow *flow, weir_ps now);

/* A packet is lost and goes back to the pool; of a listed packet it is the end of its flow. */
void sim_packet_lost(struct sim_worker *worker, struct packet *packet, weir_ps now);

/* Makes records of flows that closed long enough before the window, or of all of them, and gives back their memory. */
void sim_flows_release(struct sim_worker *worker, bool all);

#endif
