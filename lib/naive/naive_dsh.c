/*
 * naive_dsh.c - dynamic and shared headroom for the naive model. Tables are computed with floating point where they are
 * used.
 */
#include "naive_static.h"
#include "weir/random.h"

/* Of a queue. */
struct dsh_queue {
    bool seen;                   /* a packet has come, */
    weir_ps seen_ps;             /* then, */
    weir_cells seen_cells;       /* and so long was the queue with it */
    int64_t gradient, deviation; /* averages in line rates, 20 fractional bits */
    weir_cells estimate;         /* of the headroom it will need */
};

/* Of an input port. */
struct dsh_input {
    bool any;                   /* a packet has come */
    uint32_t one_class;         /* its packets have been of this class */
    weir_ps one_class_since_ps; /* since then */
    bool one_class_only;        /* for longer than the window */
};

static size_t dsh_state_size(const struct weir_naive *n)
{
    uint32_t inputs = weir_mmu_inputs(&n->config);
    return inputs * n->config.classes * sizeof(struct dsh_queue) + inputs * sizeof(struct dsh_input);
}

static struct dsh_queue *dsh_queue(const struct weir_naive *n, uint32_t input, uint32_t tc)
{
    return (struct dsh_queue *)n->scheme_state + tc * weir_mmu_inputs(&n->config) + input;
}

static struct dsh_input *dsh_input(const struct weir_naive *n, uint32_t input)
{
    return (struct dsh_input *)dsh_queue(n, 0, n->config.classes) + input;
}

static weir_cells dsh_limit(const struct weir_naive *n, uint32_t input, uint32_t tc)
{
    (void)tc;
    return naive_scheme_value(n, "insurance", 0) != 0 ? n->input[input].uplink.headroom_cells : 0;
}

static weir_cells dsh_port_threshold(const struct weir_naive *n)
{
    weir_cells threshold = 0;
    for (uint32_t tc = 0; tc < n->config.classes; tc++)
        threshold += naive_is_lossless(n, tc) ? naive_scheme_threshold(n) : 0;
    return threshold;
}

/* As the static schemes, with the port's sum, or without shared headroom with the queue as it is there. */
static enum naive_place dsh_place(const struct weir_naive *n, uint32_t input, uint32_t tc, weir_cells need)
{
    if (naive_scheme_value(n, "shared_headroom", 0) == 0)
        return naive_static_place(n, input, tc, need);
    bool shares = n->input[input].shared_cells < dsh_port_threshold(n) || !n->input[input].paused;
    return shares && need <= naive_shared_free(n) ? NAIVE_SHARED : NAIVE_HEADROOM;
}

static bool dsh_pauses_queue(const struct weir_naive *n, uint32_t input, uint32_t tc)
{
    const struct naive_queue *q = naive_queue(n, input, tc);
    bool margin = naive_scheme_value(n, "shared_headroom", 0) != 0 && !dsh_input(n, input)->one_class_only;
    weir_cells xoff = naive_scheme_threshold(n) - (margin ? dsh_queue(n, input, tc)->estimate : 0);
    return naive_scheme_holds(q->shared_cells, xoff > 0 ? xoff : 0, naive_scheme_space(n, "delta_queue"),
                              naive_queue_is_paused(n, input, tc));
}

static bool dsh_pauses_port(const struct weir_naive *n, uint32_t input)
{
    const struct naive_input *in = &n->input[input];
    return in->headroom_cells > 0 ||
           naive_scheme_holds(in->shared_cells, dsh_port_threshold(n), naive_scheme_space(n, "delta_port"), in->paused);
}

static int64_t dsh_floor(double x)
{
    int64_t whole = (int64_t)x;
    return (double)whole > x ? whole - 1 : whole;
}

static double dsh_log2(double x)
{
    return weir_log(x) / weir_log(2);
}

/* The table's logarithm, 16 fractional bits: that of the middle of the interval which the leading nine bits leave. */
static int64_t dsh_table_log2(uint64_t x)
{
    int64_t exponent = 0;
    while (x >> exponent > 1)
        exponent++;
    uint64_t leading = exponent >= 8 ? x >> (exponent - 8) : x << (8 - exponent);
    return exponent * 65536 + dsh_floor(dsh_log2(((double)leading + 0.5) / 256) * 65536);
}

/* The table's power of two: the middle of the interval which eight fractional bits leave, and a last bit more. */
static int64_t dsh_table_exp2(int64_t log2_q16)
{
    if (log2_q16 < 0)
        return 0;
    if (log2_q16 >= 40 * 65536)
        return INT64_C(1) << 40;
    double middle = (double)(log2_q16 % 65536 / 256 * 256 + 129) / 65536;
    naive_wide power = -dsh_floor(-(double)(1 << 30) * weir_exp(middle * weir_log(2))) - 1;
    return (int64_t)(power * ((naive_wide)1 << (log2_q16 / 65536)) / (1 << 30));
}

/* dq / dt in line rates with 20 fractional bits, at most 2^20 of them. */
static int64_t dsh_gradient(const struct weir_naive *n, uint32_t input, weir_cells dq, weir_ps dt)
{
    weir_bps rate = n->input[input].rate_bps;
    naive_wide cell = ((naive_wide)n->config.cell_bytes * 8 * WEIR_PS_PER_S * (1 << 20) + rate / 2) / rate;
    if (dq < 0)
        return -dsh_gradient(n, input, -dq, dt);
    if (naive_scheme_value(n, "estimate", 0) == 0) {
        naive_wide gradient = cell * dq / dt;
        return gradient > (naive_wide)1 << 40 ? INT64_C(1) << 40 : (int64_t)gradient;
    }
    int64_t cell_log2 = dsh_floor(dsh_log2((double)cell) * 65536);
    return dq == 0 ? 0 : dsh_table_exp2(dsh_table_log2((uint64_t)dq) + cell_log2 - dsh_table_log2((uint64_t)dt));
}

/* gradient * Phi, between 0 and Phi; of the table, the upper edge of the gradient's 64th. */
static weir_cells dsh_estimate(const struct weir_naive *n, uint32_t input, int64_t gradient)
{
    weir_cells whole = n->input[input].uplink.headroom_cells;
    if (gradient <= 0 || gradient >= 1 << 20)
        return gradient <= 0 ? 0 : whole;
    if (naive_scheme_value(n, "estimate", 0) == 0)
        return (weir_cells)((naive_wide)gradient * whole / (1 << 20));
    return ((gradient / (1 << 14) + 1) * whole + 63) / 64;
}

/* floor(share * gain) of a signed number. */
static int64_t dsh_part(int64_t number, weir_q16 gain)
{
    naive_wide product = (naive_wide)number * gain;
    return (int64_t)((product - (product < 0 ? 65535 : 0)) / 65536);
}

static void dsh_on_enqueue(struct weir_naive *n, uint32_t input, uint32_t tc, weir_ps now)
{
    weir_cells length = naive_queue(n, input, tc)->cells;
    struct dsh_queue *q = dsh_queue(n, input, tc);
    struct dsh_input *in = dsh_input(n, input);
    if (!in->any || in->one_class != tc) {
        in->any = true;
        in->one_class = tc;
        in->one_class_since_ps = now;
        in->one_class_only = false;
    } else if (now - in->one_class_since_ps > naive_scheme_value(n, "window", 0)) {
        in->one_class_only = true;
    }
    if (q->seen && now == q->seen_ps)
        return;
    if (q->seen) {
        int64_t gradient = dsh_gradient(n, input, length - q->seen_cells, now - q->seen_ps);
        int64_t off = gradient > q->gradient ? gradient - q->gradient : q->gradient - gradient;
        q->gradient += dsh_part(gradient - q->gradient, naive_scheme_value(n, "gain_g", 0));
        q->deviation += dsh_part(off - q->deviation, naive_scheme_value(n, "gain_v", 0));
        q->estimate = dsh_estimate(n, input, q->gradient + naive_scheme_value(n, "k", 0) * q->deviation);
    }
    q->seen = true;
    q->seen_ps = now;
    q->seen_cells = length;
}

const struct naive_scheme naive_dsh = {
    .name = "dsh",
    .state_size = dsh_state_size,
    .limit = dsh_limit,
    .place = dsh_place,
    .pauses_queue = dsh_pauses_queue,
    .pauses_port = dsh_pauses_port,
    .on_enqueue = dsh_on_enqueue,
};
