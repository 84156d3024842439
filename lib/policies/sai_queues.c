/*
 * sai_queues.c - the egress side of SAI's buffer model: queues with profiles, which draw on egress pools.
 *
 *   refuse  if  u + len > T,  P + len > T_p  or  len > size - U      with len what is above the minimum (sai.h)
 *
 *           or  len > 0, the packet is not ECN-capable and RED is due at q + len, q the length of the queue (marking.h)
 *
 * Queues of lossless classes are held to their profile too. Configurations give them a static limit of the whole pool,
 * so that only the ingress side, which can pause, decides about them. RED is WRED_PROFILE's: what may be marked is
 * marked by the switch (its `ecn`), and the rest is lost.
 */
#include "sai.h"
#include "weir/marking.h"

enum sai_queues_param {
    SAI_QUEUES_WRED_LOW = SAI_PARAM_COUNT,
    SAI_QUEUES_WRED_HIGH,
    SAI_QUEUES_WRED_CHANCE,
    SAI_QUEUES_WRED_ALL,
    SAI_QUEUES_PARAM_COUNT,
};

static const struct weir_param sai_queues_param_table[] = {
    SAI_PARAMS,
    {"wred_low", WEIR_UNIT_SPACE, true, WEIR_AUTO, 0, SAI_SPACE_MAX, NULL,
     "Length of a queue from which on packets that are not ECN-capable are lost at random; auto: none are."},
    {"wred_high", WEIR_UNIT_SPACE, true, 0, 0, SAI_SPACE_MAX, NULL, "Length of a queue above which all of them are."},
    {"wred_chance", WEIR_UNIT_RATIO, true, WEIR_Q16_ONE, 0, WEIR_Q16_ONE, NULL,
     "Chance at wred_high; from wred_low on it grows evenly."},
    {"wred_all", WEIR_UNIT_COUNT, true, 0, 0, 1, NULL, "1: packets that are ECN-capable too."},
};

struct sai_queues_derived {
    struct weir_marking wred[WEIR_CLASSES_MAX];
    uint32_t all; /* bit c: of class c, ECN-capable packets too */
};

struct sai_queues_state {
    struct sai_queues_derived derived;
    struct weir_sai sai; /* last: more is behind it */
};

static size_t sai_queues_size(const struct weir_geometry *geometry)
{
    return offsetof(struct sai_queues_state, sai) + weir_sai_size(geometry);
}

static void sai_queues_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct sai_queues_state *s = state;
    s->derived.all = 0;
    for (uint32_t tc = 0; tc < WEIR_CLASSES_MAX; tc++) {
        int64_t low = values->of[SAI_QUEUES_WRED_LOW][tc];
        s->derived.wred[tc] = (struct weir_marking){.kind = low == WEIR_AUTO ? WEIR_MARK_NONE : WEIR_MARK_RED};
        s->derived.all |= (uint32_t)(values->of[SAI_QUEUES_WRED_ALL][tc] > 0) << tc;
        if (low == WEIR_AUTO)
            continue;
        s->derived.wred[tc].low_cells = weir_sai_whole_cells(low, &view->geometry);
        s->derived.wred[tc].high_cells = weir_sai_whole_cells(values->of[SAI_QUEUES_WRED_HIGH][tc], &view->geometry);
        s->derived.wred[tc].high_chance = values->of[SAI_QUEUES_WRED_CHANCE][tc];
    }
    weir_sai_load(&s->sai, view, values, ~view->geometry.lossless_mask, NULL);
}

/* Whether RED loses a packet that could not be marked instead. */
static bool sai_queues_is_lost(const struct sai_queues_state *s, const struct weir_view *view,
                               const struct weir_arrival *arrival)
{
    const struct weir_marking *wred = &s->derived.wred[arrival->tc.i];
    if (wred->kind == WEIR_MARK_NONE || (arrival->flags & WEIR_FLAG_ECN && !(s->derived.all >> arrival->tc.i & 1)))
        return false;
    weir_cells cells = weir_view_length(view, arrival->account) + arrival->cells;
    return weir_marking_decide(wred, cells, 0, arrival->index) && weir_sai_added(&s->sai, view, arrival) > 0;
}

static struct weir_verdict sai_queues_admit(void *state, const struct weir_view *view,
                                            const struct weir_arrival *arrival)
{
    const struct sai_queues_state *s = state;
    if (sai_queues_is_lost(s, view, arrival))
        return weir_refuse(WEIR_REASON_OVER_THRESHOLD);
    return weir_sai_admit_lossy(&s->sai, view, arrival);
}

static void sai_queues_on_change(void *state, const struct weir_view *view, const struct weir_event *event)
{
    weir_sai_count(&((struct sai_queues_state *)state)->sai, view, event->port, event->tc);
}

static weir_cells sai_queues_threshold(const void *state, const struct weir_view *view, weir_account account)
{
    const struct sai_queues_state *s = state;
    return weir_sai_threshold(&s->sai, weir_account_port(&view->geometry, account),
                              weir_account_class(&view->geometry, account).i);
}

const struct weir_policy weir_policy_sai_queues = {
    .name = "sai-queues",
    .title = "Queues with profiles (SAI)",
    .source = "OCP, SAI",
    .deviations = "As in DT, the arriving packet counts too. RED looks at the length of the moment.",
    .needs = WEIR_NEED_LOSSLESS,
    .params = sai_queues_param_table,
    .param_count = SAI_QUEUES_PARAM_COUNT,
    .state_size = sai_queues_size,
    .init = sai_queues_init,
    .change = sai_queues_init,
    .admit = sai_queues_admit,
    .on_enqueue = sai_queues_on_change,
    .on_dequeue = sai_queues_on_change,
    .on_drop = sai_queues_on_change,
    .threshold = sai_queues_threshold,
};
