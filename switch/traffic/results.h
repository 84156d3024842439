/*
 * results.h - what a host knows at the end of a run: rows of flows as CSV, for the program that merges the hosts,
 * and a summary of its own flows for the user. Percentiles are the simulator's.
 */
#ifndef TRAFFIC_RESULTS_H
#define TRAFFIC_RESULTS_H

#include "cli/data_frame.h"
#include "switch/traffic/client.h"
#include "switch/traffic/server.h"

struct results {
    const struct scenario *scenario;
    const struct client *client;
    const struct server *server;
    uint32_t scale;
    int64_t length_ns; /* of the run, as long as it lasted */
    bool stopped;      /* by a signal */
};

/* One row per flow that was asked for here, and one per flow that was sent from here. False after one line. */
bool results_write(const struct results *results, const char *path);

/* The summary, and in it the tables of what was asked for and sent. Null: out of memory. */
struct data_frame *results_frame(const struct results *results, struct data_frame *tables[2]);

#endif
