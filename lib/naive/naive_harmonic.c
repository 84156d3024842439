/*
 * naive_harmonic.c - harmonic for the naive model: sorts all lengths at each arrival.
 */
#include <stdlib.h>

#include "naive_internal.h"

static size_t harmonic_state_size(const struct weir_naive *n)
{
    return n->account_count * sizeof(weir_cells); /* lengths to sort */
}

static int harmonic_compare(const void *left, const void *right)
{
    weir_cells l = *(const weir_cells *)left, r = *(const weir_cells *)right;
    return (l < r) - (l > r);
}

/* Harmonic: over if, for some k, the k longest accounts would hold more than B (1 + 1/2 + ... + 1/k) / H_N. */
static enum weir_reason harmonic_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    weir_cells *sorted = n->state;
    int64_t whole = 0, part = 0;
    for (uint32_t a = 0; a < n->account_count; a++)
        sorted[a] = n->account[a].shared_cells;
    for (uint32_t k = 0; k < n->lossy_count; k++)
        whole += (1 << 20) / (k + 1);
    sorted[arrival->account.i] += naive_need(n, arrival->account, arrival->cells);
    qsort(sorted, n->account_count, sizeof sorted[0], harmonic_compare);
    weir_cells together = 0;
    for (uint32_t k = 0; k < n->lossy_count; k++) {
        together += sorted[k];
        part += (1 << 20) / (k + 1);
        if (together > naive_shared_size(n) * part / whole)
            return WEIR_REASON_OVER_THRESHOLD;
    }
    return WEIR_REASON_NONE;
}

const struct naive_policy naive_harmonic = {
    .name = "harmonic", .state_size = harmonic_state_size, .admit = harmonic_admit};
