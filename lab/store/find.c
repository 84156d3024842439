/*
 * find.c - see find.h.
 */
#define _GNU_SOURCE 1
#include "lab/store/find.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/store/store_file.h"

char *find_scenario_text(const char *path, size_t *size)
{
    struct stat about;
    char *text = NULL;
    bool plain = stat(path, &about) == 0 && S_ISREG(about.st_mode) && (size_t)about.st_size <= DOCUMENT_BYTES_MAX;
    FILE *in = plain ? fopen(path, "r") : NULL;
    if (in != NULL && (text = malloc((size_t)about.st_size + 1)) != NULL)
        *size = fread(text, 1, (size_t)about.st_size, in);
    if (in != NULL)
        fclose(in);
    return text;
}

static bool ends_in(const char *path, const char *end)
{
    size_t length = strlen(path), of_end = strlen(end);
    return length > of_end && strcmp(path + length - of_end, end) == 0;
}

static const char *joined(struct arena *arena, const char *start, size_t length, const char *end)
{
    char *text = NULL;
    int size = asprintf(&text, "%.*s%s", (int)length, start, end);
    const char *kept = size >= 0 ? arena_text(arena, text, (size_t)size) : NULL;
    free(size >= 0 ? text : NULL);
    return kept;
}

/* The name of the experiment that a file describes; null: the file is not there, or describes none. */
static const char *name_of(struct arena *arena, const char *path, struct weir_error *error)
{
    struct document document = {.origin = NULL};
    size_t size = 0;
    char *text = find_scenario_text(path, &size);
    const char *name = NULL;
    if (text == NULL)
        store_fail(error, WEIR_ERROR_INPUT, path, "no such file, or it cannot be read");
    else if (document_read(&document, path, text, size, error)) {
        const struct node *own = node_find(document.root, "name");
        name = own != NULL && own->kind == NODE_SCALAR ? arena_text(arena, own->text, strlen(own->text))
                                                       : experiment_file_name(arena, path);
        if (name == NULL)
            weir_fail_memory(error);
    }
    document_free(&document);
    free(text);
    return name;
}

/* The results of an experiment that are in this folder, NAME.db if there are none. */
static const char *of_name(struct arena *arena, const char *name, struct weir_error *status)
{
    const char *full = joined(arena, name, strlen(name), ".db");
    const char *quick = joined(arena, name, strlen(name), "-quick.db");
    if (full == NULL || quick == NULL) {
        weir_fail_memory(status);
        return NULL;
    }
    return access(full, F_OK) != 0 && access(quick, F_OK) == 0 ? quick : full;
}

static const char *of_scenario(struct arena *arena, const char *path, struct weir_error *status)
{
    const char *name = name_of(arena, path, status);
    const char *found = name != NULL ? of_name(arena, name, status) : NULL;
    if (found == NULL || access(found, F_OK) == 0)
        return found;
    store_fail(status, WEIR_ERROR_INPUT, path, "no results of it are here (expected %s, which `weir run` makes)",
               found);
    return NULL;
}

/* Nothing is at the path: a scenario beside it may have another name than its file. */
static const char *fail_missing(struct arena *arena, const char *path, struct weir_error *status)
{
    size_t length = strlen(path) - (ends_in(path, ".db") ? 3 : 0);
    const char *scenario = joined(arena, path, length, ".yaml");
    struct weir_error unread = {.code = WEIR_ERROR_NONE};
    const char *name = scenario != NULL ? name_of(arena, scenario, &unread) : NULL;
    const char *found = name != NULL ? of_name(arena, name, &unread) : NULL;
    if (found == NULL || strcmp(found, path) == 0)
        store_fail(status, WEIR_ERROR_INPUT, path, "no such file (expected one that weir run made, or its scenario)");
    else
        store_fail(status, WEIR_ERROR_INPUT, path, "no such file (%s is called '%s': its results are in %s)", scenario,
                   name, found);
    return NULL;
}

const char *find_results(struct arena *arena, const char *path, struct weir_error *status)
{
    if (ends_in(path, ".yaml") || ends_in(path, ".yml"))
        return of_scenario(arena, path, status);
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return fail_missing(arena, path, status);
    const char *same = arena_text(arena, path, strlen(path));
    if (same == NULL)
        weir_fail_memory(status);
    return same;
}
