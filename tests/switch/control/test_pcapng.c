/*
 * test_pcapng.c - captures of dropped frames, read again here by a reader that knows nothing of the writer, and what
 * happens to the file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "switch/control/pcapng.h"
#include "tests/support/error_line.h"

#define PORTS 3u
#define OPTIONS_MAX 8u

struct folder {
    char path[64], file[96], part[96];
};

static int folder_make(void **state)
{
    struct folder *folder = calloc(1, sizeof *folder);
    if (!folder)
        return -1;
    snprintf(folder->path, sizeof folder->path, "/tmp/weir-pcapng-XXXXXX");
    if (!mkdtemp(folder->path))
        return -1;
    snprintf(folder->file, sizeof folder->file, "%s/drops.pcapng", folder->path);
    snprintf(folder->part, sizeof folder->part, "%s/drops.pcapng.part", folder->path);
    *state = folder;
    return 0;
}

static int folder_remove(void **state)
{
    struct folder *folder = *state;
    unlink(folder->file);
    unlink(folder->part);
    int failed = rmdir(folder->path);
    free(folder);
    return failed;
}

struct option {
    uint16_t code, length;
    const uint8_t *value;
};

struct block {
    uint32_t type, length;
    const uint8_t *body;
    struct option options[OPTIONS_MAX];
    uint32_t option_count;
};

struct capture_file {
    uint8_t *bytes;
    size_t length, at;
};

static struct capture_file file_read(const char *path)
{
    struct capture_file file = {0};
    struct stat info;
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    assert_int_equal(fstat(fileno(stream), &info), 0);
    file.length = (size_t)info.st_size;
    file.bytes = malloc(file.length + 1);
    assert_non_null(file.bytes);
    assert_int_equal(fread(file.bytes, 1, file.length, stream), file.length);
    fclose(stream);
    return file;
}

static uint32_t number_at(const uint8_t *bytes)
{
    uint32_t number;
    memcpy(&number, bytes, sizeof number);
    return number;
}

/* The next block with its options; false at the end. Every length is checked. */
static bool file_next(struct capture_file *file, struct block *block)
{
    if (file->at == file->length)
        return false;
    assert_true(file->length - file->at >= 12);
    const uint8_t *start = file->bytes + file->at;
    *block = (struct block){.type = number_at(start), .length = number_at(start + 4), .body = start + 8};
    assert_int_equal(block->length % 4, 0);
    assert_in_range(block->length, 12, file->length - file->at);
    assert_int_equal(number_at(start + block->length - 4), block->length);
    size_t at = block->type == 1 ? 16 : block->type == 6 ? 28 + (number_at(start + 20) + 3) / 4 * 4 : 24;
    for (bool over = false; !over; at += 4) {
        uint16_t head[2];
        assert_true(at + 4 <= block->length - 4);
        memcpy(head, start + at, sizeof head);
        over = head[0] == 0;
        assert_true(block->option_count < OPTIONS_MAX);
        if (!over)
            block->options[block->option_count++] = (struct option){head[0], head[1], start + at + 4};
        at += (head[1] + 3u) / 4 * 4;
    }
    assert_int_equal(at, block->length - 4); /* nothing behind the options */
    file->at += block->length;
    return true;
}

static void assert_option(const struct block *block, uint16_t code, const void *value, size_t length)
{
    for (uint32_t i = 0; i < block->option_count; i++)
        if (block->options[i].code == code) {
            assert_int_equal(block->options[i].length, length);
            assert_memory_equal(block->options[i].value, value, length);
            return;
        }
    fail_msg("no option %u", code);
}

static void skip_head(struct capture_file *file)
{
    struct block block;
    for (uint32_t i = 0; i < 1 + PORTS; i++)
        assert_true(file_next(file, &block));
}

static struct pcapng *open_good(const char *path)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct pcapng *capture = pcapng_open(path, "weir-switch 1.2", PORTS, &error);
    if (!capture)
        fail_msg("%s", ERROR_LINE(&error));
    return capture;
}

static void close_good(struct pcapng *capture)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (!pcapng_close(capture, &error))
        fail_msg("%s", ERROR_LINE(&error));
}

static void open__writes_section_and_interfaces(void **state)
{
    const struct folder *folder = *state;
    FILE *left_behind = fopen(folder->part, "w");
    assert_non_null(left_behind);
    assert_int_equal(fseek(left_behind, 5000, SEEK_SET), 0);
    assert_int_equal(fputc('x', left_behind), 'x');
    assert_int_equal(fclose(left_behind), 0);
    struct pcapng *capture = open_good(folder->file);
    assert_int_equal(access(folder->part, F_OK), 0);
    assert_int_not_equal(access(folder->file, F_OK), 0);
    close_good(capture);
    assert_int_not_equal(access(folder->part, F_OK), 0);
    struct capture_file file = file_read(folder->file);
    struct block block;
    assert_true(file_next(&file, &block));
    assert_int_equal(block.type, 0x0a0d0d0a);
    assert_int_equal(number_at(block.body), 0x1a2b3c4d);
    const uint16_t version[2] = {1, 0};
    assert_memory_equal(block.body + 4, version, 4);
    assert_option(&block, 4, "weir-switch 1.2", 15);
    for (uint32_t port = 0; port < PORTS; port++) {
        const uint16_t ethernet[2] = {1, 0};
        char name[] = "port 0";
        name[5] = (char)('0' + port);
        assert_true(file_next(&file, &block));
        assert_int_equal(block.type, 1);
        assert_memory_equal(block.body, ethernet, 4);
        assert_int_equal(number_at(block.body + 4), DATAPLANE_DROP_BYTES);
        assert_option(&block, 2, name, 6);
        assert_option(&block, 9, "\x09", 1);
    }
    assert_false(file_next(&file, &block));
    free(file.bytes);
}

static void write__tells_frame_time_and_reason(void **state)
{
    const struct folder *folder = *state;
    struct pcapng *capture = open_good(folder->file);
    static struct dataplane_drop drop = {.when_ps = INT64_C(5000000000123999), .input = 2, .output = 1, .tc = 4};
    drop.cause = WEIR_CAUSE_REFUSED;
    drop.reason = WEIR_REASON_OVER_THRESHOLD;
    drop.frame_bytes = 1500;
    drop.kept_bytes = 61; /* to be padded */
    for (uint32_t i = 0; i < drop.kept_bytes; i++)
        drop.bytes[i] = (uint8_t)(i + 1);
    pcapng_write(capture, &drop, 0);
    pcapng_write(capture, &drop, 7);
    pcapng_write(capture, &drop, 7);
    close_good(capture);
    struct capture_file file = file_read(folder->file);
    struct block block;
    const uint32_t inbound = 1;
    const uint64_t missed = 7;
    skip_head(&file);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(file_next(&file, &block));
        assert_int_equal(block.type, 6);
        assert_int_equal(number_at(block.body), 2);
        uint64_t when_ns = (uint64_t)number_at(block.body + 4) << 32 | number_at(block.body + 8);
        assert_true(when_ns == UINT64_C(5000000000123));
        assert_int_equal(number_at(block.body + 12), 61);
        assert_int_equal(number_at(block.body + 16), 1500);
        assert_memory_equal(block.body + 20, drop.bytes, 61);
        assert_option(&block, 1, "refused: over threshold; output 1 class 4", 41);
        assert_option(&block, 2, &inbound, 4);
        assert_int_equal(block.option_count, i == 1 ? 3 : 2);
        if (i == 1)
            assert_option(&block, 4, &missed, 8);
    }
    assert_false(file_next(&file, &block));
    free(file.bytes);
}

/* As after a crash: the file ends behind a whole block whatever was written when, and all that was flushed is there. */
static void write__leaves_whole_blocks_at_any_time(void **state)
{
    const struct folder *folder = *state;
    struct pcapng *capture = open_good(folder->file);
    static struct dataplane_drop drop = {.output = UINT32_MAX, .discarded = true, .discard = DATAPLANE_RUNT};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    uint32_t count = 0;
    for (uint32_t i = 0; i < 400; i++) {
        struct block block;
        drop.frame_bytes = drop.kept_bytes = i * 5;
        drop.input = i % PORTS;
        pcapng_write(capture, &drop, 0);
        bool flushed = i % 100 == 99;
        if (flushed)
            assert_true(pcapng_flush(capture, &error));
        if (i % 20 != 19)
            continue;
        struct capture_file file = file_read(folder->part);
        skip_head(&file);
        for (count = 0; file_next(&file, &block); count++)
            assert_int_equal(number_at(block.body + 12), count * 5);
        assert_true(flushed ? count == i + 1 : count <= i + 1);
        free(file.bytes);
    }
    assert_int_equal(count, 400);
    close_good(capture);
}

/* A file that may not grow further: what does not fit is cut off at a block, and the first failure is told. */
static void write__cuts_the_file_back_when_it_is_full(void **state)
{
    const struct folder *folder = *state;
    struct rlimit before, small;
    static struct dataplane_drop drop = {.output = UINT32_MAX, .frame_bytes = 1000, .kept_bytes = 1000};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct pcapng *capture = open_good(folder->file);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){.rlim_cur = 20001, .rlim_max = before.rlim_max};
    for (uint32_t i = 0; i < 10; i++)
        pcapng_write(capture, &drop, 0);
    uint64_t bytes = pcapng_bytes(capture);
    assert_true(pcapng_flush(capture, &error));
    assert_int_equal(pcapng_bytes(capture), bytes);
    struct stat info;
    assert_int_equal(stat(folder->part, &info), 0);
    assert_int_equal(info.st_size, bytes);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (uint32_t i = 0; i < 100; i++)
        pcapng_write(capture, &drop, 0);
    bool flushed = pcapng_flush(capture, &error);
    pcapng_write(capture, &drop, 0);
    bool closed = pcapng_close(capture, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_false(flushed || closed);
    assert_non_null(strstr(ERROR_LINE(&error), "drops.pcapng.part: the capture cannot be written: File too large"));
    struct capture_file file = file_read(folder->part);
    struct block block;
    uint32_t count = 0;
    skip_head(&file);
    while (file_next(&file, &block))
        count++;
    assert_int_equal(count, 10);
    free(file.bytes);
}

static void open__says_why_it_cannot(void **state)
{
    const struct folder *folder = *state;
    char path[128];
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    snprintf(path, sizeof path, "%s/none/drops.pcapng", folder->path);
    assert_null(pcapng_open(path, "weir-switch", PORTS, &error));
    assert_non_null(
        strstr(ERROR_LINE(&error), "drops.pcapng: the capture cannot be written: No such file or directory"));
    assert_null(pcapng_open("/dev/full", "weir-switch", PORTS, &error));
    assert_string_equal(ERROR_LINE(&error), "/dev/full: the capture cannot be written: No space left on device");
    assert_int_equal(mkfifo(folder->file, 0600), 0); /* it would wait for a reader */
    assert_null(pcapng_open(folder->file, "weir-switch", PORTS, &error));
    assert_non_null(strstr(ERROR_LINE(&error), "drops.pcapng: the capture cannot be written: Illegal seek"));
    assert_true(pcapng_close(NULL, &error));
    close_good(open_good("/dev/null")); /* in place: still a device afterwards */
    struct stat info;
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
}

static void words__name_cause_and_place(void **state)
{
    (void)state;
    static const struct {
        struct dataplane_drop drop;
        const char *words;
    } cases[] = {
        {{.cause = WEIR_CAUSE_REFUSED, .reason = WEIR_REASON_NO_ROOM, .output = 3, .tc = 1},
         "refused: no room; output 3 class 1"},
        {{.cause = WEIR_CAUSE_PUSHOUT, .output = 63, .tc = 31}, "pushed out; output 63 class 31"},
        {{.cause = WEIR_CAUSE_EXPELLED}, "expelled; output 0 class 0"},
        {{.cause = WEIR_CAUSE_DEQUEUE}, "dropped when it was about to leave; output 0 class 0"},
        {{.cause = WEIR_CAUSE_FLUSHED}, "flushed: the link went down; output 0 class 0"},
        {{.discarded = true, .discard = DATAPLANE_BAD_SOURCE, .output = UINT32_MAX}, "discarded: bad source"},
        {{.discarded = true, .discard = DATAPLANE_UNKNOWN, .output = UINT32_MAX}, "discarded: unknown destination"},
        {{.discarded = true, .discard = DATAPLANE_OUTPUT_DOWN, .output = 2, .tc = 7},
         "discarded: output down; output 2 class 7"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char words[PCAPNG_WORDS_MAX];
        pcapng_words(&cases[i].drop, words);
        assert_string_equal(words, cases[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(open__writes_section_and_interfaces, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(write__tells_frame_time_and_reason, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(write__leaves_whole_blocks_at_any_time, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(write__cuts_the_file_back_when_it_is_full, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(open__says_why_it_cannot, folder_make, folder_remove),
        cmocka_unit_test(words__name_cause_and_place),
    };
    signal(SIGXFSZ, SIG_IGN); /* a file that is too large is an error of write, not an end */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
