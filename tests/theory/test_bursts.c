/*
 * test_bursts.c - TDT, Figures 2, 3, 6, 7 and 8, from packets on links (bursts.h). Fluid theory, with N overloaded
 * ports at rest, M = 1 burst of rate R, alpha = 1:
 *
 *   DT at rest       each of N ports holds aB / (1 + aN)
 *   Figure 3         DT's first loss of the burst: see test_transients.c of the formula tests, which has the formulas
 *   Figure 7         222 us DT, 533 us EDT; TDT B (1 - N / n) / (R - C) = 1.00 ms, since the two evacuating ports still
 *                    hold B / n each, where the paper has B / (R - C) = 1.14 ms
 *   Figure 8         a packet that finds Q0 - (C - r) t waits for that long: the mean follows from Q0, which is B / 2
 *                    for DT and EDT, B / n for TDT and ES, B for CS
 *
 * Bounds are in whole packets: a queue is a whole number of packets, a threshold is passed between two of them, and one
 * packet is on the wire and no longer in the buffer. That is two packets of one queue. Where several queues share the
 * buffer, each rounds by itself: one packet more per queue.
 */
#include "bursts.h"

#define MS WEIR_PS_PER_MS
#define US WEIR_PS_PER_US
#define PACKETS(n) ((n) * (double)BURSTS_PACKET)

static double kilobytes_at(const struct series *series, weir_ps when)
{
    uint32_t i = 0;
    while (i + 1 < series->count && series->points[i + 1].when <= when)
        i++;
    return (double)series->points[i].queue_cells / 1000;
}

/* N saturated ports come to rest. */
static void dt__rest(void **state)
{
    (void)state;
    static const uint32_t ports[] = {1, 2, 4};
    for (uint32_t k = 0; k < 3; k++) {
        struct bursts b;
        uint32_t n = ports[k];
        bursts_init(&b, "dt", 40 * MS);
        for (uint32_t port = 0; port < n; port++) {
            bursts_overload(&b, port, 2 * GBPS, 20 * US + (weir_ps)port * US, 40 * MS);
            theory_probe(&b.t, port, 100 * US, 1000);
        }
        theory_run(&b.t);
        char what[80];
        snprintf(what, sizeof what, "DT at rest, %u of 16 ports, kB", n);
        for (uint32_t port = 0; port < n; port++)
            theory_expect_near(what, 1000.0 / (1 + n), kilobytes_at(bursts_series(&b, port), 39 * MS),
                               PACKETS(1 + n) / 1000);
        theory_free(&b.t);
    }
}

/* Two ports compete for the buffer; lengths are equal, what they gain is not. */
static void figure_2__equal_lengths_unequal_gain(void **state)
{
    (void)state;
    struct bursts b;
    const weir_ps start = 100 * US, length = 2600 * US;
    bursts_init(&b, "dt", 40 * MS);
    bursts_overload(&b, 0, 2 * GBPS, start, length);
    bursts_overload(&b, 1, 8 * GBPS, start, length);
    theory_probe(&b.t, 0, 0, 100000);
    theory_probe(&b.t, 1, 0, 100000);
    theory_run(&b.t);
    double sent = 2600 / 12.0, slow = 325e3, fast = (1e6 - slow) / 2; /* packets; bytes in the queues at the end */
    struct bursts_total a = bursts_total(&b, 0), c = bursts_total(&b, 1);
    theory_expect_near("Figure 2: queue of the slow port, kB", slow / 1000,
                       kilobytes_at(bursts_series(&b, 0), start + length), PACKETS(3) / 1000);
    theory_expect_near("Figure 2: queue of the fast port, kB", fast / 1000,
                       kilobytes_at(bursts_series(&b, 1), start + length), PACKETS(3) / 1000);
    theory_expect_near("Figure 2: slow port delivers, packets", (double)a.offered, (double)a.delivered, 0);
    theory_expect_near("Figure 2: fast port delivers, packets", sent + fast / BURSTS_PACKET, (double)c.delivered, 3);
    print_message("Figure 2: of what the whole buffer would give, the slow port got 100 %%, the fast one %.0f %%\n",
                  100 * (double)c.delivered / (sent + 1e6 / BURSTS_PACKET));
    theory_free(&b.t);
}

/* One port at rest, a burst of the same rate to another: lengths on the way to the first loss, and when that is. */
static void expect_figure_3(weir_bps rate, double theory_us, double old_slope)
{
    struct bursts b;
    const weir_ps start = 20 * MS;
    double growth = (double)(rate - GBPS) / 8e9; /* kB per us */
    bursts_init(&b, "dt", start + 4 * MS);
    bursts_overload(&b, 0, rate, 20 * US, 30 * MS);
    bursts_overload(&b, 1, rate, start, 10 * MS);
    theory_probe(&b.t, 0, 0, 100000);
    theory_probe(&b.t, 1, 0, 100000);
    theory_run(&b.t);
    for (uint32_t part = 1; part <= 4; part++) {
        char what[80];
        double us = theory_us * part / 4.1;
        weir_ps when = start + (weir_ps)(us * 1e6);
        snprintf(what, sizeof what, "Figure 3, R = %lld Gb/s, %.0f us: old queue, kB", (long long)(rate / GBPS), us);
        theory_expect_near(what, 500 - old_slope * us, kilobytes_at(bursts_series(&b, 0), when), PACKETS(3) / 1000);
        snprintf(what, sizeof what, "Figure 3, R = %lld Gb/s, %.0f us: new queue, kB", (long long)(rate / GBPS), us);
        theory_expect_near(what, growth * us, kilobytes_at(bursts_series(&b, 1), when), PACKETS(2) / 1000);
    }
    sim_free(b.t.sim);
    b.t.config.probe_count = 0;
    weir_ps loss = bursts_first_loss(&b, 1, start, start + 4 * MS);
    theory_expect_near("Figure 3: first loss, us", theory_us, (double)(loss - start) / 1e6, PACKETS(3) / 1000 / growth);
    theory_free(&b.t);
}

static void figure_3__slow_and_fast(void **state)
{
    (void)state;
    expect_figure_3(2 * GBPS, 8e6 / (3 * 1e3), 0.125 / 2); /* the old queue follows the threshold: half of the growth */
    expect_figure_3(6 * GBPS, 8e6 / (2 * 9e3), 0.125);     /* it drains at C and lags behind */
}

static const struct series_point *first_point(const struct series *series, weir_ps from,
                                              bool (*holds)(const struct series_point *))
{
    for (uint32_t i = 0; i < series->count; i++)
        if (series->points[i].when >= from && holds(&series->points[i]))
            return &series->points[i];
    fail_msg("the state never comes");
    return NULL;
}

static bool is_absorbing(const struct series_point *p)
{
    return p->threshold_cells == BURSTS_BUFFER && p->used_cells > 0;
}

static bool is_normal(const struct series_point *p)
{
    return p->threshold_cells == BURSTS_BUFFER - p->used_cells;
}

static bool is_evacuating(const struct series_point *p)
{
    return p->threshold_cells == BURSTS_BUFFER / BURSTS_PORTS;
}

static bool is_at_threshold(const struct series_point *p)
{
    return p->queue_cells + BURSTS_PACKET > p->threshold_cells;
}

static bool is_evacuated(const struct series_point *p)
{
    return p->queue_cells <= BURSTS_BUFFER / BURSTS_PORTS;
}

/* A burst of 2.5 Gb/s for 5 ms, then from 10 to 30 ms 1.5 Gb/s, which is too slow for a burst. */
static void figure_6__states(void **state)
{
    (void)state;
    struct bursts b;
    const weir_ps start = 100 * US;
    bursts_init(&b, "tdt", 40 * MS);
    bursts_overload(&b, 0, 2500 * MBPS, start, 5 * MS);
    bursts_overload(&b, 0, 1500 * MBPS, start + 10 * MS, 20 * MS);
    theory_probe(&b.t, 0, 0, 1000000);
    theory_run(&b.t);
    const struct series *s = bursts_series(&b, 0);
    static const struct {
        const char *what;
        bool (*holds)(const struct series_point *);
        double from_us, theory_us, bound_us;
    } steps[] = {
        {"Figure 6: absorption begins, us", is_absorbing, 0, 1e3 / 3, 2 * 8},
        {"Figure 6: and ends, us", is_normal, 4900, 5000 + 3 * 12, 2 * 12},
        {"Figure 6: long-lived at the threshold, us", is_at_threshold, 10000, 13000, 2 * 24},
        {"Figure 6: evacuation begins, us", is_evacuating, 13000, 21000, 4 * 24},
        {"Figure 6: and is done, us", is_evacuated, 20000, 24500, 6 * 24},
        {"Figure 6: normal again, us", is_normal, 25000, 30000 + 3 * 12, 2 * 12},
    };
    for (uint32_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const struct series_point *p = first_point(s, start + (weir_ps)(steps[i].from_us * 1e6), steps[i].holds);
        theory_expect_near(steps[i].what, steps[i].theory_us, (double)(p->when - start) / 1e6, steps[i].bound_us);
    }
    theory_expect_near("Figure 6: queue after the burst, kB", 937.5, kilobytes_at(s, start + 5 * MS),
                       PACKETS(2) / 1000);
    theory_free(&b.t);
}

/* Two ports with 2 Gb/s each from the start, a burst of 8 Gb/s to a third at 150 ms. */
static void figure_7_config(struct bursts *b, const char *policy, weir_ps burst_ps)
{
    bursts_init(b, policy, 200 * MS);
    bursts_overload(b, 0, 2 * GBPS, 20 * US, 200 * MS);
    bursts_overload(b, 1, 2 * GBPS, 23 * US, 200 * MS);
    bursts_overload(b, 2, 8 * GBPS, 150 * MS, burst_ps);
}

static void expect_figure_7(const char *policy, double theory_us, uint32_t packets)
{
    struct bursts b;
    char what[80];
    figure_7_config(&b, policy, 10 * MS);
    weir_ps loss = bursts_first_loss(&b, 2, 150 * MS, 152 * MS) - 150 * MS;
    snprintf(what, sizeof what, "Figure 7: first loss with %s, us", policy);
    theory_expect_near(what, theory_us, (double)loss / 1e6, packets * 12.0 / 7);
    theory_free(&b.t);
}

static void figure_7__first_losses(void **state)
{
    (void)state;
    expect_figure_7("dt", 8e6 / (3 * 12e3), 2);
    expect_figure_7("edt", 8e6 / (3 * 5e3), 4);
    expect_figure_7("tdt", 8e6 * 14 / 16 / 7e3, 4);
}

/* The burst of the paper, 1 ms long. */
static void figure_7__burst_of_1_ms(void **state)
{
    (void)state;
    static const char *const policies[] = {"dt", "edt", "tdt"};
    uint64_t losses[3];
    for (uint32_t i = 0; i < 3; i++) {
        struct bursts b;
        figure_7_config(&b, policies[i], MS);
        theory_run(&b.t);
        losses[i] = theory_losses(&b.t, 0, 2);
        struct bursts_total burst = bursts_total(&b, 2);
        assert_true(burst.offered - burst.delivered == losses[i]);
        print_message("Figure 7: of the burst of 1 ms (%llu packets) %s loses %llu\n",
                      (unsigned long long)burst.offered, policies[i], (unsigned long long)losses[i]);
        theory_free(&b.t);
    }
    assert_true(losses[0] > losses[1] && losses[1] > 0 && losses[2] == 0);
}

/* 2 Gb/s until 200 ms, then 0.8 Gb/s for 10 ms, of which the mean waiting time is returned in us. */
static double figure_8_wait(const char *policy)
{
    struct bursts b;
    bursts_init(&b, policy, 250 * MS);
    bursts_overload(&b, 0, 2 * GBPS, 20 * US, 200 * MS - 20 * US);
    uint32_t late = bursts_sender(&b, 0, 800 * MBPS, 200 * MS - bursts_packet_ps(GBPS) - BURSTS_DELAY, 10 * MS);
    theory_run(&b.t);
    const struct records *records = sim_records(b.t.sim);
    double wait = -1;
    for (uint32_t i = 0; i < records->count; i++) {
        const struct flow_record *r = &records->at[i];
        if (r->traffic != late)
            continue;
        assert_true((int64_t)r->packets + 1 >= r->bytes / 1460); /* the first one may find the port at its limit */
        wait = (r->delay_sum_ps / (double)r->packets - 2.0 * (double)(bursts_packet_ps(GBPS) + BURSTS_DELAY)) / 1e6;
    }
    theory_free(&b.t);
    return wait;
}

static void figure_8__delays(void **state)
{
    (void)state;
    static const struct {
        const char *policy;
        double rest_us; /* the queue at 200 ms, as time */
    } cases[] = {{"cs", 8000}, {"dt", 4000}, {"edt", 4000}, {"es", 500}, {"tdt", 500}};
    double found[5];
    for (uint32_t i = 0; i < 5; i++) {
        char what[80];
        double empty_us = cases[i].rest_us / 0.2, busy_us = empty_us < 10e3 ? empty_us : 10e3;
        double theory_us = (cases[i].rest_us - 0.1 * busy_us) * busy_us / 10e3;
        found[i] = figure_8_wait(cases[i].policy);
        snprintf(what, sizeof what, "Figure 8: mean wait with %s, us", cases[i].policy);
        theory_expect_near(what, theory_us, found[i], 2 * 12.0);
    }
    theory_expect_near("Figure 8: tdt waits as es does, us", found[3], found[4], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dt__rest),
        cmocka_unit_test(figure_2__equal_lengths_unequal_gain),
        cmocka_unit_test(figure_3__slow_and_fast),
        cmocka_unit_test(figure_6__states),
        cmocka_unit_test(figure_7__first_losses),
        cmocka_unit_test(figure_7__burst_of_1_ms),
        cmocka_unit_test(figure_8__delays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
