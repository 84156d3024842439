/*
 * harmonic.c - Harmonic: the k longest accounts together hold at most H_k / H_N of the buffer, for every k.
 *
 * One account alone may take a good part of the buffer, the second half as much more, the third a third: the longer
 * the list of long accounts, the less each of them gets, and something is left for whoever comes next.
 *
 *   refuse  if, with the arrival in its account, for some k    S_k > bound_k
 *   S_k = sum of the k largest q,   bound_k = floor(B H_k / H_N),   H_k = sum of floor(2^20 / i) for i = 1 .. k
 *
 * with q and B counted in the shared pool and N the accounts of lossy classes. Arrivals keep S_k <= bound_k for every
 * k, and departures only lower S_k: this is the invariant.
 *
 * Slack_k = bound_k - S_k is a running sum over the ranks of share - length, where share = bound_k - bound_{k-1}. A
 * tree over the ranks holds, per node, that sum and its lowest running value, so nothing has to be added to a range:
 *   admission  O(1) when every slack covers the arrival (S_k grows by no more than it). Otherwise O(log N): the lowest
 *              slack from the account's rank down must cover it, and each run of equals it would climb over is asked.
 *   update     the account's leaf, one leaf per run passed, and each node above them once: O(log N + ranks passed).
 * Below the non-empty accounts S_k stays and bound_k does not fall, so no slack there is the lowest: the log is that of
 * the non-empty accounts, and nodes above the smallest subtree from rank 0 that holds them all are left stale.
 *
 * Paper: A. Kesselman, Y. Mansour, "Harmonic buffer management policy for shared memory switches", TCS 2004.
 * There, packets have one size and H_k is exact; here packets have any size and H_k is a fixed-point sum.
 */
#include <assert.h>
#include <string.h>

#include "weir/fixed.h"
#include "weir/policy.h"

struct harmonic_node {
    int32_t sum;   /* of share - length over the node's ranks, cells */
    int32_t low;   /* lowest sum over its first 1, 2, ... ranks, cells */
    int32_t share; /* leaves only: what this rank adds to the bound, cells */
};

struct harmonic_derived {
    uint32_t leaves; /* ranks, rounded up to a power of two */
};

struct harmonic_vars {
    uint32_t nonempty; /* accounts with shared cells */
};

struct harmonic_state {
    struct harmonic_derived derived;
    struct harmonic_vars vars;
    struct harmonic_node
        node[]; /* as vars: [2 * leaves]; node[leaves + rank] is a leaf, node i the parent of 2i and 2i + 1 */
};

static size_t harmonic_state_size(const struct weir_geometry *geometry)
{
    return sizeof(struct harmonic_state) +
           2 * (size_t)weir_next_power_of_two(geometry->accounts) * sizeof(struct harmonic_node);
}

static struct harmonic_node harmonic_join(const struct harmonic_node *left, const struct harmonic_node *right)
{
    int32_t low = left->sum + right->low;
    return (struct harmonic_node){left->sum + right->sum, left->low < low ? left->low : low, 0};
}

static void harmonic_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct harmonic_state *s = state;
    const int64_t one = 1 << 20;
    int64_t all = 0, some = 0;
    weir_cells bound = 0;
    (void)values;
    memset(s, 0, harmonic_state_size(&view->geometry));
    s->derived.leaves = weir_next_power_of_two(view->geometry.lossy_accounts);
    for (uint32_t rank = 0; rank < view->geometry.lossy_accounts; rank++)
        all += one / (rank + 1);
    for (uint32_t rank = 0; rank < view->geometry.lossy_accounts; rank++) {
        some += one / (rank + 1);
        int32_t share = (int32_t)(view->geometry.shared_cells * some / all - bound);
        bound += share;
        s->node[s->derived.leaves + rank] = (struct harmonic_node){share, share, share};
    }
    assert(bound <= view->geometry.shared_cells); /* parts of the whole */
    for (uint32_t at = s->derived.leaves - 1; at > 0; at--)
        s->node[at] = harmonic_join(&s->node[2 * at], &s->node[2 * at + 1]);
}

/* The root of the smallest subtree that holds the first `ranks` leaves. */
static uint32_t harmonic_root(const struct harmonic_state *s, uint32_t ranks)
{
    return s->derived.leaves / weir_next_power_of_two(ranks);
}

/* Sum and lowest running sum over ranks first .. last. */
static struct harmonic_node harmonic_range(const struct harmonic_state *s, uint32_t first, uint32_t last)
{
    uint32_t l = s->derived.leaves + first, r = s->derived.leaves + last;
    struct harmonic_node left = s->node[l], right = s->node[r];
    if (l == r)
        return left;
    for (; l / 2 != r / 2; l /= 2, r /= 2) {
        if (l % 2 == 0)
            left = harmonic_join(&left, &s->node[l + 1]);
        if (r % 2 == 1)
            right = harmonic_join(&s->node[r - 1], &right);
    }
    return harmonic_join(&left, &right);
}

/* Whether every bound holds with `need` more cells in the account. */
static bool harmonic_fits(const struct harmonic_state *s, const struct weir_view *view, weir_account account,
                          weir_cells need)
{
    if (s->node[harmonic_root(s, s->vars.nonempty)].low >= need)
        return true;

    /* Among equals the account may as well be the first. From there on every S_k grows by `need`. */
    uint32_t first = weir_view_run(view, weir_view_rank(view, account))->first;
    uint32_t root = harmonic_root(s, first < s->vars.nonempty ? s->vars.nonempty : first + 1);
    const struct harmonic_node *leaf = &s->node[s->derived.leaves + first];
    weir_cells above = 0, sum = leaf->sum, low = leaf->low;
    for (uint32_t at = s->derived.leaves + first; at != root; at /= 2) {
        const struct harmonic_node *sibling = &s->node[at ^ 1];
        if (at & 1) {
            above += sibling->sum;
        } else {
            low = sum + sibling->low < low ? sum + sibling->low : low;
            sum += sibling->sum;
        }
    }
    if (above + low < need)
        return false;

    /* At each rank of a run it climbs over the account counts instead of one of the run: S_k grows by the difference.
     */
    weir_cells length = weir_view_shared(view, account) + need;
    while (first > 0 && weir_view_run(view, first - 1)->length < length) {
        const struct weir_rank_run *run = weir_view_run(view, first - 1);
        struct harmonic_node range = harmonic_range(s, run->first, first - 1);
        above -= range.sum;
        if (above + range.low < length - run->length)
            return false;
        first = run->first;
    }
    return true;
}

static struct weir_verdict harmonic_admit(void *state, const struct weir_view *view, const struct weir_arrival *arrival)
{
    if (!harmonic_fits(state, view, arrival->account, arrival->need_cells))
        return weir_refuse(WEIR_REASON_OVER_THRESHOLD);
    return weir_accept_if_room();
}

/* Node `from` has changed: so have the nodes above it, up to `to`. */
static void harmonic_lift(struct harmonic_state *s, uint32_t from, uint32_t to)
{
    for (uint32_t at = from; at != to;) {
        at /= 2;
        s->node[at] = harmonic_join(&s->node[2 * at], &s->node[2 * at + 1]);
    }
}

/*
 * The account has moved past some runs and each of them has moved by one rank the other way. Equal lengths shifted by
 * one are the same lengths, but for the end that the run has won: one leaf per run changes, and the account's own.
 * Each leaf lifts only the nodes that are not above the next one too, so no node is rebuilt twice.
 */
static void harmonic_on_change(void *state, const struct weir_view *view, const struct weir_event *event)
{
    struct harmonic_state *s = state;
    weir_cells before = event->shared_before, after = weir_view_shared(view, event->account);
    uint32_t rank = weir_view_rank(view, event->account);
    bool grown = after > before;
    if (before == after)
        return;
    for (weir_cells length = after;;) {
        struct harmonic_node *leaf = &s->node[s->derived.leaves + rank];
        leaf->sum = leaf->low = leaf->share - (int32_t)length;
        uint32_t beside = grown ? rank + 1 : rank - 1; /* wraps to a rank that does not exist */
        const struct weir_rank_run *run = beside < view->geometry.lossy_accounts ? weir_view_run(view, beside) : NULL;
        if (!run || (grown ? run->length <= before : run->length >= before))
            break;
        uint32_t next = grown ? run->first + run->count - 1 : run->first;
        harmonic_lift(s, s->derived.leaves + rank, (s->derived.leaves + rank) >> (31 - __builtin_clz(rank ^ next)));
        rank = next;
        length = run->length;
    }
    /* One more non-empty account counts at once, one less only afterwards: its leaf has just changed. */
    uint32_t ranks = s->vars.nonempty + (before == 0);
    harmonic_lift(s, s->derived.leaves + rank, harmonic_root(s, ranks));
    s->vars.nonempty = ranks - (after == 0);
}

static void harmonic_on_drop(void *state, const struct weir_view *view, const struct weir_event *event)
{
    if (event->cause != WEIR_CAUSE_REFUSED)
        harmonic_on_change(state, view, event);
}

const struct weir_policy weir_policy_harmonic = {
    .name = "harmonic",
    .title = "Harmonic",
    .source = "Kesselman & Mansour, TCS 2004",
    .deviations = "Packets of any size; H_k is a sum of fixed-point terms.",
    .needs = WEIR_NEED_RANKS,
    .state_size = harmonic_state_size,
    .init = harmonic_init,
    .admit = harmonic_admit,
    .on_enqueue = harmonic_on_change,
    .on_dequeue = harmonic_on_change,
    .on_drop = harmonic_on_drop,
};
