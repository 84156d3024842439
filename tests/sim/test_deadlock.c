/*
 * test_deadlock.c - rings of switches in which each host sends two hops clockwise, so that every link of the ring
 * carries its switch's own flow and the one from behind, and waits for the next link: the textbook case of a cyclic
 * buffer dependency. Chains, in which pauses spread without a cycle.
 */
#include <stdio.h>

#include "show/writers/run_violations.h"
#include "tests/support/measured_run.h"
#include "tests/support/ranks.h"

#define RING 5u /* two hops one way are nearer than three the other way */

#define LINK(a, b) LINK_OF(a, b, "1us")
#define LINK_OF(a, b, delay) "  - {a: " a ", b: " b ", rate: 10Gbps, delay: " delay "}\n"
#define RING_LINKS                                                                                                     \
    "topology:\n"                                                                                                      \
    "  kind: explicit\n"                                                                                               \
    "  hosts: 5\n"                                                                                                     \
    "  switches: 5\n"                                                                                                  \
    "  links:\n" LINK("h0", "s0") LINK("h1", "s1") LINK("h2", "s2") LINK("h3", "s3") LINK("h4", "s4") LINK("s0", "s1") \
        LINK_OF("s1", "s2", "1.3us") LINK_OF("s2", "s3", "900ns") LINK_OF("s3", "s4", "1.7us")                         \
            LINK_OF("s4", "s0", "1.1us")
#define FLOW(from, to) "- {kind: long, transport: u, tag: a, sources: " from ", destinations: " to ", bytes: 100MB}\n"
#define RING_FLOWS                                                                                                     \
    "transports: {u: {kind: udp, rate: 10Gbps}}\n"                                                                     \
    "traffic:\n" FLOW("h0", "h2") FLOW("h1", "h3") FLOW("h2", "h4") FLOW("h3", "h0") FLOW("h4", "h1")
#define SWITCH(buffer, scheme)                                                                                         \
    "switch: {buffer: " buffer ", lossless: 0, policy: dt, headroom: {name: " scheme ", alpha: 1/4}}\n"
#define DEADLY RING_LINKS RING_FLOWS SWITCH("100KB", "sih")

static const struct measure_deadlock *deadlock(const struct run *r)
{
    return &sim_measure(r->sim)->deadlock;
}

/* The latest decision, among the pauses that are in force at the end, of the ring's input from behind. */
static weir_ps last_decision(const struct run *r)
{
    const struct measure *measure = sim_measure(r->sim);
    weir_ps last = 0;
    for (uint32_t sw = 0; sw < RING; sw++) {
        uint32_t from_behind = sw == 0 ? 2 : 1; /* links in order: own host, then the earlier link of the ring */
        const struct pfc_measure_queue *queue = &measure->sw[sw].pfc->queue[from_behind * PFC_CLASSES];
        assert_true(queue->decided_ps != WEIR_NEVER);
        last = queue->decided_ps > last ? queue->decided_ps : last;
    }
    return last;
}

static void look__finds_a_ring(void **state)
{
    struct run r;
    char text[RUN_CYCLE_MAX];
    (void)state;
    run(&r, "until: 2ms\n" DEADLY);
    const struct measure_deadlock *found = deadlock(&r);
    assert_int_equal(found->found, 1);
    assert_int_equal(found->queues, RING);
    assert_int_equal(found->length, RING);
    assert_int_equal(found->tc, 0);
    for (uint32_t i = 0; i < RING; i++)
        assert_int_equal(found->node[(i + 1) % RING], RING + (found->node[i] - RING + 1) % RING);
    run_cycle_text(r.result, text);
    assert_string_equal(text, "s0 -> s1 -> s2 -> s3 -> s4 -> s0");
    assert_true(found->onset_ps == last_decision(&r));
    assert_true(found->onset_ps > 0 && found->onset_ps < found->found_ps);
    assert_true(found->found_ps % 100000000 == 0); /* a look, each 100 us */
    assert_true(found->found_ps <= found->onset_ps + 300000000);
    assert_true(found->ended_ps == WEIR_NEVER);
    assert_int_equal(run_violations_count(r.result), 1);
    assert_int_equal(r.result->pfc.lost, 0);
    done(&r);
}

/* When it began does not depend on when it is looked for, nor does anything else. */
static void look__does_not_disturb(void **state)
{
    static const char *const looks[] = {"until: 2ms\npfc: {look: 100us}\n" DEADLY,
                                        "until: 2ms\npfc: {look: 7.3us}\n" DEADLY,
                                        "until: 2ms\npfc: {look: 901us}\n" DEADLY};
    weir_ps onset = 0;
    uint64_t hops = 0;
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct run r;
        run(&r, looks[i]);
        assert_int_equal(deadlock(&r)->found, 1);
        if (i > 0) {
            assert_true(deadlock(&r)->onset_ps == onset);
            assert_int_equal(r.result->totals.packet_hops, hops);
        }
        onset = deadlock(&r)->onset_ps;
        hops = r.result->totals.packet_hops;
        done(&r);
    }
}

/* However the looks fall, a deadlock that is there at the end of the run is found. */
static void look__is_made_at_the_end(void **state)
{
    static const char *const runs[] = {"until: 2ms\npfc: {look: 1.1ms}\n" DEADLY,
                                       "until: 2ms\npfc: {look: 5ms}\n" DEADLY, "until: 199us\n" DEADLY,
                                       "until: 99us\n" DEADLY};
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        struct run r;
        run(&r, runs[i]);
        assert_int_equal(deadlock(&r)->found, 1);
        assert_int_equal(deadlock(&r)->queues, RING);
        assert_true(deadlock(&r)->found_ps == r.result->totals.now);
        assert_true(deadlock(&r)->onset_ps == last_decision(&r));
        assert_int_equal(run_violations_count(r.result), 1);
        done(&r);
    }
}

/* Looks that follow each other faster than frames are obeyed: while the ring closes, queues are paused and resumed
 * again, and only what stays is a deadlock. */
static void look__waits_for_frames_under_way(void **state)
{
    static const char *const schemes[] = {"buffer: 100KB, headroom: sih", "buffer: 100KB, headroom: dsh",
                                          "buffer: 400KB, headroom: dsh"};
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct run r;
        char text[4096];
        snprintf(text, sizeof text,
                 "until: 1ms\npfc: {look: 100ns}\n" RING_LINKS "switch: {classes: 2, lossless: 0, policy: dt, %s}\n"
                 "transports: {u: {kind: none, class: 0, ack_class: 1}}\n"
                 "traffic:\n" FLOW("h0", "h2") FLOW("h1", "h3") FLOW("h2", "h4") FLOW("h3", "h0") FLOW("h4", "h1"),
                 schemes[i]);
        run(&r, text);
        assert_int_equal(deadlock(&r)->found, 1);
        assert_true(deadlock(&r)->ended_ps == WEIR_NEVER);
        assert_true(deadlock(&r)->onset_ps == last_decision(&r));
        done(&r);
    }
}

static void look__can_be_left_out(void **state)
{
    struct run r;
    (void)state;
    run(&r, "until: 2ms\npfc: {look: never}\n" DEADLY);
    assert_int_equal(deadlock(&r)->found, 0);
    done(&r);
}

static void look__ends_the_run_when_asked(void **state)
{
    struct run r;
    (void)state;
    run(&r, "until: 2ms\npfc: {deadlock: stop}\n" DEADLY);
    assert_int_equal(deadlock(&r)->found, 1);
    assert_true(r.result->totals.now == deadlock(&r)->found_ps);
    assert_int_equal(run_violations_count(r.result), 0);
    done(&r);
}

/* Short flows fit into a large buffer: nothing is paused for long. */
static void look__finds_none_with_room(void **state)
{
    struct run r;
    (void)state;
    run(&r, "until: 2ms\n" RING_LINKS SWITCH(
                "10MB", "sih") "transports: {u: {kind: udp, rate: 10Gbps}}\n"
                               "traffic:\n"
                               "- {kind: long, transport: u, tag: a, sources: h0, destinations: h2, bytes: 200KB}\n"
                               "- {kind: long, transport: u, tag: a, sources: h1, destinations: h3, bytes: 200KB}\n"
                               "- {kind: long, transport: u, tag: a, sources: h2, destinations: h4, bytes: 200KB}\n"
                               "- {kind: long, transport: u, tag: a, sources: h3, destinations: h0, bytes: 200KB}\n"
                               "- {kind: long, transport: u, tag: a, sources: h4, destinations: h1, bytes: 200KB}\n");
    assert_int_equal(deadlock(&r)->found, 0);
    assert_int_equal(r.result->tags[0].flows.flows, 5);
    done(&r);
}

/* Pauses spread from a slow link back over a chain of switches, and every one of them waits: but not for itself. */
static void look__finds_none_in_a_chain(void **state)
{
    struct run r;
    (void)state;
    run(&r, "until: 2ms\n"
            "topology:\n"
            "  kind: explicit\n"
            "  hosts: 3\n"
            "  switches: 4\n"
            "  links:\n" LINK("h0", "s0") LINK("h1", "s1") LINK("s0", "s1") LINK("s1", "s2")
                LINK("s2", "s3") "  - {a: s3, b: h2, rate: 100Mbps, delay: 1us}\n" SWITCH(
                    "200KB", "sih") "transports: {u: {kind: udp, rate: 10Gbps}}\n"
                                    "traffic:\n" FLOW("h0", "h2") FLOW("h1", "h2"));
    assert_int_equal(deadlock(&r)->found, 0);
    assert_true(r.result->pfc.held_switches_ps > WEIR_PS_PER_S / 1000); /* three ports for most of 2 ms */
    done(&r);
}

/* The watchdog empties a queue of the ring: the deadlock is over, and may come again. */
static void look__sees_the_end(void **state)
{
    struct run r;
    (void)state;
    run(&r, "until: 3ms\npfc: {look: 50us, watchdog: {detect: 1ms, restore: 1ms, action: drop}}\n" DEADLY);
    const struct measure_deadlock *found = deadlock(&r);
    assert_true(found->found >= 1);
    assert_true(found->ended_ps != WEIR_NEVER && found->ended_ps > found->found_ps);
    assert_true(found->ended_ps <= found->onset_ps + 3 * WEIR_PS_PER_S / 1000);
    assert_true(r.result->pfc.storms > 0);
    assert_true(r.result->lost.by_watchdog > 0);
    assert_int_equal(r.result->pfc.lost, 0);
    done(&r);
}

/* Which transport each of the five flows has. Where the classes alternate, only pauses of whole ports close the ring.
 */
#define MIXED_FLOW(from, to)                                                                                           \
    "- {kind: long, transport: %s, tag: a, sources: " from ", destinations: " to ", bytes: 100MB}\n"
#define MIXED_RING                                                                                                     \
    RING_LINKS "until: 4ms\nmeasure: {goodput_interval: 1ms}\npfc: {look: 3us}\n"                                      \
               "switch: {buffer: %s, classes: 2, lossless: 0-1, policy: dt, headroom: %s}\n"                           \
               "transports: {u: {kind: udp, class: 0, rate: %s}, v: {kind: udp, class: 1, rate: %s}}\n"                \
               "traffic:\n" MIXED_FLOW("h0", "h2") MIXED_FLOW("h1", "h3") MIXED_FLOW("h2", "h4")                       \
                   MIXED_FLOW("h3", "h0") MIXED_FLOW("h4", "h1")

/* In a ring in which every flow goes through the deadlock, nothing is delivered any more if and only if there is one.
 */
static void look__agrees_with_what_moves(void **state)
{
    static const char *const schemes[] = {"sih", "dsh", "{name: dsh, alpha: 1}", "{name: dsh, shared_headroom: no}"};
    static const char *const sizes[] = {"90KB", "150KB", "400KB"};
    static const char *const rates[] = {"4Gbps", "6Gbps", "10Gbps"};
    uint32_t found = 0, runs = 4 * 3 * 3 * 2;
    (void)state;
    for (uint32_t i = 0; i < runs; i++) {
        struct run r;
        char text[4096];
        const char *scheme = schemes[i % 4], *size = sizes[i / 4 % 3], *rate = rates[i / 12 % 3];
        const char *other = i < runs / 2 ? "u" : "v";
        snprintf(text, sizeof text, MIXED_RING, size, scheme, rate, rate, "u", other, "u", other, other);
        run(&r, text);
        bool moves = sim_measure(r.sim)->goodput[0][3] > 0;
        if (moves != (deadlock(&r)->found == 0))
            fail_msg("%s with %s at %s, %s: %s", scheme, size, rate, other,
                     moves ? "a deadlock that moves" : "no deadlock, but nothing moves");
        found += deadlock(&r)->found;
        done(&r);
    }
    assert_true(found > 0 && found < runs); /* both happen */
}

/* One that stays, that only the end finds, that ends the run, and that the watchdog ends. */
static const char *const divided_runs[] = {
    "until: 1ms\n" DEADLY, "until: 150us\npfc: {look: 901us}\n" DEADLY, "until: 2ms\npfc: {deadlock: stop}\n" DEADLY,
    "until: 3ms\npfc: {look: 50us, watchdog: {detect: 1ms, restore: 1ms, action: drop}}\n" DEADLY};

static void expect_found(const struct sim *sim, const struct run *r)
{
    const struct measure_deadlock *found = &sim_measure(sim)->deadlock, *expected = deadlock(r);
    assert_true(expected->found > 0);
    assert_int_equal(found->found, expected->found);
    assert_int_equal(found->queues, expected->queues);
    assert_int_equal(found->length, expected->length);
    assert_true(found->onset_ps == expected->onset_ps && found->ended_ps == expected->ended_ps);
}

/* However the ring is divided, what one thread finds is found. */
static void look__is_that_of_one_thread(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t threads = 2; threads <= 4; threads++) {
            struct run r;
            struct weir_error error = {.code = WEIR_ERROR_NONE};
            run(&r, divided_runs[i]);
            struct sim_config config = r.scenario.config;
            config.threads = threads;
            struct sim *sim = sim_create(&config, &error);
            if (sim == NULL)
                fail_msg("%s", ERROR_LINE(&error));
            assert_int_equal(sim_run(sim, NULL, NULL), SIM_DONE);
            assert_int_equal(sim_profile(sim).threads, threads);
            assert_int_equal(sim_digest(sim), sim_digest(r.sim));
            expect_found(sim, &r);
            sim_free(sim);
            done(&r);
        }
}

/* All ranks find it, also those that have no part in the ring. */
static void look__is_that_of_one_rank(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t ranks = 2; ranks <= 6; ranks += 1 + ranks / 3) {
            struct run r;
            struct ranks_run by_ranks = {.letters = 0};
            run(&r, divided_runs[i]);
            ranks_run(&by_ranks, &r.scenario.config, ranks);
            assert_int_equal(by_ranks.status[0], SIM_DONE);
            assert_int_equal(sim_digest(by_ranks.sim[0]), sim_digest(r.sim));
            for (uint32_t k = 0; k < ranks; k++)
                expect_found(by_ranks.sim[k], &r);
            ranks_run_free(&by_ranks);
            done(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(look__finds_a_ring),          cmocka_unit_test(look__does_not_disturb),
        cmocka_unit_test(look__is_made_at_the_end),    cmocka_unit_test(look__waits_for_frames_under_way),
        cmocka_unit_test(look__can_be_left_out),       cmocka_unit_test(look__ends_the_run_when_asked),
        cmocka_unit_test(look__finds_none_with_room),  cmocka_unit_test(look__finds_none_in_a_chain),
        cmocka_unit_test(look__sees_the_end),          cmocka_unit_test(look__agrees_with_what_moves),
        cmocka_unit_test(look__is_that_of_one_thread), cmocka_unit_test(look__is_that_of_one_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
