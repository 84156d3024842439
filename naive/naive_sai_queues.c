/*
 * naive_sai_queues.c - queues with pools and profiles for the naive model.
 */
#include "naive_sai.h"

static enum weir_reason sai_queues_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    struct naive_sai_account at = {false, arrival->port.i, arrival->tc.i};
    weir_cells added = naive_is_lossless(n, at.tc) ? naive_sai_added(n, at, arrival->cells)
                                                   : naive_need(n, arrival->account, arrival->cells);
    return naive_sai_admit(n, at, added);
}

const struct naive_policy naive_sai_queues = {.name = "sai-queues", .admit = sai_queues_admit, .asks_lossless = true};
