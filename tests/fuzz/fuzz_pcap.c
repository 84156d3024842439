/*
 * fuzz_pcap.c - any bytes at all through the reader of captures: it gives a sorted list of possible packets, or
 * complains.
 */
#include <stdlib.h>

#include "sim/workload/packet_arrivals.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { HOSTS = 5 };
    struct packet_arrivals arrivals = {0};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (!packet_arrivals_from_capture(&arrivals, data, size, HOSTS, &error) &&
        (error.code == WEIR_ERROR_NONE || arrivals.at))
        abort();
    for (uint32_t i = 0; i < arrivals.count; i++) {
        const struct listed_packet *packet = &arrivals.at[i];
        if (packet->start_ps < 0 || packet->start_ps > WEIR_TIME_MAX)
            abort();
        if (i == 0 ? packet->start_ps != 0 : packet->start_ps < packet[-1].start_ps)
            abort();
        if (packet->source >= HOSTS || packet->destination >= HOSTS || packet->source == packet->destination)
            abort();
        if (packet->bytes < 1 || packet->bytes > UINT16_MAX)
            abort();
    }
    packet_arrivals_free(&arrivals);
    return 0;
}
