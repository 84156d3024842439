/*
 * sim_watch.h - sees a simulation from outside: every packet that the hosts send and receive, by a transport that
 * stands in front of the real one and passes each call on. What must hold whatever the switches do: a packet reaches
 * the host it was sent to, in no more copies than were sent, and without spraying and rerouting in the order of
 * sending.
 */
#ifndef WEIR_TESTS_SIM_WATCH_H
#define WEIR_TESTS_SIM_WATCH_H

#include "sim_world.h"

#define WATCH_FLOWS 8192u

struct watched_flow {
    weir_ps last_sent_ps;     /* when the packet delivered last was sent */
    uint32_t last_ack;        /* of the ACK delivered last */
    uint32_t sent, delivered; /* data packets */
};

struct sim_watch {
    struct sim_transport transports[WORLD_TRANSPORTS_MAX]; /* what the config points to; must come first */
    const struct transport *real[WORLD_TRANSPORTS_MAX];
    struct transport watched[WORLD_TRANSPORTS_MAX]; /* the real ones with the watch in front */
    bool ordered;
    struct watched_flow flow[WATCH_FLOWS]; /* by id; others are not watched */
    const char *fault;                     /* the first one, or null */
};

/* Puts itself in front of the transports of a config. */
void sim_watch_start(struct sim_watch *watch, struct sim_config *config);

#endif
