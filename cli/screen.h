/*
 * screen.h - the one filter between what weir prints and a terminal.
 *
 * Names and texts come from files that others made: scenarios, databases, traces. A terminal obeys some of what they
 * may hold: escape sequences, C0 and C1 controls, and the controls of bidirectional text, which show a line in another
 * order than it is read. So stdout and stderr of every program are streams that print '?' instead, and what is no
 * UTF-8 likewise, whether a terminal is at their end or a pipe that leads to one. A file that is named gets exact
 * bytes.
 *
 * Newline and tab pass the streams: only what prints a text as part of a line can know that they do not belong there,
 * and masks it first.
 */
#ifndef CLI_SCREEN_H
#define CLI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Puts the filter before stdout and stderr; cli_main does. False: out of memory. */
bool screen_install(void);

/* A stream with the filter that writes to `fd` and closes it; null and errno after an error. */
FILE *screen_stream(int fd);

/* A sequence of our own, such as one that clears a line, past the filter. Only for a terminal. */
void screen_command(FILE *stream, const char *sequence);

#define SCREEN_CLEAR_LINE "\r\033[K"

/* A text as part of a line, in place: every control in it becomes '?', newline and tab too. */
void screen_mask(char *text);

#define SCREEN_INVALID UINT32_MAX

/* Decodes the character that starts at text[0], count > 0, SCREEN_INVALID if there is none, and returns its bytes;
 * 0: the text ends within it. */
size_t screen_decode(const char *text, size_t count, uint32_t *character);

/* True for what a terminal may obey and for what is no character. */
bool screen_is_control(uint32_t character);

#endif
