/*
 * output.c - tables, JSON and whole files: see output.h.
 */
#define _GNU_SOURCE 1
#include "output.h"

#include <errno.h>
#include <fcntl.h>
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
    bool failed; /* memory was short */
};

struct output_table *output_table_new(const struct output_column *columns, size_t count)
{
    struct output_table *table = calloc(1, sizeof *table);
    if (table != NULL) {
        table->columns = columns;
        table->column_count = count;
    }
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

/* Characters, not bytes: every byte that does not continue a UTF-8 sequence starts one. */
static size_t output_width(const char *text)
{
    size_t width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void output_put_cell(const struct output_table *table, size_t column, const char *text, size_t width)
{
    int padding = (int)(width - output_width(text));
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

static void output_table_put(const struct output_table *table, const size_t *width)
{
    bool colours = output_colours(stdout);
    fputs(colours ? "\033[1m" : "", stdout);
    for (size_t c = 0; c < table->column_count; c++)
        output_put_cell(table, c, table->columns[c].heading, width[c]);
    fputs(colours ? "\033[0m\n" : "\n", stdout);
    for (size_t i = 0; i + table->column_count <= table->cell_count; i += table->column_count) {
        for (size_t c = 0; c < table->column_count; c++)
            output_put_cell(table, c, table->cells[i + c], width[c]);
        putchar('\n');
    }
}

int output_table_print(struct output_table *table)
{
    size_t *width = table != NULL ? calloc(table->column_count, sizeof *width) : NULL;
    if (width == NULL || table->failed) {
        free(width);
        output_table_free(table);
        return cli_error_memory();
    }
    for (size_t c = 0; c < table->column_count; c++)
        width[c] = output_width(table->columns[c].heading);
    size_t shown = table->cell_count - table->cell_count % table->column_count;
    for (size_t i = 0; i < shown; i++) {
        size_t cell = output_width(table->cells[i]);
        if (cell > width[i % table->column_count])
            width[i % table->column_count] = cell;
    }
    output_table_put(table, width);
    free(width);
    output_table_free(table);
    return CLI_OK;
}

int output_json(json_t *root)
{
    if (root == NULL)
        return cli_error_memory();
    int failed = json_dumpf(root, stdout, JSON_INDENT(2));
    json_decref(root);
    putchar('\n');
    /* A write error is seen by output_finish; anything else that can fail here is memory. */
    return failed != 0 && !ferror(stdout) ? cli_error_memory() : CLI_OK;
}

int output_finish(int code)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout))
        return cli_error(CLI_INTERNAL, "cannot write: standard output: %s", strerror(errno != 0 ? errno : EIO));
    return code;
}

static bool output_file_fail(struct output_file *file, int error)
{
    cli_error(CLI_INTERNAL, "cannot write: %s: %s", file->name, strerror(error));
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
    *file = (struct output_file){.fd = -1, .name = strdup(path)};
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
    if (file->temp != NULL && fsync(file->fd) != 0)
        return false;
    int fd = file->fd;
    file->fd = -1;
    if (close(fd) != 0)
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
        close(file->fd);
    if (file->temp != NULL)
        unlink(file->temp);
    free(file->temp);
    free(file->path);
    free(file->name);
    *file = (struct output_file){.fd = -1};
}

bool output_file_save(const char *path, const void *bytes, size_t count)
{
    struct output_file file;
    return output_file_open(&file, path) && output_file_write(&file, bytes, count) && output_file_commit(&file);
}
