/*
 * naive_lqd.c - longest queue drop for the naive model.
 */
#include "naive_internal.h"

/* Everything enters while there is room, and victims make room. */
static enum weir_reason lqd_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    (void)n;
    (void)arrival;
    return WEIR_REASON_NONE;
}

/* The longest account loses, unless the arrival's own would then be as long. */
static struct weir_victim lqd_victim(const struct weir_naive *n, const struct weir_question *question)
{
    struct weir_victim victim = {WEIR_NO_ACCOUNT, naive_chooses(n, "remove", "tail")};
    if (question->why != WEIR_WHY_PUSHOUT)
        return victim;
    const struct weir_arrival *arrival = question->arrival;
    bool priority = naive_value(n, "priority", 0) != 0;
    weir_account longest = naive_longest(n, priority ? arrival->tc.i : n->config.classes);
    weir_cells own = n->account[arrival->account.i].shared_cells + naive_need(n, arrival->account, arrival->cells);
    if (longest.i < n->account_count && longest.i != arrival->account.i && n->account[longest.i].shared_cells > own)
        victim.account = longest;
    return victim;
}

const struct naive_policy naive_lqd = {.name = "lqd", .admit = lqd_admit, .victim = lqd_victim};
