/*
 * naive_headroom.c - the headroom schemes: sih, adaptive, oversubscribed and dsh.
 *
 * T is alpha F, rounded down, with F what is free of the shared pool; q and h are what a queue, p and H what a port's
 * lossless queues hold of the shared and of the headroom pool. What holds nothing of the shared pool is not paused for
 * its sake.
 */
#include "naive_internal.h"
#include "weir/random.h"

static weir_cells scheme_threshold(const struct weir_naive *n)
{
    return (weir_cells)((naive_wide)naive_scheme_value(n, "alpha") * naive_shared_free(n) / 65536);
}

static weir_cells scheme_space(const struct weir_naive *n, const char *name)
{
    return weir_cells_for_bytes(naive_scheme_value(n, name), n->config.cell_bytes);
}

static bool queue_is_paused(const struct weir_naive *n, uint32_t input, uint32_t tc)
{
    return (n->input[input].paused_mask >> tc & 1) != 0;
}

/* Paused from xoff up, and then until it is no more than xoff - delta. */
static bool scheme_holds(weir_cells held, weir_cells xoff, weir_cells delta, bool paused)
{
    if (held == 0)
        return false;
    return paused ? held > xoff - delta : held >= xoff;
}

/* Shared while q < T, or while nobody has been told to stop, and in both cases while there is room. */
static enum naive_place static_place(const struct weir_naive *n, uint32_t input, uint32_t tc, weir_cells need)
{
    bool below = naive_queue(n, input, tc)->shared_cells < scheme_threshold(n);
    bool shares = below || !queue_is_paused(n, input, tc);
    return shares && need <= naive_shared_free(n) ? NAIVE_SHARED : NAIVE_HEADROOM;
}

static bool static_pauses(const struct weir_naive *n, uint32_t input, uint32_t tc)
{
    const struct naive_queue *q = naive_queue(n, input, tc);
    return q->headroom_cells > 0 ||
           scheme_holds(q->shared_cells, scheme_threshold(n), scheme_space(n, "delta"), queue_is_paused(n, input, tc));
}

static weir_cells sih_limit(const struct weir_naive *n, uint32_t input)
{
    return n->input[input].uplink.headroom_cells;
}

/* The most cells that so many bytes of packets take, over all sizes of packet; in 2^-20 of a cell, rounded up. */
static weir_cells worst_cells(const struct weir_uplink *uplink, int64_t bytes, uint32_t cell_bytes)
{
    uint64_t cells = 0, wire = 1;
    for (uint32_t size = uplink->least_bytes > 0 ? uplink->least_bytes : 1; size <= uplink->mtu_bytes; size++) {
        uint64_t of_size = (size + cell_bytes - 1) / cell_bytes, on_wire = (uint64_t)size + uplink->gap_bytes;
        if (of_size * wire > cells * on_wire) {
            cells = of_size;
            wire = on_wire;
        }
    }
    uint64_t per_byte = (cells * (1 << 20) + wire - 1) / wire;
    return cell_bytes == 1 ? bytes : (weir_cells)((naive_wide)per_byte * bytes / (1 << 20)) + 1;
}

/* 2 (C D + MTU) + 3840, and if wished the PAUSE frame, one MTU, slower processing and cells filled in part. */
static weir_cells adaptive_limit(const struct weir_naive *n, uint32_t input)
{
    const struct naive_input *in = &n->input[input];
    naive_wide byte_ps = (naive_wide)8 * WEIR_PS_PER_S;
    int64_t on_link = (int64_t)(((naive_wide)in->rate_bps * in->uplink.delay_ps + byte_ps - 1) / byte_ps);
    int64_t bytes = 2 * (on_link + in->uplink.mtu_bytes) + 3840;
    if (naive_scheme_value(n, "terms") == 0)
        return weir_cells_for_bytes(bytes, n->config.cell_bytes);
    bytes += 64 + in->uplink.mtu_bytes;
    bytes += in->uplink.processing_bytes > 3840 ? in->uplink.processing_bytes - 3840 : 0;
    return worst_cells(&in->uplink, bytes, n->config.cell_bytes);
}

static weir_cells oversubscribed_limit(const struct weir_naive *n, uint32_t input)
{
    weir_cells whole = n->input[input].uplink.headroom_cells;
    return naive_scheme_value(n, "pool") != 0 ? whole : naive_scheme_value(n, "ratio") * whole / 65536;
}

static weir_cells dsh_limit(const struct weir_naive *n, uint32_t input)
{
    return naive_scheme_value(n, "insurance") != 0 ? n->input[input].uplink.headroom_cells : 0;
}

static weir_cells dsh_port_threshold(const struct weir_naive *n)
{
    weir_cells threshold = 0;
    for (uint32_t tc = 0; tc < n->config.classes; tc++)
        threshold += naive_is_lossless(n, tc) ? scheme_threshold(n) : 0;
    return threshold;
}

/* As above with the port's sum, or without shared headroom with the queue as it is there. */
static enum naive_place dsh_place(const struct weir_naive *n, uint32_t input, uint32_t tc, weir_cells need)
{
    if (naive_scheme_value(n, "shared_headroom") == 0)
        return static_place(n, input, tc, need);
    bool shares = n->input[input].shared_cells < dsh_port_threshold(n) || !n->input[input].paused;
    return shares && need <= naive_shared_free(n) ? NAIVE_SHARED : NAIVE_HEADROOM;
}

static bool dsh_pauses_queue(const struct weir_naive *n, uint32_t input, uint32_t tc)
{
    const struct naive_queue *q = naive_queue(n, input, tc);
    bool margin = naive_scheme_value(n, "shared_headroom") != 0 && !n->input[input].one_class_only;
    weir_cells xoff = scheme_threshold(n) - (margin ? q->estimate : 0);
    return scheme_holds(q->shared_cells, xoff > 0 ? xoff : 0, scheme_space(n, "delta_queue"),
                        queue_is_paused(n, input, tc));
}

static bool dsh_pauses_port(const struct weir_naive *n, uint32_t input)
{
    const struct naive_input *in = &n->input[input];
    return in->headroom_cells > 0 ||
           scheme_holds(in->shared_cells, dsh_port_threshold(n), scheme_space(n, "delta_port"), in->paused);
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
    if (naive_scheme_value(n, "estimate") == 0) {
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
    if (naive_scheme_value(n, "estimate") == 0)
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
    struct naive_queue *q = naive_queue(n, input, tc);
    struct naive_input *in = &n->input[input];
    if (in->one_class != tc) {
        in->one_class = tc;
        in->one_class_since_ps = now;
        in->one_class_only = false;
    } else if (now - in->one_class_since_ps > naive_scheme_value(n, "window")) {
        in->one_class_only = true;
    }
    if (q->seen && now == q->seen_ps)
        return;
    if (q->seen) {
        int64_t gradient = dsh_gradient(n, input, q->cells - q->seen_cells, now - q->seen_ps);
        int64_t off = gradient > q->gradient ? gradient - q->gradient : q->gradient - gradient;
        q->gradient += dsh_part(gradient - q->gradient, naive_scheme_value(n, "gain_g"));
        q->deviation += dsh_part(off - q->deviation, naive_scheme_value(n, "gain_v"));
        q->estimate = dsh_estimate(n, input, q->gradient + naive_scheme_value(n, "k") * q->deviation);
    }
    q->seen = true;
    q->seen_ps = now;
    q->seen_cells = q->cells;
}

const struct naive_scheme naive_sih = {
    .name = "sih", .limit = sih_limit, .place = static_place, .pauses_queue = static_pauses};
const struct naive_scheme naive_adaptive = {
    .name = "adaptive", .limit = adaptive_limit, .place = static_place, .pauses_queue = static_pauses};
const struct naive_scheme naive_oversubscribed = {
    .name = "oversubscribed", .limit = oversubscribed_limit, .place = static_place, .pauses_queue = static_pauses};
const struct naive_scheme naive_dsh = {
    .name = "dsh",
    .limit = dsh_limit,
    .place = dsh_place,
    .pauses_queue = dsh_pauses_queue,
    .pauses_port = dsh_pauses_port,
    .on_enqueue = dsh_on_enqueue,
};
