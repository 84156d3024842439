/*
 * test_measures.c - the names, units and values of measures, of simulations small enough to follow by hand.
 *
 * Links of 8 Gb/s, packets of 100 bytes: one takes 100 ns. Hosts 0 and 1 send to host 2 at full rate, so that its queue
 * grows by a packet each 100 ns until the 300 bytes of the buffer are full, at 300 ns; from 400 ns on the packet of
 * host 0 takes the only place and that of host 1 is refused.
 */
#include <math.h>

#include "tests/support/failing_alloc.h"
#include "tests/support/measured_run.h"

static const struct measure_value *find(const struct run *run, const char *name)
{
    const struct measure_value *found = NULL;
    for (uint32_t i = 0; i < run->measures.value_count; i++) {
        const struct measure_value *value = &run->measures.values[i];
        if (strcmp(value->name, name) == 0 && found != NULL)
            fail_msg("%s is there twice", name);
        found = strcmp(value->name, name) == 0 ? value : found;
    }
    return found;
}

static const struct measure_curve *find_curve(const struct run *run, const char *name)
{
    const struct measure_curve *found = NULL;
    for (uint32_t i = 0; i < run->measures.curve_count; i++)
        if (strcmp(run->measures.curves[i].name, name) == 0)
            found = &run->measures.curves[i];
    return found;
}

struct expected {
    const char *name, *unit;
    double value;
};

static void expect(const struct run *run, const struct expected *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct measure_value *value = find(run, rows[i].name);
        if (value == NULL)
            fail_msg("%s is not there", rows[i].name);
        assert_string_equal(value->unit, rows[i].unit);
        if (fabs(value->value - rows[i].value) > 1e-12 * fabs(rows[i].value))
            fail_msg("%s is %.17g, not %.17g", rows[i].name, value->value, rows[i].value);
    }
}

#define EXPECT(run, rows) expect(run, rows, sizeof(rows) / sizeof((rows)[0]))

static void expect_none(const struct run *run, const char *name)
{
    if (find(run, name) != NULL || find_curve(run, name) != NULL)
        fail_msg("%s is there", name);
}

static void expect_curve(const struct run *run, const char *name, const double *points, uint32_t count)
{
    const struct measure_curve *curve = find_curve(run, name);
    if (curve == NULL)
        fail_msg("%s is not there", name);
    assert_int_equal(curve->count, count);
    for (uint32_t i = 0; i < 2 * count; i++)
        if (isnan(points[i]) ? !isnan(curve->points[i])
                             : !(fabs(curve->points[i] - points[i]) <= 1e-12 * fabs(points[i])))
            fail_msg("%s: number %u is %.17g, not %.17g", name, i, curve->points[i], points[i]);
}

static void make__losses_and_delays_by_tag(void **state)
{
    /* a: 200, 300, 400 and seven times 500 ns; b: 300, 400, 500 ns, less a picosecond, and seven packets lost */
    static const struct expected rows[] = {
        {"a.flows", "1", 1},
        {"a.finished", "1", 1},
        {"a.unfinished", "1", 0},
        {"a.sent_bytes", "B", 1000},
        {"a.timeouts", "1", 0},
        {"a.delivered", "B", 900},
        {"a.goodput", "bit/s", 900 * 8 / 1400e-9},
        {"a.fct.mean", "s", 1400e-9},
        {"a.fct.p999", "s", 1400e-9},
        {"a.slowdown.max", "1", 1400.0 / 1100},
        {"a.sent", "1", 10},
        {"a.received", "1", 10},
        {"a.missing", "1", 0},
        {"a.loss", "1", 0},
        {"a.lost", "1", 0},
        {"a.lossless", "1", 1},
        {"a.lossless_bytes", "B", 900},
        {"a.short.flows", "1", 1},
        {"a.short.fct.p99", "s", 1400e-9},
        {"a.short.lossless", "1", 1},
        {"a.delay.mean", "s", 440e-9},
        {"a.delay.min", "s", 200e-9},
        {"a.delay.max", "s", 500e-9},
        {"b.finished", "1", 0},
        {"b.unfinished", "1", 1},
        {"b.fct.known", "1", 0},
        {"b.sent_bytes", "B", 1000},
        {"b.sent", "1", 10},
        {"b.received", "1", 3},
        {"b.missing", "1", 7},
        {"b.loss", "1", 0.7},
        {"b.lost", "1", 7},
        {"b.first_loss", "s", 400.001e-9},
        {"b.lossless", "1", 0},
        {"b.lossless_bytes", "B", 0},
        {"b.delay.mean", "s", 399.999e-9},
    };
    static const char *const absent[] = {
        "a.fct.known",  "a.fct.bound_mean",  "a.fct_finished.mean", "b.fct_finished.mean",
        "a.first_loss", "b.fct.mean",        "b.fct.cdf",           "a.queries",
        "a.qct.mean",   "a.qct.cdf",         "a.long.flows",        "a.middle.lossless",
        "goodput.a",    "goodput.jain.mean", "received.jain",       "probe.s0-h2.queue"};
    struct run r;
    (void)state;
    run(&r, NETWORK TWO_SENDERS);
    EXPECT(&r, rows);
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        expect_none(&r, absent[i]);
    assert_true(fabs(find(&r, "a.delay.p50")->value - 500e-9) < 0.01 * 500e-9);
    assert_true(fabs(find(&r, "b.delay.p50")->value - 400e-9) < 0.01 * 400e-9);
    const struct measure_curve *delays = find_curve(&r, "a.delay.cdf");
    assert_int_equal(delays->count, 4);
    assert_true(fabs(delays->points[0] - 200e-9) < 0.01 * 200e-9);
    assert_true(delays->points[1] == 0.1 && delays->points[7] == 1);
    expect_curve(&r, "a.fct.cdf", (double[]){1400e-9, 1}, 1);
    done(&r);
}

static void make__totals(void **state)
{
    static const struct expected rows[] = {
        {"lost.total", "1", 7},
        {"lost.refused", "1", 7},
        {"lost.after_acceptance", "1", 0},
        {"lost.no-room", "1", 7},
        {"lost.over-threshold", "1", 0},
        {"lost.pushout", "1", 0},
        {"lost.flushed", "1", 0},
        {"lost.unroutable", "1", 0},
        {"lost.on_failed_links", "1", 0},
        {"marked", "1", 0},
        {"unfinished", "1", 1},
        {"unfinished_queries", "1", 0},
        {"sent_bytes", "B", 2000},
        {"hops", "1", 33},
        {"end", "s", 1400e-9},
        {"memory.peak", "1", 1},
        {"loss.buffer.min", "1", 1},
        {"loss.buffer.p99", "1", 1},
        {"loss.bandwidth.mean", "1", 0.333},
    };
    struct run r;
    (void)state;
    run(&r, NETWORK TWO_SENDERS);
    EXPECT(&r, rows);
    expect_curve(&r, "loss.bandwidth.cdf", (double[]){0.333, 1}, 1);
    assert_int_equal(r.measures.hops, 33);
    assert_true(r.measures.digest == sim_digest(r.sim));
    done(&r);
}

static void make__goodput_series(void **state)
{
    /* packets of a and b: 3 and 2 in the first 700 ns, 6 and 1 in the next, the last of a at 1400 ns */
    const double bps = 90 * 8 / 700e-9;
    const double a[] = {0, 3 * bps, 700e-9, 6 * bps, 1400e-9, bps};
    const double jain[] = {0, 25.0 / 26, 700e-9, 49.0 / 74, 1400e-9, NAN};
    const struct expected rows[] = {{"goodput.jain.mean", "1", (25.0 / 26 + 49.0 / 74) / 2},
                                    {"goodput.jain.min", "1", 49.0 / 74}};
    struct run r;
    (void)state;
    run(&r, NETWORK TWO_SENDERS "measure: {goodput_interval: 700ns}\n");
    expect_curve(&r, "goodput.a", a, 3);
    expect_curve(&r, "fairness.jain", jain, 3);
    EXPECT(&r, rows);
    assert_string_equal(find_curve(&r, "goodput.b")->y_unit, "bit/s");
    done(&r);
}

/* Lengths in packets from 100 to 1400 ns, by 100 ns: 1, 2, eight times 3, 2, 1, 0. Three of them come a picosecond
 * late. */
static void make__probes(void **state)
{
    static const struct expected rows[] = {
        {"probe.s0-h2.queue.mean", "B", (3000 - 3e-3) / 13},
        {"probe.s0-h2.queue.max", "B", 300},
        {"probe.s0-h2.throughput", "bit/s", 1300 * 8 / 1400e-9},
        {"probe.s0-h2-2.queue.max", "B", 300},
    };
    struct run r;
    (void)state;
    run(&r, NETWORK TWO_SENDERS "measure: {probes: [{at: s0, to: h2}, {at: s0, to: h2, from: 500ns}]}\n");
    EXPECT(&r, rows);
    const struct measure_curve *queue = find_curve(&r, "probe.s0-h2.queue");
    const struct measure_curve *threshold = find_curve(&r, "probe.s0-h2.threshold");
    assert_string_equal(queue->x_unit, "s");
    assert_string_equal(queue->y_unit, "B");
    assert_true(queue->points[0] == 100e-9 && queue->points[2 * queue->count - 1] == 0);
    assert_int_equal(threshold->count, queue->count);
    assert_int_equal(find_curve(&r, "probe.s0-h2.used")->count, queue->count);
    assert_true(find_curve(&r, "probe.s0-h2-2.queue")->points[0] >= 500e-9);
    done(&r);
}

/* The first burst is as above and loses 7 of 20 packets; the second has three from each host and loses none. */
static void make__bursts(void **state)
{
    static const struct expected rows[] = {
        {"burst.flows", "1", 4},           {"burst.queries", "1", 2},       {"burst.queries_finished", "1", 1},
        {"burst.qct.mean", "s", 700e-9},   {"burst.lossless", "1", 0.5},    {"burst.lossless_bytes", "B", 540},
        {"burst.short.flows", "1", 4},     {"burst.short.queries", "1", 1}, {"burst.short.lossless", "1", 1},
        {"burst.long.queries", "1", 1},    {"burst.long.lossless", "1", 0}, {"burst.lost", "1", 7},
        {"burst.first_loss", "s", 400e-9},
    };
    struct run r;
    (void)state;
    run(&r,
        NETWORK "traffic:\n"
                "- {kind: incast, transport: u, tag: burst, sources: h0-h1, destination: h2, bytes: 1800B}\n"
                "- {kind: incast, transport: u, tag: burst, sources: h0-h1, destination: h2, bytes: 540B, from: 10us}\n"
                "measure: {size_bins: [1000B]}\n");
    EXPECT(&r, rows);
    expect_none(&r, "burst.long.flows");
    done(&r);
}

/* Host 2 gets 13 of the 14 full packets its link could carry in 1400 ns, host 0 all of its two. */
static void make__fairness_of_receivers(void **state)
{
    const double first = 13.0 / 14, both = first + 1;
    const struct expected rows[] = {{"received.jain", "1", both * both / (2 * (first * first + 1))},
                                    {"bin1.bin1.flows", "1", 1}};
    struct run r;
    (void)state;
    run(&r, NETWORK TWO_SENDERS "- {kind: long, transport: u, tag: bin1, sources: h2, destinations: h0, bytes: 180B}\n"
                                "measure: {size_bins: [1KB, 2KB, 3KB]}\n");
    EXPECT(&r, rows);
    done(&r);
}

/* Result and measures again, with the n-th allocation refused; true when it came to that. */
static bool make_short(struct run *r, uint64_t number)
{
    struct measures measures = {0};
    failing_alloc_start(number);
    bool made = run_result_make(r->result, &r->scenario, r->sim, false) && run_measures_make(&measures, r->result);
    bool failed = failing_alloc_stop();
    assert_int_equal(made, !failed);
    measures_free(&measures);
    run_result_free(r->result);
    assert_int_equal(failing_alloc_held(), 0);
    return failed;
}

static void make__survives_a_lack_of_memory(void **state)
{
    struct run r;
    uint64_t allocations = 1;
    (void)state;
    run(&r, NETWORK TWO_SENDERS "measure: {goodput_interval: 700ns, probes: [{at: s0, to: h2}]}\n");
    run_result_free(r.result);
    while (make_short(&r, allocations))
        allocations++;
    assert_true(allocations > 100);
    done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(make__losses_and_delays_by_tag),
        cmocka_unit_test(make__totals),
        cmocka_unit_test(make__goodput_series),
        cmocka_unit_test(make__probes),
        cmocka_unit_test(make__bursts),
        cmocka_unit_test(make__fairness_of_receivers),
        cmocka_unit_test(make__survives_a_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
