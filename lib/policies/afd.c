/*
 * afd.c - Approximate Fair Dropping over a Dynamic Threshold: of flows that take more than their share of a queue, the
 * part beyond the share is refused.
 *
 * A queue has a share M: the bytes that each of its flows may bring in a period. It grows while the queue is shorter
 * than a reference and shrinks while it is longer. A flow that brought m bytes in the last period loses the part 1 -
 * M/m of its packets by chance, so it keeps about M; short flows lose none.
 *
 *   at each multiple of `period`   M += old_gain (q_before - reference) - gain (q - reference),   0 <= M <= R period
 *   refuse by chance               with probability 1 - M / m   if m > M and q > reference
 *   refuse                         if  q + len > alpha (B - used)   or   len > B - used
 *
 * q is what the account holds of the shared pool, q_before the same a period ago, R the rate of its port.
 *
 * Paper: R. Pan, L. Breslau, B. Prabhakar, S. Shenker, "Approximate Fairness through Differential Dropping", CCR 2003;
 * under a dynamic threshold as in Cisco's intelligent buffers, which ABM's simulator compares with.
 */
#include <assert.h>
#include <string.h>

#include "weir/fixed.h"
#include "weir/policy.h"
#include "weir/random.h"

enum { AFD_ALPHA = WEIR_FLOW_PARAM_COUNT, AFD_REFERENCE, AFD_GAIN, AFD_OLD_GAIN, AFD_PERIOD, AFD_PARAMS };

#define AFD_DRAWS UINT64_C(0x616664) /* names its stream of random numbers */

struct afd_account {
    int64_t share_bytes; /* M */
    int64_t most_bytes;  /* what its port sends in a period */
    int64_t old_bytes;   /* q_before */
};

struct afd_params {
    weir_q16 alpha[WEIR_CLASSES_MAX];
    weir_q16 gain, old_gain;
    int64_t reference_bytes;
    weir_ps period_ps;
};

struct afd_vars {
    weir_ps boundary_ps; /* when M moves next */
};

struct afd_state {
    struct afd_params params;
    struct afd_vars vars;
    struct afd_account account[]; /* as vars */
};

static const struct weir_param afd_param_table[AFD_PARAMS] = {
    WEIR_FLOW_PARAMS(5 * WEIR_PS_PER_MS),
    {"alpha", WEIR_UNIT_RATIO, true, WEIR_Q16_ONE, 1, 4096 * WEIR_Q16_ONE, NULL,
     "Share of the free buffer that one account may hold."},
    {"reference", WEIR_UNIT_SPACE, false, 150000, 1, INT32_MAX, NULL, "Length that a queue is steered to."},
    {"gain", WEIR_UNIT_RATIO, false, 9 * WEIR_Q16_ONE / 5, 0, 64 * WEIR_Q16_ONE, NULL,
     "How much a length above the reference takes from a flow's share."},
    {"old_gain", WEIR_UNIT_RATIO, false, 17 * WEIR_Q16_ONE / 10, 0, 64 * WEIR_Q16_ONE, NULL,
     "How much of that the length a period ago gives back."},
    {"period", WEIR_UNIT_TIME, false, 50 * WEIR_PS_PER_US, WEIR_PS_PER_NS, WEIR_PS_PER_S, NULL,
     "Time between two corrections of the share, and over which flows are measured."},
};

static size_t afd_state_size(const struct weir_geometry *geometry)
{
    return sizeof(struct afd_state) + geometry->accounts * sizeof(struct afd_account);
}

static struct weir_flow_shape afd_flow_table(const struct weir_geometry *geometry, const struct weir_values *values)
{
    struct weir_flow_shape shape = weir_flow_shape_of(values);
    (void)geometry;
    shape.period_ps = values->of[AFD_PERIOD][0];
    return shape;
}

static void afd_change(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct afd_state *s = state;
    (void)view;
    memcpy(s->params.alpha, values->of[AFD_ALPHA], sizeof s->params.alpha);
    s->params.reference_bytes = values->of[AFD_REFERENCE][0];
    s->params.gain = values->of[AFD_GAIN][0];
    s->params.old_gain = values->of[AFD_OLD_GAIN][0];
    s->params.period_ps = values->of[AFD_PERIOD][0];
}

static void afd_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct afd_state *s = state;
    afd_change(s, view, values);
    s->vars.boundary_ps = s->params.period_ps;
    for (uint32_t i = 0; i < view->geometry.accounts; i++) {
        weir_bps rate = weir_view_port(view, weir_account_port(&view->geometry, (weir_account){i}))->rate_bps;
        int64_t most = (int64_t)((weir_wide)rate * (uint64_t)s->params.period_ps / 8 / (uint64_t)WEIR_PS_PER_S);
        s->account[i] = (struct afd_account){most, most, 0};
    }
}

static int64_t afd_bounded(int64_t value, int64_t most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

/* `periods` have ended, in all of which but the first the length was what it is now: further steps are alike and go one
 * way, so that bounds may be applied to their sum. */
static void afd_correct(const struct afd_state *s, struct afd_account *a, int64_t bytes, int64_t periods)
{
    int64_t above = bytes - s->params.reference_bytes, above_old = a->old_bytes - s->params.reference_bytes;
    int64_t first = (s->params.old_gain * above_old - s->params.gain * above) >> 16;
    int64_t later = ((s->params.old_gain - s->params.gain) * above) >> 16;
    a->share_bytes = afd_bounded(a->share_bytes + first, a->most_bytes);
    int64_t most_steps = later ? a->most_bytes / (later < 0 ? -later : later) + 1 : 0;
    int64_t steps = periods - 1 < most_steps ? periods - 1 : most_steps;
    a->share_bytes = afd_bounded(a->share_bytes + steps * later, a->most_bytes);
    a->old_bytes = bytes;
}

static void afd_on_tick(void *state, const struct weir_view *view, weir_ps now)
{
    struct afd_state *s = state;
    if (now < s->vars.boundary_ps)
        return;
    int64_t periods = (now - s->vars.boundary_ps) / s->params.period_ps + 1;
    for (uint32_t i = 0; i < view->geometry.accounts; i++)
        afd_correct(s, &s->account[i], weir_view_shared(view, (weir_account){i}) * view->geometry.cell_bytes, periods);
    s->vars.boundary_ps += periods * s->params.period_ps;
}

/* Of the flow's packets the part M / m is kept. */
static bool afd_refuses(const struct afd_state *s, const struct weir_view *view, const struct weir_arrival *arrival)
{
    const struct weir_flow_entry *entry = arrival->flow->entry;
    int64_t share = s->account[arrival->account.i].share_bytes;
    int64_t length = weir_view_shared(view, arrival->account) * view->geometry.cell_bytes;
    if (!entry || entry->past_bytes <= share || length <= s->params.reference_bytes)
        return false;
    uint64_t draw = weir_hash(AFD_DRAWS, arrival->index) >> 32;
    return (weir_wide)draw * (uint64_t)entry->past_bytes >= (weir_wide)share << 32;
}

static weir_cells afd_threshold(const void *state, const struct weir_view *view, weir_account account)
{
    const struct afd_state *s = state;
    uint32_t tc = weir_account_class(&view->geometry, account).i;
    return weir_q16_mul(s->params.alpha[tc], weir_view_shared_free(view));
}

static struct weir_verdict afd_admit(void *state, const struct weir_view *view, const struct weir_arrival *arrival)
{
    const struct afd_state *s = state;
    weir_cells threshold = afd_threshold(s, view, arrival->account);
    if (weir_view_shared(view, arrival->account) + arrival->need_cells > threshold || afd_refuses(s, view, arrival))
        return weir_refuse(WEIR_REASON_OVER_THRESHOLD);
    return weir_accept_if_room();
}

const struct weir_policy weir_policy_afd = {
    .name = "afd",
    .title = "Approximate Fair Dropping",
    .source = "Pan, Breslau, Prabhakar & Shenker, CCR 2003",
    .deviations = "A share per queue of the switch. It is at most what the port sends in a period, so that it does not "
                  "grow while a queue is idle. Flows are measured by a bounded table in place of sampled packets.",
    .needs = WEIR_NEED_FLOW,
    .params = afd_param_table,
    .param_count = AFD_PARAMS,
    .state_size = afd_state_size,
    .init = afd_init,
    .change = afd_change,
    .admit = afd_admit,
    .on_tick = afd_on_tick,
    .threshold = afd_threshold,
    .flow_table = afd_flow_table,
};
