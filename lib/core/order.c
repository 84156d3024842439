/*
 * order.c - see order.h; and the questions of view.h that the tree answers.
 */
#include "order.h"

#include <assert.h>

#include "weir/fixed.h"

uint32_t weir_order_leaves(uint32_t ports, uint32_t classes)
{
    return weir_next_power_of_two(classes) * weir_next_power_of_two(ports);
}

void weir_order_init(struct weir_order *order, uint32_t ports, uint32_t classes)
{
    assert(order->node && ports > 0 && classes > 0);
    order->patience = 0;
    order->leaves = weir_order_leaves(ports, classes);
    order->port_bits = (uint32_t)__builtin_ctz(weir_next_power_of_two(ports));
    order->class_root = order->leaves >> order->port_bits;
}

static void order_rebuild(struct weir_order *order, const struct weir_view *v)
{
    weir_account account = {0};
    for (uint32_t tc = 0; tc < v->geometry.classes; tc++) {
        int64_t *key = &order->node[order->leaves + (tc << order->port_bits)];
        for (uint32_t port = 0; port < v->geometry.ports; port++, account.i++)
            key[port] = weir_view_shared(v, account);
    }
    weir_tournament_build(order->node, order->leaves);
}

/* The tree, up to date. */
static const struct weir_order *order_of(const struct weir_view *v)
{
    struct weir_order *order = v->order;
    assert(order && order->node && "the policy's `needs` ask for the longest account");
    if (order->patience == 0)
        order_rebuild(order, v);
    order->patience = order->leaves;
    return order;
}

/* The longest account of a subtree. */
static weir_account order_winner(const struct weir_order *order, const struct weir_view *v, uint32_t root)
{
    if (order->node[root] == 0)
        return WEIR_NO_ACCOUNT;
    uint32_t leaf = weir_tournament_winner(order->node, order->leaves, root);
    uint32_t tc = leaf >> order->port_bits, port = leaf - (tc << order->port_bits);
    return weir_account_of(&v->geometry, (weir_port){port}, (weir_class){tc});
}

weir_cells weir_view_peak(const struct weir_view *v)
{
    return order_of(v)->node[1];
}

weir_account weir_view_longest(const struct weir_view *v)
{
    return order_winner(order_of(v), v, 1);
}

const weir_cells *weir_view_class_peaks(const struct weir_view *v)
{
    const struct weir_order *order = order_of(v);
    return &order->node[order->class_root];
}

weir_account weir_view_class_longest(const struct weir_view *v, weir_class tc)
{
    const struct weir_order *order = order_of(v);
    assert(tc.i < v->geometry.classes);
    return order_winner(order, v, order->class_root + tc.i);
}

/* First account at or after port `from` of a class with more shared cells than `threshold`. */
static weir_account order_next_in_class(const struct weir_order *order, const struct weir_view *v, weir_class tc,
                                        uint32_t from, weir_cells threshold)
{
    uint32_t root = order->class_root + tc.i, first = tc.i << order->port_bits;
    if (from >= v->geometry.ports || order->node[root] <= threshold)
        return WEIR_NO_ACCOUNT;
    uint32_t leaf = weir_tournament_next_above(order->node, order->leaves, root, first + from, threshold);
    return leaf == WEIR_NO_LEAF ? WEIR_NO_ACCOUNT : weir_account_of(&v->geometry, (weir_port){leaf - first}, tc);
}

weir_account weir_view_next_above(const struct weir_view *v, weir_account last, const weir_cells *class_threshold)
{
    const struct weir_geometry *g = &v->geometry;
    const struct weir_order *order = order_of(v);
    uint32_t start_class = 0, start_port = 0;
    if (!weir_account_is(last, WEIR_NO_ACCOUNT)) {
        assert(last.i < g->accounts);
        start_class = weir_account_class(g, last).i;
        start_port = weir_account_port(g, last).i + 1;
    }
    /* Visit the starting class twice: first from the cursor on, at the end from its beginning. */
    for (uint32_t step = 0; step <= g->classes; step++) {
        weir_class tc = {(start_class + step) % g->classes};
        uint32_t from = step == 0 ? start_port : 0;
        weir_account found = order_next_in_class(order, v, tc, from, class_threshold[tc.i]);
        if (!weir_account_is(found, WEIR_NO_ACCOUNT))
            return found;
    }
    return WEIR_NO_ACCOUNT;
}
