/*
 * write.h - a data frame (cli/data_frame.h) as text, CSV and JSON: one writer each. The writer of pages is
 * show/page/frame.c. Write only frames that data_frame_check has passed. Writers of text and CSV take no memory, so
 * that a command can make all that may fail before its first file appears.
 */
#ifndef WRITERS_WRITE_H
#define WRITERS_WRITE_H

#include <jansson.h>
#include <stdio.h>

#include "cli/data_frame.h"

/*
 * On stdout: headings, rows, notes; plain UTF-8 with numbers to the right. On a terminal, and where COLUMNS says how
 * wide it is, a wider table gets headings of several lines, and if that is not enough it is printed in parts that all
 * begin with its first column. Only headings are coloured (bold), and only on a terminal without NO_COLOR.
 */
void write_text(const struct data_frame *frame);

/* The first row on stdout as a list, a line for each cell that is known: heading and value. */
void write_list(const struct data_frame *frame, const char *indent);

/* RFC 4180, but lines end as on this system: numbers have the digits that give the same number when read, what is
 * missing is empty. */
void write_csv(const struct data_frame *frame, FILE *out);

/* Rows without a heading, which the frame forgets, where they are too many to be in it at once. False: memory was
 * short. */
bool write_csv_rows(struct data_frame *frame, FILE *out);

/* Null when memory is short. A number that is not finite is null: JSON has none. */
json_t *write_json(const struct data_frame *frame);

/* Checks the frame, prints it on stdout and frees it: an exit code. */
int write_result(struct data_frame *frame, bool json);

/* The names of measures and curves that a run like this one, which has not gone yet, can have: a row each, with unit
 * and meaning. The counts of `result` are changed. */
struct run_result;
struct data_frame *write_possible(struct run_result *result);

#endif
