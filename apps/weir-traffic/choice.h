/*
 * choice.h - the command lines of `weir-traffic run` and `serve`.
 */
#ifndef TRAFFIC_CHOICE_H
#define TRAFFIC_CHOICE_H

#include "experiment/plan.h"
#include "traffic/network.h"

struct choice {
    bool only_serves; /* `serve`: asks for nothing itself */
    const char *file;
    struct run_changes changes;
    uint64_t host;
    const char *addresses; /* with commas */
    uint64_t scale;        /* 0: the scenario's */
    uint64_t start_ns;     /* of CLOCK_MONOTONIC; 0: at once */
    uint64_t port, warm_up;
    const char *records;                            /* null: none are written */
    const char *congestion[NETWORK_TRANSPORTS_MAX]; /* "transport=name" */
    uint32_t congestions;
    bool json, quiet;
};

/* An exit code; *stop: the help was printed or a mistake reported. */
int choice_read(struct choice *choice, int argc, char **argv, bool *stop);

/* The network of a scenario as these options describe it. CLI_OK, or an exit code after one line. */
int choice_network(const struct choice *choice, const struct scenario *scenario, struct network *network);

#endif
