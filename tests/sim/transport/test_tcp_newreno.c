/*
 * test_tcp_newreno.c - the window of NewReno against closed forms: doubling, one more per round trip, halving.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/transport/tcp.h"
#include "tests/support/fake_host.h"

#define US WEIR_PS_PER_US

/* A fast NIC, so that a window is sent in far less than the round trip of 20 us. */
static void init_fast(struct fake_host *fake, uint32_t initial_window)
{
    fake_init(fake, &transport_newreno, 0);
    fake->nic_ps = 100;
    tcp_params(&fake->settings)->initial_window_segments = initial_window;
}

static void newreno_on_ack__slow_start_doubles(void **state)
{
    struct fake_host fake;
    (void)state;
    init_fast(&fake, 10);
    double expected = 10;
    for (uint32_t round = 0; round < 8; round++, expected *= 2) {
        fake_run(&fake, round * 20 * US + 15 * US);
        assert_true(tcp_sender(&fake.flow)->window == expected);
        assert_int_equal(tcp_sender(&fake.flow)->next - tcp_sender(&fake.flow)->una, (uint32_t)expected);
    }
    fake_free(&fake);
}

static void newreno_on_ack__slow_start_ends_at_the_threshold(void **state)
{
    struct fake_host fake;
    (void)state;
    init_fast(&fake, 10);
    fake_run(&fake, US);
    tcp_sender(&fake.flow)->threshold = 25;
    fake_run(&fake, 35 * US);
    assert_true(tcp_sender(&fake.flow)->window == 20);
    fake_run(&fake, 55 * US);
    /* 20 ACKs: five reach the threshold, the other 15 are less than a window. */
    assert_true(tcp_sender(&fake.flow)->window == 25);
    assert_int_equal(tcp_sender(&fake.flow)->credit, 15);
    fake_free(&fake);
}

static void newreno_on_ack__avoidance_adds_one_per_round_trip(void **state)
{
    struct fake_host fake;
    (void)state;
    init_fast(&fake, 16);
    tcp_params(&fake.settings)->slow_start = false;
    for (uint32_t round = 0; round < 50; round++) {
        fake_run(&fake, round * 20 * US + 15 * US);
        assert_true(tcp_sender(&fake.flow)->window == 16 + round);
    }
    fake_free(&fake);
}

static void newreno_on_ack__stops_at_the_largest_window(void **state)
{
    struct fake_host fake;
    (void)state;
    init_fast(&fake, 10);
    tcp_params(&fake.settings)->max_window_segments = 100;
    fake_run(&fake, 2000 * US);
    assert_true(tcp_sender(&fake.flow)->window == 100);
    assert_int_equal(tcp_sender(&fake.flow)->next - tcp_sender(&fake.flow)->una, 100);
    fake_free(&fake);
}

/* Classic ECN: marks in one window halve it once, in the next window once more. */
static void newreno_reduced__marks_halve_once_per_window(void **state)
{
    static const struct {
        uint32_t until;
        double expected;
    } rows[] = {{1, 16}, {32, 16}, {33, 8}, {48, 8}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fake_host fake;
        init_fast(&fake, 32);
        tcp_params(&fake.settings)->slow_start = false;
        tcp_params(&fake.settings)->ecn = true;
        fake.mark_until = rows[i].until;
        fake_run(&fake, 35 * US);
        assert_true(tcp_sender(&fake.flow)->window == 16);
        fake_run(&fake, 55 * US);
        /* Half a window of ACKs clears no segment, so the next round trip starts with segment 32. */
        assert_true(tcp_sender(&fake.flow)->window >= rows[i].expected);
        assert_true(tcp_sender(&fake.flow)->window <= rows[i].expected + 1);
        fake_free(&fake);
    }
}

static void newreno_reduced__no_marks_without_ecn(void **state)
{
    struct fake_host fake;
    (void)state;
    init_fast(&fake, 32);
    tcp_params(&fake.settings)->slow_start = false;
    fake.mark_until = 100;
    fake_run(&fake, 55 * US);
    assert_true(tcp_sender(&fake.flow)->window == 34);
    fake_free(&fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newreno_on_ack__slow_start_doubles),
        cmocka_unit_test(newreno_on_ack__slow_start_ends_at_the_threshold),
        cmocka_unit_test(newreno_on_ack__avoidance_adds_one_per_round_trip),
        cmocka_unit_test(newreno_on_ack__stops_at_the_largest_window),
        cmocka_unit_test(newreno_reduced__marks_halve_once_per_window),
        cmocka_unit_test(newreno_reduced__no_marks_without_ecn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
