/*
 * run_load.c - a scenario file, with the changes of the command line, to a document.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd_run.h"

#define READ_BLOCK 65536u

struct text {
    char *bytes;
    size_t size, room;
};

static bool text_grow(struct text *text)
{
    if (text->room - text->size >= READ_BLOCK)
        return true;
    size_t room = 2 * text->room + READ_BLOCK;
    char *bytes = realloc(text->bytes, room);
    if (bytes == NULL)
        return false;
    text->bytes = bytes;
    text->room = room;
    return true;
}

/* Up to a byte more than a document may have, so that its reader says what is too much. */
static int read_stream(FILE *in, const char *name, struct text *text)
{
    struct stat about;
    if (fstat(fileno(in), &about) == 0 && S_ISDIR(about.st_mode))
        return cli_error(CLI_INPUT, "%s: is a directory (expected a scenario file)", name);
    for (size_t got = 1; got > 0 && text->size <= DOCUMENT_BYTES_MAX; text->size += got) {
        if (!text_grow(text))
            return cli_error_memory();
        got = fread(text->bytes + text->size, 1, READ_BLOCK, in);
    }
    if (ferror(in))
        return cli_error(errno == ENOMEM ? CLI_INTERNAL : CLI_INPUT, "%s: cannot read: %s", name, strerror(errno));
    return CLI_OK;
}

static int read_file(const char *name, struct text *text)
{
    bool standard = strcmp(name, "-") == 0;
    FILE *in = standard ? stdin : fopen(name, "r");
    if (in == NULL)
        return errno == ENOMEM ? cli_error_memory()
                               : cli_error(CLI_INPUT, "%s: cannot open: %s", name, strerror(errno));
    int code = read_stream(in, name, text);
    if (!standard)
        fclose(in);
    return code;
}

/* Where files named in the scenario are looked for. */
static char *folder_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash != NULL ? strndup(name, (size_t)(slash - name) + 1) : strdup(".");
}

/* What the command line says counts more than the quick size: a change of the same path there is taken out. */
static void outdo_quick(struct document *document, const char *path, size_t length)
{
    struct node *quick = document->root != NULL ? node_find(document->root, "quick") : NULL;
    struct node *before = NULL;
    for (struct node *entry = quick != NULL ? quick->first : NULL; entry != NULL; before = entry, entry = entry->next) {
        if (entry->key == NULL || strncmp(entry->key, path, length) != 0 || entry->key[length] != '\0')
            continue;
        *(before != NULL ? &before->next : &quick->first) = entry->next;
        if (quick->last == entry)
            quick->last = before;
        quick->count--;
        return;
    }
}

static bool edit_one(struct document *document, const char *option, const char *assignment,
                     struct scenario_error *error)
{
    outdo_quick(document, assignment, strcspn(assignment, "="));
    return document_set(document, option, assignment, error);
}

static bool edit_number(struct document *document, const char *option, uint64_t number, struct scenario_error *error)
{
    char assignment[48];
    snprintf(assignment, sizeof assignment, "%s=%" PRIu64, option + 2, number);
    return edit_one(document, option, assignment, error);
}

static bool edit(struct document *document, const struct run_changes *changes, struct scenario_error *error)
{
    for (uint32_t i = 0; i < changes->sets; i++)
        if (!edit_one(document, "--set", changes->set[i], error))
            return false;
    return (!changes->seed_given || edit_number(document, "--seed", changes->seed, error)) &&
           (!changes->seeds_given || edit_number(document, "--seeds", changes->seeds, error));
}

int run_plan_read(struct run_plan *plan, const char *file, const struct run_changes *changes)
{
    struct text text = {NULL, 0, 0};
    struct scenario_error error = {.memory = false};
    plan->file = file;
    int code = read_file(file, &text);
    if (code == CLI_OK && !(document_read(&plan->document, file, text.bytes, text.size, &error) &&
                            edit(&plan->document, changes, &error)))
        code = run_report(&error);
    free(text.bytes);
    plan->folder = folder_of(file);
    if (code == CLI_OK && plan->folder == NULL)
        code = cli_error_memory();
    return code;
}
