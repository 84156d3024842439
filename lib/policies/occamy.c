/*
 * occamy.c - Occamy: admit generously, and take back what turns out to be too much in spare memory bandwidth.
 *
 * Admission is Dynamic Threshold with a large alpha, so little buffer lies idle. Too little, by itself, for a burst
 * that comes later: but an account above its threshold then loses packets from its head, as fast as the memory has
 * reads to spare, and the threshold of the newcomers rises. Admission never waits for an expulsion.
 *
 *   T_c = alpha_c * (B - used)
 *   refuse  if  q + len > T_c   or   len > B - used
 *   expel   the head of the next account, going round from the last victim, with  q > T_c
 *
 * with q, B and used counted in the shared pool. The MMU's arbiter holds the token bucket: transmissions always take
 * from it, expulsions only what is there. Without spare bandwidth Occamy is DT of the same alpha, verdict for
 * verdict.
 *
 * Invariant: at the moment of an expulsion its victim is above its threshold. The cursor is the last victim, so no
 * over-allocated account waits for more than one packet of each other one.
 *
 * Cost: one comparison when all that is used is below every threshold, two when the longest account is, which are the
 * usual cases; else one per class and a walk in the tournament tree, O(classes + log accounts).
 *
 * Paper: D. Shan et al., "Occamy: A Preemptive Buffer Management for On-chip Shared-memory Switches", EuroSys 2025.
 * Deviations: none by default. `empty_exception` is found in the authors' simulator and not in the paper;
 * `select=longest` is the costlier choice that the paper argues against.
 */
#include <assert.h>
#include <string.h>

#include "weir/fixed.h"
#include "weir/policy.h"

struct occamy_params {
    weir_q16 alpha[WEIR_CLASSES_MAX];
    bool empty_exception; /* an arrival to an empty account only needs room */
    bool longest;         /* expel from the longest account above its threshold instead of in turn */
};

struct occamy_derived {
    weir_q16 smallest_alpha;
};

struct occamy_vars {
    weir_account cursor; /* last victim */
};

struct occamy_state {
    struct occamy_params params;
    struct occamy_derived derived;
    struct occamy_vars vars;
};

static const char *const occamy_selections[] = {"round-robin", "longest", NULL};

static const struct weir_param occamy_param_table[] = {
    {"alpha", WEIR_UNIT_RATIO, true, 8 * WEIR_Q16_ONE, 1, 4096 * WEIR_Q16_ONE, NULL,
     "Share of the free buffer that one account may hold; above it, the account is expelled from."},
    {"empty_exception", WEIR_UNIT_FLAG, false, 0, 0, 1, NULL,
     "Whether an arrival to an empty account enters whenever there is room."},
    {"select", WEIR_UNIT_CHOICE, false, 0, 0, 1, occamy_selections,
     "Which of the accounts above their threshold loses the next packet."},
};

static size_t occamy_state_size(const struct weir_geometry *geometry)
{
    (void)geometry;
    return sizeof(struct occamy_state);
}

static void occamy_change(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct occamy_state *s = state;
    memcpy(s->params.alpha, values->of[0], sizeof s->params.alpha);
    s->derived.smallest_alpha = s->params.alpha[0];
    for (uint32_t c = 1; c < view->geometry.classes; c++)
        if (s->params.alpha[c] < s->derived.smallest_alpha)
            s->derived.smallest_alpha = s->params.alpha[c];
    s->params.empty_exception = values->of[1][0] == 1;
    s->params.longest = values->of[2][0] == 1;
}

static void occamy_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct occamy_state *s = state;
    memset(s, 0, sizeof *s);
    s->vars.cursor = WEIR_NO_ACCOUNT;
    occamy_change(state, view, values);
}

static weir_cells occamy_class_threshold(const struct occamy_state *s, const struct weir_view *view, weir_class tc)
{
    return weir_q16_mul(s->params.alpha[tc.i], weir_view_shared_free(view));
}

static struct weir_verdict occamy_admit(void *state, const struct weir_view *view, const struct weir_arrival *arrival)
{
    const struct occamy_state *s = state;
    if (s->params.empty_exception && weir_view_length(view, arrival->account) == 0)
        return weir_accept_if_room();
    if (weir_view_shared(view, arrival->account) + arrival->need_cells > occamy_class_threshold(s, view, arrival->tc))
        return weir_refuse(WEIR_REASON_OVER_THRESHOLD);
    return weir_accept_if_room();
}

static struct weir_victim occamy_victim(const void *state, const struct weir_view *view,
                                        const struct weir_question *question)
{
    const struct occamy_state *s = state;
    struct weir_victim victim = {WEIR_NO_ACCOUNT, false};
    if (question->why != WEIR_WHY_EXPEL)
        return victim;
    /* Most offers find no victim: the longest account of all is below every threshold. */
    if (weir_view_peak(view) <= weir_q16_mul(s->derived.smallest_alpha, weir_view_shared_free(view)))
        return victim;

    /* The longest account above its threshold is the longest of its class, so the peaks tell both choices apart. */
    const weir_cells *peaks = weir_view_class_peaks(view);
    weir_cells threshold[WEIR_CLASSES_MAX];
    weir_cells largest = 0;
    weir_class longest = {0};
    for (weir_class tc = {0}; tc.i < view->geometry.classes; tc.i++) {
        weir_cells peak = peaks[tc.i];
        threshold[tc.i] = occamy_class_threshold(s, view, tc);
        if (peak > threshold[tc.i] && peak > largest) {
            largest = peak;
            longest = tc;
        }
    }
    if (largest == 0)
        return victim;
    victim.account = s->params.longest ? weir_view_class_longest(view, longest)
                                       : weir_view_next_above(view, s->vars.cursor, threshold);
    assert(!weir_account_is(victim.account, WEIR_NO_ACCOUNT)); /* `largest` is above its threshold */
    return victim;
}

/* No account holds more than all together: while that is below every threshold, U <= alpha (B - U), there is no victim,
 * which is known without an order. The largest such U. */
static weir_cells occamy_expel_level(const void *state, const struct weir_view *view)
{
    const struct occamy_state *s = state;
    weir_cells size = view->geometry.shared_cells, low = 0, high = size;
    while (low < high) {
        weir_cells used = low + (high - low + 1) / 2;
        if (used <= weir_q16_mul(s->derived.smallest_alpha, size - used))
            low = used;
        else
            high = used - 1;
    }
    return low;
}

static void occamy_on_drop(void *state, const struct weir_view *view, const struct weir_event *event)
{
    struct occamy_state *s = state;
    (void)view;
    if (event->cause == WEIR_CAUSE_EXPELLED)
        s->vars.cursor = event->account;
}

static weir_cells occamy_threshold(const void *state, const struct weir_view *view, weir_account account)
{
    return occamy_class_threshold(state, view, weir_account_class(&view->geometry, account));
}

const struct weir_policy weir_policy_occamy = {
    .name = "occamy",
    .title = "Occamy: DT, expulsion in spare bandwidth",
    .source = "Shan et al., EuroSys 2025",
    .deviations = "A packet larger than the token bucket waits for a full one instead of never being expelled.",
    .needs = WEIR_NEED_LONGEST | WEIR_NEED_EXPEL,
    .params = occamy_param_table,
    .param_count = 3,
    .state_size = occamy_state_size,
    .init = occamy_init,
    .change = occamy_change,
    .admit = occamy_admit,
    .victim = occamy_victim,
    .on_drop = occamy_on_drop,
    .threshold = occamy_threshold,
    .expel_level = occamy_expel_level,
};
