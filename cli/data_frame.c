/*
 * data_frame.c - see data_frame.h.
 */
#define _GNU_SOURCE 1
#include "cli/data_frame.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/screen.h"

struct data_frame {
    enum data_shape shape;
    struct data_column *columns; /* [column_count], own ones */
    size_t column_count, column_room;
    struct data_cell *cells; /* row by row; their texts and frames are owned */
    size_t cell_count, cell_room;
    char **notes;
    size_t note_count, note_room;
    bool owns_names; /* of its columns */
    bool borrows;    /* the texts of its cells */
    bool failed;     /* memory was short */
};

/* The array with room for one more element; null: memory is short, and the array is as it was. */
static void *grow(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return array;
    size_t wanted = *room == 0 ? 16 : 2 * *room;
    void *more = realloc(array, wanted * size);
    *room = more != NULL ? wanted : *room;
    return more;
}

struct data_frame *data_frame_new(enum data_shape shape, const struct data_column *columns, size_t count)
{
    struct data_frame *frame = calloc(1, sizeof *frame);
    if (frame == NULL)
        return NULL;
    frame->shape = shape;
    frame->columns = calloc(count + 1, sizeof *columns);
    if (frame->columns == NULL) {
        free(frame);
        return NULL;
    }
    if (count > 0)
        memcpy(frame->columns, columns, count * sizeof *columns);
    frame->column_count = count;
    frame->column_room = count + 1;
    return frame;
}

struct data_frame *data_frame_new_row(const struct data_column *columns, size_t count)
{
    struct data_frame *frame = data_frame_new(DATA_ROWS, columns, count);
    if (frame == NULL)
        return NULL;
    frame->borrows = true;
    frame->cells = calloc(count, sizeof *frame->cells);
    frame->cell_room = count;
    frame->failed = frame->cells == NULL;
    return frame;
}

struct data_frame *data_frame_new_list(void)
{
    static const struct data_column value = DATA_COLUMN("value", NULL, TEXT);
    return data_frame_new(DATA_VALUES, &value, 1);
}

void data_frame_clear(struct data_frame *frame)
{
    for (size_t i = 0; i < frame->cell_count && !frame->borrows; i++) {
        const struct data_cell *cell = &frame->cells[i];
        if (cell->type == CELL_TEXT)
            free((char *)(uintptr_t)cell->text);
        if (cell->type == CELL_FRAME)
            data_frame_free(cell->frame);
        free((char *)(uintptr_t)cell->shown);
    }
    frame->cell_count = 0;
}

void data_frame_free(struct data_frame *frame)
{
    if (frame == NULL)
        return;
    data_frame_clear(frame);
    for (size_t i = 0; i < frame->note_count; i++)
        free(frame->notes[i]);
    for (size_t i = 0; frame->owns_names && i < frame->column_count; i++)
        free((char *)(uintptr_t)frame->columns[i].name);
    free(frame->cells);
    free(frame->notes);
    free(frame->columns);
    free(frame);
}

/* Without controls, and cut to `width` characters. Null: out of memory. */
static char *shown_text(const char *text, uint32_t width)
{
    size_t shown = 0, kept = 0; /* characters, and bytes of the first width - 1 of them */
    for (size_t i = 0; text[i] != '\0'; i++) {
        shown += ((unsigned char)text[i] & 0xc0) != 0x80;
        if (shown < width)
            kept = i + 1;
    }
    char *copy = NULL;
    if (width == 0 || shown <= width)
        copy = strdup(text);
    else if (asprintf(&copy, "%.*s…", (int)kept, text) < 0)
        copy = NULL;
    if (copy != NULL)
        screen_mask(copy);
    return copy;
}

/* Copies the texts of a cell; false: out of memory. One copy does where text shows the value as it is. */
static bool own_texts(const struct data_column *column, struct data_cell *cell)
{
    const char *text = cell->type == CELL_TEXT ? cell->text : NULL;
    const char *shown = cell->shown != NULL ? cell->shown : text;
    char *copy = shown != NULL ? shown_text(shown, column->width) : NULL;
    bool same = text != NULL && copy != NULL && strcmp(copy, text) == 0;
    if (text != NULL)
        cell->text = same ? copy : strdup(text);
    cell->shown = same ? NULL : copy;
    return (shown == NULL || copy != NULL) && (text == NULL || cell->text != NULL);
}

void data_frame_add(struct data_frame *frame, const struct data_cell *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool failed = frame == NULL || frame->failed;
        struct data_cell *all =
            failed ? NULL : grow(frame->cells, frame->cell_count, &frame->cell_room, sizeof *frame->cells);
        if (all == NULL) {
            if (frame != NULL)
                frame->failed = true;
            if (cells[i].type == CELL_FRAME)
                data_frame_free(cells[i].frame);
            continue;
        }
        frame->cells = all;
        struct data_cell *cell = &all[frame->cell_count];
        *cell = cells[i];
        frame->cell_count++;
        if (frame->borrows)
            continue;
        frame->failed = !own_texts(&frame->columns[(frame->cell_count - 1) % frame->column_count], cell) ||
                        (cell->type == CELL_FRAME && data_frame_failed(cell->frame));
    }
}

static enum data_kind kind_of(const struct data_cell *cell)
{
    static const enum data_kind kinds[] = {
        [CELL_NONE] = DATA_TEXT,     [CELL_TEXT] = DATA_TEXT, [CELL_INTEGER] = DATA_INTEGER,
        [CELL_NUMBER] = DATA_NUMBER, [CELL_FLAG] = DATA_FLAG, [CELL_FRAME] = DATA_NESTED};
    return kinds[cell->type];
}

void data_frame_set(struct data_frame *object, const char *name, struct data_cell cell)
{
    struct data_column *columns =
        object != NULL ? grow(object->columns, object->column_count, &object->column_room, sizeof *columns) : NULL;
    char *copy = columns != NULL && name != NULL ? strdup(name) : NULL;
    if (columns != NULL)
        object->columns = columns;
    if (columns == NULL || (name != NULL && copy == NULL)) {
        if (object != NULL)
            object->failed = true;
        if (cell.type == CELL_FRAME)
            data_frame_free(cell.frame);
        return;
    }
    object->owns_names = true;
    columns[object->column_count++] = (struct data_column){.name = copy, .kind = kind_of(&cell)};
    data_frame_add(object, &cell, 1);
}

struct data_frame *data_frame_object(const struct data_field *fields, size_t count)
{
    struct data_frame *object = data_frame_new(DATA_OBJECT, NULL, 0);
    for (size_t i = 0; i < count; i++)
        data_frame_set(object, fields[i].name, fields[i].cell);
    return object;
}

void data_frame_note(struct data_frame *frame, const char *format, ...)
{
    if (frame == NULL || frame->failed)
        return;
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    char **notes = length >= 0 ? grow(frame->notes, frame->note_count, &frame->note_room, sizeof *notes) : NULL;
    if (notes == NULL) {
        free(length >= 0 ? text : NULL);
        frame->failed = true;
        return;
    }
    screen_mask(text);
    frame->notes = notes;
    notes[frame->note_count++] = text;
}

bool data_frame_failed(const struct data_frame *frame)
{
    return frame == NULL || frame->failed; /* what is nested was asked when it was added */
}

int data_frame_check(const struct data_frame *frame)
{
    return data_frame_failed(frame) ? cli_error_memory() : CLI_OK;
}

enum data_shape data_frame_shape(const struct data_frame *frame)
{
    return frame->shape;
}

size_t data_frame_columns(const struct data_frame *frame)
{
    return frame->column_count;
}

size_t data_frame_rows(const struct data_frame *frame)
{
    return frame->column_count > 0 ? frame->cell_count / frame->column_count : 0;
}

const struct data_column *data_frame_column(const struct data_frame *frame, size_t column)
{
    return &frame->columns[column];
}

const struct data_cell *data_frame_cell(const struct data_frame *frame, size_t row, size_t column)
{
    return &frame->cells[row * frame->column_count + column];
}

const char *data_frame_note_at(const struct data_frame *frame, size_t note)
{
    return note < frame->note_count ? frame->notes[note] : NULL;
}

bool data_column_is_right(const struct data_column *column)
{
    return column->right ||
           (!column->left && column->kind != DATA_TEXT && column->kind != DATA_WORD && column->kind != DATA_FLAG);
}

/* Groups of three digits, from five digits on. */
static void group_digits(int64_t count, char text[DATA_TEXT_MAX])
{
    char plain[32];
    size_t length = (size_t)snprintf(plain, sizeof plain, "%" PRId64, count), used = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && length > 4 && (length - i) % 3 == 0) {
            memcpy(text + used, "\u202f", 3);
            used += 3;
        }
        text[used++] = plain[i];
    }
    text[used] = '\0';
}

const char *data_cell_text(const struct data_column *of, const struct data_cell *cell, char text[DATA_TEXT_MAX])
{
    double number = cell->type == CELL_INTEGER ? (double)cell->integer : cell->number;
    if (cell->shown != NULL)
        return cell->shown;
    if (cell->type == CELL_TEXT)
        return cell->text;
    if (cell->type == CELL_FLAG)
        return cell->flag ? "yes" : "no";
    if (cell->type != CELL_INTEGER && cell->type != CELL_NUMBER)
        return "-";
    if (isinf(number))
        return "infinite";
    switch (of->kind) {
    case DATA_TIME:
        return output_time(number * 1e12, text);
    case DATA_PS:
        return output_time(number, text);
    case DATA_SIZE:
        return output_size(number, text);
    case DATA_RATE:
        return output_rate(number, text);
    case DATA_SHARE:
        snprintf(text, DATA_TEXT_MAX, "%.*f %%", of->digits, 100 * number);
        return text;
    case DATA_COUNT:
        group_digits(cell->type == CELL_INTEGER ? cell->integer : (int64_t)number, text);
        return text;
    default:
        if (cell->type == CELL_INTEGER)
            snprintf(text, DATA_TEXT_MAX, "%" PRId64, cell->integer);
        else if (of->digits < 0)
            snprintf(text, DATA_TEXT_MAX, "%.*g", -of->digits, number);
        else
            snprintf(text, DATA_TEXT_MAX, "%.*f", of->digits, number);
        return text;
    }
}

const char *data_frame_text(const struct data_frame *frame, size_t row, size_t column, char text[DATA_TEXT_MAX])
{
    return data_cell_text(data_frame_column(frame, column), data_frame_cell(frame, row, column), text);
}
