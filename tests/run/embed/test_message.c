/*
 * test_message.c - messages and timers of a program: what is answered at a moment happens at it, whatever the steps and
 * the threads.
 */
#include <inttypes.h>

#include "sim/transport/transport.h"
#include "tests/support/embedded.h"
#include "tests/support/failing_alloc.h"

#define STAR                                                                                                           \
    "until: 100ms\n"                                                                                                   \
    "seed: 5\n"                                                                                                        \
    "topology: {kind: single, hosts: 9, rate: 10Gbps, delay: 5us}\n"                                                   \
    "switch: {buffer: 100KB, policy: {name: dt, alpha: 1}}\n"
#define LEAVES                                                                                                         \
    "until: 100ms\n"                                                                                                   \
    "seed: 5\n"                                                                                                        \
    "topology:\n"                                                                                                      \
    "  {kind: leaf-spine, leaves: 3, spines: 2, hosts_per_leaf: 3, host_rate: 10Gbps, spine_rate: 10Gbps,\n"           \
    "   host_delay: 2us, spine_delay: 2us}\n"                                                                          \
    "switch: {buffer: 60KB, policy: {name: dt, alpha: 1}}\n"
#define DCTCP "transports: {t: {kind: dctcp, min_rto: 1ms}}\n"
#define MESSAGES "traffic: [{kind: messages, tag: m, transport: t}]\n"
#define BESIDE                                                                                                         \
    "traffic:\n"                                                                                                       \
    "- {kind: poisson, tag: noise, transport: t, sizes: websearch, load: 0.3, until: 2ms}\n"                           \
    "- {kind: messages, tag: m, transport: t}\n"

#define ACK_PS 72000 /* 66 bytes and a gap of 24 at 10 Gbit/s */

static uint32_t add(struct weir_sim *sim, struct weir_sim_message message)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    uint32_t id = 0;
    message.size = sizeof message;
    if (message.traffic == 0 && !weir_sim_find_messages(sim, "m", &message.traffic, &error))
        fail_msg("%s", ERROR_LINE(&error));
    if (!weir_sim_add_message(sim, &message, &id, &error))
        fail_msg("%s", ERROR_LINE(&error));
    return id;
}

static struct weir_sim_event next(struct weir_sim *sim, enum weir_sim_what what)
{
    struct weir_sim_event event;
    assert_int_equal(weir_sim_next(sim, WEIR_NEVER, &event, NULL), WEIR_SIM_RUNNING);
    assert_int_equal(event.what, what);
    return event;
}

static weir_ps now_of(const struct weir_sim *sim)
{
    struct weir_sim_progress progress;
    weir_sim_progress(sim, &progress);
    return progress.now;
}

/* Alone in the network a message takes its flow's ideal time; the sender knows a round trip later. */
static void weir_sim_next__one_message(void **state)
{
    struct weir_sim *sim = embedded(STAR DCTCP MESSAGES);
    const struct weir_sim_message message = {.source = 2, .destination = 5, .bytes = 1000, .tag = 77};
    struct weir_sim_flow flow;
    (void)state;
    uint32_t id = add(sim, message);
    struct weir_sim_event received = next(sim, WEIR_SIM_RECEIVED), sent = next(sim, WEIR_SIM_SENT);
    assert_int_equal(received.id, id);
    assert_int_equal(sent.tag, 77);
    assert_int_equal(received.source, 2);
    assert_int_equal(received.destination, 5);
    assert_int_equal(received.bytes, 1000);
    assert_int_equal(now_of(sim), sent.when);
    struct weir_sim_event last;
    assert_int_equal(weir_sim_next(sim, WEIR_NEVER, &last, NULL), WEIR_SIM_DONE);
    assert_int_equal(last.what, WEIR_SIM_NOTHING);
    assert_int_equal(weir_sim_flows(sim, 0, &flow, 1), 1);
    assert_int_equal(flow.id, id);
    assert_int_equal(flow.finish_ps, received.when);
    assert_int_equal(flow.ideal_ps, received.when);
    assert_int_equal(sent.when, received.when + 10 * WEIR_PS_PER_US + 2 * ACK_PS);
    weir_sim_free(sim);
}

/* A hundred answers, each sent by whom it reached at the moment when it did. */
static void weir_sim_next__answers_at_once(void **state)
{
    struct weir_sim *sim = embedded(STAR DCTCP MESSAGES);
    weir_ps begun = 0;
    (void)state;
    add(sim, (struct weir_sim_message){.source = 0, .destination = 1, .bytes = 3000});
    for (uint32_t i = 0; i < 100; i++) {
        struct weir_sim_event event = next(sim, WEIR_SIM_RECEIVED);
        struct weir_sim_message answer = {
            .source = event.destination, .destination = (event.destination + 1) % 9, .bytes = 3000};
        assert_int_equal(event.source, i % 9);
        assert_true(event.when == now_of(sim) && event.when > begun);
        begun = event.when;
        add(sim, answer);
        next(sim, WEIR_SIM_SENT);
    }
    weir_sim_step(sim, WEIR_NEVER, NULL);
    struct weir_sim_flow flows[101];
    assert_int_equal(weir_sim_flows(sim, 0, flows, 101), 101);
    for (uint32_t i = 1; i < 101; i++)
        assert_int_equal(flows[i].start_ps, flows[i - 1].finish_ps);
    /* Each waits for the ACK of the one that it answers, which goes first. */
    assert_int_equal(flows[100].start_ps, 100 * flows[0].ideal_ps + 99 * ACK_PS);
    weir_sim_free(sim);
}

/* A program with everything: it answers messages, fans out, and wakes by its clock; the shape of its calls is drawn. */
struct program {
    uint64_t seed, events, hash;
    uint32_t left, rests; /* rests: pauses that it makes, for longer than anything lasts */
    weir_ps slice;        /* 0: it asks for the next event, whenever it is */
    double lost;          /* packets, at its end */
    bool interrupts;      /* it is stopped before every other call */
};

/* Nothing is under way but timers of transports that nobody needs any more: the simulation goes on. */
static void program_rest(struct program *program, struct weir_sim *sim, const struct weir_sim_event *event)
{
    if (event->what == WEIR_SIM_TIMER && event->tag == 2)
        add(sim, (struct weir_sim_message){.source = 3, .destination = 4, .bytes = 30000});
    else if (event->what == WEIR_SIM_SENT && program->left == 0 && program->rests > 0 && program->rests--)
        assert_true(weir_sim_add_timer(sim, event->when + 10 * WEIR_PS_PER_MS, 2, NULL));
}

static void program_do(struct program *program, struct weir_sim *sim, const struct weir_sim_event *event)
{
    uint64_t draw = weir_hash(program->seed, program->events++);
    program->hash = weir_hash(program->hash, (uint64_t)event->when);
    program->hash = weir_hash(program->hash, (uint64_t)event->what << 32 | event->id);
    assert_true(event->when == now_of(sim));
    for (uint64_t i = 0; i < 1 + draw % 2 && program->left > 0; i++, program->left--) {
        uint64_t shape = weir_hash(draw, i);
        uint32_t from = (uint32_t)(shape % 9), to = (from + 1 + (uint32_t)(shape >> 8) % 8) % 9;
        if (event->what == WEIR_SIM_RECEIVED && shape % 3 == 0)
            assert_true(weir_sim_add_timer(sim, event->when + (weir_ps)(shape >> 45), 1, NULL));
        else
            add(sim, (struct weir_sim_message){.source = from,
                                               .destination = to,
                                               .bytes = 1 + (int64_t)(shape >> 20) % 50000,
                                               .start = shape % 5 ? 0 : event->when + (weir_ps)(shape >> 46),
                                               .tag = program->events});
    }
}

static uint64_t program_run(struct program *program, const char *text, const char *const *set, uint32_t sets)
{
    const struct weir_sim_source source = {.size = sizeof source, .text = text, .set = set, .set_count = sets};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct weir_sim *sim = weir_sim_create(&source, &error);
    struct weir_sim_event event;
    if (sim == NULL)
        fail_msg("%s", ERROR_LINE(&error));
    for (uint32_t h = 0; h < 9; h++)
        add(sim, (struct weir_sim_message){.source = h, .destination = (h + 4) % 9, .bytes = 20000});
    enum weir_sim_state is = WEIR_SIM_RUNNING;
    for (uint64_t calls = 0; is == WEIR_SIM_RUNNING; calls++) {
        bool slices = program->slice > 0 && program->left > 0;
        if (program->interrupts && calls % 2 == 0)
            weir_sim_stop(sim);
        is = weir_sim_next(sim, slices ? now_of(sim) + program->slice : WEIR_NEVER, &event, &error);
        if (event.what != WEIR_SIM_NOTHING) {
            program_do(program, sim, &event);
            program_rest(program, sim, &event);
        }
    }
    if (is != WEIR_SIM_DONE)
        fail_msg("%s", ERROR_LINE(&error));
    assert_true(weir_sim_measure(sim, "lost.total", &program->lost, NULL));
    uint64_t digest = weir_hash(weir_sim_digest(sim), program->hash);
    assert_int_equal(program->left + program->rests, 0);
    weir_sim_free(sim);
    return digest;
}

static void weir_sim_next__steps_and_threads_change_nothing(void **state)
{
    static const char *const texts[] = {LEAVES DCTCP MESSAGES, LEAVES DCTCP BESIDE};
    static const char *const threads[] = {"threads=2", "threads=3", "threads=9"};
    (void)state;
    for (uint32_t t = 0; t < 2; t++) {
        struct program first = {.seed = t, .left = 300, .rests = 5};
        uint64_t expected = program_run(&first, texts[t], NULL, 0);
        assert_true(first.events > 400);
        for (uint32_t i = 0; i < 3; i++) {
            struct program again = {.seed = t, .left = 300, .rests = 5};
            assert_int_equal(program_run(&again, texts[t], &threads[i], 1), expected);
        }
        static const weir_ps slices[] = {1, 777777, 13 * WEIR_PS_PER_US};
        for (uint32_t i = 1; i < 3; i++) {
            struct program again = {.seed = t, .left = 300, .rests = 5, .slice = slices[i], .interrupts = i == 2};
            assert_int_equal(program_run(&again, texts[t], NULL, 0), expected);
        }
    }
}

/* Every transport that repeats what is lost, where much is: no end is missed, and none is told late. In checking builds
 * the simulation asserts that itself. */
static void weir_sim_next__every_transport(void **state)
{
    (void)state;
    for (uint32_t i = 0; transport_table[i] != NULL; i++) {
        char kind[64];
        const char *const set[] = {kind, "switch.buffer=20KB"};
        struct program program = {.seed = 40 + i, .left = 150, .rests = 3};
        snprintf(kind, sizeof kind, "transports.t={kind: %s}", transport_table[i]->name);
        if (transport_table[i]->ack == NULL)
            continue;
        program_run(&program, LEAVES DCTCP MESSAGES, set, 2);
        assert_true(program.events > 200 && program.lost > 0);
    }
}

static void weir_sim_add_timer__in_order(void **state)
{
    static const weir_ps when[] = {30, 10, 20, 10, 0, 3 * WEIR_PS_PER_MS};
    static const uint64_t order[] = {4, 1, 3, 2, 0, 5};
    struct weir_sim *sim = embedded(STAR DCTCP MESSAGES);
    (void)state;
    for (uint64_t i = 0; i < 6; i++)
        assert_true(weir_sim_add_timer(sim, when[i], i, NULL));
    for (uint64_t i = 0; i < 6; i++) {
        struct weir_sim_event event = next(sim, WEIR_SIM_TIMER);
        assert_int_equal(event.tag, order[i]);
        assert_int_equal(event.when, when[order[i]]);
        assert_int_equal(now_of(sim), event.when);
    }
    assert_true(weir_sim_add_timer(sim, 100 * WEIR_PS_PER_MS, 9, NULL)); /* never comes */
    struct weir_sim_event event;
    assert_int_equal(weir_sim_next(sim, WEIR_NEVER, &event, NULL), WEIR_SIM_DONE);
    assert_int_equal(event.what, WEIR_SIM_NOTHING);
    weir_sim_free(sim);
}

/* A timer for the moment at which a message ends goes first. */
static void weir_sim_next__timer_before_message(void **state)
{
    weir_ps ended = 0;
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct weir_sim *sim = embedded(STAR DCTCP MESSAGES);
        add(sim, (struct weir_sim_message){.source = 2, .destination = 5, .bytes = 1000});
        if (i == 1) {
            assert_true(weir_sim_add_timer(sim, ended, 0, NULL));
            assert_int_equal(next(sim, WEIR_SIM_TIMER).when, ended);
        }
        ended = next(sim, WEIR_SIM_RECEIVED).when;
        assert_int_equal(now_of(sim), ended);
        weir_sim_free(sim);
    }
}

/* What happens during a step is told afterwards; until a time, nothing else happens. */
static void weir_sim_next__after_a_step(void **state)
{
    struct weir_sim *sim = embedded(STAR DCTCP MESSAGES);
    struct weir_sim_event event;
    (void)state;
    add(sim, (struct weir_sim_message){.source = 2, .destination = 5, .bytes = 1000});
    assert_int_equal(weir_sim_next(sim, WEIR_PS_PER_US, &event, NULL), WEIR_SIM_RUNNING);
    assert_int_equal(event.what, WEIR_SIM_NOTHING);
    assert_int_equal(event.when, WEIR_PS_PER_US);
    assert_int_equal(weir_sim_next(sim, 0, &event, NULL), WEIR_SIM_RUNNING);
    assert_int_equal(event.when, WEIR_PS_PER_US);
    assert_int_equal(weir_sim_step(sim, WEIR_PS_PER_MS, NULL), WEIR_SIM_RUNNING);
    assert_true(next(sim, WEIR_SIM_RECEIVED).when < 20 * WEIR_PS_PER_US);
    assert_int_equal(now_of(sim), WEIR_PS_PER_MS);
    assert_true(next(sim, WEIR_SIM_SENT).when < 40 * WEIR_PS_PER_US);
    /* Nobody is at work, and the simulation waits for the next message. */
    assert_int_equal(weir_sim_step(sim, 2 * WEIR_PS_PER_MS, NULL), WEIR_SIM_RUNNING);
    add(sim, (struct weir_sim_message){.source = 2, .destination = 5, .bytes = 1000});
    weir_sim_step(sim, WEIR_NEVER, NULL);
    assert_true(next(sim, WEIR_SIM_RECEIVED).when > 2 * WEIR_PS_PER_MS); /* done, and there is more to tell */
    next(sim, WEIR_SIM_SENT);
    assert_int_equal(weir_sim_next(sim, WEIR_NEVER, &event, NULL), WEIR_SIM_DONE);
    weir_sim_free(sim);
}

static void weir_sim_add_message__says_what_is_wrong(void **state)
{
    static const struct {
        struct weir_sim_message message;
        const char *text;
    } cases[] = {
        {{.source = 2, .destination = 9, .bytes = 1}, "a message from host 2 to host 9 (expected hosts 0 to 8)"},
        {{.source = 2, .destination = 2, .bytes = 1},
         "a message from host 2 to itself (expected another: within a host nothing takes the network)"},
        {{.source = 2, .destination = 3}, "0 bytes; a flow has 1 to "},
        {{.source = 2, .destination = 3, .bytes = -5}, "-5 bytes; a flow has 1 to "},
        {{.source = 2, .destination = 3, .bytes = INT64_MAX}, "bytes; a flow has 1 to "},
        {{.source = 2, .destination = 3, .bytes = 1, .traffic = 7},
         "traffic 7 takes no messages (expected an item of kind messages)"},
        {{.source = 2, .destination = 3, .bytes = 1, .traffic = 0},
         "traffic 0 takes no messages (expected an item of kind messages)"},
        {{.source = 2, .destination = 3, .bytes = 1, .traffic = 1, .start = 5},
         "a message at 5 ps, and it is 1000000 ps (expected no time of before)"},
        {{.source = 2, .destination = 3, .bytes = 1, .traffic = 1, .start = 100 * WEIR_PS_PER_MS},
         "a message at 100000000000 ps (expected 0 ps to before 100000000000 ps, when its item is on)"},
    };
    struct weir_sim *sim = embedded(LEAVES DCTCP BESIDE);
    struct weir_error error;
    uint32_t id, number;
    (void)state;
    assert_int_equal(weir_sim_step(sim, WEIR_PS_PER_US, NULL), WEIR_SIM_RUNNING);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct weir_sim_message message = cases[i].message;
        message.size = sizeof message;
        message.traffic = strncmp(cases[i].text, "traffic", 7) != 0 ? 1 : message.traffic;
        assert_false(weir_sim_add_message(sim, &message, &id, &error));
        if (strstr(error.text, cases[i].text) == NULL)
            fail_msg("%s", error.text);
        assert_false(weir_sim_add_message(sim, &message, NULL, NULL));
    }
    assert_false(weir_sim_add_message(sim, &(struct weir_sim_message){.bytes = 1}, NULL, &error));
    assert_string_equal(error.text, "the message has no size (expected .size = sizeof message)");
    assert_false(weir_sim_add_timer(sim, 5, 0, &error));
    assert_string_equal(error.text, "a timer at 5 ps, and it is 1000000 ps (expected no time of before)");
    assert_false(weir_sim_find_messages(sim, "noise", &number, &error));
    assert_string_equal(error.text,
                        "no item of traffic with the tag 'noise' takes messages (expected one of kind messages)");
    assert_true(weir_sim_find_messages(sim, NULL, &number, &error));
    assert_int_equal(number, 1);
    weir_sim_step(sim, WEIR_NEVER, NULL);
    const struct weir_sim_message late = {.size = sizeof late, .source = 2, .destination = 3, .bytes = 1, .traffic = 1};
    assert_false(weir_sim_add_message(sim, &late, &id, &error));
    assert_string_equal(error.text, "a message: the simulation has ended (expected it before that)");
    assert_false(weir_sim_add_timer(sim, WEIR_NEVER, 0, NULL));
    weir_sim_free(sim);
    sim = embedded(INCAST);
    assert_false(weir_sim_find_messages(sim, NULL, &number, &error));
    assert_string_equal(error.text, "no item of traffic takes messages (expected one of kind messages)");
    weir_sim_free(sim);
}

static void weir_sim_add_message__not_over_udp_nor_beside_a_perfect_oracle(void **state)
{
    static const char *const set[] = {"transports.t={kind: udp}"};
    static const char *const perfect[] = {"switch.policy=credence", "switch.oracle={answers: perfect}"};
    struct weir_sim_source source = {.size = sizeof source, .text = STAR DCTCP MESSAGES, .set = set, .set_count = 1};
    const struct weir_sim_message message = {.size = sizeof message, .destination = 3, .bytes = 1};
    struct weir_error error;
    (void)state;
    assert_null(weir_sim_create(&source, &error));
    assert_non_null(strstr(error.text, "transport: udp does not repeat what is lost"));
    source.set = perfect;
    source.set_count = 2;
    assert_null(weir_sim_create(&source, &error));
    assert_non_null(strstr(error.text, "'answers: perfect' needs packets that come whatever is lost"));
}

/* A program of some messages and timers, until one call says that memory is short. */
static bool try_all(struct weir_error *error)
{
    const struct weir_sim_source source = {.size = sizeof source, .text = STAR DCTCP MESSAGES};
    struct weir_sim *sim = weir_sim_create(&source, error);
    struct weir_sim_event event = {.what = WEIR_SIM_NOTHING};
    struct weir_sim_message message = {.size = sizeof message, .bytes = 3000};
    bool good = sim != NULL && weir_sim_find_messages(sim, "m", &message.traffic, error);
    for (uint32_t i = 0; good && i < 80; i++) {
        message.source = i % 9;
        message.destination = (i + 1) % 9;
        good = weir_sim_add_message(sim, &message, NULL, error) && weir_sim_add_timer(sim, i, i, error);
    }
    enum weir_sim_state is = WEIR_SIM_RUNNING;
    while (good && is == WEIR_SIM_RUNNING) {
        is = weir_sim_next(sim, WEIR_NEVER, &event, error);
        if (is == WEIR_SIM_RUNNING && event.what == WEIR_SIM_TIMER && event.tag == 0)
            good = weir_sim_add_message(sim, &message, NULL, error);
    }
    good = good && is == WEIR_SIM_DONE;
    if (sim != NULL && !good) {
        struct weir_sim_progress progress;
        weir_sim_progress(sim, &progress);
        struct weir_error said = {.code = WEIR_ERROR_NONE};
        if (progress.state == WEIR_SIM_FAILED) { /* and says so for ever */
            assert_int_equal(weir_sim_next(sim, WEIR_NEVER, &event, &said), WEIR_SIM_FAILED);
            assert_int_equal(said.code, WEIR_ERROR_MEMORY);
            assert_false(weir_sim_add_message(sim, &message, NULL, &said));
            assert_false(weir_sim_add_timer(sim, WEIR_NEVER, 0, NULL));
        }
    }
    weir_sim_free(sim);
    return good;
}

static void weir_sim_next__memory_runs_short(void **state)
{
    bool failed = true;
    uint64_t n = 0;
    (void)state;
    while (failed) {
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        failing_alloc_start(++n);
        bool good = try_all(n % 2 == 0 ? &error : NULL);
        failed = failing_alloc_stop();
        if (good == failed)
            fail_msg("allocation %" PRIu64 " %s", n, failed ? "was not missed" : "was missed");
        if (failed && n % 2 == 0 && error.code != WEIR_ERROR_MEMORY)
            fail_msg("allocation %" PRIu64 ": code %d: %s", n, (int)error.code, ERROR_LINE(&error));
        assert_int_equal(failing_alloc_held(), 0);
    }
    assert_true(n > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weir_sim_next__one_message),
        cmocka_unit_test(weir_sim_next__answers_at_once),
        cmocka_unit_test(weir_sim_next__steps_and_threads_change_nothing),
        cmocka_unit_test(weir_sim_next__every_transport),
        cmocka_unit_test(weir_sim_add_timer__in_order),
        cmocka_unit_test(weir_sim_next__timer_before_message),
        cmocka_unit_test(weir_sim_next__after_a_step),
        cmocka_unit_test(weir_sim_add_message__says_what_is_wrong),
        cmocka_unit_test(weir_sim_add_message__not_over_udp_nor_beside_a_perfect_oracle),
        cmocka_unit_test(weir_sim_next__memory_runs_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
