/*
 * naive_sai_groups.c - priority groups with pools and profiles for the naive model.
 */
#include "naive_sai.h"
#include "naive_static.h"

static struct naive_sai_account sai_group(const struct weir_naive *n, uint32_t input, uint32_t tc)
{
    return naive_sai_first(n, (struct naive_sai_account){true, input, tc});
}

static weir_cells sai_groups_limit(const struct weir_naive *n, uint32_t input, uint32_t tc)
{
    int64_t bytes = naive_scheme_value(n, "headroom", sai_group(n, input, tc).tc);
    return bytes == WEIR_AUTO ? n->input[input].uplink.headroom_cells
                              : weir_cells_for_bytes(bytes, n->config.cell_bytes);
}

static enum weir_reason sai_groups_admit_lossy(const struct weir_naive *n, uint32_t input,
                                               const struct weir_arrival *arrival)
{
    struct naive_sai_account at = sai_group(n, input, arrival->tc.i);
    return naive_sai_admit(n, at, naive_sai_added(n, at, arrival->cells));
}

static bool sai_groups_below(const struct weir_naive *n, struct naive_sai_account at)
{
    return naive_sai_held(n, at) < naive_sai_threshold(n, at) &&
           naive_sai_port_held(n, at) < naive_sai_port_threshold(n, at);
}

/* In its pool while u < T and P < T_p, or while it is not paused, and while there is room. */
static enum naive_place sai_groups_place(const struct weir_naive *n, uint32_t input, uint32_t tc, weir_cells need)
{
    struct naive_sai_account at = sai_group(n, input, tc);
    bool shares = sai_groups_below(n, at) || !naive_queue_is_paused(n, input, tc);
    return shares && need <= naive_sai_free(n, at) && need <= naive_shared_free(n) ? NAIVE_SHARED : NAIVE_HEADROOM;
}

static weir_cells sai_groups_space(const struct weir_naive *n, const char *name, uint32_t tc)
{
    return weir_cells_for_bytes(naive_scheme_value(n, name, tc), n->config.cell_bytes);
}

static bool sai_groups_pauses(const struct weir_naive *n, uint32_t input, uint32_t tc)
{
    struct naive_sai_account at = sai_group(n, input, tc);
    const struct naive_queue *q = naive_queue(n, input, tc);
    if (q->headroom_cells > 0)
        return true;
    if (q->shared_cells == 0)
        return false;
    if (!naive_queue_is_paused(n, input, tc))
        return !sai_groups_below(n, at);
    if (naive_sai_port_held(n, at) >= naive_sai_port_threshold(n, at))
        return true;
    weir_cells xoff = q->private_limit + naive_sai_threshold(n, at);
    return q->cells > sai_groups_space(n, "xon", at.tc) && q->cells > xoff - sai_groups_space(n, "delta", at.tc);
}

const struct naive_scheme naive_sai_groups = {.name = "sai-groups",
                                              .limit = sai_groups_limit,
                                              .admit_lossy = sai_groups_admit_lossy,
                                              .place = sai_groups_place,
                                              .pauses_queue = sai_groups_pauses,
                                              .is_one = naive_sai_is_one};
