/*
 * sai.c - see sai.h.
 *
 * Pools are counted by difference: an event says that an account has changed, and what it now holds minus what it was
 * last counted with goes to its pool. So it does not matter in which order losses of one call are told.
 */
#include "sai.h"

#include <string.h>

#include "weir/fixed.h"

size_t weir_sai_size(const struct weir_geometry *geometry)
{
    return sizeof(struct weir_sai) + ((size_t)geometry->ports * SAI_POOLS + geometry->accounts) * sizeof(weir_cells);
}

static weir_cells *sai_cells(struct weir_sai *s)
{
    return (weir_cells *)(s + 1);
}

weir_cells weir_sai_whole_cells(int64_t bytes, const struct weir_geometry *geometry)
{
    return bytes / geometry->cell_bytes;
}

static weir_cells sai_limit(int64_t bytes, const struct weir_geometry *geometry, weir_cells automatic)
{
    return bytes == WEIR_AUTO ? automatic : weir_sai_whole_cells(bytes, geometry);
}

/* The first of the classes that are one account with a class. */
static uint32_t sai_first(const struct weir_sai *s, uint32_t tc)
{
    return (uint32_t)__builtin_ctz(s->derived.together[tc]);
}

static void sai_join(struct weir_sai *s, uint32_t classes, const int64_t *groups)
{
    for (uint32_t tc = 0; tc < WEIR_CLASSES_MAX; tc++) {
        s->derived.together[tc] = (uint8_t)(1u << tc);
        if (groups == NULL || groups[tc] == WEIR_AUTO || s->derived.governed >> tc & 1 || tc >= classes)
            continue;
        for (uint32_t other = 0; other < classes; other++)
            if (groups[other] == groups[tc] && !(s->derived.governed >> other & 1))
                s->derived.together[tc] |= (uint8_t)(1u << other);
    }
}

void weir_sai_load(struct weir_sai *s, const struct weir_view *view, const struct weir_values *values,
                   uint32_t governed, const int64_t *groups)
{
    const struct weir_geometry *g = &view->geometry;
    memset(s, 0, weir_sai_size(g));
    memcpy(s->params.alpha, values->of[SAI_ALPHA], sizeof s->params.alpha);
    s->derived.governed = governed;
    sai_join(s, g->classes, groups);
    for (uint32_t tc = 0; tc < WEIR_CLASSES_MAX; tc++) {
        s->derived.limit_cells[tc] = sai_limit(values->of[SAI_LIMIT][tc], g, SAI_NONE);
        s->derived.minimum_cells[tc] = weir_cells_for_bytes(values->of[SAI_MINIMUM][tc], g->cell_bytes);
        s->derived.pool[tc] = (uint32_t)values->of[SAI_POOL][tc];
    }
    for (uint32_t pool = 0; pool < SAI_POOLS; pool++) {
        s->params.port_alpha[pool] = values->of[SAI_PORT_ALPHA][pool];
        s->derived.size_cells[pool] = sai_limit(values->of[SAI_SIZE][pool], g, g->shared_cells);
        s->derived.port_limit_cells[pool] = sai_limit(values->of[SAI_PORT_LIMIT][pool], g, SAI_NONE);
    }
    for (uint32_t port = 0; port < g->ports; port++)
        for (uint32_t tc = 0; tc < g->classes; tc++)
            weir_sai_count(s, view, (weir_port){port}, (weir_class){tc});
}

/* Of so many cells, those above the minimum of a class that this side does not govern. */
static weir_cells sai_above(const struct weir_sai *s, uint32_t tc, weir_cells cells)
{
    return cells > s->derived.minimum_cells[tc] ? cells - s->derived.minimum_cells[tc] : 0;
}

/* All cells of an account, and of those that are one with it. */
static weir_cells sai_length(const struct weir_sai *s, const struct weir_view *view, weir_port port, uint32_t tc)
{
    weir_cells cells = 0;
    for (uint32_t left = s->derived.together[tc]; left; left &= left - 1) {
        weir_class other = {(uint32_t)__builtin_ctz(left)};
        cells += weir_view_length(view, weir_account_of(&view->geometry, port, other));
    }
    return cells;
}

weir_cells weir_sai_held(const struct weir_sai *s, const struct weir_view *view, weir_port port, weir_class tc)
{
    if (s->derived.governed >> tc.i & 1)
        return weir_view_account(view, weir_account_of(&view->geometry, port, tc))->shared_cells;
    return sai_above(s, sai_first(s, tc.i), sai_length(s, view, port, tc.i));
}

weir_cells weir_sai_added(const struct weir_sai *s, const struct weir_view *view, const struct weir_arrival *arrival)
{
    uint32_t tc = arrival->tc.i, first = sai_first(s, tc);
    if (s->derived.governed >> tc & 1)
        return arrival->need_cells;
    weir_cells cells = sai_length(s, view, arrival->port, tc);
    return sai_above(s, first, cells + arrival->cells) - sai_above(s, first, cells);
}

void weir_sai_count(struct weir_sai *s, const struct weir_view *view, weir_port port, weir_class tc)
{
    weir_class first = {sai_first(s, tc.i)};
    weir_account account = weir_account_of(&view->geometry, port, first);
    uint32_t pool = s->derived.pool[first.i];
    weir_cells *of_port = &sai_cells(s)[port.i * SAI_POOLS + pool];
    weir_cells *counted = &sai_cells(s)[view->geometry.ports * SAI_POOLS + account.i];
    weir_cells held = weir_sai_held(s, view, port, first);
    s->vars.used_cells[pool] += held - *counted;
    *of_port += held - *counted;
    *counted = held;
}

weir_cells weir_sai_free(const struct weir_sai *s, uint32_t tc)
{
    uint32_t pool = s->derived.pool[tc];
    weir_cells left = s->derived.size_cells[pool] - s->vars.used_cells[pool];
    return left > 0 ? left : 0;
}

weir_cells weir_sai_threshold(const struct weir_sai *s, uint32_t tc)
{
    weir_cells limit = s->derived.limit_cells[tc];
    return limit != SAI_NONE ? limit : weir_q16_mul(s->params.alpha[tc], weir_sai_free(s, tc));
}

weir_cells weir_sai_port_threshold(const struct weir_sai *s, uint32_t tc)
{
    uint32_t pool = s->derived.pool[tc];
    weir_cells limit = s->derived.port_limit_cells[pool];
    if (limit != SAI_NONE)
        return limit;
    return s->params.port_alpha[pool] > 0 ? weir_q16_mul(s->params.port_alpha[pool], weir_sai_free(s, tc))
                                          : WEIR_BUFFER_CELLS_MAX;
}

weir_cells weir_sai_port_held(const struct weir_sai *s, weir_port port, uint32_t tc)
{
    return ((const weir_cells *)(s + 1))[port.i * SAI_POOLS + s->derived.pool[tc]];
}

struct weir_verdict weir_sai_admit_lossy(const struct weir_sai *s, const struct weir_view *view,
                                         const struct weir_arrival *arrival)
{
    uint32_t tc = sai_first(s, arrival->tc.i);
    weir_cells added = weir_sai_added(s, view, arrival);
    if (added == 0)
        return weir_accept_if_room();
    if (added > weir_sai_free(s, tc))
        return weir_refuse(WEIR_REASON_NO_ROOM);
    if (weir_sai_held(s, view, arrival->port, arrival->tc) + added > weir_sai_threshold(s, tc) ||
        weir_sai_port_held(s, arrival->port, tc) + added > weir_sai_port_threshold(s, tc))
        return weir_refuse(WEIR_REASON_OVER_THRESHOLD);
    return weir_accept_if_room();
}
