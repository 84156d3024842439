/*
 * test_tcp_rack.c - RACK by the sections of RFC 8985, over a fake host: 20 us round trip, 1 us per packet, a timeout of
 * at least 10 ms. Segment n is sent at n us, its ACK arrives 20 us later.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/transport/tcp_more.h"
#include "sim/transport/tcp_ring.h"
#include "tests/support/fake_host.h"

#define US WEIR_PS_PER_US
#define MS WEIR_PS_PER_MS

static void start(struct fake_host *fake, uint32_t segments, const struct fake_fate *fates, uint32_t count)
{
    fake_init(fake, &transport_newreno, segments);
    tcp_params(&fake->settings)->rack = true;
    fake->fates = fates;
    fake->fate_count = count;
}

static struct tcp_rack *rack_of(const struct fake_host *fake)
{
    return &tcp_sender(&fake->flow)->more->rack;
}

/* An ACK with one block, of a segment that was sent at echo_ps. */
static void ack(struct fake_host *fake, uint32_t number, uint32_t from, uint32_t until, weir_ps echo_ps)
{
    struct packet packet = {.ack = number, .segment = until - 1, .flags = PACKET_ACK, .sent_ps = echo_ps};
    if (until > from)
        packet.sack[0] = (struct packet_sack){(uint16_t)(from - number), (uint16_t)(until - from)};
    tcp_ack(&fake->host, &fake->flow, &packet, fake->now);
    assert_null(tcp_check(&fake->flow));
}

/* Everything of the first window is sent and nothing acknowledged. */
static void start_sent(struct fake_host *fake)
{
    start(fake, 100, NULL, 0);
    fake->data_loss = WEIR_Q16_ONE; /* the test answers */
    fake_run(fake, 10 * US);
    tcp_receiver(&fake->flow)->next = 100;
    assert_int_equal(tcp_sender(&fake->flow)->next, 10);
}

/* Step 4: no reordering window when three segments are sacked and no reordering was seen. */
static void rack__three_later_segments_suffice(void **state)
{
    static const struct fake_fate lost[] = {{4, 1, false}};
    struct fake_host fake;
    (void)state;
    start(&fake, 10, lost, 1);
    assert_true(fake_run(&fake, MS));
    assert_int_equal(fake_sent(&fake, 4, 2)->when, 27 * US);
    assert_int_equal(fake.flow.again, 1);
    assert_int_equal(fake.flow.timeouts, 0);
    fake_assert_complete(&fake);
    fake_free(&fake);
}

/* Step 5: a quarter of the least round trip after the segment that arrived would have been due. */
static void rack__reordering_timer_finds_the_loss(void **state)
{
    static const struct fake_fate lost[] = {{8, 1, false}};
    struct fake_host fake;
    (void)state;
    start(&fake, 10, lost, 1);
    assert_true(fake_run(&fake, MS));
    assert_int_equal(fake_sent(&fake, 8, 2)->when, 9 * US + 20 * US + 5 * US);
    assert_int_equal(fake.flow.timeouts, 0);
    assert_true(tcp_sender(&fake.flow)->threshold < 4096);
    fake_assert_complete(&fake);
    fake_free(&fake);
}

/* With SACK alone this waits for the timeout (tcp_scoreboard.h). */
static void rack__finds_a_lost_retransmission(void **state)
{
    static const struct fake_fate lost[] = {{4, 1, false}, {4, 2, false}, {4, 3, false}};
    struct fake_host fake;
    (void)state;
    start(&fake, 100, lost, 3);
    assert_true(fake_run(&fake, 5 * MS));
    assert_int_equal(fake.flow.timeouts, 0);
    assert_int_equal(fake.flow.again, 3);
    assert_in_range(fake_sent(&fake, 4, 2)->when, 27 * US, 28 * US);
    assert_in_range(fake_sent(&fake, 4, 3)->when, 47 * US, 70 * US);
    assert_in_range(fake_sent(&fake, 4, 4)->when, 67 * US, 120 * US);
    fake_assert_complete(&fake);
    fake_free(&fake);
}

/* Steps 3 and 4: a segment that was sent once arrives after a later one. From then on three are not enough. */
static void rack__reordering_widens_the_window(void **state)
{
    struct fake_host fake;
    (void)state;
    start_sent(&fake);
    struct tcp_sender *s = tcp_sender(&fake.flow);
    fake.now = 22 * US;
    ack(&fake, 0, 2, 3, 2 * US);
    assert_false(rack_of(&fake)->reordering);
    ack(&fake, 0, 1, 3, 1 * US);
    assert_true(rack_of(&fake)->reordering);
    fake.now = 26 * US;
    ack(&fake, 3, 4, 7, 6 * US);
    assert_int_equal(s->sacked, 3);
    assert_int_equal(s->waiting, 0);
    assert_int_equal(s->state, TCP_OPEN);
    assert_int_equal(rack_of(&fake)->due_ps, 6 * US + 20 * US + s->more->min_rtt_ps / 4);
    fake_free(&fake);
}

/* Step 2: what a retransmission's ACK says may be said of the original. */
static void rack__ignores_ambiguous_acks(void **state)
{
    struct fake_host fake;
    (void)state;
    start_sent(&fake);
    fake.now = 25 * US;
    ack(&fake, 1, 2, 6, 5 * US); /* 1 is lost */
    fake_run(&fake, 25 * US + 1);
    assert_int_equal(fake_sent(&fake, 1, 2)->when, 25 * US);
    assert_int_equal(rack_of(&fake)->sent_ps, 5 * US);
    fake.now = 27 * US;
    ack(&fake, 6, 6, 6, 1 * US); /* too early, and with the time of the original */
    assert_int_equal(rack_of(&fake)->sent_ps, 5 * US);
    fake_free(&fake);
}

/* An ACK that moves una echoes the segment that did so. A retransmission that it sacks counts if it left a least round
 * trip ago: 20 us after segment 9, the probe, went out again. */
static void rack__takes_a_sack_beside_an_advance(void **state)
{
    static const struct {
        weir_ps when;
        bool counts;
    } rows[] = {{119 * US, false}, {120 * US, true}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fake_host fake;
        start_sent(&fake);
        fake.now = 20 * US;
        ack(&fake, 1, 1, 1, 0);
        tcp_rack_sent(&fake.host, tcp_sender(&fake.flow), 9, true, 100 * US);
        fake.now = rows[i].when;
        ack(&fake, 2, 9, 10, 1 * US);
        assert_int_equal(rack_of(&fake)->sent_ps == 100 * US, rows[i].counts);
        assert_int_equal(tcp_sender(&fake.flow)->waiting > 0, rows[i].counts);
        fake_free(&fake);
    }
}

/* Step 4: duplicates raise the multiplier once per round trip; it falls back after 16 recoveries. */
static void rack__duplicates_raise_the_multiplier(void **state)
{
    struct fake_host fake;
    struct packet packet = {.flags = PACKET_ACK | PACKET_TWICE};
    (void)state;
    start_sent(&fake);
    fake.now = 20 * US;
    for (int i = 0; i < 3; i++)
        tcp_ack(&fake.host, &fake.flow, &packet, fake.now);
    assert_int_equal(rack_of(&fake)->multiplier, 2);
    assert_int_equal(rack_of(&fake)->persist, 16);
    packet = (struct packet){.ack = 10, .flags = PACKET_ACK | PACKET_TWICE};
    tcp_ack(&fake.host, &fake.flow, &packet, 30 * US);
    assert_int_equal(rack_of(&fake)->multiplier, 3);
    for (int i = 0; i < 15; i++)
        tcp_rack_recovered(rack_of(&fake));
    assert_int_equal(rack_of(&fake)->multiplier, 3);
    tcp_rack_recovered(rack_of(&fake));
    assert_int_equal(rack_of(&fake)->multiplier, 1);
    fake_free(&fake);
}

/* Section 6.3: what was sent a moment ago is not lost by a timeout, except the first segment. */
static void rack__timeout_spares_the_newest(void **state)
{
    struct fake_host fake;
    (void)state;
    start_sent(&fake);
    struct tcp_sender *s = tcp_sender(&fake.flow);
    rack_of(&fake)->rtt_ps = 20 * US;
    tcp_rack_timeout(&fake.host, s, 25 * US); /* sent at 0 to 9 us */
    assert_int_equal(s->waiting, 6);
    assert_true(tcp_ring_has(rack_of(&fake)->lost, 5));
    assert_false(tcp_ring_has(rack_of(&fake)->lost, 6));
    tcp_rack_forget(s);
    rack_of(&fake)->sent[0] = 24 * US;
    tcp_rack_timeout(&fake.host, s, 25 * US);
    assert_int_equal(s->waiting, 6);
    fake_free(&fake);
}

/* Section 7.4: the probe was what was missing, so there was a loss. */
static void rack__probe_that_repairs_is_a_loss(void **state)
{
    static const struct fake_fate lost[] = {{9, 1, false}};
    struct fake_host fake;
    (void)state;
    start(&fake, 10, lost, 1);
    tcp_params(&fake.settings)->tail_loss_probe = true;
    tcp_params(&fake.settings)->halve_window = true;
    assert_true(fake_run(&fake, MS));
    assert_int_equal(fake_sent(&fake, 9, 2)->when, 28 * US + 40 * US);
    assert_int_equal(fake.flow.timeouts, 0);
    assert_true(tcp_sender(&fake.flow)->threshold == 7); /* half of 10 and the four ACKs that found it in use */
    fake_free(&fake);
}

/* The last segment is short and comes back faster than any before: it still tells what was lost before it. */
static void rack__fast_probe_counts(void **state)
{
    static const struct fake_fate lost[] = {{8, 1, false}, {9, 1, false}};
    struct fake_host fake;
    (void)state;
    start(&fake, 10, lost, 2);
    tcp_params(&fake.settings)->tail_loss_probe = true;
    fake_run(&fake, 50 * US);
    fake.delay_ps = 9 * US;
    assert_true(fake_run(&fake, MS));
    assert_int_equal(fake.flow.timeouts, 0);
    assert_int_equal(fake.flow.again, 2);
    fake_assert_complete(&fake);
    fake_free(&fake);
}

/* And a probe that was not needed is none. */
static void rack__needless_probe_is_no_loss(void **state)
{
    struct fake_host fake;
    (void)state;
    start(&fake, 12, NULL, 0);
    tcp_params(&fake.settings)->tail_loss_probe = true;
    fake_run(&fake, 20 * US + 1);
    fake.delay_ps = 60 * US;
    assert_true(fake_run(&fake, 5 * MS));
    assert_int_equal(fake.flow.again, 1);
    assert_true(tcp_sender(&fake.flow)->threshold == 4096);
    fake_free(&fake);
}

/* Section 7.2: while something is sacked the reordering timer is at work, not the probe. */
static void rack__no_probe_while_something_is_sacked(void **state)
{
    static const struct fake_fate lost[] = {{8, 1, false}};
    struct fake_host fake;
    (void)state;
    start(&fake, 10, lost, 1);
    tcp_params(&fake.settings)->tail_loss_probe = true;
    fake_run(&fake, 29 * US + 1);
    assert_int_equal(tcp_sender(&fake.flow)->probing, TCP_PROBE_NONE);
    assert_int_equal(fake.flow.sender_due_ps, 34 * US);
    fake_free(&fake);
}

/* Section 7.2: a single segment may wait for the longest delay of an ACK, but no longer than the timeout, in the place
 * of which the probe then comes. */
static void rack__probe_in_place_of_the_timeout(void **state)
{
    static const struct fake_fate lost[] = {{9, 1, false}};
    static const weir_ps delay_max[] = {5 * MS, 100 * MS}, expected[] = {28 * US + 40 * US + 5 * MS, 28 * US + 10 * MS};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fake_host fake;
        start(&fake, 10, lost, 1);
        tcp_params(&fake.settings)->tail_loss_probe = true;
        tcp_params(&fake.settings)->ack_every = 2;
        tcp_params(&fake.settings)->quick_acks = 255;
        tcp_params(&fake.settings)->ack_delay_max_ps = delay_max[i];
        assert_true(fake_run(&fake, 50 * MS));
        assert_int_equal(fake_sent(&fake, 9, 2)->when, expected[i]);
        assert_int_equal(fake.flow.timeouts, 0);
        fake_free(&fake);
    }
}

/* A timer of ticks fires at one, and the reordering timer not before the second. */
static void rack__ticks(void **state)
{
    static const struct fake_fate lost[] = {{8, 1, false}};
    struct fake_host fake;
    (void)state;
    start(&fake, 10, lost, 1);
    tcp_params(&fake.settings)->tick_ps = 100 * US;
    assert_true(fake_run(&fake, MS));
    assert_int_equal(fake_sent(&fake, 8, 2)->when, 200 * US);
    fake_free(&fake);
}

/* Random losses, marks of time and overtaking: every flow ends, and the record stays whole (fake_run checks it). */
static void rack__survives_anything(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 200; seed++) {
        struct fake_host fake;
        struct tcp_params *params = tcp_params(&fake.settings);
        start(&fake, 300, NULL, 0);
        fake.random = weir_random_stream(seed, "rack");
        fake.data_loss = (weir_q16)(seed % 7) * 3000;
        fake.ack_loss = (weir_q16)(seed % 5) * 3000;
        fake.jitter_ps = (uint32_t)((seed % 3) * 7 * US);
        params->min_rto_ps = params->initial_rto_ps = 100 * US;
        params->tail_loss_probe = seed & 1;
        params->prr = seed & 2;
        params->undo = seed & 4;
        params->hystart = (uint8_t)(seed % 3);
        params->linux_rto = seed & 8;
        params->ack_every = 1 + seed % 2;
        params->max_rto_ps = MS;
        assert_true(fake_run(&fake, WEIR_PS_PER_S));
        fake_assert_complete(&fake);
        fake_free(&fake);
    }
}

/* Without memory the flow ends all the same, as if the option were off. */
static void rack__without_memory(void **state)
{
    struct fake_host fake;
    (void)state;
    start(&fake, 100, NULL, 0);
    fake.no_words = true;
    assert_true(fake_run(&fake, MS));
    fake_free(&fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rack__three_later_segments_suffice),
        cmocka_unit_test(rack__reordering_timer_finds_the_loss),
        cmocka_unit_test(rack__finds_a_lost_retransmission),
        cmocka_unit_test(rack__reordering_widens_the_window),
        cmocka_unit_test(rack__ignores_ambiguous_acks),
        cmocka_unit_test(rack__takes_a_sack_beside_an_advance),
        cmocka_unit_test(rack__duplicates_raise_the_multiplier),
        cmocka_unit_test(rack__timeout_spares_the_newest),
        cmocka_unit_test(rack__probe_that_repairs_is_a_loss),
        cmocka_unit_test(rack__fast_probe_counts),
        cmocka_unit_test(rack__needless_probe_is_no_loss),
        cmocka_unit_test(rack__no_probe_while_something_is_sacked),
        cmocka_unit_test(rack__probe_in_place_of_the_timeout),
        cmocka_unit_test(rack__ticks),
        cmocka_unit_test(rack__survives_anything),
        cmocka_unit_test(rack__without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
