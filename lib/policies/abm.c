/*
 * abm.c - Active Buffer Management: DT divided among the congested accounts of a class and weighed by drain rate.
 *
 * A queue that drains fast holds its buffer for a short time, and one of many congested queues of a class must leave
 * room for the others: so DT is scaled by mu, an account's part of its port's rate, and divided by n_p, their number.
 *
 *   refuse  if  q + len > alpha_p * (B - used) * mu / n_p
 *   n_p = sum over the class of min(1, q / congested_bytes), or the number of its q >= congested_ratio * T
 *   mu  = sent / what the port could send, or sent / what the port did send; above 1 or 0/0 it counts as 1, below
 *         1/classes as 1 or, with low_drain=clamp, as 1/classes
 *
 * with q, B and used counted in the shared pool, and n_p at least 1. At every multiple of `window` all mu, then all n_p
 * are sampled. Invariant: T <= alpha_p * (B - used).
 *
 * Paper: V. Addanki, M. Apostolaki, M. Ghobadi, S. Schmid, L. Vanbever, "ABM: active buffer management in
 * datacenters", SIGCOMM 2022. Deviation: fractional n_p and the range of mu as in the authors' simulator. The Occamy
 * paper's testbed clamps mu.
 */
#include <assert.h>
#include <string.h>

#include "weir/fixed.h"
#include "weir/policy.h"

enum {
    ABM_ALPHA,
    ABM_UNSCHEDULED,
    ABM_CONGESTION,
    ABM_CONGESTED,
    ABM_RATIO,
    ABM_DRAIN,
    ABM_LOW,
    ABM_WINDOW,
    ABM_PARAMS
};
enum { ABM_FRACTIONAL, ABM_THRESHOLD };
enum { ABM_RATE, ABM_SHARE };
enum { ABM_LOW_ONE, ABM_LOW_CLAMP };

struct abm_account {
    weir_q16 mu;
    int64_t sent_cells; /* the MMU's counter at the last sample */
};

struct abm_params {
    weir_q16 alpha[WEIR_CLASSES_MAX];
    weir_q16 unscheduled_alpha;
    weir_q16 congested_ratio;
    int64_t congestion, drain; /* ABM_FRACTIONAL, ...; ABM_RATE, ... */
    weir_ps window_ps;
};

struct abm_derived {
    weir_cells congested_cells; /* congested_bytes */
    weir_q16 least_mu;          /* 1 / classes */
    weir_q16 low_mu;            /* what a lower one counts as */
};

struct abm_vars {
    weir_q16 congested[WEIR_CLASSES_MAX]; /* n_p */
    weir_ps boundary_ps;                  /* next sample */
};

struct abm_state {
    struct abm_params params;
    struct abm_derived derived;
    struct abm_vars vars;
    struct abm_account account[]; /* as vars */
};

static const char *const abm_congestion_choices[] = {"fractional", "threshold", NULL};
static const char *const abm_drain_choices[] = {"rate", "share", NULL};
static const char *const abm_low_choices[] = {"one", "clamp", NULL};

static const struct weir_param abm_param_table[ABM_PARAMS] = {
    {"alpha", WEIR_UNIT_RATIO, true, WEIR_Q16_ONE / 2, 1, 4096 * WEIR_Q16_ONE, NULL,
     "Share of the free buffer that the congested accounts of a class may hold."},
    {"unscheduled_alpha", WEIR_UNIT_RATIO, false, 64 * WEIR_Q16_ONE, 0, 4096 * WEIR_Q16_ONE, NULL,
     "Alpha of packets of a flow's first bytes (its first BDP); 0: the same as the others."},
    {"congestion", WEIR_UNIT_CHOICE, false, ABM_FRACTIONAL, ABM_FRACTIONAL, ABM_THRESHOLD, abm_congestion_choices,
     "Congested accounts are counted by fractions of congested_bytes, or when near their threshold."},
    {"congested_bytes", WEIR_UNIT_SPACE, false, 28000, 1, INT64_C(1) << 40, NULL, "Length that counts as congested."},
    {"congested_ratio", WEIR_UNIT_RATIO, false, 9 * WEIR_Q16_ONE / 10, 1, WEIR_Q16_ONE, NULL,
     "Fraction of its threshold at which an account is congested."},
    {"drain", WEIR_UNIT_CHOICE, false, ABM_RATE, ABM_RATE, ABM_SHARE, abm_drain_choices,
     "What an account sent is compared with the port's rate, or with what its port sent."},
    {"low_drain", WEIR_UNIT_CHOICE, false, ABM_LOW_ONE, ABM_LOW_ONE, ABM_LOW_CLAMP, abm_low_choices,
     "A drain rate below 1/classes counts as 1, or as 1/classes."},
    {"window", WEIR_UNIT_TIME, false, 80 * WEIR_PS_PER_US, 1, 3600 * WEIR_PS_PER_S, NULL, "Time between two samples."},
};

static size_t abm_state_size(const struct weir_geometry *geometry)
{
    return sizeof(struct abm_state) + geometry->accounts * sizeof(struct abm_account);
}

static void abm_change(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct abm_state *s = state;
    s->params = (struct abm_params){.unscheduled_alpha = values->of[ABM_UNSCHEDULED][0],
                                    .congested_ratio = values->of[ABM_RATIO][0],
                                    .congestion = values->of[ABM_CONGESTION][0],
                                    .drain = values->of[ABM_DRAIN][0],
                                    .window_ps = values->of[ABM_WINDOW][0]};
    memcpy(s->params.alpha, values->of[ABM_ALPHA], sizeof s->params.alpha);
    weir_q16 least = WEIR_Q16_ONE / view->geometry.classes;
    s->derived = (struct abm_derived){.congested_cells =
                                          weir_cells_for_bytes(values->of[ABM_CONGESTED][0], view->geometry.cell_bytes),
                                      .least_mu = least,
                                      .low_mu = values->of[ABM_LOW][0] == ABM_LOW_CLAMP ? least : WEIR_Q16_ONE};
}

static void abm_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct abm_state *s = state;
    abm_change(s, view, values);
    s->vars.boundary_ps = s->params.window_ps;
    for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++)
        s->vars.congested[c] = WEIR_Q16_ONE;
    for (uint32_t a = 0; a < view->geometry.accounts; a++)
        s->account[a] = (struct abm_account){WEIR_Q16_ONE, 0};
}

static weir_cells abm_limit(const struct abm_state *s, weir_account account, weir_class tc, weir_cells share)
{
    assert(s->vars.congested[tc.i] > 0 && s->account[account.i].mu >= 0);
    return weir_q16_div(weir_q16_mul(s->account[account.i].mu, share), s->vars.congested[tc.i]);
}

static weir_cells abm_threshold(const void *state, const struct weir_view *view, weir_account account)
{
    const struct abm_state *s = state;
    weir_class tc = weir_account_class(&view->geometry, account);
    return abm_limit(s, account, tc, weir_q16_mul(s->params.alpha[tc.i], weir_view_shared_free(view)));
}

/* What mu compares with: the cells that the port could send in a window, or those that it did send. */
static int64_t abm_reference_cells(const struct abm_state *s, const struct weir_view *view, uint32_t port)
{
    const struct weir_geometry *g = &view->geometry;
    weir_wide bit_ps = (weir_wide)weir_view_port(view, (weir_port){port})->rate_bps * (weir_wide)s->params.window_ps;
    int64_t could = (int64_t)(bit_ps / (8 * (weir_wide)WEIR_PS_PER_S * g->cell_bytes)), did = 0;
    for (uint32_t a = port; a < g->accounts; a += g->ports)
        did += weir_view_sent(view, (weir_account){a}) - s->account[a].sent_cells;
    return s->params.drain == ABM_SHARE ? did : could > 0 ? could : 1;
}

static weir_q16 abm_mu(const struct abm_state *s, int64_t sent, int64_t reference)
{
    if (sent >= reference) /* 0 of 0, too */
        return WEIR_Q16_ONE;
    weir_q16 mu = weir_q16_div(sent, reference);
    return mu < s->derived.least_mu ? s->derived.low_mu : mu;
}

/* New mu of every account; true when anything was sent. */
static bool abm_sample_drain(struct abm_state *s, const struct weir_view *view)
{
    const struct weir_geometry *g = &view->geometry;
    bool moved = false;
    for (uint32_t p = 0; p < g->ports; p++) {
        int64_t reference = abm_reference_cells(s, view, p);
        for (uint32_t a = p; a < g->accounts; a += g->ports) {
            int64_t total = weir_view_sent(view, (weir_account){a}), sent = total - s->account[a].sent_cells;
            moved |= sent > 0;
            s->account[a] = (struct abm_account){abm_mu(s, sent, reference), total};
        }
    }
    return moved;
}

/* New n_p of a class; true when it changed. */
static bool abm_sample_congestion(struct abm_state *s, const struct weir_view *view, uint32_t tc)
{
    const struct weir_geometry *g = &view->geometry;
    weir_cells full = s->derived.congested_cells;
    weir_q16 sum = 0;
    for (uint32_t a = tc * g->ports; a < (tc + 1) * g->ports; a++) {
        weir_cells length = weir_view_shared(view, (weir_account){a});
        if (s->params.congestion == ABM_FRACTIONAL)
            sum += length < full ? weir_q16_div(length, full) : WEIR_Q16_ONE;
        else if (length > 0 &&
                 length >= weir_q16_mul(s->params.congested_ratio, abm_threshold(s, view, (weir_account){a})))
            sum += WEIR_Q16_ONE;
    }
    weir_q16 before = s->vars.congested[tc];
    s->vars.congested[tc] = sum > WEIR_Q16_ONE ? sum : WEIR_Q16_ONE;
    return s->vars.congested[tc] != before;
}

/* Takes the samples that are due. After a window without departures in which no n_p changed, none will change. */
static void abm_tick(void *state, const struct weir_view *view, weir_ps now)
{
    struct abm_state *s = state;
    weir_ps window = s->params.window_ps;
    for (bool moved = true; moved && s->vars.boundary_ps <= now;
         s->vars.boundary_ps = (s->vars.boundary_ps / window + 1) * window) {
        moved = abm_sample_drain(s, view);
        for (uint32_t c = 0; c < view->geometry.classes; c++)
            moved |= abm_sample_congestion(s, view, c);
    }
    if (s->vars.boundary_ps <= now)
        s->vars.boundary_ps = (now / window + 1) * window;
}

static struct weir_verdict abm_admit(void *state, const struct weir_view *view, const struct weir_arrival *arrival)
{
    const struct abm_state *s = state;
    bool boost = arrival->flags & WEIR_FLAG_UNSCHEDULED && s->params.unscheduled_alpha > 0;
    weir_q16 alpha = boost ? s->params.unscheduled_alpha : s->params.alpha[arrival->tc.i];
    weir_cells limit = abm_limit(s, arrival->account, arrival->tc, weir_q16_mul(alpha, weir_view_shared_free(view)));
    if (weir_view_shared(view, arrival->account) + arrival->need_cells > limit)
        return weir_refuse(WEIR_REASON_OVER_THRESHOLD);
    return weir_accept_if_room();
}

static weir_ps abm_next_tick(const void *state, const struct weir_view *view)
{
    const struct abm_state *s = state;
    (void)view;
    return s->vars.boundary_ps;
}

const struct weir_policy weir_policy_abm = {
    .name = "abm",
    .title = "Active Buffer Management",
    .source = "Addanki et al., SIGCOMM 2022",
    .deviations = "n_p in fractions by default, and mu outside 1/classes .. 1 counts as 1: the authors' simulator.",
    .params = abm_param_table,
    .param_count = ABM_PARAMS,
    .state_size = abm_state_size,
    .init = abm_init,
    .change = abm_change,
    .admit = abm_admit,
    .on_tick = abm_tick,
    .next_tick = abm_next_tick,
    .threshold = abm_threshold,
};
