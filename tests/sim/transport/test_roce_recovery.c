/*
 * test_roce_recovery.c - NACKs, going back and timeouts of a RoCE flow, on the fake host (12 Gb/s, so that a packet of
 * 1500 B takes 1 us; 10 us one way).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/transport/roce.h"
#include "tests/support/fake_host.h"

#define US WEIR_PS_PER_US
#define MS WEIR_PS_PER_MS

/* 5 is lost: 6 arrives at 16 us and is answered by the only NACK, which comes when 25 is the next to go. */
static void roce_data__one_nack_per_gap(void **state)
{
    static const struct fake_fate fates[] = {{5, 1, false}};
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_none, 40);
    fake.fates = fates;
    fake.fate_count = 1;
    assert_true(fake_run(&fake, 10 * MS));
    fake_assert_complete(&fake);
    assert_int_equal(fake_acks_with(&fake, PACKET_NACK), 1);
    assert_int_equal(fake.flow.timeouts, 0);
    assert_int_equal(fake_sent(&fake, 5, 2)->when, 27 * US);
    assert_true(fake_sent(&fake, 5, 2)->packet.flags & PACKET_AGAIN);
    assert_int_equal(fake.flow.again, 22); /* 5 to 26, sent until the NACK arrived at 26 us */
    assert_int_equal(fake.data_count, 62);
    fake_free(&fake);
}

struct loss_row {
    struct fake_fate fates[3];
    uint32_t count, nacks, timeouts;
};

static void roce_sender_timer__what_nacks_do_not_find(void **state)
{
    static const struct loss_row rows[] = {
        {{{5, 1, false}, {5, 2, false}}, 2, 1, 1},   /* lost again: asked for only once */
        {{{39, 1, false}}, 1, 0, 1},                 /* nothing arrives after the last one */
        {{{39, 1, false}, {39, 2, false}}, 2, 0, 2}, /* no backoff */
        {{{3, 1, false}, {10, 2, false}, {10, 3, false}}, 3, 2, 1},
        {{{0, 1, false}, {8, 2, false}}, 2, 2, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fake_host fake;
        fake_init(&fake, &transport_none, 40);
        fake.fates = rows[i].fates;
        fake.fate_count = rows[i].count;
        assert_true(fake_run(&fake, 100 * MS));
        fake_assert_complete(&fake);
        assert_int_equal(fake_acks_with(&fake, PACKET_NACK), rows[i].nacks);
        assert_int_equal(fake.flow.timeouts, rows[i].timeouts);
        weir_ps least = rows[i].timeouts * roce_params(&fake.settings)->rto_ps;
        assert_true(fake.sender_done_ps > least && fake.sender_done_ps < least + MS);
        fake_free(&fake);
    }
}

static void roce_sender_timer__never_without_a_timeout(void **state)
{
    static const struct fake_fate fates[] = {{9, 1, false}};
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_none, 10);
    roce_params(&fake.settings)->rto_ps = 0;
    fake.fates = fates;
    fake.fate_count = 1;
    assert_false(fake_run(&fake, WEIR_PS_PER_S));
    assert_int_equal(fake.flow.timeouts, 0);
    assert_int_equal(fake.data_count, 10);
    fake_free(&fake);
}

/* Runs to `from`, and from there to `until` without a feedback packet that arrives. */
static void run_deaf(struct fake_host *fake, weir_ps from, weir_ps until)
{
    assert_false(fake_run(fake, from));
    fake->ack_loss = WEIR_Q16_ONE;
    assert_false(fake_run(fake, until));
    fake->ack_loss = 0;
}

/*
 * 5 is lost, and so is the NACK that 6 causes at 16 us: the receiver stays silent. The ACK of 4 came at 24 us, so that
 * a timeout of 100 us sends 5 again at 124 us, also where the flow never ceases to send.
 */
static void roce_emit__lost_nack(void **state)
{
    static const struct fake_fate fates[] = {{5, 1, false}};
    static const uint32_t segments[] = {0, 40, 1000};
    (void)state;
    for (size_t i = 0; i < sizeof segments / sizeof *segments; i++) {
        struct fake_host fake;
        fake_init(&fake, &transport_none, segments[i]);
        roce_params(&fake.settings)->rto_ps = 100 * US;
        fake.fates = fates;
        fake.fate_count = 1;
        run_deaf(&fake, 16 * US, 17 * US);
        fake_run(&fake, 2 * MS);
        assert_int_equal(fake_acks_with(&fake, PACKET_NACK), 1);
        assert_int_equal(fake.flow.timeouts, 1);
        assert_int_equal(fake_sent(&fake, 5, 2)->when, 124 * US);
        if (segments[i])
            fake_assert_complete(&fake);
        else
            assert_int_equal(roce_receiver(&fake.flow)->expected, 5 + 2000 - 124 - 10);
        fake_free(&fake);
    }
}

/* An endless flow whose link is cut for 50 us, twice: the second cut takes the NACK's answer with it. */
static void roce_emit__endless_flow_survives_cuts(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_none, 0);
    roce_params(&fake.settings)->rto_ps = 100 * US;
    for (uint32_t cut = 0; cut < 2; cut++) {
        fake_run(&fake, (100 + 65 * cut) * US);
        fake.data_loss = WEIR_Q16_ONE;
        fake_run(&fake, (150 + 65 * cut) * US);
        fake.data_loss = 0;
    }
    fake_run(&fake, 2 * MS);
    assert_int_equal(fake_acks_with(&fake, PACKET_NACK), 1);
    assert_int_equal(fake.flow.timeouts, 1);
    assert_int_equal(fake_sent(&fake, 100, 2)->when, 171 * US);
    assert_int_equal(fake_sent(&fake, 100, 3)->when, 271 * US);
    assert_int_equal(roce_receiver(&fake.flow)->expected, 100 + 2000 - 271 - 10);
    fake_free(&fake);
}

/* The same NACK twice sends the same twice, and the receiver takes it once. */
static void roce_ack__duplicate_nack(void **state)
{
    static const struct fake_fate fates[] = {{5, 1, false}};
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_none, 40);
    fake.fates = fates;
    fake.fate_count = 1;
    assert_false(fake_run(&fake, 30 * US + 1));
    assert_int_equal(roce_sender(&fake.flow)->next, 9); /* 5 to 8 from 27 us on */
    struct packet nack = {.flags = PACKET_ACK | PACKET_NACK, .ack = 5};
    roce_ack(&fake.host, &fake.flow, &nack, fake.now);
    assert_true(fake_run(&fake, 10 * MS));
    fake_assert_complete(&fake);
    assert_int_equal(fake_sent(&fake, 5, 3)->when, 31 * US);
    assert_int_equal(fake.flow.again, 22 + 4);
    assert_int_equal(fake.flow.timeouts, 0);
    fake_free(&fake);
}

/* Nothing is missing but the ACK of the last segment, which the timeout asks for. */
static void roce_data__lost_last_ack(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_none, 40);
    roce_params(&fake.settings)->rto_ps = 100 * US;
    run_deaf(&fake, 49 * US, 50 * US);
    assert_true(fake.receiver_done);
    assert_true(fake_run(&fake, MS));
    fake_assert_complete(&fake);
    assert_int_equal(fake.flow.timeouts, 1);
    assert_int_equal(fake.flow.again, 1);
    assert_int_equal(fake.sender_done_ps, (58 + 100 + 20) * US);
    fake_free(&fake);
}

struct hold_row {
    bool deaf;       /* the feedback for the last packets before the hold is lost */
    weir_ps late_us; /* or takes so much longer */
    uint32_t timeouts;
};

/* A flow that is ready and has no turn from 101 us to 1 ms, ten times its timeout, at line rate and a tenth of it. */
static void roce_emit__held(void **state)
{
    static const struct hold_row rows[] = {
        {false, 0, 0},   /* all is acknowledged: a hold alone is no timeout */
        {true, 0, 1},    /* the clock runs through the hold */
        {false, 400, 0}, /* the ACK comes after the time, but before the flow could act */
    };
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        struct fake_host fake;
        const struct hold_row *row = &rows[i / 2];
        fake_init(&fake, &transport_none, 200);
        roce_params(&fake.settings)->rto_ps = 90 * US;
        assert_false(fake_run(&fake, 1));
        roce_sender(&fake.flow)->rate_bps = i % 2 ? 1.2e9 : 12e9;
        assert_false(fake_run(&fake, 101 * US));
        uint32_t sent = fake.data_count;
        fake.nic_free_ps = MS;
        fake.delay_ps += row->late_us * US;
        if (row->deaf)
            run_deaf(&fake, 101 * US, 120 * US);
        assert_false(fake_run(&fake, MS));
        assert_int_equal(fake.data_count, sent);
        assert_int_equal(fake.flow.timeouts, 0);
        fake.delay_ps = 10 * US;
        assert_true(fake_run(&fake, 10 * MS));
        fake_assert_complete(&fake);
        assert_int_equal(fake.data[sent].when, MS);
        assert_int_equal(fake.flow.timeouts, row->timeouts);
        assert_int_equal(fake.flow.again > 0, row->timeouts > 0);
        fake_free(&fake);
    }
}

/* Losses both ways, and packets that overtake each other: all of it arrives, once. */
static void roce__random_losses_and_reordering(void **state)
{
    static const struct transport *const kinds[] = {&transport_none,     &transport_dcqcn,          &transport_hpcc,
                                                    &transport_powertcp, &transport_powertcp_delay, &transport_timely};
    (void)state;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        struct fake_host fake;
        fake_init(&fake, kinds[seed % 6], 200);
        fake.random = weir_random_stream(seed, "roce");
        fake.data_loss = seed % 3 ? WEIR_Q16_ONE / 50 : 0;
        fake.ack_loss = seed % 4 ? WEIR_Q16_ONE / 20 : 0;
        fake.jitter_ps = seed % 5 ? 0 : 3 * US;
        fake.mark_until = seed % 7 ? 0 : 100;
        roce_params(&fake.settings)->ack_every = seed % 2 ? 1 : 3;
        roce_params(&fake.settings)->rto_ps = 200 * US;
        bool done = fake_run(&fake, WEIR_PS_PER_S);
        if (!done || fake.delivered_bytes != fake.flow.bytes)
            fail_msg("seed %llu: %s did not end well", (unsigned long long)seed, kinds[seed % 6]->name);
        fake_assert_complete(&fake);
        assert_int_equal(fake.data_count, 200 + fake.flow.again);
        fake_free(&fake);
    }
}

/* A NACK that was overtaken by a later ACK asks for what has arrived since. */
static void roce_ack__old_nack(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_none, 100);
    assert_false(fake_run(&fake, 50 * US));
    struct roce_sender *s = roce_sender(&fake.flow);
    uint32_t next = s->next, acked = s->acked;
    struct packet nack = {.flags = PACKET_ACK | PACKET_NACK, .ack = acked - 3};
    roce_ack(&fake.host, &fake.flow, &nack, fake.now);
    assert_int_equal(s->next, next);
    assert_int_equal(s->acked, acked);
    nack.ack = acked + 2;
    roce_ack(&fake.host, &fake.flow, &nack, fake.now);
    assert_int_equal(s->acked, acked + 2);
    assert_int_equal(s->next, acked + 2);
    fake_free(&fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roce_data__one_nack_per_gap),
        cmocka_unit_test(roce_sender_timer__what_nacks_do_not_find),
        cmocka_unit_test(roce_sender_timer__never_without_a_timeout),
        cmocka_unit_test(roce_emit__lost_nack),
        cmocka_unit_test(roce_emit__endless_flow_survives_cuts),
        cmocka_unit_test(roce_ack__duplicate_nack),
        cmocka_unit_test(roce_data__lost_last_ack),
        cmocka_unit_test(roce_emit__held),
        cmocka_unit_test(roce__random_losses_and_reordering),
        cmocka_unit_test(roce_ack__old_nack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
