/*
 * naive_occamy.c - occamy for the naive model: scans all accounts for a victim.
 */
#include "naive_internal.h"

struct occamy_state {
    weir_account cursor; /* last victim */
};

static size_t occamy_state_size(const struct weir_naive *n)
{
    (void)n;
    return sizeof(struct occamy_state);
}

static void occamy_init(struct weir_naive *n)
{
    struct occamy_state *s = n->state;
    s->cursor = WEIR_NO_ACCOUNT;
}

/* Over if q + need > alpha F, unless an empty account is exempt. */
static enum weir_reason occamy_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    if (naive_value(n, "empty_exception", 0) != 0 && n->account[arrival->account.i].cells == 0)
        return WEIR_REASON_NONE;
    weir_cells length = n->account[arrival->account.i].shared_cells + naive_need(n, arrival->account, arrival->cells);
    return naive_over(length > naive_alpha_free(n, arrival->tc.i));
}

/* Expulsion: a head of an account with q > alpha F, in turn after the last victim or from the longest of them. */
static struct weir_victim occamy_victim(const struct weir_naive *n, const struct weir_question *question)
{
    struct weir_victim victim = {WEIR_NO_ACCOUNT, false};
    const struct occamy_state *s = n->state;
    bool in_turn = naive_chooses(n, "select", "round-robin");
    uint32_t first = in_turn && s->cursor.i < n->account_count ? s->cursor.i + 1 : 0;
    weir_cells most = 0;
    for (uint32_t i = 0; question->why == WEIR_WHY_EXPEL && i < n->account_count; i++) {
        uint32_t a = (first + i) % n->account_count;
        const struct naive_account *account = &n->account[a];
        if (account->shared_cells <= naive_alpha_free(n, account->tc.i) || account->shared_cells <= most)
            continue;
        victim.account.i = a;
        if (in_turn)
            break;
        most = account->shared_cells;
    }
    return victim;
}

static void occamy_on_drop(struct weir_naive *n, const struct weir_event *event)
{
    struct occamy_state *s = n->state;
    if (event->cause == WEIR_CAUSE_EXPELLED)
        s->cursor = event->account;
}

const struct naive_policy naive_occamy = {
    .name = "occamy",
    .state_size = occamy_state_size,
    .init = occamy_init,
    .admit = occamy_admit,
    .victim = occamy_victim,
    .on_drop = occamy_on_drop,
};
