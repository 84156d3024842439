/*
 * cs.c - Complete Sharing: whoever comes first takes the buffer.
 *
 * An arrival enters whenever the pool has room for it. Nothing is wasted, and nothing is protected: one overloaded
 * account can fill the whole buffer and lock the others out. It is the upper end of utilisation that every other
 * policy trades against fairness.
 *
 *   refuse  if  len > B - used        (the MMU's own test; the policy adds none)
 *
 * Paper: F. Kamoun, L. Kleinrock, "Analysis of shared finite storage in a computer network node environment under
 * general traffic conditions", IEEE Trans. Communications 1980.
 */
#include "weir/policy.h"

static size_t cs_state_size(const struct weir_geometry *geometry)
{
    (void)geometry;
    return 0;
}

static void cs_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    (void)state;
    (void)view;
    (void)values;
}

static struct weir_verdict cs_admit(void *state, const struct weir_view *view, const struct weir_arrival *arrival)
{
    (void)state;
    (void)view;
    (void)arrival;
    return weir_accept_if_room();
}

const struct weir_policy weir_policy_cs = {
    .name = "cs",
    .title = "Complete Sharing",
    .source = "Kamoun & Kleinrock, IEEE Trans. Communications 1980",
    .deviations = "Packets of any size; users are (port, class) accounts.",
    .state_size = cs_state_size,
    .init = cs_init,
    .admit = cs_admit,
};
