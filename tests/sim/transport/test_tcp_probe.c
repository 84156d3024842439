/*
 * test_tcp_probe.c - the tail loss probe of tcp_sender.c over a fake host: when it goes out, what it sends, and what
 * its ACK brings about. 20 us round trip, 1 us per packet, a timeout of at least 10 ms.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/transport/tcp.h"
#include "tests/support/fake_host.h"

#define US WEIR_PS_PER_US
#define MS WEIR_PS_PER_MS

static void start(struct fake_host *fake, uint32_t segments, const struct fake_fate *fates, uint32_t count)
{
    fake_init(fake, &transport_newreno, segments);
    tcp_params(&fake->settings)->tail_loss_probe = true;
    fake->fates = fates;
    fake->fate_count = count;
}

/* Without the probe: after a timeout, 10 ms later (tcp_sender_timer__tail_loss). */
static void probe__repairs_the_last_segment(void **state)
{
    static const struct fake_fate lost[] = {{9, 1, false}};
    struct fake_host fake;
    (void)state;
    start(&fake, 10, lost, 1);
    assert_true(fake_run(&fake, MS));
    assert_int_equal(fake.flow.timeouts, 0);
    assert_int_equal(fake.flow.again, 1);
    /* Two round trips of 20 us from the last ACK with news: of segment 8, sent at 8 us. */
    assert_int_equal(fake_sent(&fake, 9, 2)->when, 28 * US + 40 * US);
    assert_int_equal(fake_sent(&fake, 9, 2)->packet.flags, PACKET_AGAIN | PACKET_UNSCHEDULED);
    fake_assert_complete(&fake);
    fake_free(&fake);
}

/* The ACK of the probe shows that everything before it is missing. */
static void probe__starts_recovery_of_what_was_sent_before(void **state)
{
    static const struct fake_fate lost[] = {{5, 1, false}, {6, 1, false}, {8, 1, false}, {9, 1, false}};
    struct fake_host fake;
    (void)state;
    start(&fake, 10, lost, 4);
    fake_run(&fake, 24 * US + 40 * US + 20 * US);
    assert_int_equal(tcp_sender(&fake.flow)->state, TCP_OPEN);
    assert_true(fake_run(&fake, MS));
    assert_int_equal(fake.flow.timeouts, 0);
    assert_int_equal(fake.flow.again, 4);
    assert_int_equal(fake_sent(&fake, 9, 2)->when, 24 * US + 40 * US);
    assert_int_equal(fake_sent(&fake, 5, 2)->when, 24 * US + 60 * US);
    assert_true(tcp_sender(&fake.flow)->threshold == 2.5); /* half of what was in flight, as for any loss */
    fake_assert_complete(&fake);
    fake_free(&fake);
}

/* The second last is missing and the last has arrived: too few duplicates for a fast retransmit. */
static void probe__sends_the_last_segment_that_is_not_sacked(void **state)
{
    static const struct fake_fate lost[] = {{8, 1, false}};
    struct fake_host fake;
    (void)state;
    start(&fake, 10, lost, 1);
    assert_true(fake_run(&fake, MS));
    assert_int_equal(fake.flow.timeouts, 0);
    assert_int_equal(fake.flow.again, 1);
    assert_int_equal(fake_sent(&fake, 8, 2)->when, 27 * US + 40 * US);
    fake_free(&fake);
}

/* A window is lost as a whole while there is more to send: the probe is a new segment, beyond the window. */
static void probe__sends_a_new_segment_first(void **state)
{
    static const struct fake_fate lost[] = {{2, 1, false}, {3, 1, false}, {4, 1, false}, {5, 1, false}};
    struct fake_host fake;
    (void)state;
    start(&fake, 100, lost, 4);
    tcp_params(&fake.settings)->initial_window_segments = 2;
    fake_run(&fake, 21 * US + 40 * US + 5 * US);
    const struct tcp_sender *s = tcp_sender(&fake.flow);
    assert_int_equal(s->una, 2);
    assert_int_equal(s->next, 7);
    assert_true(s->window == 4 && s->state == TCP_OPEN);
    /* The last new segment was sent at 23 us, when the ACK of the first round had opened the window. */
    assert_int_equal(fake_sent(&fake, 5, 1)->when, 23 * US);
    assert_int_equal(fake_sent(&fake, 6, 1)->when, 23 * US + 40 * US);
    assert_int_equal(fake.flow.again, 0);
    fake_run(&fake, 23 * US + 60 * US + 1);
    assert_int_equal(s->state, TCP_RECOVERY);
    assert_true(fake_run(&fake, 5 * MS));
    assert_int_equal(fake.flow.timeouts, 0);
    assert_int_equal(fake.flow.again, 4);
    fake_assert_complete(&fake);
    fake_free(&fake);
}

/* The probe is lost too: the timeout follows, counted from the probe, and no second probe. */
static void probe__lost_probe_waits_for_the_timeout(void **state)
{
    static const struct fake_fate lost[] = {{9, 1, false}, {9, 2, false}};
    struct fake_host fake;
    (void)state;
    start(&fake, 10, lost, 2);
    assert_true(fake_run(&fake, 20 * MS));
    assert_int_equal(fake.flow.timeouts, 1);
    assert_int_equal(fake_sent(&fake, 9, 3)->when, 68 * US + 10 * MS);
    assert_null(fake_sent(&fake, 9, 4));
    fake_assert_complete(&fake);
    fake_free(&fake);
}

/* The round trip grows fourfold at once. Probes go out that nobody needed; no window is reduced, nothing but the probe
 * is sent twice. */
static void probe__needless_probe_does_no_harm(void **state)
{
    struct fake_host fake;
    (void)state;
    start(&fake, 12, NULL, 0);
    fake_run(&fake, 20 * US + 1); /* the first ACK, and the two segments that it lets out */
    fake.delay_ps = 60 * US;
    assert_true(fake_run(&fake, 5 * MS));
    assert_int_equal(fake.flow.timeouts, 0);
    assert_int_equal(fake.flow.again, 1);
    assert_non_null(fake_sent(&fake, 11, 2));
    assert_true(tcp_sender(&fake.flow)->threshold == 4096);
    assert_int_equal(tcp_sender(&fake.flow)->state, TCP_OPEN);
    fake_assert_complete(&fake);
    fake_free(&fake);
}

/* An ACK that comes between the timer and the NIC makes the probe needless. */
static void probe__is_not_sent_after_news(void **state)
{
    struct fake_host fake;
    (void)state;
    start(&fake, 10, NULL, 0);
    fake_run(&fake, 28 * US + 1);
    struct tcp_sender *s = tcp_sender(&fake.flow);
    assert_int_equal(s->una, 9);
    assert_int_equal(s->probing, TCP_PROBE_ARMED);
    tcp_sender_timer(&fake.host, &fake.flow, 28 * US + 1);
    assert_int_equal(s->probing, TCP_PROBE_DUE);
    fake.nic_free_ps = 40 * US;
    assert_true(fake_run(&fake, MS));
    assert_int_equal(fake.data_count, 10);
    fake_assert_complete(&fake);
    fake_free(&fake);
}

/* Duplicates find the loss first: the timer is then the timeout's. */
static void probe__gives_way_to_fast_retransmit(void **state)
{
    static const struct fake_fate lost[] = {{4, 1, false}, {4, 2, false}};
    struct fake_host fake;
    (void)state;
    start(&fake, 10, lost, 2);
    assert_true(fake_run(&fake, 20 * MS));
    assert_int_equal(fake.flow.timeouts, 1);
    assert_int_equal(fake_sent(&fake, 4, 2)->when, 27 * US);
    assert_int_equal(fake_sent(&fake, 4, 3)->when, 27 * US + 10 * MS);
    assert_int_equal(fake.flow.again, 2);
    fake_free(&fake);
}

/* A single segment in flight may wait for the receiver's delayed ACK. */
static void probe__waits_for_a_delayed_ack(void **state)
{
    static const struct fake_fate lost[] = {{2, 1, false}};
    struct fake_host fake;
    (void)state;
    start(&fake, 3, lost, 1);
    tcp_params(&fake.settings)->ack_every = 2;
    tcp_params(&fake.settings)->ack_delay_ps = 300 * US;
    tcp_params(&fake.settings)->initial_window_segments = 2;
    assert_true(fake_run(&fake, 5 * MS));
    assert_int_equal(fake.flow.timeouts, 0);
    /* Segments 0 and 1 are acknowledged together at 21 us; the sample is that of the first. */
    assert_int_equal(fake_sent(&fake, 2, 2)->when, 21 * US + 2 * 21 * US + 300 * US);
    fake_free(&fake);
}

/* Nothing is known of the round trip before the first ACK: only the timeout is left. */
static void probe__needs_a_round_trip(void **state)
{
    static const struct fake_fate lost[] = {{0, 1, false}};
    static const weir_ps expected[] = {10 * MS, 60 * US};
    (void)state;
    for (int handshake = 0; handshake < 2; handshake++) {
        struct fake_host fake;
        start(&fake, 1, lost, 1);
        tcp_params(&fake.settings)->handshake = handshake;
        assert_true(fake_run(&fake, 20 * MS));
        assert_int_equal(fake_sent(&fake, 0, 2)->when, expected[handshake]);
        fake_assert_complete(&fake);
        fake_free(&fake);
    }
}

/* Off, which is the default: the same packets at the same times as without the option, and none of its state. */
static void probe__is_off_by_default(void **state)
{
    static const struct fake_fate lost[] = {{9, 1, false}};
    struct fake_host fake;
    (void)state;
    start(&fake, 10, lost, 1);
    sim_transport_init(&fake.settings, &transport_newreno);
    assert_true(fake_run(&fake, 20 * MS));
    assert_int_equal(fake.flow.timeouts, 1);
    assert_int_equal(fake_sent(&fake, 9, 2)->when, 28 * US + 10 * MS);
    assert_int_equal(tcp_sender(&fake.flow)->probing, TCP_PROBE_NONE);
    fake_free(&fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probe__repairs_the_last_segment),
        cmocka_unit_test(probe__starts_recovery_of_what_was_sent_before),
        cmocka_unit_test(probe__sends_the_last_segment_that_is_not_sacked),
        cmocka_unit_test(probe__sends_a_new_segment_first),
        cmocka_unit_test(probe__lost_probe_waits_for_the_timeout),
        cmocka_unit_test(probe__needless_probe_does_no_harm),
        cmocka_unit_test(probe__is_not_sent_after_news),
        cmocka_unit_test(probe__gives_way_to_fast_retransmit),
        cmocka_unit_test(probe__waits_for_a_delayed_ack),
        cmocka_unit_test(probe__needs_a_round_trip),
        cmocka_unit_test(probe__is_off_by_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
