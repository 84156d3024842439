/*
 * escape.h - texts of others in the formats of a report. Names, titles and notes come from untrusted files, so
 * they are only ever written through these.
 *
 * All of them make valid UTF-8 of their input first: bytes that are none become U+FFFD, control characters a space.
 */
#ifndef SHOW_DRAW_ESCAPE_H
#define SHOW_DRAW_ESCAPE_H

#include <stdio.h>

/* HTML and XML, in elements and in quoted attributes. */
void escape_markup(const char *text, FILE *out);

/* The same with line ends kept: for <pre>. */
void escape_markup_lines(const char *text, FILE *out);

/* Only that: valid UTF-8 without control characters, to be freed. Null: out of memory. */
char *escape_clean(const char *text);

/* A string of gnuplot in single quotes. */
void escape_gnuplot(const char *text, FILE *out);

/* Lower-case letters, digits and '-', for the name of a file: "Mean QCT (ms)" becomes "mean-qct-ms". */
void escape_file_name(const char *text, char *name, size_t size);

#endif
