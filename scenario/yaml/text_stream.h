/*
 * text_stream.h - a stream into memory that never loses text silently. (glibc's open_memstream does when memory is
 * short while it flushes: the text is cut without an error.)
 */
#ifndef SCENARIO_YAML_TEXT_STREAM_H
#define SCENARIO_YAML_TEXT_STREAM_H

#include <stdbool.h>
#include <stdio.h>

struct text_stream {
    FILE *out; /* write to it */
    char *text;
    size_t size, room;
    bool failed;
};

/* False: out of memory. */
bool text_stream_open(struct text_stream *stream);

/* The text with a terminator, to be freed; null: out of memory, now or at some write. */
char *text_stream_close(struct text_stream *stream);

#endif
