/*
 * start_order.h - sorts what a file lists by starting time, keeping the file's order among equal times.
 */
#ifndef WORKLOAD_START_ORDER_H
#define WORKLOAD_START_ORDER_H

#include "weir/types.h"

/* `items` are structs of `size` bytes that begin with their start as weir_ps. False: out of memory, order unchanged. */
bool start_order_sort(void *items, size_t size, uint32_t count);

#endif
