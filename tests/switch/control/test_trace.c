/*
 * test_trace.c - a trace on its way from the packet path to a file: whole when it keeps up, given up and told
 * about when it does not. The switch is a fake: one MMU without traffic, and bytes that the test pretends to record.
 */
#define _GNU_SOURCE 1
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "switch/control/trace.h"
#include "tests/support/error_line.h"

static struct {
    struct weir_mmu *mmu;
    void *memory;
    struct weir_mmu_config config;
    struct weir_trace *trace;
    bool refuses; /* its buffer is never empty */
} fake;

uint32_t dataplane_memories(const struct dataplane *dataplane)
{
    (void)dataplane;
    return 1;
}

bool dataplane_trace_begin(struct dataplane *dataplane, uint32_t memory, struct weir_trace *trace, weir_ps patience_ps,
                           struct weir_error *error)
{
    (void)dataplane;
    (void)memory;
    (void)patience_ps;
    weir_fail(error, WEIR_ERROR_INPUT, "never empty");
    if (fake.refuses)
        return false;
    fake.trace = trace;
    weir_trace_begin(trace, &fake.config);
    return true;
}

bool dataplane_trace_end(struct dataplane *dataplane, uint32_t memory)
{
    (void)dataplane;
    (void)memory;
    struct weir_trace *trace = fake.trace;
    fake.trace = NULL;
    return weir_trace_end(trace, fake.mmu);
}

static struct switch_trace trace;
static char path[64];
static struct weir_error error;

static int make_fake(void **state)
{
    (void)state;
    weir_mmu_config_init(&fake.config, 2, 1, 1000);
    fake.config.egress = weir_policy_find("dt");
    fake.memory = aligned_alloc(64, (weir_mmu_size(&fake.config) + 63) / 64 * 64);
    fake.mmu = fake.memory != NULL ? weir_mmu_init(fake.memory, &fake.config) : NULL;
    snprintf(path, sizeof path, "/tmp/test_switch_trace.%ld", (long)getpid());
    return fake.mmu != NULL ? 0 : -1;
}

static int free_fake(void **state)
{
    (void)state;
    switch_trace_free(&trace);
    free(fake.memory);
    unlink(path);
    return 0;
}

/* The packet path hands over so many bytes. */
static bool record(size_t count)
{
    static uint8_t block[1 << 16];
    bool good = true;
    for (; good && count > 0; count -= count < sizeof block ? count : sizeof block)
        good = trace.trace.flush(trace.trace.context, block, count < sizeof block ? count : sizeof block);
    trace.trace.failed = trace.trace.failed || !good;
    return good;
}

static void switch_trace_stop__file_replays(void **state)
{
    struct trace_input input;
    struct weir_record *last = malloc(sizeof *last);
    (void)state;
    assert_non_null(last);
    assert_true(switch_trace_start(&trace, NULL, 0, path, &error));
    assert_int_not_equal(access(path, F_OK), 0);
    assert_false(switch_trace_start(&trace, NULL, 0, "/tmp/other", &error));
    switch_trace_drain(&trace, NULL);
    assert_true(switch_trace_stop(&trace, NULL, &error));
    assert_true(trace_input_open(&input, path, &error));
    assert_int_equal(trace_input_next(&input, last, &error), WEIR_TRACE_RECORD);
    assert_int_equal(last->kind, WEIR_REC_END);
    assert_int_equal(trace_input_next(&input, last, &error), WEIR_TRACE_FINISHED);
    trace_input_close(&input);
    free(last);
}

/* More than the ring holds, at the pace of the file. */
static void switch_trace_drain__keeps_up(void **state)
{
    (void)state;
    assert_true(switch_trace_start(&trace, NULL, 0, path, &error));
    for (uint32_t i = 0; i < 10; i++) {
        assert_true(record(SWITCH_TRACE_RING_BYTES / 3));
        switch_trace_drain(&trace, NULL);
    }
    assert_true(trace.active);
    assert_int_equal(atomic_load(&trace.taken), SWITCH_TRACE_RING_BYTES / 3 * 10);
    assert_true(switch_trace_stop(&trace, NULL, &error));
}

static void switch_trace_drain__falls_behind(void **state)
{
    (void)state;
    unlink(path);
    assert_true(switch_trace_start(&trace, NULL, 0, path, &error));
    assert_true(record(SWITCH_TRACE_RING_BYTES));
    assert_false(record(1));
    switch_trace_drain(&trace, NULL);
    assert_false(trace.active);
    assert_null(fake.trace); /* the switch was told */
    assert_string_equal(trace.failure, "packets came faster than the trace could be written");
    assert_int_not_equal(access(path, F_OK), 0);
    assert_false(switch_trace_stop(&trace, NULL, &error));
    assert_non_null(strstr(ERROR_LINE(&error), "packets came faster"));
    assert_true(switch_trace_start(&trace, NULL, 0, path, &error)); /* another one may be tried */
    assert_true(switch_trace_stop(&trace, NULL, &error));
}

/* Whoever asked is told why, and what is known of the trace before stays. */
static void switch_trace_start__cannot(void **state)
{
    (void)state;
    assert_true(switch_trace_start(&trace, NULL, 0, path, &error));
    assert_true(switch_trace_stop(&trace, NULL, &error));
    size_t bytes = atomic_load(&trace.taken);
    assert_true(bytes > 0);
    assert_false(switch_trace_start(&trace, NULL, 1, path, &error));
    assert_string_equal(ERROR_LINE(&error), "trace: no MMU 1 (expected 0 to 0)");
    assert_false(switch_trace_start(&trace, NULL, 0, "/nowhere/trace", &error));
    assert_string_equal(ERROR_LINE(&error), "trace: /nowhere/trace: cannot write: No such file or directory");
    fake.refuses = true;
    assert_false(switch_trace_start(&trace, NULL, 0, "/tmp/other", &error));
    assert_string_equal(ERROR_LINE(&error), "never empty");
    assert_string_equal(trace.path, path);
    assert_int_equal(atomic_load(&trace.taken), bytes);
    fake.refuses = false;
    assert_false(switch_trace_stop(&trace, NULL, &error));
}

static void switch_trace_drain__disk_is_full(void **state)
{
    (void)state;
    assert_true(switch_trace_start(&trace, NULL, 0, "/dev/full", &error));
    for (uint32_t i = 0; i < 400 && trace.active; i++) { /* zstd makes little of zeros */
        assert_true(record(SWITCH_TRACE_RING_BYTES / 2));
        switch_trace_drain(&trace, NULL);
    }
    assert_false(trace.active);
    assert_string_equal(trace.failure, "the file cannot be written");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switch_trace_stop__file_replays),  cmocka_unit_test(switch_trace_drain__keeps_up),
        cmocka_unit_test(switch_trace_drain__falls_behind), cmocka_unit_test(switch_trace_start__cannot),
        cmocka_unit_test(switch_trace_drain__disk_is_full),
    };
    return cmocka_run_group_tests(tests, make_fake, free_fake);
}
