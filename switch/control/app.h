/*
 * app.h - the running program: the switch, what is written of it, and what may be asked.
 */
#ifndef CONTROL_APP_H
#define CONTROL_APP_H

#include <jansson.h>

#include "scenario/read/scenario.h"
#include "switch/control/drops.h"
#include "switch/control/loop.h"
#include "switch/control/request.h"
#include "switch/control/snapshot.h"
#include "switch/control/supervise.h"
#include "switch/control/trace.h"

struct switch_app {
    struct scenario scenario;
    struct dataplane *dataplane;
    struct weir_values values[2]; /* of the egress and the ingress policy, as they are now */
    struct switch_snapshot snapshot;
    struct switch_trace trace;
    struct switch_drops drops;
    struct loop loop;
    struct supervised *supervised; /* null: unsupervised */
    bool stop;                     /* was asked for */
};

/* {"ok": true, ...}: what the switch is and does now. Null: out of memory. */
json_t *switch_status_json(struct switch_app *app);

/* Changes a parameter and answers with its old and new value; false and one line in `error` when it cannot. */
bool switch_set(struct switch_app *app, const char *key, const char *value, json_t **reply, struct weir_error *error);

/* For the loop: requests of the control socket, and of Prometheus. `context` is the app. */
size_t switch_take_request(void *context, struct loop_connection *connection, const char *bytes, size_t count);
size_t switch_take_http(void *context, struct loop_connection *connection, const char *bytes, size_t count);

/* Listening sockets; -1 after one line. A socket that a dead switch left is replaced. */
int switch_listen_control(const char *path);
int switch_listen_prometheus(uint16_t port);

#endif
