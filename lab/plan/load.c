/*
 * load.c - a scenario file, with the changes of the command line, to a document.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/output.h"
#include "lab/plan/plan.h"
#include "lib/trace/unpack.h"

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
    if (!standard && output_is_fifo(name))
        return cli_error(CLI_INPUT, "%s: is a pipe (expected a file, or - for standard input)", name);
    FILE *in = standard ? stdin : fopen(name, "r");
    if (in == NULL)
        return errno == ENOMEM ? cli_error_memory()
                               : cli_error(CLI_INPUT, "%s: cannot open: %s", name, strerror(errno));
    int code = read_stream(in, name, text);
    if (!standard)
        fclose(in);
    return code;
}

/* True when `path` is at or below `above`. */
static bool path_is_below(const char *path, const char *above)
{
    size_t length = strlen(above);
    return strncmp(path, above, length) == 0 && (path[length] == '\0' || path[length] == '.');
}

/* The parts of "path=value", which document_set has accepted before. */
static bool read_change(struct document *document, const char *option, const char *assignment,
                        struct document_change *change, struct weir_error *error)
{
    size_t room = strlen(option) + strlen(assignment) + 2, length = strcspn(assignment, "=");
    char *origin = arena_take(&document->arena, room);
    const char *path = arena_text(&document->arena, assignment, length);
    if (origin == NULL || path == NULL)
        return weir_fail_memory(error);
    snprintf(origin, room, "%s %s", option, assignment);
    *change = (struct document_change){.mark = {origin, 0, 0}, .path = path};
    change->value = document_read_value(&document->arena, change->mark, assignment + length + 1, error);
    return change->value != NULL;
}

/* What the command line says counts more than the quick size, whose changes are made later: it becomes the last of
 * them. */
static bool outdo_quick(struct document *document, const char *option, const char *assignment, struct weir_error *error)
{
    struct document_change change = {.path = NULL};
    struct node *quick = node_find(document->root, "quick");
    if (quick == NULL || quick->kind != NODE_MAP)
        return true;
    if (!read_change(document, option, assignment, &change, error))
        return false;
    if (path_is_below(change.path, "quick"))
        return true;
    /* The quick size no longer changes anything at or below the path. */
    const struct node *next;
    for (const struct node *entry = quick->first; entry != NULL; entry = next) {
        next = entry->next;
        if (path_is_below(entry->key, change.path))
            node_remove(quick, entry->key);
    }
    if (strncmp(change.path, "sweep.", strlen("sweep.")) == 0) {
        /* An axis that the quick size replaces gets the change too. */
        for (struct node *entry = quick->first; entry != NULL; entry = entry->next) {
            if (!path_is_below(change.path, entry->key))
                continue;
            const struct document_change inner = {change.mark, change.path + strlen(entry->key) + 1, change.value};
            if (!document_put(&document->arena, entry, &inner, error))
                return false;
        }
        return true;
    }
    struct node *last = node_copy(&document->arena, change.value);
    if (node_add_key(quick, change.path, last) == NULL)
        return weir_fail_memory(error);
    last->key_mark = change.mark;
    return true;
}

static bool edit_one(struct document *document, const char *option, const char *assignment, struct weir_error *error)
{
    return document_set(document, option, assignment, error) && outdo_quick(document, option, assignment, error);
}

static bool edit_number(struct document *document, const char *option, uint64_t number, struct weir_error *error)
{
    char assignment[48];
    snprintf(assignment, sizeof assignment, "%s=%" PRIu64, option + 2, number);
    return edit_one(document, option, assignment, error);
}

#define DECIDE_LEAST 5ul /* as scenario/experiment/experiment.c asks for */

static bool edit(struct document *document, const struct plan_changes *changes, struct weir_error *error)
{
    for (uint32_t i = 0; i < changes->sets; i++)
        if (!edit_one(document, "--set", changes->set[i], error))
            return false;
    if ((changes->seed_given && !edit_number(document, "--seed", changes->seed, error)) ||
        (changes->seeds_given && !edit_number(document, "--seeds", changes->seeds, error)))
        return false;
    const struct node *quick = changes->quick ? node_find(document->root, "quick") : NULL;
    const struct node *seeds = quick != NULL && quick->kind == NODE_MAP ? node_find(quick, "seeds") : NULL;
    if (seeds == NULL)
        seeds = node_find(document->root, "seeds");
    unsigned long least = seeds != NULL && seeds->kind == NODE_SCALAR ? strtoul(seeds->text, NULL, 10) : 1;
    if (!changes->until_decided || (seeds != NULL && (seeds->kind != NODE_SCALAR || strstr(seeds->text, "until"))))
        return true;
    char assignment[96];
    least = least < DECIDE_LEAST ? DECIDE_LEAST : least;
    snprintf(assignment, sizeof assignment, "seeds=\"%lu until decided, at most %lu\"", least, 10 * least);
    return edit_one(document, "--decide", assignment, error);
}

int plan_read(struct plan *plan, const char *file, const struct plan_changes *changes)
{
    struct text text = {NULL, 0, 0};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    plan->file = file;
    int code = read_file(file, &text);
    if (code == CLI_OK && text.size >= 16 && memcmp(text.bytes, "SQLite format 3", 16) == 0)
        code = cli_error(CLI_INPUT, "%s: holds results (expected a scenario; `weir show %s` shows them)", file,
                         CLI_PASTE(file));
    if (code == CLI_OK && !(document_read(&plan->document, file, text.bytes, text.size, &error) &&
                            edit(&plan->document, changes, &error)))
        code = cli_report(&error);
    free(text.bytes);
    /* Where files named in the scenario are looked for. */
    const char *slash = strrchr(file, '/');
    plan->folder = slash != NULL ? strndup(file, (size_t)(slash - file) + 1) : strdup(".");
    plan->files = (struct scenario_files){plan->folder, trace_unpack};
    if (code == CLI_OK && plan->folder == NULL)
        code = cli_error_memory();
    return code;
}
