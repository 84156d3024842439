/*
 * supervise.h - a switch that is started again when it crashed (--restart): one process watches, another one is the
 * switch. What has to outlive the second is in memory that both see.
 */
#ifndef CONTROL_SUPERVISE_H
#define CONTROL_SUPERVISE_H

#include "weir/params.h"

/* Which file a socket is, so that only this one is removed in the end and not that of a switch which came after. */
struct switch_socket_file {
    uint64_t device, inode; /* inode 0: none */
};
bool switch_socket_own(const char *path, struct switch_socket_file *file);
void switch_socket_remove(const char *path, const struct switch_socket_file *file);

struct supervised {
    uint32_t restarts;
    int last_signal; /* by which the last one ended */
    bool changed[2]; /* egress, ingress: these values are in force instead of the scenario's */
    struct weir_values values[2];
    struct switch_socket_file socket; /* of the control socket, which the switch may not be able to remove */
};

/* Runs `once` in a child until it ends by itself, and returns its exit code; after a signal again. SIGINT and SIGTERM
 * are passed on. Removes what a crashed child left of its socket at `control`. */
int supervise(int (*once)(void *context, struct supervised *supervised), void *context, const char *control);

/* In the child: it ends when its parent does. Whoever becomes another user has to say it again. */
void supervise_follow(void);

#endif
