/*
 * file.c - the two directions of a trace file: see file.h.
 *
 * A file is trusted in nothing. zstd finds flipped bytes by its checksum, which only counts at the end of the frame:
 * to tell "corrupt" from "recorded differently", read a trace to its end once first.
 */
#define _GNU_SOURCE 1
#include "lib/trace/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd_errors.h>

#include "cli/cli.h"
#include "lib/plugin/plugin.h"

#define TRACE_LEVEL 3
#define TRACE_RAW_BYTES ((size_t)1 << 17)
#define TRACE_FRAME_START 5u /* bytes of a frame that tell zstd how long the frame's header is */
#define TRACE_AHEAD_BYTES                                                                                              \
    ((size_t)1 << 22) /* more than the longest header (all port rates and uplinks) and the longest record */
#define TRACE_BEHIND_BYTES ((size_t)1 << 23) /* given back in steps of this */
#define TRACE_RESERVE_MAX ((size_t)1 << 40)
#define TRACE_RESERVE_MIN ((size_t)1 << 26)

_Static_assert(sizeof(size_t) == 8, "a trace is mapped into a range of 2^40 addresses");

/* Pushes bytes through zstd into the file; `end` closes the frame. */
static bool trace_writer_push(struct trace_writer *writer, const uint8_t *bytes, size_t count, ZSTD_EndDirective end)
{
    ZSTD_inBuffer in = {bytes, count, 0};
    size_t left;
    do {
        ZSTD_outBuffer out = {writer->compressed, writer->compressed_size, 0};
        left = ZSTD_compressStream2(writer->zstd, &out, &in, end);
        if (ZSTD_isError(left)) {
            cli_error(CLI_INTERNAL, "%s: cannot compress: %s", writer->file.name, ZSTD_getErrorName(left));
            return false;
        }
        if (!output_file_write(&writer->file, out.dst, out.pos))
            return false;
    } while (end == ZSTD_e_end ? left > 0 : in.pos < in.size);
    return true;
}

bool trace_writer_put(struct trace_writer *writer, const uint8_t *bytes, size_t count)
{
    return trace_writer_push(writer, bytes, count, ZSTD_e_continue);
}

bool trace_writer_seal(struct trace_writer *writer)
{
    return trace_writer_push(writer, NULL, 0, ZSTD_e_end);
}

static bool trace_writer_flush(void *context, const uint8_t *bytes, size_t count)
{
    return trace_writer_put(context, bytes, count);
}

int trace_writer_open(struct trace_writer *writer, const char *path)
{
    *writer = (struct trace_writer){.file = OUTPUT_FILE_NONE, .compressed_size = ZSTD_CStreamOutSize()};
    int error = output_file_try(&writer->file, path);
    if (error != 0)
        return error;
    writer->buffer = malloc(WEIR_TRACE_BUFFER_MIN);
    writer->compressed = malloc(writer->compressed_size);
    writer->zstd = ZSTD_createCCtx();
    if (writer->buffer == NULL || writer->compressed == NULL || writer->zstd == NULL) {
        trace_writer_discard(writer);
        return ENOMEM;
    }
    ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel, TRACE_LEVEL);
    ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_checksumFlag, 1);
    return 0;
}

bool trace_writer_create(struct trace_writer *writer, const char *path, const struct weir_mmu_config *config,
                         uint64_t hash_every)
{
    int error = trace_writer_open(writer, path);
    if (error == ENOMEM)
        cli_error_memory();
    else if (error != 0)
        cli_error(CLI_INTERNAL, "%s: cannot write: %s", path, strerror(error));
    if (error != 0)
        return false;
    writer->trace = (struct weir_trace){.buffer = writer->buffer,
                                        .size = WEIR_TRACE_BUFFER_MIN,
                                        .flush = trace_writer_flush,
                                        .context = writer,
                                        .hash_every = hash_every};
    weir_trace_begin(&writer->trace, config);
    return true;
}

bool trace_writer_end(struct trace_writer *writer, const struct weir_mmu *mmu)
{
    return weir_trace_end(&writer->trace, mmu) && trace_writer_seal(writer);
}

bool trace_writer_commit(struct trace_writer *writer)
{
    bool appeared = output_file_commit(&writer->file);
    trace_writer_discard(writer);
    return appeared;
}

bool trace_writer_finish(struct trace_writer *writer, const struct weir_mmu *mmu)
{
    if (trace_writer_end(writer, mmu))
        return trace_writer_commit(writer);
    trace_writer_discard(writer);
    return false;
}

void trace_writer_discard(struct trace_writer *writer)
{
    output_file_discard(&writer->file);
    ZSTD_freeCCtx(writer->zstd);
    free(writer->compressed);
    free(writer->buffer);
    writer->zstd = NULL;
    writer->compressed = writer->buffer = NULL;
}

static bool trace_input_fail(struct weir_error *error, const char *what, uint64_t at, const char *expected)
{
    return weir_fail(error, WEIR_ERROR_MALFORMED, "byte %" PRIu64 " of the file: %s (%s)", at, what, expected);
}

/* Reads raw bytes of the file; 0 at its end, negative after an error. */
static ssize_t trace_input_read(struct trace_input *input, uint8_t *bytes, size_t room, struct weir_error *error)
{
    ssize_t count;
    do
        count = read(input->fd, bytes, room);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        trace_input_fail(error, "cannot read", input->raw_at, strerror(errno));
    else
        input->raw_at += (uint64_t)count;
    return count;
}

/*
 * Decompresses a step; on a complete frame makes sure that the file ends with it. A step is what zstd asks for, that is
 * one block: it does not tell where in its input it found damage, so that only the start of the step is known.
 */
static bool trace_input_inflate(struct trace_input *input, size_t room, struct weir_error *error)
{
    if (input->in.pos == input->raw_size) {
        ssize_t count = trace_input_read(input, input->raw, TRACE_RAW_BYTES, error);
        if (count < 0)
            return false;
        if (count == 0 && !input->frame_done)
            return trace_input_fail(error, "cut short", input->raw_at, "expected the rest of the zstd frame");
        input->in = (ZSTD_inBuffer){input->raw, 0, 0};
        input->raw_size = (size_t)count;
        input->ended = count == 0;
    }
    if (input->ended)
        return true;
    uint64_t at = input->raw_at - (input->raw_size - input->in.pos);
    if (input->frame_done)
        return trace_input_fail(error, "more data", at, "expected the end of the file after one zstd frame");
    size_t present = input->raw_size - input->in.pos;
    input->in.size = input->in.pos + (present < input->raw_asked ? present : input->raw_asked);
    ZSTD_outBuffer out = {input->image + input->filled, room, 0};
    size_t left = ZSTD_decompressStream(input->zstd, &out, &input->in);
    if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
        return weir_fail_memory(error);
    if (ZSTD_isError(left))
        return trace_input_fail(error, "corrupt", at, ZSTD_getErrorName(left));
    input->filled += out.pos;
    input->frame_done = left == 0;
    input->raw_asked = left;
    return true;
}

/* Makes the trace's bytes below `upto` present, or all there are. */
static bool trace_input_fill(struct trace_input *input, size_t upto, struct weir_error *error)
{
    while (input->filled < upto && !input->ended) {
        size_t room = input->reserved - input->filled;
        if (room > TRACE_AHEAD_BYTES)
            room = TRACE_AHEAD_BYTES;
        if (room == 0)
            return trace_input_fail(error, "too long", input->raw_at, "no more addresses to map the trace to");
        if (input->zstd != NULL) {
            if (!trace_input_inflate(input, room, error))
                return false;
            continue;
        }
        ssize_t count = trace_input_read(input, input->image + input->filled, room, error);
        if (count < 0)
            return false;
        input->ended = count == 0;
        input->filled += (size_t)count;
    }
    return true;
}

static void trace_input_release(struct trace_input *input, size_t upto)
{
    size_t until = upto & ~(TRACE_BEHIND_BYTES - 1);
    if (until > input->window_at) {
        madvise(input->image + input->window_at, until - input->window_at, MADV_DONTNEED);
        input->window_at = until;
    }
}

static bool trace_input_reserve(struct trace_input *input)
{
    input->raw = malloc(TRACE_RAW_BYTES);
    input->ports = malloc(sizeof *input->ports);
    if (input->raw == NULL || input->ports == NULL)
        return false;
    for (size_t size = TRACE_RESERVE_MAX; size >= TRACE_RESERVE_MIN; size /= 4) {
        void *image = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (image != MAP_FAILED) {
            input->image = image;
            input->reserved = size;
            return true;
        }
    }
    return false;
}

/* Compressed or not: by the first bytes. */
static bool trace_input_detect(struct trace_input *input, struct weir_error *error)
{
    static const uint8_t zstd_magic[] = {0x28, 0xb5, 0x2f, 0xfd};
    uint8_t start[sizeof WEIR_TRACE_MAGIC - 1] = {0};
    ssize_t count = pread(input->fd, start, sizeof start, 0);
    if (count < 0)
        return trace_input_fail(error, "cannot read", 0, strerror(errno));
    if (memcmp(start, zstd_magic, sizeof zstd_magic) != 0) {
        if (memcmp(start, WEIR_TRACE_MAGIC, sizeof start) == 0)
            return true;
        return trace_input_fail(error, "not a trace", 0, "expected a zstd frame or 'weirtrc'");
    }
    input->zstd = ZSTD_createDCtx();
    return input->zstd != NULL || weir_fail_memory(error);
}

bool trace_input_open(struct trace_input *input, const char *path, struct weir_error *error)
{
    *input = (struct trace_input){.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)}; /* a pipe must not block us */
    struct stat status;
    bool good = input->fd >= 0 && fstat(input->fd, &status) == 0;
    if (!good)
        weir_fail(error, WEIR_ERROR_READ, "cannot open: %s", strerror(errno));
    else if (!S_ISREG(status.st_mode))
        good = weir_fail(error, WEIR_ERROR_INPUT, "not a regular file (expected a trace)");
    good = good && trace_input_detect(input, error);
    if (good && !trace_input_reserve(input))
        good = weir_fail_memory(error);
    good = good && trace_input_rewind(input, error);
    if (!good)
        trace_input_close(input);
    return good;
}

bool trace_input_rewind(struct trace_input *input, struct weir_error *error)
{
    if (lseek(input->fd, 0, SEEK_SET) < 0)
        return trace_input_fail(error, "cannot read", 0, strerror(errno));
    if (input->zstd != NULL)
        ZSTD_DCtx_reset(input->zstd, ZSTD_reset_session_only);
    trace_input_release(input, input->filled);
    input->in = (ZSTD_inBuffer){input->raw, 0, 0};
    input->raw_size = 0;
    input->raw_asked = TRACE_FRAME_START;
    input->raw_at = 0;
    input->window_at = input->filled = 0;
    input->frame_done = input->ended = false;
    if (!trace_input_fill(input, TRACE_AHEAD_BYTES, error))
        return false;
    const struct weir_trace_image image = {input->image, input->filled, input->ports, plugin_policy_find};
    return weir_trace_open_image(&input->reader, &image, error);
}

enum weir_trace_status trace_input_next(struct trace_input *input, struct weir_record *record, struct weir_error *error)
{
    struct weir_trace_reader *reader = &input->reader;
    if (!trace_input_fill(input, reader->next + TRACE_AHEAD_BYTES, error))
        return WEIR_TRACE_BROKEN;
    reader->size = input->filled;
    enum weir_trace_status status = weir_trace_next(reader, record, error);
    trace_input_release(input, reader->at); /* the reader still looks at the tag of its last record */
    return status;
}

void trace_input_close(struct trace_input *input)
{
    if (input->fd >= 0)
        close(input->fd);
    if (input->image != NULL)
        munmap(input->image, input->reserved);
    ZSTD_freeDCtx(input->zstd);
    free(input->raw);
    free(input->ports);
    *input = (struct trace_input){.fd = -1};
}
