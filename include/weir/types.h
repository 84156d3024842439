/*
 * types.h - the units every part of weir speaks: time, space, rates, and the three kinds of index.
 *
 * Indices are wrapped in structs because a port passed where an account is meant compiles silently otherwise, and
 * has done so in every code base of this field. Quantities stay plain integers because policies do arithmetic on
 * them; their names carry the unit (`delay_ps`, `rate_bps`, `used_cells`).
 */
#ifndef WEIR_TYPES_H
#define WEIR_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int64_t weir_ps;    /* time, picoseconds since the start of the run */
typedef int64_t weir_cells; /* buffer space; the geometry says how many bytes a cell has */
typedef int64_t weir_bps;   /* rate, bits per second */
typedef int64_t weir_q16;   /* fixed point with 16 fractional bits */

typedef struct {
    uint32_t i;
} weir_port; /* an output port on the egress side, an input port on the ingress side */

typedef struct {
    uint32_t i;
} weir_class; /* traffic class within a port; a higher number is a higher priority */

typedef struct {
    uint32_t i;
} weir_account; /* one (port, class) pair of one side: what a buffer policy holds to a limit */

#define WEIR_NEVER INT64_MAX
#define WEIR_TIME_MAX (INT64_MAX / 2) /* 53 days: a time may be added to another one without overflow */
#define WEIR_Q16_ONE ((weir_q16)1 << 16)
#define WEIR_CLASSES_MAX 32u
#define WEIR_PORTS_MAX 65535u
#define WEIR_BUFFER_CELLS_MAX INT32_MAX  /* keeps every product with a Q16 ratio inside 64 bits */
#define WEIR_PACKET_BYTES_MAX (1u << 20) /* these three bounds keep times of reading and sending inside 64 bits */
#define WEIR_RATE_BPS_MIN ((weir_bps)1000000)
#define WEIR_RATE_BPS_MAX ((weir_bps)100000000000000) /* of one port; the sum over all ports still fits */
#ifdef __cplusplus
#define WEIR_NO_ACCOUNT (weir_account{UINT32_MAX})
#else
#define WEIR_NO_ACCOUNT ((weir_account){UINT32_MAX})
#endif

#define WEIR_PS_PER_NS ((weir_ps)1000)
#define WEIR_PS_PER_US ((weir_ps)1000000)
#define WEIR_PS_PER_MS ((weir_ps)1000000000)
#define WEIR_PS_PER_S ((weir_ps)1000000000000)

static inline bool weir_account_is(weir_account a, weir_account b)
{
    return a.i == b.i;
}

/* Why an arrival was refused. */
enum weir_reason {
    WEIR_REASON_NONE,
    WEIR_REASON_NO_ROOM,        /* the pool it would be charged to has too few free cells, and there is no victim */
    WEIR_REASON_OVER_THRESHOLD, /* its account, port or rank is at its limit */
    WEIR_REASON_PREDICTED,      /* the oracle says that LQD would lose it */
    WEIR_REASON_NO_DESCRIPTOR,  /* the descriptor memory is full */
    WEIR_REASON_TOO_LARGE,      /* larger than the whole buffer */
    WEIR_REASON_COUNT,
    WEIR_REASON_INVALID = UINT8_MAX /* a port or class that the MMU does not have; never counted: see mmu.h */
};

/* How a packet was lost. */
enum weir_cause {
    WEIR_CAUSE_REFUSED,  /* on arrival; the reason says why */
    WEIR_CAUSE_PUSHOUT,  /* made room for an arrival */
    WEIR_CAUSE_EXPELLED, /* head-dropped in spare memory bandwidth */
    WEIR_CAUSE_DEQUEUE,  /* dropped when it was about to leave */
    WEIR_CAUSE_FLUSHED,  /* its link went down */
    WEIR_CAUSE_COUNT
};

const char *weir_reason_name(enum weir_reason reason);
const char *weir_cause_name(enum weir_cause cause);

#ifdef __cplusplus
}
#endif

#endif
