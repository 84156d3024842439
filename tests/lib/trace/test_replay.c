/*
 * test_replay.c - replaying traces that were changed: a changed outcome is found, and no byte makes it crash.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "lib/trace/replay.h"
#include "tests/apps/record.h"
#include "tests/support/capture.h"
#include "tests/support/folder.h"
#include "trace_internal.h"

#define BYTES_MAX 65536u

static struct weir_record record;
static uint8_t bytes[BYTES_MAX];

static int replay_quietly(const char *path, struct replay_report *report)
{
    const struct replay_options options = {.naive = true};
    struct capture capture;
    capture_start(&capture, stderr);
    int code = replay_trace(path, &options, report);
    capture_stop(&capture);
    replay_report_free(report);
    return code;
}

/* A trace without compression in `bytes`; `visit` is told each record and its place. */
static size_t make_plain(const char *policy, uint64_t events, void (*visit)(size_t at, size_t end))
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct trace_input input;
    assert_true(record_trace(policy, 3, events, "a"));
    assert_true(trace_input_open(&input, "a", &error));
    while (trace_input_next(&input, &record, &error) == WEIR_TRACE_RECORD)
        if (visit != NULL)
            visit(input.reader.at, input.reader.next);
    size_t count = input.filled;
    assert_true(count < sizeof bytes);
    memcpy(bytes, input.reader.bytes, count);
    trace_input_close(&input);
    return count;
}

/* With the right checksum at the end: the change is one of the recording, not damage. */
static void store(size_t count)
{
    uint64_t checksum = weir_trace_checksum(WEIR_CHECKSUM_START, bytes, count - 8);
    for (uint32_t i = 0; i < 8; i++)
        bytes[count - 8 + i] = (uint8_t)(checksum >> 8 * i);
    FILE *file = fopen("a", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static void replay_trace__every_policy_agrees(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < weir_policy_count; p++) {
        for (uint64_t seed = 1; seed <= 3; seed++) {
            struct replay_report report;
            assert_true(record_trace(weir_policies[p]->name, seed, 1500, "a"));
            int code = replay_quietly("a", &report);
            if (code != CLI_OK)
                print_message("policy %s, seed %d, record %d: core %s, naive %s\n", weir_policies[p]->name, (int)seed,
                              (int)report.first.record, report.first.core_says, report.first.naive_says);
            assert_int_equal(code, CLI_OK);
            assert_true(report.arrivals > 500 && report.departed > 100);
            assert_null(report.naive_skipped);
        }
    }
    assert_int_equal(unlink("a"), 0);
}

static size_t marks[BYTES_MAX];
static size_t mark_count;

static void mark_hashes(size_t at, size_t end)
{
    (void)at;
    if (record.kind == WEIR_REC_HASH || record.kind == WEIR_REC_END)
        marks[mark_count++] = record.kind == WEIR_REC_END ? end - 9 : end - 1; /* the checksum follows the last hash */
}

static void replay_trace__changed_hash(void **state)
{
    struct replay_report report;
    (void)state;
    mark_count = 0;
    size_t count = make_plain("dt", 250, mark_hashes);
    assert_true(mark_count >= 3);
    for (size_t i = 0; i < mark_count; i++) {
        bytes[marks[i]] ^= 1;
        store(count);
        bytes[marks[i]] ^= 1;
        assert_int_equal(replay_quietly("a", &report), CLI_VIOLATION);
        assert_true(report.first.core && report.first.naive);
        assert_true(report.first.at < marks[i] && report.first.at + 24 > marks[i]);
    }
    assert_int_equal(unlink("a"), 0);
}

static void mark_refusals(size_t at, size_t end)
{
    (void)at;
    if (record.kind == WEIR_REC_ARRIVE && !record.accepted && record.lost_count == 0)
        marks[mark_count++] = end - 2; /* the reason; the number of lost packets follows */
}

static void replay_trace__changed_reason(void **state)
{
    struct replay_report report;
    (void)state;
    mark_count = 0;
    size_t count = make_plain("dt", 250, mark_refusals);
    assert_true(mark_count > 20);
    for (size_t i = 0; i < mark_count; i++) {
        uint8_t reason = bytes[marks[i]];
        bytes[marks[i]] = reason == WEIR_REASON_NO_ROOM ? WEIR_REASON_OVER_THRESHOLD : WEIR_REASON_NO_ROOM;
        store(count);
        bytes[marks[i]] = reason;
        assert_int_equal(replay_quietly("a", &report), CLI_VIOLATION);
        assert_true(report.first.core && report.first.naive);
        assert_true(report.first.at < marks[i] && report.first.at + 24 > marks[i]);
        assert_non_null(strstr(report.first.recorded, "refused"));
    }
    assert_int_equal(unlink("a"), 0);
}

static void mark_departures(size_t at, size_t end)
{
    (void)end;
    if (record.kind == WEIR_REC_DEPART && record.departed && record.index < 127)
        marks[mark_count++] = at;
}

static void replay_trace__changed_departure(void **state)
{
    struct replay_report report;
    (void)state;
    mark_count = 0;
    size_t count = make_plain("lqd", 150, mark_departures);
    assert_true(mark_count > 20);
    for (size_t i = 0; i < mark_count; i++) {
        size_t at = marks[i] + 1;
        while (bytes[at] >= 0x80) /* the time */
            at++;
        at += 3; /* port, account */
        bytes[at] ^= 1;
        store(count);
        bytes[at] ^= 1;
        assert_int_equal(replay_quietly("a", &report), CLI_VIOLATION);
        assert_true(report.first.core && report.first.naive);
        assert_int_equal(report.first.at, marks[i]);
    }
    assert_int_equal(unlink("a"), 0);
}

/* Whatever a byte is changed to, the answer is "agrees", "disagrees" or "bad trace". */
static void replay_trace__any_changed_byte(void **state)
{
    static const uint8_t changes[] = {0x01, 0x10, 0x80, 0xff};
    static const char *const policies[] = {"abm", "credence", "occamy-p4", "edt", "tdt"};
    (void)state;
    for (size_t p = 0; p < sizeof policies / sizeof policies[0]; p++) {
        size_t count = make_plain(policies[p], 40, NULL);
        for (size_t i = 0; i < count * sizeof changes; i++) {
            struct replay_report report;
            uint8_t change = changes[i % sizeof changes];
            bytes[i / sizeof changes] ^= change;
            store(count);
            bytes[i / sizeof changes] ^= change;
            int code = replay_quietly("a", &report);
            if (code > CLI_INPUT)
                print_message("policy %s, byte %zu, change %x\n", policies[p], i / sizeof changes, change);
            assert_true(code == CLI_OK || code == CLI_VIOLATION || code == CLI_INPUT);
        }
        print_message("attack: changed bytes of a sealed trace, replayed: %zu\n", count * sizeof changes);
    }
    assert_int_equal(unlink("a"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replay_trace__every_policy_agrees), cmocka_unit_test(replay_trace__changed_hash),
        cmocka_unit_test(replay_trace__changed_reason),      cmocka_unit_test(replay_trace__changed_departure),
        cmocka_unit_test(replay_trace__any_changed_byte),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
