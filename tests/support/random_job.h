/*
 * random_job.h - jobs for tests: messages between random ranks, each operation after some of those before it. Without
 * `any` they come to an end: every rank has its operations in the order of the messages, whose tags all differ.
 */
#ifndef TESTS_SUPPORT_RANDOM_JOB_H
#define TESTS_SUPPORT_RANDOM_JOB_H

#include "sim/jobs/goal.h"

struct random_job {
    uint64_t seed, bytes; /* of a message at most */
    uint32_t ranks, messages, calc_ns;
    bool any; /* some receives take any rank or tag, and tags are few */
};

/* An image (malloc); null: out of memory. */
unsigned char *random_job_make(const struct random_job *shape, size_t *size);

#endif
