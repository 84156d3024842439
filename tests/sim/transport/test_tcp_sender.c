/*
 * test_tcp_sender.c - a TCP flow over a fake host: recovery from chosen losses, timeouts, the handshake, and random
 * losses. Times are in units of the fake wire: 20 us round trip, 1 us per packet.
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

static void give_fates(struct fake_host *fake, const struct fake_fate *fates, uint32_t count)
{
    fake->fates = fates;
    fake->fate_count = count;
}

static void tcp_open__sends_initial_window(void **state)
{
    static const struct {
        uint32_t segments, initial, max, expected;
    } rows[] = {{100, 10, 4096, 10}, {5, 10, 4096, 5}, {100, 0, 4096, 100}, {100, 0, 30, 30}, {100, 50, 20, 20}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fake_host fake;
        fake_init(&fake, &transport_newreno, rows[i].segments);
        tcp_params(&fake.settings)->initial_window_segments = rows[i].initial;
        tcp_params(&fake.settings)->max_window_segments = rows[i].max;
        fake.nic_ps = 1000;
        fake_run(&fake, 10 * US);
        assert_int_equal(fake.data_count, rows[i].expected);
        for (uint32_t k = 0; k < fake.data_count; k++)
            assert_int_equal(fake.data[k].packet.flags, k < 21 ? PACKET_UNSCHEDULED : 0);
        assert_true(fake_run(&fake, 10 * MS));
        fake_assert_complete(&fake);
        fake_free(&fake);
    }
}

/* By their place in the flow, and not by what was heard: the first 30000 B, 21 segments, of 12 Gb/s and 20 us. */
static void tcp_emit__first_bytes_are_unscheduled(void **state)
{
    static const struct fake_fate lost[] = {{15, 1, false}, {25, 1, false}};
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, 100);
    give_fates(&fake, lost, 2);
    assert_true(fake_run(&fake, 10 * MS));
    assert_int_equal(fake_sent(&fake, 20, 1)->packet.flags, PACKET_UNSCHEDULED); /* after the first ACK */
    assert_int_equal(fake_sent(&fake, 21, 1)->packet.flags, 0);
    assert_int_equal(fake_sent(&fake, 15, 2)->packet.flags, PACKET_UNSCHEDULED | PACKET_AGAIN);
    assert_int_equal(fake_sent(&fake, 25, 2)->packet.flags, PACKET_AGAIN);
    fake_free(&fake);
}

static void tcp_emit__last_segment_is_what_is_left(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_dctcp, 3);
    fake.flow.last_bytes = 17;
    fake.flow.bytes = 2 * 1460 + 17;
    flow_show(&fake.flow);
    assert_true(fake_run(&fake, MS));
    assert_int_equal(fake.data[1].packet.bytes, 1500);
    assert_int_equal(fake.data[2].packet.bytes, 57);
    assert_int_equal(fake.data[2].packet.flags, PACKET_UNSCHEDULED | PACKET_ECN);
    fake_assert_complete(&fake);
    fake_free(&fake);
}

/* Flight 20 at the loss: threshold 10, and the window stays there until the loss is repaired. */
static void tcp_ack__window_is_halved_once(void **state)
{
    static const struct fake_fate lost[] = {{10, 1, false}, {14, 1, false}, {17, 1, false}};
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, 1000);
    tcp_params(&fake.settings)->initial_window_segments = 20;
    tcp_params(&fake.settings)->slow_start = false;
    give_fates(&fake, lost, 3);
    fake_run(&fake, 33 * US + 1); /* three ACKs above segment 10 */
    const struct tcp_sender *s = tcp_sender(&fake.flow);
    assert_int_equal(s->state, TCP_RECOVERY);
    assert_true(s->threshold == 10 && s->window == 10);
    fake_run(&fake, 50 * US);
    assert_int_equal(s->state, TCP_RECOVERY);
    assert_true(s->threshold == 10 && s->window == 10);
    assert_int_equal(fake.flow.again, 3);
    fake_run(&fake, 80 * US);
    assert_int_equal(s->state, TCP_OPEN);
    assert_true(s->threshold == 10);
    fake_free(&fake);
}

static void tcp_sender_timer__tail_loss(void **state)
{
    static const struct fake_fate lost[] = {{8, 1, false}, {9, 1, false}};
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, 10);
    give_fates(&fake, lost, 2);
    assert_true(fake_run(&fake, 20 * MS));
    assert_int_equal(fake.flow.timeouts, 1);
    assert_int_equal(fake.flow.again, 2);
    /* The timeout runs from the last ACK that brought news: of segment 7, sent at 7 us. */
    assert_int_equal(fake_sent(&fake, 8, 2)->when, 27 * US + 10 * MS);
    assert_int_equal(fake_sent(&fake, 9, 2)->when, 47 * US + 10 * MS);
    assert_true(tcp_sender(&fake.flow)->threshold == 2);
    fake_assert_complete(&fake);
    fake_free(&fake);
}

/* Timeouts in a row: 10, 20, 40 ms, then the maximum. */
static void tcp_sender_timer__backs_off(void **state)
{
    static const struct fake_fate lost[] = {{5, 1, false}, {5, 2, false}, {5, 3, false}, {5, 4, false}};
    static const weir_ps expected[] = {20 * MS, 40 * MS, 45 * MS};
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, 6);
    give_fates(&fake, lost, 4);
    tcp_params(&fake.settings)->max_rto_ps = 45 * MS;
    assert_true(fake_run(&fake, 500 * MS));
    assert_int_equal(fake.flow.timeouts, 4);
    assert_int_equal(fake_sent(&fake, 5, 2)->when, 24 * US + 10 * MS);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(fake_sent(&fake, 5, i + 3)->when - fake_sent(&fake, 5, i + 2)->when, expected[i]);
    fake_assert_complete(&fake);
    fake_free(&fake);
}

/* A retransmission that is lost again waits for the timeout, and then only what is missing is sent. */
static void tcp_sender_timer__lost_retransmission(void **state)
{
    static const struct fake_fate lost[] = {{20, 1, false}, {20, 2, false}};
    (void)state;
    for (int sack = 0; sack < 2; sack++) {
        struct fake_host fake;
        fake_init(&fake, &transport_newreno, 60);
        tcp_params(&fake.settings)->sack = sack;
        tcp_params(&fake.settings)->initial_window_segments = 60;
        give_fates(&fake, lost, 2);
        assert_true(fake_run(&fake, 50 * MS));
        assert_int_equal(fake.flow.timeouts, 1);
        if (sack)
            assert_int_equal(fake.flow.again, 2);
        assert_true(fake_sent(&fake, 20, 3)->when >= 10 * MS);
        fake_assert_complete(&fake);
        fake_free(&fake);
    }
}

/* The first window of a flow is lost as a whole: window 1, then slow start up to half of what was in flight. */
static void tcp_sender_timer__whole_window(void **state)
{
    struct fake_fate lost[16];
    struct fake_host fake;
    (void)state;
    for (uint32_t i = 0; i < 16; i++)
        lost[i] = (struct fake_fate){i, 1, false};
    fake_init(&fake, &transport_newreno, 64);
    tcp_params(&fake.settings)->initial_window_segments = 16;
    give_fates(&fake, lost, 16);
    fake_run(&fake, 10 * MS + US);
    assert_int_equal(fake.data_count, 17);
    assert_int_equal(fake.data[16].packet.flags, PACKET_AGAIN | PACKET_UNSCHEDULED);
    fake_run(&fake, 10 * MS + 25 * US);
    assert_int_equal(fake.data_count, 19);
    fake_run(&fake, 10 * MS + 45 * US);
    assert_int_equal(fake.data_count, 23);
    assert_true(tcp_sender(&fake.flow)->threshold == 8);
    assert_true(fake_run(&fake, 20 * MS));
    assert_int_equal(fake.flow.timeouts, 1);
    assert_int_equal(fake.flow.again, 16);
    fake_assert_complete(&fake);
    fake_free(&fake);
}

static void tcp_sender_timer__moves_without_the_host(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, 5000);
    assert_true(fake_run(&fake, 50 * MS));
    assert_int_equal(fake.timer_calls, 1);
    fake_free(&fake);
}

/* RFC 6298 by hand: samples of 20 us make srtt 20 us, and the variation falls by a quarter each time. */
static void tcp_ack__round_trip_estimate(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, 100);
    fake_run(&fake, 20 * US + 1);
    assert_int_equal(tcp_sender(&fake.flow)->srtt_ps, 20 * US);
    assert_int_equal(tcp_sender(&fake.flow)->rttvar_ps, 10 * US);
    tcp_params(&fake.settings)->min_rto_ps = 0;
    fake_run(&fake, 21 * US + 1);
    assert_int_equal(tcp_sender(&fake.flow)->rttvar_ps, 7500000);
    assert_int_equal(fake.flow.sender_due_ps, 21 * US + 20 * US + 4 * 7500000);
    fake_free(&fake);
}

/* The smoothed round-trip time takes an eighth of what differs, the variation a quarter. */
static void tcp_ack__round_trip_changes(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, 100);
    fake_run(&fake, 20 * US + 1);
    struct packet ack = {.flags = PACKET_ACK, .ack = 2, .segment = 1, .sent_ps = 20 * US - 40 * US};
    tcp_ack(&fake.host, &fake.flow, &ack, 20 * US);
    assert_int_equal(tcp_sender(&fake.flow)->srtt_ps, 20 * US + 20 * US / 8);
    assert_int_equal(tcp_sender(&fake.flow)->rttvar_ps, 10 * US + (20 - 10) * US / 4);
    fake_free(&fake);
}

/* The first timeout is long until a round trip has been measured: then it is brought forward. */
static void tcp_ack__brings_the_timeout_forward(void **state)
{
    static const struct fake_fate lost[] = {{9, 1, false}};
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, 10);
    tcp_params(&fake.settings)->initial_rto_ps = WEIR_PS_PER_S;
    give_fates(&fake, lost, 1);
    assert_true(fake_run(&fake, 20 * MS));
    assert_int_equal(fake_sent(&fake, 9, 2)->when, 28 * US + 10 * MS);
    fake_free(&fake);
}

/* The timeout that follows a failed recovery leaves the threshold of that recovery: flight 60 at the loss. After it the
 * ACK that fills the hole acknowledges 40 segments and opens the window by one. */
static void tcp_sender_timer__one_reduction_per_round(void **state)
{
    static const struct fake_fate lost[] = {{20, 1, false}, {20, 2, false}};
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, 1000);
    tcp_params(&fake.settings)->initial_window_segments = 60;
    tcp_params(&fake.settings)->slow_start = false;
    fake.nic_ps = 1000;
    give_fates(&fake, lost, 2);
    fake_run(&fake, 9 * MS);
    const struct tcp_sender *s = tcp_sender(&fake.flow);
    assert_int_equal(s->state, TCP_RECOVERY);
    assert_true(s->threshold == 30);
    fake_run(&fake, 10 * MS + 25 * US);
    assert_int_equal(s->state, TCP_LOSS);
    assert_true(s->threshold == 30 && s->window == 1);
    fake_run(&fake, 10 * MS + 41 * US);
    assert_int_equal(fake.flow.timeouts, 1);
    assert_int_equal(s->state, TCP_OPEN);
    assert_true(s->threshold == 30 && s->window == 2);
    fake_free(&fake);
}

static void tcp_open__handshake(void **state)
{
    static const struct fake_fate lost[] = {{FAKE_SYN, 1, false}, {FAKE_SYN, 2, false}};
    static const struct {
        uint32_t losses;
        weir_ps data_at;
    } rows[] = {{0, 20 * US}, {1, 10 * MS + 20 * US}, {2, 30 * MS + 20 * US}};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct fake_host fake;
        fake_init(&fake, &transport_dctcp, 50);
        tcp_params(&fake.settings)->handshake = true;
        give_fates(&fake, lost, rows[i].losses);
        assert_true(fake_run(&fake, 60 * MS));
        assert_int_equal(fake.syns, rows[i].losses + 1);
        assert_int_equal(fake.flow.timeouts, rows[i].losses);
        assert_int_equal(fake.data[0].packet.bytes, 40);
        assert_int_equal(fake.data[0].packet.flags, PACKET_OPENING | PACKET_UNSCHEDULED);
        assert_int_equal(fake_sent(&fake, 0, 1)->when, rows[i].data_at);
        assert_int_equal(fake.acks[0].packet.flags, PACKET_ACK | PACKET_OPENING);
        fake_assert_complete(&fake);
        fake_free(&fake);
    }
}

static void tcp_emit__endless_flow_goes_on(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_cubic, 0);
    assert_false(fake_run(&fake, 10 * MS));
    assert_true(tcp_sender(&fake.flow)->una > 9000);
    assert_false(fake.sender_done || fake.receiver_done);
    fake_free(&fake);
}

/* A flow that its NIC holds back does not open its window far beyond what it uses. */
static void tcp_ack__window_grows_only_in_use(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, 0);
    fake_run(&fake, 10 * MS);
    assert_true(tcp_sender(&fake.flow)->window >= 21 && tcp_sender(&fake.flow)->window <= 2 * 21 + 1);
    fake_free(&fake);
}

static void tcp_close__gives_back_memory_in_the_middle(void **state)
{
    static const struct fake_fate lost[] = {{3, 1, false}, {9, 1, false}};
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, 1000);
    tcp_params(&fake.settings)->initial_window_segments = 0;
    give_fates(&fake, lost, 2);
    fake_run(&fake, 400 * US);
    assert_true(fake.words > 0);
    fake_free(&fake);
}

static void tcp_ack__survives_lack_of_memory(void **state)
{
    static const struct fake_fate lost[] = {{3, 1, false}};
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, 100);
    give_fates(&fake, lost, 1);
    fake.no_words = true;
    fake_run(&fake, MS);
    fake_free(&fake);
}

static void run_random(uint64_t seed)
{
    static const struct transport *const kinds[] = {&transport_newreno, &transport_cubic, &transport_dctcp};
    struct weir_random draw = weir_random_stream(seed, "test_tcp_sender");
    struct fake_host fake;
    uint32_t segments = 1 + weir_random_below(&draw, 400);
    fake_init(&fake, kinds[weir_random_below(&draw, 3)], segments);
    fake.flow.last_bytes = 1 + weir_random_below(&draw, 1460);
    fake.flow.bytes = (int64_t)(segments - 1) * 1460 + fake.flow.last_bytes;
    flow_show(&fake.flow);
    tcp_params(&fake.settings)->sack = weir_random_below(&draw, 2);
    tcp_params(&fake.settings)->handshake = weir_random_below(&draw, 2);
    tcp_params(&fake.settings)->slow_start = weir_random_below(&draw, 4) > 0;
    tcp_params(&fake.settings)->ecn = weir_random_below(&draw, 2);
    tcp_params(&fake.settings)->ack_every = 1 + weir_random_below(&draw, 3);
    tcp_params(&fake.settings)->initial_window_segments = weir_random_below(&draw, 120);
    tcp_params(&fake.settings)->max_rto_ps = 100 * MS;
    fake.data_loss = weir_random_below(&draw, 1 + weir_random_below(&draw, WEIR_Q16_ONE / 2));
    fake.ack_loss = weir_random_below(&draw, 1 + weir_random_below(&draw, WEIR_Q16_ONE / 2));
    fake.mark_from = weir_random_below(&draw, segments);
    fake.mark_until = fake.mark_from + weir_random_below(&draw, 100);
    fake.nic_ps = weir_random_below(&draw, 3) * 300000;
    fake.jitter_ps = weir_random_below(&draw, 3) ? 0 : weir_random_below(&draw, 20000000);
    tcp_params(&fake.settings)->tail_loss_probe = tcp_params(&fake.settings)->sack && weir_random_below(&draw, 2);
    fake.random = draw;
    if (!fake_run(&fake, 1000 * WEIR_PS_PER_S))
        fail_msg("seed %llu: the flow did not complete", (unsigned long long)seed);
    if (fake.delivered_bytes != fake.flow.bytes || tcp_sender(&fake.flow)->sacked || tcp_sender(&fake.flow)->waiting)
        fail_msg("seed %llu: delivered %lld of %lld bytes", (unsigned long long)seed, (long long)fake.delivered_bytes,
                 (long long)fake.flow.bytes);
    fake_assert_complete(&fake);
    fake_free(&fake);
}

static void tcp__random_losses(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++)
        run_random(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tcp_open__sends_initial_window),
        cmocka_unit_test(tcp_emit__first_bytes_are_unscheduled),
        cmocka_unit_test(tcp_emit__last_segment_is_what_is_left),
        cmocka_unit_test(tcp_ack__window_is_halved_once),
        cmocka_unit_test(tcp_sender_timer__tail_loss),
        cmocka_unit_test(tcp_sender_timer__backs_off),
        cmocka_unit_test(tcp_sender_timer__lost_retransmission),
        cmocka_unit_test(tcp_sender_timer__whole_window),
        cmocka_unit_test(tcp_sender_timer__moves_without_the_host),
        cmocka_unit_test(tcp_ack__round_trip_estimate),
        cmocka_unit_test(tcp_ack__round_trip_changes),
        cmocka_unit_test(tcp_ack__brings_the_timeout_forward),
        cmocka_unit_test(tcp_sender_timer__one_reduction_per_round),
        cmocka_unit_test(tcp_open__handshake),
        cmocka_unit_test(tcp_emit__endless_flow_goes_on),
        cmocka_unit_test(tcp_ack__window_grows_only_in_use),
        cmocka_unit_test(tcp_close__gives_back_memory_in_the_middle),
        cmocka_unit_test(tcp_ack__survives_lack_of_memory),
        cmocka_unit_test(tcp__random_losses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
