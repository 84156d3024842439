/*
 * run_load.c - a scenario file, with the changes of the command line, to a config.
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

int run_report(const struct scenario_error *error)
{
    return error->memory ? cli_error_memory() : cli_error(CLI_INPUT, "%s", error->message);
}

/* Where files named in the scenario are looked for. */
static char *folder_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash != NULL ? strndup(name, (size_t)(slash - name) + 1) : strdup(".");
}

static bool edit(struct document *document, const struct run_choice *choice, struct scenario_error *error)
{
    char seed[32];
    for (uint32_t i = 0; i < choice->sets; i++)
        if (!document_set(document, "--set", choice->set[i], error))
            return false;
    snprintf(seed, sizeof seed, "seed=%" PRIu64, choice->seed);
    return !choice->seed_given || document_set(document, "--seed", seed, error);
}

int run_load(struct scenario *scenario, const struct run_choice *choice)
{
    struct text text = {NULL, 0, 0};
    struct scenario_error error = {.memory = false};
    struct document document = {.origin = NULL};
    *scenario = (struct scenario){.name = NULL};
    int code = read_file(choice->file, &text);
    if (code == CLI_OK &&
        !(document_read(&document, choice->file, text.bytes, text.size, &error) && edit(&document, choice, &error)))
        code = run_report(&error);
    free(text.bytes);
    char *folder = code == CLI_OK ? folder_of(choice->file) : NULL;
    if (code == CLI_OK && folder == NULL)
        code = cli_error_memory();
    const struct scenario_files files = {folder, run_unpack};
    if (code == CLI_OK && !scenario_build(scenario, &document, &files, &error))
        code = run_report(&error);
    free(folder);
    document_free(&document);
    for (const struct scenario_warning *w = scenario->warnings; code == CLI_OK && w != NULL; w = w->next)
        cli_error(CLI_OK, "warning: %s", w->text);
    for (uint32_t i = 0; code == CLI_OK && i < scenario->config.traffic_count; i++)
        if (scenario->lists[i].path != NULL)
            code = run_check_input(choice, scenario->lists[i].path);
    return code;
}
