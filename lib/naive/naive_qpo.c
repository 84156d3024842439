/*
 * naive_qpo.c - quasi-pushout for the naive model.
 */
#include "naive_internal.h"

static weir_account *qpo_pointer(const struct weir_naive *n)
{
    return n->state;
}

static size_t qpo_state_size(const struct weir_naive *n)
{
    (void)n;
    return sizeof(weir_account);
}

static enum weir_reason qpo_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    (void)n;
    (void)arrival;
    return WEIR_REASON_NONE;
}

/* The head of the queue that has the pointer, while it holds anything that others could use. */
static struct weir_victim qpo_victim(const struct weir_naive *n, const struct weir_question *question)
{
    struct weir_victim victim = {WEIR_NO_ACCOUNT, false};
    if (question->why == WEIR_WHY_PUSHOUT && n->account[qpo_pointer(n)->i].shared_cells > 0)
        victim.account = *qpo_pointer(n);
    return victim;
}

static void qpo_take_over(struct weir_naive *n, const struct weir_event *event, const char *not_when)
{
    weir_cells longest = n->account[qpo_pointer(n)->i].shared_cells;
    if (!naive_chooses(n, "update", not_when) && n->account[event->account.i].shared_cells > longest)
        *qpo_pointer(n) = event->account;
}

static void qpo_on_enqueue(struct weir_naive *n, const struct weir_event *event)
{
    qpo_take_over(n, event, "output");
}

static void qpo_on_dequeue(struct weir_naive *n, const struct weir_event *event)
{
    qpo_take_over(n, event, "input");
}

const struct naive_policy naive_qpo = {
    .name = "qpo",
    .state_size = qpo_state_size,
    .admit = qpo_admit,
    .victim = qpo_victim,
    .on_enqueue = qpo_on_enqueue,
    .on_dequeue = qpo_on_dequeue,
};
