/*
 * naive_smxq.c - sharing with a maximum queue for the naive model.
 */
#include "naive_internal.h"

/* Largest r with r * r <= square. */
static int64_t smxq_root(int64_t square)
{
    int64_t root = 0;
    for (int64_t bit = INT64_C(1) << 31; bit > 0; bit >>= 1)
        if ((root + bit) * (root + bit) <= square)
            root += bit;
    return root;
}

/* Static threshold: over if q + need > limit, by default B / sqrt(accounts). */
static enum weir_reason smxq_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    weir_cells size = naive_shared_size(n);
    weir_cells need = naive_need(n, arrival->account, arrival->cells);
    weir_cells limit = naive_space(n, "limit", arrival->tc.i, smxq_root(size * size / n->lossy_count));
    return naive_over(n->account[arrival->account.i].shared_cells + need > limit);
}

const struct naive_policy naive_smxq = {.name = "smxq", .admit = smxq_admit};
