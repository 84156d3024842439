/*
 * naive_static.c - see naive_static.h.
 */
#include "naive_static.h"

weir_cells naive_scheme_threshold(const struct weir_naive *n)
{
    return (weir_cells)((naive_wide)naive_scheme_value(n, "alpha", 0) * naive_shared_free(n) / 65536);
}

weir_cells naive_scheme_space(const struct weir_naive *n, const char *name)
{
    return weir_cells_for_bytes(naive_scheme_value(n, name, 0), n->config.cell_bytes);
}

bool naive_queue_is_paused(const struct weir_naive *n, uint32_t input, uint32_t tc)
{
    return (n->input[input].paused_mask >> tc & 1) != 0;
}

bool naive_scheme_holds(weir_cells held, weir_cells xoff, weir_cells delta, bool paused)
{
    if (held == 0)
        return false;
    return paused ? held > xoff - delta : held >= xoff;
}

enum naive_place naive_static_place(const struct weir_naive *n, uint32_t input, uint32_t tc, weir_cells need)
{
    bool below = naive_queue(n, input, tc)->shared_cells < naive_scheme_threshold(n);
    bool shares = below || !naive_queue_is_paused(n, input, tc);
    return shares && need <= naive_shared_free(n) ? NAIVE_SHARED : NAIVE_HEADROOM;
}

bool naive_static_pauses(const struct weir_naive *n, uint32_t input, uint32_t tc)
{
    const struct naive_queue *q = naive_queue(n, input, tc);
    return q->headroom_cells > 0 ||
           naive_scheme_holds(q->shared_cells, naive_scheme_threshold(n), naive_scheme_space(n, "delta"),
                              naive_queue_is_paused(n, input, tc));
}
