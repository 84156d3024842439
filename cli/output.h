/*
 * output.h - what commands write: JSON, and files that appear whole or not at all. Tables are data frames
 * (data_frame.h).
 *
 * A file is written under a temporary name in its own directory, synced and renamed, so that a reader never sees half
 * of it and a failed command leaves nothing behind. A target that is not a regular file (a pipe, /dev/full) is written
 * in place: renaming over it would replace the device.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* True when `stream` is a terminal and NO_COLOR is unset or empty. */
bool output_colours(FILE *stream);

/*
 * JSON is built without a look at each step: where memory is short, or a part is null for that reason, append, set and
 * json_pack release what they hold and return null, which goes on to the root.
 */
json_t *output_json_append(json_t *array, json_t *value);
json_t *output_json_set(json_t *object, const char *key, json_t *value);

/* A string of JSON, "?" for a file name that is not UTF-8. */
json_t *output_json_string(const char *text);

/* The root as text with two spaces of indent, to be freed; releases the root. Null after one line: out of memory. */
char *output_json_text(json_t *root);

/* Prints that text to stdout. An exit code. */
int output_json(json_t *root);

/* Flushes stdout: `code`, or CLI_INTERNAL after one line when something could not be written. main calls it. */
int output_finish(int code);

/* A text as a field of CSV: in quotes. */
void output_csv_text(const char *text, FILE *out);

struct output_file {
    int fd;
    char *name;    /* as the user wrote it, for messages; owned */
    char *path;    /* where it is to appear: the same with links followed; null when in place; owned */
    char *temp;    /* its name until then; null when written in place; owned */
    FILE *stream;  /* on fd; null until asked for; owned */
    bool filtered; /* standard output: its stream passes the filter of screen.h */
};

#define OUTPUT_FILE_NONE ((struct output_file){.fd = -1}) /* for output_file_discard: nothing to do */

/* True for a named pipe: whoever opens one waits for somebody at its other end. Not for a pipe of the shell, <(...). */
bool output_is_fifo(const char *path);

/* True for "-" and for what standard output is anyway (/dev/stdout, the file it was sent to), devices apart. */
bool output_is_stdout(const char *path);

/* True when both would become the same regular file: the second would take the place of the first. */
bool output_same_file(const char *a, const char *b);

/* Each reports its own error and returns false; after a false the file is discarded and nothing is left behind. */
bool output_file_open(struct output_file *file, const char *path);
bool output_file_open_stdout(struct output_file *file);          /* written in place */
int output_file_try(struct output_file *file, const char *path); /* open that reports nothing: 0, or an errno */
bool output_file_write(struct output_file *file, const void *bytes, size_t count);
bool output_file_stream(struct output_file *file); /* opens file->stream: write to it instead */
bool output_file_flush(struct output_file *file);  /* whether all that went to the stream could be written */
bool output_file_commit(struct output_file *file); /* sync, rename, close; takes no memory */

/* FILE.partial instead of FILE: what an interrupted run gave does not take the place of a whole one's. */
bool output_file_rename_partial(struct output_file *file);

/* Removes what was written; after commit or a failure it does nothing. */
void output_file_discard(struct output_file *file);

/* The whole of it at once. */
bool output_file_save(const char *path, const void *bytes, size_t count);

/* Values with a unit and a prefix for people: "12.34us", "1.5MB", "9.8Gbps", with four digits. */
#define UNITS_TEXT_MAX 32u

const char *output_time(double ps, char text[UNITS_TEXT_MAX]);
const char *output_size(double bytes, char text[UNITS_TEXT_MAX]);
const char *output_rate(double bps, char text[UNITS_TEXT_MAX]);

#endif
