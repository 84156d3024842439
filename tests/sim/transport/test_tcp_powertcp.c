/*
 * test_tcp_powertcp.c - PowerTCP over TCP: its arithmetic against the authors' model, and windows, rates, losses and
 * timeouts on the fake host (12 Gb/s, 20 us of round trip, 1 us per packet), whose stamps are those of a link that this
 * flow has alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "sim/transport/tcp_more.h"
#include "sim/transport/tcp_powertcp.h"
#include "tests/support/fake_host.h"

#define US WEIR_PS_PER_US
#define MS WEIR_PS_PER_MS
#define LINE 12e9
#define TRIP_SEGMENTS (30000.0 / 1460) /* LINE for 20 us */

static void assert_near(double found, double expected, double bound)
{
    if (!(fabs(found - expected) <= bound))
        fail_msg("%.9g is not %.9g within %.3g", found, expected, bound);
}

/* Stamps of one link of 12 Gb/s, at random moments. */
static struct telemetry_hop random_hop(const struct telemetry_hop *last, struct weir_random *random)
{
    return (struct telemetry_hop){.when = last->when + (1 + weir_random_below(random, 30)) * US,
                                  .sent_bytes = last->sent_bytes + weir_random_below(random, 30000),
                                  .queue_bytes = weir_random_below(random, 20000),
                                  .rate_bps = 12000000000};
}

/* What the authors' TcpAdvanced does with every ACK, in its own terms: rates in b/s, times in us, T = 20 us. */
static void powertcp_on_stamps__as_the_authors_simulator(void **state)
{
    const double most = 12e9, least = 100e6, trip = 20;
    struct sim_transport settings;
    struct tcp_more more = {0};
    struct tcp_sender sender = {.window = 10, .more = &more, .next = 1};
    struct weir_random random = weir_random_stream(1, "authors");
    struct telemetry last = {.hops = 1}, stamps = {.hops = 1};
    double old = most, aggregate = 0;
    (void)state;
    sim_transport_init(&settings, &transport_powertcp_tcp);
    const struct tcp_control *control = transport_powertcp_tcp.control;
    struct tcp_told told = {
        .stamps = &stamps, .last = &last, .line_bps = most, .base_rtt_ps = 20 * US, .mss_bytes = 1460};
    last.hop[0].when = 100 * US;
    last.hop[0].rate_bps = 12000000000;
    for (uint32_t i = 1; i < 1000; i++) {
        stamps.hop[0] = random_hop(&last.hop[0], &random);
        const struct telemetry_hop *new = &stamps.hop[0], *before = &last.hop[0];
        double t = (double)(new->when - before->when) / US;
        double tx = (double)(new->sent_bytes - before->sent_bytes) * 8e6 / t;
        double rx = tx + ((double)new->queue_bytes - before->queue_bytes) * 8e6 / t;
        double a = rx < 0.5 * most ? 0.5 * most : rx;
        double product = most * trip / 1e6; /* bits */
        double u = a * (product + new->queue_bytes * 8.0) / (most * product);
        t = t < trip ? t : trip;
        aggregate = (aggregate * (trip - t) + u * t) / trip;
        double c = aggregate / 0.95, rate = old / c + 100e6;
        rate = c <= 0.5 ? rate : 0.9 * rate + 0.1 * old;
        rate = rate < least ? least : rate > most ? most : rate;
        sender.una = i % 3 ? 0 : i;
        control->on_stamps(&sender, tcp_params(&settings), &told);
        double window = rate * trip / 8e6 / 1460;
        assert_near(sender.window, window > 1 ? window : 1, 1e-6 * window);
        assert_near(more.pace.rate_bps, rate < most ? rate : 0, 1e-6 * rate);
        sender.next = i + 2; /* so that every third ACK is of a round trip later */
        old = i % 3 ? old : rate;
        last.hop[0] = stamps.hop[0];
    }
}

/* Alone on a link R = eta R / P + R_AI, P = R / LINE with headers: R = eta LINE + R_AI, less the headers. A base_rtt of
 * twice the real one keeps the window, of whole segments, from deciding. */
static void powertcp_on_stamps__aims_at_eta(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_powertcp_tcp, 0);
    powertcp_tcp_params(&fake.settings)->base_rtt_ps = 40 * US;
    fake_run(&fake, 5 * MS);
    struct tcp_sender *s = tcp_sender(&fake.flow);
    double rate = 0.95 * LINE * 1460 / 1500 + 100e6;
    assert_near(s->more->pace.rate_bps, rate, 0.005 * LINE);
    assert_near(s->window, s->more->pace.rate_bps / LINE * 2 * TRIP_SEGMENTS, 1e-6);
    assert_near((double)fake.delivered_bytes * 8 / 5e-3, rate, 0.01 * LINE);
    assert_int_equal(fake_acks_with(&fake, PACKET_TELEMETRY), fake.ack_count);
    fake_free(&fake);
}

/* Behind a queue of 100 B T it falls to `min_rate`: a segment of 1460 bytes each 116.8 us, or one per round trip. */
static void tcp_emit__at_the_rate(void **state)
{
    (void)state;
    for (uint32_t paced = 0; paced < 2; paced++) {
        struct fake_host fake;
        fake_init(&fake, &transport_powertcp_tcp, 0);
        powertcp_tcp_params(&fake.settings)->paced = paced;
        powertcp_tcp_params(&fake.settings)->additive_bps = 0;
        fake.queue_bytes = 3000000;
        fake_run(&fake, 5 * MS);
        assert_true(tcp_sender(&fake.flow)->window == 1);
        for (uint32_t i = fake.data_count - 10; i + 1 < fake.data_count; i++)
            assert_int_equal(fake.data[i + 1].when - fake.data[i].when, paced ? 116800 * WEIR_PS_PER_NS : 20 * US);
        assert_true(fake.timer_calls < 2 * fake.data_count + 5 * MS / (64 * US) + 2);
        fake_free(&fake);
    }
}

/* Losses are repaired by SACK, of which two blocks fit beside stamps, and leave the window to the stamps. */
static void tcp_ack__stamps_beside_blocks(void **state)
{
    static const struct fake_fate fates[] = {
        {100, 1, false}, {102, 1, false}, {104, 1, false}, {106, 1, false}, {107, 1, false}};
    struct fake_host fake;
    bool two = false;
    (void)state;
    fake_init(&fake, &transport_powertcp_tcp, 1000);
    fake.fates = fates;
    fake.fate_count = 5;
    double least = TRIP_SEGMENTS;
    for (weir_ps end = US; !fake_run(&fake, end) && end < 5 * MS; end += US) {
        double window = tcp_sender(&fake.flow)->window;
        if (fake.now > 200 * US && window < least)
            least = window;
    }
    fake_assert_complete(&fake);
    assert_true(least > 0.8 * TRIP_SEGMENTS);
    assert_int_equal(fake.flow.timeouts, 0);
    assert_int_equal(fake.flow.again, 5);
    for (uint32_t i = 0; i < fake.ack_count; i++) {
        const struct packet *ack = &fake.acks[i].packet;
        assert_true(ack->flags & PACKET_TELEMETRY);
        two |= ack->sack[0].length && ack->sack[1].length;
    }
    assert_true(two);
    fake_free(&fake);
}

/* A timeout leaves a window of 1; the first ACK after it brings the stamps' window back. */
static void tcp_sender_timer__timeout(void **state)
{
    static const struct fake_fate fates[] = {{10, 1, false}, {11, 1, false}, {12, 1, false}, {13, 1, false}};
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_powertcp_tcp, 14);
    fake.fates = fates;
    fake.fate_count = 4;
    assert_true(fake_run(&fake, 20 * MS));
    fake_assert_complete(&fake);
    assert_int_equal(fake.flow.timeouts, 1);
    const struct fake_log *first = fake_sent(&fake, 10, 2), *second = fake_sent(&fake, 11, 2);
    assert_in_range(first->when, 10 * MS, 11 * MS);
    assert_in_range(second->when - first->when, 20 * US, 200 * US);
    fake_free(&fake);
}

/* A rate so low that a timeout passes between two segments, while nothing is outstanding, or something is. */
static void tcp_sender_timer__slower_than_the_timeout(void **state)
{
    static const struct fake_fate fates[] = {{20, 1, false}};
    (void)state;
    for (uint32_t lost = 0; lost < 2; lost++) {
        struct fake_host fake;
        fake_init(&fake, &transport_powertcp_tcp, 25);
        powertcp_tcp_params(&fake.settings)->min_rate_bps = 500000; /* 23.36 ms per segment */
        powertcp_tcp_params(&fake.settings)->additive_bps = 0;
        fake.queue_bytes = 300000000;
        fake.fates = fates;
        fake.fate_count = lost;
        assert_true(fake_run(&fake, 2 * WEIR_PS_PER_S));
        fake_assert_complete(&fake);
        assert_int_equal(fake.flow.timeouts, lost);
        fake_free(&fake);
    }
}

/* Options, handshake, kept connections and random losses together: everything arrives and nothing is left behind. */
static void tcp_powertcp__with_options(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 64; i++) {
        struct fake_host fake;
        fake_init(&fake, &transport_powertcp_tcp, 300);
        struct tcp_params *tcp = tcp_params(&fake.settings);
        tcp->rack = tcp->tail_loss_probe = i & 1;
        tcp->prr = i & 2;
        tcp->handshake = i & 4;
        tcp->ack_every = i & 8 ? 2 : 1;
        tcp->keep_connections = i & 16;
        powertcp_tcp_params(&fake.settings)->paced = i & 32;
        fake.random = weir_random_stream(i, "options");
        fake.jitter_ps = i & 1 ? (uint32_t)(3 * US) : 0;
        fake.data_loss = fake.ack_loss = WEIR_Q16_ONE / 50;
        fake.queue_bytes = 20000;
        if (!fake_run(&fake, 20 * WEIR_PS_PER_S))
            fail_msg("options %u: the flow does not end", i);
        fake_assert_complete(&fake);
        fake_free(&fake);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powertcp_on_stamps__as_the_authors_simulator),
        cmocka_unit_test(powertcp_on_stamps__aims_at_eta),
        cmocka_unit_test(tcp_emit__at_the_rate),
        cmocka_unit_test(tcp_ack__stamps_beside_blocks),
        cmocka_unit_test(tcp_sender_timer__timeout),
        cmocka_unit_test(tcp_sender_timer__slower_than_the_timeout),
        cmocka_unit_test(tcp_powertcp__with_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
