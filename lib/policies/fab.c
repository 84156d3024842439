/*
 * fab.c - Flow-Aware Buffer: Dynamic Threshold with a larger alpha for what flows send first.
 *
 * A short flow that loses a packet waits for a timeout; a long one hardly notices. So packets of a flow that has not
 * sent much yet may take nearly all of the free buffer, and long flows are held to the usual share of it.
 *
 *   alpha   = short_alpha   if the flow has sent less than `short`, this packet counted
 *             alpha_class   else
 *   refuse  if  q + len > alpha * (B - used)   or   len > B - used
 *
 * How much a flow has sent is what the MMU's table of flows says (weir/flow.h), with entries=0 what the sender says;
 * with identify=flag a packet is short where the host says that it is unscheduled, and the table is not looked at. A
 * flow that found no place in the table counts as long.
 *
 * Paper: M. Apostolaki, L. Vanbever, M. Ghobadi, "FAB: Toward Flow-aware Buffer Sharing on Programmable Switches", BS
 * 2019. The rule is that of the comparison in ABM's simulator, which also says the window, the 15 packets of 1400 B and
 * the alphas.
 */
#include <string.h>

#include "weir/fixed.h"
#include "weir/policy.h"

enum { FAB_ALPHA = WEIR_FLOW_PARAM_COUNT, FAB_SHORT_ALPHA, FAB_SHORT, FAB_IDENTIFY, FAB_PARAMS };
enum { FAB_BY_FLOW, FAB_BY_FLAG };

struct fab_params {
    weir_q16 alpha[WEIR_CLASSES_MAX];
    weir_q16 short_alpha;
    int64_t short_bytes;
    uint32_t entries;
    bool by_flag;
};

struct fab_state {
    struct fab_params params;
};

static const char *const fab_identify_choices[] = {"flow", "flag", NULL};

static const struct weir_param fab_param_table[FAB_PARAMS] = {
    WEIR_FLOW_PARAMS(5 * WEIR_PS_PER_MS),
    {"alpha", WEIR_UNIT_RATIO, true, WEIR_Q16_ONE / 2, 1, 4096 * WEIR_Q16_ONE, NULL,
     "Share of the free buffer that one account may hold of long flows."},
    {"short_alpha", WEIR_UNIT_RATIO, false, 1024 * WEIR_Q16_ONE, 1, 4096 * WEIR_Q16_ONE, NULL,
     "The same for packets of flows that have not sent much."},
    {"short", WEIR_UNIT_SPACE, false, 21000, 1, INT64_MAX / 2, NULL, "A flow that has sent less is short."},
    {"identify", WEIR_UNIT_CHOICE, false, FAB_BY_FLOW, 0, FAB_BY_FLAG, fab_identify_choices,
     "What says that a packet is of a short flow: the bytes of its flow, or the flag of unscheduled packets."},
};

static size_t fab_state_size(const struct weir_geometry *geometry)
{
    (void)geometry;
    return sizeof(struct fab_state);
}

static struct weir_flow_shape fab_flow_table(const struct weir_geometry *geometry, const struct weir_values *values)
{
    (void)geometry;
    return weir_flow_shape_of(values);
}

static void fab_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct fab_state *s = state;
    (void)view;
    memcpy(s->params.alpha, values->of[FAB_ALPHA], sizeof s->params.alpha);
    s->params.short_alpha = values->of[FAB_SHORT_ALPHA][0];
    s->params.short_bytes = values->of[FAB_SHORT][0];
    s->params.entries = (uint32_t)values->of[WEIR_FLOW_PARAM_ENTRIES][0];
    s->params.by_flag = values->of[FAB_IDENTIFY][0] == FAB_BY_FLAG;
}

static bool fab_is_short(const struct fab_state *s, const struct weir_arrival *arrival)
{
    if (s->params.by_flag)
        return arrival->flags & WEIR_FLAG_UNSCHEDULED;
    int64_t bytes = weir_flow_bytes(arrival->flow, s->params.entries);
    return bytes != WEIR_FLOW_UNKNOWN && bytes < s->params.short_bytes;
}

static struct weir_verdict fab_admit(void *state, const struct weir_view *view, const struct weir_arrival *arrival)
{
    const struct fab_state *s = state;
    weir_q16 alpha = fab_is_short(s, arrival) ? s->params.short_alpha : s->params.alpha[arrival->tc.i];
    weir_cells threshold = weir_q16_mul(alpha, weir_view_shared_free(view));
    if (weir_view_shared(view, arrival->account) + arrival->need_cells > threshold)
        return weir_refuse(WEIR_REASON_OVER_THRESHOLD);
    return weir_accept_if_room();
}

/* Of long flows. */
static weir_cells fab_threshold(const void *state, const struct weir_view *view, weir_account account)
{
    const struct fab_state *s = state;
    uint32_t tc = weir_account_class(&view->geometry, account).i;
    return weir_q16_mul(s->params.alpha[tc], weir_view_shared_free(view));
}

const struct weir_policy weir_policy_fab = {
    .name = "fab",
    .title = "Flow-Aware Buffer",
    .source = "Apostolaki, Vanbever & Ghobadi, BS 2019",
    .deviations = "The table of flows is bounded, so flows can be forgotten or taken for others; entries=0 asks the "
                  "sender instead. A flow without an entry counts as long.",
    .needs = WEIR_NEED_FLOW,
    .params = fab_param_table,
    .param_count = FAB_PARAMS,
    .state_size = fab_state_size,
    .init = fab_init,
    .change = fab_init,
    .admit = fab_admit,
    .threshold = fab_threshold,
    .flow_table = fab_flow_table,
};
