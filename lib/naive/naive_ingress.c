/*
 * naive_ingress.c - the ingress side of the naive model: a queue per input port and lossless class, the pools it takes
 * cells from, and what is paused.
 *
 * A packet takes what is left of its queue's private minimum and the rest from the shared pool, or goes to headroom as
 * a whole; a packet that leaves gives back headroom first, then shared cells, then private ones. Which packet had
 * which does not matter. A class is tested when a packet of it comes, whatever is paused whenever memory was freed,
 * and everything when parameters change.
 */
#include <stdlib.h>

#include "naive_internal.h"

bool naive_is_lossless(const struct weir_naive *n, uint32_t tc)
{
    return (n->config.lossless_mask >> tc & 1) != 0;
}

/* That of the class itself, used or not. */
static struct naive_queue *naive_own(const struct weir_naive *n, uint32_t input, uint32_t tc)
{
    return &n->queue[tc * weir_mmu_inputs(&n->config) + input];
}

static bool naive_is_one(const struct weir_naive *n, uint32_t one, uint32_t two)
{
    return one == two || (n->scheme->is_one != NULL && n->scheme->is_one(n, one, two));
}

struct naive_queue *naive_queue(const struct weir_naive *n, uint32_t input, uint32_t tc)
{
    uint32_t first = 0;
    while (!naive_is_one(n, first, tc))
        first++;
    return naive_own(n, input, first);
}
bool naive_ingress_new(struct weir_naive *n)
{
    const struct weir_mmu_config *config = &n->config;
    uint32_t inputs = weir_mmu_inputs(config);
    if (config->ingress == NULL)
        return config->lossless_mask == 0;
    n->scheme = naive_scheme_find(config->ingress->name);
    if (n->scheme == NULL)
        return false;
    n->scheme_state = calloc(1, (n->scheme->state_size != NULL ? n->scheme->state_size(n) : 0) + 1);
    n->queue = calloc((size_t)inputs * config->classes, sizeof n->queue[0]);
    n->input = calloc(inputs, sizeof n->input[0]);
    if (n->scheme_state == NULL || n->queue == NULL || n->input == NULL)
        return false;
    for (uint32_t i = 0; i < inputs; i++) {
        n->input[i].rate_bps = config->input_rates_bps != NULL ? config->input_rates_bps[i] : config->rate_bps;
        n->input[i].uplink = config->uplinks != NULL ? config->uplinks[i] : config->uplink;
        for (uint32_t tc = 0; tc < config->classes; tc++)
            naive_own(n, i, tc)->private_limit = naive_is_lossless(n, tc) ? config->ingress_private_cells[tc] : 0;
    }
    if (config->ingress_values != NULL)
        n->ingress_values = *config->ingress_values;
    else
        weir_values_init(&n->ingress_values, config->ingress);
    return true;
}

void naive_ingress_free(struct weir_naive *n)
{
    free(n->scheme_state);
    free(n->queue);
    free(n->input);
}

weir_cells naive_ingress_private(const struct weir_naive *n)
{
    weir_cells sum = 0;
    for (uint32_t i = 0; i < weir_naive_inputs(n); i++)
        for (uint32_t tc = 0; tc < n->config.classes; tc++)
            sum += naive_own(n, i, tc)->private_limit;
    return sum;
}

void naive_ingress_measure(struct weir_naive *n)
{
    n->headroom_used_cells = 0;
    for (uint32_t i = 0; i < weir_naive_inputs(n); i++) {
        n->input[i].shared_cells = n->input[i].headroom_cells = 0;
        for (uint32_t tc = 0; tc < n->config.classes; tc++) {
            n->input[i].shared_cells += naive_own(n, i, tc)->shared_cells;
            n->input[i].headroom_cells += naive_own(n, i, tc)->headroom_cells;
        }
        n->shared_used_cells += n->input[i].shared_cells;
        n->headroom_used_cells += n->input[i].headroom_cells;
    }
}

enum weir_reason naive_ingress_take(struct weir_naive *n, uint32_t input, uint32_t tc, weir_cells cells)
{
    struct naive_queue *q = naive_queue(n, input, tc);
    weir_cells private_cells = q->cells - q->shared_cells - q->headroom_cells;
    weir_cells private_left = q->private_limit - private_cells;
    enum naive_place place = NAIVE_SHARED;
    if (private_left < cells)
        place = n->scheme->place(n, input, tc, cells - private_left);
    if (place == NAIVE_HEADROOM) {
        bool fits = q->headroom_cells + cells <= n->scheme->limit(n, input, tc);
        if (n->scheme->pauses_port != NULL)
            fits = n->input[input].headroom_cells + cells <= n->scheme->limit(n, input, tc);
        if (!fits || n->headroom_used_cells + cells > n->config.headroom_cells)
            return WEIR_REASON_NO_ROOM;
        q->headroom_cells += cells;
    } else if (private_left < cells) {
        q->shared_cells += cells - private_left;
    }
    q->cells += cells;
    return WEIR_REASON_NONE;
}

void naive_ingress_release(struct weir_naive *n, const struct naive_packet *packet)
{
    uint32_t tc = n->account[packet->account.i].tc.i;
    if (!naive_is_lossless(n, tc))
        return;
    struct naive_queue *q = naive_queue(n, packet->input.i, tc);
    q->cells -= packet->cells;
    for (weir_cells left = packet->cells; left > 0; left--) {
        if (q->headroom_cells > 0)
            q->headroom_cells--;
        else if (q->shared_cells > 0)
            q->shared_cells--;
    }
}

static void naive_pause_test(struct weir_naive *n, uint32_t input, uint32_t asked)
{
    struct naive_input *in = &n->input[input];
    uint32_t mask = in->paused_mask & ~asked;
    for (uint32_t tc = 0; tc < n->config.classes; tc++)
        if ((asked >> tc & 1) != 0 && n->scheme->pauses_queue(n, input, tc))
            mask |= 1u << tc;
    bool whole = n->scheme->pauses_port != NULL && n->scheme->pauses_port(n, input);
    in->paused_mask = mask;
    in->paused = whole;
}

void naive_pause_after_arrival(struct weir_naive *n, uint32_t input, uint32_t tc)
{
    uint32_t asked = 0;
    for (uint32_t other = 0; naive_is_lossless(n, tc) && other < n->config.classes; other++)
        asked |= (uint32_t)naive_is_one(n, tc, other) << other;
    if (asked != 0)
        naive_pause_test(n, input, asked);
}

void naive_pause_after_leaving(struct weir_naive *n)
{
    for (uint32_t i = 0; i < weir_naive_inputs(n); i++) {
        bool was_paused = n->input[i].paused;
        naive_pause_test(n, i, n->input[i].paused_mask);
        n->input[i].paused = was_paused && n->input[i].paused; /* a departure never pauses */
    }
}

void naive_pause_test_all(struct weir_naive *n)
{
    for (uint32_t i = 0; i < weir_naive_inputs(n); i++)
        naive_pause_test(n, i, n->config.lossless_mask);
}

uint32_t weir_naive_inputs(const struct weir_naive *naive)
{
    return naive->scheme != NULL ? weir_mmu_inputs(&naive->config) : 0;
}

uint32_t weir_naive_paused(const struct weir_naive *naive, weir_port input, bool *port_level)
{
    *port_level = false;
    if (input.i >= weir_naive_inputs(naive))
        return 0;
    *port_level = naive->input[input.i].paused;
    return naive->input[input.i].paused_mask;
}
