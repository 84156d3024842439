/*
 * sai_queues.c - the egress side of SAI's buffer model: queues with profiles, which draw on egress pools.
 *
 *   refuse  if  u + len > T,  P + len > T_p  or  len > size - U      with len what is above the minimum (sai.h)
 *
 * Queues of lossless classes are held to their profile too. Configurations give them a static limit of the whole pool,
 * so that only the ingress side, which can pause, decides about them.
 */
#include "sai.h"

static const struct weir_param sai_queues_param_table[] = {SAI_PARAMS};

static void sai_queues_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    weir_sai_load(state, view, values, ~view->geometry.lossless_mask, NULL);
}

static struct weir_verdict sai_queues_admit(void *state, const struct weir_view *view,
                                            const struct weir_arrival *arrival)
{
    return weir_sai_admit_lossy(state, view, arrival);
}

static void sai_queues_on_change(void *state, const struct weir_view *view, const struct weir_event *event)
{
    weir_sai_count(state, view, event->port, event->tc);
}

static weir_cells sai_queues_threshold(const void *state, const struct weir_view *view, weir_account account)
{
    return weir_sai_threshold(state, weir_account_class(&view->geometry, account).i);
}

const struct weir_policy weir_policy_sai_queues = {
    .name = "sai-queues",
    .title = "Queues with profiles (SAI)",
    .source = "OCP, SAI",
    .deviations = "As in DT, the arriving packet counts too.",
    .needs = WEIR_NEED_LOSSLESS,
    .params = sai_queues_param_table,
    .param_count = SAI_PARAM_COUNT,
    .state_size = weir_sai_size,
    .init = sai_queues_init,
    .change = sai_queues_init,
    .admit = sai_queues_admit,
    .on_enqueue = sai_queues_on_change,
    .on_dequeue = sai_queues_on_change,
    .on_drop = sai_queues_on_change,
    .threshold = sai_queues_threshold,
};
