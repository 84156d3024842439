/*
 * dsh_shim.c - see dsh_shim.h.
 */
#include <stdlib.h>

#include "dsh_shim.h"
#include "lib/policies/dsh_estimate.h"

struct dsh_shim {
    struct weir_dsh_port port;
    struct weir_dsh_rule rule;
    struct weir_dsh_estimate estimate;
};

struct dsh_shim *dsh_shim_new(int64_t headroom_cells)
{
    struct dsh_shim *s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
    if (!s)
        abort();
    struct weir_values values = {.of = {[DSH_ESTIMATE_GAIN_G] = {WEIR_Q16_ONE / 4},
                                        [DSH_ESTIMATE_GAIN_V] = {WEIR_Q16_ONE / 4},
                                        [DSH_ESTIMATE_K] = {4},
                                        [DSH_ESTIMATE_ARITHMETIC] = {1}}};
    weir_dsh_rule_load(&s->rule, &values);
    weir_dsh_port_init(&s->port, 100000000000, 200, headroom_cells);
    weir_dsh_estimate_init(&s->estimate);
    return s;
}

int64_t dsh_shim_update(struct dsh_shim *s, int64_t length_cells, int64_t now_ps)
{
    weir_dsh_estimate_update(&s->estimate, &s->rule, &s->port, length_cells, now_ps);
    return s->estimate.phi_cells;
}

int64_t dsh_shim_log2_cell(const struct dsh_shim *s)
{
    return s->port.log2_cell_q16;
}
