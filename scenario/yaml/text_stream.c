/*
 * text_stream.c - see text_stream.h: a stdio stream whose bytes go to a block that grows.
 */
#define _GNU_SOURCE 1
#include "scenario/yaml/text_stream.h"

#include <stdlib.h>
#include <string.h>

/* 0: nothing could be written. */
static ssize_t text_stream_write(void *cookie, const char *bytes, size_t size)
{
    struct text_stream *stream = cookie;
    if (stream->size + size + 1 > stream->room) {
        size_t room = 2 * (stream->size + size) + 4096;
        char *text = realloc(stream->text, room);
        if (text == NULL) {
            stream->failed = true;
            return 0;
        }
        stream->text = text;
        stream->room = room;
    }
    memcpy(stream->text + stream->size, bytes, size);
    stream->size += size;
    return (ssize_t)size;
}

bool text_stream_open(struct text_stream *stream)
{
    *stream = (struct text_stream){.out = NULL};
    stream->text = malloc(1);
    stream->room = 1;
    if (stream->text != NULL)
        stream->out = fopencookie(stream, "w", (cookie_io_functions_t){.write = text_stream_write});
    if (stream->out != NULL)
        return true;
    free(stream->text);
    return false;
}

char *text_stream_close(struct text_stream *stream)
{
    bool written = fclose(stream->out) == 0 && !stream->failed;
    if (!written) {
        free(stream->text);
        return NULL;
    }
    stream->text[stream->size] = '\0';
    return stream->text;
}
