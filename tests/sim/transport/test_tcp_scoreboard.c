/*
 * test_tcp_scoreboard.c - the scoreboard alone, by tables of ACKs, and the repair of chosen losses over a fake host.
 * Times are in units of the fake wire: 20 us round trip, 1 us per packet.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/transport/tcp.h"
#include "sim/transport/tcp_ring.h"
#include "sim/transport/tcp_scoreboard.h"
#include "tests/support/fake_host.h"

#define US WEIR_PS_PER_US
#define MS WEIR_PS_PER_MS

static void give_fates(struct fake_host *fake, const struct fake_fate *fates, uint32_t count)
{
    fake->fates = fates;
    fake->fate_count = count;
}

/* Segments 10 to 40 are outstanding. Each row: an ACK with one block [first, end), and what is known afterwards. */
static void tcp_scoreboard_sack__by_table(void **state)
{
    static const struct {
        uint32_t ack, first, end, fresh, sacked, edge, waiting;
    } rows[] = {
        {10, 12, 13, 1, 1, 0, 0},  {10, 12, 14, 1, 2, 0, 0},  {10, 12, 14, 0, 2, 0, 0}, /* nothing new */
        {10, 12, 15, 1, 3, 12, 2},                                                      /* 10 and 11 are lost */
        {10, 20, 22, 2, 5, 14, 2}, {10, 20, 23, 1, 6, 20, 7},                           /* and 15 to 19 */
        {10, 16, 17, 1, 7, 20, 6},                                                      /* 16 was only late */
        {11, 20, 24, 1, 8, 21, 5}, {9, 24, 25, 1, 9, 22, 5},                            /* an old ACK */
        {15, 20, 25, 0, 6, 22, 4}, {25, 25, 25, 0, 0, 22, 0},
    };
    struct fake_host fake;
    struct tcp_sender s = {.una = 10, .next = 40, .state = TCP_RECOVERY};
    (void)state;
    fake_init(&fake, &transport_newreno, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct packet ack = {.ack = rows[i].ack};
        ack.sack[0].offset = (uint16_t)(rows[i].first - rows[i].ack);
        ack.sack[0].length = (uint16_t)(rows[i].end - rows[i].first);
        if (rows[i].ack > s.una)
            tcp_scoreboard_advance(&s, rows[i].ack, true);
        assert_int_equal(tcp_scoreboard_sack(&fake.host, &s, &ack), rows[i].fresh);
        assert_int_equal(s.sacked, rows[i].sacked);
        assert_int_equal(s.edge, rows[i].edge);
        assert_int_equal(s.waiting, rows[i].waiting);
        assert_null(tcp_scoreboard_check(&s, true));
    }
    tcp_ring_free(&fake.host, s.ring);
    fake_free(&fake);
}

static void tcp_scoreboard_take__goes_through_the_holes(void **state)
{
    static const uint32_t expected[] = {10, 11, 15, 16};
    struct fake_host fake;
    struct tcp_sender s = {.una = 10, .next = 40, .state = TCP_OPEN};
    struct packet ack = {.ack = 10, .sack = {{7, 3}, {2, 3}}};
    (void)state;
    fake_init(&fake, &transport_newreno, 1);
    assert_int_equal(tcp_scoreboard_sack(&fake.host, &s, &ack), 6);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(tcp_scoreboard_pipe(&s), 30 - 6 - 4 + i);
        assert_int_equal(tcp_scoreboard_take(&s), expected[i]);
    }
    assert_int_equal(s.waiting, 0);
    tcp_scoreboard_lose_all(&s, true);
    assert_int_equal(s.waiting, 24);
    assert_int_equal(tcp_scoreboard_pipe(&s), 0);
    assert_int_equal(tcp_scoreboard_take(&s), 10);
    assert_null(tcp_scoreboard_check(&s, true));
    tcp_ring_free(&fake.host, s.ring);
    fake_free(&fake);
}

/* Without SACK: the third duplicate makes the first segment lost, a partial ACK the next one. */
static void tcp_scoreboard_duplicate__counts(void **state)
{
    struct tcp_sender s = {.una = 10, .next = 20, .state = TCP_OPEN};
    (void)state;
    for (uint32_t i = 1; i <= 3; i++) {
        assert_int_equal(s.waiting, 0);
        assert_int_equal(tcp_scoreboard_duplicate(&s), 1);
        assert_int_equal(s.sacked, i);
    }
    assert_int_equal(s.waiting, 1);
    assert_int_equal(tcp_scoreboard_pipe(&s), 6);
    s.state = TCP_RECOVERY;
    s.recover = 20;
    assert_int_equal(tcp_scoreboard_take(&s), 10);
    assert_int_equal(tcp_scoreboard_advance(&s, 13, false), 1); /* 11 and 12 were known to have arrived */
    assert_int_equal(s.sacked, 1);
    assert_int_equal(s.waiting, 1);
    assert_int_equal(tcp_scoreboard_take(&s), 13);
    for (uint32_t i = 0; i < 20; i++)
        tcp_scoreboard_duplicate(&s);
    assert_int_equal(s.sacked, 6); /* of 7 outstanding one is missing */
    assert_null(tcp_scoreboard_check(&s, false));
}

static void tcp_scoreboard__single_loss_is_repaired_in_a_round_trip(void **state)
{
    static const struct fake_fate lost[] = {{10, 1, false}};
    (void)state;
    for (int sack = 0; sack < 2; sack++) {
        struct fake_host fake;
        fake_init(&fake, &transport_newreno, 100);
        tcp_params(&fake.settings)->sack = sack;
        tcp_params(&fake.settings)->initial_window_segments = 20;
        tcp_params(&fake.settings)->slow_start = false;
        give_fates(&fake, lost, 1);
        assert_true(fake_run(&fake, 9 * MS));
        assert_int_equal(fake.flow.timeouts, 0);
        assert_int_equal(fake.flow.again, 1);
        /* Segment 13 is the third above it: its ACK is there one round trip after it was sent. */
        const struct fake_log *again = fake_sent(&fake, 10, 2);
        assert_int_equal(again->when, fake_sent(&fake, 13, 1)->when + 20 * US);
        assert_int_equal(again->packet.flags, PACKET_AGAIN | PACKET_UNSCHEDULED);
        assert_int_equal(fake_sent(&fake, 10, 3), NULL);
        fake_assert_complete(&fake);
        fake_free(&fake);
    }
}

/* A burst of k lost segments: SACK repairs it within two round trips, duplicate ACKs need one per segment. */
static void tcp_scoreboard__burst_loss(void **state)
{
    (void)state;
    for (uint32_t k = 1; k <= 20; k++) {
        for (int sack = 0; sack < 2; sack++) {
            struct fake_fate lost[20];
            struct fake_host fake;
            for (uint32_t i = 0; i < k; i++)
                lost[i] = (struct fake_fate){40 + i, 1, false};
            fake_init(&fake, &transport_newreno, 400);
            tcp_params(&fake.settings)->sack = sack;
            tcp_params(&fake.settings)->initial_window_segments = 100;
            tcp_params(&fake.settings)->slow_start = false;
            fake.nic_ps = 1000;
            give_fates(&fake, lost, k);
            assert_true(fake_run(&fake, 9 * MS));
            assert_int_equal(fake.flow.timeouts, 0);
            assert_int_equal(fake.flow.again, k);
            weir_ps span = fake_sent(&fake, 40 + k - 1, 2)->when - fake_sent(&fake, 40, 2)->when;
            if (sack)
                assert_true(span < 20 * US);
            else
                assert_true(span >= (k - 1) * 20 * US && span < (k - 1) * 20 * US + k * US);
            fake_assert_complete(&fake);
            fake_free(&fake);
        }
    }
}

/* Limited transmit: the first two duplicates clear a new segment each, though the window is full. */
static void tcp_scoreboard__limited_transmit(void **state)
{
    static const struct fake_fate lost[] = {{0, 1, false}};
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, 100);
    tcp_params(&fake.settings)->initial_window_segments = 4;
    give_fates(&fake, lost, 1);
    fake_run(&fake, 22 * US + 1);
    assert_int_equal(fake.data_count, 6);
    fake_run(&fake, 23 * US + 1);
    assert_int_equal(fake.data_count, 7);
    assert_int_equal(fake.data[6].packet.segment, 0);
    assert_true(fake_run(&fake, 5 * MS));
    assert_int_equal(fake.flow.timeouts, 0);
    fake_free(&fake);
}

/* Without SACK, ACKs of segments that had arrived before do not count as duplicates (RFC 6582, section 4). */
static void tcp_scoreboard__needless_retransmissions_are_no_duplicates(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, 100);
    tcp_params(&fake.settings)->sack = false;
    fake_run(&fake, 15 * US);
    for (uint32_t i = 0; i < 10; i++) {
        struct packet ack = {.flags = PACKET_ACK, .ack = 3, .segment = i < 5 ? 2 : 1};
        tcp_ack(&fake.host, &fake.flow, &ack, 15 * US);
    }
    assert_int_equal(tcp_sender(&fake.flow)->state, TCP_OPEN);
    assert_int_equal(tcp_sender(&fake.flow)->sacked, 0);
    fake_free(&fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tcp_scoreboard_sack__by_table),
        cmocka_unit_test(tcp_scoreboard_take__goes_through_the_holes),
        cmocka_unit_test(tcp_scoreboard_duplicate__counts),
        cmocka_unit_test(tcp_scoreboard__single_loss_is_repaired_in_a_round_trip),
        cmocka_unit_test(tcp_scoreboard__burst_loss),
        cmocka_unit_test(tcp_scoreboard__limited_transmit),
        cmocka_unit_test(tcp_scoreboard__needless_retransmissions_are_no_duplicates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
