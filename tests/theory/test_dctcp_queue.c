/*
 * test_dctcp_queue.c - the queue of N synchronised DCTCP flows through one port (Alizadeh et al., SIGCOMM 2010, section
 * 3.3): a sawtooth between K + N - A and K + N packets.
 *
 *   W = (C RTT + K) / N                              window at which marking begins
 *   a^2 (1 - a / 4) = (2 W + 1) / (W + 1)^2          part of the packets that is marked
 *   A = N (W + 1) a / 2,  about  sqrt(2 N (C RTT + K)) / 2 for large windows
 *   K > C RTT / 7                                    the queue never empties, whatever N is
 *
 * Settings are the paper's: 10 Gb/s, 100 us, K = 40 packets, g = 1/16. Senders have links ten times as fast, so that
 * one flow alone can fill the port. The paper's queue includes the packet that is being sent, which is not in the
 * buffer any more here: one packet is added to what the probe finds.
 *
 * Bounds: the maximum is exact but for one packet. What a flow sends follows its window in whole segments, so that the
 * swing of one is known to half a segment, N of them swing together, and the queue itself is known to one packet:
 * N / 2 + 1 packets for the amplitude.
 */
#include "theory.h"

#define MS WEIR_PS_PER_MS
#define SENDERS_MAX 20u
#define PORT_BPS (10 * GBPS)
#define TRIP_US 100.0
#define PACKET 1500.0
#define WARM_UP (40 * MS)
#define BATCH (4 * MS) /* several periods of the sawtooth */

struct dctcp_found {
    struct interval highest, lowest; /* packets waiting, of the extremes of batches */
    double used;                     /* part of the port's capacity */
    uint64_t losses;
};

static void dctcp_config(struct theory *t, uint32_t senders, uint32_t threshold_packets)
{
    weir_bps rates[SENDERS_MAX + 1];
    for (uint32_t i = 0; i < senders; i++)
        rates[i] = 10 * PORT_BPS;
    rates[senders] = PORT_BPS;
    theory_init(t, WARM_UP + THEORY_BATCHES * BATCH);
    weir_ps serialisation = theory_wire_ps(t, PORT_BPS, 1540) + theory_wire_ps(t, 10 * PORT_BPS, 1540);
    const struct topology_single shape = {
        .hosts = senders + 1, .rates_bps = rates, .delay_ps = ((weir_ps)(TRIP_US * 1e6) - serialisation) / 4};
    assert_true(topology_single(&t->topology, &shape, &t->error));
    theory_policy(t, "cs", NULL, 10000000);
    t->config.tiers[0].mmu.marking[0] =
        (struct weir_marking){.kind = WEIR_MARK_STEP, .low_cells = (weir_cells)(threshold_packets * PACKET)};
    theory_transport(t, &transport_dctcp);
    struct traffic_settings *traffic = theory_traffic(t, TRAFFIC_LONG);
    traffic->source_count = senders;
    traffic->destination_first = senders;
    traffic->destination_count = 1;
    t->config.goodput_interval_ps = BATCH;
}

static void dctcp_extremes(const struct series *series, struct dctcp_found *found)
{
    double high[THEORY_BATCHES], low[THEORY_BATCHES];
    for (uint32_t b = 0; b < THEORY_BATCHES; b++) {
        high[b] = 0;
        low[b] = 1e9;
    }
    for (uint32_t i = 0; i < series->count; i++) {
        uint64_t b = (uint64_t)((series->points[i].when - WARM_UP) / BATCH);
        double packets = (double)series->points[i].queue_cells / PACKET;
        high[b] = packets > high[b] ? packets : high[b];
        low[b] = packets < low[b] ? packets : low[b];
    }
    found->highest = theory_interval(high);
    found->lowest = theory_interval(low);
}

static struct dctcp_found dctcp_run(uint32_t senders, uint32_t threshold_packets)
{
    struct theory t;
    struct dctcp_found found = {0};
    dctcp_config(&t, senders, threshold_packets);
    uint32_t probe = theory_probe(&t, senders, 0, 10000000);
    t.probes[probe].from_ps = WARM_UP;
    theory_run(&t);
    const struct series *series = &sim_measure(t.sim)->probe[probe];
    assert_true(series->count > 0 && !series->full);
    dctcp_extremes(series, &found);
    double payload = 0;
    for (uint32_t i = 0; i < THEORY_BATCHES; i++)
        payload += (double)sim_measure(t.sim)->goodput[0][WARM_UP / BATCH + i];
    found.used = payload * 1500 / 1460 * 8 / ((double)PORT_BPS * THEORY_BATCHES * (double)BATCH / 1e12);
    found.losses = theory_losses(&t, 0, senders);
    theory_free(&t);
    return found;
}

/* The exact amplitude of the model, in packets. */
static double dctcp_amplitude(double senders, double threshold)
{
    double window = ((double)PORT_BPS * TRIP_US / 1e6 / 8 / PACKET + threshold) / senders;
    double target = (2 * window + 1) / ((window + 1) * (window + 1)), low = 0, high = 1;
    for (uint32_t i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (middle * middle * (1 - middle / 4) < target)
            low = middle;
        else
            high = middle;
    }
    return senders * (window + 1) * low / 2;
}

static void expect_sawtooth(uint32_t senders, uint32_t threshold)
{
    struct dctcp_found found = dctcp_run(senders, threshold);
    char what[80];
    double n = senders, bdp = (double)PORT_BPS * TRIP_US / 1e6 / 8 / PACKET;
    print_message("N = %u, K = %u: sqrt(2 N (C RTT + K)) / 2 = %.1f; used %.4f; extremes +- %.2f, +- %.2f\n", senders,
                  threshold, sqrt(2 * n * (bdp + threshold)) / 2, found.used, found.highest.half, found.lowest.half);
    snprintf(what, sizeof what, "DCTCP, N = %u, K = %u: longest, packets", senders, threshold);
    theory_expect_near(what, threshold + n, found.highest.mean + 1, 1);
    snprintf(what, sizeof what, "DCTCP, N = %u, K = %u: amplitude, packets", senders, threshold);
    theory_expect_near(what, dctcp_amplitude(n, threshold), found.highest.mean - found.lowest.mean, n / 2 + 1);
    assert_true(found.losses == 0);
    assert_true(found.used > 0.9999);
}

static void queue__sawtooth(void **state)
{
    (void)state;
    expect_sawtooth(1, 40);
    expect_sawtooth(2, 40);
    expect_sawtooth(5, 40);
    expect_sawtooth(10, 40);
    expect_sawtooth(2, 20);
    expect_sawtooth(2, 65);
}

/* C RTT / 7 is 11.9 packets. Far below it the queue is empty for a part of the period: the fluid loses at least the
 * area of the sawtooth below zero, and packets, which come in bursts, lose more. */
static void throughput__needs_a_seventh_of_the_pipe(void **state)
{
    (void)state;
    static const struct {
        uint32_t senders, threshold;
    } low[] = {{1, 2}, {2, 2}, {10, 3}};
    double bdp = (double)PORT_BPS * TRIP_US / 1e6 / 8 / PACKET;
    for (uint32_t i = 0; i < 3; i++) {
        double n = low[i].senders, k = low[i].threshold;
        double amplitude = dctcp_amplitude(n, k), below = amplitude - n - k;
        double least = below * below / 2 / amplitude / bdp;
        struct dctcp_found starved = dctcp_run(low[i].senders, low[i].threshold);
        struct dctcp_found edge = dctcp_run(low[i].senders, 13), full = dctcp_run(low[i].senders, 20);
        print_message("N = %2u: used %.4f at K = 20, %.4f at K = 13, %.4f at K = %u (fluid: at most %.4f)\n",
                      low[i].senders, full.used, edge.used, starved.used, low[i].threshold, 1 - least);
        assert_true(full.used > 0.9999 && edge.used > 0.98);
        assert_true(starved.used <= 1 - least && starved.used < edge.used - 0.01);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queue__sawtooth),
        cmocka_unit_test(throughput__needs_a_seventh_of_the_pipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
