/*
 * arrivals.h - a packet arrival sequence of the slotted model: which ports packets arrive for, in order, and where
 * each slot ends. Every policy that is compared, and the offline optimum, sees the very same sequence.
 *
 * The sequence grows as it is generated or read. A failed allocation is remembered in `failed` and nothing is added
 * from then on, so a generator need not check after every packet; the caller checks once, at the end.
 */
#ifndef SLOT_ARRIVALS_H
#define SLOT_ARRIVALS_H

#include <stdio.h>

#include "weir/error.h"
#include "weir/params.h"
#include "weir/types.h"

struct slot_arrivals {
    uint32_t ports;     /* every entry of `port` is below it */
    uint32_t *port;     /* [count] output port of each arrival */
    uint64_t count;     /* packets, those of the open slot included */
    uint64_t *slot_end; /* [slots] arrivals up to and including each slot */
    uint64_t slots;     /* closed slots */
    uint64_t capacity, slot_capacity;
    bool failed; /* memory ran out: the sequence is cut short and must not be used */
};

void slot_arrivals_init(struct slot_arrivals *arrivals, uint32_t ports);
void slot_arrivals_free(struct slot_arrivals *arrivals);

/* One more packet for this port, in the open slot. */
void slot_arrivals_add(struct slot_arrivals *arrivals, uint32_t port);

/* Closes the open slot, which may be empty; the next packet belongs to the next slot. */
void slot_arrivals_end_slot(struct slot_arrivals *arrivals);

/* Drops everything but keeps the memory. */
void slot_arrivals_clear(struct slot_arrivals *arrivals);

/* Index of the first arrival of a closed slot; slot_end has the one past its last. */
static inline uint64_t slot_arrivals_first(const struct slot_arrivals *arrivals, uint64_t slot)
{
    return slot == 0 ? 0 : arrivals->slot_end[slot - 1];
}

/*
 * Text: one line per slot, port numbers separated by blanks; an empty line is a slot without arrivals. `#` starts a
 * comment; a line that holds only a comment is not a slot. Reads into an initialised, empty sequence; BAD_INPUT comes
 * with "name:line:column: ..." in `error`.
 */
enum weir_error_code slot_arrivals_read(struct slot_arrivals *arrivals, FILE *in, const char *name,
                                        struct weir_error *error);

/* Writes the text that reads back to the same sequence. */
enum weir_error_code slot_arrivals_write(const struct slot_arrivals *arrivals, FILE *out);

#endif
