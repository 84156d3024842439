/*
 * pcapng.h - a capture of dropped frames that every packet analyser reads: pcapng, one interface per port, and beside
 * each frame the reason in words. A block is written whole or not at all, so that the file can be read while it grows
 * and after a crash. It is called PATH.part until it is closed. A path that is not a regular file, such as a pipe to an
 * analyser, is written in place.
 *
 * Times are those of the emulated switch since its start, in nanoseconds: analysers overflow on picoseconds.
 */
#ifndef CONTROL_PCAPNG_H
#define CONTROL_PCAPNG_H

#include "switch/dpdk/dataplane.h"

struct pcapng;

/* Begins a capture of a switch with so many ports; `program` is its name and version. Null after one line in
 * `message`. A file PATH.part that was left behind is overwritten. */
struct pcapng *pcapng_open(const char *path, const char *program, uint32_t ports, struct weir_error *error);

/* Appends a frame, at some time before the next flush. `missed`: dropped frames of which there is no copy, so far. A
 * failure is remembered, nothing more is written, and flush and close tell. */
void pcapng_write(struct pcapng *capture, const struct dataplane_drop *drop, uint64_t missed);

/* Bytes that the file has after the next flush, and the most that one frame adds to them. */
#define PCAPNG_FRAME_MAX_BYTES 4096u
uint64_t pcapng_bytes(const struct pcapng *capture);

/* All that was appended is in the file. False after one line in `error`. */
bool pcapng_flush(struct pcapng *capture, struct weir_error *error);

/* Flushes, gives the file its name and frees. False after one line in `error`; null is allowed. */
bool pcapng_close(struct pcapng *capture, struct weir_error *error);

/* Why a frame was dropped, in words: "refused: over threshold; output 3 class 1". */
#define PCAPNG_WORDS_MAX 96u
void pcapng_words(const struct dataplane_drop *drop, char words[PCAPNG_WORDS_MAX]);

#endif
