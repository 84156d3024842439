/*
 * capture_file.h - captures of frames as files, for tests: pcap as DPDK's driver reads and writes it, and pcapng as
 * weir-switch writes it, comments included. A reader of our own, since libpcap hides comments and the tests should not
 * trust what the switch is made from.
 */
#ifndef TESTS_CAPTURE_FILE_H
#define TESTS_CAPTURE_FILE_H

#include "weir/error.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CAPTURE_COMMENT_MAX 96u
#define CAPTURE_MESSAGE_MAX 256u

struct capture_frame {
    const uint8_t *bytes;
    uint32_t length;
    uint32_t interface; /* of pcapng, else 0 */
    uint64_t when_ns;   /* of pcapng, whose interfaces count in nanoseconds; else 0 */
    char comment[CAPTURE_COMMENT_MAX];
};

struct capture {
    struct capture_frame *frame; /* [count]; has room for one more */
    uint32_t count;
    uint8_t *image; /* the file; frames point into it */
};

/* The whole file, which tells by its first bytes what it is. False with one line in `error`; free either way. */
bool capture_read(struct capture *capture, const char *path, struct weir_error *error);
void capture_free(struct capture *capture);

/* Writes pcap: the header, then frames. Errors stay in the stream for whoever closes it. */
void capture_begin(FILE *file);
void capture_put(FILE *file, const uint8_t *bytes, uint32_t length);

#endif
