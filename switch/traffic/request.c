/*
 * request.c - see request.h. On the wire, least significant bytes first:
 *
 *   "WEIR"  version (2)  transport (2)  flow (4)  client (4)  bytes (8)
 */
#include "switch/traffic/request.h"

#include <string.h>

#define REQUEST_VERSION 1u

static const uint8_t magic[4] = {'W', 'E', 'I', 'R'};

static void put(uint8_t *out, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        out[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get(const uint8_t *in, uint32_t bytes)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < bytes; i++)
        value |= (uint64_t)in[i] << 8 * i;
    return value;
}

void request_write(const struct request *request, uint8_t out[REQUEST_BYTES])
{
    memcpy(out, magic, sizeof magic);
    put(out + 4, REQUEST_VERSION, 2);
    put(out + 6, request->transport, 2);
    put(out + 8, request->flow, 4);
    put(out + 12, request->client, 4);
    put(out + 16, (uint64_t)request->bytes, 8);
}

bool request_read(struct request *request, const uint8_t in[REQUEST_BYTES])
{
    if (memcmp(in, magic, sizeof magic) != 0 || get(in + 4, 2) != REQUEST_VERSION)
        return false;
    uint64_t bytes = get(in + 16, 8);
    *request = (struct request){.transport = (uint32_t)get(in + 6, 2),
                                .flow = (uint32_t)get(in + 8, 4),
                                .client = (uint32_t)get(in + 12, 4),
                                .bytes = (int64_t)bytes};
    return bytes > 0 && bytes <= INT64_MAX;
}
