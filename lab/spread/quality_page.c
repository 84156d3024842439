/*
 * quality_page.c - see quality_page.h.
 */
#include "lab/spread/quality_page.h"

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/version.h"
#include "show/page/quality.h"

int quality_page_write(const char *path, const char *title, const struct quality_report *quality)
{
    const struct quality_page page = {quality, title, version_text()};
    struct output_file file;
    if (!output_file_open(&file, path) || !output_file_stream(&file))
        return CLI_INTERNAL;
    if (!quality_page_put(&page, file.stream)) {
        output_file_discard(&file);
        return cli_error_memory();
    }
    return output_file_flush(&file) && output_file_commit(&file) ? CLI_OK : CLI_INTERNAL;
}
