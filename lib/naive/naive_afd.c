/*
 * naive_afd.c - approximate fair dropping for the naive model: periods are gone through one by one, until one changes
 * nothing.
 */
#include "naive_internal.h"
#include "weir/random.h"

struct afd_queue {
    int64_t share, before; /* bytes */
};

static struct afd_queue *afd_queue(const struct weir_naive *n, uint32_t account)
{
    return (struct afd_queue *)n->state + account;
}

/* One more than there are accounts: the last one's share is the number of periods that have ended. */
static size_t afd_state_size(const struct weir_naive *n)
{
    return (n->account_count + 1) * sizeof(struct afd_queue);
}

static int64_t afd_most(const struct weir_naive *n, uint32_t account)
{
    naive_wide bits = (naive_wide)n->port[n->account[account].port.i].rate_bps * naive_value(n, "period", 0);
    return (int64_t)(bits / 8 / WEIR_PS_PER_S);
}

static void afd_init(struct weir_naive *n)
{
    for (uint32_t a = 0; a < n->account_count; a++)
        afd_queue(n, a)->share = afd_most(n, a);
}

/* False: it changed nothing, so that the next one will not either. */
static bool afd_period(struct weir_naive *n, uint32_t account)
{
    struct afd_queue *queue = afd_queue(n, account);
    int64_t bytes = n->account[account].shared_cells * n->config.cell_bytes, reference = naive_value(n, "reference", 0);
    int64_t step = (naive_value(n, "old_gain", 0) * (queue->before - reference) -
                    naive_value(n, "gain", 0) * (bytes - reference)) >>
                   16;
    int64_t share = queue->share, before = queue->before;
    queue->share += step;
    if (queue->share < 0)
        queue->share = 0;
    if (queue->share > afd_most(n, account))
        queue->share = afd_most(n, account);
    queue->before = bytes;
    return share != queue->share || before != bytes;
}

static void afd_on_time(struct weir_naive *n, weir_ps now)
{
    struct afd_queue *ended = afd_queue(n, n->account_count);
    int64_t periods = now / naive_value(n, "period", 0) - ended->share;
    for (uint32_t a = 0; a < n->account_count; a++)
        for (int64_t i = 0; i < periods && afd_period(n, a); i++)
            continue;
    ended->share += periods;
}

static enum weir_reason afd_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    const struct naive_account *account = &n->account[arrival->account.i];
    const struct weir_flow_entry *entry = arrival->flow->entry;
    int64_t share = afd_queue(n, arrival->account.i)->share;
    weir_cells length = account->shared_cells + naive_need(n, arrival->account, arrival->cells);
    if (length > naive_alpha_free(n, arrival->tc.i))
        return WEIR_REASON_OVER_THRESHOLD;
    if (entry == NULL || account->shared_cells * n->config.cell_bytes <= naive_value(n, "reference", 0))
        return WEIR_REASON_NONE;
    naive_wide draw = (naive_wide)(weir_hash(0x616664, arrival->index) >> 32);
    return naive_over(entry->past_bytes > share && draw * entry->past_bytes >= (naive_wide)share * 4294967296);
}

const struct naive_policy naive_afd = {
    .name = "afd", .state_size = afd_state_size, .init = afd_init, .on_time = afd_on_time, .admit = afd_admit};
