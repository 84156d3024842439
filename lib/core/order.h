/*
 * order.h - the longest account and its like: a tournament tree (tournament.h) over what the accounts hold of the
 * shared pool.
 *
 * Most policies that need it ask seldom, and a climb to the root per packet is not free. So the tree rests: when as
 * many changes as it has leaves have gone by without a question, it ignores changes and the next question rebuilds it.
 * A rebuild costs two steps per leaf, so at most two per ignored change (decision 25). Questions are asked through the
 * view (weir_view_longest and its neighbours); they bring the tree up to date first.
 */
#ifndef WEIR_ORDER_H
#define WEIR_ORDER_H

#include "weir/tournament.h"
#include "weir/view.h"

/* Leaf = class << port_bits | port. */
struct weir_order {
    int64_t *node;     /* [2 * leaves], or null: no order is kept */
    uint32_t patience; /* so many more changes climb without a question; 0: the tree is behind, or there is none */
    uint32_t leaves;
    uint32_t port_bits;
    uint32_t class_root; /* the subtree of class c is rooted at this node + c */
};

/* The leaves that so many ports and classes need. */
uint32_t weir_order_leaves(uint32_t ports, uint32_t classes);

/* An order over empty accounts; `node` is in place and zero. */
void weir_order_init(struct weir_order *order, uint32_t ports, uint32_t classes);

/* The account at (port, tc) now holds this much of the shared pool. */
static inline void weir_order_update(struct weir_order *order, weir_port port, weir_class tc, weir_cells shared_cells)
{
    if (order->patience == 0)
        return;
    order->patience--;
    weir_tournament_set(order->node, order->leaves, (tc.i << order->port_bits) + port.i, shared_cells);
}

#endif
