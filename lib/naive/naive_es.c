/*
 * naive_es.c - equal split for the naive model.
 */
#include "naive_internal.h"

/* Equal split: over if port + need > B / ports, or q + need > B / accounts. */
static enum weir_reason es_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    bool by_port = naive_chooses(n, "over", "port");
    weir_cells held = by_port ? n->port[arrival->port.i].shared_cells : n->account[arrival->account.i].shared_cells;
    weir_cells share = naive_shared_size(n) / (by_port ? n->config.ports : n->lossy_count);
    return naive_over(held + naive_need(n, arrival->account, arrival->cells) > share);
}

const struct naive_policy naive_es = {.name = "es", .admit = es_admit};
