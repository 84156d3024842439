/*
 * naive_occamy_p4.c - occamy-p4 for the naive model.
 *
 * Admission sees lengths and the free pool as they were at the boundary of rounds before the last one.
 */
#include "naive_internal.h"

struct p4_account {
    weir_cells seen_cells, latest_cells; /* shared cells at the boundary before last, and at the last */
};

struct p4_state {
    weir_ps boundary_ps;               /* next look */
    weir_ps sync_ps;                   /* length of a round, fixed at the start */
    weir_cells seen_free, latest_free; /* of the shared pool, as of the accounts */
    struct p4_account account[];
};

static size_t p4_state_size(const struct weir_naive *n)
{
    return sizeof(struct p4_state) + n->account_count * sizeof(struct p4_account);
}

static void p4_look(struct weir_naive *n)
{
    struct p4_state *s = n->state;
    for (uint32_t a = 0; a < n->account_count; a++) {
        s->account[a].seen_cells = s->account[a].latest_cells;
        s->account[a].latest_cells = n->account[a].shared_cells;
    }
    s->seen_free = s->latest_free;
    s->latest_free = naive_shared_free(n);
}

static void p4_init(struct weir_naive *n)
{
    struct p4_state *s = n->state;
    p4_look(n);
    p4_look(n);
    s->boundary_ps = s->sync_ps = naive_value(n, "sync", 0);
}

/* Each boundary that passed looks once; of many at rest, two looks are as good as all. */
static void p4_on_time(struct weir_naive *n, weir_ps now)
{
    struct p4_state *s = n->state;
    weir_ps sync = s->sync_ps;
    for (int looks = 0; s->boundary_ps <= now && looks < 2; looks++) {
        p4_look(n);
        s->boundary_ps = (s->boundary_ps / sync + 1) * sync;
    }
    if (s->boundary_ps <= now)
        s->boundary_ps = (now / sync + 1) * sync;
}

/* Over if q + margin > alpha F, both as they were at the boundary before last. */
static enum weir_reason p4_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    const struct p4_state *s = n->state;
    weir_cells length = s->account[arrival->account.i].seen_cells + naive_space(n, "admit_margin", arrival->tc.i, 0);
    return naive_over(length > weir_q16_mul(naive_value(n, "alpha", arrival->tc.i), s->seen_free));
}

/* A packet about to leave is dropped instead if q > alpha F + margin, as they are now. */
static struct weir_victim p4_victim(const struct weir_naive *n, const struct weir_question *question)
{
    struct weir_victim victim = {WEIR_NO_ACCOUNT, false};
    if (question->why != WEIR_WHY_DEQUEUE)
        return victim;
    const struct naive_account *account = &n->account[question->leaving.i];
    weir_cells margin = naive_space(n, "drop_margin", account->tc.i, 0);
    if (account->shared_cells > naive_alpha_free(n, account->tc.i) + margin)
        victim.account = question->leaving;
    return victim;
}

const struct naive_policy naive_occamy_p4 = {
    .name = "occamy-p4",
    .state_size = p4_state_size,
    .init = p4_init,
    .on_time = p4_on_time,
    .admit = p4_admit,
    .victim = p4_victim,
};
