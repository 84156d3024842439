/*
 * oracle.h - where Credence's predictions come from: "would LQD, serving the same arrivals, lose this packet?"
 *
 * An oracle is asked by the arrival's running index and by four features. It is immutable, so that it can be shared
 * by many MMUs and asked in any order. The table oracle knows the answers beforehand (a run of LQD over the same
 * arrivals). Each can be made wrong on purpose: every answer flipped with a probability, always wrong at probability 1.
 */
#ifndef WEIR_ORACLE_H
#define WEIR_ORACLE_H

#include "weir/types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum weir_feature {
    WEIR_FEATURE_QUEUE,          /* length of the arrival's account before it, bytes */
    WEIR_FEATURE_QUEUE_AVERAGE,  /* its moving average */
    WEIR_FEATURE_BUFFER,         /* occupancy of the buffer before it, bytes */
    WEIR_FEATURE_BUFFER_AVERAGE, /* its moving average */
    WEIR_FEATURE_COUNT
};

/* Which oracle it is, for the header of a trace: enough to tell whether a given model gave the answers. */
struct weir_oracle_about {
    uint64_t digest; /* of the model that answers; 0: there is none */
    weir_q16 flip;   /* its answers are inverted with this probability */
    uint64_t seed;   /* of the flips */
};

struct weir_oracle {
    /* True: LQD would refuse the packet or push it out later. */
    bool (*predict)(const struct weir_oracle *oracle, uint64_t index, const int64_t feature[WEIR_FEATURE_COUNT]);
    struct weir_oracle_about about;
};

struct weir_table_oracle {
    struct weir_oracle base;
    const uint8_t *lost; /* bit i % 8 of byte i / 8: LQD loses arrival i */
    uint64_t count;      /* arrivals in the table; beyond it the answer is "kept" before any flip */
    weir_q16 flip;       /* probability with which an answer is inverted; WEIR_Q16_ONE: always wrong */
    uint64_t seed;       /* of the flips */
};

void weir_table_oracle_init(struct weir_table_oracle *oracle, const uint8_t *lost, uint64_t count, weir_q16 flip,
                            uint64_t seed);

/* Another oracle's answers, each inverted with a probability. */
struct weir_flip_oracle {
    struct weir_oracle base;
    const struct weir_oracle *of; /* must outlive it */
};

void weir_flip_oracle_init(struct weir_flip_oracle *oracle, const struct weir_oracle *of, weir_q16 flip, uint64_t seed);

#ifdef __cplusplus
}
#endif

#endif
