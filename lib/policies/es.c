/*
 * es.c - Equal Split: every port (or every account) owns the same fixed part of the shared buffer.
 *
 * The opposite of complete sharing: nobody can hurt anybody else, and what the idle ones own lies unused.
 *
 *   refuse  if  q_port + len > B / ports          over = port
 *   refuse  if  q      + len > B / accounts       over = account
 *
 * with q and B counted in the shared pool and the quotient rounded down. The parts add up to at most B, so an arrival
 * within its part always finds room.
 *
 * Paper: F. Kamoun, L. Kleinrock, "Analysis of shared finite storage in a computer network node environment under
 * general traffic conditions", IEEE Trans. Communications 1980 (there: complete partitioning).
 */
#include <assert.h>

#include "weir/policy.h"

enum es_over { ES_OVER_PORT, ES_OVER_ACCOUNT };

struct es_params {
    int64_t over; /* enum es_over */
};

struct es_state {
    struct es_params params;
};

static const char *const es_over_choices[] = {"port", "account", NULL};

static const struct weir_param es_param_table[] = {
    {"over", WEIR_UNIT_CHOICE, false, ES_OVER_PORT, ES_OVER_PORT, ES_OVER_ACCOUNT, es_over_choices,
     "Who gets an equal share: each port or each account."},
};

static size_t es_state_size(const struct weir_geometry *geometry)
{
    (void)geometry;
    return sizeof(struct es_state);
}

static void es_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct es_state *s = state;
    (void)view;
    s->params.over = values->of[0][0];
}

static weir_cells es_threshold(const void *state, const struct weir_view *view, weir_account account)
{
    const struct es_state *s = state;
    const struct weir_geometry *g = &view->geometry;
    (void)account;
    uint32_t parts = s->params.over == ES_OVER_PORT ? g->ports : g->lossy_accounts;
    return parts > 0 ? g->shared_cells / parts : 0; /* none when every class is lossless */
}

static struct weir_verdict es_admit(void *state, const struct weir_view *view, const struct weir_arrival *arrival)
{
    const struct es_state *s = state;
    assert(view->geometry.lossy_accounts > 0); /* the arrival is of one */
    weir_cells held = s->params.over == ES_OVER_PORT ? weir_view_port(view, arrival->port)->shared_cells
                                                     : weir_view_shared(view, arrival->account);
    if (held + arrival->need_cells > es_threshold(s, view, arrival->account))
        return weir_refuse(WEIR_REASON_OVER_THRESHOLD);
    return weir_accept_if_room();
}

const struct weir_policy weir_policy_es = {
    .name = "es",
    .title = "Equal Split",
    .source = "Kamoun & Kleinrock, IEEE Trans. Communications 1980",
    .deviations = "Parts are equal; the paper also allows unequal ones.",
    .params = es_param_table,
    .param_count = 1,
    .state_size = es_state_size,
    .init = es_init,
    .change = es_init,
    .admit = es_admit,
    .threshold = es_threshold,
};
