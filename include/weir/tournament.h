/*
 * tournament.h - a winner tree: the largest of n keys, its leftmost holder, and the next key above a bound.
 *
 * `node` has 2 * leaves entries, leaves being a power of two; node[leaves + i] is key i and every inner node the
 * larger of its two children, node[1] the largest of all. A changed key climbs to the
 * root, log2(leaves) levels of one comparison each: to stop where nothing changes any more would save a few of them
 * and cost a branch that mispredicts. Plain arrays: it lives in the MMU for real queue lengths and in a policy's
 * pointer-free state for virtual ones.
 */
#ifndef WEIR_TOURNAMENT_H
#define WEIR_TOURNAMENT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_NO_LEAF UINT32_MAX

static inline void weir_tournament_set(int64_t *node, uint32_t leaves, uint32_t leaf, int64_t key)
{
    size_t at = leaves + leaf;
    assert(leaf < leaves && (leaves & (leaves - 1)) == 0);
    node[at] = key;
    while (at > 1) {
        int64_t sibling = node[at ^ 1];
        key = key > sibling ? key : sibling;
        at >>= 1;
        node[at] = key;
    }
}

/* Rebuilds the tree over keys that have been written. */
static inline void weir_tournament_build(int64_t *node, uint32_t leaves)
{
    for (size_t at = leaves - 1; at > 0; at--)
        node[at] = node[2 * at] > node[2 * at + 1] ? node[2 * at] : node[2 * at + 1];
}

/* Leftmost leaf of the subtree at `root` that holds the subtree's largest key. */
static inline uint32_t weir_tournament_winner(const int64_t *node, uint32_t leaves, uint32_t root)
{
    uint32_t at = root;
    assert(root > 0 && root < 2 * leaves);
    while (at < leaves)
        at = 2 * at + (node[2 * at] != node[at]);
    return at - leaves;
}

/* First leaf of the subtree at `root` with a key above `bound`, or WEIR_NO_LEAF. */
static inline uint32_t weir_tournament_first_above(const int64_t *node, uint32_t leaves, uint32_t root, int64_t bound)
{
    if (node[root] <= bound)
        return WEIR_NO_LEAF;
    uint32_t at = root;
    while (at < leaves)
        at = 2 * at + (node[2 * at] <= bound);
    return at - leaves;
}

/* First leaf at or after `from` with a key above `bound`, within the subtree at `root`, which holds `from`. */
static inline uint32_t weir_tournament_next_above(const int64_t *node, uint32_t leaves, uint32_t root, uint32_t from,
                                                  int64_t bound)
{
    uint32_t at = leaves + from;
    assert(from < leaves && root > 0);
    if (node[at] > bound)
        return from;
    while (at != root) {
        if ((at & 1) == 0 && node[at + 1] > bound)
            return weir_tournament_first_above(node, leaves, at + 1, bound);
        at >>= 1;
    }
    return WEIR_NO_LEAF;
}

#ifdef __cplusplus
}
#endif

#endif
