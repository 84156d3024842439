/*
 * dsh_estimate.h - how much headroom a queue will need: DSH's estimate from the gradient of the queue's length.
 *
 * At each arrival, with dq and dt the change of the queue's length and the time since the arrival before:
 *
 *   g = dq / dt      v = |g_avg - g|      g_avg += w_g (g - g_avg)      v_avg += w_v (v - v_avg)
 *   phi = (g_avg + k v_avg) D, held to [0, Phi]                         D = Phi / C
 *
 * A gradient is kept in units of the line rate C of the input, so that phi is that number times Phi. Format: signed,
 * 64 bits of which 20 are fractional, held to +-2^20 line rates; gains are Q16; products are rounded down. A first
 * arrival, and one at the same moment as the last, leave the estimate as it is.
 *
 * The exact form divides. For w = 1/4 and k = 4 it is within Phi / 2^14 + 1 cell of the formulas in real numbers: each
 * gradient and each average is off by less than a unit of 2^-20, and an average gathers 1 / w of them.
 *
 * The table form is what a switch pipeline can do: the quotient is 2^(log2 dq - log2 dt) with tables of 256 logarithms
 * and 256 powers, indexed by the eight bits after the leading one, and a staircase of 64 steps maps the gradient to
 * phi, rounded up. A gradient is then off by at most 0.6 %, and phi, while no gradient passes the line rate, by at most
 * (0.6 + k 1.2) % of Phi, one step and one cell: 7.1 % of Phi and one cell for k = 4.
 *
 * Source: Shan et al., ToN 2025, algorithms 2 to 4. Algorithm 3 as printed lowers g_avg by w_g v whatever the sign of
 * g - g_avg, so that it never rises again; both forms here have algorithm 2's signed step.
 */
#ifndef WEIR_POLICIES_DSH_ESTIMATE_H
#define WEIR_POLICIES_DSH_ESTIMATE_H

#include "weir/params.h"

#define DSH_GRADIENT_BITS 20
#define DSH_GRADIENT_ONE (INT64_C(1) << DSH_GRADIENT_BITS)
#define DSH_GRADIENT_MAX (DSH_GRADIENT_ONE << 20)
#define DSH_TABLE_BITS 8
#define DSH_TABLE_SIZE (1u << DSH_TABLE_BITS)
#define DSH_STEP_BITS 6 /* of the staircase */

/* Parameters of the estimate, first in DSH's table. */
enum dsh_estimate_param {
    DSH_ESTIMATE_GAIN_G,
    DSH_ESTIMATE_GAIN_V,
    DSH_ESTIMATE_K,
    DSH_ESTIMATE_ARITHMETIC,
    DSH_ESTIMATE_PARAM_COUNT
};

#define DSH_GAIN_PARAM(name, help)                                                                                     \
    name, WEIR_UNIT_RATIO, false, WEIR_Q16_ONE / 4, WEIR_Q16_ONE / 256, WEIR_Q16_ONE, NULL, help
#define DSH_K_PARAM "k", WEIR_UNIT_COUNT, false, 4, 0, 64, NULL, "Mean deviations added to the average gradient."
#define DSH_ARITHMETIC_PARAM                                                                                           \
    "estimate", WEIR_UNIT_CHOICE, false, 0, 0, 1, weir_dsh_arithmetics,                                                \
        "Arithmetic of the estimate: divisions, or the tables of a switch pipeline."

extern const char *const weir_dsh_arithmetics[];

/* What all estimates of a switch share. */
struct weir_dsh_rule {
    weir_q16 gain_g, gain_v;
    int64_t k;
    bool by_table;                     /* the tables are used, and there */
    int32_t log2_q16[DSH_TABLE_SIZE];  /* log2(1 + (i + 1/2) / 256) */
    uint32_t exp2_q30[DSH_TABLE_SIZE]; /* 2^((i + 1/2) / 256) */
};

/* What those of an input port share, in one cache line. */
struct weir_dsh_port {
    _Alignas(64) int64_t cell_ps; /* time of one cell at line rate, ps with DSH_GRADIENT_BITS fractional bits */
    int64_t log2_cell_q16;
    weir_cells headroom_cells; /* Phi */
    weir_ps since_ps;          /* when its packets began to go to one queue, */
    uint32_t tc;               /* which is of this class; UINT32_MAX: no packets yet */
    bool single;               /* and they have done so for longer than the window */
};

/* Of one queue. */
struct weir_dsh_estimate {
    weir_ps at_ps;        /* of the last arrival; below 0: none yet */
    int64_t g_avg, v_avg; /* line rates, DSH_GRADIENT_BITS fractional bits */
    int32_t length_cells; /* of the queue, that arrival included */
    int32_t phi_cells;
};

/* Takes the values of the parameters above, and makes the tables if they are asked for. */
void weir_dsh_rule_load(struct weir_dsh_rule *rule, const struct weir_values *values);

void weir_dsh_port_init(struct weir_dsh_port *port, weir_bps rate_bps, uint32_t cell_bytes, weir_cells headroom_cells);

void weir_dsh_estimate_init(struct weir_dsh_estimate *estimate);

/* A packet of this class arrived: algorithm 4. Which class comes next cannot be predicted, so there is no branch. */
static inline void weir_dsh_port_arrive(struct weir_dsh_port *port, weir_class tc, weir_ps window_ps, weir_ps now)
{
    weir_ps since_ps = port->since_ps;
    bool same = tc.i == port->tc, is_long = now - since_ps > window_ps;
    port->tc = tc.i;
    port->since_ps = same ? since_ps : now;
    port->single = same & (port->single | is_long);
}

/* A packet arrived, and its queue is now so long: algorithms 2 and 3. */
void weir_dsh_estimate_update(struct weir_dsh_estimate *estimate, const struct weir_dsh_rule *rule,
                              const struct weir_dsh_port *port, weir_cells length_cells, weir_ps now);

#endif
