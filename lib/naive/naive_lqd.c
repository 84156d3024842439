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

/* The longest account of the lowest class that holds anything. */
static weir_account lqd_of_lowest(const struct weir_naive *n, uint32_t class_max)
{
    weir_account longest = WEIR_NO_ACCOUNT;
    for (uint32_t c = 0; c <= class_max && longest.i == WEIR_NO_ACCOUNT.i; c++)
        longest = naive_longest(n, c);
    return longest;
}

/* The longest account loses, unless the arrival's own would then be as long. With priorities only classes up to the
 * arrival's are looked at; lowest first: a lower class loses whatever its length. */
static struct weir_victim lqd_victim(const struct weir_naive *n, const struct weir_question *question)
{
    struct weir_victim victim = {WEIR_NO_ACCOUNT, naive_chooses(n, "remove", "tail")};
    if (question->why != WEIR_WHY_PUSHOUT)
        return victim;
    const struct weir_arrival *arrival = question->arrival;
    bool lowest = naive_chooses(n, "priority", "lowest");
    weir_account longest = naive_longest(n, naive_chooses(n, "priority", "no") ? n->config.classes : arrival->tc.i);
    if (lowest)
        longest = lqd_of_lowest(n, arrival->tc.i);
    if (lowest && longest.i < n->account_count && n->account[longest.i].tc.i < arrival->tc.i) {
        victim.account = longest;
        return victim;
    }
    weir_cells own = n->account[arrival->account.i].shared_cells + naive_need(n, arrival->account, arrival->cells);
    if (longest.i < n->account_count && longest.i != arrival->account.i && n->account[longest.i].shared_cells > own)
        victim.account = longest;
    return victim;
}

const struct naive_policy naive_lqd = {.name = "lqd", .admit = lqd_admit, .victim = lqd_victim};
