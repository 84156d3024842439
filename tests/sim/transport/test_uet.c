/*
 * test_uet.c - Ultra Ethernet's formulas against values by hand, for the reference network (100 Gb/s, 14.02272 us with
 * the serialisation of six hops, packets of 4086 and 64 bytes; uet-htsim prints the same constants), and its two ends
 * on the fake host: 12 Gb/s, 20 us of round trip, 1500-byte packets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "sim/transport/uet.h"
#include "tests/support/fake_host.h"

#define US WEIR_PS_PER_US
#define MS WEIR_PS_PER_MS
#define RATE 100000000000
#define RTT INT64_C(14022720)
#define FULL 4150
#define MOST 262926
#define TARGET INT64_C(10517040)

static void assert_near(double found, double expected, double bound)
{
    if (!(fabs(found - expected) <= bound))
        fail_msg("%.9g is not %.9g within %.3g", found, expected, bound);
}

static struct uet_scale reference_scale(void)
{
    const struct sim_wire wire = {.mss_bytes = 4086, .header_bytes = 64, .ack_bytes = 64};
    const struct uet_params params = {.trimmed = true};
    return uet_scale_of(&params, &wire, RATE, RTT);
}

static void uet_scale_of__is_the_references(void **state)
{
    (void)state;
    struct uet_scale scale = reference_scale();
    assert_int_equal(scale.rtt_ps, RTT);
    assert_int_equal(scale.target_ps, TARGET);
    assert_near(scale.alpha, 0.00159158, 1e-8);
    assert_near(scale.fair, 23873.7, 0.05);
    assert_near(scale.eta, 716.21, 0.005);
    assert_near(scale.fast, 0.29214, 1e-5);
    assert_int_equal(scale.full, FULL);
    assert_int_equal(uet_window_most(RATE, RTT), MOST);
    const struct sim_wire wire = {.mss_bytes = 4086, .header_bytes = 64, .ack_bytes = 64};
    assert_int_equal(uet_scale_of(&(struct uet_params){.trimmed = false}, &wire, RATE, RTT).target_ps, RTT);
    assert_int_equal(uet_scale_of(&(struct uet_params){.target_ps = 6 * US}, &wire, RATE, RTT).target_ps, 6 * US);
    assert_int_equal(uet_scale_of(&(struct uet_params){.network_rtt_ps = 8 * US}, &wire, RATE, RTT).rtt_ps, 8 * US);
}

/* A window of 100,000 bytes in the middle of a flow: quick adapt has looked, and looks again far later. */
static struct uet_sender middle(void)
{
    return (struct uet_sender){.window = 100000,
                               .window_most = MOST,
                               .base_ps = RTT,
                               .adapt_ps = 900 * US,
                               .adjusted_ps = 500 * US,
                               .decreased_ps = 400 * US};
}

/* The four cases, far from the moments at which the window is set. */
static void uet_nscc_ack__has_four_cases(void **state)
{
    static const struct {
        weir_ps delay_ps, average_ps;
        bool marked;
        int32_t window;
        int64_t increase;
    } cases[] = {
        {TARGET, 0, false, 100000, 99075752},  /* fair: 23873.67 * 4150 */
        {12 * US, 0, false, 100000, 99075752}, /* whatever is beyond it */
        {TARGET - 1, 0, false, 100000, 6},     /* proportional: alpha * 4150 * 1 */
        {5 * US, 0, false, 100000, 36440000},  /* alpha * 4150 * 5.517 us */
        {5 * US, 20 * US, true, 100000, 0},    /* marked, short: nothing */
        {TARGET, 20 * US, true, 62068, 0},     /* 1 - 0.8 * 9.48296 / 20 */
        {TARGET, 200 * US, true, 50000, 0},    /* at least half */
        {TARGET, TARGET, true, 100000, 0},     /* the mean is not above it */
    };
    const struct uet_scale scale = reference_scale();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct uet_sender s = middle();
        s.delay_ps = cases[i].average_ps;
        uet_nscc_ack(&s, &scale, FULL, cases[i].delay_ps, cases[i].marked, 510 * US);
        assert_int_equal(s.window, cases[i].window);
        assert_near((double)s.increase, (double)cases[i].increase, 2e-4 * (double)cases[i].increase + 1);
        assert_int_equal(s.decreased_ps, cases[i].window < 100000 ? 510 * US : 400 * US);
    }
}

static void uet_nscc_ack__decreases_once_in_a_round_trip(void **state)
{
    const struct uet_scale scale = reference_scale();
    struct uet_sender s = middle();
    (void)state;
    s.delay_ps = 200 * US;
    uet_nscc_ack(&s, &scale, FULL, 20 * US, true, 505 * US);
    assert_int_equal(s.window, 50000);
    uet_nscc_ack(&s, &scale, FULL, 20 * US, true, 505 * US + RTT);
    assert_int_equal(s.window, 50000 + 716); /* not again, but eta: a round trip has passed since 500 us */
    uet_nscc_ack(&s, &scale, FULL, 20 * US, true, 505 * US + RTT + 1);
    assert_int_equal(s.window, 25358);
}

/* After a window of bytes with less than 1 us each byte adds 0.29214 at once, until a delay comes. */
static void uet_nscc_ack__grows_fast_without_delay(void **state)
{
    const struct uet_scale scale = reference_scale();
    struct uet_sender s = middle();
    (void)state;
    for (uint32_t i = 0; i < 24; i++)
        uet_nscc_ack(&s, &scale, FULL, 1 * US - 1, false, 510 * US);
    assert_int_equal(s.window, 100000); /* 99,600 bytes so far */
    uet_nscc_ack(&s, &scale, FULL, 1 * US - 1, false, 510 * US);
    assert_int_equal(s.window, 101212);
    uet_nscc_ack(&s, &scale, FULL, 1 * US - 1, false, 510 * US);
    assert_int_equal(s.window, 102424);
    int64_t before = s.increase;
    uet_nscc_ack(&s, &scale, FULL, 1 * US, false, 510 * US);
    assert_int_equal(s.window, 102424);
    assert_true(s.increase > before);
    uet_nscc_ack(&s, &scale, FULL, 0, false, 510 * US);
    assert_int_equal(s.window, 102424); /* the count began again */
}

static void uet_nscc_ack__sets_the_window_after_eight_packets_or_a_round_trip(void **state)
{
    const struct uet_scale scale = reference_scale();
    struct uet_sender s = middle();
    (void)state;
    s.increase = 5000000000;
    s.grown = 8 * FULL;
    uet_nscc_ack(&s, &scale, 0, 5 * US, false, 510 * US);
    assert_int_equal(s.window, 100000); /* not more than 8 */
    s.grown = 8 * FULL + 1;
    uet_nscc_ack(&s, &scale, 0, 5 * US, false, 510 * US);
    assert_int_equal(s.window, 150000);
    assert_int_equal(s.increase, 0);
    assert_int_equal(s.grown, 0);
    assert_int_equal(s.adjusted_ps, 500 * US);
    s.increase = 1500000000;
    uet_nscc_ack(&s, &scale, 0, 5 * US, false, 500 * US + RTT);
    assert_int_equal(s.window, 150000);
    uet_nscc_ack(&s, &scale, 0, 5 * US, false, 500 * US + RTT + 1);
    assert_int_equal(s.window, 160716);
    assert_int_equal(s.adjusted_ps, 500 * US + RTT + 1);
    s.window = MOST - 10;
    uet_nscc_ack(&s, &scale, 0, 5 * US, false, 550 * US);
    assert_int_equal(s.window, MOST);
    s.window = 100;
    uet_nscc_ack(&s, &scale, 0, 20 * US, true, 551 * US);
    assert_int_equal(s.window, FULL);
}

static void uet_nscc_sample__forgives_delays_without_marks(void **state)
{
    const struct uet_scale scale = reference_scale();
    struct uet_sender s = middle();
    (void)state;
    s.delay_ps = 8 * US;
    uet_nscc_sample(&s, &scale, 4 * US, false);
    assert_int_equal(s.delay_ps, 7950000);
    uet_nscc_sample(&s, &scale, TARGET, false);
    assert_int_equal(s.delay_ps, 7982088);
    uet_nscc_sample(&s, &scale, TARGET + 1, false); /* counts as R / 4 */
    assert_int_equal(s.delay_ps, 7926132);
    uet_nscc_sample(&s, &scale, 20 * US, true);
    assert_int_equal(s.delay_ps, 8077055);
}

/* A NACK takes its bytes, unless receiver credit has; it triggers quick adapt, which takes what arrived in R + D. */
static void uet_nscc_nack__takes_its_bytes_or_adapts(void **state)
{
    const struct uet_scale scale = reference_scale();
    struct uet_sender s = middle();
    (void)state;
    uet_nscc_nack(&s, &scale, FULL, false, 510 * US);
    assert_int_equal(s.window, 95850);
    assert_int_equal(s.ignored, FULL);
    assert_int_equal(s.delay_ps, RTT / 80);
    uet_nscc_nack(&s, &scale, FULL, true, 510 * US);
    assert_int_equal(s.window, 95850);

    s = middle();
    s.achieved = MOST / 8 - 1;
    s.in_flight = 90000;
    s.increase = 7;
    uet_nscc_nack(&s, &scale, FULL, false, 900 * US);
    assert_int_equal(s.window, 95850); /* not yet */
    uet_nscc_nack(&s, &scale, FULL, false, 900 * US + 1);
    assert_int_equal(s.window, MOST / 8 - 1);
    assert_int_equal(s.to_ignore, 90000);
    assert_int_equal(s.ignored, 0);
    assert_int_equal(s.increase, 0);
    assert_int_equal(s.achieved, 0);
    assert_int_equal(s.adapt_ps, 900 * US + 1 + RTT + TARGET);
    uet_nscc_nack(&s, &scale, FULL, false, 901 * US); /* one of those that were under way then */
    assert_int_equal(s.window, MOST / 8 - 1);
    s.fast = true;
    uet_nscc_ack(&s, &scale, FULL, 0, false, 901 * US); /* only marks are ignored */
    assert_int_equal(s.window, MOST / 8 - 1 + 1212 + 716);
    s.window = MOST / 8 - 1;
    s.ignored = 90000;
    uet_nscc_nack(&s, &scale, FULL, false, 901 * US);
    assert_int_equal(s.window, MOST / 8 - 1 - FULL);

    s = middle();
    s.achieved = MOST / 8; /* enough arrives */
    uet_nscc_nack(&s, &scale, FULL, false, 901 * US);
    assert_int_equal(s.window, 95850);
    assert_int_equal(s.achieved, 0);
}

static void uet_nscc_ack__adapts_after_a_nack(void **state)
{
    const struct uet_scale scale = reference_scale();
    struct uet_sender s = middle();
    (void)state;
    uet_nscc_nack(&s, &scale, FULL, false, 510 * US);
    s.achieved = 9000;
    uet_nscc_ack(&s, &scale, 0, 5 * US, false, 901 * US);
    assert_int_equal(s.window, 9000);
}

/* Of an ACK: by a NACK before it, or a delay above 4 D; never on the first look of a flow. */
static void uet_nscc_ack__adapts_after_a_loss_or_a_long_delay(void **state)
{
    const struct uet_scale scale = reference_scale();
    (void)state;
    static const struct {
        weir_ps adapt_ps, delay_ps;
        bool triggered;
        int32_t window;
    } cases[] = {
        {900 * US, 5 * US, false, 100000},     {900 * US, 5 * US, true, 9000},
        {900 * US, 4 * TARGET, false, 100000}, {900 * US, 4 * TARGET + 1, false, 9000},
        {0, 4 * TARGET + 1, true, 100000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct uet_sender s = middle();
        s.adapt_ps = cases[i].adapt_ps;
        s.triggered = cases[i].triggered;
        s.adjusted_ps = 901 * US;
        s.achieved = 9000;
        uet_nscc_ack(&s, &scale, 0, cases[i].delay_ps, false, 901 * US);
        assert_int_equal(s.window, cases[i].window);
        assert_int_equal(s.achieved, 0);
        assert_false(s.triggered && cases[i].window == 9000);
    }
}

/* A sender's second struct, with room for penalties. */
struct paths {
    struct fake_host fake;
    struct uet_params params;
    union {
        struct uet_more more;
        uint64_t words[256];
    };
};

static void paths_init(struct paths *p, enum uet_balance balance, uint32_t entropies)
{
    memset(p, 0, sizeof *p);
    fake_init(&p->fake, &transport_uet, 1);
    p->params = (struct uet_params){.balance = (uint8_t)balance, .entropies = entropies, .freeze_ps = 10 * MS};
    assert_true(uet_more_size(&p->params) <= sizeof p->words);
    uet_paths_open(&p->more, &p->params, 99);
}

static void paths_learn(struct paths *p, uint16_t entropy, enum uet_feedback feedback, weir_ps now)
{
    uet_paths_learn(&p->fake.host, &p->more, &p->params, entropy, feedback, now);
}

static void paths_free(struct paths *p)
{
    uet_paths_close(&p->fake.host, &p->more);
    assert_int_equal(p->fake.words, (int64_t)0);
    fake_free(&p->fake);
}

/* Each value once in n packets, whose order is drawn again; upper bits are the flow's. */
static void oblivious__takes_each_value_once(void **state)
{
    static struct paths p;
    uint64_t orders[3] = {0, 0, 0};
    (void)state;
    paths_init(&p, UET_OBLIVIOUS, 16);
    uint16_t upper = uet_paths_next(&p.more, &p.params) & 0xfff0u;
    paths_init(&p, UET_OBLIVIOUS, 16);
    for (uint32_t round = 0; round < 3; round++) {
        uint32_t seen = 0;
        for (uint32_t i = 0; i < 16; i++) {
            uint16_t entropy = uet_paths_next(&p.more, &p.params);
            assert_int_equal(entropy & 0xfff0u, upper);
            seen |= 1u << (entropy & 15u);
            orders[round] = orders[round] << 4 | (entropy & 15u);
        }
        assert_int_equal(seen, 0xffff);
    }
    assert_true(orders[0] != UINT64_C(0x0123456789abcdef)); /* drawn before the first packet too */
    assert_true(orders[0] != orders[1] && orders[1] != orders[2] && orders[2] != orders[0]);
    paths_free(&p);
}

static uint32_t times_of(struct paths *p, uint32_t value, uint32_t packets)
{
    uint32_t times = 0;
    for (uint32_t i = 0; i < packets; i++)
        times += (uet_paths_next(&p->more, &p->params) & (p->params.entropies - 1)) == value;
    return times;
}

/* A value is left out as many times as its penalty, of 15 at most, when it is the first that a packet meets. */
static void bitmap__leaves_out_what_has_a_penalty(void **state)
{
    static const struct {
        enum uet_feedback feedback;
        uint32_t times, penalty;
    } cases[] = {{UET_GOOD, 3, 0}, {UET_MARKED, 1, 1}, {UET_TRIMMED, 1, 4}, {UET_LATE, 1, 15}, {UET_TRIMMED, 9, 15}};
    static struct paths p;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        paths_init(&p, UET_BITMAP, 4);
        for (uint32_t k = 0; k < cases[i].times; k++)
            paths_learn(&p, 0xff02, cases[i].feedback, 0);
        assert_int_equal(p.more.penalties[0], (uint64_t)cases[i].penalty << 8);
        uint32_t packets = 0;
        while (times_of(&p, 2, 1) == 0)
            packets++;
        /* three packets go by for each time, and up to three more until it is due */
        assert_in_range(packets, 3 * cases[i].penalty, 3 * cases[i].penalty + 6);
        paths_free(&p);
    }
}

static void bitmap__goes_on_when_all_have_penalties(void **state)
{
    static struct paths p;
    (void)state;
    paths_init(&p, UET_BITMAP, 4);
    for (uint16_t value = 0; value < 4; value++)
        paths_learn(&p, value, UET_LATE, 0);
    uet_paths_next(&p.more, &p.params); /* takes one off the first that it meets */
    assert_true(p.more.penalties[0] == 0xfffe || p.more.penalties[0] == 0xffef || p.more.penalties[0] == 0xfeff ||
                p.more.penalties[0] == 0xefff);
    for (uint32_t i = 0; i < 200; i++)
        uet_paths_next(&p.more, &p.params);
    assert_int_equal(p.more.penalties[0], 0);
    paths_free(&p);
}

/* The oldest value without congestion, once each, of the last 8. */
static void reps__recycles_what_met_no_congestion(void **state)
{
    static struct paths p;
    (void)state;
    paths_init(&p, UET_REPS, 1);
    for (uint16_t value = 1; value <= 10; value++)
        paths_learn(&p, value, UET_GOOD, 0);
    paths_learn(&p, 11, UET_MARKED, 0);
    paths_learn(&p, 12, UET_TRIMMED, 0);
    for (uint16_t value = 3; value <= 10; value++)
        assert_int_equal(uet_paths_next(&p.more, &p.params), value);
    assert_int_equal(uet_paths_next(&p.more, &p.params), 0); /* drawn, of one */
    paths_learn(&p, 13, UET_GOOD, 0);
    assert_int_equal(uet_paths_next(&p.more, &p.params), 13);
    paths_free(&p);
}

/* Frozen: the ring round and round; after 10 ms 16 packets explore, and it begins again. */
static void reps__freezes_after_a_timeout(void **state)
{
    static struct paths p;
    (void)state;
    paths_init(&p, UET_REPS, 1);
    for (uint16_t value = 1; value <= 3; value++)
        paths_learn(&p, value, UET_GOOD, 0);
    paths_learn(&p, 0, UET_LATE, MS);
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(uet_paths_next(&p.more, &p.params), i % 3 + 1);
    paths_learn(&p, 4, UET_MARKED, 11 * MS);
    assert_true(p.more.reps.frozen);
    paths_learn(&p, 4, UET_GOOD, 11 * MS + US);
    paths_learn(&p, 0, UET_LATE, 11 * MS + 2 * US);
    assert_false(p.more.reps.frozen); /* while it explores */
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(uet_paths_next(&p.more, &p.params), 0);
    assert_int_equal(uet_paths_next(&p.more, &p.params), 4);
    paths_free(&p);
}

static void mixed__recycles_without_bound(void **state)
{
    static struct paths p;
    (void)state;
    paths_init(&p, UET_MIXED, 4);
    for (uint16_t value = 0; value < 100; value++)
        paths_learn(&p, value, UET_GOOD, 0);
    for (uint16_t value = 0; value < 50; value++)
        assert_int_equal(uet_paths_next(&p.more, &p.params), value);
    for (uint16_t value = 100; value < 200; value++)
        paths_learn(&p, value, UET_GOOD, 0);
    for (uint16_t value = 50; value < 200; value++)
        assert_int_equal(uet_paths_next(&p.more, &p.params), value);
    for (uint16_t value = 0; value < 3; value++)
        paths_learn(&p, value, UET_MARKED, 0);
    assert_int_equal(uet_paths_next(&p.more, &p.params) & 3, 3); /* as bitmap */
    paths_free(&p);
}

/* target = granted + min(backlog [, window + packet], largest) - credit, per flow that waits, in quanta, rounded up. */
static void uet_credit_target__is_what_is_missing(void **state)
{
    static const struct {
        enum uet_control control;
        int64_t backlog;
        int32_t window, credit;
        uint32_t sending, quanta;
        bool speculating;
    } cases[] = {
        {UET_RCCC, 1000000, 5000, 0, 1, 1028, false},     /* 262926 / 256 */
        {UET_RCCC, 1000000, 5000, 2926, 1, 1016, false},  /* 260000 */
        {UET_RCCC, 1000000, 5000, -4000, 1, 1043, false}, /* 266926 */
        {UET_RCCC, 10000, 5000, 0, 1, 40, false},
        {UET_RCCC, 10000, 5000, 0, 4, 10, false},     /* 2500 */
        {UET_BOTH, 1000000, 50000, 0, 1, 212, false}, /* 54150 */
        {UET_BOTH, 52000, 50000, 0, 1, 204, false},
        {UET_BOTH, 1000000, 300000, 0, 1, 1028, false},
        {UET_RCCC, 100, 5000, 200, 1, 0, false},    /* -100, rounded up */
        {UET_RCCC, 100, 5000, 100000, 1, 17, true}, /* a packet at least while it speculates */
        {UET_RCCC, 0, 5000, 256000, 1, (uint32_t)-1000, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct uet_more more = {.pull = UET_PULL_START, .credit = cases[i].credit, .credit_most = MOST};
        struct uet_sender s = {.window = cases[i].window, .speculating = cases[i].speculating, .more = &more};
        struct uet_params params = {.control = (uint8_t)cases[i].control};
        uint32_t target = uet_credit_target(&s, &params, cases[i].backlog, FULL, cases[i].sending);
        assert_int_equal(target - UET_PULL_START, cases[i].quanta);
    }
}

static struct uet_params *params_of(struct fake_host *fake)
{
    return (struct uet_params *)fake->settings.params;
}

static void start(struct fake_host *fake, uint32_t segments)
{
    fake_init(fake, &transport_uet, segments);
    params_of(fake)->entropies = 4;
}

static uint32_t feedback_of(const struct fake_host *fake, uint8_t kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < fake->ack_count; i++)
        count += (fake->acks[i].packet.kind & PACKET_KIND) == kind;
    return count;
}

static void done(struct fake_host *fake)
{
    fake_assert_complete(fake);
    fake_free(fake);
}

/* ACKs: of the first packet, then for every 16384 bytes, which 11 packets of 1500 bytes exceed, and of the last one. */
static void receiver__acknowledges_by_bytes(void **state)
{
    static struct fake_host fake;
    (void)state;
    start(&fake, 23 + 4);
    params_of(&fake)->window_bytes = 1 << 20;
    assert_true(fake_run(&fake, MS));
    assert_int_equal(fake.counts[HOST_ACKS], 1 + 2 + 1);
    assert_int_equal(fake.acks[1].packet.ack, 12);
    assert_int_equal(fake.acks[2].packet.ack, 23);
    assert_int_equal(fake.acks[3].packet.ack, 27);
    done(&fake);
}

/* A marked packet is acknowledged at once, with the mark and its value. */
static void receiver__echoes_marks(void **state)
{
    static struct fake_host fake;
    (void)state;
    start(&fake, 9);
    fake.mark_from = 4;
    fake.mark_until = 6;
    assert_true(fake_run(&fake, MS));
    assert_int_equal(fake_acks_with(&fake, PACKET_ECHO), 2);
    assert_int_equal(fake.acks[1].packet.segment, 4);
    assert_int_equal(fake.acks[1].packet.entropy, fake.data[4].packet.entropy);
    done(&fake);
}

/* A trimmed segment is asked for at once, and sent before what is new; nothing waits for a timeout. */
static void sender__sends_trimmed_segments_again(void **state)
{
    static struct fake_host fake;
    (void)state;
    start(&fake, 60);
    fake.cut_from = 3;
    fake.cut_until = 6;
    assert_true(fake_run(&fake, 10 * MS));
    assert_int_equal(feedback_of(&fake, PACKET_TRIM_NACK), 3);
    assert_int_equal(fake.counts[HOST_AGAIN_NACK], 3);
    assert_int_equal(fake.counts[HOST_SPURIOUS], 0);
    assert_int_equal(fake.flow.timeouts, 0);
    assert_int_equal(fake.flow.again, 3);
    assert_int_equal(fake.data_count, 63);
    for (uint32_t segment = 3; segment < 6; segment++)
        assert_true(fake_sent(&fake, segment, 2)->when < fake_sent(&fake, 59, 1)->when);
    done(&fake);
}

/* The timeout is of the oldest segment, and of that alone. */
static void sender__times_out_what_is_lost(void **state)
{
    static const struct fake_fate lost[] = {{5, 1, false}, {9, 1, false}, {9, 2, false}};
    static struct fake_host fake;
    (void)state;
    start(&fake, 20);
    fake.fates = lost;
    fake.fate_count = 3;
    assert_true(fake_run(&fake, 10 * MS));
    assert_int_equal(fake.counts[HOST_AGAIN_TIMEOUT], fake.flow.timeouts);
    assert_int_equal(fake.counts[HOST_AGAIN_TIMEOUT], fake.counts[HOST_SPURIOUS] + 3);
    assert_null(fake_sent(&fake, 4, 2));  /* acknowledged */
    assert_null(fake_sent(&fake, 12, 2)); /* out of order, but the answer came in time */
    assert_int_equal(fake_sent(&fake, 9, 3)->when - fake_sent(&fake, 9, 2)->when > 99 * US, 1);
    weir_ps first = fake_sent(&fake, 5, 1)->when, again = fake_sent(&fake, 5, 2)->when;
    assert_in_range(again - first, 100 * US - 2000, 100 * US);
    done(&fake);
}

/* Any order will do: nothing is sent again. */
static void receiver__takes_any_order(void **state)
{
    static struct fake_host fake;
    (void)state;
    start(&fake, 2000);
    fake.jitter_ps = 30 * US;
    params_of(&fake)->rto_ps = MS;
    assert_true(fake_run(&fake, 100 * MS));
    assert_int_equal(fake.data_count, 2000);
    assert_int_equal(fake.counts[HOST_SPURIOUS], 0);
    done(&fake);
}

/* Without trims SLEEK finds what is lost by what arrives after it, and at the end of a flow by a probe. */
static void sleek__finds_losses_without_timeouts(void **state)
{
    static const struct fake_fate lost[] = {{50, 1, false}, {399, 1, false}};
    static struct fake_host fake;
    (void)state;
    start(&fake, 400);
    params_of(&fake)->sleek = true;
    params_of(&fake)->trimmed = false;
    params_of(&fake)->rto_ps = 50 * MS;
    fake.fates = lost;
    fake.fate_count = 2;
    assert_true(fake_run(&fake, 40 * MS));
    assert_int_equal(fake.flow.timeouts, 0);
    assert_true(fake.counts[HOST_AGAIN_SLEEK] >= 2);
    assert_int_equal(fake.counts[HOST_AGAIN_SLEEK], fake.counts[HOST_SPURIOUS] + 2);
    done(&fake);
}

/* Every loss at once: packets, trims, feedback, any order. All controls come to an end and keep no memory. */
static void ends__survive_everything(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 60; seed++) {
        static struct fake_host fake;
        start(&fake, 300);
        fake.random = weir_random_stream(seed, "uet");
        fake.jitter_ps = seed % 2 ? 30 * US : 0;
        fake.data_loss = WEIR_Q16_ONE / 20;
        fake.ack_loss = seed % 5 ? WEIR_Q16_ONE / 10 : 0;
        fake.cut_from = 100;
        fake.cut_until = 100 + seed;
        fake.mark_from = 200;
        fake.mark_until = 250;
        params_of(&fake)->control = (uint8_t)(seed % 3);
        params_of(&fake)->balance = (uint8_t)(seed / 3 % 4);
        params_of(&fake)->sleek = seed % 3 != UET_RCCC && seed % 4 == 0;
        params_of(&fake)->oversubscribed = seed % 3 != UET_NSCC && seed % 4 == 1;
        assert_true(fake_run(&fake, 1000 * MS));
        done(&fake);
    }
}

/* One flow with receiver credit: the first window at line rate, then 0.99 of it. Grants: b / (0.99 C) apart. */
static void rccc__paces_at_its_rate(void **state)
{
    static struct fake_host fake;
    (void)state;
    start(&fake, 2000);
    params_of(&fake)->control = UET_RCCC;
    assert_true(fake_run(&fake, 100 * MS));
    assert_true(feedback_of(&fake, PACKET_PULL) > 100);
    uint32_t from = 500, until = 1500;
    double rate =
        (until - from) * 1500.0 * 8 / (double)(fake_sent(&fake, until, 1)->when - fake_sent(&fake, from, 1)->when);
    assert_near(rate * 1e12 / 12e9, 0.99, 0.002);
    for (uint32_t i = 0; i + 1 < fake.ack_count; i++)
        if ((fake.acks[i].packet.kind & PACKET_KIND) == PACKET_PULL)
            assert_true(fake.acks[i].packet.uet.pull >= UET_PULL_START);
    done(&fake);
}

/* The bits of an ACK begin at its segment where that was marked, or asked for one. */
static void receiver__says_where_its_bits_begin(void **state)
{
    static struct fake_host fake;
    (void)state;
    start(&fake, 30);
    fake.mark_from = 5;
    fake.mark_until = 6;
    assert_true(fake_run(&fake, MS));
    for (uint32_t i = 0; i < fake.ack_count; i++) {
        const struct packet *ack = &fake.acks[i].packet;
        bool begins = ack->segment == 5 || ack->segment == 29;
        assert_int_equal((ack->kind & PACKET_FROM_SEGMENT) != 0, begins);
    }
    done(&fake);
}

/* Nothing is under way in the end, though the last segment is short. */
static void sender__counts_a_short_last_segment(void **state)
{
    static struct fake_host fake;
    (void)state;
    start(&fake, 40);
    fake.flow.last_bytes = fake.flow.seen.last_bytes = 100;
    fake.flow.bytes -= fake.wire.mss_bytes - 100;
    fake.cut_from = 20;
    fake.cut_until = 40;
    assert_true(fake_run(&fake, MS));
    assert_int_equal(uet_sender(&fake.flow)->in_flight, 0);
    done(&fake);
}

/* A trim at the last hop is no fault of the path; with receiver credit it is no reason for a smaller window either. */
static void sender__tells_the_last_hop(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        static struct fake_host fake;
        const bool last_hop = i % 2, both = i / 2;
        start(&fake, 60);
        params_of(&fake)->balance = UET_BITMAP;
        params_of(&fake)->control = both ? UET_BOTH : UET_NSCC;
        assert_false(fake_run(&fake, 8 * US));
        struct uet_sender *s = uet_sender(&fake.flow);
        int32_t before = s->window;
        const struct packet nack = {.kind = PACKET_TRIM_NACK,
                                    .segment = 2,
                                    .entropy = 3,
                                    .flags = PACKET_ACK | (last_hop ? PACKET_LAST_HOP : 0)};
        transport_uet.ack(&fake.host, &fake.flow, &nack, 21 * US);
        assert_int_equal(before - s->window, last_hop && both ? 0 : 1500);
        assert_int_equal(s->more->penalties[0], last_hop ? 0 : 4u << 12);
        assert_int_equal(s->queued, 1);
        fake_free(&fake);
    }
}

static const struct fake_log *probe_of(const struct fake_host *fake)
{
    for (uint32_t i = 0; i < fake->data_count; i++)
        if ((fake->data[i].packet.kind & PACKET_KIND) == PACKET_PROBE)
            return &fake->data[i];
    fail_msg("no probe");
    return NULL;
}

/* When the last ACK before `when` came. */
static weir_ps heard_before(const struct fake_host *fake, weir_ps when)
{
    weir_ps heard = 0;
    for (uint32_t i = 0; i < fake->ack_count; i++)
        if (fake->acks[i].when + fake->delay_ps < when)
            heard = fake->acks[i].when + fake->delay_ps;
    return heard;
}

/* R + D after the last ACK when all has been sent, else 3 R. */
static void sleek__probes_in_its_time(void **state)
{
    static struct fake_fate lost[40];
    static struct fake_host fake;
    (void)state;
    for (uint32_t all = 0; all < 2; all++) {
        start(&fake, 200);
        params_of(&fake)->sleek = true;
        params_of(&fake)->target_ps = 33 * US;
        params_of(&fake)->rto_ps = 50 * MS;
        for (uint32_t i = 0; i < 40; i++)
            lost[i] = (struct fake_fate){all ? 199 : 60 + i, 1, false};
        fake.fates = lost;
        fake.fate_count = all ? 1 : 40;
        assert_true(fake_run(&fake, 100 * MS));
        const struct fake_log *probe = probe_of(&fake);
        assert_int_equal(probe->when - heard_before(&fake, probe->when), all ? 53 * US : 60 * US);
        assert_int_equal(fake.flow.timeouts, 0);
        done(&fake);
    }
}

/* As many segments out of order as one and a half windows hold, at most the largest window: 30 packets. */
static void sleek__waits_for_a_window_out_of_order(void **state)
{
    static const struct fake_fate lost[] = {{100, 1, false}};
    static struct fake_host fake;
    (void)state;
    start(&fake, 400);
    params_of(&fake)->sleek = true;
    params_of(&fake)->rto_ps = 50 * MS;
    params_of(&fake)->ack_bytes = 1;
    fake.fates = lost;
    fake.fate_count = 1;
    assert_true(fake_run(&fake, 100 * MS));
    weir_ps sent = fake_sent(&fake, 130, 1)->when;
    assert_in_range(fake_sent(&fake, 100, 2)->when - sent, 20 * US, 22 * US);
    done(&fake);
}

/* A grant of nothing takes the time of 1024 bytes: 8.275 us at 0.99 of 1 Gb/s, here of 12. */
static void pacer__pauses_after_a_grant_of_nothing(void **state)
{
    static struct fake_host fake;
    (void)state;
    start(&fake, 10);
    params_of(&fake)->control = UET_RCCC;
    struct uet_receiver *r = uet_receiver(&fake.flow);
    r->target = r->granted = UET_PULL_START;
    uet_credit_ask(&fake.host, &fake.flow, UET_PULL_START, true, 5 * US);
    uet_credit_act(&fake.host, &fake.flow, 5 * US);
    assert_int_equal(fake.acks[0].packet.uet.pull, UET_PULL_START);
    assert_int_equal(uet_nic(&fake.host)->next_ps - 5 * US, 689562);
    uet_credit_ask(&fake.host, &fake.flow, UET_PULL_START + 5, false, 5 * US);
    uet_credit_act(&fake.host, &fake.flow, 6 * US);
    assert_int_equal(fake.acks[1].packet.uet.pull, UET_PULL_START + 5);
    assert_int_equal(uet_nic(&fake.host)->next_ps - 6 * US, 861952);
    uet_credit_act(&fake.host, &fake.flow, 7 * US); /* unasked: a whole grant */
    assert_int_equal(fake.acks[2].packet.uet.pull, UET_PULL_START + 5 + 64);
    fake_free(&fake);
}

/* A packet, and so the end of a round if that is due. */
static void watched(struct fake_host *fake, uint32_t times, uint32_t flags, weir_ps now)
{
    const struct packet packet = {.flags = (uint16_t)flags};
    for (uint32_t i = 0; i < times; i++)
        uet_credit_watch(&fake->host, &fake->flow, &packet, now);
}

/* Rounds of 30 us, times 0.75 to 1.25; the first is at once. */
static void pacer__slows_down_for_the_core(void **state)
{
    static struct fake_host fake;
    (void)state;
    start(&fake, 10);
    params_of(&fake)->control = UET_RCCC;
    params_of(&fake)->oversubscribed = true;
    struct uet_nic *nic = uet_nic(&fake.host);
    watched(&fake, 1, 0, 0);
    assert_in_range(nic->round_ps, 22500000, 37500000);
    watched(&fake, 5, PACKET_TRIMMED, 0);
    watched(&fake, 4, PACKET_TRIMMED | PACKET_LAST_HOP, 0);
    watched(&fake, 1, 0, nic->round_ps);
    assert_near(nic->rate, 0.5, 1e-9); /* 5 of 10 */
    weir_ps now = nic->round_ps;
    watched(&fake, 9, PACKET_MARKED, now - 1);
    watched(&fake, 1, 0, now); /* 9 of 10 marked: g = 0.45 */
    assert_near(nic->congested, 0.45, 1e-9);
    assert_near(nic->rate, 0.5 * (1 - 0.15 / 2), 1e-9);
    double rate = nic->rate;
    now = nic->round_ps;
    watched(&fake, 1, PACKET_MARKED, now - 1);
    watched(&fake, 8, 0, now - 1);
    watched(&fake, 1, 0, now); /* 1 of 10: g = 0.275 */
    rate += 0.01;
    assert_near(nic->rate, rate, 1e-9);
    for (uint32_t k = 1; k <= 4; k++) { /* without marks twice as much each time */
        watched(&fake, 1, 0, nic->round_ps);
        rate += 0.01 * (double)(1u << k);
        assert_near(nic->rate, rate, 1e-9);
    }
    watched(&fake, 1, PACKET_MARKED, nic->round_ps - 1);
    watched(&fake, 9, 0, nic->round_ps - 1);
    watched(&fake, 1, 0, nic->round_ps); /* with one it does not */
    assert_near(nic->rate, rate + 0.01, 1e-9);
    watched(&fake, 1, 0, nic->round_ps + 1000 * US);
    assert_near(nic->rate, 1, 1e-9);
    weir_ps shortest = WEIR_NEVER, longest = 0;
    for (uint32_t i = 0; i < 64; i++) {
        weir_ps before = nic->round_ps;
        watched(&fake, 1, 0, before);
        shortest = nic->round_ps - before < shortest ? nic->round_ps - before : shortest;
        longest = nic->round_ps - before > longest ? nic->round_ps - before : longest;
    }
    assert_in_range(shortest, 22500000, 25000000);
    assert_in_range(longest, 35000000, 37500000);
    for (uint32_t i = 0; i < 9; i++) {
        watched(&fake, 9, PACKET_TRIMMED, nic->round_ps - 1);
        watched(&fake, 1, PACKET_TRIMMED, nic->round_ps);
    }
    assert_near(nic->rate, 0.01, 1e-9);
    fake_free(&fake);
}

/* What a flow needs beside its record: nothing at rest, and a ring that follows the window when active. */
static void memory__follows_the_window(void **state)
{
    static struct fake_host fake;
    (void)state;
    start(&fake, 3000);
    params_of(&fake)->entropies = 64;
    fake.jitter_ps = 5 * US;
    int64_t most = 0;
    for (weir_ps now = 10 * US; !fake_run(&fake, now); now += 10 * US)
        most = fake.words > most ? fake.words : most;
    assert_in_range(most * 8, 1, 768);
    done(&fake);
}

/* Eight segments are under way; what happens then is up to the test. */
static struct uet_sender *begun(struct fake_host *fake, enum uet_control control)
{
    start(fake, 60);
    params_of(fake)->control = (uint8_t)control;
    assert_false(fake_run(fake, 8 * US));
    return uet_sender(&fake->flow);
}

static void hear(struct fake_host *fake, const struct packet *packet, weir_ps now)
{
    transport_uet.ack(&fake->host, &fake->flow, packet, now);
}

static uint32_t sent_of(const struct fake_host *fake, uint8_t kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < fake->data_count; i++)
        count += (fake->data[i].packet.kind & PACKET_KIND) == kind;
    return count;
}

/* The packet that uses up the credit asks for an ACK: the last of 30 that are sent before any feedback. */
static void sender__asks_when_credit_is_used_up(void **state)
{
    static struct fake_host fake;
    (void)state;
    start(&fake, 100);
    params_of(&fake)->control = UET_RCCC;
    fake.delay_ps = 40 * US;
    assert_false(fake_run(&fake, 35 * US));
    assert_int_equal(fake.data_count, 30);
    assert_false(fake_sent(&fake, 28, 1)->packet.kind & PACKET_ASKS);
    assert_true(fake_sent(&fake, 29, 1)->packet.kind & PACKET_ASKS);
    fake_free(&fake);
}

/* min(1.5 windows, the largest), and 5 packets at least. */
static void sleek__counts_by_the_window(void **state)
{
    static const struct {
        int32_t window;
        uint16_t least;
    } cases[] = {{15000, 15}, {1500, 5}, {40000, 30}};
    static struct fake_host fake;
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        struct uet_sender *s = begun(&fake, UET_NSCC);
        params_of(&fake)->sleek = true;
        s->window = cases[i / 2].window;
        struct packet ack = {.kind = PACKET_SACK, .segment = 1, .flags = PACKET_ACK, .sent_ps = US};
        ack.uet.beyond = (uint16_t)(cases[i / 2].least - i % 2);
        hear(&fake, &ack, 22 * US);
        assert_int_equal(s->recovering, i % 2 == 0);
        fake_free(&fake);
    }
}

/* A probe again after 5 R; its answer is news of a loss where its delay is below D. */
static void sleek__believes_fast_probes(void **state)
{
    static struct fake_host fake;
    (void)state;
    for (uint32_t late = 0; late < 2; late++) {
        struct uet_sender *s = begun(&fake, UET_NSCC);
        params_of(&fake)->sleek = true;
        params_of(&fake)->target_ps = 33 * US;
        s->more->probe_ps = 10 * US;
        transport_uet.sender_timer(&fake.host, &fake.flow, 10 * US);
        assert_int_equal(sent_of(&fake, PACKET_PROBE), 1);
        assert_int_equal(s->more->probe_ps, 110 * US);
        const struct packet ack = {
            .kind = PACKET_SACK | PACKET_PROBED, .segment = s->more->probe, .flags = PACKET_ACK, .sent_ps = 10 * US};
        hear(&fake, &ack, 10 * US + s->base_ps + 33 * US - !late);
        assert_int_equal(s->recovering, !late);
        fake_free(&fake);
    }
}

static void sender__shrinks_its_window_by_what_timed_out(void **state)
{
    static struct fake_host fake;
    (void)state;
    struct uet_sender *s = begun(&fake, UET_NSCC);
    int32_t before = s->window;
    transport_uet.sender_timer(&fake.host, &fake.flow, 100 * US);
    assert_true(fake.flow.timeouts > 0);
    assert_int_equal(before - s->window, 1500 * fake.flow.timeouts);
    fake_free(&fake);
}

/* An ACK of a segment that asked comes again when the gap before it closes. */
static void receiver__tells_of_a_closed_gap(void **state)
{
    static const uint32_t order[] = {0, 2, 3, 1};
    static const uint32_t acks[] = {1, 2, 2, 3};
    static struct fake_host fake;
    (void)state;
    start(&fake, 60);
    for (uint32_t i = 0; i < 4; i++) {
        const struct packet packet = {
            .kind = PACKET_SEGMENT | (order[i] == 2 ? PACKET_ASKS : 0), .segment = order[i], .bytes = 1500};
        transport_uet.data(&fake.host, &fake.flow, &packet, (i + 1) * US);
        assert_int_equal(fake.counts[HOST_ACKS], acks[i]);
    }
    fake_free(&fake);
}

/* A smaller round trip than any before is the flow's, and so its largest window. */
static void sender__learns_a_shorter_way(void **state)
{
    static struct fake_host fake;
    (void)state;
    struct uet_sender *s = begun(&fake, UET_NSCC);
    int32_t most = s->window_most;
    const struct packet ack = {.kind = PACKET_SACK, .segment = 1, .flags = PACKET_ACK, .sent_ps = US};
    hear(&fake, &ack, 11 * US);
    assert_int_equal(s->base_ps, 10 * US);
    assert_int_equal(s->window_most, most / 2);
    fake_free(&fake);
}

static void sender__keeps_credit_of_a_window(void **state)
{
    static struct fake_host fake;
    (void)state;
    struct uet_sender *s = begun(&fake, UET_RCCC);
    struct packet pull = {.kind = PACKET_PULL, .flags = PACKET_ACK};
    pull.uet.pull = s->more->pull + 4;
    hear(&fake, &pull, 9 * US);
    assert_in_range(s->more->credit + 1500, 1, 1500 + 4 * UET_QUANTUM);
    s->more->credit = s->more->credit_most - 1;
    fake.flow.segments = s->next; /* nothing more to send, so that credit stays */
    pull.uet.pull = s->more->pull + 1000;
    hear(&fake, &pull, 10 * US);
    assert_int_equal(s->more->credit, s->more->credit_most);
    fake_free(&fake);
}

/* Without credit a timeout asks for some, once in a round trip. */
static void sender__asks_once_in_a_round_trip(void **state)
{
    static struct fake_host fake;
    (void)state;
    struct uet_sender *s = begun(&fake, UET_RCCC);
    s->speculating = false;
    s->more->credit = 0;
    transport_uet.sender_timer(&fake.host, &fake.flow, 100 * US);
    assert_int_equal(sent_of(&fake, PACKET_RTS), 1);
    transport_uet.sender_timer(&fake.host, &fake.flow, 105 * US);
    assert_true(fake.flow.timeouts > 1);
    assert_int_equal(sent_of(&fake, PACKET_RTS), 1);
    fake_free(&fake);
}

/* With nothing under way a flow waits for its turn of the receiver's credit, before it asks. */
static void sender__waits_for_its_turn(void **state)
{
    static struct fake_host fake;
    (void)state;
    struct uet_sender *s = begun(&fake, UET_RCCC);
    struct packet ack = {.kind = PACKET_SACK, .segment = 1, .flags = PACKET_ACK, .sent_ps = US, .ack = s->next};
    ack.uet.arrived = (uint16_t)s->next;
    hear(&fake, &ack, 22 * US);
    assert_int_equal(s->more->credit, 0);
    s->rto_ps = 50 * US;
    transport_uet.sender_timer(&fake.host, &fake.flow, 50 * US);
    assert_int_equal(sent_of(&fake, PACKET_RTS), 0);
    assert_int_equal(s->rto_ps, 6450 * US);
    transport_uet.sender_timer(&fake.host, &fake.flow, 6450 * US);
    assert_int_equal(sent_of(&fake, PACKET_RTS), 1);
    s->rto_ps = 7000 * US;
    transport_uet.sender_timer(&fake.host, &fake.flow, 7000 * US);
    assert_true(s->patient);
    struct packet pull = {.kind = PACKET_PULL, .flags = PACKET_ACK};
    pull.uet.pull = s->more->pull + 64;
    hear(&fake, &pull, 7100 * US);
    struct packet next;
    transport_uet.emit(&fake.host, &fake.flow, &next, 7100 * US);
    assert_int_equal(s->rto_ps, 7200 * US); /* of what is sent then, not of the wait */
    fake_free(&fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uet_scale_of__is_the_references),
        cmocka_unit_test(uet_nscc_ack__has_four_cases),
        cmocka_unit_test(uet_nscc_ack__decreases_once_in_a_round_trip),
        cmocka_unit_test(uet_nscc_ack__grows_fast_without_delay),
        cmocka_unit_test(uet_nscc_ack__sets_the_window_after_eight_packets_or_a_round_trip),
        cmocka_unit_test(uet_nscc_sample__forgives_delays_without_marks),
        cmocka_unit_test(uet_nscc_nack__takes_its_bytes_or_adapts),
        cmocka_unit_test(uet_nscc_ack__adapts_after_a_nack),
        cmocka_unit_test(uet_nscc_ack__adapts_after_a_loss_or_a_long_delay),
        cmocka_unit_test(oblivious__takes_each_value_once),
        cmocka_unit_test(bitmap__leaves_out_what_has_a_penalty),
        cmocka_unit_test(bitmap__goes_on_when_all_have_penalties),
        cmocka_unit_test(reps__recycles_what_met_no_congestion),
        cmocka_unit_test(reps__freezes_after_a_timeout),
        cmocka_unit_test(mixed__recycles_without_bound),
        cmocka_unit_test(uet_credit_target__is_what_is_missing),
        cmocka_unit_test(receiver__acknowledges_by_bytes),
        cmocka_unit_test(receiver__echoes_marks),
        cmocka_unit_test(sender__sends_trimmed_segments_again),
        cmocka_unit_test(sender__times_out_what_is_lost),
        cmocka_unit_test(receiver__takes_any_order),
        cmocka_unit_test(sleek__finds_losses_without_timeouts),
        cmocka_unit_test(ends__survive_everything),
        cmocka_unit_test(rccc__paces_at_its_rate),
        cmocka_unit_test(receiver__says_where_its_bits_begin),
        cmocka_unit_test(sender__counts_a_short_last_segment),
        cmocka_unit_test(sender__tells_the_last_hop),
        cmocka_unit_test(sleek__probes_in_its_time),
        cmocka_unit_test(sleek__waits_for_a_window_out_of_order),
        cmocka_unit_test(pacer__pauses_after_a_grant_of_nothing),
        cmocka_unit_test(pacer__slows_down_for_the_core),
        cmocka_unit_test(memory__follows_the_window),
        cmocka_unit_test(sender__asks_when_credit_is_used_up),
        cmocka_unit_test(sleek__counts_by_the_window),
        cmocka_unit_test(sleek__believes_fast_probes),
        cmocka_unit_test(sender__shrinks_its_window_by_what_timed_out),
        cmocka_unit_test(receiver__tells_of_a_closed_gap),
        cmocka_unit_test(sender__learns_a_shorter_way),
        cmocka_unit_test(sender__keeps_credit_of_a_window),
        cmocka_unit_test(sender__asks_once_in_a_round_trip),
        cmocka_unit_test(sender__waits_for_its_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
