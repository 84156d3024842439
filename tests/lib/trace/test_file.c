/*
 * test_file.c - traces as files: what is written is read, and every kind of damage is found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "tests/apps/record.h"
#include "tests/support/error_line.h"
#include "tests/support/folder.h"
#include "trace_internal.h"

static struct weir_record record; /* large */

struct summary {
    uint64_t records, hash;
    uint64_t checksum; /* of every byte, so that equal means the same trace */
};

static enum weir_trace_status read_rest(struct trace_input *input, struct summary *summary, struct weir_error *error)
{
    enum weir_trace_status status;
    *summary = (struct summary){0};
    while ((status = trace_input_next(input, &record, error)) == WEIR_TRACE_RECORD) {
        summary->records++;
        summary->hash = record.hash;
    }
    summary->checksum = input->reader.checksum;
    return status;
}

/* Reads a file to its end; the summary is that of the good records. */
static bool read_file(const char *path, struct summary *summary, struct weir_error *error)
{
    struct trace_input input;
    *summary = (struct summary){0};
    if (!trace_input_open(&input, path, error))
        return false;
    enum weir_trace_status status = read_rest(&input, summary, error);
    trace_input_close(&input);
    return status == WEIR_TRACE_FINISHED;
}

static size_t load(const char *path, uint8_t *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t count = fread(bytes, 1, room, file);
    fclose(file);
    assert_true(count < room);
    return count;
}

static void store(const char *path, const uint8_t *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

/* The trace of record_trace, without compression. */
static size_t make_plain(uint64_t events, uint8_t *bytes, size_t room)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct trace_input input;
    struct summary summary;
    assert_true(record_trace("dt", 1, events, "compressed"));
    assert_true(trace_input_open(&input, "compressed", &error));
    assert_int_equal(read_rest(&input, &summary, &error), WEIR_TRACE_FINISHED);
    size_t count = input.filled;
    assert_true(count < room);
    memcpy(bytes, input.reader.bytes, count);
    trace_input_close(&input);
    assert_int_equal(unlink("compressed"), 0);
    return count;
}

static void trace_writer__is_read_back(void **state)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct trace_input input;
    struct summary first, again;
    (void)state;
    assert_true(record_trace("dt", 1, 500, "a"));
    assert_true(trace_input_open(&input, "a", &error));
    assert_string_equal(input.reader.config.egress->name, "dt");
    assert_int_equal(input.reader.config.rates_bps[2], 25000000000);
    assert_int_equal(read_rest(&input, &first, &error), WEIR_TRACE_FINISHED);
    assert_int_equal(record.kind, WEIR_REC_END);
    assert_int_equal(record.count + 1, first.records);
    assert_true(first.records > 400);
    assert_true(trace_input_rewind(&input, &error));
    assert_int_equal(read_rest(&input, &again, &error), WEIR_TRACE_FINISHED);
    assert_memory_equal(&first, &again, sizeof first);
    trace_input_close(&input);
    assert_int_equal(unlink("a"), 0);
}

static void trace_input__reads_uncompressed(void **state)
{
    static uint8_t bytes[65536];
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct summary plain, compressed;
    (void)state;
    size_t count = make_plain(200, bytes, sizeof bytes);
    store("a", bytes, count);
    assert_true(read_file("a", &plain, &error));
    assert_true(record_trace("dt", 1, 200, "a"));
    assert_true(read_file("a", &compressed, &error));
    assert_memory_equal(&plain, &compressed, sizeof plain);
    assert_int_equal(unlink("a"), 0);
}

static void trace_input__finds_every_cut(void **state)
{
    static uint8_t bytes[65536];
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct summary summary;
    (void)state;
    for (int plain = 0; plain < 2; plain++) {
        assert_true(record_trace("dt", 1, 30, "a"));
        size_t count = plain ? make_plain(30, bytes, sizeof bytes) : load("a", bytes, sizeof bytes);
        for (size_t cut = 0; cut < count; cut++) {
            store("a", bytes, cut);
            assert_false(read_file("a", &summary, &error));
            assert_non_null(strstr(ERROR_LINE(&error), "byte "));
        }
        store("a", bytes, count + 1); /* the byte after is 0 */
        assert_false(read_file("a", &summary, &error));
    }
    assert_int_equal(unlink("a"), 0);
}

/* A changed bit of a compressed trace is found, unless it is one of the few that change nothing: zstd has bits that
 * nobody uses, a window may be larger than needed, and two descriptions of a code can mean the same. */
static void trace_input__finds_every_flip(void **state)
{
    static uint8_t bytes[65536];
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct summary good, summary;
    (void)state;
    assert_true(record_trace("lqd", 2, 40, "a"));
    assert_true(read_file("a", &good, &error));
    size_t count = load("a", bytes, sizeof bytes), ignored = 0;
    for (size_t bit = 0; bit < 8 * count; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        store("a", bytes, count);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (read_file("a", &summary, &error)) {
            ignored++;
            assert_memory_equal(&good, &summary, sizeof good);
        }
    }
    assert_true(ignored < count); /* most bits do matter */
    print_message("attack: flipped bits of a trace file: %zu\n", 8 * count);
    assert_int_equal(unlink("a"), 0);
}

static void trace_input__names_the_problem(void **state)
{
    static const struct {
        const char *bytes, *message;
    } cases[] = {
        {"", "byte 0 of the file: not a trace (expected a zstd frame or 'weirtrc')"},
        {"hello", "byte 0 of the file: not a trace (expected a zstd frame or 'weirtrc')"},
        {"weirtrc\n", "byte 8: the trace is cut short"},
        {"weirtrc\n\x05", "byte 8: format version: 5 is out of range (2 to 4)"},
        {"\x28\xb5\x2f\xfd", "byte 4 of the file: cut short (expected the rest of the zstd frame)"},
    };
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct summary summary;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        store("a", (const uint8_t *)cases[i].bytes, strlen(cases[i].bytes));
        assert_false(read_file("a", &summary, &error));
        assert_string_equal(ERROR_LINE(&error), cases[i].message);
    }
    assert_int_equal(unlink("a"), 0);
    assert_false(read_file("a", &summary, &error));
    assert_string_equal(ERROR_LINE(&error), "cannot open: No such file or directory");
    assert_false(read_file(".", &summary, &error));
    assert_string_equal(ERROR_LINE(&error), "not a regular file (expected a trace)");
}

/* Damage is named by the block that it is in, and a wrong checksum by the last bytes, not by the start of the file. */
static void trace_input__tells_how_far_it_came(void **state)
{
    static uint8_t bytes[1 << 20];
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct summary summary;
    unsigned long at;
    (void)state;
    assert_true(record_trace("dt", 1, 60000, "a"));
    size_t count = load("a", bytes, sizeof bytes);
    assert_in_range(count, 200000, sizeof bytes - 1); /* more than one block of 128 KiB, compressed */
    bytes[count - 1] ^= 1;
    store("a", bytes, count);
    assert_false(read_file("a", &summary, &error));
    assert_int_equal(sscanf(ERROR_LINE(&error), "byte %lu of the file: corrupt", &at), 1);
    assert_int_equal(at, count - 4);
    bytes[count - 1] ^= 1;
    memset(bytes + count / 2, 0xff, count / 2);
    store("a", bytes, count);
    assert_false(read_file("a", &summary, &error));
    assert_int_equal(sscanf(ERROR_LINE(&error), "byte %lu of the file: corrupt", &at), 1);
    assert_in_range(at, 1, count / 2 + (1 << 17));
    assert_int_equal(unlink("a"), 0);
}

/* A trace of 40 MB passes through a window: what was read is given back, and byte offsets go on counting. */
static void trace_input__window_moves(void **state)
{
    static struct weir_lost lost[WEIR_TRACE_LOST_MAX];
    static struct record_run run;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct weir_effects effects = {.lost_count = WEIR_TRACE_LOST_MAX, .lost = lost};
    struct trace_writer writer;
    struct trace_input input;
    struct summary summary;
    (void)state;
    assert_int_equal(cli_parse_policy("dt", &run.policy), CLI_OK);
    record_configure(&run);
    run.config.evictions_max = WEIR_TRACE_LOST_MAX;
    void *memory = aligned_alloc(64, weir_mmu_size(&run.config));
    run.mmu = weir_mmu_init(memory, &run.config);
    assert_true(trace_writer_create(&writer, "a", &run.config, 0));
    for (uint32_t i = 0; i < WEIR_TRACE_LOST_MAX; i++)
        lost[i] = (struct weir_lost){.index = UINT32_MAX - i, .account = {i % 8}, .cause = WEIR_CAUSE_FLUSHED};
    for (uint32_t i = 0; i < 1400; i++)
        weir_trace_flush(&writer.trace, (weir_port){0}, 1, i, &effects);
    assert_true(trace_writer_finish(&writer, run.mmu));
    free(memory);

    assert_true(trace_input_open(&input, "a", &error));
    assert_int_equal(input.image[0], 'w');
    assert_int_equal(read_rest(&input, &summary, &error), WEIR_TRACE_FINISHED);
    assert_int_equal(summary.records, 1401);
    assert_true(input.filled > 40000000);
    assert_true(input.window_at >= 32000000);
    assert_int_equal(input.image[0], 0);
    assert_true(trace_input_rewind(&input, &error));
    assert_int_equal(input.image[0], 'w');
    trace_input_close(&input);
    assert_int_equal(unlink("a"), 0);
}

static void trace_writer__leaves_nothing_behind(void **state)
{
    static struct record_run run;
    struct trace_writer writer;
    (void)state;
    assert_int_equal(cli_parse_policy("dt", &run.policy), CLI_OK);
    record_configure(&run);
    assert_true(trace_writer_create(&writer, "a", &run.config, 0));
    trace_writer_discard(&writer);
    trace_writer_discard(&writer);
    assert_false(trace_writer_create(&writer, "none/a", &run.config, 0));
    assert_false(record_trace("dt", 1, 10, "/dev/full"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trace_writer__is_read_back),     cmocka_unit_test(trace_input__reads_uncompressed),
        cmocka_unit_test(trace_input__finds_every_cut),   cmocka_unit_test(trace_input__finds_every_flip),
        cmocka_unit_test(trace_input__names_the_problem), cmocka_unit_test(trace_input__tells_how_far_it_came),
        cmocka_unit_test(trace_input__window_moves),      cmocka_unit_test(trace_writer__leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
