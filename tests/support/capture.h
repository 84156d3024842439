/*
 * capture.h - what a call prints to stdout or stderr, as text, for the tests of the command line's C code.
 */
#ifndef TESTS_SUPPORT_CAPTURE_H
#define TESTS_SUPPORT_CAPTURE_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct capture {
    FILE *stream; /* stdout or stderr */
    FILE *into;
    int saved;
    char text[4096];
};

static inline void capture_start(struct capture *capture, FILE *stream)
{
    fflush(stream);
    capture->stream = stream;
    capture->into = tmpfile();
    capture->saved = dup(fileno(stream));
    dup2(fileno(capture->into), fileno(stream));
}

/* Puts the stream back. The text is what was printed since the start, as far as it fits. */
static inline const char *capture_stop(struct capture *capture)
{
    fflush(capture->stream);
    dup2(capture->saved, fileno(capture->stream));
    close(capture->saved);
    rewind(capture->into);
    size_t count = fread(capture->text, 1, sizeof capture->text - 1, capture->into);
    capture->text[count] = '\0';
    fclose(capture->into);
    return capture->text;
}

#endif
