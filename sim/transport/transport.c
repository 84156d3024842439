/*
 * transport.c - the table of transports and the settings a new one starts with. See transport.h.
 */
#include "sim/transport/transport.h"

#include <string.h>

#include "sim/engine/config.h"

const struct transport *const transport_table[] = {
    &transport_newreno,
    &transport_cubic,
    &transport_dctcp,
    &transport_udp,
    &transport_none,
    &transport_dcqcn,
    &transport_hpcc,
    &transport_powertcp,
    &transport_powertcp_delay,
    &transport_timely,
    NULL,
};

const struct transport *transport_find(const char *name)
{
    for (const struct transport *const *at = transport_table; *at; at++) {
        if (strcmp((*at)->name, name) == 0)
            return *at;
    }
    return NULL;
}

/* Rates of increase per 25 Gb/s of link, in b/s. */
struct transport_increase {
    const struct transport *kind;
    weir_bps additive, hyper;
};

static const struct transport_increase transport_increases[] = {
    {&transport_dcqcn, 5000000, 50000000},
    {&transport_powertcp, 150000000, 150000000},
    {&transport_powertcp_delay, 150000000, 150000000},
    {&transport_timely, 25000000, 125000000},
    {NULL, 10000000, 50000000},
};

/*
 * RoCE, as simulations since HPCC (SIGCOMM 2019) have it:
 * - timeout 4.096 us * 2^12, a usual setting of NICs; an ACK per packet; rates of 100 Mb/s at least, DCQCN 1 Gb/s;
 * - DCQCN: alpha every 1 us and so CNPs at most every 1 us, decreases every 4 us, increases every 300 us, no byte
 *   counter, F 1, g 1/256, AI 5 and HAI 50 Mb/s per 25 Gb/s (SIGCOMM 2015: 55, 50, 50 and 55 us, 10 MB, 5, 1/256);
 * - HPCC: eta 0.95, no stages, W_AI of 10 Mb/s per 25 Gb/s. PowerTCP: gamma 0.9, eta 0.95,
 *   W_AI of 150 Mb/s per 25 Gb/s;
 * - TIMELY: weight 0.875, beta 0.8, 50 and 500 us, 5 steps; delta 10 Mb/s at 10 Gb/s and five times as much when fast.
 */
static struct sim_roce transport_roce(const struct transport *kind)
{
    const struct transport_increase *increase = transport_increases;
    while (increase->kind && increase->kind != kind)
        increase++;
    return (struct sim_roce){
        .rto_ps = 4096 * WEIR_PS_PER_NS << 12,
        .ack_every = 1,
        .min_rate_bps = kind == &transport_dcqcn ? 1000000000 : 100000000,
        .additive_bps = increase->additive,
        .hyper_additive_bps = increase->hyper,
        .cnp_interval_ps = WEIR_PS_PER_US,
        .alpha_interval_ps = WEIR_PS_PER_US,
        .decrease_interval_ps = 4 * WEIR_PS_PER_US,
        .increase_interval_ps = 300 * WEIR_PS_PER_US,
        .fast_recoveries = 1,
        .dcqcn_gain = 1.0 / 256,
        .utilisation = 0.95,
        .gamma = 0.9,
        .timely_weight = 0.875,
        .timely_beta = 0.8,
        .low_rtt_ps = 50 * WEIR_PS_PER_US,
        .high_rtt_ps = 500 * WEIR_PS_PER_US,
        .fast_increases = 5,
    };
}

/*
 * What the transports of a datacenter usually have:
 * - initial window 10 (RFC 6928); the largest window of 4096 segments, 6 MB, is what receivers allow by default;
 * - timeouts of 10 ms at least, as datacenter studies have it, instead of RFC 6298's 1 s; the first one likewise,
 *   because a round trip is far shorter; 60 s at most (RFC 6298);
 * - SACK, slow start, no handshake, an ACK for each segment; delayed ones would wait 1 ms, well below the timeout;
 * - DCTCP: g 1/16 and alpha 1 at first (RFC 8257). CUBIC: C 0.4, beta 0.7, Reno-friendly (RFC 9438);
 * - UDP: full packets at 1 Gb/s and constant gaps, always on.
 */
void sim_transport_init(struct sim_transport *transport, const struct transport *kind)
{
    *transport = (struct sim_transport){
        .kind = kind,
        .initial_window_segments = 10,
        .max_window_segments = 4096,
        .min_rto_ps = 10 * WEIR_PS_PER_MS,
        .initial_rto_ps = 10 * WEIR_PS_PER_MS,
        .max_rto_ps = 60 * WEIR_PS_PER_S,
        .sack = true,
        .slow_start = true,
        .ack_every = 1,
        .ack_delay_ps = WEIR_PS_PER_MS,
        .dctcp_gain = WEIR_Q16_ONE / 16,
        .dctcp_initial = WEIR_Q16_ONE,
        .cubic_c = WEIR_Q16_ONE * 4 / 10,
        .cubic_beta = WEIR_Q16_ONE * 7 / 10,
        .cubic_friendly = true,
        .rate_bps = 1000000000,
        .roce = transport_roce(kind),
    };
}
