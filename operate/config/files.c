/*
 * files.c - opens the files of a configuration: one of them, or those of a folder.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "operate/config/config_parts.h"

#define FIRST_BYTES 65536u /* that decide what a file is */

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Up to `most` bytes, with a terminator; to be freed. Null with an error. */
static char *read_file(const char *path, size_t most, size_t *size, struct weir_error *error)
{
    FILE *in = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;
    *size = 0;
    if (in == NULL && errno == ENOMEM) {
        weir_fail_memory(error);
        return NULL;
    }
    if (in == NULL) {
        weir_fail(error, WEIR_ERROR_READ, "cannot open: %s", strerror(errno));
        weir_fail_at(error, path, 0, 0);
        return NULL;
    }
    for (bool more = true; more && *size < most;) {
        room = room == 0 ? FIRST_BYTES : 2 * room;
        char *larger = realloc(text, room + 1);
        if (larger == NULL) {
            free(text);
            fclose(in);
            weir_fail_memory(error);
            return NULL;
        }
        text = larger;
        size_t wanted = (room < most ? room : most) - *size;
        size_t got = fread(text + *size, 1, wanted, in);
        *size += got;
        more = got == wanted;
    }
    bool failed = ferror(in) != 0;
    fclose(in);
    if (failed) {
        free(text);
        weir_fail(error, WEIR_ERROR_READ, "cannot read: %s", strerror(errno));
        weir_fail_at(error, path, 0, 0);
        return NULL;
    }
    text[*size] = '\0';
    return text;
}

static bool add_file(struct sonic_config *config, const char *path, struct weir_error *error)
{
    size_t size;
    char *text = read_file(path, SONIC_FILE_MAX + 1, &size, error);
    if (text == NULL)
        return false;
    bool good;
    if (size > SONIC_FILE_MAX) {
        weir_fail(error, WEIR_ERROR_RANGE, "is larger than %u MiB", SONIC_FILE_MAX >> 20);
        good = weir_fail_at(error, path, 0, 0);
    } else if (ends_with(path, ".ini")) {
        good = sonic_config_add_lookup(config, path, text, size, error);
    } else {
        good = sonic_config_add_json(config, path, text, size, error);
    }
    free(text);
    return good;
}

static int wanted(const struct dirent *entry)
{
    return ends_with(entry->d_name, ".json") || ends_with(entry->d_name, ".ini");
}

static bool add_folder(struct sonic_config *config, const char *folder, struct weir_error *error)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, wanted, alphasort);
    bool good = count > 0;
    if (count < 0 && errno == ENOMEM)
        return weir_fail_memory(error);
    if (count < 0)
        weir_fail(error, WEIR_ERROR_READ, "cannot read: %s", strerror(errno));
    else if (count == 0)
        weir_fail(error, WEIR_ERROR_INPUT, "has no *.json and no *.ini (expected config_db.json, buffers.json, ...)");
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        good = good && add_file(config, path, error);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return good || weir_fail_at(error, folder, 0, 0);
}

bool sonic_config_add_path(struct sonic_config *config, const char *path, struct weir_error *error)
{
    return is_folder(path) ? add_folder(config, path, error) : add_file(config, path, error);
}

bool sonic_is_config(const char *path)
{
    size_t size;
    if (is_folder(path) || ends_with(path, ".json") || ends_with(path, ".ini"))
        return true;
    char *text = ends_with(path, ".yaml") ? NULL : read_file(path, FIRST_BYTES, &size, NULL);
    const char *at = text;
    while (at != NULL && isspace((unsigned char)*at))
        at++;
    bool found = at != NULL && *at == '{' &&
                 (strstr(at, "\"BUFFER_") != NULL || strstr(at, "\"PORT\"") != NULL ||
                  strstr(at, "\"DEVICE_METADATA\"") != NULL);
    free(text);
    return found;
}
