/*
 * oversubscribed.c - Oversubscribed headroom: as SIH, with less reserved than the worst case needs.
 *
 * Worst cases are rare, so operators give every queue only a part of Phi and accept that it may be too little. There
 * are two ways to cut:
 *
 *   pool=no     a queue may hold ratio Phi_i;     headroom pool = sum over inputs of N_q ratio Phi_i
 *   pool=yes    a queue may hold Phi_i of a pool that all share, of the same size
 *
 * The first loses packets whenever one queue meets its worst case, the second only when nearly all do at once. The
 * rest is static_headroom.h.
 *
 * Paper: Shan et al., ToN 2025, sections III-C and V-B.
 */
#include "static_headroom.h"
#include "weir/fixed.h"

enum oversubscribed_param {
    OVERSUBSCRIBED_RATIO = STATIC_HEADROOM_PARAM_COUNT,
    OVERSUBSCRIBED_POOL,
    OVERSUBSCRIBED_PARAM_COUNT
};

static const struct weir_param oversubscribed_param_table[] = {
    {STATIC_HEADROOM_ALPHA_PARAM},
    {STATIC_HEADROOM_DELTA_PARAM},
    {"ratio", WEIR_UNIT_RATIO, false, (4 * WEIR_Q16_ONE + 2) / 5, 0, WEIR_Q16_ONE, NULL,
     "Fraction of the worst case to reserve."},
    {"pool", WEIR_UNIT_FLAG, false, 0, 0, 1, NULL,
     "One pool for all queues, in which each may hold its worst case, instead of a cap per queue."},
};

static void oversubscribed_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct weir_static_headroom *s = state;
    weir_q16 ratio = values->of[OVERSUBSCRIBED_POOL][0] ? WEIR_Q16_ONE : values->of[OVERSUBSCRIBED_RATIO][0];
    weir_static_headroom_load(s, view, values);
    for (uint32_t port = 0; port < view->geometry.ports; port++)
        s->limit_cells[port] = weir_q16_mul(ratio, weir_view_uplink(view, (weir_port){port})->headroom_cells);
}

static weir_cells oversubscribed_reserve(const struct weir_geometry *geometry, const struct weir_reserve *inputs,
                                         const struct weir_values *values)
{
    weir_cells sum = 0;
    for (uint32_t port = 0; port < geometry->ports; port++)
        sum = weir_headroom_add(
            geometry, sum,
            weir_q16_mul(values->of[OVERSUBSCRIBED_RATIO][0], weir_reserve_uplink(inputs, port)->headroom_cells));
    return sum;
}

const struct weir_policy weir_policy_oversubscribed = {
    .name = "oversubscribed",
    .title = "Oversubscribed headroom",
    .source = "Shan et al., ToN 2025, section III-C",
    .headroom = "a fraction (ratio) of one headroom per queue; packets may be lost",
    .needs = WEIR_NEED_INGRESS,
    .params = oversubscribed_param_table,
    .param_count = OVERSUBSCRIBED_PARAM_COUNT,
    .state_size = weir_static_headroom_size,
    .init = oversubscribed_init,
    .change = oversubscribed_init,
    .admit = weir_static_headroom_admit,
    .pause_mask = weir_static_headroom_pause_mask,
    .resume_level = weir_static_headroom_resume_level,
    .reserve = oversubscribed_reserve,
    .headroom_limit = weir_static_headroom_limit,
    .threshold = weir_static_headroom_threshold,
};
