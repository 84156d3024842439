/*
 * records.c - see records.h.
 */
#define _GNU_SOURCE 1
#include "lab/spread/records.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "show/writers/export.h"
#include "show/writers/run_frames.h"
#include "show/writers/write.h"
#include "sim/net/records.h"

#define COPY_BYTES 65536u

/* To be freed; null: out of memory. */
static char *part_path(const struct sweep_records *records, uint32_t run)
{
    char *path = NULL;
    return asprintf(&path, "%s/%u", records->folder, run) >= 0 ? path : NULL;
}

/* Two columns of one name would be taken for one. */
static int check_columns(const struct plan *plan)
{
    struct data_frame *columns = run_frame_records();
    int code = data_frame_check(columns);
    for (uint32_t i = 0; i < plan->experiment.axis_count && code == CLI_OK; i++)
        for (size_t c = 0; c < data_frame_columns(columns) && code == CLI_OK; c++)
            if (strcmp(data_frame_column(columns, c)->name, plan->experiment.axes[i].name) == 0)
                code = cli_error(CLI_INPUT,
                                 "run: --records: flows have a column '%s', as the axis of %s (expected another name "
                                 "of the axis)",
                                 plan->experiment.axes[i].name, plan->file);
    data_frame_free(columns);
    return code;
}

/* Where there is room for the whole: beside the file, unless that is a pipe or a device. */
static int make_folder(struct sweep_records *records)
{
    const char *temporary = getenv("TMPDIR");
    char *folder = NULL;
    int made = records->file.path != NULL
                   ? asprintf(&folder, "%s.XXXXXX", records->file.path)
                   : asprintf(&folder, "%s/weir-records.XXXXXX", temporary != NULL ? temporary : "/tmp");
    if (made < 0)
        return cli_error_memory();
    if (mkdtemp(folder) == NULL) {
        int code =
            cli_error(CLI_INTERNAL, "%s: cannot make a folder beside it: %s", records->file.name, strerror(errno));
        free(folder);
        return code;
    }
    records->folder = folder;
    return CLI_OK;
}

int sweep_records_open(struct sweep_records *records, const char *path)
{
    int code = check_columns(records->plan);
    if (code != CLI_OK)
        return code;
    bool opened =
        output_is_stdout(path) ? output_file_open_stdout(&records->file) : output_file_open(&records->file, path);
    if (!opened || !output_file_stream(&records->file))
        return CLI_INTERNAL;
    return make_folder(records);
}

/* The rows of the run at each of its places that is wanted. False: out of memory. */
static bool put_rows(const struct plan *plan, uint32_t run, const struct records *flows, const char *const *tag_names,
                     FILE *out)
{
    struct data_frame *row = run_frame_records();
    for (uint32_t place = run; place < plan->runs; place++) {
        if (plan->first[place] != run || (plan->chosen != NULL && !plan->chosen[place]))
            continue;
        for (uint32_t i = 0; i < flows->count; i++) {
            run_frame_record(row, &flows->at[i], tag_names[flows->at[i].tag]);
            if (data_frame_failed(row))
                break;
            export_csv_place(&plan->experiment, place, plan->ids[place], out);
            putc(',', out);
            write_csv_rows(row, out);
        }
    }
    bool good = !data_frame_failed(row);
    data_frame_free(row);
    return good;
}

bool sweep_records_write(const struct sweep_records *records, uint32_t run, const struct scenario *scenario,
                         const struct sim *sim, struct weir_error *error)
{
    char *path = part_path(records, run);
    FILE *out = path != NULL ? fopen(path, "we") : NULL;
    if (path == NULL)
        return weir_fail_memory(error);
    bool whole = out == NULL || put_rows(records->plan, run, sim_records(sim), scenario->config.tag_names, out);
    bool good = out != NULL && !ferror(out);
    int number = errno;
    if (out != NULL && fclose(out) != 0 && good) {
        good = false;
        number = errno;
    }
    free(path);
    if (!whole)
        return weir_fail_memory(error);
    return good || weir_fail(error, WEIR_ERROR_WRITE, "its flows cannot be written: %s", strerror(number));
}

static int append(struct sweep_records *records, const char *path)
{
    static char bytes[COPY_BYTES];
    FILE *in = fopen(path, "re");
    if (in == NULL)
        return cli_error(CLI_INTERNAL, "%s: cannot open: %s", path, strerror(errno));
    for (size_t got = 1; got > 0;) {
        got = fread(bytes, 1, sizeof bytes, in);
        fwrite(bytes, 1, got, records->file.stream);
    }
    bool good = !ferror(in);
    fclose(in);
    unlink(path);
    return good ? CLI_OK : cli_error(CLI_INTERNAL, "%s: cannot be read again", path);
}

int sweep_records_finish(struct sweep_records *records, const uint32_t *runs, uint32_t count)
{
    FILE *out = records->file.stream;
    struct data_frame *columns = run_frame_records();
    int code = data_frame_check(columns);
    if (code != CLI_OK)
        return code;
    export_csv_place_heading(&records->plan->experiment, out);
    putc(',', out);
    write_csv_heading(columns, out);
    putc('\n', out);
    data_frame_free(columns);
    for (uint32_t i = 0; i < count && code == CLI_OK; i++) {
        char *path = part_path(records, runs[i]);
        code = path != NULL ? append(records, path) : cli_error_memory();
        free(path);
    }
    if (code == CLI_OK && !output_file_commit(&records->file))
        code = CLI_INTERNAL;
    return code;
}

void sweep_records_discard(struct sweep_records *records)
{
    DIR *folder = records->folder != NULL ? opendir(records->folder) : NULL;
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        unlinkat(dirfd(folder), entry->d_name, 0); /* fails for . and .. */
    if (folder != NULL)
        closedir(folder);
    if (records->folder != NULL)
        rmdir(records->folder);
    free(records->folder);
    output_file_discard(&records->file);
    *records = (struct sweep_records){.file = OUTPUT_FILE_NONE};
}
