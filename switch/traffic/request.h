/*
 * request.h - what a client sends to ask for a flow. The answer is so many bytes and nothing else; the next request may
 * follow on the same connection. Both ends read the same scenario: a request that does not fit it shows that they do
 * not.
 */
#ifndef TRAFFIC_REQUEST_H
#define TRAFFIC_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#define REQUEST_BYTES 24u

struct request {
    uint32_t flow;      /* its id */
    uint32_t client;    /* the host that asks */
    uint32_t transport; /* index into sim_config.transports; below 2^16 */
    int64_t bytes;      /* FLOW_ENDLESS: until the client has enough */
};

void request_write(const struct request *request, uint8_t out[REQUEST_BYTES]);

/* False: it is none, or one of another version. */
bool request_read(struct request *request, const uint8_t in[REQUEST_BYTES]);

#endif
