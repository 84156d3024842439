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
    int fd, saved;
    char text[4096];
};

static inline void capture_start(struct capture *capture, FILE *stream)
{
    fflush(stream);
    capture->stream = stream;
    capture->into = tmpfile();
    capture->fd = stream == stderr ? STDERR_FILENO : STDOUT_FILENO; /* the filter of cli/screen.h has no number */
    capture->saved = dup(capture->fd);
    dup2(fileno(capture->into), capture->fd);
}

/* Puts the stream back. The text is what was printed since the start, as far as it fits. */
static inline const char *capture_stop(struct capture *capture)
{
    fflush(capture->stream);
    dup2(capture->saved, capture->fd);
    close(capture->saved);
    rewind(capture->into);
    size_t count = fread(capture->text, 1, sizeof capture->text - 1, capture->into);
    capture->text[count] = '\0';
    fclose(capture->into);
    return capture->text;
}

#endif
