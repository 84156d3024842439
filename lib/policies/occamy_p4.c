/*
 * occamy_p4.c - Occamy as its authors built it on a programmable switch: admission sees old lengths, and packets are
 * expelled only when it is their turn to leave.
 *
 * On such a chip the queue lengths are known behind the buffer, and the decision to admit is taken before it. Packets
 * that circle through the chip carry lengths and thresholds to the front once per SYNC round, one round late. The
 * traffic manager cannot be told to drop a head, but a packet that has left its queue can be dropped before the wire.
 *
 *   arrival at t in [k S, (k+1) S):   refuse  if  q_old + admit_margin > T_old,   as they were at (k-1) S
 *   head about to leave:              drop    if  q > T + drop_margin,            as they are now
 *
 * with T = alpha_c * (B - used), S the round, and q, B and used counted in the shared pool. The margins make up for
 * the delay: admission refuses early, and what it still lets in too much is dropped late.
 *
 * Values of the past without a copy per round: each register (one per account, one for the free space) keeps its last
 * value, when that came, and the values at the start of that round and of the one before. A register that has been
 * still for two rounds reads as its last value, so rounds in which nothing happens cost nothing. The last value is
 * kept because the view has moved on when an event is told. Packets of lossless classes take free space without being
 * told of, so that register is also brought up to date whenever time moves, to what it was since time last moved.
 *
 * Invariant: what a register shows to admission contains no change of the current round or of the one before.
 *
 * Paper: D. Shan et al., "Occamy: A Preemptive Buffer Management for On-chip Shared-memory Switches", EuroSys 2025,
 * section 5.2. Deviations: rounds are exact multiples of `sync`; a dropped packet takes no time on the wire.
 */
#include <assert.h>
#include <string.h>

#include "weir/fixed.h"
#include "weir/policy.h"

struct occamy_p4_register {
    weir_cells last;   /* since changed_ps */
    weir_cells start;  /* at the start of the round of changed_ps */
    weir_cells before; /* at the start of the round before that */
    weir_ps changed_ps;
};

struct occamy_p4_params {
    weir_q16 alpha[WEIR_CLASSES_MAX];
    weir_ps sync_ps;
};

struct occamy_p4_derived {
    weir_cells admit_margin_cells;
    weir_cells drop_margin_cells;
};

struct occamy_p4_vars {
    weir_ps now_ps;                 /* when time last moved */
    struct occamy_p4_register free; /* free cells of the shared pool */
};

struct occamy_p4_state {
    struct occamy_p4_params params;
    struct occamy_p4_derived derived;
    struct occamy_p4_vars vars;
    struct occamy_p4_register length[]; /* as vars: [accounts] shared cells */
};

static const struct weir_param occamy_p4_param_table[] = {
    {"alpha", WEIR_UNIT_RATIO, true, 8 * WEIR_Q16_ONE, 1, 4096 * WEIR_Q16_ONE, NULL,
     "Share of the free buffer that one account may hold."},
    {"admit_margin", WEIR_UNIT_SPACE, false, 1600, 0, WEIR_BUFFER_CELLS_MAX, NULL,
     "How far below its threshold an account stops admitting."},
    {"drop_margin", WEIR_UNIT_SPACE, false, 3200, 0, WEIR_BUFFER_CELLS_MAX, NULL,
     "How far above its threshold an account starts to drop what leaves it."},
    {"sync", WEIR_UNIT_TIME, false, WEIR_PS_PER_US, 1, WEIR_PS_PER_S, NULL,
     "Time between two rounds that carry lengths and thresholds to admission."},
};

static size_t occamy_p4_state_size(const struct weir_geometry *geometry)
{
    return sizeof(struct occamy_p4_state) + geometry->accounts * sizeof(struct occamy_p4_register);
}

static void occamy_p4_change(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct occamy_p4_state *s = state;
    memcpy(s->params.alpha, values->of[0], sizeof s->params.alpha);
    s->derived.admit_margin_cells = weir_cells_for_bytes(values->of[1][0], view->geometry.cell_bytes);
    s->derived.drop_margin_cells = weir_cells_for_bytes(values->of[2][0], view->geometry.cell_bytes);
}

static void occamy_p4_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct occamy_p4_state *s = state;
    weir_cells all = view->geometry.shared_cells;
    memset(s, 0, occamy_p4_state_size(&view->geometry));
    s->params.sync_ps = values->of[3][0]; /* for good: what has been seen is filed by rounds of this length */
    s->vars.free = (struct occamy_p4_register){.last = all, .start = all, .before = all};
    occamy_p4_change(state, view, values);
}

static weir_ps occamy_p4_round_ps(const struct occamy_p4_state *s, weir_ps now)
{
    return now - now % s->params.sync_ps;
}

/* The value at the start of the round before the one that starts at round_ps. */
static weir_cells occamy_p4_read(const struct occamy_p4_state *s, const struct occamy_p4_register *r, weir_ps round_ps)
{
    if (r->changed_ps >= round_ps)
        return r->before;
    return r->changed_ps >= round_ps - s->params.sync_ps ? r->start : r->last;
}

static void occamy_p4_write(const struct occamy_p4_state *s, struct occamy_p4_register *r, weir_cells value,
                            weir_ps now)
{
    weir_ps round_ps = occamy_p4_round_ps(s, now);
    if (r->last == value)
        return;
    if (r->changed_ps < round_ps) {
        r->before = occamy_p4_read(s, r, round_ps);
        r->start = r->last;
    }
    r->last = value;
    r->changed_ps = now;
}

static void occamy_p4_on_event(void *state, const struct weir_view *view, const struct weir_event *event)
{
    struct occamy_p4_state *s = state;
    occamy_p4_write(s, &s->vars.free, weir_view_shared_free(view), event->now);
    occamy_p4_write(s, &s->length[event->account.i], weir_view_shared(view, event->account), event->now);
}

static void occamy_p4_on_tick(void *state, const struct weir_view *view, weir_ps now)
{
    struct occamy_p4_state *s = state;
    assert(now >= s->vars.now_ps);
    occamy_p4_write(s, &s->vars.free, weir_view_shared_free(view), s->vars.now_ps);
    s->vars.now_ps = now;
}

static struct weir_verdict occamy_p4_admit(void *state, const struct weir_view *view,
                                           const struct weir_arrival *arrival)
{
    const struct occamy_p4_state *s = state;
    (void)view;
    weir_ps round_ps = occamy_p4_round_ps(s, arrival->now);
    weir_cells length = occamy_p4_read(s, &s->length[arrival->account.i], round_ps);
    weir_cells threshold = weir_q16_mul(s->params.alpha[arrival->tc.i], occamy_p4_read(s, &s->vars.free, round_ps));
    if (length + s->derived.admit_margin_cells > threshold)
        return weir_refuse(WEIR_REASON_OVER_THRESHOLD);
    return weir_accept_if_room();
}

static weir_cells occamy_p4_threshold(const void *state, const struct weir_view *view, weir_account account)
{
    const struct occamy_p4_state *s = state;
    return weir_q16_mul(s->params.alpha[weir_account_class(&view->geometry, account).i], weir_view_shared_free(view));
}

static struct weir_victim occamy_p4_victim(const void *state, const struct weir_view *view,
                                           const struct weir_question *question)
{
    const struct occamy_p4_state *s = state;
    const struct weir_victim nobody = {WEIR_NO_ACCOUNT, false};
    if (question->why != WEIR_WHY_DEQUEUE)
        return nobody;
    assert(!weir_account_is(question->leaving, WEIR_NO_ACCOUNT));
    weir_cells limit = occamy_p4_threshold(state, view, question->leaving) + s->derived.drop_margin_cells;
    if (weir_view_shared(view, question->leaving) <= limit)
        return nobody;
    return (struct weir_victim){question->leaving, false};
}

const struct weir_policy weir_policy_occamy_p4 = {
    .name = "occamy-p4",
    .title = "Occamy as its P4 prototype does it",
    .source = "Shan et al., EuroSys 2025, section 5.2",
    .deviations = "Rounds are exact multiples of `sync`; a packet dropped at dequeue takes no time on the wire.",
    .needs = WEIR_NEED_DEQUEUE,
    .params = occamy_p4_param_table,
    .param_count = 4,
    .state_size = occamy_p4_state_size,
    .init = occamy_p4_init,
    .change = occamy_p4_change,
    .admit = occamy_p4_admit,
    .victim = occamy_p4_victim,
    .on_enqueue = occamy_p4_on_event,
    .on_dequeue = occamy_p4_on_event,
    .on_drop = occamy_p4_on_event,
    .on_tick = occamy_p4_on_tick,
    .threshold = occamy_p4_threshold,
};
