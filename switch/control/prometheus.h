/*
 * prometheus.h - counters for Prometheus: its text format (0.0.4), and the few lines of HTTP around it. Served
 * on the loopback address only.
 */
#ifndef CONTROL_PROMETHEUS_H
#define CONTROL_PROMETHEUS_H

#include "switch/control/snapshot.h"

#define SWITCH_HTTP_MAX 8192u /* bytes of a request's head */

/* What a request asks for: its HTTP status (200: the metrics), or 0: its head is not complete yet. */
uint32_t switch_http_look(const char *bytes, size_t count);

/* The whole response, to be freed; null: out of memory. `snapshot` is used with status 200 only. */
char *switch_http_response(uint32_t status, const struct switch_snapshot *snapshot, size_t *size);

#endif
