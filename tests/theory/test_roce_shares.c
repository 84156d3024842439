/*
 * test_roce_shares.c - N RoCE flows through one port: what they send together, what they leave in the queue, and how
 * evenly they share, against the fixed points of their rules. C is the port's rate, T the round trip, AI the rate of
 * additive increase of one flow.
 *
 *   HPCC, PowerTCP   a window stays when W (1 - eta / U) = W_AI. Without a queue the windows together are U C T, so
 *                    that the port carries eta C + N AI. The queue is a few packets.
 *   theta-PowerTCP   W (1 - 1 / P) = W_AI, P = 1 + q / (C T), and the windows together are C T + q: the port is full
 *                    and the queue is q = N AI T.
 *   TIMELY           has no fixed point (Zhu et al., CoNEXT 2016). It raises rates below the low round-trip time and
 *                    cuts them above the high one, so that the longest round trip is in between, once the burst of
 *                    the start is over.
 *   none             N flows of equal rate into a queue without end: it grows at (N - 1) C and each gets C / N.
 *
 * Evenness of HPCC. A window obeys W (1 - eta / U) = W_AI for the U that its own packets find. Were it the same for
 * all, differences would decay with the time constant C T / (N AI), and W_AI of any size would do. But a paced flow
 * never waits behind itself: the faster it is, the less queue it finds, by a part of a packet, and the lower is its U.
 * The fewer packets fit in C T, the more that is beside W_AI. With the usual W_AI, 1 / 2500 of C T, flows become even
 * where C T is hundreds of packets, and uneven from an even start where it is tens.
 *
 * Elsewhere W_AI is 1 / 50 of the flow's fair share, so that a difference halves within 35 round trips. Bounds: a part
 * of the port is measured over 4 ms, in which a change of one packet in each flow is far below 0.1 %; a flow's window
 * moves by whole packets, of which it has 17 for N = 4, and by the noise of single stamps, so shares over 1 ms are
 * taken to 10 %.
 */
#include "theory.h"

#include "sim/transport/roce_timely.h"

#define US WEIR_PS_PER_US
#define MS WEIR_PS_PER_MS
#define PORT_BPS (100 * GBPS)
#define DELAY (2 * US)
#define SENDERS_MAX 8u
#define INTERVAL MS
#define PACKET 1500.0

struct shares {
    uint32_t senders;
    uint32_t probe;
    weir_ps delay_ps; /* of a link; 0: DELAY */
    struct listed_flow flows[SENDERS_MAX];
};

static struct sim_transport *shares_config(struct theory *t, struct shares *s, const struct transport *kind,
                                           weir_ps until_ps)
{
    theory_init(t, until_ps);
    const struct topology_single shape = {
        .hosts = s->senders + 1, .rate_bps = PORT_BPS, .delay_ps = s->delay_ps ? s->delay_ps : DELAY};
    assert_true(topology_single(&t->topology, &shape, &t->error));
    theory_policy(t, "cs", NULL, 100000000);
    struct sim_transport *transport = theory_transport(t, kind);
    roce_params(transport)->additive_bps = 25 * GBPS / s->senders / 50;
    for (uint32_t i = 0; i < s->senders; i++) {
        s->flows[i].source = i;
        s->flows[i].destination = s->senders;
        s->flows[i].tag = i;
        s->flows[i].bytes = s->flows[i].bytes ? s->flows[i].bytes : INT32_MAX;
        theory_flow(t, &s->flows[i]);
    }
    t->config.goodput_interval_ps = INTERVAL;
    s->probe = theory_probe(t, s->senders, US, 10000000);
    return transport;
}

/* Rate of a flow on the wire over [from, until), in parts of the port's. */
static double share(const struct theory *t, uint32_t flow, weir_ps from, weir_ps until)
{
    double bytes = 0;
    for (weir_ps i = from / INTERVAL; i < until / INTERVAL; i++)
        bytes += (double)sim_measure(t->sim)->goodput[flow][i];
    return bytes * 1500 / 1460 * 8 / ((double)PORT_BPS * (double)(until - from) / 1e12);
}

static double total(const struct theory *t, const struct shares *s, weir_ps from, weir_ps until)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->senders; i++)
        sum += share(t, i, from, until);
    return sum;
}

static double mean_queue(const struct theory *t, const struct shares *s, weir_ps from, weir_ps until)
{
    const struct series *series = &sim_measure(t->sim)->probe[s->probe];
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < series->count; i++) {
        if (series->points[i].when < from || series->points[i].when >= until)
            continue;
        sum += (double)series->points[i].queue_cells;
        count++;
    }
    assert_true(count > 0);
    return sum / count;
}

static void expect_even(const struct theory *t, const struct shares *s, weir_ps from, weir_ps until, double expected)
{
    for (uint32_t i = 0; i < s->senders; i++)
        theory_expect_near("  share of a flow", expected, share(t, i, from, until), 0.1 * expected);
}

static void hpcc_and_powertcp__carry_eta(void **state)
{
    static const struct transport *const kinds[] = {&transport_hpcc, &transport_powertcp};
    static const uint32_t senders[] = {1, 2, 4, 8};
    (void)state;
    for (uint32_t k = 0; k < 8; k++) {
        struct theory t;
        struct shares s = {.senders = senders[k / 2]};
        shares_config(&t, &s, kinds[k % 2], 8 * MS);
        theory_run(&t);
        double expected = 0.95 + 0.02; /* N AI / C */
        print_message("%s, %u flows\n", kinds[k % 2]->name, s.senders);
        theory_expect_near("  part of the port", expected, total(&t, &s, 4 * MS, 8 * MS), 0.01);
        theory_expect_near("  queue, packets", 0, mean_queue(&t, &s, 4 * MS, 8 * MS) / PACKET, s.senders);
        expect_even(&t, &s, 4 * MS, 8 * MS, expected / s.senders);
        assert_int_equal(theory_losses(&t, 0, s.senders), 0);
        theory_free(&t);
    }
}

static void powertcp_delay__keeps_a_small_queue(void **state)
{
    static const uint32_t senders[] = {2, 4, 8};
    (void)state;
    for (uint32_t k = 0; k < 3; k++) {
        struct theory t;
        struct shares s = {.senders = senders[k]};
        struct sim_transport *transport = shares_config(&t, &s, &transport_powertcp_delay, 8 * MS);
        roce_params(transport)->additive_bps *= 10; /* W_AI of a fifth of the share: a queue of C T / 5 */
        theory_run(&t);
        double trip = 4 * DELAY + 2.0 * (double)theory_wire_ps(&t, PORT_BPS, 1500) +
                      2.0 * (double)theory_wire_ps(&t, PORT_BPS, 40);
        double expected = 0.2 * (double)PORT_BPS * trip / 8e12;
        print_message("powertcp-delay, %u flows\n", s.senders);
        theory_expect_near("  part of the port", 1, total(&t, &s, 4 * MS, 8 * MS), 0.01);
        theory_expect_near("  queue, packets", expected / PACKET, mean_queue(&t, &s, 4 * MS, 8 * MS) / PACKET,
                           s.senders / 2.0 + 1);
        expect_even(&t, &s, 4 * MS, 8 * MS, 1.0 / s.senders);
        theory_free(&t);
    }
}

static void timely__round_trip_between_low_and_high(void **state)
{
    struct theory t;
    struct shares s = {.senders = 4};
    (void)state;
    struct sim_transport *transport = shares_config(&t, &s, &transport_timely, 40 * MS);
    roce_params(transport)->additive_bps = 5 * MBPS;
    roce_params(transport)->hyper_additive_bps = 25 * MBPS;
    timely_params(transport)->low_rtt_ps = 20 * US;
    timely_params(transport)->high_rtt_ps = 100 * US;
    theory_run(&t);
    const struct series *series = &sim_measure(t.sim)->probe[s.probe];
    double longest = 0;
    for (uint32_t i = 20000; i < series->count; i++)
        longest = (double)series->points[i].queue_cells > longest ? (double)series->points[i].queue_cells : longest;
    double trip_us = longest * 8e6 / (double)PORT_BPS + 8.2;
    double used = total(&t, &s, 20 * MS, 40 * MS);
    print_message("timely: part of the port %.3f, longest round trip %.1f us\n", used, trip_us);
    assert_true(trip_us >= 20 && trip_us <= 100);
    assert_true(used > 0.9);
    theory_free(&t);
}

static void none__grows_without_end(void **state)
{
    struct theory t;
    struct shares s = {.senders = 3};
    (void)state;
    shares_config(&t, &s, &transport_none, 2 * MS);
    theory_run(&t);
    expect_even(&t, &s, MS, 2 * MS, 1.0 / 3);
    const struct series *series = &sim_measure(t.sim)->probe[s.probe];
    double begin = (double)series->points[100].queue_cells, end = (double)series->points[1100].queue_cells;
    theory_expect_near("none: growth of the queue, packets", 2 * 1e11 * 1e-3 / 8 / PACKET, (end - begin) / PACKET, 3);
    theory_free(&t);
}

/* Flows join at 0, 4 and 8 ms; the first ends where its bytes do, shortly after 12 ms. */
static void hpcc_and_powertcp__join_and_leave(void **state)
{
    static const struct transport *const kinds[] = {&transport_hpcc, &transport_powertcp};
    (void)state;
    for (uint32_t k = 0; k < 2; k++) {
        struct theory t;
        struct shares s = {.senders = 3};
        for (uint32_t i = 0; i < 3; i++)
            s.flows[i].start_ps = i * 4 * MS;
        s.flows[0].bytes = (int64_t)(0.97 * 100e9 / 8 * 0.004 * (1 + 1.0 / 2 + 1.0 / 3));
        shares_config(&t, &s, kinds[k], 20 * MS);
        theory_run(&t);
        print_message("%s\n", kinds[k]->name);
        double one = 0.95 + 1.0 / 150, two = (0.95 + 2.0 / 150) / 2, three = (0.95 + 3.0 / 150) / 3;
        theory_expect_near("  one flow", one, share(&t, 0, 2 * MS, 4 * MS), 0.01 * one);
        theory_expect_near("  first of two", two, share(&t, 0, 6 * MS, 8 * MS), 0.1 * two);
        theory_expect_near("  second of two", two, share(&t, 1, 6 * MS, 8 * MS), 0.1 * two);
        for (uint32_t i = 0; i < 3; i++)
            theory_expect_near("  one of three", three, share(&t, i, 10 * MS, 12 * MS), 0.1 * three);
        theory_expect_near("  second when the first has left", two, share(&t, 1, 16 * MS, 20 * MS), 0.1 * two);
        theory_expect_near("  third when the first has left", two, share(&t, 2, 16 * MS, 20 * MS), 0.1 * two);
        theory_free(&t);
    }
}

/* Jain's index: 1 when all are equal, 1 / N when one has everything. */
static double jain(const struct theory *t, const struct shares *s, weir_ps from, weir_ps until)
{
    double sum = total(t, s, from, until), squares = 0;
    for (uint32_t i = 0; i < s->senders; i++)
        squares += share(t, i, from, until) * share(t, i, from, until);
    return sum * sum / squares / s->senders;
}

struct evenness_row {
    weir_ps delay_us;
    weir_bps steps;                                  /* W_AI in parts of the usual one */
    weir_ps apart_us;                                /* from start to start */
    weir_ps begin_ms;                                /* the length of the start */
    double begin_low, begin_high, end_low, end_high; /* Jain's index in the start and the last 20 ms */
};

static void hpcc__evenness_by_default(void **state)
{
    static const struct evenness_row rows[] = {
        {10, 1, 300, 4, 0.7, 0.95, 0.99, 1}, /* 335 packets in C T: uneven after the start, then even */
        {1, 1, 0, 1, 0.95, 1, 0.3, 0.8},     /* 35 packets: even after the start, then not */
        {1, 8, 0, 1, 0.99, 1, 0.99, 1},      /* but with larger steps it stays so */
    };
    struct sim_transport usual;
    sim_transport_init(&usual, &transport_hpcc);
    (void)state;
    for (uint32_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const struct evenness_row *row = &rows[k];
        struct theory t;
        struct shares s = {.senders = 4, .delay_ps = row->delay_us * US};
        for (uint32_t i = 0; i < s.senders; i++)
            s.flows[i] = (struct listed_flow){.start_ps = i * row->apart_us * US, .bytes = (int64_t)1 << 40};
        struct sim_transport *transport = shares_config(&t, &s, &transport_hpcc, 100 * MS);
        roce_params(transport)->additive_bps = roce_params(&usual)->additive_bps * row->steps;
        theory_run(&t);
        double begin = jain(&t, &s, 0, row->begin_ms * MS), end = jain(&t, &s, 80 * MS, 100 * MS);
        print_message("HPCC over %d us: Jain's index %.3f, then %.3f\n", (int)row->delay_us, begin, end);
        double expected = 0.95 + 4 * (double)roce_params(transport)->additive_bps / 25e9;
        theory_expect_near("  part of the port", expected, total(&t, &s, 80 * MS, 100 * MS), 0.01);
        assert_true(begin >= row->begin_low && begin <= row->begin_high);
        assert_true(end >= row->end_low && end <= row->end_high);
        theory_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hpcc_and_powertcp__carry_eta),
        cmocka_unit_test(powertcp_delay__keeps_a_small_queue),
        cmocka_unit_test(timely__round_trip_between_low_and_high),
        cmocka_unit_test(none__grows_without_end),
        cmocka_unit_test(hpcc_and_powertcp__join_and_leave),
        cmocka_unit_test(hpcc__evenness_by_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
