/*
 * view.c - the ordered questions a policy may ask that are too long for a header, and the tree they are asked of.
 */
#include "weir/view.h"

void weir_view_rebuild(const struct weir_view *v)
{
    const struct weir_tree *t = v->tree;
    const struct weir_account_state *a = v->account;
    for (uint32_t tc = 0; tc < v->geometry.classes; tc++) {
        int64_t *key = &t->node[t->leaves + (tc << t->port_bits)];
        for (uint32_t port = 0; port < v->geometry.ports; port++)
            key[port] = (a++)->shared_cells;
    }
    weir_tournament_build(t->node, t->leaves);
}

/* First account at or after port `from` of a class with more shared cells than `threshold`. */
static weir_account view_next_in_class(const struct weir_view *v, uint32_t tc, uint32_t from, weir_cells threshold)
{
    const struct weir_tree *t = weir_view_tree(v);
    uint32_t root = t->class_root + tc;
    uint32_t leaf = (tc << t->port_bits) + from;
    if (from >= v->geometry.ports || t->node[root] <= threshold)
        return WEIR_NO_ACCOUNT;
    leaf = weir_tournament_next_above(t->node, t->leaves, root, leaf, threshold);
    return leaf == WEIR_NO_LEAF ? WEIR_NO_ACCOUNT : weir_view_leaf_account(v, leaf);
}

weir_account weir_view_next_above(const struct weir_view *v, weir_account last, const weir_cells *class_threshold)
{
    const struct weir_geometry *g = &v->geometry;
    uint32_t start_class = 0, start_port = 0;
    if (!weir_account_is(last, WEIR_NO_ACCOUNT)) {
        start_class = weir_account_class(g, last).i;
        start_port = weir_account_port(g, last).i + 1;
    }
    /* The starting class is visited twice: first from the cursor on, at the end from its beginning. */
    for (uint32_t step = 0; step <= g->classes; step++) {
        uint32_t tc = (start_class + step) % g->classes;
        uint32_t from = step == 0 ? start_port : 0;
        weir_account found = view_next_in_class(v, tc, from, class_threshold[tc]);
        if (!weir_account_is(found, WEIR_NO_ACCOUNT))
            return found;
    }
    return WEIR_NO_ACCOUNT;
}
