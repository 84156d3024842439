/*
 * cells.h - the memories behind the MMU, slow and obvious: packet descriptors, cell pointers and the free list of
 * Occamy's Figure 2.
 *
 * The MMU only counts cells. This model knows which ones: a packet's descriptor holds the heads of its sublists of cell
 * pointers (cell i is in sublist i mod lanes), a queue is a list of descriptors, and free cells and descriptors come
 * back in the order in which they were freed. It decides nothing: it is told what the MMU decided, and when hardware
 * takes or frees one cell it says which cell that has to be.
 */
#ifndef TESTS_RTL_CELLS_H
#define TESTS_RTL_CELLS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NAIVE_CELLS_NONE UINT32_MAX

struct naive_cells;

/* Lanes are 1 to 4. Null: no memory. */
struct naive_cells *naive_cells_new(uint32_t queues, uint32_t cells, uint32_t packets, uint32_t lanes);
void naive_cells_delete(struct naive_cells *model);

/* The MMU accepted a packet. Its cells are taken one by one, packet after packet. */
void naive_cells_arrive(struct naive_cells *model, uint32_t queue, uint32_t cells);

/* The next cell of the packet that is being written, taken from the free list; NONE: none is due, or none is free. With
 * its last cell the packet joins its queue. */
uint32_t naive_cells_take(struct naive_cells *model);

/* The head of a queue leaves, to be sent or dropped. Its number of cells; 0: the queue has no complete packet, or cells
 * of the last packet that left this way are not free yet. */
uint32_t naive_cells_leave(struct naive_cells *model, uint32_t queue, bool drop);

/* Cells that the last packet which left this way has still to free. */
uint32_t naive_cells_left(const struct naive_cells *model, bool drop);

/* Frees the next of them and says which it is; NONE: there is none. */
uint32_t naive_cells_free(struct naive_cells *model, bool drop);

/* Complete packets in a queue. */
uint32_t naive_cells_packets(const struct naive_cells *model, uint32_t queue);

/* Every cell and descriptor is in exactly one place; null when so, else what is not. */
const char *naive_cells_check(const struct naive_cells *model);

#ifdef __cplusplus
}
#endif

#endif
