/*
 * naive_reverie_lossless.c - Reverie's lossless side for the naive model.
 */
#include "naive_reverie.h"

/* [class * inputs + input]. */
static int64_t *reverie_lossless_filtered(const struct weir_naive *n, uint32_t input, uint32_t tc)
{
    return (int64_t *)n->scheme_state + tc * weir_naive_inputs(n) + input;
}

static size_t reverie_lossless_size(const struct weir_naive *n)
{
    return (size_t)n->config.classes * weir_naive_inputs(n) * sizeof(int64_t);
}

static weir_cells reverie_lossless_limit(const struct weir_naive *n, uint32_t input, uint32_t tc)
{
    (void)tc;
    return n->input[input].uplink.headroom_cells;
}

static weir_cells reverie_lossless_threshold(const struct weir_naive *n, uint32_t tc)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < weir_naive_inputs(n); i++)
        sum += reverie_counts(*reverie_lossless_filtered(n, i, tc), naive_scheme_space(n, "congested"));
    return reverie_share(n, naive_scheme_value(n, "alpha", 0), sum);
}

static enum naive_place reverie_lossless_place(const struct weir_naive *n, uint32_t input, uint32_t tc, weir_cells need)
{
    bool below = *reverie_lossless_filtered(n, input, tc) / 65536 <= reverie_lossless_threshold(n, tc);
    bool shares = below && naive_queue(n, input, tc)->headroom_cells == 0 && need <= naive_shared_free(n);
    return shares ? NAIVE_SHARED : NAIVE_HEADROOM;
}

static bool reverie_lossless_pauses(const struct weir_naive *n, uint32_t input, uint32_t tc)
{
    weir_cells length = *reverie_lossless_filtered(n, input, tc) / 65536 + naive_scheme_space(n, "delta");
    return naive_queue(n, input, tc)->headroom_cells > 0 ||
           (naive_queue_is_paused(n, input, tc) && length > reverie_lossless_threshold(n, tc));
}

static void reverie_lossless_on_leave(struct weir_naive *n, uint32_t input, uint32_t tc)
{
    int64_t *filtered = reverie_lossless_filtered(n, input, tc);
    *filtered = reverie_moved(*filtered, naive_queue(n, input, tc)->cells, naive_scheme_value(n, "filter", 0));
}

const struct naive_scheme naive_reverie_lossless = {
    .name = "reverie-lossless",
    .state_size = reverie_lossless_size,
    .limit = reverie_lossless_limit,
    .place = reverie_lossless_place,
    .pauses_queue = reverie_lossless_pauses,
    .on_leave = reverie_lossless_on_leave,
};
