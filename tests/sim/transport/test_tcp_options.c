/*
 * test_tcp_options.c - the smaller options of TCP, each by the rules of its RFC or paper: PRR (RFC 9937), HyStart (Ha
 * and Rhee 2011) and HyStart++ (RFC 9406), F-RTO (RFC 5682), Eifel (RFC 3522), the timeout and the ACKs of Linux
 * (Sarolahti and Kuznetsov 2002), kept connections, requests. Over a fake host: 20 us round trip, 1 us per packet.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "sim/transport/tcp_dctcp.h"
#include "sim/transport/tcp_more.h"
#include "tests/support/fake_host.h"

#define US WEIR_PS_PER_US
#define MS WEIR_PS_PER_MS

/* RFC 9937, section 6.2: 20 segments in flight, to be 10. Each row: what an ACK delivered, how many segments are in
 * flight after it, whether it was good news, and how many may be sent, which then are. */
static void prr__follows_the_rfc(void **state)
{
    static const struct {
        uint32_t delivered, pipe;
        bool safe;
        uint32_t send;
    } rows[] = {
        {1, 18, false, 1}, /* ceil(1/2): the first retransmission */
        {1, 17, false, 0}, /* ceil(2/2) - 1 */
        {1, 17, false, 1}, /* ceil(3/2) - 1 */
        {2, 15, false, 1}, /* ceil(5/2) - 2 */
        {0, 15, false, 0}, /* nothing new */
        {6, 9, false, 1},  /* below the threshold: min(10 - 9, max(11 - 3, 6)) */
        {3, 7, true, 3},   /* min(10 - 7, max(14 - 4, 3) + 1) */
        {1, 4, true, 6},   /* catches up: min(10 - 4, max(15 - 7, 1) + 1) */
        {1, 9, true, 1},
    };
    struct tcp_more more = {.min_rtt_ps = WEIR_NEVER};
    struct tcp_sender s = {.una = 100, .next = 120, .window = 20, .threshold = 10, .more = &more};
    (void)state;
    tcp_prr_begin(&s, 20, 0);
    assert_int_equal(more.prr.flight, 20);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        s.sacked = s.next - s.una - rows[i].pipe;
        s.window = rows[i].pipe;
        tcp_prr_ack(&s, rows[i].delivered, rows[i].safe);
        assert_true(s.window - rows[i].pipe == rows[i].send);
        more.prr.out += rows[i].send;
    }
    s.una = 120;
    s.next = 125;
    s.sacked = 0;
    tcp_prr_ack(&s, 3, true);
    assert_true(s.window == 10);
    assert_false(more.prr.active);
}

/* Half of the window goes out in the round trip after a loss, spread over it; without PRR nothing for half of it. */
static void prr__sends_during_a_reduction(void **state)
{
    static const struct fake_fate lost[] = {{5, 1, false}};
    uint32_t sent[2];
    (void)state;
    for (int prr = 0; prr < 2; prr++) {
        struct fake_host fake;
        fake_init(&fake, &transport_newreno, 200);
        tcp_params(&fake.settings)->initial_window_segments = 20;
        tcp_params(&fake.settings)->slow_start = false;
        tcp_params(&fake.settings)->prr = prr;
        tcp_params(&fake.settings)->rack = prr;
        fake.fates = lost;
        fake.fate_count = 1;
        fake_run(&fake, 28 * US + 1); /* recovery has begun: 6 and 7 and 8 have arrived */
        uint32_t before = fake.data_count;
        fake_run(&fake, 36 * US);
        sent[prr] = fake.data_count - before;
        assert_true(fake_run(&fake, 10 * MS));
        assert_int_equal(fake.flow.timeouts, 0);
        fake_free(&fake);
    }
    assert_int_equal(sent[0], 0);
    assert_in_range(sent[1], 3, 5);
}

/* A mark reduces by and by as well, and to the same threshold. */
static void prr__marks(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_dctcp, 400);
    tcp_params(&fake.settings)->initial_window_segments = 40;
    tcp_params(&fake.settings)->slow_start = false;
    tcp_params(&fake.settings)->prr = true;
    fake.nic_ps = US / 4;
    fake.mark_from = 60;
    fake.mark_until = 61;
    const struct tcp_sender *s = tcp_sender(&fake.flow);
    weir_ps end = US;
    for (; end < MS && !(s->more && s->more->prr.active); end += US)
        fake_run(&fake, end);
    assert_true(s->more->prr.active && s->threshold < 23 && s->window > 30);
    for (; end < MS && s->more->prr.active; end += US)
        fake_run(&fake, end);
    assert_true(!s->more->prr.active && s->window == s->threshold);
    fake_free(&fake);
}

struct hystart_rig {
    struct tcp_params params;
    struct tcp_more more;
    struct tcp_sender s;
};

static void hystart_start(struct hystart_rig *rig, enum tcp_hystart_kind kind, double window)
{
    memset(rig, 0, sizeof *rig);
    rig->params = (struct tcp_params){.hystart = (uint8_t)kind, .hystart_delay_ps = 4 * MS};
    rig->more.min_rtt_ps = rig->more.hystart.least_ps = rig->more.hystart.least_last_ps = WEIR_NEVER;
    rig->s = (struct tcp_sender){.next = 100, .window = window, .threshold = 4096, .more = &rig->more};
}

/* A round of `count` ACKs `gap` apart; returns what the window may grow by in all. */
static uint32_t hystart_round(struct hystart_rig *rig, weir_ps from, weir_ps rtt, uint32_t count, weir_ps gap)
{
    uint32_t grow = 0;
    rig->s.una = rig->s.next;
    rig->s.next += 1000;
    for (uint32_t i = 0; i < count; i++) {
        struct tcp_acked acked = {.delivered = 1, .grow = 1, .now = from + i * gap};
        rig->s.una++;
        rig->more.min_rtt_ps = rtt < rig->more.min_rtt_ps ? rtt : rig->more.min_rtt_ps;
        grow += tcp_hystart_ack(&rig->s, &rig->params, &acked, rtt);
    }
    return grow;
}

/* Ha and Rhee, section 4: an ACK train longer than half the least round trip; not from small windows, nor of ACKs that
 * are far apart. */
static void hystart__ack_train(void **state)
{
    struct hystart_rig rig;
    (void)state;
    hystart_start(&rig, TCP_HYSTART_CLASSIC, 20);
    hystart_round(&rig, 100 * MS, 40 * MS, 21, MS);
    assert_true(rig.s.threshold == 4096);
    hystart_round(&rig, 140 * MS, 40 * MS, 22, MS);
    assert_true(rig.s.threshold == 20);
    hystart_start(&rig, TCP_HYSTART_CLASSIC, 15);
    hystart_round(&rig, 140 * MS, 40 * MS, 30, MS);
    assert_true(rig.s.threshold == 4096);
    hystart_start(&rig, TCP_HYSTART_CLASSIC, 20);
    hystart_round(&rig, 140 * MS, 40 * MS, 30, 3 * MS);
    assert_true(rig.s.threshold == 4096);
}

/* Section 4: the least of eight round trips of a round is an eighth above the least ever, within 4 and 16 ms. */
static void hystart__delay(void **state)
{
    static const struct {
        weir_ps base, rtt;
        bool ends;
    } rows[] = {{80 * MS, 89 * MS, false}, {80 * MS, 90 * MS, true},    {8 * MS, 11 * MS, false},
                {8 * MS, 12 * MS, true},   {400 * MS, 415 * MS, false}, {400 * MS, 416 * MS, true}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hystart_rig rig;
        hystart_start(&rig, TCP_HYSTART_CLASSIC, 20);
        hystart_round(&rig, WEIR_PS_PER_S, rows[i].base, 10, 3 * MS);
        hystart_round(&rig, 2 * WEIR_PS_PER_S, rows[i].rtt, 8, 3 * MS);
        assert_true(rig.s.threshold == 4096);
        hystart_round(&rig, 3 * WEIR_PS_PER_S, rows[i].rtt, 9, 3 * MS);
        assert_true((rig.s.threshold == 20) == rows[i].ends);
    }
}

/* RFC 9406, section 4.2: a round eight samples of which are above the last by an eighth begins conservative slow start,
 * with a quarter of the growth; five rounds of it end slow start; a lower round trip resumes it. */
static void hystart_plusplus__rounds(void **state)
{
    struct hystart_rig rig;
    (void)state;
    hystart_start(&rig, TCP_HYSTART_PLUSPLUS, 20);
    assert_int_equal(hystart_round(&rig, 0, 80 * MS, 16, MS), 16);
    assert_int_equal(hystart_round(&rig, WEIR_PS_PER_S, 89 * MS, 16, MS), 16);
    assert_int_equal(rig.more.hystart.phase, TCP_HYSTART_SLOW_START);
    assert_int_equal(hystart_round(&rig, 2 * WEIR_PS_PER_S, 101 * MS, 7 + 16, MS), 7 + 4);
    assert_int_equal(rig.more.hystart.phase, TCP_HYSTART_CSS);
    assert_int_equal(hystart_round(&rig, 3 * WEIR_PS_PER_S, 100 * MS, 16, MS) > 4, true);
    assert_int_equal(rig.more.hystart.phase, TCP_HYSTART_SLOW_START);
    hystart_round(&rig, 4 * WEIR_PS_PER_S, 120 * MS, 16, MS);
    for (int round = 0; round < 4; round++)
        assert_int_equal(hystart_round(&rig, (5 + round) * WEIR_PS_PER_S, 120 * MS, 16, MS), 4);
    assert_true(rig.s.threshold == 4096);
    hystart_round(&rig, 10 * WEIR_PS_PER_S, 120 * MS, 1, MS);
    assert_true(rig.s.threshold == 20);
    assert_int_equal(rig.more.hystart.phase, TCP_HYSTART_DONE);
}

/* Section 4.2: an ACK of many segments opens the window by eight. */
static void hystart_plusplus__limits_growth(void **state)
{
    struct hystart_rig rig;
    struct tcp_acked acked = {.delivered = 30, .grow = 30, .now = MS};
    (void)state;
    hystart_start(&rig, TCP_HYSTART_PLUSPLUS, 20);
    rig.s.una = 200;
    rig.s.next = 300;
    assert_int_equal(tcp_hystart_ack(&rig.s, &rig.params, &acked, MS), 8);
}

static void undo_start(struct fake_host *fake, uint32_t segments)
{
    fake_init(fake, &transport_newreno, segments);
    struct tcp_params *params = tcp_params(&fake->settings);
    params->rack = params->undo = true;
    params->min_rto_ps = params->initial_rto_ps = 100 * US;
}

/* RFC 3522: the round trip grows beyond the timeout, and nothing is lost. The window is what it was. */
static void undo__eifel(void **state)
{
    struct fake_host fake;
    (void)state;
    for (int undo = 0; undo < 2; undo++) {
        undo_start(&fake, 40);
        tcp_params(&fake.settings)->undo = undo;
        fake_run(&fake, 25 * US);
        fake.delay_ps = 150 * US;
        assert_true(fake_run(&fake, 50 * MS));
        assert_in_range(fake.flow.timeouts, 1, 3);
        assert_int_equal(tcp_sender(&fake.flow)->threshold == 4096, undo);
        fake_assert_complete(&fake);
        fake_free(&fake);
    }
}

static void give_ack(struct fake_host *fake, uint32_t number, uint32_t from, uint32_t until, weir_ps echo_ps)
{
    struct packet packet = {.ack = number, .segment = number, .flags = PACKET_ACK, .sent_ps = echo_ps};
    if (until > from)
        packet.sack[0] = (struct packet_sack){(uint16_t)(from - number), (uint16_t)(until - from)};
    tcp_ack(&fake->host, &fake->flow, &packet, fake->now);
    assert_null(tcp_check(&fake->flow));
}

/* RFC 5682, section 3.1: after the timeout one old segment, after the next ACK two new ones, and then the verdict. */
static void undo__frto(void **state)
{
    static const struct {
        uint32_t from, until; /* the block of the second ACK */
        bool needless;
    } rows[] = {{2, 4, true}, {10, 11, false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fake_host fake;
        undo_start(&fake, 100);
        fake.data_loss = WEIR_Q16_ONE;
        fake_run(&fake, 101 * US); /* ten are sent and time out */
        struct tcp_sender *s = tcp_sender(&fake.flow);
        tcp_receiver(&fake.flow)->next = 100;
        assert_int_equal(s->state, TCP_LOSS);
        assert_int_equal(fake.data_count, 11);
        assert_int_equal(fake_sent(&fake, 0, 2)->when, 100 * US);
        fake.now = 110 * US;
        give_ack(&fake, 1, 0, 0, 100 * US); /* echoes the retransmission: Eifel says nothing */
        assert_int_equal(s->more->undo.frto, TCP_FRTO_SECOND);
        fake_run(&fake, 115 * US);
        assert_int_equal(fake.data_count, 13);
        assert_non_null(fake_sent(&fake, 10, 1));
        assert_non_null(fake_sent(&fake, 11, 1));
        give_ack(&fake, 1, rows[i].from, rows[i].until, 111 * US);
        assert_int_equal(s->state, rows[i].needless ? TCP_OPEN : TCP_LOSS);
        assert_int_equal(s->threshold == 4096, rows[i].needless);
        assert_int_equal(s->window >= 10, rows[i].needless);
        assert_int_equal(s->waiting > 0, !rows[i].needless);
        fake_free(&fake);
    }
}

/* Linux: the timeout is min_rto above the smoothed round trip, and not at least min_rto. */
static void linux_rto__floor_and_ticks(void **state)
{
    static const struct fake_fate lost[] = {{9, 1, false}};
    static const struct {
        bool linux_rto;
        weir_ps tick, expected;
    } rows[] = {{false, 0, 28 * US + 10 * MS}, {true, 0, 28 * US + 20 * US + 10 * MS}, {true, 4 * MS, 12 * MS}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fake_host fake;
        fake_init(&fake, &transport_newreno, 10);
        tcp_params(&fake.settings)->linux_rto = rows[i].linux_rto;
        tcp_params(&fake.settings)->tick_ps = rows[i].tick;
        fake.fates = lost;
        fake.fate_count = 1;
        assert_true(fake_run(&fake, 50 * MS));
        assert_int_equal(fake_sent(&fake, 9, 2)->when, rows[i].expected);
        fake_free(&fake);
    }
}

/* It rises at once with the deviation and falls by a quarter of the way per round trip. */
static void linux_rto__falls_slowly(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, 0);
    tcp_params(&fake.settings)->linux_rto = true;
    tcp_params(&fake.settings)->min_rto_ps = 4 * US;
    tcp_params(&fake.settings)->max_window_segments = 10;
    fake_run(&fake, 200 * US);
    const struct tcp_sender *s = tcp_sender(&fake.flow);
    weir_ps rest = s->rttvar_ps;
    fake.delay_ps = 60 * US;
    fake_run(&fake, 400 * US);
    weir_ps raised = s->rttvar_ps;
    assert_true(raised > 4 * rest && raised > 20 * US);
    fake_run(&fake, 2 * MS);
    assert_in_range(s->rttvar_ps, 1, raised / 2);
    fake_free(&fake);
}

static void give(struct fake_host *fake, uint32_t segment, weir_ps now)
{
    struct packet packet = {.segment = segment, .sent_ps = 1, .flow = &fake->flow};
    fake->now = now;
    tcp_data(&fake->host, &fake->flow, &packet, now);
}

/* The first segments of a connection one by one, then every second; not on a connection that was used before. */
static void acks__quick_at_first(void **state)
{
    static const uint32_t expected[2][6] = {{1, 2, 3, 4, 4, 5}, {0, 1, 1, 2, 2, 3}};
    (void)state;
    for (int used = 0; used < 2; used++) {
        struct fake_host fake;
        fake_init(&fake, &transport_newreno, 100);
        tcp_params(&fake.settings)->ack_every = 2;
        tcp_params(&fake.settings)->quick_acks = 4;
        fake.connection.used = used;
        fake.flow.connection = &fake.connection;
        for (uint32_t i = 0; i < 6; i++) {
            give(&fake, i, i * US);
            assert_int_equal(fake.ack_count, expected[used][i]);
        }
        fake_free(&fake);
    }
}

/* Segments far apart: the delay follows them, between ack_delay and ack_delay_max. */
static void acks__delay_adapts(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, 100);
    tcp_params(&fake.settings)->ack_every = 2;
    tcp_params(&fake.settings)->ack_delay_ps = 40 * MS;
    tcp_params(&fake.settings)->ack_delay_max_ps = 200 * MS;
    give(&fake, 0, MS);
    assert_int_equal(fake.flow.receiver_due_ps, 41 * MS);
    give(&fake, 1, 2 * MS);
    give(&fake, 2, 32 * MS);
    assert_int_equal(fake.flow.receiver_due_ps, (32 + 40 / 2 + 30) * MS);
    tcp_receiver_timer(&fake.host, &fake.flow, 82 * MS);
    assert_int_equal(fake.ack_count, 2);
    fake.flow.receiver_due_ps = WEIR_NEVER;
    fake.wake_ps[1] = WEIR_NEVER;
    give(&fake, 3, 200 * MS); /* the timer had to send an ACK: 100 ms, and beyond it nothing changes */
    assert_int_equal(fake.flow.receiver_due_ps, 300 * MS);
    fake_free(&fake);
}

/* The next flow of the fake host's connection, once the last has ended. */
static void next_flow(struct fake_host *fake, weir_ps idle)
{
    struct flow *flow = &fake->flow;
    fake->settings.kind->close(&fake->host, flow);
    memset(flow->sender, 0, sizeof flow->sender);
    memset(flow->receiver, 0, sizeof flow->receiver);
    flow->id++;
    flow->ready = false;
    flow->delivered_bytes = fake->delivered_bytes = 0;
    fake->sender_done = fake->receiver_done = false;
    fake->connection.used = true;
    fake->now += idle;
    fake->settings.kind->open(&fake->host, flow, fake->now);
}

/* Window, threshold, round-trip time and alpha go from flow to flow, and no handshake comes between. */
static void connection__keeps_its_state(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_dctcp, 60);
    struct tcp_params *params = tcp_params(&fake.settings);
    params->keep_connections = params->handshake = params->linux_rto = true;
    fake.mark_from = 30;
    fake.mark_until = 32;
    assert_true(fake_run(&fake, MS));
    assert_int_equal(fake.taken, 0);
    struct tcp_sender last = *tcp_sender(&fake.flow);
    double alpha = dctcp_of(&last)->alpha;
    assert_true(last.threshold < 4096 && alpha < 1);
    next_flow(&fake, 50 * US);
    const struct tcp_sender *s = tcp_sender(&fake.flow);
    assert_int_equal(fake.taken, 1);
    assert_int_equal(s->state, TCP_OPEN);
    assert_true(s->window == last.window && s->threshold == last.threshold);
    assert_true(s->srtt_ps == last.srtt_ps && s->rttvar_ps == last.rttvar_ps);
    assert_true(dctcp_of(tcp_sender(&fake.flow))->alpha == alpha);
    assert_true(fake_run(&fake, 5 * MS));
    assert_int_equal(fake.taken, 0);
    fake_free(&fake);
}

/* RFC 2861: a half for each timeout, not below the initial window; the threshold remembers three quarters. */
static void connection__shrinks_while_idle(void **state)
{
    static const struct {
        bool restart;
        weir_ps idle;
        double part;
    } rows[] = {
        {false, 500 * MS, 1}, {true, 9 * MS, 1}, {true, 11 * MS, 0.5}, {true, 21 * MS, 0.25}, {true, 1000 * MS, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fake_host fake;
        fake_init(&fake, &transport_newreno, 400);
        fake.nic_ps = US / 10;
        tcp_params(&fake.settings)->keep_connections = true;
        tcp_params(&fake.settings)->restart_idle = rows[i].restart;
        assert_true(fake_run(&fake, MS));
        double window = tcp_sender(&fake.flow)->window;
        assert_true(window > 44);
        next_flow(&fake, rows[i].idle);
        double expected = rows[i].part > 0 ? window * rows[i].part : 10;
        assert_true(tcp_sender(&fake.flow)->window == expected);
        fake_free(&fake);
    }
}

/* The receiver asks: half a round trip before the first segment; a lost request is sent again. */
static void request__comes_first(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, 10);
    tcp_params(&fake.settings)->request = true;
    assert_true(fake_run(&fake, MS));
    assert_int_equal(fake_sent(&fake, 0, 1)->when, 10 * US);
    assert_int_equal(fake.acks[0].packet.bytes, 40 + 24);
    fake_assert_complete(&fake);
    fake_free(&fake);

    fake_init(&fake, &transport_newreno, 10);
    tcp_params(&fake.settings)->request = true;
    fake.ack_loss = WEIR_Q16_ONE;
    fake_run(&fake, 1);
    fake.ack_loss = 0;
    fake.now = 1;
    assert_true(fake_run(&fake, 50 * MS));
    assert_int_equal(fake_sent(&fake, 0, 1)->when, 10 * MS + 20 * US + 10 * US);
    assert_int_equal(fake.flow.timeouts, 0);
    fake_free(&fake);
}

/* With a handshake: SYN, its answer, and the request with the last step of it. */
static void request__after_a_handshake(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, 10);
    tcp_params(&fake.settings)->request = tcp_params(&fake.settings)->handshake = true;
    assert_true(fake_run(&fake, MS));
    assert_int_equal(fake_sent(&fake, FAKE_SYN, 1)->when, 10 * US);
    assert_int_equal(fake_sent(&fake, 0, 1)->when, 30 * US);
    assert_int_equal(tcp_sender(&fake.flow)->srtt_ps / US, 20);
    fake_free(&fake);
}

/* A connection that was open before the run needs none, and knows its round trip. */
static void connection__open_before_the_run(void **state)
{
    struct fake_host fake;
    (void)state;
    fake_init(&fake, &transport_newreno, 10);
    struct tcp_params *params = tcp_params(&fake.settings);
    params->keep_connections = params->handshake = true;
    params->open_connections = 1;
    fake_run(&fake, 1);
    assert_int_equal(fake_sent(&fake, 0, 1)->when, 0);
    /* Two links less 1460 B at 12 Gb/s. */
    assert_in_range(tcp_sender(&fake.flow)->srtt_ps, 18053000, 18054000);
    fake_free(&fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prr__follows_the_rfc),
        cmocka_unit_test(prr__sends_during_a_reduction),
        cmocka_unit_test(prr__marks),
        cmocka_unit_test(hystart__ack_train),
        cmocka_unit_test(hystart__delay),
        cmocka_unit_test(hystart_plusplus__rounds),
        cmocka_unit_test(hystart_plusplus__limits_growth),
        cmocka_unit_test(undo__eifel),
        cmocka_unit_test(undo__frto),
        cmocka_unit_test(linux_rto__floor_and_ticks),
        cmocka_unit_test(linux_rto__falls_slowly),
        cmocka_unit_test(acks__quick_at_first),
        cmocka_unit_test(acks__delay_adapts),
        cmocka_unit_test(connection__keeps_its_state),
        cmocka_unit_test(connection__shrinks_while_idle),
        cmocka_unit_test(connection__open_before_the_run),
        cmocka_unit_test(request__comes_first),
        cmocka_unit_test(request__after_a_handshake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
