/*
 * file.h - traces as files: the bytes of weir/trace.h in one zstd frame with a content checksum.
 *
 * Writing streams from the MMU through zstd into a file that appears whole or not at all (output.h). Reading streams
 * as well: a trace of any length is decoded in a few megabytes. The decoder wants its image in one piece, so the
 * image gets a reserved range of addresses, filled ahead of the reader and given back behind it; byte offsets stay
 * those of the trace. Uncompressed traces, known by their magic, are read too.
 */
#ifndef TRACE_FILE_H
#define TRACE_FILE_H

#include <zstd.h>

#include "cli/output.h"
#include "weir/trace.h"

struct trace_writer {
    struct weir_trace trace; /* for weir_mmu_set_trace */
    struct output_file file;
    ZSTD_CCtx *zstd;
    uint8_t *buffer;     /* of `trace` */
    uint8_t *compressed; /* zstd's output */
    size_t compressed_size;
};

/*
 * Creates the file and writes the header. Reports its own error and returns false when it cannot. `hash_every` as in
 * struct weir_trace. Use: create, weir_mmu_set_trace(mmu, &writer->trace), run, weir_mmu_set_trace(mmu, NULL), finish.
 * The writer must not move in between.
 */
bool trace_writer_create(struct trace_writer *writer, const char *path, const struct weir_mmu_config *config,
                         uint64_t hash_every);

/* For a trace whose bytes come another way, as those of a switch of which the packet path must not wait: create is open
 * and a trace that writes to put, end is the END record and seal. Open returns 0 or an errno, since the request for
 * the trace may come from far away; the others report their own error. */
int trace_writer_open(struct trace_writer *writer, const char *path);
bool trace_writer_put(struct trace_writer *writer, const uint8_t *bytes, size_t count);
bool trace_writer_seal(struct trace_writer *writer);

/* Writes the END record: the file is whole, but appears with commit only. False after one line when it could not. */
bool trace_writer_end(struct trace_writer *writer, const struct weir_mmu *mmu);

/* Makes the file appear and frees everything. False after one line when it could not. */
bool trace_writer_commit(struct trace_writer *writer);

/* Both. */
bool trace_writer_finish(struct trace_writer *writer, const struct weir_mmu *mmu);

/* Gives up: removes the file and frees everything. After commit it does nothing. */
void trace_writer_discard(struct trace_writer *writer);

struct trace_input {
    struct weir_trace_reader reader; /* its config is the header's; valid after open and after rewind */
    int fd;
    ZSTD_DCtx *zstd; /* null for an uncompressed trace */
    ZSTD_inBuffer in;
    uint8_t *raw;     /* memory of `in` */
    size_t raw_size;  /* bytes in it; `in` shows zstd no more of them than it asks for */
    size_t raw_asked; /* bytes that zstd asks for next: a block and the header of the one after it */
    uint64_t raw_at;  /* file offset of the end of `raw` */
    uint8_t *image;   /* reserved addresses; the trace's byte i is image[i] while it is in the window */
    size_t reserved;  /* bytes of addresses */
    size_t window_at; /* bytes before it are given back */
    size_t filled;    /* bytes present up to here */
    bool frame_done;  /* the zstd frame is complete and its checksum right */
    bool ended;       /* no more bytes will come */
    struct weir_trace_ports *ports;
};

/* Opens the file and reads the header. False with an error (without the file's name) for anything wrong. */
bool trace_input_open(struct trace_input *input, const char *path, struct weir_error *error);

/* The next record. FINISHED only when the file ends exactly there and its checksum is right. */
enum weir_trace_status trace_input_next(struct trace_input *input, struct weir_record *record,
                                        struct weir_error *error);

/* Back to the first record. */
bool trace_input_rewind(struct trace_input *input, struct weir_error *error);

void trace_input_close(struct trace_input *input);

#endif
