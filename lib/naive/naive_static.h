/*
 * naive_static.h - what the naive headroom schemes have in common: thresholds, and the rule of those with a fixed part
 * per queue (sih, adaptive, oversubscribed).
 *
 * T is alpha F, rounded down, with F what is free of the shared pool; q and h are what a queue, p and H what a port's
 * lossless queues hold of the shared and of the headroom pool. What holds nothing of the shared pool is not paused for
 * its sake.
 */
#ifndef WEIR_NAIVE_STATIC_H
#define WEIR_NAIVE_STATIC_H

#include "naive_internal.h"

weir_cells naive_scheme_threshold(const struct weir_naive *n);
weir_cells naive_scheme_space(const struct weir_naive *n, const char *name);
bool naive_queue_is_paused(const struct weir_naive *n, uint32_t input, uint32_t tc);

/* Paused from xoff up, and then until it is no more than xoff - delta. */
bool naive_scheme_holds(weir_cells held, weir_cells xoff, weir_cells delta, bool paused);

/* Shared while q < T, or while the queue is not paused, and in both cases while there is room. */
enum naive_place naive_static_place(const struct weir_naive *n, uint32_t input, uint32_t tc, weir_cells need);
bool naive_static_pauses(const struct weir_naive *n, uint32_t input, uint32_t tc);

#endif
