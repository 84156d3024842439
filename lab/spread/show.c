/*
 * show.c - puts the result of `weir run` out. A command that fails leaves no file behind and prints nothing: all
 * files are written and everything that is printed is made before the first file appears.
 */
#define _GNU_SOURCE 1
#include <stdlib.h>

#include <string.h>

#include "cli/version.h"
#include "lab/spread/spread.h"
#include "show/page/ranks.h"

#define SHOW_FILES 7u /* records, series, losses, pauses, timeline, flows, table of tags */

typedef bool show_writer(const struct run_result *result, FILE *out);

/* Opens, writes and flushes one file; null: not wanted. What an interrupted run gave does not take the place of a whole
 * one's. */
static bool write_file(struct output_file *file, const char *path, const struct run_result *result, show_writer *writer)
{
    char *partial = NULL;
    bool standard = path != NULL && output_is_stdout(path);
    if (path == NULL)
        return true;
    if (result->interrupted && !standard && asprintf(&partial, "%s.partial", path) < 0) {
        cli_error_memory();
        return false;
    }
    bool opened = standard ? output_file_open_stdout(file) : output_file_open(file, partial != NULL ? partial : path);
    free(partial);
    if (!opened || !output_file_stream(file))
        return false;
    if (standard)
        return true; /* written when nothing can fail any more */
    if (!writer(result, file->stream)) {
        cli_error_memory();
        return false;
    }
    return output_file_flush(file);
}

static bool commit_file(struct output_file *file, const char *path, const struct run_result *result,
                        show_writer *writer)
{
    if (file->stream == NULL)
        return true;
    if (output_is_stdout(path) && !writer(result, file->stream)) {
        cli_error_memory();
        return false;
    }
    return output_file_commit(file);
}

/* What goes to standard output beside files. */
struct page {
    char *json;
    struct run_tables tables;
};

static int make_page(struct page *page, const struct run_result *result, bool json)
{
    if (!json)
        return run_tables_make(&page->tables, result);
    page->json = output_json_text(run_json(result));
    return page->json != NULL ? CLI_OK : CLI_INTERNAL;
}

static bool put_timeline_page(const struct run_result *result, FILE *out)
{
    return ranks_page_put(result, version_text(), out);
}

/* By the end of the file's name. */
static show_writer *timeline_writer(const char *path)
{
    size_t length = path != NULL ? strlen(path) : 0;
    if (length > 5 && strcmp(path + length - 5, ".json") == 0)
        return run_timeline_events;
    return length > 4 && strcmp(path + length - 4, ".csv") == 0 ? run_timeline_csv : put_timeline_page;
}

static show_writer *flows_writer(const char *path)
{
    size_t length = path != NULL ? strlen(path) : 0;
    return length > 3 && strcmp(path + length - 3, ".cm") == 0 ? run_flows_cm : run_flows_list;
}

int spread_show(const struct run_result *result, const struct spread_choice *choice, struct spread_written *written)
{
    show_writer *const writers[] = {run_csv_records,
                                    run_csv_series,
                                    run_csv_losses,
                                    run_csv_pauses,
                                    timeline_writer(choice->timeline),
                                    flows_writer(choice->flows),
                                    run_csv_tags};
    const char *const paths[] = {choice->records,  choice->series, choice->losses, choice->pauses,
                                 choice->timeline, choice->flows,  choice->csv};
    struct output_file files[] = {OUTPUT_FILE_NONE, OUTPUT_FILE_NONE, OUTPUT_FILE_NONE, OUTPUT_FILE_NONE,
                                  OUTPUT_FILE_NONE, OUTPUT_FILE_NONE, OUTPUT_FILE_NONE};
    struct page page = {.json = NULL};
    bool good = true, printed = true;
    for (uint32_t i = 0; i < SHOW_FILES && good; i++) {
        printed = printed && !(paths[i] != NULL && output_is_stdout(paths[i]));
        good = write_file(&files[i], paths[i], result, writers[i]);
    }
    good = good && (!printed || make_page(&page, result, choice->json) == CLI_OK);
    for (uint32_t i = 0; i < SHOW_FILES && good; i++)
        good = commit_file(&files[i], paths[i], result, writers[i]);
    good = good && spread_traces_commit(&written->traces) && spread_packets_commit(&written->packets) &&
           spread_rows_commit(&written->rows, result->interrupted);
    if (good && printed) {
        if (page.json != NULL)
            puts(page.json);
        else
            run_tables_put(&page.tables, result);
    }
    for (uint32_t i = 0; i < SHOW_FILES; i++)
        output_file_discard(&files[i]); /* does nothing to those that appeared */
    free(page.json);
    run_tables_free(&page.tables);
    return good ? CLI_OK : CLI_INTERNAL;
}
