/*
 * naive_dt.c - dynamic threshold for the naive model.
 */
#include "naive_internal.h"

/* Dynamic threshold: over if q + need > alpha F. */
static enum weir_reason dt_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    weir_cells need = naive_need(n, arrival->account, arrival->cells);
    weir_cells length = n->account[arrival->account.i].shared_cells + need;
    return naive_over(length > naive_alpha_free(n, arrival->tc.i));
}

const struct naive_policy naive_dt = {.name = "dt", .admit = dt_admit};
