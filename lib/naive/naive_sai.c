/*
 * naive_sai.c - see naive_sai.h.
 */
#include "naive_sai.h"

#define NO_LIMIT INT64_MAX

/* Value of a parameter of that side, by class or pool. */
static int64_t naive_sai_value(const struct weir_naive *n, bool ingress, const char *name, uint32_t i)
{
    return ingress ? naive_scheme_value(n, name, i) : naive_value(n, name, i);
}

/* The ingress side governs lossless classes, the egress side lossy ones. */
static bool sai_governs(const struct weir_naive *n, struct naive_sai_account at)
{
    return naive_is_lossless(n, at.tc) == at.ingress;
}

/* Whether two classes are one group of their input. */
static bool sai_is_one(const struct weir_naive *n, struct naive_sai_account at, uint32_t tc)
{
    return tc == at.tc || (at.ingress && naive_sai_is_one(n, at.tc, tc));
}

bool naive_sai_is_one(const struct weir_naive *n, uint32_t one, uint32_t two)
{
    int64_t group = naive_scheme_value(n, "group", one);
    return one == two || (group != WEIR_AUTO && group == naive_scheme_value(n, "group", two) &&
                          naive_is_lossless(n, one) == naive_is_lossless(n, two));
}

struct naive_sai_account naive_sai_first(const struct weir_naive *n, struct naive_sai_account at)
{
    struct naive_sai_account first = at;
    for (first.tc = 0; !sai_is_one(n, at, first.tc);)
        first.tc++;
    return first;
}

/* All cells of an account, from the list. */
static weir_cells sai_cells(const struct weir_naive *n, struct naive_sai_account at)
{
    weir_cells cells = 0;
    for (uint32_t i = 0; i < n->packet_count; i++) {
        const struct naive_account *a = &n->account[n->packet[i].account.i];
        uint32_t port = at.ingress ? n->packet[i].input.i : a->port.i;
        if (port == at.port && sai_is_one(n, at, a->tc.i))
            cells += n->packet[i].cells;
    }
    return cells;
}

static weir_cells sai_above(const struct weir_naive *n, struct naive_sai_account at, weir_cells cells)
{
    int64_t bytes = naive_sai_value(n, at.ingress, "minimum", at.tc);
    weir_cells minimum = (bytes + n->config.cell_bytes - 1) / n->config.cell_bytes;
    return cells < minimum ? 0 : cells - minimum;
}

weir_cells naive_sai_held(const struct weir_naive *n, struct naive_sai_account at)
{
    if (!sai_governs(n, at))
        return sai_above(n, at, sai_cells(n, at));
    if (at.ingress)
        return naive_queue(n, at.port, at.tc)->shared_cells;
    return n->account[at.tc * n->config.ports + at.port].shared_cells;
}

weir_cells naive_sai_added(const struct weir_naive *n, struct naive_sai_account at, weir_cells cells)
{
    weir_cells before = sai_cells(n, at);
    return sai_above(n, at, before + cells) - sai_above(n, at, before);
}

static uint32_t sai_pool(const struct weir_naive *n, struct naive_sai_account at)
{
    return (uint32_t)naive_sai_value(n, at.ingress, "pool", at.tc);
}

/* What a port, or with no port all of them, hold of the account's pool. */
static weir_cells sai_pool_held(const struct weir_naive *n, struct naive_sai_account at, bool all)
{
    uint32_t ports = at.ingress ? weir_mmu_inputs(&n->config) : n->config.ports;
    weir_cells sum = 0;
    for (uint32_t port = 0; port < ports; port++)
        for (uint32_t tc = 0; tc < n->config.classes; tc++) {
            struct naive_sai_account other = {at.ingress, port, tc};
            if (naive_sai_first(n, other).tc != tc) /* counts with the first */
                continue;
            if (sai_pool(n, other) == sai_pool(n, at) && (all || port == at.port))
                sum += naive_sai_held(n, other);
        }
    return sum;
}

weir_cells naive_sai_free(const struct weir_naive *n, struct naive_sai_account at)
{
    int64_t bytes = naive_sai_value(n, at.ingress, "size", sai_pool(n, at));
    weir_cells size = bytes == WEIR_AUTO ? naive_shared_size(n) : bytes / n->config.cell_bytes;
    weir_cells held = sai_pool_held(n, at, true);
    return held < size ? size - held : 0;
}

static weir_cells sai_part(int64_t alpha, weir_cells free_cells)
{
    return (weir_cells)((naive_wide)alpha * free_cells / 65536);
}

weir_cells naive_sai_threshold(const struct weir_naive *n, struct naive_sai_account at)
{
    int64_t limit = naive_sai_value(n, at.ingress, "limit", at.tc);
    if (limit != WEIR_AUTO)
        return limit / n->config.cell_bytes;
    weir_cells left = naive_sai_free(n, at), of_port = naive_sai_port_threshold(n, at);
    if (naive_sai_value(n, at.ingress, "nested", 0) != 0 && of_port != NO_LIMIT) {
        weir_cells held = naive_sai_port_held(n, at);
        left = held < of_port ? of_port - held : 0;
    }
    return sai_part(naive_sai_value(n, at.ingress, "alpha", at.tc), left);
}

weir_cells naive_sai_port_threshold(const struct weir_naive *n, struct naive_sai_account at)
{
    uint32_t pool = sai_pool(n, at);
    int64_t limit = naive_sai_value(n, at.ingress, "port_limit", pool);
    int64_t alpha = naive_sai_value(n, at.ingress, "port_alpha", pool);
    if (limit != WEIR_AUTO)
        return limit / n->config.cell_bytes;
    return alpha == 0 ? NO_LIMIT : sai_part(alpha, naive_sai_free(n, at));
}

weir_cells naive_sai_port_held(const struct weir_naive *n, struct naive_sai_account at)
{
    return sai_pool_held(n, at, false);
}

enum weir_reason naive_sai_admit(const struct weir_naive *n, struct naive_sai_account at, weir_cells added)
{
    if (added == 0)
        return WEIR_REASON_NONE;
    if (added > naive_sai_free(n, at))
        return WEIR_REASON_NO_ROOM;
    return naive_over(naive_sai_held(n, at) + added > naive_sai_threshold(n, at) ||
                      naive_sai_port_held(n, at) + added > naive_sai_port_threshold(n, at));
}
