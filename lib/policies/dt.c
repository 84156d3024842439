/*
 * dt.c - Dynamic Threshold: every account may hold alpha times the free shared buffer.
 *
 * The emptier the buffer, the more one account may take; as it fills, all are held to the same shrinking limit, and
 * a part is always kept back for accounts that become active later.
 *
 *   refuse  if  q + len > alpha * (B - used)   or   len > B - used
 *
 * with q, B and used counted in the shared pool, so that private minimums come on top; the MMU checks the second half.
 * In steady state n saturated accounts hold T = alpha B / (1 + alpha n) each and B / (1 + alpha n) stays free.
 *
 * Paper: A. Choudhury, E. Hahne, "Dynamic queue length thresholds for shared-memory packet switches", ToN 1998.
 */
#include <assert.h>
#include <string.h>

#include "weir/fixed.h"
#include "weir/policy.h"

struct dt_params {
    weir_q16 alpha[WEIR_CLASSES_MAX];
};

struct dt_state {
    struct dt_params params;
};

static const struct weir_param dt_param_table[] = {
    {"alpha", WEIR_UNIT_RATIO, true, WEIR_Q16_ONE, 1, 4096 * WEIR_Q16_ONE, NULL,
     "Share of the free buffer that one account may hold."},
};

static size_t dt_state_size(const struct weir_geometry *geometry)
{
    (void)geometry;
    return sizeof(struct dt_state);
}

static void dt_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct dt_state *s = state;
    (void)view;
    memcpy(s->params.alpha, values->of[0], sizeof s->params.alpha);
}

static weir_cells dt_class_threshold(const struct dt_state *s, const struct weir_view *view, weir_class tc)
{
    return weir_q16_mul(s->params.alpha[tc.i], weir_view_shared_free(view));
}

static weir_cells dt_threshold(const void *state, const struct weir_view *view, weir_account account)
{
    return dt_class_threshold(state, view, weir_account_class(&view->geometry, account));
}

static struct weir_verdict dt_admit(void *state, const struct weir_view *view, const struct weir_arrival *arrival)
{
    assert(arrival->need_cells >= 0 && arrival->need_cells <= arrival->cells); /* the rest is private */
    if (weir_view_shared(view, arrival->account) + arrival->need_cells > dt_class_threshold(state, view, arrival->tc))
        return weir_refuse(WEIR_REASON_OVER_THRESHOLD);
    return weir_accept_if_room();
}

const struct weir_policy weir_policy_dt = {
    .name = "dt",
    .title = "Dynamic Threshold",
    .source = "Choudhury & Hahne, ToN 1998",
    .deviations = "The arriving packet counts too, so that a long one does not carry an account far beyond T.",
    .params = dt_param_table,
    .param_count = 1,
    .state_size = dt_state_size,
    .init = dt_init,
    .change = dt_init,
    .admit = dt_admit,
    .threshold = dt_threshold,
};
