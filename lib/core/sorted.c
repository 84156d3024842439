/*
 * sorted.c - see sorted.h.
 */
#include "sorted.h"

#include <assert.h>

void weir_sorted_init(struct weir_sorted *r, const struct weir_geometry *g)
{
    r->count = 0;
    for (uint32_t i = 0; i < g->accounts; i++) {
        if (g->lossless_mask >> weir_account_class(g, (weir_account){i}).i & 1)
            continue;
        r->order[r->count] = i;
        r->rank_of[i] = r->count++;
        r->run_of[i] = 0;
    }
    r->run[0] = (struct weir_rank_run){0, r->count, 0};
    r->free_run = 1;
    for (uint32_t i = 1; i <= g->accounts; i++)
        r->run[i].first = i + 1;
}

static void sorted_place(struct weir_sorted *r, uint32_t account, uint32_t rank)
{
    r->order[rank] = account;
    r->rank_of[account] = rank;
}

/* Takes the account out of its run at the end where it will leave. Returns the rank that is now vacant. */
static uint32_t sorted_leave(struct weir_sorted *r, uint32_t account, bool upward)
{
    struct weir_rank_run *run = &r->run[r->run_of[account]];
    uint32_t vacant = upward ? run->first : run->first + run->count - 1;
    sorted_place(r, r->order[vacant], r->rank_of[account]);
    run->first += upward;
    if (--run->count == 0) {
        run->first = r->free_run;
        r->free_run = r->run_of[account];
    }
    return vacant;
}

/* Joins the run of the neighbour if it has the same length, else starts one. */
static void sorted_join(struct weir_sorted *r, uint32_t account, uint32_t rank, weir_cells length, bool upward)
{
    uint32_t neighbour = upward ? rank - 1 : rank + 1; /* wraps to a rank that does not exist at the ends */
    sorted_place(r, account, rank);
    if (neighbour < r->count && r->run[r->run_of[r->order[neighbour]]].length == length) {
        struct weir_rank_run *run = &r->run[r->run_of[r->order[neighbour]]];
        r->run_of[account] = r->run_of[r->order[neighbour]];
        run->count++;
        run->first -= !upward;
        return;
    }
    uint32_t fresh = r->free_run;
    r->free_run = r->run[fresh].first;
    r->run[fresh] = (struct weir_rank_run){rank, 1, length};
    r->run_of[account] = fresh;
}

void weir_sorted_update(struct weir_sorted *r, weir_account account, weir_cells length)
{
    weir_cells before = r->run[r->run_of[account.i]].length;
    bool upward = length > before;
    assert(length >= 0);
    if (length == before)
        return;
    uint32_t vacant = sorted_leave(r, account.i, upward);
    for (;;) {
        uint32_t neighbour = upward ? vacant - 1 : vacant + 1;
        if (neighbour >= r->count)
            break;
        struct weir_rank_run *run = &r->run[r->run_of[r->order[neighbour]]];
        if (upward ? run->length >= length : run->length <= length)
            break;
        uint32_t far = upward ? run->first : run->first + run->count - 1;
        sorted_place(r, r->order[far], vacant);
        run->first += upward ? 1 : UINT32_MAX; /* the run moves by one rank */
        vacant = far;
    }
    sorted_join(r, account.i, vacant, length, upward);
}
