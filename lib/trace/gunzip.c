/*
 * gunzip.c - files that are gzip as a whole, as Chakra traces may be, in one piece or several that follow each other.
 */
#include <stdlib.h>
#if defined(WEIR_ZLIB)
#include <zlib.h>
#endif

#include "lib/trace/unpack.h"

#if defined(WEIR_ZLIB)

#define GUNZIPPED_MAX ((size_t)1 << 30)
#define GUNZIPPED_FIRST ((size_t)1 << 16)
#define PIECE_MAX ((size_t)1 << 30) /* that zlib counts in an unsigned int */

/* Room for more behind what is there. */
static bool gunzip_grow(z_stream *zip, uint8_t **out, size_t *room, struct weir_error *error)
{
    size_t had = *room, more = had > 0 ? 2 * had : GUNZIPPED_FIRST;
    if (had >= GUNZIPPED_MAX)
        return weir_fail(error, WEIR_ERROR_RANGE, "more than 1 GiB when unpacked");
    uint8_t *larger = realloc(*out, more);
    if (larger == NULL)
        return weir_fail_memory(error);
    *out = larger;
    *room = more;
    zip->next_out = larger + had;
    zip->avail_out = (unsigned)(more - had);
    return true;
}

static bool gunzip_all(z_stream *zip, uint8_t **out, size_t *room, struct weir_error *error)
{
    for (int status = Z_OK; zip->avail_in > 0 || status != Z_STREAM_END;) {
        if (zip->avail_out == 0 && !gunzip_grow(zip, out, room, error))
            return false;
        if (status == Z_STREAM_END && inflateReset(zip) != Z_OK) /* another piece follows */
            return weir_fail(error, WEIR_ERROR_MALFORMED, "gzip: cannot begin another piece");
        status = inflate(zip, Z_NO_FLUSH);
        if (status == Z_MEM_ERROR)
            return weir_fail_memory(error);
        if (status == Z_BUF_ERROR && zip->avail_in == 0)
            return weir_fail(error, WEIR_ERROR_MALFORMED,
                             "gzip: ends too early; the file is cut (expected all of it: copy it again)");
        if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
            return weir_fail(error, WEIR_ERROR_MALFORMED, "gzip: %s at byte %lu (the file is damaged)",
                             zip->msg != NULL ? zip->msg : "wrong data", zip->total_in);
    }
    return true;
}

bool trace_gunzip(uint8_t **bytes, size_t *size, struct weir_error *error)
{
    z_stream zip = {.next_in = *bytes, .avail_in = (unsigned)*size};
    uint8_t *out = NULL;
    size_t room = 0;
    if (*size > PIECE_MAX)
        return weir_fail(error, WEIR_ERROR_RANGE,
                         "is larger than 1 GiB and gzip (expected the file itself: gunzip it)");
    if (inflateInit2(&zip, 15 + 16) != Z_OK) /* the largest window, behind the head of gzip */
        return weir_fail_memory(error);
    bool good = gunzip_all(&zip, &out, &room, error);
    size_t left = zip.avail_out;
    inflateEnd(&zip);
    if (!good) {
        free(out);
        return false;
    }
    free(*bytes);
    *bytes = out;
    *size = room - left;
    return true;
}

#else

bool trace_gunzip(uint8_t **bytes, size_t *size, struct weir_error *error)
{
    (void)bytes;
    (void)size;
    return weir_fail(error, WEIR_ERROR_MALFORMED,
                     "is gzip, and weir was built without zlib (expected the file itself: "
                     "gunzip it)");
}

#endif
