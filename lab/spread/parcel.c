/*
 * parcel.c - see parcel.h.
 *
 *   magic, sum, size of all         u64 each; the sum is FNV-1a of what follows it
 *   id                              17 bytes, the last 0
 *   late                            u8
 *   status                          i32
 *   seconds                         f64
 *   memory                          u64
 *   code, version                   text and a 0
 *   what the process has written    the rest
 *
 * In the machine's own byte order, as the measures in it (run/measures/pack.c). The reading side trusts nothing.
 */
#define _GNU_SOURCE 1
#include "lab/spread/parcel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/output.h"

#define MAGIC UINT64_C(0x316c6563726170f7)
#define SUMMED 16u /* bytes before what the sum is of */
#define HEAD_SIZE (3 * sizeof(uint64_t) + EXPERIMENT_ID_MAX + 1 + sizeof(int32_t) + sizeof(double) + sizeof(uint64_t))
#define FILE_BYTES_MAX (UINT64_C(1) << 31)

static uint64_t sum_of(const uint8_t *bytes, size_t size)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
    return sum;
}

static void put(uint8_t **at, const void *bytes, size_t size)
{
    if (size > 0)
        memcpy(*at, bytes, size);
    *at += size;
}

uint8_t *parcel_pack(const struct parcel *parcel, size_t *size)
{
    const struct pool_done *done = &parcel->done;
    size_t code = strlen(parcel->code) + 1, version = strlen(parcel->version) + 1;
    *size = HEAD_SIZE + code + version + done->size;
    uint8_t *bytes = malloc(*size), *at = bytes;
    if (bytes == NULL)
        return NULL;
    const uint64_t head[3] = {MAGIC, 0, *size};
    const uint8_t late = done->late;
    const int32_t status = done->status;
    put(&at, head, sizeof head);
    put(&at, parcel->id, EXPERIMENT_ID_MAX);
    put(&at, &late, sizeof late);
    put(&at, &status, sizeof status);
    put(&at, &done->seconds, sizeof done->seconds);
    put(&at, &done->memory_bytes, sizeof done->memory_bytes);
    put(&at, parcel->code, code);
    put(&at, parcel->version, version);
    put(&at, done->bytes, done->size);
    uint64_t sum = sum_of(bytes + SUMMED, *size - SUMMED);
    memcpy(bytes + sizeof(uint64_t), &sum, sizeof sum);
    return bytes;
}

static bool take(uint8_t **at, const uint8_t *end, void *out, size_t size)
{
    if ((size_t)(end - *at) < size)
        return false;
    memcpy(out, *at, size);
    *at += size;
    return true;
}

static bool take_text(uint8_t **at, const uint8_t *end, const char **text)
{
    uint8_t *zero = memchr(*at, 0, (size_t)(end - *at));
    *text = (const char *)*at;
    *at = zero != NULL ? zero + 1 : *at;
    return zero != NULL;
}

bool parcel_unpack(struct parcel *parcel, uint8_t *bytes, size_t size)
{
    struct pool_done *done = &parcel->done;
    uint8_t *at = bytes, late;
    const uint8_t *end = bytes + size;
    uint64_t head[3];
    int32_t status;
    *parcel = (struct parcel){.code = ""};
    if (!take(&at, end, head, sizeof head) || head[0] != MAGIC || head[2] != size ||
        head[1] != sum_of(bytes + SUMMED, size - SUMMED))
        return false;
    if (!take(&at, end, parcel->id, EXPERIMENT_ID_MAX) || !take(&at, end, &late, sizeof late) ||
        !take(&at, end, &status, sizeof status) || !take(&at, end, &done->seconds, sizeof done->seconds) ||
        !take(&at, end, &done->memory_bytes, sizeof done->memory_bytes) || !take_text(&at, end, &parcel->code) ||
        !take_text(&at, end, &parcel->version) || !parcel_is_name(parcel->id))
        return false;
    done->late = late != 0;
    done->status = status;
    done->bytes = at;
    done->size = (size_t)(end - at);
    return true;
}

bool parcel_is_finished(const struct parcel *parcel)
{
    return WIFEXITED(parcel->done.status) && WEXITSTATUS(parcel->done.status) == 0;
}

bool parcel_is_name(const char *name)
{
    return strnlen(name, EXPERIMENT_ID_MAX) == EXPERIMENT_ID_MAX - 1 &&
           strspn(name, "0123456789abcdef") == EXPERIMENT_ID_MAX - 1;
}

/* To be freed; null: out of memory. */
static char *path_of(const char *folder, const char *id)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", folder, id) >= 0 ? path : NULL;
}

bool parcel_save(const char *folder, const struct parcel *parcel)
{
    size_t size;
    uint8_t *bytes = parcel_pack(parcel, &size);
    char *path = path_of(folder, parcel->id);
    bool saved = bytes != NULL && path != NULL ? output_file_save(path, bytes, size) : (cli_error_memory(), false);
    free(bytes);
    free(path);
    return saved;
}

static uint8_t *read_file(const char *path, size_t *size)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool there =
        fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && (uint64_t)about.st_size < FILE_BYTES_MAX;
    uint8_t *bytes = there ? malloc((size_t)about.st_size + 1) : NULL;
    errno = there && bytes == NULL ? ENOMEM : 0;
    ssize_t got = 1;
    for (*size = 0; bytes != NULL && got > 0 && *size<(size_t)about.st_size; *size += got> 0 ? (size_t)got : 0)
        got = read(fd, bytes + *size, (size_t)about.st_size - *size);
    if (fd >= 0)
        close(fd);
    return bytes;
}

enum parcel_file parcel_load(const char *folder, const char *id, struct parcel *parcel, uint8_t **bytes)
{
    size_t size;
    char *path = path_of(folder, id);
    *bytes = NULL;
    if (path == NULL)
        return PARCEL_NO_MEMORY;
    *bytes = read_file(path, &size);
    bool no_memory = *bytes == NULL && errno == ENOMEM;
    free(path);
    if (no_memory)
        return PARCEL_NO_MEMORY;
    if (*bytes != NULL && size == 0)
        return PARCEL_STORED;
    bool good = *bytes != NULL && parcel_unpack(parcel, *bytes, size) && strcmp(parcel->id, id) == 0;
    return good ? PARCEL_GOOD : PARCEL_MISSING;
}

void parcel_mark(const char *folder, const char *id)
{
    char *path = path_of(folder, id);
    if (path != NULL && truncate(path, 0) != 0)
        unlink(path); /* at worst the run is made again */
    free(path);
}

bool parcel_is_marked(const char *folder, const char *id)
{
    char *path = path_of(folder, id);
    struct stat about;
    bool marked = path != NULL && lstat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size == 0;
    free(path);
    return marked;
}

void parcel_unmark(const char *folder, const char *id)
{
    if (parcel_is_marked(folder, id))
        parcel_remove(folder, id);
}

void parcel_remove(const char *folder, const char *id)
{
    char *path = path_of(folder, id);
    if (path != NULL)
        unlink(path);
    free(path);
}

bool parcel_set_aside(const char *folder, const char *id)
{
    char *from = path_of(folder, id), *to = NULL;
    bool made = from != NULL && asprintf(&to, "%s.differs", from) >= 0;
    int code = !made ? cli_error_memory() : rename(from, to) == 0 ? CLI_OK : CLI_INTERNAL;
    if (made && code != CLI_OK)
        cli_error(CLI_INTERNAL, "%s: cannot be renamed: %s", from, strerror(errno));
    free(from);
    if (made)
        free(to);
    return code == CLI_OK;
}
