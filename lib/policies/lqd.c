/*
 * lqd.c - Longest Queue Drop, or push-out: everything enters while there is room; when there is none, the longest
 * account makes it.
 *
 * No buffer is kept back for later and no account starves: whoever is long pays for whoever is short. This is the
 * yardstick of the field, since no chip can find the longest of its queues and read a second packet in the time of
 * one arrival.
 *
 *   while the arrival does not fit:   J = the account with the largest q, lowest index first
 *                                     remove a packet of J   if  q_J > q_own + need,   else refuse the arrival
 *
 * with q counted in the shared pool and need = what the arrival takes of it beyond its private minimum. The arrival
 * counts in its own account, so an arrival to the longest account is refused, and a tie never evicts. With `priority`
 * only classes up to the arrival's own are looked at: J is the longest of all of these (yes), or the longest of the
 * lowest class that holds anything (lowest), which pays whatever its length if it is below the arrival's class.
 *
 * Invariant: a victim is strictly longer than the arrival's account would be with the arrival in it, or with
 * `priority=lowest` of a lower class.
 *
 * Paper: E. Hahne, A. Kesselman, Y. Mansour, "Competitive buffer management for shared-memory switches", SPAA 2001.
 * There, packets have one size; here an arrival of many cells may evict several packets. The MMU plans all of them
 * with repeated questions and takes none out unless the arrival fits in the end.
 */
#include <assert.h>

#include "weir/policy.h"

enum { LQD_EVEN, LQD_UP_TO_OWN, LQD_LOWEST_FIRST };

struct lqd_params {
    bool tail;        /* victims lose their last packet instead of their first */
    int64_t priority; /* LQD_EVEN, ... */
};

struct lqd_state {
    struct lqd_params params;
};

static const char *const lqd_ends[] = {"head", "tail", NULL};
static const char *const lqd_priorities[] = {"no", "yes", "lowest", NULL};

static const struct weir_param lqd_param_table[] = {
    {"remove", WEIR_UNIT_CHOICE, false, 0, 0, 1, lqd_ends, "Which packet of the longest account is pushed out."},
    {"priority", WEIR_UNIT_CHOICE, false, LQD_EVEN, LQD_EVEN, LQD_LOWEST_FIRST, lqd_priorities,
     "Whether only classes up to the arrival's own lose packets; lowest: the lowest class first, whatever its length."},
};

static size_t lqd_state_size(const struct weir_geometry *geometry)
{
    (void)geometry;
    return sizeof(struct lqd_state);
}

static void lqd_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct lqd_state *s = state;
    (void)view;
    s->params.tail = values->of[0][0] == 1;
    s->params.priority = values->of[1][0];
}

static struct weir_verdict lqd_admit(void *state, const struct weir_view *view, const struct weir_arrival *arrival)
{
    (void)state;
    (void)view;
    (void)arrival;
    return (struct weir_verdict){WEIR_ACCEPT, WEIR_REASON_NONE, WEIR_CHARGE_SHARED};
}

/* The longest account of classes 0 to `highest`; lower classes come first among equals, as their accounts do. */
static weir_account lqd_longest_up_to(const struct weir_view *view, weir_class highest)
{
    const weir_cells *peaks = weir_view_class_peaks(view);
    weir_class longest = {0};
    for (weir_class tc = {1}; tc.i <= highest.i; tc.i++)
        if (peaks[tc.i] > peaks[longest.i])
            longest = tc;
    return weir_view_class_longest(view, longest);
}

/* The longest account of the lowest class, up to `highest`, that holds anything. */
static weir_account lqd_lowest_up_to(const struct weir_view *view, weir_class highest)
{
    const weir_cells *peaks = weir_view_class_peaks(view);
    weir_class tc = {0};
    while (tc.i < highest.i && peaks[tc.i] == 0)
        tc.i++;
    return weir_view_class_longest(view, tc);
}

static weir_account lqd_longest(const struct lqd_state *s, const struct weir_view *view, weir_class tc)
{
    if (s->params.priority == LQD_EVEN)
        return weir_view_longest(view);
    return s->params.priority == LQD_UP_TO_OWN ? lqd_longest_up_to(view, tc) : lqd_lowest_up_to(view, tc);
}

static struct weir_victim lqd_victim(const void *state, const struct weir_view *view,
                                     const struct weir_question *question)
{
    const struct lqd_state *s = state;
    const struct weir_victim nobody = {WEIR_NO_ACCOUNT, false};
    if (question->why != WEIR_WHY_PUSHOUT)
        return nobody;

    const struct weir_arrival *arrival = question->arrival;
    assert(arrival && arrival->cells > 0);
    weir_account longest = lqd_longest(s, view, arrival->tc);
    if (weir_account_is(longest, WEIR_NO_ACCOUNT))
        return nobody;
    assert(weir_view_shared(view, longest) > 0); /* only an account that holds some can lose */
    if (s->params.priority == LQD_LOWEST_FIRST && weir_account_class(&view->geometry, longest).i < arrival->tc.i)
        return (struct weir_victim){longest, s->params.tail};

    /* Also covers longest == own: an account is never longer than itself with the arrival. */
    weir_cells own =
        weir_view_shared(view, arrival->account) + weir_view_shared_need(view, arrival->account, arrival->cells);
    if (weir_view_shared(view, longest) <= own)
        return nobody;
    return (struct weir_victim){longest, s->params.tail};
}

const struct weir_policy weir_policy_lqd = {
    .name = "lqd",
    .title = "Longest Queue Drop (push-out)",
    .source = "Hahne, Kesselman & Mansour, SPAA 2001",
    .deviations = "Packets of any size: all evictions for an arrival are planned first and made only if it then fits.",
    .needs = WEIR_NEED_LONGEST,
    .params = lqd_param_table,
    .param_count = 2,
    .state_size = lqd_state_size,
    .init = lqd_init,
    .change = lqd_init,
    .admit = lqd_admit,
    .victim = lqd_victim,
};
