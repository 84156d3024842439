/*
 * arrivals.c - the growing arrays of an arrival sequence. The text form is in arrivals_text.c.
 *
 * Invariant: slot_end never decreases and its last entry is at most count; the difference is the open slot.
 */
#include "arrivals.h"

#include <assert.h>
#include <stdlib.h>

void slot_arrivals_init(struct slot_arrivals *arrivals, uint32_t ports)
{
    assert(ports > 0 && ports <= WEIR_PORTS_MAX);
    *arrivals = (struct slot_arrivals){.ports = ports};
}

void slot_arrivals_free(struct slot_arrivals *arrivals)
{
    free(arrivals->port);
    free(arrivals->slot_end);
    *arrivals = (struct slot_arrivals){.ports = arrivals->ports};
}

void slot_arrivals_clear(struct slot_arrivals *arrivals)
{
    arrivals->count = 0;
    arrivals->slots = 0;
    arrivals->failed = false;
}

/* Doubles an array of `*capacity` elements; false, array untouched, when that cannot be had. */
static bool grow(void **array, uint64_t *capacity, size_t element_bytes)
{
    uint64_t wanted = *capacity == 0 ? 64 : 2 * *capacity;
    if (wanted > SIZE_MAX / element_bytes)
        return false;
    void *larger = realloc(*array, wanted * element_bytes);
    if (larger == NULL)
        return false;
    *array = larger;
    *capacity = wanted;
    return true;
}

void slot_arrivals_add(struct slot_arrivals *arrivals, uint32_t port)
{
    assert(port < arrivals->ports);
    if (arrivals->failed)
        return;
    if (arrivals->count == arrivals->capacity) {
        void *array = arrivals->port;
        arrivals->failed = !grow(&array, &arrivals->capacity, sizeof *arrivals->port);
        arrivals->port = array;
        if (arrivals->failed)
            return;
    }
    arrivals->port[arrivals->count++] = port;
}

void slot_arrivals_end_slot(struct slot_arrivals *arrivals)
{
    if (arrivals->failed)
        return;
    if (arrivals->slots == arrivals->slot_capacity) {
        void *array = arrivals->slot_end;
        arrivals->failed = !grow(&array, &arrivals->slot_capacity, sizeof *arrivals->slot_end);
        arrivals->slot_end = array;
        if (arrivals->failed)
            return;
    }
    arrivals->slot_end[arrivals->slots++] = arrivals->count;
}
