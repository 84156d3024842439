/*
 * digest.h - one number that stands for results: a hash that is fed value by value, in an order that the caller fixes.
 * It sees values, not memory, so that neither padding nor the byte order of the machine shows.
 */
#ifndef SIM_DIGEST_H
#define SIM_DIGEST_H

#include "sim/jobs/job.h"
#include "sim/net/measure.h"
#include "sim/net/records.h"

struct digest {
    uint64_t state;
    uint64_t count; /* values so far */
};

void digest_init(struct digest *digest);
void digest_u64(struct digest *digest, uint64_t value);
uint64_t digest_value(const struct digest *digest);

/* Every field of every record but what it lost, in their order. */
void digest_records(struct digest *digest, const struct records *records);

/* Every count and every point of every series, but not what is known by tag alone (struct measure_tag): losses enter by
 * place and delays by record, so that it would say nothing new. */
void digest_measure(struct digest *digest, const struct measure *measure);

/* What became of each rank, and when it ended its rounds. */
void digest_job(struct digest *digest, const struct job *job);

#endif
