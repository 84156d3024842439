/*
 * rows_read.c - reads rows, from plain or compressed CSV, in one pass; see rows_file.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "rows_file.h"

#define LINE_BYTES 4096u
#define COLUMNS_MAX 64u
#define LOST_COLUMN WEIR_FEATURE_COUNT
#define SWITCH_COLUMN (WEIR_FEATURE_COUNT + 1)
#define WANTED_COLUMNS (WEIR_FEATURE_COUNT + 2)

static const unsigned char zstd_magic[4] = {0x28, 0xb5, 0x2f, 0xfd};

struct reader {
    const char *path, *of_switch;
    struct rows_about *about;
    struct forest_rows *rows;
    struct weir_error *error;
    FILE *in;
    ZSTD_DCtx *zstd; /* null: plain */
    char *raw;       /* compressed bytes */
    size_t raw_size;
    ZSTD_inBuffer from;
    char *text; /* what has been read; [begin, end) is not used yet */
    size_t text_size, begin, end;
    size_t frame_left; /* 0: a compressed frame is complete */
    uint32_t line;
    int column_of[WANTED_COLUMNS]; /* -1: not there */
    int columns;                   /* 0: the names of the columns are still to come */
    bool about_known;              /* `about` is that of an earlier file */
    struct rows_about said;        /* what this file's comments say */
};

static bool fail(struct reader *r, uint32_t column, const char *format, ...) __attribute__((format(printf, 3, 4)));

static bool fail(struct reader *r, uint32_t column, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    weir_fail_list(r->error, WEIR_ERROR_MALFORMED, format, arguments);
    va_end(arguments);
    return weir_fail_at(r->error, r->path, r->line, column);
}

static bool fail_read(struct reader *r, const char *why)
{
    weir_fail(r->error, WEIR_ERROR_READ, "cannot be read: %s", why);
    return weir_fail_at(r->error, r->path, 0, 0);
}

/* Fills what is free of `text`; false after an error. At the end of the file it adds nothing. */
static bool fill(struct reader *r)
{
    memmove(r->text, r->text + r->begin, r->end - r->begin);
    r->end -= r->begin;
    r->begin = 0;
    if (!r->zstd) {
        r->end += fread(r->text + r->end, 1, r->text_size - r->end, r->in);
        return !ferror(r->in) || fail_read(r, strerror(errno));
    }
    ZSTD_outBuffer out = {r->text, r->text_size, r->end};
    while (out.pos == r->end) {
        if (r->from.pos == r->from.size) {
            r->from = (ZSTD_inBuffer){r->raw, fread(r->raw, 1, r->raw_size, r->in), 0};
            if (ferror(r->in))
                return fail_read(r, strerror(errno));
            if (r->from.size == 0)
                return r->frame_left == 0 || fail_read(r, "the compressed data end too early");
        }
        r->frame_left = ZSTD_decompressStream(r->zstd, &out, &r->from);
        if (ZSTD_isError(r->frame_left))
            return fail_read(r, ZSTD_getErrorName(r->frame_left));
    }
    r->end = out.pos;
    return true;
}

/* The next line without its end, in `text`; null at the end of the file or after an error: *failed. */
static char *next_line(struct reader *r, bool *failed)
{
    char *end;
    while (!(end = memchr(r->text + r->begin, '\n', r->end - r->begin))) {
        size_t had = r->end - r->begin;
        r->line += had >= LINE_BYTES;
        if ((*failed = had >= LINE_BYTES && !fail(r, 1, "the line is longer than %u characters", LINE_BYTES)))
            return NULL;
        if ((*failed = !fill(r)))
            return NULL;
        if (r->end == had) { /* the last line may have no end */
            if (had == 0)
                return NULL;
            r->text[r->end++] = '\n';
        }
    }
    char *line = r->text + r->begin;
    r->begin = (size_t)(end - r->text) + 1;
    r->line++;
    if (end > line && end[-1] == '\r')
        end--;
    *end = '\0';
    return line;
}

static bool parse_integer(const char *text, int64_t *value, const char **end)
{
    bool negative = *text == '-';
    const char *digit = text + negative;
    uint64_t number = 0;
    const char *at = digit;
    for (; *at >= '0' && *at <= '9' && at - digit < 18; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    *value = negative ? -(int64_t)number : (int64_t)number;
    *end = at;
    return at > digit;
}

/* "# key value": what is not known is somebody's remark. */
static bool read_comment(struct reader *r, const char *line)
{
    char key[16];
    char value[32];
    if (sscanf(line, "# %15s %31s", key, value) != 2)
        return true;
    int64_t number = 0;
    const char *end = value;
    if (strcmp(key, "weir-rows") == 0)
        return strcmp(value, "1") == 0 || fail(r, 3, "version %s cannot be read (this program reads version 1)", value);
    if (strcmp(key, "counters") == 0) {
        r->said.counters = FOREST_COUNTERS_VIRTUAL;
        if (strcmp(value, forest_counters_name(FOREST_COUNTERS_REAL)) == 0)
            r->said.counters = FOREST_COUNTERS_REAL;
        else if (strcmp(value, forest_counters_name(FOREST_COUNTERS_VIRTUAL)) != 0)
            return fail(r, 3, "counters: '%s' is unknown (expected real or virtual)", value);
    }
    bool average = strcmp(key, "average") == 0;
    if (!average && strcmp(key, "ports") != 0)
        return true;
    if (!parse_integer(value, &number, &end) || *end != '\0' || number < 0 || (!average && number > UINT32_MAX))
        return fail(r, 3, "%s: '%s' is not a number", key, value);
    if (average)
        r->said.average_ps = number;
    else
        r->said.ports = (uint32_t)number;
    return true;
}

static bool read_names(struct reader *r, char *line)
{
    for (uint32_t c = 0; c < WANTED_COLUMNS; c++)
        r->column_of[c] = -1;
    char *rest = NULL;
    for (char *name = strtok_r(line, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        if (r->columns == COLUMNS_MAX)
            return fail(r, 1, "more than %u columns", COLUMNS_MAX);
        for (uint32_t f = 0; f < WEIR_FEATURE_COUNT; f++)
            if (strcmp(name, forest_feature_name((enum weir_feature)f)) == 0)
                r->column_of[f] = r->columns;
        if (strcmp(name, "lost") == 0)
            r->column_of[LOST_COLUMN] = r->columns;
        if (strcmp(name, "switch") == 0)
            r->column_of[SWITCH_COLUMN] = r->columns;
        r->columns++;
    }
    for (uint32_t f = 0; f < WEIR_FEATURE_COUNT; f++)
        if (r->column_of[f] < 0)
            return fail(r, 1, "there is no column '%s'", forest_feature_name((enum weir_feature)f));
    if (r->column_of[LOST_COLUMN] < 0)
        return fail(r, 1, "there is no column 'lost'");
    if (r->of_switch && r->column_of[SWITCH_COLUMN] < 0)
        return fail(r, 1, "there is no column 'switch', by which to choose %s", r->of_switch);
    return true;
}

static bool read_row(struct reader *r, char *line)
{
    int64_t value[WEIR_FEATURE_COUNT + 1] = {0};
    bool wanted = true;
    char *at = line;
    for (int column = 0; column < r->columns; column++) {
        size_t length = strcspn(at, ",");
        if ((at[length] == ',') != (column + 1 < r->columns))
            return fail(r, 1, "%d values expected, one for each column", r->columns);
        at[length] = '\0';
        for (uint32_t c = 0; c <= LOST_COLUMN; c++) {
            const char *end = at;
            if (column == r->column_of[c] && (!parse_integer(at, &value[c], &end) || *end != '\0'))
                return fail(r, (uint32_t)(at - line) + 1, "'%s' is not a whole number", at);
        }
        if (r->of_switch && column == r->column_of[SWITCH_COLUMN])
            wanted = strcmp(at, r->of_switch) == 0;
        at += length + 1;
    }
    if (value[LOST_COLUMN] != 0 && value[LOST_COLUMN] != 1)
        return fail(r, 1, "lost is %" PRId64 " (expected 0 or 1)", value[LOST_COLUMN]);
    return !wanted || forest_rows_add(r->rows, value, value[LOST_COLUMN] == 1, r->error);
}

static bool about_differs(const struct rows_about *a, const struct rows_about *b)
{
    return a->counters != b->counters || a->average_ps != b->average_ps;
}

#define ABOUT_DIFFERS "the features are of another kind (counters or average) than those of the file before"

bool rows_about_join(struct rows_about *about, const struct forest_rows *rows, const struct rows_about *said,
                     struct weir_error *error)
{
    if (rows->count > 0 && about_differs(about, said))
        return weir_fail(error, WEIR_ERROR_INPUT, ABOUT_DIFFERS);
    *about = *said;
    return true;
}

static bool read_lines(struct reader *r)
{
    bool failed = false;
    for (char *line; (line = next_line(r, &failed));) {
        if (*line == '#' ? !read_comment(r, line) : r->columns == 0 ? !read_names(r, line) : !read_row(r, line))
            return false;
    }
    if (failed)
        return false;
    if (r->columns == 0)
        return fail(r, 1, "has no line with the names of the columns");
    if (r->about_known && about_differs(r->about, &r->said))
        return fail(r, 1, ABOUT_DIFFERS);
    *r->about = r->said;
    return true;
}

/* Looks at the first bytes, which stay to be read, and gets what reading needs. */
static bool prepare(struct reader *r)
{
    char magic[sizeof zstd_magic];
    size_t got = fread(magic, 1, sizeof magic, r->in);
    if (ferror(r->in))
        return fail_read(r, strerror(errno));
    bool compressed = got == sizeof magic && memcmp(magic, zstd_magic, sizeof magic) == 0;
    r->text_size = compressed ? ZSTD_DStreamOutSize() + LINE_BYTES : 1u << 18;
    r->text = malloc(r->text_size + 1);
    if (compressed) {
        r->zstd = ZSTD_createDCtx();
        r->raw_size = ZSTD_DStreamInSize();
        r->raw = malloc(r->raw_size);
    }
    if (!r->text || (compressed && (!r->zstd || !r->raw)))
        return weir_fail_memory(r->error);
    memcpy(compressed ? r->raw : r->text, magic, got);
    r->from = (ZSTD_inBuffer){r->raw, compressed ? got : 0, 0};
    r->end = compressed ? 0 : got;
    return true;
}

bool rows_stream_read(FILE *in, const char *name, const char *of_switch, struct rows_about *about,
                      struct forest_rows *rows, struct weir_error *error)
{
    struct reader r = {.in = in, .path = name, .of_switch = of_switch, .about = about, .rows = rows, .error = error};
    r.about_known = rows->count > 0;
    bool whole = prepare(&r) && read_lines(&r);
    ZSTD_freeDCtx(r.zstd);
    free(r.raw);
    free(r.text);
    return whole;
}

bool rows_file_read(const char *path, const char *of_switch, struct rows_about *about, struct forest_rows *rows,
                    struct weir_error *error)
{
    bool pipe = output_is_fifo(path);
    FILE *in = pipe ? NULL : fopen(path, "rb");
    if (!in) {
        weir_fail(error, WEIR_ERROR_READ, "cannot be read: %s", pipe ? "is a pipe" : strerror(errno));
        return weir_fail_at(error, path, 0, 0);
    }
    bool whole = rows_stream_read(in, path, of_switch, about, rows, error);
    fclose(in);
    return whole;
}
