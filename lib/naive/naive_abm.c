/*
 * naive_abm.c - active buffer management for the naive model: samples drain rates and congestion per window.
 */
#include "naive_internal.h"

struct abm_account {
    weir_q16 mu;           /* normalised drain rate */
    weir_cells seen_cells; /* what the account had sent at the last sample */
};

struct abm_state {
    weir_ps boundary_ps;                  /* next sample */
    weir_q16 congested[WEIR_CLASSES_MAX]; /* n_p */
    struct abm_account account[];
};

static size_t abm_state_size(const struct weir_naive *n)
{
    return sizeof(struct abm_state) + n->account_count * sizeof(struct abm_account);
}

static void abm_init(struct weir_naive *n)
{
    struct abm_state *s = n->state;
    for (uint32_t a = 0; a < n->account_count; a++)
        s->account[a].mu = WEIR_Q16_ONE;
    for (uint32_t c = 0; c < n->config.classes; c++)
        s->congested[c] = WEIR_Q16_ONE;
    s->boundary_ps = naive_value(n, "window", 0);
}

/* T = alpha F mu / n_p */
static weir_cells abm_threshold(const struct weir_naive *n, uint32_t account, weir_q16 alpha)
{
    const struct abm_state *s = n->state;
    weir_cells share = weir_q16_mul(s->account[account].mu, weir_q16_mul(alpha, naive_shared_free(n)));
    return share * WEIR_Q16_ONE / s->congested[n->account[account].tc.i];
}

static enum weir_reason abm_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    const struct naive_account *account = &n->account[arrival->account.i];
    weir_cells need = naive_need(n, arrival->account, arrival->cells);
    weir_q16 alpha = naive_value(n, "alpha", arrival->tc.i);
    weir_q16 boost = naive_value(n, "unscheduled_alpha", arrival->tc.i);
    if ((arrival->flags & WEIR_FLAG_UNSCHEDULED) != 0 && boost > 0)
        alpha = boost;
    return naive_over(account->shared_cells + need > abm_threshold(n, arrival->account.i, alpha));
}

/* Cells the account sent since the last sample. */
static weir_cells abm_window(const struct weir_naive *n, uint32_t account)
{
    const struct abm_state *s = n->state;
    return n->account[account].sent_cells - s->account[account].seen_cells;
}

/* What the account sent in the window over what its port could send, or did: 1 when above 1, and 1 or 1/classes when
 * below 1/classes. */
static weir_q16 abm_drain(const struct weir_naive *n, uint32_t account)
{
    uint32_t port = n->account[account].port.i;
    naive_wide most = 0;
    if (naive_chooses(n, "drain", "share")) {
        for (uint32_t a = 0; a < n->account_count; a++)
            if (n->account[a].port.i == port)
                most += abm_window(n, a);
    } else {
        naive_wide bits = (naive_wide)n->port[port].rate_bps * naive_value(n, "window", 0);
        most = bits / ((naive_wide)8 * WEIR_PS_PER_S * n->config.cell_bytes);
        most = most > 0 ? most : 1;
    }
    if (most == 0)
        return WEIR_Q16_ONE;
    weir_q16 mu = (weir_q16)(((naive_wide)abm_window(n, account) << 16) / most);
    weir_q16 least = WEIR_Q16_ONE / n->config.classes;
    if (mu < least && naive_chooses(n, "low_drain", "clamp"))
        return least;
    return mu < least || mu > WEIR_Q16_ONE ? WEIR_Q16_ONE : mu;
}

/* How much the account counts as congested, of 1. */
static weir_q16 abm_congestion(const struct weir_naive *n, uint32_t a)
{
    const struct naive_account *account = &n->account[a];
    weir_cells length = account->shared_cells, full = naive_space(n, "congested_bytes", 0, 0);
    if (naive_chooses(n, "congestion", "fractional"))
        return (length < full ? length : full) * WEIR_Q16_ONE / full;
    weir_cells threshold = abm_threshold(n, a, naive_value(n, "alpha", account->tc.i));
    bool congested = length > 0 && length >= weir_q16_mul(naive_value(n, "congested_ratio", 0), threshold);
    return congested ? WEIR_Q16_ONE : 0;
}

/* One sample; false when nothing was sent and nothing changed, so that the next would change nothing either. */
static bool abm_sample(struct weir_naive *n)
{
    struct abm_state *s = n->state;
    weir_q16 congested[WEIR_CLASSES_MAX] = {0};
    bool moved = false;
    for (uint32_t a = 0; a < n->account_count; a++) {
        weir_q16 mu = abm_drain(n, a);
        moved = moved || mu != s->account[a].mu || abm_window(n, a) > 0;
        s->account[a].mu = mu;
    }
    for (uint32_t a = 0; a < n->account_count; a++) {
        congested[n->account[a].tc.i] += abm_congestion(n, a);
        s->account[a].seen_cells = n->account[a].sent_cells;
    }
    for (uint32_t c = 0; c < n->config.classes; c++) {
        weir_q16 sum = congested[c] > WEIR_Q16_ONE ? congested[c] : WEIR_Q16_ONE;
        moved = moved || sum != s->congested[c];
        s->congested[c] = sum;
    }
    return moved;
}

static void abm_on_time(struct weir_naive *n, weir_ps now)
{
    struct abm_state *s = n->state;
    weir_ps window = naive_value(n, "window", 0);
    bool moved = true;
    while (s->boundary_ps <= now && moved) {
        moved = abm_sample(n);
        s->boundary_ps = (s->boundary_ps / window + 1) * window;
    }
    if (s->boundary_ps <= now)
        s->boundary_ps = (now / window + 1) * window;
}

const struct naive_policy naive_abm = {
    .name = "abm",
    .state_size = abm_state_size,
    .init = abm_init,
    .on_time = abm_on_time,
    .admit = abm_admit,
};
