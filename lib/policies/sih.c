/*
 * sih.c - Static and Independent Headroom: every lossless ingress queue has its own headroom, sized for the worst
 * case of its link.
 *
 * This is what switch chips do. Below the dynamic threshold a queue lives in the shared pool; when it reaches it, its
 * class is paused at the sender, and whatever still arrives goes to headroom (static_headroom.h has the rule).
 *
 *   headroom of a queue of input i    Phi_i, as configured
 *   headroom pool                     sum over inputs of N_q Phi_i
 *
 * Invariant: while senders obey pauses within the bound that Phi was sized for (headroom.h), nothing is refused.
 *
 * Paper: Shan et al., "Efficient Headroom Allocation With Two-Level Flow Control for Lossless Datacenter Networks",
 * ToN 2025, section II-C and algorithm 1.
 */
#include "static_headroom.h"

static const struct weir_param sih_param_table[] = {
    {STATIC_HEADROOM_ALPHA_PARAM},
    {STATIC_HEADROOM_DELTA_PARAM},
};

static void sih_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct weir_static_headroom *s = state;
    weir_static_headroom_load(s, view, values);
    for (uint32_t port = 0; port < view->geometry.ports; port++)
        s->limit_cells[port] = weir_view_uplink(view, (weir_port){port})->headroom_cells;
}

const struct weir_policy weir_policy_sih = {
    .name = "sih",
    .title = "Static and Independent Headroom",
    .source = "Shan et al., ToN 2025, section II",
    .deviations = "The packet that crosses the threshold, or finds it fallen below its queue, is charged to the shared "
                  "pool, so that equation 1 bounds what headroom must take.",
    .headroom = "one headroom per queue, sized for the worst case of its link",
    .needs = WEIR_NEED_INGRESS,
    .params = sih_param_table,
    .param_count = STATIC_HEADROOM_PARAM_COUNT,
    .state_size = weir_static_headroom_size,
    .init = sih_init,
    .change = sih_init,
    .admit = weir_static_headroom_admit,
    .pause_mask = weir_static_headroom_pause_mask,
    .resume_level = weir_static_headroom_resume_level,
    .reserve = weir_static_headroom_reserve,
    .headroom_limit = weir_static_headroom_limit,
    .threshold = weir_static_headroom_threshold,
};
