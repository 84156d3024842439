/*
 * dsh_estimate.c - the gradient of a queue's length, its averages and the headroom they ask for; dsh_estimate.h has the
 * formulas, the formats and how far they are from real numbers.
 */
#include "dsh_estimate.h"
#include "weir/fixed.h"

const char *const weir_dsh_arithmetics[] = {"exact", "table", NULL};

/* floor(2^16 log2 x) for x > 0, bit by bit: squaring doubles the logarithm. */
static int64_t estimate_log2_q16(uint64_t x)
{
    uint32_t leading = 63 - (uint32_t)__builtin_clzll(x);
    uint64_t mantissa = x << (63 - leading); /* in [1, 2), 63 fractional bits */
    int64_t log2_q16 = leading;
    for (uint32_t bit = 0; bit < 16; bit++) {
        uint64_t square = (uint64_t)((weir_wide)mantissa * mantissa >> 64); /* in [1, 4), 62 fractional bits */
        bool above = square >> 63 & 1;
        mantissa = above ? square : square << 1;
        log2_q16 = log2_q16 << 1 | above;
    }
    return log2_q16;
}

/* The power of two whose logarithm this is, 0 <= log2_q16 < 2^16, with 30 fractional bits. */
static uint32_t estimate_exp2_q30(int64_t log2_q16)
{
    uint32_t power = UINT32_C(1) << 30;
    for (uint32_t bit = UINT32_C(1) << 29; bit > 0; bit >>= 1)
        if (estimate_log2_q16(power | bit) - (30 << 16) <= log2_q16)
            power |= bit;
    return power;
}

static void estimate_make_tables(struct weir_dsh_rule *rule)
{
    const int64_t half = INT64_C(1) << (16 - DSH_TABLE_BITS - 1);
    for (uint32_t i = 0; i < DSH_TABLE_SIZE; i++) {
        uint32_t middle = 2 * (DSH_TABLE_SIZE + i) + 1; /* of the interval, in units of 2^-9 */
        rule->log2_q16[i] = (int32_t)(estimate_log2_q16(middle) - ((DSH_TABLE_BITS + 1) << 16));
        rule->exp2_q30[i] = estimate_exp2_q30(((int64_t)i << (16 - DSH_TABLE_BITS)) + half);
    }
}

void weir_dsh_rule_load(struct weir_dsh_rule *rule, const struct weir_values *values)
{
    rule->gain_g = values->of[DSH_ESTIMATE_GAIN_G][0];
    rule->gain_v = values->of[DSH_ESTIMATE_GAIN_V][0];
    rule->k = values->of[DSH_ESTIMATE_K][0];
    rule->by_table = values->of[DSH_ESTIMATE_ARITHMETIC][0];
    if (rule->by_table)
        estimate_make_tables(rule);
}

void weir_dsh_port_init(struct weir_dsh_port *port, weir_bps rate_bps, uint32_t cell_bytes, weir_cells headroom_cells)
{
    weir_wide bit_ps = (weir_wide)cell_bytes * 8 * WEIR_PS_PER_S << DSH_GRADIENT_BITS;
    int64_t cell_ps = (int64_t)((bit_ps + (weir_wide)rate_bps / 2) / (weir_wide)rate_bps);
    *port = (struct weir_dsh_port){
        .cell_ps = cell_ps,
        .log2_cell_q16 = estimate_log2_q16((uint64_t)cell_ps),
        .headroom_cells = headroom_cells,
        .tc = UINT32_MAX,
    };
}

void weir_dsh_estimate_init(struct weir_dsh_estimate *estimate)
{
    *estimate = (struct weir_dsh_estimate){.at_ps = -1};
}

/* log2 x from the place of the leading one and a look at the bits after it. */
static int64_t estimate_look_up_log2(const struct weir_dsh_rule *rule, uint64_t x)
{
    uint32_t leading = 63 - (uint32_t)__builtin_clzll(x);
    uint64_t after = x << (63 - leading) >> (63 - DSH_TABLE_BITS) & (DSH_TABLE_SIZE - 1);
    return ((int64_t)leading << 16) + rule->log2_q16[after];
}

static int64_t estimate_look_up_exp2(const struct weir_dsh_rule *rule, int64_t log2_q16)
{
    int64_t whole = log2_q16 >> 16;
    if (whole < 0)
        return 0;
    if (whole >= 2 * DSH_GRADIENT_BITS)
        return DSH_GRADIENT_MAX;
    uint64_t power_q30 = rule->exp2_q30[log2_q16 >> (16 - DSH_TABLE_BITS) & (DSH_TABLE_SIZE - 1)];
    return (int64_t)(whole < 30 ? power_q30 >> (30 - whole) : power_q30 << (whole - 30));
}

/* |dq| / dt in line rates. */
static int64_t estimate_gradient(const struct weir_dsh_rule *rule, const struct weir_dsh_port *port, uint64_t dq,
                                 uint64_t dt)
{
    if (dq == 0)
        return 0;
    if (rule->by_table)
        return estimate_look_up_exp2(rule, estimate_look_up_log2(rule, dq) + port->log2_cell_q16 -
                                               estimate_look_up_log2(rule, dt));
    weir_wide ps = (weir_wide)dq * (uint64_t)port->cell_ps;
    weir_wide gradient = ps >> 64 == 0 ? (uint64_t)ps / dt : ps / dt;
    return gradient < (weir_wide)DSH_GRADIENT_MAX ? (int64_t)gradient : DSH_GRADIENT_MAX;
}

/* The staircase holds Phi (i + 1) / 64, rounded up, for gradients in [i / 64, (i + 1) / 64). */
static weir_cells estimate_headroom(const struct weir_dsh_rule *rule, const struct weir_dsh_port *port,
                                    int64_t gradient)
{
    if (gradient <= 0)
        return 0;
    if (gradient >= DSH_GRADIENT_ONE)
        return port->headroom_cells;
    if (!rule->by_table)
        return gradient * port->headroom_cells >> DSH_GRADIENT_BITS;
    int64_t step = (gradient >> (DSH_GRADIENT_BITS - DSH_STEP_BITS)) + 1;
    return (step * port->headroom_cells + (1 << DSH_STEP_BITS) - 1) >> DSH_STEP_BITS;
}

void weir_dsh_estimate_update(struct weir_dsh_estimate *e, const struct weir_dsh_rule *rule,
                              const struct weir_dsh_port *port, weir_cells length_cells, weir_ps now)
{
    int64_t dt = now - e->at_ps;
    int64_t dq = length_cells - e->length_cells;
    if (e->at_ps >= 0 && dt == 0)
        return;
    if (e->at_ps >= 0) {
        int64_t size = estimate_gradient(rule, port, (uint64_t)(dq < 0 ? -dq : dq), (uint64_t)dt);
        int64_t step = (dq < 0 ? -size : size) - e->g_avg;
        int64_t deviation = step < 0 ? -step : step;
        e->g_avg += step * rule->gain_g >> 16;
        e->v_avg += (deviation - e->v_avg) * rule->gain_v >> 16;
        e->phi_cells = (int32_t)estimate_headroom(rule, port, e->g_avg + rule->k * e->v_avg);
    }
    e->at_ps = now;
    e->length_cells = (int32_t)length_cells;
}
