/*
 * test_tcp_dctcp.c - DCTCP's arithmetic, by table and over a fake host.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/transport/tcp_dctcp.h"
#include "tests/support/fake_host.h"

#define US WEIR_PS_PER_US

static void dctcp_on_ack__alpha_by_table(void **state)
{
    /* Windows of 8 segments; marked ones; alpha afterwards with g = 1/16, exact in binary. */
    static const struct {
        uint32_t marked;
        double alpha;
    } rows[] = {
        {0, 0.9375}, {8, 0.94140625}, {4, 0.913818359375}, {1, 0.8645172119140625}, {0, 0.810484886169433594},
    };
    const struct tcp_control *control = transport_dctcp.control;
    struct sim_transport settings;
    struct tcp_sender sender = {.una = 0, .next = 8, .window = 8, .threshold = 8};
    (void)state;
    sim_transport_init(&settings, &transport_dctcp);
    control->init(&sender, tcp_params(&settings));
    assert_true(dctcp_of(&sender)->alpha == 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double before = dctcp_of(&sender)->alpha;
        for (uint32_t k = 0; k < 8; k++) {
            assert_true(dctcp_of(&sender)->alpha == before);
            sender.una++;
            struct tcp_acked acked = {.delivered = 1, .echo = k < rows[i].marked};
            sender.next = sender.una + 7; /* what this ACK clears is not sent yet */
            control->on_ack(&sender, tcp_params(&settings), &acked);
        }
        double error = dctcp_of(&sender)->alpha - rows[i].alpha;
        assert_true(error < 1e-15 && error > -1e-15);
    }
}

static void dctcp_reduced__by_table(void **state)
{
    static const struct {
        double alpha, window, after;
    } rows[] = {{1, 10, 5}, {0.5, 10, 7.5}, {0.0625, 64, 62}, {0, 10, 10}};
    const struct tcp_control *control = transport_dctcp.control;
    struct sim_transport settings;
    (void)state;
    sim_transport_init(&settings, &transport_dctcp);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tcp_sender sender = {.next = 1000, .window = rows[i].window};
        dctcp_of(&sender)->alpha = rows[i].alpha;
        assert_true(control->reduced(&sender, tcp_params(&settings), TCP_CONGESTION_MARK) == rows[i].after);
        assert_true(control->reduced(&sender, tcp_params(&settings), TCP_CONGESTION_LOSS) == rows[i].window / 2);
        assert_true(control->reduced(&sender, tcp_params(&settings), TCP_CONGESTION_TIMEOUT) == rows[i].window / 2);
    }
}

/* Every segment marked: alpha stays 1, the window is halved each round trip down to 2. */
static void dctcp__all_marked(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_dctcp, 0);
    fake.nic_ps = 100;
    tcp_params(&fake.settings)->initial_window_segments = 32;
    fake.mark_until = UINT32_MAX;
    fake_run(&fake, 35 * US);
    assert_true(tcp_sender(&fake.flow)->window == 16);
    fake_run(&fake, 300 * US);
    assert_true(tcp_sender(&fake.flow)->window == 2);
    assert_true(dctcp_of(tcp_sender(&fake.flow))->alpha == 1);
    fake_free(&fake);
}

/* Without marks alpha falls by 1/16 per window and the window grows by one. */
static void dctcp__unmarked(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_dctcp, 0);
    fake.nic_ps = 100;
    tcp_params(&fake.settings)->slow_start = false;
    double alpha = 1;
    for (uint32_t round = 0; round < 20; round++, alpha *= 15.0 / 16) {
        fake_run(&fake, round * 20 * US + 15 * US);
        assert_true(dctcp_of(tcp_sender(&fake.flow))->alpha == alpha);
        assert_true(tcp_sender(&fake.flow)->window == 10 + round);
    }
    fake_free(&fake);
}

/* With delayed ACKs the marks are counted exactly. */
static void dctcp__delayed_acks_count_exactly(void **state)
{
    static const uint32_t every[] = {1, 2, 3};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct fake_host fake;
        fake_init(&fake, &transport_dctcp, 20);
        tcp_params(&fake.settings)->ack_every = every[i];
        tcp_params(&fake.settings)->initial_window_segments = 20;
        fake.mark_from = 5;
        fake.mark_until = 16;
        fake_run(&fake, 5 * US);
        dctcp_of(tcp_sender(&fake.flow))->window_end = UINT32_MAX; /* so that nothing ends the count */
        assert_true(fake_run(&fake, 9 * WEIR_PS_PER_MS));
        assert_int_equal(dctcp_of(tcp_sender(&fake.flow))->acked, 20);
        assert_int_equal(dctcp_of(tcp_sender(&fake.flow))->marked, 11);
        fake_free(&fake);
    }
}

/* A loss halves the window whatever alpha is. */
static void dctcp__loss_halves(void **state)
{
    static const struct fake_fate lost[] = {{3, 1, false}};
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_dctcp, 1000);
    tcp_params(&fake.settings)->initial_window_segments = 40;
    tcp_params(&fake.settings)->slow_start = false;
    dctcp_params(&fake.settings)->initial_alpha = 0;
    fake.nic_ps = 1000;
    fake.fates = lost;
    fake.fate_count = 1;
    fake_run(&fake, 35 * US);
    assert_true(tcp_sender(&fake.flow)->threshold == 20);
    fake_free(&fake);
}

/* A mark and a loss in one window: the same answer counts once; DCTCP's mild one does not excuse the loss. */
static void dctcp_reduced__a_loss_counts_beside_a_mark(void **state)
{
    static const struct fake_fate fates[] = {{0, 1, true}, {10, 1, false}};
    static const struct {
        const struct transport *kind;
        double threshold;
    } rows[] = {{&transport_newreno, 10}, {&transport_cubic, 14}, {&transport_dctcp, 7.5}};
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct fake_host fake;
        fake_init(&fake, rows[i].kind, 1000);
        tcp_params(&fake.settings)->initial_window_segments = 20;
        tcp_params(&fake.settings)->slow_start = false;
        tcp_params(&fake.settings)->ecn = true;
        sim_transport_set(&fake.settings, "initial_alpha", WEIR_Q16_ONE / 2); /* of dctcp alone */
        fake.fates = fates;
        fake.fate_count = 2;
        fake_run(&fake, 36 * US);
        const struct tcp_sender *s = tcp_sender(&fake.flow);
        assert_int_equal(s->state, TCP_RECOVERY);
        if (s->threshold > rows[i].threshold + 0.01 || s->threshold < rows[i].threshold - 0.01)
            fail_msg("%s: threshold %g instead of %g", rows[i].kind->name, s->threshold, rows[i].threshold);
        fake_free(&fake);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dctcp_reduced__a_loss_counts_beside_a_mark),
        cmocka_unit_test(dctcp_on_ack__alpha_by_table),
        cmocka_unit_test(dctcp_reduced__by_table),
        cmocka_unit_test(dctcp__all_marked),
        cmocka_unit_test(dctcp__unmarked),
        cmocka_unit_test(dctcp__delayed_acks_count_exactly),
        cmocka_unit_test(dctcp__loss_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
