/*
 * tree.c - see tree.h. Number the members 1 .. n and let b be the lowest bit of a number: odd numbers (b = 1) are
 * leaves, and the children of i are i - b/2 and i + b/2, an in-order tree; a right child beyond n is replaced by the
 * next nearer one, i + b/4 and so on. The second tree is the first one after moving each member up by one number,
 * cyclically: odd becomes even, and n becomes 1, a leaf. (The paper mirrors the tree when n is even; moving serves
 * both.)
 */
#include "sim/jobs/tree.h"

/* The i-th member has this number in a tree, and back. */

static uint32_t number_of(uint32_t i, uint32_t tree, uint32_t n)
{
    return (i + tree) % n + 1;
}

static uint32_t member_of(uint32_t number, uint32_t tree, uint32_t n)
{
    return (number - 1 + n - tree) % n;
}

uint32_t tree_parent(uint32_t i, uint32_t tree, uint32_t n)
{
    uint32_t number = number_of(i, tree, n), bit = number & -number;
    uint32_t parent = (number ^ bit) | (bit << 1);
    parent = parent <= n ? parent : number ^ bit;
    return parent > 0 ? member_of(parent, tree, n) : TREE_NONE;
}

uint32_t tree_children(uint32_t i, uint32_t tree, uint32_t n, uint32_t children[2])
{
    uint32_t number = number_of(i, tree, n);
    uint32_t bit = number & -number, step = bit / 2;
    while (number + step > n)
        step /= 2;
    uint32_t left = bit > 1 ? number - bit / 2 : 0, right = step > 0 ? number + step : 0;
    uint32_t count = 0;
    if (left > 0)
        children[count++] = member_of(left, tree, n);
    if (right > 0)
        children[count++] = member_of(right, tree, n);
    return count;
}
