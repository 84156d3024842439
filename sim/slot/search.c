/*
 * search.c - see search.h.
 *
 * The enumeration walks the tree of sequences in place: a packet is added to the open slot or the slot is closed, and
 * taken back afterwards. Hill climbing works on a table of `width` places per slot, each empty or with a port; a step
 * changes a few places, and the sequence follows the table.
 */
#include "search.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "weir/random.h"

#define SEARCH_EMPTY UINT16_MAX /* a place without a packet */

static void print_sequence(char out[SLOT_SEQUENCE_MAX], const struct slot_arrivals *arrivals)
{
    size_t used = 0;
    for (uint64_t slot = 0; slot < arrivals->slots; slot++) {
        for (uint64_t i = slot_arrivals_first(arrivals, slot); i < arrivals->slot_end[slot]; i++) {
            const char *blank = i > slot_arrivals_first(arrivals, slot) ? " " : "";
            used += (size_t)snprintf(out + used, SLOT_SEQUENCE_MAX - used, "%s%" PRIu32, blank, arrivals->port[i]);
            if (used + 16 > SLOT_SEQUENCE_MAX) {
                snprintf(out + used, SLOT_SEQUENCE_MAX - used, "...");
                return;
            }
        }
        used += (size_t)snprintf(out + used, SLOT_SEQUENCE_MAX - used, "|");
    }
}

enum weir_error_code slot_worst_try(struct slot_worst *worst, const struct slot_case *c,
                                    const struct slot_algorithm *algorithm, const char *by)
{
    uint64_t sent;
    enum weir_error_code status = slot_case_sent(c, algorithm, &sent, NULL);
    if (status != WEIR_ERROR_NONE)
        return status;
    double ratio = slot_ratio(c->optimum, sent);
    if (ratio <= worst->ratio)
        return WEIR_ERROR_NONE;
    *worst = (struct slot_worst){
        .ratio = ratio, .optimum = c->optimum, .sent = sent, .ports = c->arrivals->ports, .buffer = c->buffer};
    if (by != NULL)
        snprintf(worst->by, sizeof worst->by, "%s", by);
    else
        print_sequence(worst->by, c->arrivals);
    return WEIR_ERROR_NONE;
}

struct enumeration {
    const struct slot_tiny *tiny;
    const struct slot_algorithm *algorithms;
    uint32_t count;
    struct slot_worst *worst;
    struct slot_arrivals arrivals;
};

static enum weir_error_code try_all(struct enumeration *e)
{
    struct slot_case c;
    if (e->arrivals.count == 0)
        return WEIR_ERROR_NONE;
    enum weir_error_code status = slot_case_open(&c, &e->arrivals, e->tiny->buffer, true, NULL);
    if (status != WEIR_ERROR_NONE)
        return status;
    for (uint32_t i = 0; i < e->count && status == WEIR_ERROR_NONE; i++)
        status = slot_worst_try(&e->worst[i], &c, &e->algorithms[i], NULL);
    slot_case_close(&c);
    return status;
}

/* Closes the open slot and goes on, then does the same with each further packet in the open slot, up to `left`. */
static enum weir_error_code enumerate(struct enumeration *e, uint32_t left)
{
    slot_arrivals_end_slot(&e->arrivals);
    if (e->arrivals.failed)
        return WEIR_ERROR_MEMORY;
    enum weir_error_code status = e->arrivals.slots == e->tiny->slots ? try_all(e) : enumerate(e, e->tiny->width);
    if (status != WEIR_ERROR_NONE)
        return status;
    e->arrivals.slots--;
    for (uint32_t port = 0; left > 0 && port < e->tiny->ports && status == WEIR_ERROR_NONE; port++) {
        slot_arrivals_add(&e->arrivals, port);
        status = enumerate(e, left - 1);
        e->arrivals.count--;
    }
    return status;
}

enum weir_error_code slot_search_tiny(const struct slot_tiny *tiny, const struct slot_algorithm *algorithms,
                                      uint32_t count, struct slot_worst *worst)
{
    struct enumeration e = {.tiny = tiny, .algorithms = algorithms, .count = count, .worst = worst};
    slot_arrivals_init(&e.arrivals, tiny->ports);
    enum weir_error_code status = enumerate(&e, tiny->width);
    slot_arrivals_free(&e.arrivals);
    return status;
}

struct climber {
    const struct slot_climb *climb;
    const struct slot_algorithm *algorithm;
    struct weir_random random;
    uint16_t *place; /* [slots * width] */
    uint32_t places;
    struct slot_arrivals arrivals;
};

static uint16_t random_place(struct climber *k)
{
    uint32_t drawn = weir_random_below(&k->random, k->climb->ports + 1);
    return drawn == k->climb->ports ? SEARCH_EMPTY : (uint16_t)drawn;
}

/* Slots come as a whole for one port about as often as mixed: bursts are what hurts. */
static void draw_slot(struct climber *k, uint32_t slot)
{
    bool burst = weir_random_below(&k->random, 2) == 0;
    uint16_t port = random_place(k);
    for (uint32_t i = 0; i < k->climb->width; i++)
        k->place[slot * k->climb->width + i] = burst ? port : random_place(k);
}

static void change_places(struct climber *k)
{
    if (weir_random_below(&k->random, 8) == 0) {
        draw_slot(k, weir_random_below(&k->random, k->climb->slots));
        return;
    }
    for (uint32_t changes = 1 + weir_random_below(&k->random, 3); changes > 0; changes--)
        k->place[weir_random_below(&k->random, k->places)] = random_place(k);
}

/* The worst of the table's sequence goes to *found, which is empty before. */
static enum weir_error_code try_places(struct climber *k, struct slot_worst *found)
{
    struct slot_case c;
    slot_arrivals_clear(&k->arrivals);
    for (uint32_t i = 0; i < k->places; i++) {
        if (k->place[i] != SEARCH_EMPTY)
            slot_arrivals_add(&k->arrivals, k->place[i]);
        if ((i + 1) % k->climb->width == 0)
            slot_arrivals_end_slot(&k->arrivals);
    }
    if (k->arrivals.failed)
        return WEIR_ERROR_MEMORY;
    enum weir_error_code status = slot_case_open(&c, &k->arrivals, k->climb->buffer, true, NULL);
    if (status != WEIR_ERROR_NONE)
        return status;
    status = slot_worst_try(found, &c, k->algorithm, NULL);
    slot_case_close(&c);
    return status;
}

static enum weir_error_code climb_once(struct climber *k, uint16_t *kept, struct slot_worst *worst)
{
    struct slot_worst top = {0};
    size_t bytes = k->places * sizeof *kept;
    for (uint32_t slot = 0; slot < k->climb->slots; slot++)
        draw_slot(k, slot);
    enum weir_error_code status = try_places(k, &top);
    for (uint32_t step = 0; step < k->climb->steps && status == WEIR_ERROR_NONE; step++) {
        struct slot_worst here = {0};
        memcpy(kept, k->place, bytes);
        change_places(k);
        status = try_places(k, &here);
        if (here.ratio >= top.ratio)
            top = here;
        else
            memcpy(k->place, kept, bytes);
    }
    if (top.ratio > worst->ratio)
        *worst = top;
    return status;
}

enum weir_error_code slot_search_climb(const struct slot_climb *climb, const struct slot_algorithm *algorithm,
                                       struct slot_worst *worst)
{
    struct climber k = {.climb = climb,
                        .algorithm = algorithm,
                        .random = weir_random_stream(climb->seed, "slot.climb"),
                        .places = climb->slots * climb->width};
    uint16_t *kept = malloc(k.places * sizeof *kept);
    k.place = malloc(k.places * sizeof *k.place);
    slot_arrivals_init(&k.arrivals, climb->ports);
    enum weir_error_code status = kept != NULL && k.place != NULL ? WEIR_ERROR_NONE : WEIR_ERROR_MEMORY;
    for (uint32_t start = 0; start < climb->starts && status == WEIR_ERROR_NONE; start++)
        status = climb_once(&k, kept, worst);
    slot_arrivals_free(&k.arrivals);
    free(k.place);
    free(kept);
    return status;
}
