/*
 * data_frame.h - a result as data: typed columns, rows, notes. Rooms make frames; show/writers turns each into text,
 * CSV, JSON or a table of a page, so that a fact has one name and one number everywhere.
 *
 * A column's name is its key in JSON, its column in CSV, its name in a database and in Python. Its heading stands above
 * its cells in text and on pages. A column without a heading is for files only, one without a name for text only.
 *
 * Frames nest: a cell may be a frame, an array of objects in JSON, and a frame of one row may be an object. So one
 * frame holds a whole document. Text and CSV show no nested frame: whoever prints text prints its parts.
 *
 * A shortage of memory is remembered in the frame and found by data_frame_check, once.
 */
#ifndef CLI_DATA_FRAME_H
#define CLI_DATA_FRAME_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the cells of a column are. Text shows numbers to the right. */
enum data_kind {
    DATA_TEXT,    /* in quotes in CSV */
    DATA_WORD,    /* a text that needs no quotes: the name of a node */
    DATA_NUMBER,  /* as `digits` says */
    DATA_COUNT,   /* an integer; text groups its digits from five on */
    DATA_INTEGER, /* an integer that is no amount: the number of a port */
    DATA_TIME,    /* in seconds; text shows "12.34us" */
    DATA_PS,      /* the same in picoseconds */
    DATA_SIZE,    /* in bytes; text shows "1.5MB" */
    DATA_RATE,    /* in bit/s; text shows "9.8Gbps" */
    DATA_SHARE,   /* of 1; text shows "12.3 %", `digits` behind the point */
    DATA_FLAG,    /* yes or no */
    DATA_NESTED   /* a frame: in JSON only */
};

struct data_column {
    const char *name;    /* null: in text only */
    const char *heading; /* null: in files only */
    enum data_kind kind;
    int digits;       /* text of DATA_NUMBER: behind the point; negative: significant ones; 0: none behind the point */
    uint32_t width;   /* text has at most so many characters, the last "…" where something was left out; 0: all */
    bool quoted;      /* in CSV the name is in quotes: somebody else chose it */
    bool left;        /* a number that stands to the left */
    bool right;       /* a text that stands to the right: "0-2" */
    const char *unit; /* of DATA_NUMBER: "1", "cells"; null: as the kind says */
    const char *help; /* one line; null: the name says it */
};

/* DATA_COLUMN("fct.mean", "FCT mean", TIME, .width = 12) */
#define DATA_COLUMN(its_name, its_heading, its_kind, ...)                                                              \
    {                                                                                                                  \
        .name = its_name, .heading = its_heading, .kind = DATA_##its_kind, __VA_ARGS__                                 \
    }
#define DATA_COLUMNS(columns) (columns), sizeof(columns) / sizeof(columns)[0]

enum data_cell_type { CELL_NONE, CELL_TEXT, CELL_INTEGER, CELL_NUMBER, CELL_FLAG, CELL_FRAME };

struct data_frame;

struct data_cell {
    enum data_cell_type type;
    union {
        const char *text;
        int64_t integer;
        double number;
        bool flag;
        struct data_frame *frame; /* owned once it is in a frame, and complete: nothing is added to it any more */
    };
    const char *shown; /* what text shows in place of the value; null: the value */
};

/* Cells, made where they are added: texts are copied then. */
static inline struct data_cell cell_none(void)
{
    return (struct data_cell){.type = CELL_NONE};
}

static inline struct data_cell cell_text(const char *text)
{
    return text != NULL ? (struct data_cell){.type = CELL_TEXT, .text = text} : cell_none();
}

static inline struct data_cell cell_integer(int64_t integer)
{
    return (struct data_cell){.type = CELL_INTEGER, .integer = integer};
}

/* NaN is missing. */
static inline struct data_cell cell_number(double number)
{
    return isnan(number) ? cell_none() : (struct data_cell){.type = CELL_NUMBER, .number = number};
}

static inline struct data_cell cell_flag(bool flag)
{
    return (struct data_cell){.type = CELL_FLAG, .flag = flag};
}

static inline struct data_cell cell_frame(struct data_frame *frame)
{
    return (struct data_cell){.type = CELL_FRAME, .frame = frame};
}

static inline struct data_cell cell_shown(struct data_cell cell, const char *shown)
{
    cell.shown = shown;
    return cell;
}

/* A cell only where it is known. */
static inline struct data_cell cell_if(bool known, struct data_cell cell)
{
    return known ? cell : cell_none();
}

/* What a frame is in JSON. */
enum data_shape {
    DATA_ROWS,   /* an array of objects */
    DATA_OBJECT, /* its one row as an object */
    DATA_SPARSE, /* the same without what is missing */
    DATA_SPARSE_ROWS,
    DATA_TUPLES, /* an array of arrays */
    DATA_VALUES  /* an array of the cells of its one column */
};

/* The columns are copied, their texts are not. Null when memory is short; every other function takes that. */
struct data_frame *data_frame_new(enum data_shape shape, const struct data_column *columns, size_t count);
void data_frame_free(struct data_frame *frame);

/* One row at a time, for write_csv_rows: its texts stay the caller's until it is written, and it never needs more
 * memory than it has from the start. */
struct data_frame *data_frame_new_row(const struct data_column *columns, size_t count);

/* An array of texts, numbers or frames. */
struct data_frame *data_frame_new_list(void);

/* The next cells, row by row. */
void data_frame_add(struct data_frame *frame, const struct data_cell *cells, size_t count);
#define data_row(frame, ...)                                                                                           \
    data_frame_add(frame, (const struct data_cell[]){__VA_ARGS__},                                                     \
                   sizeof((const struct data_cell[]){__VA_ARGS__}) / sizeof(struct data_cell))

/* An object: data_object({"port", cell_integer(1)}, {"device", cell_text(name)}). */
struct data_field {
    const char *name;
    struct data_cell cell;
};
struct data_frame *data_frame_object(const struct data_field *fields, size_t count);
#define data_object(...)                                                                                               \
    data_frame_object((const struct data_field[]){__VA_ARGS__},                                                        \
                      sizeof((const struct data_field[]){__VA_ARGS__}) / sizeof(struct data_field))

/* One field more of an object; the name is copied. */
void data_frame_set(struct data_frame *object, const char *name, struct data_cell cell);

/* Forgets its rows. */
void data_frame_clear(struct data_frame *frame);

/* A line below it, in text and on pages. */
void data_frame_note(struct data_frame *frame, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether memory was short, here or in what is nested. */
bool data_frame_failed(const struct data_frame *frame);

/* CLI_OK when it was not, so that the frame can be written; else CLI_INTERNAL after one line. */
int data_frame_check(const struct data_frame *frame);

/* What it holds: complete rows. */
enum data_shape data_frame_shape(const struct data_frame *frame);
size_t data_frame_columns(const struct data_frame *frame);
size_t data_frame_rows(const struct data_frame *frame);
const struct data_column *data_frame_column(const struct data_frame *frame, size_t column);
const struct data_cell *data_frame_cell(const struct data_frame *frame, size_t row, size_t column);
const char *data_frame_note_at(const struct data_frame *frame, size_t note); /* null: there are no more */

/* A cell as text and pages show it: without controls, cut to the width of its column; "-" where nothing is known. May
 * be in `text`. */
#define DATA_TEXT_MAX 64u
const char *data_frame_text(const struct data_frame *frame, size_t row, size_t column, char text[DATA_TEXT_MAX]);

/* A number as text of a column shows it, in `text`, or the text of the cell itself. */
const char *data_cell_text(const struct data_column *column, const struct data_cell *cell, char text[DATA_TEXT_MAX]);

/* True for columns that stand to the right. */
bool data_column_is_right(const struct data_column *column);

#endif
