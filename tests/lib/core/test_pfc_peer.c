/*
 * test_pfc_peer.c - the state machine of PFC at one end of a link: what it tells, when it refreshes, how it obeys. Each
 * case is a table of events and what is expected after each of them. A byte takes a nanosecond; a pause of this end
 * lasts P, half of it is H.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "weir/pfc_peer.h"
#include "weir/random.h"

#define RATE ((weir_bps)8000000000)
#define QUANTUM ((weir_ps)64000)
#define QUANTA 1000u
#define P (QUANTA * QUANTUM)
#define H (P / 2)
#define NEVER WEIR_NEVER

static const struct weir_pfc_settings settings = {
    .rate_bps = RATE, .quanta = QUANTA, .lossless_mask = 0x0e, .obeyed_mask = 0x8f};

enum event {
    PAUSE,       /* the MMU wants classes `mask` paused */
    RESUME,      /* it no longer does */
    PORT_PAUSE,  /* it wants the port paused */
    PORT_RESUME, /* it no longer does */
    TELL,        /* a frame leaves: it addresses `mask`, and pauses `paused` */
    HEAR,        /* a frame takes effect: it addresses `mask`, and pauses `paused` for `quanta` */
    EXPIRE,      /* pauses end: of `mask` */
    FORGET       /* the link is down: `mask` was held */
};

struct step {
    struct {
        weir_ps now;
        enum event event;
        uint32_t mask, paused, quanta;
    } given;
    struct {
        weir_ps due;
        uint32_t told, held;
        weir_ps next; /* while no frame waits for the link */
    } then;
};

static void want(struct weir_pfc_peer *peer, const struct step *step)
{
    struct weir_pause_edge edge = {.pause_mask = step->given.event == PAUSE ? step->given.mask : 0,
                                   .resume_mask = step->given.event == RESUME ? step->given.mask : 0,
                                   .port_pause = step->given.event == PORT_PAUSE,
                                   .port_resume = step->given.event == PORT_RESUME};
    weir_pfc_peer_want(peer, &edge);
}

static void tell(struct weir_pfc_peer *peer, const struct step *step)
{
    struct weir_pfc_frame frame;
    weir_pfc_peer_tell(peer, step->given.now, &frame);
    assert_int_equal(frame.enabled, step->given.mask);
    for (uint32_t tc = 0; tc < WEIR_PFC_CLASSES; tc++)
        assert_int_equal(frame.quanta[tc], step->given.paused >> tc & 1 ? QUANTA : 0);
}

static void hear(struct weir_pfc_peer *peer, const struct step *step)
{
    struct weir_pfc_frame frame = {.enabled = (uint8_t)step->given.mask};
    struct weir_pfc_order orders[WEIR_PFC_CLASSES];
    uint32_t obeyed = step->given.mask & settings.obeyed_mask, ordered = 0;
    for (uint32_t tc = 0; tc < WEIR_PFC_CLASSES; tc++)
        frame.quanta[tc] = step->given.paused >> tc & 1 ? (uint16_t)step->given.quanta : 0;
    uint32_t count = weir_pfc_peer_hear(peer, &frame, step->given.now, orders);
    for (uint32_t i = 0; i < count; i++) {
        weir_ps time = orders[i].class_mask & step->given.paused ? (weir_ps)step->given.quanta * QUANTUM : 0;
        assert_int_equal(orders[i].until_ps, step->given.now + time);
        assert_int_equal(orders[i].class_mask & ordered, 0);
        ordered |= orders[i].class_mask;
    }
    assert_int_equal(ordered, obeyed);
}

static void run(const struct step *steps, size_t count, struct weir_pfc_peer *peer)
{
    weir_pfc_peer_init(peer, &settings);
    for (size_t i = 0; i < count; i++) {
        const struct step *step = &steps[i];
        if (step->given.event <= PORT_RESUME)
            want(peer, step);
        else if (step->given.event == TELL)
            tell(peer, step);
        else if (step->given.event == HEAR)
            hear(peer, step);
        else
            assert_int_equal(step->given.event == EXPIRE ? weir_pfc_peer_expire(peer, step->given.now)
                                                         : weir_pfc_peer_forget(peer, step->given.now),
                             step->given.mask);
        if (weir_pfc_peer_due(peer) != step->then.due || peer->told != step->then.told ||
            peer->held != step->then.held || weir_pfc_peer_next(peer, false) != step->then.next)
            fail_msg("step %zu: due %lld, told %x, held %x, next %lld", i, (long long)weir_pfc_peer_due(peer),
                     peer->told, peer->held, (long long)weir_pfc_peer_next(peer, false));
    }
}

#define RUN(steps, peer) run(steps, sizeof(steps) / sizeof((steps)[0]), peer)

static void time__is_quanta_of_512_bits(void **state)
{
    (void)state;
    assert_int_equal(weir_pfc_time(0, RATE), 0);
    assert_int_equal(weir_pfc_time(1, RATE), QUANTUM);
    assert_int_equal(weir_pfc_time(65535, RATE), 65535 * QUANTUM);
    assert_int_equal(weir_pfc_time(65535, WEIR_RATE_BPS_MIN), INT64_C(33553920000000)); /* 33.6 s: no overflow */
    assert_int_equal(weir_pfc_time(1, WEIR_RATE_BPS_MAX), 6);                           /* 5.12 ps, rounded up */
}

static void tell__pauses_refreshes_and_resumes(void **state)
{
    (void)state;
    static const struct step steps[] = {
        {{0, PAUSE, 0x02, 0, 0}, {0, 0, 0, NEVER}},
        {{100, TELL, 0x02, 0x02, 0}, {100 + H, 0x02, 0, 100 + H}},
        {{100 + H, TELL, 0x02, 0x02, 0}, {100 + P, 0x02, 0, 100 + P}},
        {{P, RESUME, 0x02, 0, 0}, {0, 0x02, 0, 100 + P}},
        {{P, TELL, 0x02, 0, 0}, {NEVER, 0, 0, NEVER}},
    };
    struct weir_pfc_peer peer;
    RUN(steps, &peer);
    assert_int_equal(peer.counters[1].pauses, 1);
    assert_int_equal(peer.counters[1].refreshes, 1);
    assert_int_equal(peer.counters[1].resumes, 1);
}

/* A frame says what is new, what goes on and what is over. */
static void tell__states_everything(void **state)
{
    (void)state;
    static const struct step steps[] = {
        {{0, PAUSE, 0x06, 0, 0}, {0, 0, 0, NEVER}},   {{0, TELL, 0x06, 0x06, 0}, {H, 0x06, 0, H}},
        {{0, PAUSE, 0x08, 0, 0}, {0, 0x06, 0, H}},    {{0, RESUME, 0x02, 0, 0}, {0, 0x06, 0, H}},
        {{9, TELL, 0x0e, 0x0c, 0}, {H, 0x0c, 0, H}},  {{0, RESUME, 0x08, 0, 0}, {0, 0x0c, 0, H}},
        {{10, TELL, 0x0c, 0x04, 0}, {H, 0x04, 0, H}}, {{H, TELL, 0x04, 0x04, 0}, {P, 0x04, 0, P}},
    };
    struct weir_pfc_peer peer;
    RUN(steps, &peer);
    assert_int_equal(peer.counters[2].pauses, 1);
    assert_int_equal(peer.counters[2].refreshes, 1); /* what a frame with news repeats is none */
    assert_int_equal(peer.counters[1].resumes, 1);
    assert_int_equal(peer.counters[3].resumes, 1);
}

/* News does not put a refresh off; a frame that had to wait for the link is one, and the next follows half a time after
 * it; classes may take turns without an end of the beat. */
static void tell__refreshes_every_half_time(void **state)
{
    (void)state;
    static const struct step steps[] = {
        {{0, PAUSE, 0x02, 0, 0}, {0, 0, 0, NEVER}},
        {{0, TELL, 0x02, 0x02, 0}, {H, 0x02, 0, H}},
        {{0, PAUSE, 0x04, 0, 0}, {0, 0x02, 0, H}},
        {{H - 1, TELL, 0x06, 0x06, 0}, {H, 0x06, 0, H}},
        {{H + 7, TELL, 0x06, 0x06, 0}, {P + 7, 0x06, 0, P + 7}},
        {{0, RESUME, 0x06, 0, 0}, {0, 0x06, 0, P + 7}},
        {{0, PAUSE, 0x08, 0, 0}, {0, 0x06, 0, P + 7}},
        {{P, TELL, 0x0e, 0x08, 0}, {P + 7, 0x08, 0, P + 7}},
        {{0, PAUSE, 0x02, 0, 0}, {0, 0x08, 0, P + 7}},
        {{P + 9, TELL, 0x0a, 0x0a, 0}, {P + H + 9, 0x0a, 0, P + H + 9}},
    };
    struct weir_pfc_peer peer;
    RUN(steps, &peer);
}

static void want__that_is_taken_back_says_nothing(void **state)
{
    (void)state;
    static const struct step steps[] = {
        {{0, PAUSE, 0x02, 0, 0}, {0, 0, 0, NEVER}}, {{0, RESUME, 0x02, 0, 0}, {NEVER, 0, 0, NEVER}},
        {{0, PAUSE, 0x02, 0, 0}, {0, 0, 0, NEVER}}, {{0, TELL, 0x02, 0x02, 0}, {H, 0x02, 0, H}},
        {{0, RESUME, 0x02, 0, 0}, {0, 0x02, 0, H}}, {{0, PAUSE, 0x02, 0, 0}, {H, 0x02, 0, H}},
    };
    struct weir_pfc_peer peer;
    RUN(steps, &peer);
}

/* The two levels are one: a class goes on when neither wants it paused. */
static void want__merges_queue_and_port_level(void **state)
{
    (void)state;
    static const struct step steps[] = {
        {{0, PAUSE, 0x04, 0, 0}, {0, 0, 0, NEVER}},  {{0, PORT_PAUSE, 0, 0, 0}, {0, 0, 0, NEVER}},
        {{0, TELL, 0x0e, 0x0e, 0}, {H, 0x0e, 0, H}}, {{0, RESUME, 0x04, 0, 0}, {H, 0x0e, 0, H}},
        {{0, PAUSE, 0x02, 0, 0}, {H, 0x0e, 0, H}},   {{0, PORT_RESUME, 0, 0, 0}, {0, 0x0e, 0, H}},
        {{1, TELL, 0x0e, 0x02, 0}, {H, 0x02, 0, H}},
    };
    struct weir_pfc_peer peer;
    RUN(steps, &peer);
}

static void forget__tells_all_again(void **state)
{
    (void)state;
    static const struct step steps[] = {
        {{0, PAUSE, 0x06, 0, 0}, {0, 0, 0, NEVER}},
        {{0, TELL, 0x06, 0x06, 0}, {H, 0x06, 0, H}},
        {{5, HEAR, 0x81, 0x81, 1}, {H, 0x06, 0x81, 5 + QUANTUM}},
        {{0, RESUME, 0x02, 0, 0}, {0, 0x06, 0x81, 5 + QUANTUM}},
        {{20, FORGET, 0x81, 0, 0}, {0, 0, 0, NEVER}},
        {{50, TELL, 0x04, 0x04, 0}, {50 + H, 0x04, 0, 50 + H}},
        {{0, RESUME, 0x04, 0, 0}, {0, 0x04, 0, 50 + H}},
        {{60, FORGET, 0, 0, 0}, {NEVER, 0, 0, NEVER}},
    };
    struct weir_pfc_peer peer;
    RUN(steps, &peer);
    assert_int_equal(peer.counters[2].pauses, 2);
    assert_int_equal(peer.counters[7].held_ps, 15);
    assert_int_equal(peer.counters[7].expired, 0);
}

static void hear__holds_until_resumed_or_expired(void **state)
{
    (void)state;
    static const struct step steps[] = {
        {{0, HEAR, 0x05, 0x05, 10}, {NEVER, 0, 0x05, 10 * QUANTUM}},
        {{9, HEAR, 0x04, 0, 0}, {NEVER, 0, 0x01, 10 * QUANTUM}},
        {{10 * QUANTUM - 1, EXPIRE, 0, 0, 0}, {NEVER, 0, 0x01, 10 * QUANTUM}},
        {{10 * QUANTUM, EXPIRE, 0x01, 0, 0}, {NEVER, 0, 0, NEVER}},
        {{10 * QUANTUM, EXPIRE, 0, 0, 0}, {NEVER, 0, 0, NEVER}},
        {{10 * QUANTUM, HEAR, 0x01, 0, 0}, {NEVER, 0, 0, NEVER}}, /* too late, and harmless */
    };
    struct weir_pfc_peer peer;
    RUN(steps, &peer);
    assert_int_equal(peer.counters[0].held_ps, 10 * QUANTUM);
    assert_int_equal(peer.counters[0].expired, 1);
    assert_int_equal(peer.counters[0].resumes_received, 1);
    assert_int_equal(peer.counters[2].held_ps, 9);
    assert_int_equal(peer.counters[2].expired, 0);
}

/* The last frame counts: it may also shorten a pause. 65535 is the longest time, and no step from it leads to 0. */
static void hear__sets_the_timer_anew(void **state)
{
    (void)state;
    static const struct step steps[] = {
        {{0, HEAR, 0x01, 0x01, 65535}, {NEVER, 0, 0x01, 65535 * QUANTUM}},
        {{QUANTUM, HEAR, 0x01, 0x01, 65535}, {NEVER, 0, 0x01, 65536 * QUANTUM}},
        {{65535 * QUANTUM, EXPIRE, 0, 0, 0}, {NEVER, 0, 0x01, 65536 * QUANTUM}},
        {{65535 * QUANTUM, HEAR, 0x01, 0x01, 1}, {NEVER, 0, 0x01, 65536 * QUANTUM}},
        {{65535 * QUANTUM + 1, HEAR, 0x01, 0, 0}, {NEVER, 0, 0, NEVER}},
    };
    struct weir_pfc_peer peer;
    RUN(steps, &peer);
    assert_int_equal(peer.counters[0].pauses_received, 1);
    assert_int_equal(peer.counters[0].held_ps, 65535 * QUANTUM + 1);
}

/* A refresh at the moment at which the pause ends makes it longer; later, it begins another one. */
static void hear__comes_before_the_timers_of_its_moment(void **state)
{
    (void)state;
    static const struct step steps[] = {
        {{0, HEAR, 0x03, 0x03, 1}, {NEVER, 0, 0x03, QUANTUM}},
        {{QUANTUM, HEAR, 0x01, 0x01, 1}, {NEVER, 0, 0x03, QUANTUM}},
        {{QUANTUM, EXPIRE, 0x02, 0, 0}, {NEVER, 0, 0x01, 2 * QUANTUM}},
        {{2 * QUANTUM + 1, HEAR, 0x01, 0x01, 1}, {NEVER, 0, 0x01, 3 * QUANTUM + 1}},
        {{9 * QUANTUM, HEAR, 0x01, 0, 0}, {NEVER, 0, 0, NEVER}},
    };
    struct weir_pfc_peer peer;
    RUN(steps, &peer);
    assert_int_equal(peer.counters[0].expired, 2);
    assert_int_equal(peer.counters[0].held_ps, 3 * QUANTUM);
    assert_int_equal(peer.counters[1].expired, 1);
}

static void hear__ignores_classes_that_do_not_obey(void **state)
{
    (void)state;
    static const struct step steps[] = {
        {{0, HEAR, 0x70, 0x70, 9}, {NEVER, 0, 0, NEVER}},
        {{0, HEAR, 0xff, 0xf0, 9}, {NEVER, 0, 0x80, 9 * QUANTUM}},
        {{1, HEAR, 0, 0, 0}, {NEVER, 0, 0x80, 9 * QUANTUM}},
    };
    struct weir_pfc_peer peer;
    RUN(steps, &peer);
    assert_int_equal(peer.counters[4].pauses_received, 0);
}

/* A foreign peer may give every class its own time. */
static void hear__gives_one_order_per_time(void **state)
{
    (void)state;
    const struct weir_pfc_frame frame = {.enabled = 0x9f, .quanta = {3, 7, 0, 3, 5, 0, 0, 7}};
    static const struct weir_pfc_order expected[] = {{0x09, 100 + 3 * QUANTUM}, {0x82, 100 + 7 * QUANTUM}, {0x04, 100}};
    struct weir_pfc_order orders[WEIR_PFC_CLASSES];
    struct weir_pfc_peer peer;
    weir_pfc_peer_init(&peer, &settings);
    assert_int_equal(weir_pfc_peer_hear(&peer, &frame, 100, orders), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(orders[i].class_mask, expected[i].class_mask);
        assert_int_equal(orders[i].until_ps, expected[i].until_ps);
    }
    assert_int_equal(peer.held, 0x8b);
    assert_int_equal(weir_pfc_peer_expire(&peer, 100 + 6 * QUANTUM), 0x09);
    assert_int_equal(weir_pfc_peer_next(&peer, false), 100 + 7 * QUANTUM);
}

static void next__leaves_out_a_refresh_while_a_frame_waits(void **state)
{
    (void)state;
    static const struct step steps[] = {
        {{0, PAUSE, 0x02, 0, 0}, {0, 0, 0, NEVER}},
        {{0, TELL, 0x02, 0x02, 0}, {H, 0x02, 0, H}},
        {{0, HEAR, 0x01, 0x01, QUANTA}, {H, 0x02, 0x01, H}},
    };
    struct weir_pfc_peer peer;
    RUN(steps, &peer);
    assert_int_equal(weir_pfc_peer_next(&peer, true), P);
}

static void held_ps__counts_the_pause_that_lasts(void **state)
{
    (void)state;
    static const struct step steps[] = {
        {{5, HEAR, 0x01, 0x01, 1}, {NEVER, 0, 0x01, 5 + QUANTUM}},
    };
    struct weir_pfc_peer peer;
    RUN(steps, &peer);
    assert_int_equal(weir_pfc_peer_held_ps(&peer, 0, 5), 0);
    assert_int_equal(weir_pfc_peer_held_ps(&peer, 0, 25), 20);
    assert_int_equal(weir_pfc_peer_held_ps(&peer, 0, 5 + 2 * QUANTUM), QUANTUM); /* over, though nobody noticed */
    assert_int_equal(weir_pfc_peer_held_ps(&peer, 1, 25), 0);
    assert_int_equal(peer.counters[0].held_ps, 0);
}

/* Two ends face each other, frames leave up to a quarter of the time late: after every frame one holds what the other
 * wants, and no pause that is wanted ends by itself. */
static void tell__keeps_the_other_end_paused(void **state)
{
    (void)state;
    struct weir_pfc_peer port, other;
    struct weir_random r = weir_random_stream(1, "pfc peer");
    const struct weir_pfc_settings all = {RATE, QUANTA, 0x0e, WEIR_PFC_CLASS_MASK};
    weir_ps now = 0;
    weir_pfc_peer_init(&port, &all);
    weir_pfc_peer_init(&other, &all);
    for (uint32_t step = 0; step < 20000; step++) {
        uint32_t draw = weir_random_below(&r, 10) ? 0 : (uint32_t)weir_random_bits(&r) & 0x0e;
        uint32_t queue_mask = port.queue_mask;
        weir_pfc_peer_want(&port, &(struct weir_pause_edge){.pause_mask = draw & ~queue_mask,
                                                            .resume_mask = draw & queue_mask,
                                                            .port_pause = weir_random_below(&r, 50) == 0,
                                                            .port_resume = weir_random_below(&r, 20) == 0});
        now += (weir_ps)weir_random_below(&r, P / 4);
        assert_int_equal(weir_pfc_peer_expire(&other, now) & port.told, 0);
        if (weir_pfc_peer_due(&port) > now)
            continue;
        struct weir_pfc_frame frame;
        struct weir_pfc_order orders[WEIR_PFC_CLASSES];
        weir_pfc_peer_tell(&port, now, &frame);
        weir_pfc_peer_hear(&other, &frame, now, orders);
        assert_int_equal(other.held, weir_pfc_peer_wanted(&port));
        assert_true(weir_pfc_peer_due(&port) > now);
    }
    for (uint32_t tc = 1; tc < 4; tc++) {
        const struct weir_pfc_counters *told = &port.counters[tc], *heard = &other.counters[tc];
        assert_true(told->pauses > 100 && told->refreshes > 100);
        assert_int_equal(heard->pauses_received, told->pauses);
        assert_int_equal(heard->resumes_received, told->resumes);
        assert_int_equal(heard->expired, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time__is_quanta_of_512_bits),
        cmocka_unit_test(tell__pauses_refreshes_and_resumes),
        cmocka_unit_test(tell__states_everything),
        cmocka_unit_test(tell__refreshes_every_half_time),
        cmocka_unit_test(tell__keeps_the_other_end_paused),
        cmocka_unit_test(want__that_is_taken_back_says_nothing),
        cmocka_unit_test(want__merges_queue_and_port_level),
        cmocka_unit_test(forget__tells_all_again),
        cmocka_unit_test(hear__holds_until_resumed_or_expired),
        cmocka_unit_test(hear__sets_the_timer_anew),
        cmocka_unit_test(hear__comes_before_the_timers_of_its_moment),
        cmocka_unit_test(hear__ignores_classes_that_do_not_obey),
        cmocka_unit_test(hear__gives_one_order_per_time),
        cmocka_unit_test(next__leaves_out_a_refresh_while_a_frame_waits),
        cmocka_unit_test(held_ps__counts_the_pause_that_lasts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
