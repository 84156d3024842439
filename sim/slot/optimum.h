/*
 * optimum.h - the most packets that any buffer policy could have sent, knowing all arrivals beforehand.
 */
#ifndef SLOT_OPTIMUM_H
#define SLOT_OPTIMUM_H

#include "arrivals.h"

/*
 * Packets sent by the offline optimum with a buffer of `buffer` packets; what is left after the last slot is sent too.
 * O(log n) per packet lost and O(ports) per slot. NO_MEMORY also for sequences of 2^30 packets and more.
 */
enum weir_error_code slot_optimum(const struct slot_arrivals *arrivals, uint32_t buffer, uint64_t *sent);

#endif
