/*
 * test_tcp_cubic.c - CUBIC's curve against its formula, the cube root, fast convergence and the Reno-friendly region.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/transport/tcp_cubic.h"
#include "tests/support/fake_host.h"

static void assert_near(double value, double expected, double relative)
{
    double error = value - expected, bound = relative * (expected < 0 ? -expected : expected);
    if (!(error <= bound && -error <= bound))
        fail_msg("%.17g instead of %.17g", value, expected);
}

static void cubic_root__cubed(void **state)
{
    (void)state;
    for (double x = 1e-9; x < 1e12; x *= 1.37) {
        double root = cubic_root(x);
        assert_near(root * root * root, x, 1e-14);
    }
    assert_true(cubic_root(0) == 0);
    assert_true(cubic_root(8) == 2);
    assert_near(cubic_root(27), 3, 1e-15);
}

/* Acknowledges a window per round trip. */
static void follow(struct tcp_sender *sender, const struct sim_transport *settings, double seconds)
{
    const struct tcp_control *control = transport_cubic.control;
    weir_ps rtt = sender->srtt_ps, end = (weir_ps)(seconds * 1e12);
    for (weir_ps now = 0; now < end; now += rtt / 100) {
        struct tcp_acked acked = {.delivered = 1, .grow = (uint32_t)(sender->window / 100) + 1, .now = now};
        control->on_ack(sender, tcp_params(settings), &acked);
    }
}

/* W(t) = 0.4 (t - K)^3 + 1000 with K = cbrt(0.3 * 1000 / 0.4) = 9.0856 s. The window lags the curve by less than a
 * round trip of 10 ms. */
static void cubic_on_ack__follows_the_curve(void **state)
{
    static const double times[] = {0.5, 2, 5, 9, 12, 15};
    (void)state;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        const struct tcp_control *control = transport_cubic.control;
        struct sim_transport settings;
        struct tcp_sender sender = {.window = 1000, .srtt_ps = 10 * WEIR_PS_PER_MS};
        sim_transport_init(&settings, &transport_cubic);
        cubic_params(&settings)->friendly = CUBIC_UNFRIENDLY;
        control->init(&sender, tcp_params(&settings));
        sender.window = sender.threshold = control->reduced(&sender, tcp_params(&settings), TCP_CONGESTION_LOSS);
        assert_near(sender.window, 700, 2e-5);
        follow(&sender, &settings, times[i]);
        double k = cubic_root(300 / 0.4), t = times[i] - k;
        assert_near(sender.window, 0.4 * t * t * t + 1000, 2e-3);
    }
}

/* As ns-3: slow start ends at the first ACK from 16 segments on, and until a loss an ACK adds a twentieth at least. */
static void cubic_on_ack__as_ns3(void **state)
{
    const struct tcp_control *control = transport_cubic.control;
    struct sim_transport settings;
    (void)state;
    for (int ns3 = 0; ns3 < 2; ns3++) {
        struct tcp_sender sender = {.window = 15, .threshold = 1000, .srtt_ps = 10 * WEIR_PS_PER_US};
        struct tcp_acked acked = {.delivered = 1, .grow = 1};
        sim_transport_init(&settings, &transport_cubic);
        cubic_params(&settings)->code = ns3 ? CUBIC_NS3 : CUBIC_RFC;
        cubic_params(&settings)->friendly = CUBIC_UNFRIENDLY;
        control->init(&sender, tcp_params(&settings));
        control->on_ack(&sender, tcp_params(&settings), &acked);
        assert_near(sender.window, 16, 1e-12);
        control->on_ack(&sender, tcp_params(&settings), &acked);
        assert_near(sender.window, ns3 ? 16.05 : 17, 1e-12);
        control->on_ack(&sender, tcp_params(&settings), &acked);
        assert_near(sender.window, ns3 ? 16.1 : 18, 1e-12);
        sender.window = sender.threshold = control->reduced(&sender, tcp_params(&settings), TCP_CONGESTION_LOSS);
        double reduced = sender.window;
        control->on_ack(&sender, tcp_params(&settings), &acked); /* after a loss by the curve alone */
        assert_true(sender.window > reduced && sender.window < reduced + 0.04);
    }
}

static void cubic_reduced__fast_convergence(void **state)
{
    const struct tcp_control *control = transport_cubic.control;
    struct sim_transport settings;
    struct tcp_sender sender = {.window = 100};
    (void)state;
    sim_transport_init(&settings, &transport_cubic);
    cubic_params(&settings)->beta = WEIR_Q16_ONE / 2;
    control->init(&sender, tcp_params(&settings));
    assert_true(control->reduced(&sender, tcp_params(&settings), TCP_CONGESTION_LOSS) == 50);
    assert_true(cubic_of(&sender)->w_max == 100);
    sender.window = 80;
    assert_true(control->reduced(&sender, tcp_params(&settings), TCP_CONGESTION_LOSS) == 40);
    assert_true(cubic_of(&sender)->w_max == 60);
    sender.window = 70;
    control->reduced(&sender, tcp_params(&settings), TCP_CONGESTION_MARK);
    assert_true(cubic_of(&sender)->w_max == 70);
}

/* With short round trips the cubic curve is flat: after a loss at 100 segments the window grows by
 * 3 (1 - beta) / (1 + beta) = 0.53 per round trip until it is back, then by 1; by RFC 8312 it never does. */
static void cubic_on_ack__reno_friendly(void **state)
{
    static const struct {
        enum cubic_friendly friendly;
        double later;
    } rules[] = {{CUBIC_FRIENDLY, 1}, {CUBIC_FRIENDLY_RFC8312, 0.5294}};
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct tcp_control *control = transport_cubic.control;
        struct sim_transport settings;
        struct tcp_sender sender = {.window = 100, .srtt_ps = 100 * WEIR_PS_PER_US};
        sim_transport_init(&settings, &transport_cubic);
        cubic_params(&settings)->friendly = rules[i].friendly;
        control->init(&sender, tcp_params(&settings));
        sender.window = sender.threshold = control->reduced(&sender, tcp_params(&settings), TCP_CONGESTION_LOSS);
        weir_ps now = 0;
        for (double at = sender.window; at < 120; at = sender.window) {
            double expected = at < 99 ? 0.5294 : at > 100 ? rules[i].later : 0;
            for (uint32_t k = 0, acks = (uint32_t)at; k < acks; k++, now += WEIR_PS_PER_US) {
                struct tcp_acked acked = {.delivered = 1, .grow = 1, .now = now};
                control->on_ack(&sender, tcp_params(&settings), &acked);
            }
            if (expected > 0)
                assert_true(sender.window - at > 0.97 * expected && sender.window - at <= 1.001 * expected);
            else
                assert_true(sender.window > at);
        }
    }
}

static void cubic__repairs_losses(void **state)
{
    struct fake_host fake;
    static const struct fake_fate lost[] = {{500, 1, false}, {900, 1, false}};
    (void)state;
    fake_init(&fake, &transport_cubic, 3000);
    fake.nic_ps = 100;
    fake.fates = lost;
    fake.fate_count = 2;
    assert_true(fake_run(&fake, 9 * WEIR_PS_PER_MS));
    assert_int_equal(fake.flow.timeouts, 0);
    assert_int_equal(fake.flow.again, 2);
    fake_free(&fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cubic_root__cubed),           cmocka_unit_test(cubic_on_ack__follows_the_curve),
        cmocka_unit_test(cubic_on_ack__as_ns3),        cmocka_unit_test(cubic_reduced__fast_convergence),
        cmocka_unit_test(cubic_on_ack__reno_friendly), cmocka_unit_test(cubic__repairs_losses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
