/*
 * digest.h - one number for all results of a run: a 64-bit hash over values in a fixed order, the same on machines of
 * either byte order. Runs of the same config and seed have equal digests; that is how determinism is tested.
 */
#ifndef SIM_DIGEST_H
#define SIM_DIGEST_H

#include "sim/measure.h"
#include "sim/records.h"

struct digest {
    uint64_t value;
};

void digest_init(struct digest *digest);
void digest_u64(struct digest *digest, uint64_t value);
void digest_double(struct digest *digest, double value); /* by its bits */
void digest_records(struct digest *digest, const struct records *records);
void digest_measure(struct digest *digest, const struct measure *measure);

#endif
