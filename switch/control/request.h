/*
 * request.h - what may be asked of a running switch: one JSON object in one line. Lines come from anyone who can
 * reach the socket, so nothing in them is trusted.
 */
#ifndef CONTROL_REQUEST_H
#define CONTROL_REQUEST_H

#include "weir/counters.h"

#define SWITCH_REQUEST_MAX 8192u /* bytes of a line */
#define SWITCH_PATH_MAX 4096u
#define SWITCH_TEXT_MAX 256u

enum switch_command { SWITCH_STATUS, SWITCH_COUNTERS, SWITCH_SET, SWITCH_TRACE, SWITCH_STOP, SWITCH_COMMANDS };

struct switch_request {
    enum switch_command command;
    /* counters */
    bool has_port, has_class, has_clear;
    uint32_t port, tc;
    enum weir_watermark_view clear; /* this view is cleared after it was read */
    /* set */
    char key[SWITCH_TEXT_MAX];   /* "alpha", "ingress.alpha" */
    char value[SWITCH_TEXT_MAX]; /* as in a scenario */
    /* trace */
    bool start;
    uint32_t memory;
    char path[SWITCH_PATH_MAX]; /* from the root */
};

/* False with one line in `error` for anything that is not a request. `length` bytes, without the newline. */
bool switch_request_parse(const char *line, size_t length, struct switch_request *request, struct weir_error *error);

const char *switch_view_name(enum weir_watermark_view view); /* "periodic", "user", "persistent" */

#endif
