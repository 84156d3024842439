/*
 * adaptive.c - Adaptive PFC headroom: as SIH, but each queue's headroom follows from the measured delay of its link.
 *
 * Operators configure headroom for the longest cable and the slowest peer they may meet. Where the link's delay is
 * measured, as in IEEE 802.1Qdt, equation 1 gives what this link needs and no more:
 *
 *   headroom of a queue of input i    2 (C_i D_i + MTU_i) + 3840 B
 *   headroom pool                     sum over inputs of N_q times that
 *
 * Equation 1 leaves out the PAUSE frame and a triggering packet that finds the shared pool full, and cells that packets
 * fill only in part; `terms=safe` counts all of it. The rest is static_headroom.h.
 *
 * Paper: Shan et al., ToN 2025, section V-B; IEEE P802.1Qdt.
 */
#include "static_headroom.h"
#include "weir/fixed.h"
#include "weir/headroom.h"

enum adaptive_param { ADAPTIVE_TERMS = STATIC_HEADROOM_PARAM_COUNT, ADAPTIVE_PARAM_COUNT };

enum adaptive_terms { ADAPTIVE_EQUATION, ADAPTIVE_SAFE };

static const char *const adaptive_terms[] = {"equation", "safe", NULL};

static const struct weir_param adaptive_param_table[] = {
    {STATIC_HEADROOM_ALPHA_PARAM},
    {STATIC_HEADROOM_DELTA_PARAM},
    {"terms", WEIR_UNIT_CHOICE, false, ADAPTIVE_EQUATION, ADAPTIVE_EQUATION, ADAPTIVE_SAFE, adaptive_terms,
     "What is counted: equation 1 of the paper, or also the PAUSE frame, the packet that triggers it and what "
     "packets leave empty of cells."},
};

static weir_cells adaptive_limit(const struct weir_geometry *geometry, const struct weir_uplink *uplink,
                                 weir_bps rate_bps, const struct weir_values *values)
{
    struct weir_headroom_link link = {rate_bps, uplink->delay_ps, uplink->mtu_bytes, 0, 0};
    if (values->of[ADAPTIVE_TERMS][0] == ADAPTIVE_SAFE)
        return weir_headroom_safe_cells(uplink, rate_bps, geometry->cell_bytes);
    return weir_cells_for_bytes(weir_headroom_equation(&link), geometry->cell_bytes);
}

static void adaptive_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct weir_static_headroom *s = state;
    weir_static_headroom_load(s, view, values);
    for (uint32_t port = 0; port < view->geometry.ports; port++)
        s->limit_cells[port] = adaptive_limit(&view->geometry, weir_view_uplink(view, (weir_port){port}),
                                              weir_view_port(view, (weir_port){port})->rate_bps, values);
}

static weir_cells adaptive_reserve(const struct weir_geometry *geometry, const struct weir_reserve *inputs,
                                   const struct weir_values *values)
{
    weir_cells sum = 0;
    for (uint32_t port = 0; port < geometry->ports; port++)
        sum = weir_headroom_add(
            geometry, sum,
            adaptive_limit(geometry, weir_reserve_uplink(inputs, port), weir_reserve_rate(inputs, port), values));
    return sum;
}

const struct weir_policy weir_policy_adaptive = {
    .name = "adaptive",
    .title = "Adaptive PFC headroom",
    .source = "IEEE P802.1Qdt; Shan et al., ToN 2025",
    .deviations = "The delay is given, not measured by frames of the protocol.",
    .headroom = "one headroom per queue: equation 1 with the measured delay of its link",
    .needs = WEIR_NEED_INGRESS,
    .params = adaptive_param_table,
    .param_count = ADAPTIVE_PARAM_COUNT,
    .state_size = weir_static_headroom_size,
    .init = adaptive_init,
    .change = adaptive_init,
    .admit = weir_static_headroom_admit,
    .pause_mask = weir_static_headroom_pause_mask,
    .resume_level = weir_static_headroom_resume_level,
    .reserve = adaptive_reserve,
    .headroom_limit = weir_static_headroom_limit,
    .threshold = weir_static_headroom_threshold,
};
