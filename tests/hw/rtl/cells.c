/*
 * cells.c - see cells.h. Lists are arrays of "next", as in the hardware's memories; nothing is clever.
 */
#include <stdlib.h>

#include "tests/hw/rtl/cells.h"

#define LANES_MAX 4u

/* A ring of free things. */
struct ring {
    uint32_t *item;
    uint32_t size, first, count;
};

struct descriptor {
    uint32_t cells;
    uint32_t head[LANES_MAX]; /* first cell of each sublist */
    uint32_t next;            /* packet behind it in its queue */
    uint32_t queue;
};

struct walk {
    uint32_t left;            /* cells to free */
    uint32_t lane;            /* sublist of the next one */
    uint32_t head[LANES_MAX]; /* next cell of each sublist */
};

struct queue {
    uint32_t head, tail, packets;
};

struct naive_cells {
    uint32_t queues, cells, packets, lanes;
    struct ring free_cells, free_packets, written; /* written: accepted packets in order, not complete */
    struct descriptor *descriptor;
    uint32_t *next; /* [cells]: behind each cell in its sublist */
    struct queue *queue;
    struct walk walk[2];
    uint32_t taken;           /* cells of the first packet in `written` */
    uint32_t tail[LANES_MAX]; /* last cell of each of its sublists */
};

static bool ring_make(struct ring *ring, uint32_t size, bool full)
{
    *ring = (struct ring){.item = calloc(size, sizeof *ring->item), .size = size, .count = full ? size : 0};
    for (uint32_t i = 0; ring->item && i < size; i++)
        ring->item[i] = i;
    return ring->item != NULL;
}

static void ring_put(struct ring *ring, uint32_t item)
{
    ring->item[(ring->first + ring->count++) % ring->size] = item;
}

static uint32_t ring_take(struct ring *ring)
{
    uint32_t item = ring->item[ring->first];
    ring->first = (ring->first + 1) % ring->size;
    ring->count--;
    return item;
}

struct naive_cells *naive_cells_new(uint32_t queues, uint32_t cells, uint32_t packets, uint32_t lanes)
{
    struct naive_cells *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    *m = (struct naive_cells){.queues = queues, .cells = cells, .packets = packets, .lanes = lanes};
    bool made = ring_make(&m->free_cells, cells, true);
    made = ring_make(&m->free_packets, packets, true) && made;
    made = ring_make(&m->written, packets, false) && made;
    m->descriptor = calloc(packets, sizeof *m->descriptor);
    m->next = calloc(cells, sizeof *m->next);
    m->queue = calloc(queues, sizeof *m->queue);
    if (!made || !m->descriptor || !m->next || !m->queue) {
        naive_cells_delete(m);
        return NULL;
    }
    return m;
}

void naive_cells_delete(struct naive_cells *m)
{
    if (!m)
        return;
    free(m->free_cells.item);
    free(m->free_packets.item);
    free(m->written.item);
    free(m->descriptor);
    free(m->next);
    free(m->queue);
    free(m);
}

void naive_cells_arrive(struct naive_cells *m, uint32_t queue, uint32_t cells)
{
    uint32_t packet = ring_take(&m->free_packets);
    m->descriptor[packet] = (struct descriptor){.cells = cells, .queue = queue};
    ring_put(&m->written, packet);
}

static void cells_join(struct naive_cells *m, uint32_t packet)
{
    struct queue *q = &m->queue[m->descriptor[packet].queue];
    if (q->packets++ == 0)
        q->head = packet;
    else
        m->descriptor[q->tail].next = packet;
    q->tail = packet;
}

uint32_t naive_cells_take(struct naive_cells *m)
{
    if (m->written.count == 0 || m->free_cells.count == 0)
        return NAIVE_CELLS_NONE;
    struct descriptor *d = &m->descriptor[m->written.item[m->written.first]];
    uint32_t cell = ring_take(&m->free_cells), lane = m->taken % m->lanes;
    if (m->taken < m->lanes)
        d->head[lane] = cell;
    else
        m->next[m->tail[lane]] = cell;
    m->tail[lane] = cell;
    if (++m->taken == d->cells) {
        m->taken = 0;
        cells_join(m, ring_take(&m->written));
    }
    return cell;
}

uint32_t naive_cells_leave(struct naive_cells *m, uint32_t queue, bool drop)
{
    struct queue *q = &m->queue[queue];
    if (q->packets == 0 || m->walk[drop].left > 0)
        return 0;
    const struct descriptor *d = &m->descriptor[q->head];
    struct walk *walk = &m->walk[drop];
    *walk = (struct walk){.left = d->cells};
    for (uint32_t lane = 0; lane < m->lanes; lane++)
        walk->head[lane] = d->head[lane];
    ring_put(&m->free_packets, q->head);
    q->head = d->next;
    q->packets--;
    return d->cells;
}

uint32_t naive_cells_left(const struct naive_cells *m, bool drop)
{
    return m->walk[drop].left;
}

uint32_t naive_cells_free(struct naive_cells *m, bool drop)
{
    struct walk *walk = &m->walk[drop];
    if (walk->left == 0)
        return NAIVE_CELLS_NONE;
    uint32_t cell = walk->head[walk->lane];
    walk->head[walk->lane] = m->next[cell];
    walk->lane = (walk->lane + 1) % m->lanes;
    walk->left--;
    ring_put(&m->free_cells, cell);
    return cell;
}

uint32_t naive_cells_packets(const struct naive_cells *m, uint32_t queue)
{
    return m->queue[queue].packets;
}

/* Counts each cell of `count` cells that begin at these heads. */
static void check_mark(const struct naive_cells *m, uint32_t *seen, const uint32_t *head, uint32_t lane, uint32_t count)
{
    uint32_t at[LANES_MAX];
    for (uint32_t l = 0; l < m->lanes; l++)
        at[l] = head[l];
    for (uint32_t i = 0; i < count; i++, lane = (lane + 1) % m->lanes) {
        seen[at[lane]]++;
        at[lane] = m->next[at[lane]];
    }
}

const char *naive_cells_check(const struct naive_cells *m)
{
    uint32_t *seen = calloc(m->cells, sizeof *seen), packets = m->free_packets.count + m->written.count;
    const char *wrong = seen ? NULL : "no memory for the check";
    for (uint32_t i = 0; seen && i < m->free_cells.count; i++)
        seen[m->free_cells.item[(m->free_cells.first + i) % m->cells]]++;
    for (uint32_t q = 0; seen && q < m->queues; q++) {
        uint32_t packet = m->queue[q].head;
        for (uint32_t i = 0; i < m->queue[q].packets; i++, packet = m->descriptor[packet].next, packets++)
            check_mark(m, seen, m->descriptor[packet].head, 0, m->descriptor[packet].cells);
    }
    for (uint32_t way = 0; seen && way < 2; way++)
        check_mark(m, seen, m->walk[way].head, m->walk[way].lane, m->walk[way].left);
    if (seen && m->taken > 0)
        check_mark(m, seen, m->descriptor[m->written.item[m->written.first]].head, 0, m->taken);
    for (uint32_t i = 0; seen && !wrong && i < m->cells; i++)
        wrong = seen[i] == 0 ? "a cell is lost" : seen[i] > 1 ? "a cell is in two places" : NULL;
    if (!wrong && packets != m->packets)
        wrong = "a descriptor is lost, or in two places";
    free(seen);
    return wrong;
}
