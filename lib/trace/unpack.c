/*
 * unpack.c - traces as `weir` writes them (one zstd frame) for scenarios that send their packets. file.c
 * streams a trace of any length; a scenario keeps its packets in memory anyway, so here the image is made whole.
 */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "lib/trace/unpack.h"

#define UNPACKED_MAX ((size_t)1 << 30) /* as of a file that is not packed */
#define UNPACKED_RATIO 1000u           /* of what was read so far; traces come to some tens */
#define UNPACKED_FIRST ((size_t)1 << 20)

struct unpacking {
    ZSTD_DCtx *zstd;
    ZSTD_inBuffer in;
    ZSTD_outBuffer out;
    struct weir_error *error;
};

static bool fail(struct unpacking *u, const char *what)
{
    weir_fail(u->error, WEIR_ERROR_MALFORMED, "%s", what);
    return weir_fail_in(u->error, "byte", u->in.pos);
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

static bool inflate(struct unpacking *u)
{
    for (size_t left = 1; left != 0;) {
        if (u->out.pos == u->out.size && u->out.size >= UNPACKED_MAX)
            return fail(u, "more than 1 GiB when unpacked");
        if (u->out.pos > UNPACKED_FIRST && u->out.pos / UNPACKED_RATIO > u->in.pos)
            return fail(u, "unpacks to more than 1000 times its size (no trace does)");
        if (u->out.pos == u->out.size && !grow(u))
            return weir_fail_memory(u->error);
        size_t had = u->out.pos;
        left = ZSTD_decompressStream(u->zstd, &u->out, &u->in);
        if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
            return weir_fail_memory(u->error);
        if (ZSTD_isError(left))
            return fail(u, ZSTD_getErrorName(left));
        if (left != 0 && u->in.pos == u->in.size && u->out.pos == had)
            return fail(u, "cut short (expected the rest of the zstd frame)");
    }
    return u->in.pos == u->in.size || fail(u, "more data (expected the end after one zstd frame)");
}

bool trace_unpack(uint8_t **bytes, size_t *size, struct weir_error *error)
{
    static const uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd};
    struct unpacking u = {.in = {*bytes, *size, 0}, .error = error};
    if (*size >= 2 && (*bytes)[0] == 0x1f && (*bytes)[1] == 0x8b)
        return trace_gunzip(bytes, size, error);
    if (*size < sizeof magic || memcmp(*bytes, magic, sizeof magic) != 0)
        return true; /* it is not packed; whether it is a trace, its reader says */
    u.zstd = ZSTD_createDCtx();
    bool unpacked = u.zstd != NULL ? inflate(&u) : weir_fail_memory(error);
    ZSTD_freeDCtx(u.zstd);
    if (!unpacked) {
        free(u.out.dst);
        return false;
    }
    free(*bytes);
    *bytes = u.out.dst;
    *size = u.out.pos;
    return true;
}
