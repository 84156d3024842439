/*
 * test_roce.c - the two ends of a RoCE flow without losses: pacing, windows, ACKs and CNPs, on the fake host (12 Gb/s,
 * so that a packet of 1500 B takes 1 us; 10 us one way). What is lost is in test_roce_recovery.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/transport/roce_dcqcn.h"
#include "tests/support/fake_host.h"

#define US WEIR_PS_PER_US
#define MS WEIR_PS_PER_MS

static void roce_emit__none_fills_the_link(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_none, 100);
    assert_true(fake_run(&fake, MS));
    fake_assert_complete(&fake);
    assert_int_equal(fake.data_count, 100);
    assert_int_equal(fake.ack_count, 100);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(fake.data[i].when, i * US);
    assert_int_equal(fake.flow.finish_ps, 109 * US);
    assert_int_equal(fake.sender_done_ps, 119 * US);
    assert_int_equal(fake.flow.again + fake.flow.timeouts, 0);
    fake_free(&fake);
}

/* The first bytes are unscheduled, whenever they are sent: at 12 Gb/s and 20 us 30000 B, 21 segments of 1460 B. */
static void roce_emit__first_bytes_are_unscheduled(void **state)
{
    static const struct fake_fate lost[] = {{18, 1, false}};
    static const struct {
        int64_t bytes;
        uint32_t segments;
    } rows[] = {{TRANSPORT_BDP, 21}, {0, 0}, {1, 1}, {1460, 1}, {1461, 2}, {100000, 69}, {INT64_C(1) << 40, 100}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fake_host fake;
        fake_init(&fake, &transport_none, 100);
        assert_int_equal(roce_params(&fake.settings)->unscheduled_bytes, TRANSPORT_BDP);
        assert_true(sim_transport_set(&fake.settings, "unscheduled", rows[i].bytes));
        fake.fates = lost;
        fake.fate_count = 1;
        assert_true(fake_run(&fake, MS));
        assert_true(fake.flow.again > 20); /* from segment 18 on, long after the first ACK */
        for (uint32_t k = 0; k < fake.data_count; k++) {
            const struct packet *packet = &fake.data[k].packet;
            assert_int_equal((packet->flags & PACKET_UNSCHEDULED) != 0, packet->segment < rows[i].segments);
        }
        fake_free(&fake);
    }
}

/* A flow of 100 segments whose rate is set after the first packet, at 0 us; that one left at line rate, so that the
 * second one goes at 1 us and the schedule is counted from 0 us. */
static void paced(struct fake_host *fake, double rate_bps)
{
    fake_init(fake, &transport_none, 100);
    assert_false(fake_run(fake, 1));
    roce_sender(&fake->flow)->rate_bps = rate_bps;
}

static void roce_emit__paced(void **state)
{
    struct fake_host fake;
    (void)state;
    paced(&fake, 1.2e9); /* a tenth: 10 us apart */
    assert_true(fake_run(&fake, 10 * MS));
    for (uint32_t i = 1; i < 100; i++)
        assert_int_equal(fake.data[i].when, i == 1 ? US : 10 * (i - 1) * US);
    fake_free(&fake);
}

/* A NIC that is late by less than a gap changes no later packet; after a longer wait nothing is made up for. */
static void roce_emit__late_nic(void **state)
{
    struct fake_host fake;
    (void)state;
    paced(&fake, 1.2e9);
    fake_run(&fake, 50 * US); /* packets at 0, 1, 10, 20, 30, 40 us */
    fake.nic_free_ps = 57 * US;
    fake_run(&fake, 95 * US);
    static const weir_ps late_us[] = {57, 60, 70, 80, 90};
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(fake.data[6 + i].when, late_us[i] * US);
    fake.nic_free_ps = 155 * US;
    fake_run(&fake, 190 * US);
    static const weir_ps held_us[] = {155, 165, 175, 185};
    assert_int_equal(fake.data_count, 15);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(fake.data[11 + i].when, held_us[i] * US);
    fake_free(&fake);
}

/* A timer per paced packet and none at line rate, but for the timeout of the last one. */
static void roce_emit__line_rate_needs_no_timer(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_none, 100);
    assert_true(fake_run(&fake, MS));
    assert_true(fake.timer_calls <= 21); /* what waits for the last ACKs is armed with each of them */
    fake_free(&fake);
}

/* 10 us of base RTT at 12 Gb/s are 10 packets; the round trip takes 20 us. */
static void roce_emit__windowed(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_none, 40);
    roce_params(&fake.settings)->windowed = true;
    roce_params(&fake.settings)->base_rtt_ps = 10 * US;
    assert_true(fake_run(&fake, MS));
    for (uint32_t i = 0; i < 40; i++)
        assert_int_equal(fake.data[i].when, (i / 10 * 20 + i % 10) * US);
    fake_free(&fake);
}

/* The window of one packet still lets out as many as an ACK needs. */
static void roce_data__ack_every(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_none, 42);
    roce_params(&fake.settings)->windowed = true;
    roce_params(&fake.settings)->base_rtt_ps = US;
    roce_params(&fake.settings)->ack_every = 4;
    assert_true(fake_run(&fake, MS));
    fake_assert_complete(&fake);
    assert_int_equal(fake.ack_count, 11); /* the last one for two */
    assert_int_equal(fake.flow.timeouts, 0);
    fake_free(&fake);
}

/* Marked packets 10 to 39, one per us: a CNP each 4 us. */
static void roce_data__cnp_interval(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_dcqcn, 60);
    roce_params(&fake.settings)->cnp_interval_ps = 4 * US;
    dcqcn_params(&fake.settings)->decrease_interval_ps = MS;
    roce_params(&fake.settings)->min_rate_bps = 12000000000; /* the rate stays */
    fake.mark_from = 10;
    fake.mark_until = 40;
    assert_true(fake_run(&fake, MS));
    assert_int_equal(fake_acks_with(&fake, PACKET_CNP), 8);
    assert_int_equal(fake.ack_count, 68);
    fake_free(&fake);
    fake_init(&fake, &transport_none, 60); /* asks for no marks */
    fake.mark_until = 40;
    assert_true(fake_run(&fake, MS));
    assert_int_equal(fake_acks_with(&fake, PACKET_CNP), 0);
    fake_free(&fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roce_emit__none_fills_the_link),
        cmocka_unit_test(roce_emit__first_bytes_are_unscheduled),
        cmocka_unit_test(roce_emit__paced),
        cmocka_unit_test(roce_emit__late_nic),
        cmocka_unit_test(roce_emit__line_rate_needs_no_timer),
        cmocka_unit_test(roce_emit__windowed),
        cmocka_unit_test(roce_data__ack_every),
        cmocka_unit_test(roce_data__cnp_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
