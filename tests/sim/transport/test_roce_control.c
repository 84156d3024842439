/*
 * test_roce_control.c - what the congestion controls of RoCE do to rate and window, against their rules by hand: on the
 * fake host (12 Gb/s, 20 us of round trip, 1 us per packet at line rate), whose stamps are those of a link that this
 * flow has alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "sim/transport/roce_dcqcn.h"
#include "sim/transport/roce_hpcc.h"
#include "sim/transport/roce_powertcp.h"
#include "sim/transport/roce_timely.h"
#include "tests/support/fake_host.h"

#define US WEIR_PS_PER_US
#define MS WEIR_PS_PER_MS
#define LINE 12e9
#define TRIP_BYTES 30000.0 /* LINE for 20 us */

static void assert_near(double found, double expected, double bound)
{
    if (!(fabs(found - expected) <= bound))
        fail_msg("%.9g is not %.9g within %.3g", found, expected, bound);
}

static struct roce_sender *sender(struct fake_host *fake)
{
    return roce_sender(&fake->flow);
}

static void cnp(struct fake_host *fake, weir_ps now)
{
    struct packet packet = {.flags = PACKET_ACK | PACKET_CNP};
    roce_ack(&fake->host, &fake->flow, &packet, now);
}

/* Brings the rate up to what it is now, as sending does. */
static double dcqcn_rate(struct fake_host *fake, weir_ps now)
{
    struct roce_event event = {
        .params = roce_params(&fake->settings), .line_bps = LINE, .base_rtt_ps = 20 * US, .now = now, .bytes = 1500};
    sender(fake)->control->on_send(sender(fake), &event);
    return sender(fake)->rate_bps;
}

static void dcqcn_init(struct fake_host *fake)
{
    fake_init(fake, &transport_dcqcn, 0);
    roce_params(&fake->settings)->min_rate_bps = 100000000;
    fake_run(fake, 1);
}

static void dcqcn__decrease(void **state)
{
    struct fake_host fake;
    (void)state;
    dcqcn_init(&fake);
    cnp(&fake, 100 * US);
    assert_near(sender(&fake)->rate_bps, 6e9, 1); /* alpha is 1 at first, whenever that is */
    cnp(&fake, 102 * US);
    assert_near(sender(&fake)->rate_bps, 6e9, 1); /* within the decrease interval */
    cnp(&fake, 104 * US);
    double g = 1.0 / 256;
    double alpha = 1 * (1 - g) * (1 - g); /* two intervals after 100 us */
    alpha += g * (1 - alpha);
    alpha *= (1 - g) * (1 - g);
    assert_near(sender(&fake)->rate_bps, 6e9 * (1 - alpha / 2), 1);
    for (uint32_t i = 1; i < 100; i++)
        cnp(&fake, (104 + 4 * i) * US);
    assert_near(sender(&fake)->rate_bps, 1e8, 0); /* the least */
    fake_free(&fake);
}

/* One fast recovery, one additive increase, then hyper increases, every 300 us: AI 2.4 Mb/s and HAI 24 Mb/s here. */
static void dcqcn__increase(void **state)
{
    struct fake_host fake;
    (void)state;
    dcqcn_init(&fake);
    cnp(&fake, 100 * US);
    cnp(&fake, 110 * US);
    double rate = sender(&fake)->rate_bps, target = LINE; /* of the first decrease in the row */
    assert_near(dcqcn_rate(&fake, 409 * US), rate, 0);
    rate = (rate + target) / 2;
    assert_near(dcqcn_rate(&fake, 410 * US), rate, 1);
    cnp(&fake, 411 * US); /* now the target is what was reached */
    target = rate;
    rate = sender(&fake)->rate_bps;
    const double more[] = {0, 2.4e6, 24e6, 24e6};
    for (uint32_t i = 0; i < 4; i++) {
        target += more[i];
        rate = (rate + target) / 2;
        assert_near(dcqcn_rate(&fake, (711 + 300 * i) * US), rate, 1);
    }
    assert_near(dcqcn_rate(&fake, WEIR_PS_PER_S), LINE, 0); /* in the end */
    assert_int_equal(dcqcn_of(sender(&fake))->increase_ps, WEIR_NEVER);
    fake_free(&fake);
}

static void dcqcn__clamp_target(void **state)
{
    struct fake_host fake;
    (void)state;
    dcqcn_init(&fake);
    dcqcn_params(&fake.settings)->clamp_target = true;
    cnp(&fake, 100 * US);
    cnp(&fake, 110 * US);
    double rate = sender(&fake)->rate_bps;
    assert_near(dcqcn_rate(&fake, 410 * US), (rate + 6e9) / 2, 1);
    fake_free(&fake);
}

/* Every 3000 bytes instead of every 300 us: the count of the timer stays at 0, so there is no hyper increase. */
static void dcqcn__byte_counter(void **state)
{
    struct fake_host fake;
    (void)state;
    dcqcn_init(&fake);
    dcqcn_params(&fake.settings)->increase_bytes = 3000;
    cnp(&fake, 100 * US);
    cnp(&fake, 110 * US);
    double rate = sender(&fake)->rate_bps, target = LINE;
    dcqcn_of(sender(&fake))->target_bps = target = 7e9;
    for (uint32_t i = 0; i < 4; i++) {
        assert_near(dcqcn_rate(&fake, 120 * US), rate, 1);
        target += i ? 2.4e6 : 0;
        rate = (rate + target) / 2;
        assert_near(dcqcn_rate(&fake, 120 * US), rate, 1);
    }
    fake_free(&fake);
}

/*
 * Alone on a link whose stamps tell nothing but the flow's own rate, u = W / (B T): W = W_c eta / u + W_AI has its
 * fixed point at eta B T + W_AI. The same holds of PowerTCP's.
 */
static void hpcc__aims_at_eta(void **state)
{
    static const struct transport *const kinds[] = {&transport_hpcc, &transport_powertcp};
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct fake_host fake;
        fake_init(&fake, kinds[i], 0);
        fake_run(&fake, 5 * MS);
        double more = (double)roce_params(&fake.settings)->additive_bps * LINE / 25e9;
        assert_near(sender(&fake)->rate_bps, 0.95 * LINE + more, 0.005 * LINE);
        assert_near(sender(&fake)->window_bytes, sender(&fake)->rate_bps / LINE * TRIP_BYTES, 1);
        fake_free(&fake);
    }
}

/* A standing queue of a tenth of B T counts like a tenth of the link: W = eta (W / u) + W_AI, u = W / (B T) + 0.1. */
static void hpcc__queue_counts(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_hpcc, 0);
    fake.queue_bytes = 3000;
    fake_run(&fake, 5 * MS);
    assert_near(sender(&fake)->rate_bps, 0.85 * LINE, 0.01 * LINE);
    fake_free(&fake);
}

/* From below eta the paper's stages add W_AI per round trip and nothing else. */
static void hpcc__stages(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_hpcc, 0);
    hpcc_params(&fake.settings)->stages = 1000;
    fake_run(&fake, MS);
    struct roce_sender *s = sender(&fake);
    hpcc_of(s)->reference_bytes = s->window_bytes = TRIP_BYTES / 2;
    s->rate_bps = LINE / 2;
    fake_run(&fake, 1100 * US); /* the new rate is measured */
    double before = hpcc_of(s)->reference_bytes;
    uint32_t stage = hpcc_of(s)->stage;
    fake_run(&fake, 1500 * US);
    uint32_t trips = hpcc_of(s)->stage - stage;
    assert_in_range(trips, 15, 20);
    assert_near(hpcc_of(s)->reference_bytes - before, trips * 12.0, 1e-6); /* 4.8 Mb/s for 20 us */
    fake_free(&fake);
}

/* Ties: a link that is used by eta exactly, the last stage, and an ACK of the last byte of a round trip. Of B T = 30000
 * bytes the link sent `sent_bytes` in T, so that U is their part of it. */
static void hpcc__ties(void **state)
{
    static const struct {
        uint64_t sent_bytes;
        uint32_t stage, ack; /* before, with 3 stages; the round trip ends after byte 700 */
        double scale;        /* of the reference, by which the window follows */
        uint32_t stage_after;
        bool moves; /* the reference */
    } rows[] = {
        {15000, 1, 701, 1, 0, true},    /* eta is too much */
        {14985, 1, 701, 1, 2, true},    /* just below it */
        {7500, 2, 701, 1, 3, true},     /* the last stage */
        {7500, 3, 701, 2, 0, true},     /* was the last one */
        {7500, 1, 700, 1, 1, false},    /* the last ACK of the round trip */
        {30000, 1, 701, 0.5, 0, true},  /* twice eta */
        {30000, 1, 700, 0.5, 1, false}, /* answered at once all the same */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fake_host fake;
        struct telemetry last = {.hops = 1}, stamps = {.hops = 1};
        fake_init(&fake, &transport_hpcc, 0);
        hpcc_params(&fake.settings)->stages = 3;
        hpcc_params(&fake.settings)->utilisation = 0.5;
        fake_run(&fake, 1);
        struct roce_sender *s = sender(&fake);
        struct hpcc *own = hpcc_of(s);
        own->reference_bytes = 10000;
        own->used = 0.5;
        own->update = 700;
        own->stage = rows[i].stage;
        s->next = 900;
        last.hop[0] = (struct telemetry_hop){.when = 100 * US, .rate_bps = 12000000000};
        stamps.hop[0] =
            (struct telemetry_hop){.when = 120 * US, .sent_bytes = rows[i].sent_bytes, .rate_bps = 12000000000};
        struct roce_event event = {.params = roce_params(&fake.settings),
                                   .line_bps = LINE,
                                   .base_rtt_ps = 20 * US,
                                   .ack = rows[i].ack,
                                   .stamps = &stamps,
                                   .last = &last};
        s->control->on_ack(s, &event);
        assert_near(s->window_bytes, 10000 * rows[i].scale + 12, 1e-6); /* 4.8 Mb/s for 20 us */
        assert_int_equal(own->stage, rows[i].stage_after);
        assert_near(own->reference_bytes, rows[i].moves ? s->window_bytes : 10000, 0);
        assert_int_equal(own->update, rows[i].moves ? 900 : 700);
        fake_free(&fake);
    }
}

/* A queue that grows by a byte for each byte sent doubles the current; one of B T doubles the voltage. */
static void powertcp__power_is_current_times_voltage(void **state)
{
    struct fake_host fake;
    struct telemetry last = {.hops = 1}, stamps = {.hops = 1};
    (void)state;
    fake_init(&fake, &transport_powertcp, 0);
    fake_run(&fake, 1);
    struct roce_sender *s = sender(&fake);
    last.hop[0] = (struct telemetry_hop){.when = 100 * US, .sent_bytes = 0, .rate_bps = 12000000000, .queue_bytes = 0};
    stamps.hop[0] =
        (struct telemetry_hop){.when = 120 * US, .sent_bytes = 30000, .rate_bps = 12000000000, .queue_bytes = 30000};
    struct roce_event event = {.params = roce_params(&fake.settings),
                               .line_bps = LINE,
                               .base_rtt_ps = 20 * US,
                               .now = 140 * US,
                               .stamps = &stamps,
                               .last = &last};
    s->control->on_ack(s, &event);
    assert_near(powertcp_of(s)->power, 4, 1e-9);
    double wanted = TRIP_BYTES * 0.95 / 4 + 72e6 / LINE * TRIP_BYTES;
    assert_near(s->window_bytes, 0.9 * wanted + 0.1 * TRIP_BYTES, 1e-6);
    stamps.hop[0].port = 1; /* another way: nothing to compare */
    s->control->on_ack(s, &event);
    assert_near(powertcp_of(s)->power, 4, 1e-9);
    fake_free(&fake);
}

/* Stamps of one link of 12 Gb/s, at random moments. */
static struct telemetry_hop random_hop(const struct telemetry_hop *last, struct weir_random *random)
{
    return (struct telemetry_hop){.when = last->when + (1 + weir_random_below(random, 30)) * US,
                                  .sent_bytes = last->sent_bytes + weir_random_below(random, 30000),
                                  .queue_bytes = weir_random_below(random, 20000),
                                  .rate_bps = 12000000000};
}

/*
 * What HPCC's and PowerTCP's simulators do with every ACK, in their own terms: B in bytes per us, T = 20 us.
 *
 *   HPCC      u = bytes sent / (B t) + min(q, q before) / (B T);   W = W_c / (U / 0.95) + W_AI, always (maxStage 0)
 *   PowerTCP  u = (q + B T) (change of q + bytes sent) / t / (B B T);   W = 0.9 (W_old / (U / 0.95) + W_AI) + 0.1 W
 *   both      U = (U (T - t) + u t) / T, t at most T;   W_c, W_old follow W once per round trip
 */
static void roce_control__as_the_authors_simulators(void **state)
{
    static const struct transport *const kinds[] = {&transport_hpcc, &transport_powertcp};
    const double link = 1500, trip = 20, most = link * trip, least = 100e6 / 8e6 * trip;
    (void)state;
    for (uint32_t k = 0; k < 2; k++) {
        struct fake_host fake;
        struct weir_random random = weir_random_stream(1, "authors");
        struct telemetry last = {.hops = 1}, stamps = {.hops = 1};
        fake_init(&fake, kinds[k], 0);
        fake_run(&fake, 1);
        struct roce_sender *s = sender(&fake);
        double more = (k ? 150e6 : 10e6) * 12 / 25 / 8e6 * trip, w = most, before = most, used = k ? 1 : 0.95;
        last.hop[0].when = 100 * US;
        for (uint32_t i = 1; i < 1000; i++) {
            stamps.hop[0] = random_hop(&last.hop[0], &random);
            struct roce_event event = {.params = roce_params(&fake.settings),
                                       .line_bps = LINE,
                                       .base_rtt_ps = 20 * US,
                                       .stamps = &stamps,
                                       .last = &last};
            const struct telemetry_hop *new = &stamps.hop[0], *old = &last.hop[0];
            double t = (double)(new->when - old->when) / US, sent = (double)(new->sent_bytes - old->sent_bytes);
            double q = new->queue_bytes, q0 = old->queue_bytes;
            double u = k ? (q + most) * (q - q0 + sent) / t / (link * link * trip)
                         : sent / (link * t) + (q < q0 ? q : q0) / most;
            t = t < trip ? t : trip;
            used = (used * (trip - t) + u * t) / trip;
            used = k && used < 0.01 ? 0.01 : used; /* ours: a power that is negative says nothing */
            double wanted = before / (used / 0.95) + more;
            w = k ? 0.9 * wanted + 0.1 * w : wanted;
            w = w < least ? least : w > most ? most : w;
            event.ack = i % 3 ? 0 : UINT32_MAX;
            s->next = i;
            s->control->on_ack(s, &event);
            assert_near(s->window_bytes, w, 1e-6 * w);
            assert_near(s->rate_bps, w / most * LINE, 1e-6 * LINE);
            before = i % 3 ? before : w;
            last.hop[0] = stamps.hop[0];
        }
        fake_free(&fake);
    }
}

/* Round trips of 1.25 T: W = W / 1.25 + W_AI at 5 W_AI. */
static void powertcp_delay__steady_queue(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_powertcp_delay, 0);
    roce_params(&fake.settings)->base_rtt_ps = 16 * US;
    roce_params(&fake.settings)->min_rate_bps = 1000000;
    fake_run(&fake, 20 * MS);
    assert_near(sender(&fake)->rate_bps, 5 * 72e6, 0.01 * 5 * 72e6);
    fake_free(&fake);
}

struct timely_row {
    double rate_bps;         /* before */
    weir_ps low_us, high_us; /* round trips take 20 us */
    uint32_t falling;        /* before */
    weir_ps difference_us;   /* before; 0.875 of it decays with a round trip of the same length */
    double expected;
    uint32_t falling_after;
};

/* Delta is 12 Mb/s here, and 60 Mb/s when fast. */
static void timely__rules(void **state)
{
    static const struct timely_row rows[] = {
        {1e9, 50, 500, 0, 0, 1e9 + 12e6, 1},                        /* below low */
        {1e9, 50, 500, 9, 0, 1e9 + 12e6, 10},                       /* never fast there */
        {1e9, 50, 500, 0, 9, 1e9 + 12e6, 0},                        /* whatever the gradient */
        {1e9, 5, 10, 0, 0, 1e9 * (1 - 0.8 * 0.5), 0},               /* twice high */
        {1e9, 5, 500, 0, 0, 1e9 + 12e6, 1},                         /* flat */
        {1e9, 5, 500, 4, -8, 1e9 + 60e6, 5},                        /* falling for the fifth time */
        {1e9, 5, 500, 4, 8, 1e9 * (1 - 0.8 * (0.125 * 8 / 20)), 0}, /* rising */
        {12e9, 5, 500, 0, 0, 12e9, 1},                              /* at line rate */
        {1e8, 5, 10, 0, 0, 1e8, 0},                                 /* at the least */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fake_host fake;
        fake_init(&fake, &transport_timely, 0);
        timely_params(&fake.settings)->low_rtt_ps = rows[i].low_us * US;
        timely_params(&fake.settings)->high_rtt_ps = rows[i].high_us * US;
        fake_run(&fake, 1);
        struct roce_sender *s = sender(&fake);
        s->rate_bps = rows[i].rate_bps;
        struct timely *own = timely_of(s);
        own->rtt_ps = 20 * US;
        own->falling = rows[i].falling;
        own->difference_ps = (double)(rows[i].difference_us * US);
        own->update = 0;
        struct packet ack = {.flags = PACKET_ACK, .ack = 1};
        roce_ack(&fake.host, &fake.flow, &ack, 20 * US);
        assert_near(s->rate_bps, rows[i].expected, 1);
        assert_int_equal(own->falling, rows[i].falling_after);
        fake_free(&fake);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dcqcn__decrease),
        cmocka_unit_test(dcqcn__increase),
        cmocka_unit_test(dcqcn__clamp_target),
        cmocka_unit_test(dcqcn__byte_counter),
        cmocka_unit_test(hpcc__aims_at_eta),
        cmocka_unit_test(hpcc__queue_counts),
        cmocka_unit_test(hpcc__stages),
        cmocka_unit_test(hpcc__ties),
        cmocka_unit_test(powertcp__power_is_current_times_voltage),
        cmocka_unit_test(roce_control__as_the_authors_simulators),
        cmocka_unit_test(powertcp_delay__steady_queue),
        cmocka_unit_test(timely__rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
