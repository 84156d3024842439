/*
 * rows_file.h - training rows as files: CSV, or the same CSV in zstd.
 *
 *   # weir-rows 1
 *   # counters real
 *   # average 24000000
 *   # ports 20
 *   switch,index,queue,queue_average,buffer,buffer_average,lost
 *   s0,17,13500,9120,401200,388112,0
 *
 * The comments say what a model that is made of the rows has to know: which counters the features are of, the time
 * constant of the averages in ps, and the ports of a switch. Columns are found by name, in any order, and others may
 * stand beside them, so that rows from elsewhere can be read. Compression is known by its first bytes when reading and
 * by the name, .zst, when writing.
 */
#ifndef LEARNING_ROWS_FILE_H
#define LEARNING_ROWS_FILE_H

#include <zstd.h>

#include "cli/output.h"
#include "lib/forest/forest.h"
#include "lib/forest/rows.h"
#include "weir/training.h"

struct rows_about {
    enum forest_counters counters;
    weir_ps average_ps; /* 0: unknown */
    uint32_t ports;     /* 0: unknown */
};

struct rows_writer {
    struct output_file file;
    ZSTD_CCtx *zstd; /* null: plain */
    char *text;      /* lines that wait */
    size_t text_used;
    uint8_t *compressed;
    size_t compressed_size;
};

/* Each reports its own error and returns false, and then nothing is left behind. The file appears with commit. */
bool rows_writer_open(struct rows_writer *writer, const char *path, const struct rows_about *about);
bool rows_writer_put(struct rows_writer *writer, const char *of_switch, const struct weir_training_row *row);
bool rows_writer_commit(struct rows_writer *writer);
void rows_writer_discard(struct rows_writer *writer);

/*
 * Adds the rows of the file to `rows`, those of one switch if `of_switch` is not null. `about` is what the comments
 * say; of several files with rows of different kinds the second is refused. `rows` is the caller's also after an error.
 */
bool rows_file_read(const char *path, const char *of_switch, struct rows_about *about, struct forest_rows *rows,
                    struct weir_error *error);

/* Rows of this kind are to come to `rows`: notes it, or refuses one that differs from those there. */
bool rows_about_join(struct rows_about *about, const struct forest_rows *rows, const struct rows_about *said,
                     struct weir_error *error);

/* The same from an open file; `name` is for messages. */
bool rows_stream_read(FILE *in, const char *name, const char *of_switch, struct rows_about *about,
                      struct forest_rows *rows, struct weir_error *error);

#endif
