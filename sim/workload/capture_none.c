/*
 * capture_none.c - in place of capture.c where there is no libpcap.
 */
#include "sim/workload/packet_arrivals.h"

bool packet_arrivals_from_capture(struct packet_arrivals *arrivals, const uint8_t *bytes, size_t size, uint32_t hosts,
                                  struct weir_error *error)
{
    (void)arrivals;
    (void)bytes;
    (void)size;
    (void)hosts;
    return weir_fail(error, WEIR_ERROR_INPUT, "captures cannot be read: this weir was built without libpcap");
}
