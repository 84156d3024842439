/*
 * tree.h - the two binary trees of a double-tree collective (Sanders, Speck, Traeff: "Two-tree algorithms for full
 * bandwidth broadcast, reduction and scan", Parallel Computing 35, 2009): inner nodes of one are leaves of the other,
 * so that together they use both directions of every member's link evenly.
 */
#ifndef JOBS_TREE_H
#define JOBS_TREE_H

#include <stdint.h>

#define TREE_NONE UINT32_MAX

/* Neighbours of the i-th of n members in tree 0 or 1, as places 0 .. n-1. */
uint32_t tree_parent(uint32_t i, uint32_t tree, uint32_t n);                         /* TREE_NONE: it is the root */
uint32_t tree_children(uint32_t i, uint32_t tree, uint32_t n, uint32_t children[2]); /* returns how many */

#endif
