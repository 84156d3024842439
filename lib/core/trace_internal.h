/*
 * trace_internal.h - how the MMU writes its trace, and what the three files of the trace format share.
 *
 * The MMU makes one call at the end of each entry point, with its outcome. `now` is the time of the entry point and
 * never goes back. After each of these calls the MMU asks whether a state hash is due and, if so, computes and
 * writes it: hashing visits every packet, so it is not done unasked.
 */
#ifndef WEIR_TRACE_INTERNAL_H
#define WEIR_TRACE_INTERNAL_H

#include "weir/trace.h"

void weir_trace_arrive(struct weir_trace *trace, const struct weir_packet *packet, weir_ps now,
                       const struct weir_effects *effects);
void weir_trace_depart(struct weir_trace *trace, weir_port port, weir_ps now, const struct weir_effects *effects);

/* An offer that expelled nothing is left out: offers may come at every moment, and most of them find nothing. */
void weir_trace_expel(struct weir_trace *trace, weir_ps now, const struct weir_effects *effects);

void weir_trace_pause(struct weir_trace *trace, weir_port port, uint32_t class_mask, weir_ps until, weir_ps now);
void weir_trace_flush(struct weir_trace *trace, weir_port port, uint32_t class_mask, weir_ps now,
                      const struct weir_effects *effects);
void weir_trace_advance(struct weir_trace *trace, weir_ps now);

void weir_trace_change(struct weir_trace *trace, bool ingress, const struct weir_values *values, weir_ps now);

/* True when `hash_every` records have been written since the last hash. */
bool weir_trace_wants_hash(const struct weir_trace *trace);
void weir_trace_hash(struct weir_trace *trace, uint64_t hash);

/* Below: shared by trace_header.c, trace_write.c and trace_read.c. */

/* The low bits of a tag are the record's kind, the others depend on it. */
#define WEIR_TAG_KIND 0x0fu
#define WEIR_TAG_ACCEPTED 0x10u    /* ARRIVE */
#define WEIR_TAG_MARKED 0x20u      /* ARRIVE, accepted */
#define WEIR_TAG_ECN 0x40u         /* ARRIVE */
#define WEIR_TAG_UNSCHEDULED 0x80u /* ARRIVE */
#define WEIR_TAG_DEPARTED 0x10u    /* DEPART */
#define WEIR_TAG_INGRESS 0x10u     /* CHANGE */

/* The kind of an arrival that is the copy of a trimmed packet: an ARRIVE with one number more. */
#define WEIR_TAG_COPY 0x0fu
#define WEIR_TAG_WHOLE 0x0eu /* of one with WEIR_FLAG_WHOLE, where that has a meaning: an ARRIVE */

#define WEIR_VARINT_MAX 10u /* bytes of the longest varint */

/* FNV-1a over the bytes, continuing from `checksum`: any single wrong byte changes it. */
#define WEIR_CHECKSUM_START UINT64_C(0xcbf29ce484222325)
static inline uint64_t weir_trace_checksum(uint64_t checksum, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        checksum = (checksum ^ bytes[i]) * UINT64_C(0x100000001b3);
    return checksum;
}

void weir_trace_put_bytes(struct weir_trace *trace, const void *bytes, size_t count);
void weir_trace_put(struct weir_trace *trace, uint64_t value);
void weir_trace_put_values(struct weir_trace *trace, const struct weir_policy *policy, const struct weir_values *values,
                           uint32_t classes);
void weir_trace_put_header(struct weir_trace *trace, const struct weir_mmu_config *config);
bool weir_trace_trims(const struct weir_mmu_config *config); /* some class is trimmed */
bool weir_trace_flows(const struct weir_mmu_config *config); /* the policy looks at flows */

/*
 * A place in the bytes. The first error stays: it is noted with its place, and every later take returns the smallest
 * value allowed there without moving. So a reader may take a whole record and look at `broken` once.
 */
struct weir_trace_cursor {
    const uint8_t *bytes;
    size_t size, at;
    bool broken;
    size_t broken_at;
    struct weir_error *error; /* what broke it */
};

void weir_trace_break(struct weir_trace_cursor *cursor, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const uint8_t *weir_trace_take_bytes(struct weir_trace_cursor *cursor, size_t count); /* null when broken */
uint64_t weir_trace_take(struct weir_trace_cursor *cursor, const char *what, uint64_t min, uint64_t max);
void weir_trace_take_values(struct weir_trace_cursor *cursor, const struct weir_policy *policy,
                            struct weir_values *values, uint32_t classes);

#endif
