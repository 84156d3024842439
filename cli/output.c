/*
 * output.c - see output.h.
 */
#define _GNU_SOURCE 1
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/screen.h"

#define OUTPUT_ATTEMPTS 100

bool output_colours(FILE *stream)
{
    const char *no_colour = getenv("NO_COLOR");
    return (no_colour == NULL || no_colour[0] == '\0') && isatty(stream == stderr ? STDERR_FILENO : STDOUT_FILENO) == 1;
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
    json_error_t error = {.line = 0}; /* jansson may leave it unwritten when memory is short */
    json_t *string = json_pack_ex(&error, 0, "s", text);
    if (string == NULL && json_error_code(&error) == json_error_invalid_utf8)
        return json_string("?");
    return string;
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
    /* Characters that a terminal may obey as escapes of JSON, which are of the same value; jansson does so with C0
     * only. They are within strings, where else there is nothing but ASCII. To be freed. */
    size_t room = size + 1, used = 0;
    uint32_t character;
    for (size_t at = 0, length; at < size; at += length) {
        length = screen_decode(text + at, size - at, &character);
        room += length > 1 && screen_is_control(character) ? 12 : 0;
    }
    char *escaped = malloc(room);
    for (size_t at = 0, length; escaped != NULL && at < size; at += length) {
        length = screen_decode(text + at, size - at, &character);
        if (length == 1 || !screen_is_control(character)) {
            memcpy(escaped + used, text + at, length);
            used += length;
        } else if (character < 0x10000) {
            used += (size_t)snprintf(escaped + used, room - used, "\\u%04X", character);
        } else {
            used += (size_t)snprintf(escaped + used, room - used, "\\u%04X\\u%04X", 0xd7c0 + (character >> 10),
                                     0xdc00 + (character & 0x3ff));
        }
    }
    if (escaped != NULL)
        escaped[used] = '\0';
    free(text);
    return escaped;
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

void output_csv_text(const char *text, FILE *out)
{
    putc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
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

/* Opens a new file beside the target: its name says whose it is, the process number keeps two commands apart. */
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

bool output_is_fifo(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0 && S_ISFIFO(about.st_mode);
}

bool output_is_stdout(const char *path)
{
    struct stat target, out;
    if (strcmp(path, "-") == 0)
        return true;
    return stat(path, &target) == 0 && fstat(STDOUT_FILENO, &out) == 0 && !S_ISCHR(out.st_mode) &&
           target.st_dev == out.st_dev && target.st_ino == out.st_ino;
}

/* The folder of a path with links followed, to be freed; null when there is none or memory is short. */
static char *output_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash != NULL ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    char *real = folder != NULL ? realpath(folder, NULL) : NULL;
    free(folder);
    return real;
}

bool output_same_file(const char *a, const char *b)
{
    struct stat one, other;
    if (stat(a, &one) == 0)
        return S_ISREG(one.st_mode) && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
    const char *a_slash = strrchr(a, '/'), *b_slash = strrchr(b, '/');
    if (strcmp(a_slash != NULL ? a_slash + 1 : a, b_slash != NULL ? b_slash + 1 : b) != 0)
        return false;
    char *a_folder = output_folder(a), *b_folder = output_folder(b);
    bool same = strcmp(a, b) == 0 || (a_folder != NULL && b_folder != NULL && strcmp(a_folder, b_folder) == 0);
    free(a_folder);
    free(b_folder);
    return same;
}

bool output_file_open_stdout(struct output_file *file)
{
    *file = OUTPUT_FILE_NONE;
    file->name = strdup("standard output");
    if (file->name == NULL) {
        cli_error_memory();
        return false;
    }
    file->filtered = true;
    file->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    return file->fd >= 0 || output_file_fail(file, errno);
}

/* 0, or an errno and what was taken so far. */
static int output_file_take(struct output_file *file, const char *path)
{
    *file = OUTPUT_FILE_NONE;
    file->name = strdup(path);
    if (file->name == NULL)
        return ENOMEM;
    struct stat status;
    bool exists = stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
        return EISDIR;
    if (exists && !S_ISREG(status.st_mode)) { /* by its own name: /dev/stdout is a link to a pipe without a path */
        file->fd = open(path, O_WRONLY | O_CLOEXEC);
        return file->fd >= 0 ? 0 : errno;
    }
    file->path = exists ? realpath(path, NULL) : strdup(path); /* a link keeps pointing at the file */
    return file->path != NULL && output_file_open_temp(file) ? 0 : errno;
}

int output_file_try(struct output_file *file, const char *path)
{
    int error = output_file_take(file, path);
    if (error != 0)
        output_file_discard(file);
    return error;
}

bool output_file_open(struct output_file *file, const char *path)
{
    int error = output_file_take(file, path);
    if (error == 0)
        return true;
    if (file->name != NULL)
        return output_file_fail(file, error);
    cli_error_memory();
    return false;
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
    file->stream = file->filtered ? screen_stream(file->fd) : fdopen(file->fd, "w");
    return file->stream != NULL || output_file_fail(file, errno);
}

/* What stdio could not write earlier counts too; errno is then still from its last attempt. */
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
    /* The rename itself is durable once its directory is. A directory that cannot be opened is not an error. */
    char *slash = strrchr(file->path, '/');
    if (slash != NULL)
        slash[slash == file->path ? 1 : 0] = '\0';
    int fd = open(slash != NULL ? file->path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)!fsync(fd);
        close(fd);
    }
    return true;
}

bool output_file_commit(struct output_file *file)
{
    if (!output_file_publish(file))
        return output_file_fail(file, errno);
    output_file_discard(file);
    return true;
}

bool output_file_rename_partial(struct output_file *file)
{
    char *partial = NULL;
    if (file->path == NULL)
        return true;
    if (asprintf(&partial, "%s.partial", file->path) < 0) {
        cli_error_memory();
        return false;
    }
    free(file->path);
    file->path = partial;
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

struct unit {
    double one;
    const char *name;
};

/* With four digits, in the first unit of five, from the largest on, that it has at least one of. */
static const char *text_in(const struct unit units[5], double value, char text[UNITS_TEXT_MAX])
{
    size_t i = 0;
    while (i < 4 && value < units[i].one)
        i++;
    snprintf(text, UNITS_TEXT_MAX, "%.4g%s", value / units[i].one, units[i].name);
    return text;
}

const char *output_time(double ps, char text[UNITS_TEXT_MAX])
{
    static const struct unit units[] = {{1e12, "s"}, {1e9, "ms"}, {1e6, "us"}, {1e3, "ns"}, {1, "ps"}};
    return text_in(units, ps, text);
}

const char *output_size(double bytes, char text[UNITS_TEXT_MAX])
{
    static const struct unit units[] = {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "KB"}, {1, "B"}};
    return text_in(units, bytes, text);
}

const char *output_rate(double bps, char text[UNITS_TEXT_MAX])
{
    static const struct unit units[] = {{1e12, "Tbps"}, {1e9, "Gbps"}, {1e6, "Mbps"}, {1e3, "Kbps"}, {1, "bps"}};
    return text_in(units, bps, text);
}
