/*
 * client.h - asks a running weir-switch: one request, one reply.
 */
#ifndef CONTROL_CLIENT_H
#define CONTROL_CLIENT_H

#include <jansson.h>
#include <stdbool.h>

/*
 * Sends the request (released) to the switch at `control`, null for the usual place, and gives its reply, which says
 * that it was done. Null after one line, and *code is the exit code. `until_gone`: waits until the switch has ended.
 */
json_t *switch_ask(const char *control, json_t *request, bool until_gone, int *code);

#endif
