/*
 * test_timeline.c - timelines of random traces beside what their records add up to.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "lib/trace/timeline.h"
#include "tests/apps/record.h"
#include "tests/support/capture.h"
#include "tests/support/folder.h"

#define EVENTS 3000u
#define ACCOUNTS (RECORD_PORTS * RECORD_CLASSES)

static struct weir_record record;

/* What the records say by themselves. */
struct expected {
    uint64_t packets[TIMELINE_FATES];
    weir_cells fullest;
    weir_ps paused_ps;
};

static void lose(struct expected *e, enum weir_cause cause)
{
    e->packets[TIMELINE_PUSHED_OUT] += cause == WEIR_CAUSE_PUSHOUT;
    e->packets[TIMELINE_EXPELLED] += cause == WEIR_CAUSE_EXPELLED;
    e->packets[TIMELINE_DROPPED] += cause == WEIR_CAUSE_DEQUEUE || cause == WEIR_CAUSE_FLUSHED;
}

/* From `from` to `to`, both included; the buffer is followed from the start. */
static struct expected add_up(weir_ps from, weir_ps to)
{
    static weir_cells size[EVENTS];
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct trace_input input;
    struct expected e = {.fullest = 0};
    weir_ps till[ACCOUNTS] = {0}, before = 0;
    weir_cells used = 0;
    uint32_t arrivals = 0;
    assert_true(trace_input_open(&input, "a", &error));
    while (trace_input_next(&input, &record, &error) == WEIR_TRACE_RECORD) {
        bool timed = record.kind != WEIR_REC_HASH && record.kind != WEIR_REC_CHANGE && record.kind != WEIR_REC_END;
        bool within = timed && record.now >= from && record.now <= to;
        e.fullest = within && used > e.fullest ? used : e.fullest; /* what the one before left */
        for (uint32_t i = 0; i < record.lost_count; i++) {
            used -= size[record.lost[i].index];
            if (within)
                lose(&e, record.lost[i].cause);
        }
        for (uint32_t a = 0; timed && a < ACCOUNTS; a++)
            if (till[a] > before)
                e.paused_ps += (till[a] < record.now ? till[a] : record.now) - before;
        before = timed ? record.now : before;
        if (record.kind == WEIR_REC_ARRIVE) {
            size[arrivals++] = (record.packet.bytes + 99) / 100;
            used += record.accepted ? size[arrivals - 1] : 0;
            e.packets[TIMELINE_ARRIVED] += within;
            e.packets[TIMELINE_REFUSED] += within && !record.accepted;
        }
        if (record.kind == WEIR_REC_DEPART && record.departed) {
            used -= size[record.index];
            e.packets[TIMELINE_SENT] += within;
        }
        for (uint32_t a = 0; record.kind == WEIR_REC_PAUSE && a < ACCOUNTS; a++)
            if (a % RECORD_PORTS == record.port.i && record.class_mask >> a / RECORD_PORTS & 1)
                till[a] = record.until;
        e.fullest = within && used > e.fullest ? used : e.fullest;
    }
    trace_input_close(&input);
    return e;
}

static int watch(struct timeline *timeline)
{
    const struct replay_watch watcher = timeline_watch(timeline);
    const struct replay_options options = {.watch = &watcher};
    struct replay_report report;
    struct capture capture;
    capture_start(&capture, stderr);
    int code = replay_trace("a", &options, &report);
    capture_stop(&capture);
    replay_report_free(&report);
    return code;
}

static void expect_sums(const struct timeline *t, const struct expected *e)
{
    uint64_t packets[TIMELINE_FATES] = {0};
    weir_cells fullest = 0;
    for (uint32_t step = 0; step < t->steps; step++) {
        weir_cells held = 0;
        for (uint32_t a = 0; a < t->accounts; a++) {
            const struct timeline_cell *cell = timeline_at(t, step, a);
            held += cell->held;
            assert_true(cell->paused_ps >= 0 && cell->paused_ps <= t->step_ps);
            for (uint32_t f = 0; f < TIMELINE_FATES; f++)
                packets[f] += cell->packets[f];
        }
        assert_int_equal(held, t->used[step]);
        fullest = held > fullest ? held : fullest;
    }
    for (uint32_t f = 0; f < TIMELINE_FATES; f++)
        assert_int_equal(packets[f], e->packets[f]);
    assert_int_equal(fullest, e->fullest);
}

static void timeline__adds_up_to_the_records(void **state)
{
    (void)state;
    uint64_t lost = 0;
    for (uint32_t p = 0; p < weir_policy_count; p++) {
        struct timeline t = {.from = WEIR_NEVER, .to = WEIR_NEVER};
        assert_true(record_trace(weir_policies[p]->name, 5, EVENTS, "a"));
        assert_int_equal(watch(&t), CLI_OK);
        const struct expected e = add_up(0, WEIR_NEVER);
        assert_int_equal(t.steps, TIMELINE_STEPS_MAX);
        expect_sums(&t, &e);
        weir_ps paused = 0;
        for (uint32_t i = 0; i < t.steps * t.accounts; i++)
            paused += t.cells[i].paused_ps;
        assert_int_equal(paused, e.paused_ps);
        assert_true(paused > 0);
        lost += e.packets[TIMELINE_PUSHED_OUT] * e.packets[TIMELINE_DROPPED];
        timeline_free(&t);
    }
    assert_true(lost > 0);
}

/* A part of the trace, and more than there is of it. */
static void timeline__from_and_to(void **state)
{
    (void)state;
    assert_true(record_trace("occamy", 5, EVENTS, "a"));
    struct timeline t = {.from = 300 * WEIR_PS_PER_US, .to = 700 * WEIR_PS_PER_US};
    assert_int_equal(watch(&t), CLI_OK);
    struct expected e = add_up(t.start, t.start + t.steps * t.step_ps - 1);
    expect_sums(&t, &e);
    timeline_free(&t);
    t = (struct timeline){.from = 0, .to = WEIR_PS_PER_S};
    assert_int_equal(watch(&t), CLI_OK);
    e = add_up(0, WEIR_NEVER);
    expect_sums(&t, &e);
    assert_int_equal(t.used[t.steps - 1], t.used[t.steps / 2]); /* after the trace nothing changes */
    timeline_free(&t);
    t = (struct timeline){.from = WEIR_PS_PER_S, .to = WEIR_NEVER};
    assert_int_equal(watch(&t), CLI_INPUT);
    timeline_free(&t);
}

/* Inputs are paused by a headroom scheme, and for no longer than there is time. */
static void timeline__paused_inputs(void **state)
{
    (void)state;
    struct timeline t = {.from = WEIR_NEVER, .to = WEIR_NEVER};
    assert_true(record_trace("sih", 5, EVENTS, "a"));
    assert_int_equal(watch(&t), CLI_OK);
    weir_ps paused = 0;
    for (uint32_t i = 0; i < t.steps * t.inputs; i++) {
        assert_true(t.input_paused[i] >= 0 && t.input_paused[i] <= t.step_ps);
        paused += t.input_paused[i];
    }
    assert_true(paused > 0);
    for (uint32_t port = 0; port < t.ports; port++) { /* class 0 is lossless: the ingress side limits it */
        assert_int_equal(timeline_at(&t, t.steps / 2, port)->limit, TIMELINE_NO_LIMIT);
        assert_true(timeline_at(&t, t.steps / 2, t.ports + port)->limit >= 0);
    }
    timeline_free(&t);
    assert_int_equal(unlink("a"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timeline__adds_up_to_the_records),
        cmocka_unit_test(timeline__from_and_to),
        cmocka_unit_test(timeline__paused_inputs),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
