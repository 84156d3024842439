/*
 * page.c - see page.h.
 */
#include "cli/page.h"

#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/screen.h"

int page_make_json(struct page *page, json_t *root)
{
    *page = (struct page){.json = output_json_text(root)};
    return page->json != NULL ? CLI_OK : CLI_INTERNAL;
}

int page_make_table(struct page *page, struct output_table *table)
{
    *page = (struct page){.table = table};
    return output_table_check(table);
}

void page_put(const struct page *page)
{
    if (page->json != NULL)
        puts(page->json);
    else
        output_table_put(page->table);
}

void page_free(struct page *page)
{
    free(page->json);
    output_table_free(page->table);
}

int page_file_open(struct output_file *file, const char *path)
{
    *file = OUTPUT_FILE_NONE;
    if (path == NULL)
        return CLI_OK;
    return output_file_open(file, path) && output_file_stream(file) ? CLI_OK : CLI_INTERNAL;
}

bool page_csv_only(const char *path)
{
    return path != NULL && output_is_stdout(path);
}

int page_csv_check(const char *name, const char *path, bool json)
{
    if (json && page_csv_only(path))
        return cli_error(CLI_USAGE, "%s: --csv %s and --json both write to standard output (expected one of them)",
                         name, path);
    return CLI_OK;
}

int page_csv_open(struct output_file *file, const char *path)
{
    if (!page_csv_only(path))
        return page_file_open(file, path);
    return output_file_open_stdout(file) && output_file_stream(file) ? CLI_OK : CLI_INTERNAL;
}

int page_file_close(struct output_file *file, int code)
{
    if (code != CLI_OK && code != CLI_VIOLATION)
        output_file_discard(file);
    else if (file->stream != NULL && !output_file_commit(file))
        code = CLI_INTERNAL;
    return code;
}

void page_progress(void *title, uint32_t done, uint32_t all)
{
    screen_command(stderr, "\r");
    fprintf(stderr, "%s: %u of %u", (const char *)title, done, all);
    if (done == all)
        screen_command(stderr, SCREEN_CLEAR_LINE);
}

bool page_progress_is_seen(void)
{
    return isatty(STDERR_FILENO) == 1;
}
