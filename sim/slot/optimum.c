/*
 * optimum.c - LateQD, the clairvoyant push-out policy: when the buffer overflows, the queue that will be empty last,
 * all its future arrivals counted, loses a packet.
 *
 * Why it is optimal: taking one packet out of a queue costs one transmission, that in the last slot of the queue's
 * present busy period, and frees one cell from now until then, whichever packet it is. All choices cost the same, so
 * the one whose cell stays free longest is at least as good as any other.
 *
 * When a queue will be empty. Let a[k] be the slot of its k-th arrival (from 0), c the arrivals it has seen and L its
 * length in slot t, this arrival counted. It is empty after the departures of slot t + L - 1 + m, m being the number of
 * arrivals that come before that: the first m with a[c + m] > t + L - 1 + m. With
 *
 *     x = t + L - 1 - c,     k = first index >= c with a[k] - k > x:     the busy period ends with slot x + k.
 *
 * x does not change during a busy period, except that each lost packet lowers it by one; so the end is computed only
 * at the start of a busy period and for a loss. The keys a[k] - k of all queues lie in one tournament tree, each
 * queue's after the other, closed by a key above every x.
 *
 * Invariant: a queue that runs empty does so in the slot that was computed as the end of its busy period.
 *
 * Paper: I. Bochkov, A. Davydow, N. Gaevoy, S. Nikolenko, "New competitiveness bounds for the shared memory switch",
 * 2019 (named as optimal in Table 1 of the Credence paper, NSDI 2024).
 */
#include "optimum.h"

#include <assert.h>
#include <stdlib.h>

#include "weir/fixed.h"
#include "weir/tournament.h"

#define OPTIMUM_EMPTY ((int64_t)-1) /* end of the busy period of an empty queue: before every slot */

struct queue {
    uint32_t first_leaf; /* of its keys */
    uint32_t seen;       /* its arrivals so far */
    uint32_t length;     /* packets it holds */
    int64_t x;           /* see above */
};

struct optimum {
    struct queue *queue; /* [ports] */
    int64_t *key;        /* tournament over a[k] - k, queue by queue */
    uint32_t key_leaves;
    int64_t *end; /* tournament over the ends of the busy periods, by port */
    uint32_t end_leaves;
    uint64_t used; /* packets in the buffer */
    uint64_t sent;
};

static void fill_keys(struct optimum *o, const struct slot_arrivals *arrivals)
{
    int64_t *leaves = o->key + o->key_leaves;
    uint64_t i = 0;
    for (uint64_t slot = 0; slot < arrivals->slots; slot++) {
        for (; i < arrivals->slot_end[slot]; i++) {
            struct queue *q = &o->queue[arrivals->port[i]];
            leaves[q->first_leaf + q->seen] = (int64_t)slot - (int64_t)q->seen;
            q->seen++;
        }
    }
    for (uint32_t port = 0; port < arrivals->ports; port++) {
        struct queue *q = &o->queue[port];
        leaves[q->first_leaf + q->seen] = INT64_MAX;
        q->seen = 0;
    }
    for (uint32_t node = o->key_leaves - 1; node > 0; node--)
        o->key[node] = o->key[2 * node] > o->key[2 * node + 1] ? o->key[2 * node] : o->key[2 * node + 1];
}

static void set_end(struct optimum *o, uint32_t port)
{
    const struct queue *q = &o->queue[port];
    int64_t end = OPTIMUM_EMPTY;
    if (q->length > 0) {
        uint32_t leaf = weir_tournament_next_above(o->key, o->key_leaves, 1, q->first_leaf + q->seen, q->x);
        end = q->x + (int64_t)(leaf - q->first_leaf);
    }
    weir_tournament_set(o->end, o->end_leaves, port, end);
}

static void arrive(struct optimum *o, uint32_t port, uint64_t slot, uint32_t buffer)
{
    struct queue *q = &o->queue[port];
    q->seen++;
    q->length++;
    if (q->length == 1) {
        q->x = (int64_t)slot - (int64_t)q->seen;
        set_end(o, port);
    }
    if (o->used < buffer) {
        o->used++;
        return;
    }
    uint32_t latest = weir_tournament_winner(o->end, o->end_leaves, 1);
    o->queue[latest].length--;
    o->queue[latest].x--;
    set_end(o, latest);
}

static void depart(struct optimum *o, uint32_t ports, uint64_t slot)
{
    for (uint32_t port = 0; port < ports && o->used > 0; port++) {
        struct queue *q = &o->queue[port];
        if (q->length == 0)
            continue;
        q->length--;
        o->used--;
        o->sent++;
        if (q->length == 0) {
            assert(o->end[o->end_leaves + port] == (int64_t)slot);
            set_end(o, port);
        }
    }
    (void)slot;
}

static bool allocate(struct optimum *o, const struct slot_arrivals *arrivals)
{
    uint64_t leaves = arrivals->count + arrivals->ports;
    if (leaves > UINT32_C(1) << 30)
        return false;
    o->key_leaves = weir_next_power_of_two((uint32_t)leaves);
    o->end_leaves = weir_next_power_of_two(arrivals->ports);
    o->queue = calloc(arrivals->ports, sizeof *o->queue);
    o->key = calloc(2 * (size_t)o->key_leaves, sizeof *o->key);
    o->end = calloc(2 * (size_t)o->end_leaves, sizeof *o->end);
    return o->queue != NULL && o->key != NULL && o->end != NULL;
}

static void serve(struct optimum *o, const struct slot_arrivals *arrivals, uint32_t buffer)
{
    /* Gives each queue its place among the leaves: one per arrival and one that closes the queue. */
    for (uint64_t i = 0; i < arrivals->count; i++)
        o->queue[arrivals->port[i]].seen++;
    uint32_t leaf = 0;
    for (uint32_t port = 0; port < arrivals->ports; port++) {
        o->queue[port].first_leaf = leaf;
        leaf += o->queue[port].seen + 1;
        o->queue[port].seen = 0;
    }
    fill_keys(o, arrivals);
    for (uint32_t node = 0; node < 2 * o->end_leaves; node++)
        o->end[node] = OPTIMUM_EMPTY;
    uint64_t i = 0;
    for (uint64_t slot = 0; slot < arrivals->slots; slot++) {
        for (; i < arrivals->slot_end[slot]; i++)
            arrive(o, arrivals->port[i], slot, buffer);
        depart(o, arrivals->ports, slot);
    }
}

enum weir_error_code slot_optimum(const struct slot_arrivals *arrivals, uint32_t buffer, uint64_t *sent)
{
    struct optimum o = {0};
    bool allocated = allocate(&o, arrivals);
    if (allocated) {
        serve(&o, arrivals, buffer);
        *sent = o.sent + o.used;
    }
    free(o.queue);
    free(o.key);
    free(o.end);
    return allocated ? WEIR_ERROR_NONE : WEIR_ERROR_MEMORY;
}
