/*
 * sai.c - see sai.h.
 *
 * Pools are counted by difference: an event says that an account has changed, and what it now holds minus what it was
 * last counted with goes to its pool. So the order in which losses of one call are reported does not matter.
 */
#include "sai.h"

#include <assert.h>
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

void weir_sai_load(struct weir_sai *s, const struct weir_view *view, const struct weir_values *values,
                   uint32_t governed,
                   uint32_t (*group)(const struct weir_geometry *, const struct weir_values *, uint32_t))
{
    const struct weir_geometry *g = &view->geometry;
    memset(s, 0, weir_sai_size(g));
    memcpy(s->params.alpha, values->of[SAI_ALPHA], sizeof s->params.alpha);
    s->derived.governed = governed;
    s->derived.is_nested = values->of[SAI_NESTED][0] != 0;
    for (uint32_t tc = 0; tc < WEIR_CLASSES_MAX; tc++) {
        s->derived.first[tc] = (uint8_t)(group && tc < g->classes ? group(g, values, tc) : tc);
        s->derived.limit_cells[tc] = sai_limit(values->of[SAI_LIMIT][tc], g, SAI_NONE);
        s->derived.minimum_cells[tc] = weir_cells_for_bytes(values->of[SAI_MINIMUM][tc], g->cell_bytes);
        assert(values->of[SAI_POOL][tc] >= 0 && values->of[SAI_POOL][tc] < SAI_POOLS); /* what the table allows */
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

/* What an account holds above its minimum. */
static weir_cells sai_held(const struct weir_sai *s, const struct weir_view *view, weir_account account, uint32_t first)
{
    const struct weir_holding *held = weir_view_account(view, account);
    return s->derived.governed >> first & 1 ? held->shared_cells : sai_above(s, first, held->cells);
}

weir_cells weir_sai_added(const struct weir_sai *s, const struct weir_view *view, const struct weir_arrival *arrival)
{
    uint32_t first = weir_sai_first(s, arrival->tc.i);
    if (s->derived.governed >> first & 1)
        return arrival->need_cells;
    weir_cells cells = weir_view_length(view, arrival->account);
    return sai_above(s, first, cells + arrival->cells) - sai_above(s, first, cells);
}

void weir_sai_count(struct weir_sai *s, const struct weir_view *view, weir_port port, weir_class tc)
{
    uint32_t first = weir_sai_first(s, tc.i);
    weir_account account = weir_account_of(&view->geometry, port, (weir_class){first});
    uint32_t pool = s->derived.pool[first];
    weir_cells *of_port = &sai_cells(s)[port.i * SAI_POOLS + pool];
    weir_cells *counted = &sai_cells(s)[view->geometry.ports * SAI_POOLS + account.i];
    weir_cells held = sai_held(s, view, account, first);
    s->vars.used_cells[pool] += held - *counted;
    *of_port += held - *counted;
    *counted = held;
    assert(*of_port >= 0 && s->vars.used_cells[pool] >= *of_port);
}

weir_cells weir_sai_free(const struct weir_sai *s, uint32_t tc)
{
    uint32_t pool = s->derived.pool[tc];
    weir_cells left = s->derived.size_cells[pool] - s->vars.used_cells[pool];
    return left > 0 ? left : 0;
}

weir_cells weir_sai_threshold(const struct weir_sai *s, weir_port port, uint32_t tc)
{
    weir_cells limit = s->derived.limit_cells[tc], free_cells = weir_sai_free(s, tc);
    if (limit != SAI_NONE)
        return limit;
    if (s->derived.is_nested && (s->params.port_alpha[s->derived.pool[tc]] > 0 ||
                                 s->derived.port_limit_cells[s->derived.pool[tc]] != SAI_NONE)) {
        free_cells = weir_sai_port_threshold(s, tc) - weir_sai_port_held(s, port, tc);
        free_cells = free_cells > 0 ? free_cells : 0;
    }
    return weir_q16_mul(s->params.alpha[tc], free_cells);
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
    uint32_t tc = weir_sai_first(s, arrival->tc.i);
    weir_cells added = weir_sai_added(s, view, arrival);
    if (added == 0)
        return weir_accept_if_room();
    if (added > weir_sai_free(s, tc))
        return weir_refuse(WEIR_REASON_NO_ROOM);
    if (sai_held(s, view, arrival->account, tc) + added > weir_sai_threshold(s, arrival->port, tc) ||
        weir_sai_port_held(s, arrival->port, tc) + added > weir_sai_port_threshold(s, tc))
        return weir_refuse(WEIR_REASON_OVER_THRESHOLD);
    return weir_accept_if_room();
}
