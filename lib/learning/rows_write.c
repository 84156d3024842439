/*
 * rows_write.c - writes rows as they come, compressed on the way; see rows_file.h.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "rows_file.h"

#define TEXT_BYTES 65536u
#define LINE_BYTES 512u /* of a row, with the name of its switch */

static bool pass_on(struct rows_writer *w, ZSTD_EndDirective end)
{
    ZSTD_inBuffer in = {w->text, w->text_used, 0};
    w->text_used = 0;
    if (!w->zstd)
        return output_file_write(&w->file, in.src, in.size);
    size_t left;
    do {
        ZSTD_outBuffer out = {w->compressed, w->compressed_size, 0};
        left = ZSTD_compressStream2(w->zstd, &out, &in, end);
        if (ZSTD_isError(left)) {
            cli_error(CLI_INTERNAL, "%s: cannot compress: %s", w->file.name, ZSTD_getErrorName(left));
            return false;
        }
        if (!output_file_write(&w->file, w->compressed, out.pos))
            return false;
    } while (end == ZSTD_e_end ? left > 0 : in.pos < in.size);
    return true;
}

bool rows_writer_open(struct rows_writer *w, const char *path, const struct rows_about *about)
{
    *w = (struct rows_writer){.file = OUTPUT_FILE_NONE, .text = malloc(TEXT_BYTES)};
    size_t length = strlen(path), wanted = strlen(".zst");
    bool compressed = length >= wanted && strcmp(path + length - wanted, ".zst") == 0;
    if (compressed) {
        w->compressed_size = ZSTD_CStreamOutSize();
        w->compressed = malloc(w->compressed_size);
        w->zstd = ZSTD_createCCtx();
    }
    if (!w->text || (compressed && (!w->compressed || !w->zstd))) {
        cli_error_memory();
        rows_writer_discard(w);
        return false;
    }
    if (w->zstd)
        ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
    if (!output_file_open(&w->file, path)) {
        rows_writer_discard(w);
        return false;
    }
    w->text_used = (size_t)snprintf(w->text, TEXT_BYTES,
                                    "# weir-rows 1\n# counters %s\n# average %" PRId64 "\n# ports %" PRIu32 "\n"
                                    "switch,index,queue,queue_average,buffer,buffer_average,lost\n",
                                    forest_counters_name(about->counters), about->average_ps, about->ports);
    return true;
}

bool rows_writer_put(struct rows_writer *w, const char *of_switch, const struct weir_training_row *row)
{
    if (w->text_used + LINE_BYTES > TEXT_BYTES && !pass_on(w, ZSTD_e_continue)) {
        rows_writer_discard(w);
        return false;
    }
    const int64_t *feature = row->feature;
    w->text_used += (size_t)snprintf(
        w->text + w->text_used, LINE_BYTES, "%.200s,%" PRIu64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%d\n",
        of_switch, row->index, feature[WEIR_FEATURE_QUEUE], feature[WEIR_FEATURE_QUEUE_AVERAGE],
        feature[WEIR_FEATURE_BUFFER], feature[WEIR_FEATURE_BUFFER_AVERAGE], row->lost);
    return true;
}

bool rows_writer_commit(struct rows_writer *w)
{
    bool whole = pass_on(w, ZSTD_e_end) && output_file_commit(&w->file);
    rows_writer_discard(w);
    return whole;
}

void rows_writer_discard(struct rows_writer *w)
{
    output_file_discard(&w->file);
    free(w->text);
    free(w->compressed);
    ZSTD_freeCCtx(w->zstd);
    w->text = NULL;
    w->compressed = NULL;
    w->zstd = NULL;
}
