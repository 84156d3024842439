/*
 * unpack.c - traces as `weir` writes them (one zstd frame) for scenarios that send their packets. trace_file.c
 * streams a trace of any length; a scenario keeps its packets in memory anyway, so here the image is made whole.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "trace/unpack.h"

#define UNPACKED_MAX ((size_t)4 << 30)
#define UNPACKED_FIRST ((size_t)1 << 20)

struct unpacking {
    ZSTD_DCtx *zstd;
    ZSTD_inBuffer in;
    ZSTD_outBuffer out;
    char *message;
};

static enum scenario_unpacked fail(struct unpacking *u, const char *what)
{
    snprintf(u->message, WEIR_MESSAGE_MAX, "byte %zu: %s", u->in.pos, what);
    return SCENARIO_UNPACK_FAILED;
}

static bool grow(struct unpacking *u)
{
    size_t size = u->out.size > 0 ? 2 * u->out.size : UNPACKED_FIRST;
    void *larger = realloc(u->out.dst, size);
    if (larger == NULL)
        return false;
    u->out.dst = larger;
    u->out.size = size;
    return true;
}

static enum scenario_unpacked inflate(struct unpacking *u)
{
    for (size_t left = 1; left != 0;) {
        if (u->out.pos == u->out.size && u->out.size >= UNPACKED_MAX)
            return fail(u, "more than 4 GiB when unpacked");
        if (u->out.pos == u->out.size && !grow(u))
            return SCENARIO_UNPACK_NO_MEMORY;
        size_t had = u->out.pos;
        left = ZSTD_decompressStream(u->zstd, &u->out, &u->in);
        if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
            return SCENARIO_UNPACK_NO_MEMORY;
        if (ZSTD_isError(left))
            return fail(u, ZSTD_getErrorName(left));
        if (left != 0 && u->in.pos == u->in.size && u->out.pos == had)
            return fail(u, "cut short (expected the rest of the zstd frame)");
    }
    return u->in.pos == u->in.size ? SCENARIO_UNPACKED : fail(u, "more data (expected the end after one zstd frame)");
}

enum scenario_unpacked run_unpack(uint8_t **bytes, size_t *size, char message[WEIR_MESSAGE_MAX])
{
    static const uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd};
    struct unpacking u = {.in = {*bytes, *size, 0}, .message = message};
    if (*size < sizeof magic || memcmp(*bytes, magic, sizeof magic) != 0)
        return SCENARIO_UNPACKED; /* it is not packed; whether it is a trace, its reader says */
    u.zstd = ZSTD_createDCtx();
    enum scenario_unpacked status = u.zstd != NULL ? inflate(&u) : SCENARIO_UNPACK_NO_MEMORY;
    ZSTD_freeDCtx(u.zstd);
    if (status != SCENARIO_UNPACKED) {
        free(u.out.dst);
        return status;
    }
    free(*bytes);
    *bytes = u.out.dst;
    *size = u.out.pos;
    return SCENARIO_UNPACKED;
}
