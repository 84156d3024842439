/*
 * output.c - tables, JSON and whole files: see output.h.
 */
#define _GNU_SOURCE 1
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

#define OUTPUT_ATTEMPTS 100

bool output_colours(FILE *stream)
{
    const char *no_colour = getenv("NO_COLOR");
    return (no_colour == NULL || no_colour[0] == '\0') && isatty(fileno(stream)) == 1;
}

struct output_table {
    const struct output_column *columns;
    size_t column_count;
    char **cells; /* row by row */
    size_t cell_count, cell_room;
    bool failed;    /* memory was short */
    size_t width[]; /* [column_count] characters of the widest cell; found by put */
};

struct output_table *output_table_new(const struct output_column *columns, size_t count)
{
    struct output_table *table = calloc(1, sizeof *table + count * sizeof table->width[0]);
    if (table == NULL)
        return NULL;
    table->columns = columns;
    table->column_count = count;
    return table;
}

void output_table_free(struct output_table *table)
{
    if (table == NULL)
        return;
    for (size_t i = 0; i < table->cell_count; i++)
        free(table->cells[i]);
    free(table->cells);
    free(table);
}

static bool output_table_grow(struct output_table *table)
{
    if (table->cell_count < table->cell_room)
        return true;
    size_t room = table->cell_room == 0 ? 64 : 2 * table->cell_room;
    char **cells = realloc(table->cells, room * sizeof *cells);
    if (cells == NULL)
        return false;
    table->cells = cells;
    table->cell_room = room;
    return true;
}

void output_table_cell(struct output_table *table, const char *format, ...)
{
    if (table == NULL || table->failed)
        return;
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        table->failed = true;
    } else if (!output_table_grow(table)) {
        free(text);
        table->failed = true;
    } else {
        table->cells[table->cell_count++] = text;
    }
}

int output_table_check(const struct output_table *table)
{
    return table == NULL || table->failed ? cli_error_memory() : CLI_OK;
}

/* Characters, not bytes: every byte that does not continue a UTF-8 sequence starts one. */
static size_t output_width(const char *text)
{
    size_t width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void output_put_cell(const struct output_table *table, size_t column, const char *text)
{
    int padding = (int)(table->width[column] - output_width(text));
    bool last = column + 1 == table->column_count;
    if (table->columns[column].right)
        printf("%*s%s", padding, "", text);
    else if (last)
        fputs(text, stdout); /* no spaces at the end of a line */
    else
        printf("%s%*s", text, padding, "");
    if (!last)
        fputs("  ", stdout);
}

static void output_table_measure(struct output_table *table)
{
    for (size_t c = 0; c < table->column_count; c++)
        table->width[c] = output_width(table->columns[c].heading);
    size_t shown = table->cell_count - table->cell_count % table->column_count;
    for (size_t i = 0; i < shown; i++) {
        size_t *widest = &table->width[i % table->column_count], width = output_width(table->cells[i]);
        *widest = width > *widest ? width : *widest;
    }
}

void output_table_put(struct output_table *table)
{
    bool colours = output_colours(stdout);
    output_table_measure(table);
    fputs(colours ? "\033[1m" : "", stdout);
    for (size_t c = 0; c < table->column_count; c++)
        output_put_cell(table, c, table->columns[c].heading);
    fputs(colours ? "\033[0m\n" : "\n", stdout);
    for (size_t i = 0; i + table->column_count <= table->cell_count; i += table->column_count) {
        for (size_t c = 0; c < table->column_count; c++)
            output_put_cell(table, c, table->cells[i + c]);
        putchar('\n');
    }
}

int output_table_print(struct output_table *table)
{
    int code = output_table_check(table);
    if (code == CLI_OK)
        output_table_put(table);
    output_table_free(table);
    return code;
}

json_t *output_json_append(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) == 0)
        return array;
    json_decref(array);
    return NULL;
}

json_t *output_json_set(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) == 0)
        return object;
    json_decref(object);
    return NULL;
}

json_t *output_json_string(const char *text)
{
    json_error_t error;
    json_t *string = json_pack_ex(&error, 0, "s", text);
    if (string == NULL && json_error_code(&error) == json_error_invalid_utf8)
        return json_string("?");
    return string;
}

json_t *output_json_number(double number)
{
    return isinf(number) ? json_null() : json_real(number);
}

/* Into memory of the right size: jansson's own growing text loses the name of a member when it cannot grow. */
static char *output_json_dump(const json_t *root)
{
    size_t size = json_dumpb(root, NULL, 0, JSON_INDENT(2));
    char *text = size > 0 ? malloc(size + 1) : NULL;
    if (text == NULL)
        return NULL;
    if (json_dumpb(root, text, size, JSON_INDENT(2)) != size) {
        free(text);
        return NULL;
    }
    text[size] = '\0';
    return text;
}

char *output_json_text(json_t *root)
{
    char *text = root != NULL ? output_json_dump(root) : NULL;
    json_decref(root);
    if (text == NULL)
        cli_error_memory();
    return text;
}

int output_json(json_t *root)
{
    char *text = output_json_text(root);
    if (text == NULL)
        return CLI_INTERNAL;
    puts(text);
    free(text);
    return CLI_OK;
}

int output_finish(int code)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout))
        return cli_error(CLI_INTERNAL, "standard output: cannot write: %s", strerror(errno != 0 ? errno : EIO));
    return code;
}

static bool output_file_fail(struct output_file *file, int error)
{
    cli_error(CLI_INTERNAL, "%s: cannot write: %s", file->name, strerror(error));
    output_file_discard(file);
    return false;
}

/* Opens a new file beside the target: the name tells whose it is, the process number keeps two commands apart. */
static bool output_file_open_temp(struct output_file *file)
{
    const char *slash = strrchr(file->path, '/');
    int directory = slash == NULL ? 0 : (int)(slash - file->path + 1);
    for (int attempt = 0; attempt < OUTPUT_ATTEMPTS; attempt++) {
        char *name;
        if (asprintf(&name, "%.*s.%s.%ld-%d.part", directory, file->path, file->path + directory, (long)getpid(),
                     attempt) < 0)
            return false;
        file->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file->fd >= 0) {
            file->temp = name;
            return true;
        }
        int error = errno; /* EEXIST: left by a killed command that had the same number */
        free(name);
        errno = error;
        if (error != EEXIST)
            return false;
    }
    return false;
}

bool output_file_open(struct output_file *file, const char *path)
{
    *file = OUTPUT_FILE_NONE;
    file->name = strdup(path);
    if (file->name == NULL) {
        cli_error_memory();
        return false;
    }
    struct stat status;
    bool exists = stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
        return output_file_fail(file, EISDIR);
    file->path = exists ? realpath(path, NULL) : strdup(path); /* a link keeps pointing at the file */
    if (file->path == NULL)
        return output_file_fail(file, errno);
    bool opened;
    if (exists && !S_ISREG(status.st_mode)) {
        file->fd = open(file->path, O_WRONLY | O_CLOEXEC);
        opened = file->fd >= 0;
    } else {
        opened = output_file_open_temp(file);
    }
    return opened || output_file_fail(file, errno);
}

bool output_file_write(struct output_file *file, const void *bytes, size_t count)
{
    const char *at = bytes;
    while (count > 0) {
        ssize_t written = write(file->fd, at, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return output_file_fail(file, errno);
        at += written;
        count -= (size_t)written;
    }
    return true;
}

bool output_file_stream(struct output_file *file)
{
    file->stream = fdopen(file->fd, "w");
    return file->stream != NULL || output_file_fail(file, errno);
}

/* What stdio could not write earlier counts too; errno is then still that of its last attempt. */
static bool output_file_flushed(struct output_file *file)
{
    return file->stream == NULL || (!ferror(file->stream) && fflush(file->stream) == 0);
}

bool output_file_flush(struct output_file *file)
{
    return output_file_flushed(file) || output_file_fail(file, errno);
}

static int output_file_close(struct output_file *file)
{
    int fd = file->fd;
    FILE *stream = file->stream;
    file->fd = -1;
    file->stream = NULL;
    return stream != NULL ? fclose(stream) : close(fd);
}

/* The rename itself is durable once its directory is. A directory that cannot be opened is no reason to fail. */
static void output_sync_directory(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash != NULL)
        slash[slash == path ? 1 : 0] = '\0';
    int fd = open(slash != NULL ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)!fsync(fd);
        close(fd);
    }
}

static bool output_file_publish(struct output_file *file)
{
    if (!output_file_flushed(file) || (file->temp != NULL && fsync(file->fd) != 0))
        return false;
    if (output_file_close(file) != 0)
        return false;
    if (file->temp == NULL)
        return true;
    if (rename(file->temp, file->path) != 0)
        return false;
    free(file->temp);
    file->temp = NULL;
    output_sync_directory(file->path);
    return true;
}

bool output_file_commit(struct output_file *file)
{
    if (!output_file_publish(file))
        return output_file_fail(file, errno);
    output_file_discard(file);
    return true;
}

void output_file_discard(struct output_file *file)
{
    if (file->fd >= 0)
        output_file_close(file);
    if (file->temp != NULL)
        unlink(file->temp);
    free(file->temp);
    free(file->path);
    free(file->name);
    *file = OUTPUT_FILE_NONE;
}

bool output_file_save(const char *path, const void *bytes, size_t count)
{
    struct output_file file;
    return output_file_open(&file, path) && output_file_write(&file, bytes, count) && output_file_commit(&file);
}
