/*
 * test_host_timers.c - a flow's due time may be moved later, earlier or away; the host acts at the due time and never
 * otherwise, and not on a flow that took the memory of one that ended.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "sim/net/network.h"
#include "sim/sim.h"
#include "tests/support/failing_alloc.h"

#define FLOWS 50u
#define NOTES 64u

/* Who acted when, in order. */
struct note {
    weir_ps now;
    uint32_t flow_id;
    bool receiver;
};

struct fixture {
    struct sim sim; /* must come first: a timer finds the notes by it */
    struct sim_worker worker;
    struct host host;
    struct sim_transport transport;
    struct flow flow[FLOWS];
    struct note note[NOTES];
    uint32_t notes;
};

static void take_note(struct host *host, const struct flow *flow, bool receiver, weir_ps now)
{
    struct fixture *f = (struct fixture *)(void *)host->sim;
    assert_int_equal(receiver ? flow->receiver_due_ps : flow->sender_due_ps, WEIR_NEVER);
    f->note[f->notes++ % NOTES] = (struct note){now, flow->id, receiver};
}

static void sender_acts(struct host *host, struct flow *flow, weir_ps now)
{
    take_note(host, flow, false, now);
}

static void receiver_acts(struct host *host, struct flow *flow, weir_ps now)
{
    take_note(host, flow, true, now);
}

static const struct transport noting = {.name = "noting", .sender_timer = sender_acts, .receiver_timer = receiver_acts};

static int start(void **state)
{
    struct fixture *f = aligned_alloc(LINES_APART, sizeof *f);
    memset(f, 0, sizeof *f);
    f->host.sim = &f->sim;
    f->host.worker = &f->worker;
    f->transport.kind = &noting;
    for (uint32_t i = 0; i < FLOWS; i++) {
        flow_set_id(&f->flow[i], i + 1);
        f->flow[i].transport = &f->transport;
        flow_show(&f->flow[i]);
        f->flow[i].sender_due_ps = f->flow[i].sender_wake_ps = WEIR_NEVER;
        f->flow[i].receiver_due_ps = f->flow[i].receiver_wake_ps = WEIR_NEVER;
    }
    *state = f;
    return 0;
}

static int stop(void **state)
{
    struct fixture *f = *state;
    free(f->host.timers);
    free(f);
    return 0;
}

static void run_all(struct fixture *f)
{
    while (host_timers_next(&f->host) != WEIR_NEVER)
        host_timers_act(&f->host, host_timers_next(&f->host));
}

static void expect_note(const struct fixture *f, uint32_t number, weir_ps now, uint32_t flow_id)
{
    assert_true(number < f->notes);
    assert_int_equal(f->note[number].now, now);
    assert_int_equal(f->note[number].flow_id, flow_id);
}

static void timers__act_at_the_due_time(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(host_timers_next(&f->host), WEIR_NEVER);
    host_sender_timer(&f->host, &f->flow[0], 100);
    assert_int_equal(host_timers_next(&f->host), 100);
    run_all(f);
    assert_int_equal(f->notes, 1);
    expect_note(f, 0, 100, 1);
    assert_int_equal(f->flow[0].sender_wake_ps, WEIR_NEVER);
}

/* Both ends of three flows at one moment (both may live on one host in a test): in what order they act, as the number
 * of the flow times 2, and 1 for the receiver. */
static void tie(struct fixture *f, weir_ps when, bool backwards, uint32_t order[6])
{
    f->notes = 0;
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t end = backwards ? 5 - i : i;
        if (end % 2)
            host_receiver_timer(&f->host, &f->flow[end / 2], when);
        else
            host_sender_timer(&f->host, &f->flow[end / 2], when);
    }
    run_all(f);
    assert_int_equal(f->notes, 6);
    for (uint32_t i = 0; i < 6; i++)
        order[i] = (f->note[i].flow_id - 1) * 2 + f->note[i].receiver;
}

/* 6000 moments: each end is first 1000 times, with a standard deviation of 29. */
static void timers__draw_ties(void **state)
{
    struct fixture *f = *state;
    uint32_t first[6] = {0};
    for (weir_ps when = 1; when <= 6000; when++) {
        uint32_t order[6], other[6];
        tie(f, when, false, order);
        tie(f, when, true, other);
        assert_memory_equal(order, other, sizeof order);
        first[order[0]]++;
    }
    for (uint32_t i = 0; i < 6; i++)
        assert_in_range(first[i], 1000 - 4 * 29, 1000 + 4 * 29);
}

static void timers__a_later_due_time_waits(void **state)
{
    struct fixture *f = *state;
    host_sender_timer(&f->host, &f->flow[0], 100);
    f->flow[0].sender_due_ps = 250; /* moved without telling the host */
    host_timers_act(&f->host, 100);
    assert_int_equal(f->notes, 0);
    assert_int_equal(host_timers_next(&f->host), 250);
    run_all(f);
    assert_int_equal(f->notes, 1);
    expect_note(f, 0, 250, 1);
}

static void timers__setting_a_later_time_costs_no_entry(void **state)
{
    struct fixture *f = *state;
    for (weir_ps due = 100; due < 200; due++)
        host_sender_timer(&f->host, &f->flow[0], due);
    assert_int_equal(f->host.timer_count, 1);
    run_all(f);
    assert_int_equal(f->notes, 1);
    expect_note(f, 0, 199, 1);
}

static void timers__an_earlier_due_time_comes_earlier_and_once(void **state)
{
    struct fixture *f = *state;
    host_sender_timer(&f->host, &f->flow[0], 100);
    host_sender_timer(&f->host, &f->flow[0], 40);
    assert_int_equal(host_timers_next(&f->host), 40);
    run_all(f);
    assert_int_equal(f->notes, 1);
    expect_note(f, 0, 40, 1);
}

/* Earlier, and set again from within: the entry of the first time is still in the heap and must not act. */
static void timers__a_replaced_look_does_nothing(void **state)
{
    struct fixture *f = *state;
    host_sender_timer(&f->host, &f->flow[0], 100);
    host_sender_timer(&f->host, &f->flow[0], 40);
    host_timers_act(&f->host, 40);
    host_sender_timer(&f->host, &f->flow[0], 300);
    host_timers_act(&f->host, 100);
    assert_int_equal(f->notes, 1);
    run_all(f);
    assert_int_equal(f->notes, 2);
    expect_note(f, 1, 300, 1);
}

static void timers__a_due_time_taken_away_never_comes(void **state)
{
    struct fixture *f = *state;
    host_receiver_timer(&f->host, &f->flow[0], 100);
    f->flow[0].receiver_due_ps = WEIR_NEVER;
    run_all(f);
    assert_int_equal(f->notes, 0);
    host_receiver_timer(&f->host, &f->flow[0], 120);
    run_all(f);
    assert_int_equal(f->notes, 1);
    expect_note(f, 0, 120, 1);
}

static void timers__an_ended_flow_leaves_none_to_its_successor(void **state)
{
    struct fixture *f = *state;
    host_sender_timer(&f->host, &f->flow[0], 100);
    f->flow[0].id = 77; /* the memory serves another flow, with its own timer at the same moment */
    f->flow[0].sender_due_ps = f->flow[0].sender_wake_ps = WEIR_NEVER;
    host_sender_timer(&f->host, &f->flow[0], 100);
    run_all(f);
    assert_int_equal(f->notes, 1);
    expect_note(f, 0, 100, 77);
}

/* Random moves of random flows; every flow acts at the moment that was set last, in order. */
static void timers__agree_with_a_list(void **state)
{
    struct fixture *f = *state;
    struct weir_random random = weir_random_stream(1, "timers");
    weir_ps due[FLOWS], now = 0;
    for (uint32_t i = 0; i < FLOWS; i++)
        due[i] = WEIR_NEVER;
    for (uint32_t step = 0; step < 20000; step++) {
        uint32_t i = weir_random_below(&random, FLOWS);
        due[i] = now + 1 + weir_random_below(&random, 1000);
        if (f->flow[i].sender_due_ps != WEIR_NEVER && due[i] > f->flow[i].sender_due_ps)
            f->flow[i].sender_due_ps = due[i];
        else
            host_sender_timer(&f->host, &f->flow[i], due[i]);
        weir_ps until = now + weir_random_below(&random, 60);
        while (host_timers_next(&f->host) <= until) {
            uint32_t notes = f->notes;
            now = host_timers_next(&f->host);
            host_timers_act(&f->host, now);
            if (f->notes == notes)
                continue;
            uint32_t id = f->note[notes % NOTES].flow_id;
            if (due[id - 1] != now)
                fail_msg("step %u: flow %u acts at %lld", step, id, (long long)now);
            due[id - 1] = WEIR_NEVER;
        }
        now = until;
        for (i = 0; i < FLOWS; i++)
            assert_true(due[i] > now);
    }
    assert_true(f->notes > 1000);
}

static void timers__a_lack_of_memory_ends_the_run(void **state)
{
    struct fixture *f = *state;
    failing_alloc_start(1);
    host_sender_timer(&f->host, &f->flow[0], 100);
    assert_true(failing_alloc_stop());
    assert_true(f->worker.out_of_memory);
    assert_int_equal(f->host.timer_count, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(timers__act_at_the_due_time),
        TEST(timers__draw_ties),
        TEST(timers__a_later_due_time_waits),
        TEST(timers__setting_a_later_time_costs_no_entry),
        TEST(timers__an_earlier_due_time_comes_earlier_and_once),
        TEST(timers__a_replaced_look_does_nothing),
        TEST(timers__a_due_time_taken_away_never_comes),
        TEST(timers__an_ended_flow_leaves_none_to_its_successor),
        TEST(timers__agree_with_a_list),
        TEST(timers__a_lack_of_memory_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
