/*
 * qpo.c - Quasi-Pushout: push-out of a queue that is nearly the longest, found by one comparison per packet.
 *
 * Push-out compares all queues to find the longest. This keeps a pointer to a quasi-longest queue instead: whenever a
 * queue changes, it takes over the pointer if it is longer than the queue that has it. Of a full buffer, the head of
 * the quasi-longest queue leaves for the arrival, even if that is of the same queue.
 *
 *   full       push out the first packet of queue[p]
 *   enqueue    p = the arrival's queue      if it is longer than queue[p]     (update = input, both)
 *   dequeue    p = the queue that sent      if it is longer than queue[p]     (update = output, both)
 *
 * Paper: Y.-S. Lin, C. B. Shung, "Quasi-pushout cell discarding", IEEE Communications Letters 1997; the rule as in US
 * patent 6,393,027, claims 1 to 3, which expired.
 */
#include "weir/policy.h"

enum { QPO_UPDATE, QPO_PARAMS };
enum { QPO_INPUT, QPO_OUTPUT, QPO_BOTH };

struct qpo_params {
    bool at_input, at_output;
};

struct qpo_vars {
    weir_account longest; /* more or less */
};

struct qpo_state {
    struct qpo_params params;
    struct qpo_vars vars;
};

static const char *const qpo_update_choices[] = {"input", "output", "both", NULL};

static const struct weir_param qpo_param_table[QPO_PARAMS] = {
    {"update", WEIR_UNIT_CHOICE, false, QPO_BOTH, 0, QPO_BOTH, qpo_update_choices,
     "Which packets move the pointer to the quasi-longest queue: those that enter, those that leave, or both."},
};

static size_t qpo_state_size(const struct weir_geometry *geometry)
{
    (void)geometry;
    return sizeof(struct qpo_state);
}

static void qpo_change(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct qpo_state *s = state;
    int64_t update = values->of[QPO_UPDATE][0];
    (void)view;
    s->params = (struct qpo_params){update != QPO_OUTPUT, update != QPO_INPUT};
}

static void qpo_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct qpo_state *s = state;
    s->vars.longest = (weir_account){0};
    qpo_change(s, view, values);
}

static struct weir_verdict qpo_admit(void *state, const struct weir_view *view, const struct weir_arrival *arrival)
{
    (void)state;
    (void)view;
    (void)arrival;
    return (struct weir_verdict){WEIR_ACCEPT, WEIR_REASON_NONE, WEIR_CHARGE_SHARED};
}

static struct weir_victim qpo_victim(const void *state, const struct weir_view *view,
                                     const struct weir_question *question)
{
    const struct qpo_state *s = state;
    const struct weir_victim nobody = {WEIR_NO_ACCOUNT, false};
    if (question->why != WEIR_WHY_PUSHOUT || weir_view_shared(view, s->vars.longest) == 0)
        return nobody;
    return (struct weir_victim){s->vars.longest, false};
}

static void qpo_compare(struct qpo_state *s, const struct weir_view *view, weir_account account)
{
    if (weir_view_shared(view, account) > weir_view_shared(view, s->vars.longest))
        s->vars.longest = account;
}

static void qpo_on_enqueue(void *state, const struct weir_view *view, const struct weir_event *event)
{
    struct qpo_state *s = state;
    if (s->params.at_input)
        qpo_compare(s, view, event->account);
}

static void qpo_on_dequeue(void *state, const struct weir_view *view, const struct weir_event *event)
{
    struct qpo_state *s = state;
    if (s->params.at_output)
        qpo_compare(s, view, event->account);
}

const struct weir_policy weir_policy_qpo = {
    .name = "qpo",
    .title = "Quasi-Pushout",
    .source = "Lin & Shung, IEEE Comm. Letters 1997",
    .deviations = "Packets of any size: an arrival that needs more than the quasi-longest queue holds is refused.",
    .params = qpo_param_table,
    .param_count = QPO_PARAMS,
    .state_size = qpo_state_size,
    .init = qpo_init,
    .change = qpo_change,
    .admit = qpo_admit,
    .victim = qpo_victim,
    .on_enqueue = qpo_on_enqueue,
    .on_dequeue = qpo_on_dequeue,
};
