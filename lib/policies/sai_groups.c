/*
 * sai_groups.c - the ingress side of SAI's buffer model: priority groups with profiles, which draw on ingress pools,
 * and headroom for those that can be paused.
 *
 * Lossy groups are refused as queues are (sai_queues.c). For a lossless one, with h what it holds of headroom and the
 * rest as in sai.h:
 *
 *   place    private minimum first; then its pool, if it has room, and u < T and P < T_p or the group is not paused;
 *            else headroom, if h + len <= xoff; else refuse
 *   pause    h > 0, or u > 0 and (u >= T or P >= T_p)
 *   resume   h = 0, and u = 0 or (u + minimum <= max(xon, minimum + T - delta) and P < T_p)
 *
 * xoff is `headroom`, delta SONiC's xon_offset. Each group has its headroom to itself, or with `headroom_pool` all
 * share that much, of which one may take xoff: BUFFER_POOL's xoff.
 *
 * The packet that crosses T stays in the pool, as in sih.c and for the same reason.
 */
#include <assert.h>

#include "sai.h"
#include "static_headroom.h"
#include "weir/fixed.h"

enum sai_groups_param {
    SAI_GROUPS_XON = SAI_PARAM_COUNT,
    SAI_GROUPS_DELTA,
    SAI_GROUPS_HEADROOM,
    SAI_GROUPS_POOL,
    SAI_GROUPS_GROUP,
    SAI_GROUPS_PARAM_COUNT,
};

static const struct weir_param sai_groups_param_table[] = {
    SAI_PARAMS,
    {"xon", WEIR_UNIT_SPACE, true, 0, 0, SAI_SPACE_MAX, NULL, "A paused group that holds no more than this resumes."},
    {"delta", WEIR_UNIT_SPACE, true, 0, 0, SAI_SPACE_MAX, NULL,
     "How far a group must fall below its threshold before it is resumed: xon_offset."},
    {"headroom", WEIR_UNIT_SPACE, true, WEIR_AUTO, 0, SAI_SPACE_MAX, NULL,
     "What a group may hold of headroom, xoff; auto: the headroom of its link."},
    {"headroom_pool", WEIR_UNIT_SPACE, false, WEIR_AUTO, 0, SAI_SPACE_MAX, NULL,
     "Headroom that all groups share; auto: each has its own."},
    {"group", WEIR_UNIT_COUNT, true, WEIR_AUTO, 0, WEIR_CLASSES_MAX - 1, NULL,
     "Lossy classes with the same number are one group, and so are lossless ones: one account, with the profile and "
     "the private minimum of the first; auto: each is one. It stays as it is while the switch runs."},
};

static uint32_t sai_groups_group(const struct weir_geometry *geometry, const struct weir_values *values, uint32_t tc)
{
    const int64_t *group = values->of[SAI_GROUPS_GROUP];
    for (uint32_t first = 0; group[tc] != WEIR_AUTO && first < tc; first++)
        if (group[first] == group[tc] && !((geometry->lossless_mask >> first ^ geometry->lossless_mask >> tc) & 1))
            return first;
    return tc;
}

struct sai_groups_derived {
    weir_cells xon_cells[WEIR_CLASSES_MAX], delta_cells[WEIR_CLASSES_MAX];
    weir_cells headroom_cells[WEIR_CLASSES_MAX]; /* SAI_NONE: as the uplink has */
};

struct sai_groups_state {
    struct sai_groups_derived derived;
    struct weir_sai sai; /* last: more is behind it */
};

static size_t sai_groups_size(const struct weir_geometry *geometry)
{
    return offsetof(struct sai_groups_state, sai) + weir_sai_size(geometry);
}

static void sai_groups_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct sai_groups_state *s = state;
    uint32_t cell = view->geometry.cell_bytes;
    for (uint32_t tc = 0; tc < WEIR_CLASSES_MAX; tc++) {
        int64_t headroom = values->of[SAI_GROUPS_HEADROOM][tc];
        s->derived.xon_cells[tc] = weir_cells_for_bytes(values->of[SAI_GROUPS_XON][tc], cell);
        s->derived.delta_cells[tc] = weir_cells_for_bytes(values->of[SAI_GROUPS_DELTA][tc], cell);
        s->derived.headroom_cells[tc] = headroom == WEIR_AUTO ? SAI_NONE : weir_cells_for_bytes(headroom, cell);
    }
    weir_sai_load(&s->sai, view, values, view->geometry.lossless_mask, sai_groups_group);
}

static weir_cells sai_groups_xoff(const struct sai_groups_state *s, const struct weir_view *view, weir_port port,
                                  uint32_t tc)
{
    weir_cells own = s->derived.headroom_cells[tc];
    return own != SAI_NONE ? own : weir_view_uplink(view, port)->headroom_cells;
}

static bool sai_groups_is_below(const struct weir_sai *s, weir_port port, uint32_t tc, weir_cells held)
{
    return held < weir_sai_threshold(s, port, tc) && weir_sai_port_held(s, port, tc) < weir_sai_port_threshold(s, tc);
}

static struct weir_verdict sai_groups_admit(void *state, const struct weir_view *view,
                                            const struct weir_arrival *arrival)
{
    const struct sai_groups_state *s = state;
    struct weir_verdict verdict = weir_accept_if_room();
    uint32_t tc = weir_sai_first(&s->sai, arrival->tc.i);
    if (!(arrival->flags & WEIR_FLAG_LOSSLESS))
        return weir_sai_admit_lossy(&s->sai, view, arrival);
    if (arrival->need_cells == 0)
        return verdict;
    const struct weir_holding *group = weir_view_account(view, arrival->account);
    bool paused = weir_view_port(view, arrival->port)->paused_mask >> arrival->tc.i & 1;
    bool has_room =
        arrival->need_cells <= weir_sai_free(&s->sai, tc) && arrival->need_cells <= weir_view_shared_free(view);
    if (has_room && (!paused || sai_groups_is_below(&s->sai, arrival->port, tc, group->shared_cells)))
        return verdict;
    if (group->headroom_cells + arrival->cells > sai_groups_xoff(s, view, arrival->port, tc))
        return weir_refuse(WEIR_REASON_NO_ROOM);
    verdict.charge = WEIR_CHARGE_HEADROOM;
    return verdict;
}

/* A paused group stays so. */
static bool sai_groups_stays(const struct sai_groups_state *s, const struct weir_holding *group, weir_port port,
                             uint32_t tc)
{
    weir_cells xon = s->derived.xon_cells[tc];
    weir_cells level = group->private_limit + weir_sai_threshold(&s->sai, port, tc) - s->derived.delta_cells[tc];
    return group->cells > (xon > level ? xon : level) ||
           weir_sai_port_held(&s->sai, port, tc) >= weir_sai_port_threshold(&s->sai, tc);
}

static uint32_t sai_groups_pause_mask(const void *state, const struct weir_view *view, weir_port port, uint32_t asked,
                                      bool *port_level)
{
    const struct sai_groups_state *s = state;
    assert((asked & ~view->geometry.lossless_mask) == 0);
    uint32_t paused = weir_view_port(view, port)->paused_mask, mask = 0;
    (void)port_level;
    for (uint32_t left = asked; left; left &= left - 1) {
        uint32_t of = (uint32_t)__builtin_ctz(left), tc = weir_sai_first(&s->sai, of);
        const struct weir_holding *group =
            weir_view_account(view, weir_account_of(&view->geometry, port, (weir_class){tc}));
        bool full = group->shared_cells > 0 &&
                    (paused >> tc & 1 ? sai_groups_stays(s, group, port, tc)
                                      : !sai_groups_is_below(&s->sai, port, tc, group->shared_cells));
        mask |= (uint32_t)(full || group->headroom_cells > 0) << of;
    }
    return mask;
}

static void sai_groups_on_change(void *state, const struct weir_view *view, const struct weir_event *event)
{
    weir_sai_count(&((struct sai_groups_state *)state)->sai, view, event->port, event->tc);
}

static weir_cells sai_groups_reserve(const struct weir_geometry *geometry, const struct weir_reserve *inputs,
                                     const struct weir_values *values)
{
    weir_cells sum = 0;
    int64_t pool = values->of[SAI_GROUPS_POOL][0];
    if (pool != WEIR_AUTO)
        return weir_sai_whole_cells(pool, geometry);
    for (uint32_t left = geometry->lossless_mask; left; left &= left - 1) {
        uint32_t tc = (uint32_t)__builtin_ctz(left);
        int64_t own = values->of[SAI_GROUPS_HEADROOM][tc];
        if (sai_groups_group(geometry, values, tc) != tc)
            continue;
        for (uint32_t port = 0; port < geometry->ports; port++) {
            weir_cells cells = own == WEIR_AUTO ? weir_reserve_uplink(inputs, port)->headroom_cells
                                                : weir_cells_for_bytes(own, geometry->cell_bytes);
            if (__builtin_add_overflow(sum, cells, &sum))
                return INT64_MAX;
        }
    }
    return sum;
}

/* The most of its groups. */
static weir_cells sai_groups_limit(const void *state, const struct weir_view *view, weir_port port)
{
    weir_cells most = 0;
    for (uint32_t left = view->geometry.lossless_mask; left; left &= left - 1) {
        const struct sai_groups_state *s = state;
        weir_cells cells = sai_groups_xoff(s, view, port, weir_sai_first(&s->sai, (uint32_t)__builtin_ctz(left)));
        most = cells > most ? cells : most;
    }
    return most;
}

const struct weir_policy weir_policy_sai_groups = {
    .name = "sai-groups",
    .title = "Priority groups with profiles (SAI)",
    .source = "OCP, SAI",
    .deviations = "The packet that crosses the threshold stays in the pool. A group that holds nothing of its pool and "
                  "no headroom is resumed, whatever its threshold.",
    .headroom = "the xoff of each group, or one pool for all",
    .needs = WEIR_NEED_INGRESS | WEIR_NEED_LOSSY,
    .params = sai_groups_param_table,
    .param_count = SAI_GROUPS_PARAM_COUNT,
    .state_size = sai_groups_size,
    .init = sai_groups_init,
    .change = sai_groups_init,
    .admit = sai_groups_admit,
    .on_enqueue = sai_groups_on_change,
    .on_dequeue = sai_groups_on_change,
    .on_drop = sai_groups_on_change,
    .pause_mask = sai_groups_pause_mask,
    .reserve = sai_groups_reserve,
    .headroom_limit = sai_groups_limit,
    .group = sai_groups_group,
};
