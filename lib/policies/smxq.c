/*
 * smxq.c - Sharing with a Maximum Queue: one fixed limit per account, the sum of which may exceed the buffer.
 *
 * Between complete sharing (limit = B) and a split (limit = B / N): a single overloaded account is stopped at its
 * limit, while several moderately loaded ones still share. The square-root rule sets the limit near the optimum for
 * N equal accounts without knowing their load.
 *
 *   refuse  if  q + len > limit          limit = B / sqrt(N) unless set
 *
 * with q and B counted in the shared pool, so that private minimums come on top. An account never holds more of the
 * shared pool than its limit, unless the limit was lowered at run time.
 *
 * Paper: M. Irland, "Buffer management in a packet switch", IEEE Trans. Communications 1978.
 */
#include <assert.h>

#include "weir/fixed.h"
#include "weir/policy.h"

struct smxq_derived {
    weir_cells limit_cells[WEIR_CLASSES_MAX]; /* as set, or B / sqrt(N) */
};

struct smxq_state {
    struct smxq_derived derived;
};

static const struct weir_param smxq_param_table[] = {
    {"limit", WEIR_UNIT_SPACE, true, WEIR_AUTO, 1, INT64_C(1) << 40, NULL,
     "Most that one account may hold; auto: shared buffer / sqrt(accounts)."},
};

static size_t smxq_state_size(const struct weir_geometry *geometry)
{
    (void)geometry;
    return sizeof(struct smxq_state);
}

/* floor(sqrt(square)), bit by bit from the top; square < 2^62. */
static int64_t smxq_root(int64_t square)
{
    int64_t root = 0;
    for (int64_t bit = INT64_C(1) << 30; bit > 0; bit >>= 1)
        if ((root + bit) * (root + bit) <= square)
            root += bit;
    return root;
}

static void smxq_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct smxq_state *s = state;
    const struct weir_geometry *g = &view->geometry;
    assert(g->shared_cells >= 0 && g->shared_cells < INT64_C(1) << 31); /* its square is below 2^62 */
    uint32_t accounts = g->lossy_accounts > 0 ? g->lossy_accounts : 1;  /* all lossless: the limit is not used */
    weir_cells automatic = smxq_root(g->shared_cells * g->shared_cells / accounts);
    for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++) {
        int64_t bytes = values->of[0][c];
        s->derived.limit_cells[c] = bytes == WEIR_AUTO ? automatic : weir_cells_for_bytes(bytes, g->cell_bytes);
    }
}

static weir_cells smxq_threshold(const void *state, const struct weir_view *view, weir_account account)
{
    const struct smxq_state *s = state;
    return s->derived.limit_cells[weir_account_class(&view->geometry, account).i];
}

static struct weir_verdict smxq_admit(void *state, const struct weir_view *view, const struct weir_arrival *arrival)
{
    const struct smxq_state *s = state;
    if (weir_view_shared(view, arrival->account) + arrival->need_cells > s->derived.limit_cells[arrival->tc.i])
        return weir_refuse(WEIR_REASON_OVER_THRESHOLD);
    return weir_accept_if_room();
}

const struct weir_policy weir_policy_smxq = {
    .name = "smxq",
    .title = "Sharing with a Maximum Queue",
    .source = "Irland, IEEE Trans. Communications 1978",
    .deviations = "N counts accounts; the limit holds for the shared pool, minimums come on top.",
    .params = smxq_param_table,
    .param_count = 1,
    .state_size = smxq_state_size,
    .init = smxq_init,
    .change = smxq_init,
    .admit = smxq_admit,
    .threshold = smxq_threshold,
};
