/*
 * test_tcp_receiver.c - what the receiver answers to a row of segments: ACK numbers, SACK blocks, delayed ACKs, echoes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/transport/tcp.h"
#include "tests/support/fake_host.h"

#define SEGMENTS 200000u
#define MS WEIR_PS_PER_MS

static void give(struct fake_host *fake, uint32_t segment, bool marked)
{
    struct packet packet = {.segment = segment, .sent_ps = 1000 + segment, .flags = marked ? PACKET_MARKED : 0};
    tcp_data(&fake->host, &fake->flow, &packet, fake->now);
    assert_null(tcp_receiver_check(&fake->flow));
}

static const struct packet *last_ack(const struct fake_host *fake)
{
    assert_true(fake->ack_count > 0);
    return &fake->acks[fake->ack_count - 1].packet;
}

static void tcp_data__acks_and_sack_blocks(void **state)
{
    /* Arrivals in order; what each answer says: ack, then blocks as [first, end), newest first. */
    static const struct {
        uint32_t segment, ack;
        uint32_t block[3][2];
    } rows[] = {
        {0, 1, {{0}}},
        {2, 1, {{2, 3}}},
        {3, 1, {{2, 4}}},
        {6, 1, {{6, 7}, {2, 4}}},
        {7, 1, {{6, 8}, {2, 4}}},
        {10, 1, {{10, 11}, {6, 8}, {2, 4}}},
        {11, 1, {{10, 12}, {6, 8}, {2, 4}}}, /* growing a block pushes none out */
        {14, 1, {{14, 15}, {10, 12}, {6, 8}}},
        {2, 1, {{14, 15}, {10, 12}, {6, 8}}}, /* a duplicate changes nothing */
        {4, 1, {{2, 5}, {14, 15}, {10, 12}}},
        {5, 1, {{2, 8}, {14, 15}, {10, 12}}}, /* joins two blocks */
        {1, 8, {{14, 15}, {10, 12}}},
        {0, 8, {{14, 15}, {10, 12}}},
        {8, 9, {{14, 15}, {10, 12}}},
        {9, 12, {{14, 15}}},
        {13, 12, {{13, 15}}},
        {12, 15, {{0}}},
        {15, 16, {{0}}},
    };
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, SEGMENTS);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        give(&fake, rows[i].segment, false);
        const struct packet *ack = last_ack(&fake);
        assert_int_equal(fake.ack_count, i + 1);
        assert_int_equal(ack->ack, rows[i].ack);
        assert_int_equal(ack->segment, rows[i].segment);
        assert_int_equal(ack->sent_ps, 1000 + rows[i].segment);
        assert_int_equal(ack->flags, PACKET_ACK | (i == 8 || i == 12 ? PACKET_TWICE : 0)); /* the two duplicates */
        for (uint32_t k = 0; k < PACKET_SACKS; k++) {
            uint32_t length = rows[i].block[k][1] - rows[i].block[k][0];
            assert_int_equal(ack->sack[k].length, length);
            if (!length)
                break;
            assert_int_equal(ack->ack + ack->sack[k].offset, rows[i].block[k][0]);
        }
    }
    assert_int_equal(fake.delivered_bytes, 16 * 1460);
    fake_free(&fake);
}

static void tcp_data__no_blocks_without_sack(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, SEGMENTS);
    tcp_params(&fake.settings)->sack = false;
    give(&fake, 5, false);
    assert_int_equal(last_ack(&fake)->ack, 0);
    assert_int_equal(last_ack(&fake)->sack[0].length, 0);
    fake_free(&fake);
}

static void tcp_data__blocks_saturate(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, SEGMENTS);
    give(&fake, 65535, false);
    assert_int_equal(last_ack(&fake)->sack[0].offset, 65535);
    assert_int_equal(last_ack(&fake)->sack[0].length, 1);
    give(&fake, 65537, false);
    assert_int_equal(last_ack(&fake)->sack[0].offset, 65535); /* 65537 is too far to be told */
    assert_int_equal(last_ack(&fake)->sack[1].length, 0);
    fake_free(&fake);

    fake_init(&fake, &transport_newreno, SEGMENTS);
    for (uint32_t i = 1; i <= 70000; i++)
        give(&fake, i, false);
    assert_int_equal(last_ack(&fake)->sack[0].offset, 1);
    assert_int_equal(last_ack(&fake)->sack[0].length, 65535);
    give(&fake, 0, false);
    assert_int_equal(last_ack(&fake)->ack, 70001);
    fake_free(&fake);
}

static void tcp_data__delayed_acks(void **state)
{
    /* Each arrival and the ACKs sent so far, every third segment in order. */
    static const struct {
        uint32_t segment, acks;
    } rows[] = {{0, 0}, {1, 0}, {2, 1}, {3, 1}, {5, 2}, {6, 3}, {4, 4}, {7, 4}, {7, 5}, {8, 5}, {9, 5}, {10, 6}};
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, SEGMENTS);
    tcp_params(&fake.settings)->ack_every = 3;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        give(&fake, rows[i].segment, false);
        assert_int_equal(fake.ack_count, rows[i].acks);
    }
    assert_int_equal(fake.acks[0].packet.sent_ps, 1000); /* of the oldest segment */
    assert_int_equal(fake.acks[1].packet.sent_ps, 1003);
    assert_int_equal(fake.timer_calls, 1); /* and then only moved */
    fake_free(&fake);
}

static void tcp_receiver_timer__bounds_the_delay(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, 3);
    tcp_params(&fake.settings)->ack_every = 2;
    assert_true(fake_run(&fake, 9 * MS));
    assert_int_equal(fake.ack_count, 2); /* of two, and of the last segment at once */
    fake_free(&fake);

    fake_init(&fake, &transport_newreno, 100);
    tcp_params(&fake.settings)->ack_every = 2;
    tcp_params(&fake.settings)->initial_window_segments = 1;
    fake_run(&fake, MS + 9 * WEIR_PS_PER_US);
    assert_int_equal(fake.ack_count, 0);
    fake_run(&fake, MS + 11 * WEIR_PS_PER_US);
    assert_int_equal(fake.ack_count, 1);
    assert_int_equal(fake.acks[0].when, MS + 10 * WEIR_PS_PER_US);
    assert_int_equal(fake.acks[0].packet.ack, 1);
    assert_true(fake_run(&fake, 9 * MS));
    assert_int_equal(fake.flow.timeouts, 0);
    fake_free(&fake);
}

/* RFC 8257: a change of marks is told at once, for the segments before it. */
static void tcp_data__echo_state_machine(void **state)
{
    static const struct {
        bool marked;
        uint32_t acks, ack; /* afterwards: ACKs so far, and the number and echo of the last */
        bool echo;
    } rows[] = {
        {false, 0, 0, false}, {false, 1, 2, false}, {false, 1, 2, false},  {true, 2, 3, false},
        {true, 3, 5, true},   {true, 3, 5, true},   {false, 4, 6, true},   {true, 5, 7, false},
        {true, 6, 9, true},   {false, 6, 9, true},  {false, 7, 11, false},
    };
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_dctcp, SEGMENTS);
    tcp_params(&fake.settings)->ack_every = 2;
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        give(&fake, i, rows[i].marked);
        assert_int_equal(fake.ack_count, rows[i].acks);
        if (!rows[i].acks)
            continue;
        assert_int_equal(last_ack(&fake)->ack, rows[i].ack);
        assert_int_equal(last_ack(&fake)->flags, rows[i].echo ? PACKET_ACK | PACKET_ECHO : PACKET_ACK);
    }
    fake_free(&fake);
}

static void tcp_data__done_once_and_still_answers(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, 3);
    give(&fake, 2, false);
    give(&fake, 0, false);
    assert_false(fake.receiver_done);
    give(&fake, 1, false);
    assert_true(fake.receiver_done);
    give(&fake, 1, false);
    assert_int_equal(fake.ack_count, 4);
    assert_int_equal(last_ack(&fake)->ack, 3);
    assert_int_equal(fake.delivered_bytes, 3 * 1460);
    fake_free(&fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tcp_data__acks_and_sack_blocks),
        cmocka_unit_test(tcp_data__no_blocks_without_sack),
        cmocka_unit_test(tcp_data__blocks_saturate),
        cmocka_unit_test(tcp_data__delayed_acks),
        cmocka_unit_test(tcp_receiver_timer__bounds_the_delay),
        cmocka_unit_test(tcp_data__echo_state_machine),
        cmocka_unit_test(tcp_data__done_once_and_still_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
