/*
 * catalogue.c - finds and reads the scenarios of papers: see catalogue.h.
 */
#define _GNU_SOURCE 1
#include "lab/papers/catalogue.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/data_folder.h"
#include "lab/plan/plan.h"

#define SUFFIX ".yaml"

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int choose_folder(struct catalogue *catalogue, const char *folder)
{
    const char *named = folder != NULL ? folder : getenv("WEIR_SCENARIOS");
    if (named != NULL && named[0] != '\0') {
        if (!is_folder(named))
            return cli_error(CLI_INPUT, "%s: %s (expected the folder of scenarios)", named,
                             errno != 0 ? strerror(errno) : "is not a folder");
        catalogue->folder = strdup(named);
        return catalogue->folder != NULL ? CLI_OK : cli_error_memory();
    }
    catalogue->folder = cli_data_folder("scenarios");
    return catalogue->folder != NULL ? CLI_OK
                                     : cli_error(CLI_INPUT, "no scenarios are installed beside the program (name their "
                                                            "folder with --scenarios or WEIR_SCENARIOS)");
}

static struct catalogue_figure *add_figure(struct catalogue *catalogue)
{
    if (catalogue->count == catalogue->room) {
        uint32_t room = 2 * catalogue->room + 32;
        struct catalogue_figure *figures = realloc(catalogue->figures, room * sizeof *figures);
        if (figures == NULL)
            return NULL;
        catalogue->figures = figures;
        catalogue->room = room;
    }
    struct catalogue_figure *figure = &catalogue->figures[catalogue->count++];
    *figure = (struct catalogue_figure){.id = NULL};
    return figure;
}

static void drop_figure(struct catalogue *catalogue)
{
    struct catalogue_figure *figure = &catalogue->figures[--catalogue->count];
    experiment_free(&figure->full);
    experiment_free(&figure->quick);
    free(figure->id);
    free(figure->path);
}

/* A figure without a quick size is a mistake in its file, which experiment_read reports. */
static int read_figure(struct catalogue_figure *figure, const struct document *document)
{
    struct weir_error error;
    if (!experiment_read(&figure->full, document, false, &error))
        return cli_report(&error);
    if (figure->full.paper != NULL && !experiment_read(&figure->quick, document, true, &error))
        return cli_report(&error);
    return CLI_OK;
}

static int load_figure(struct catalogue *catalogue, const char *paper, const char *file,
                       const struct catalogue_filter *filter)
{
    int stem = (int)(strlen(file) - strlen(SUFFIX));
    struct plan plan = {.file = NULL};
    struct catalogue_figure *figure = add_figure(catalogue);
    if (figure == NULL || asprintf(&figure->path, "%s/%s/%s", catalogue->folder, paper, file) < 0 ||
        asprintf(&figure->id, "%s/%.*s", paper, stem, file) < 0)
        return cli_error_memory();
    const char *id = figure->id;
    bool wanted = filter->count == 0;
    for (uint32_t i = 0; i < filter->count && !wanted; i++)
        wanted = catalogue_matches(id, filter->patterns[i]);
    if (!wanted) {
        drop_figure(catalogue);
        return CLI_OK;
    }
    int code = plan_read(&plan, figure->path, &(struct plan_changes){.sets = 0});
    if (code == CLI_OK)
        code = read_figure(figure, &plan.document);
    plan_free(&plan);
    if (code == CLI_OK && figure->full.paper == NULL)
        drop_figure(catalogue);
    return code;
}

static int is_scenario(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > strlen(SUFFIX) && strcmp(entry->d_name + length - strlen(SUFFIX), SUFFIX) == 0;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void free_entries(struct dirent **entries, int count)
{
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
}

static int load_paper(struct catalogue *catalogue, const char *paper, const struct catalogue_filter *filter)
{
    char *path = NULL;
    struct dirent **files;
    if (asprintf(&path, "%s/%s", catalogue->folder, paper) < 0)
        return cli_error_memory();
    int count = is_folder(path) ? scandir(path, &files, is_scenario, versionsort) : 0;
    free(path);
    int code = CLI_OK;
    for (int i = 0; i < count && code == CLI_OK; i++)
        code = load_figure(catalogue, paper, files[i]->d_name, filter);
    if (count > 0)
        free_entries(files, count);
    return code;
}

int catalogue_load(struct catalogue *catalogue, const char *folder, const struct catalogue_filter *filter)
{
    struct dirent **papers;
    *catalogue = (struct catalogue){.folder = NULL};
    errno = 0;
    int code = choose_folder(catalogue, folder);
    if (code != CLI_OK)
        return code;
    int count = scandir(catalogue->folder, &papers, is_visible, versionsort);
    if (count < 0)
        return cli_error(CLI_INPUT, "%s: cannot read: %s", catalogue->folder, strerror(errno));
    for (int i = 0; i < count && code == CLI_OK; i++)
        code = load_paper(catalogue, papers[i]->d_name, filter);
    free_entries(papers, count);
    return code;
}

void catalogue_free(struct catalogue *catalogue)
{
    while (catalogue->count > 0)
        drop_figure(catalogue);
    free(catalogue->figures);
    free(catalogue->folder);
    *catalogue = (struct catalogue){.folder = NULL};
}

/* dsh/fig17-19 has the figures 17 to 19, credence/fig6+12 has 6 and 12: dsh/fig18 and credence/fig12 mean them too. */
static bool is_among(const char *id, const char *pattern)
{
    size_t stem = strcspn(id, "0123456789");
    char *end = NULL;
    if (strncmp(id, pattern, stem) != 0 || !isdigit((unsigned char)pattern[stem]))
        return false;
    unsigned long asked = strtoul(pattern + stem, &end, 10);
    bool among = false;
    if (*end != '\0')
        return false;
    for (const char *at = id + stem; isdigit((unsigned char)*at);) {
        unsigned long first = strtoul(at, &end, 10), last = first;
        if (*end == '-' && isdigit((unsigned char)end[1]))
            last = strtoul(end + 1, &end, 10);
        among = among || (first <= asked && asked <= last);
        if (*end == '\0')
            return among;
        at = *end == '+' ? end + 1 : end;
    }
    return false; /* fig15-eq2 is a separate figure */
}

bool catalogue_matches(const char *id, const char *pattern)
{
    size_t length = strlen(pattern);
    return strcmp(pattern, "all") == 0 || strcmp(id, pattern) == 0 || is_among(id, pattern) ||
           (strncmp(id, pattern, length) == 0 && id[length] == '/');
}
