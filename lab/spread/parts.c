/*
 * parts.c - see parts.h.
 */
#define _GNU_SOURCE 1
#include "lab/spread/parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "lab/spread/decide.h"
#include "lab/spread/makers.h"
#include "lab/spread/parcel.h"
#include "lab/spread/work.h"
#include "lab/store/code.h"
#include "scenario/yaml/text_stream.h"

#define LIST "/list"

/* "NAME.db.runs/FILE", to be freed; null: out of memory. */
static char *path_of(const struct plan *plan, const char *file)
{
    char *path = NULL;
    return asprintf(&path, "%s.runs%s", plan->database, file) >= 0 ? path : NULL;
}

char *parts_folder(const struct plan *plan)
{
    return path_of(plan, "");
}

/* A missing file is no error. */
static void remove_file(const struct plan *plan, const char *file)
{
    char *path = path_of(plan, file);
    if (path != NULL)
        unlink(path);
    free(path);
}

bool parts_are_over(const struct plan *plan)
{
    char *path = path_of(plan, "/" PARTS_OVER);
    bool over = path != NULL && access(path, F_OK) == 0;
    free(path);
    return over;
}

static int make_folder(const char *folder)
{
    if (mkdir(folder, 0777) == 0 || errno == EEXIST)
        return CLI_OK;
    return cli_error(CLI_INTERNAL, "%s: cannot make this folder: %s", folder, strerror(errno));
}

int spread_read_part(void *target, const struct cli_option *option, const char *text)
{
    struct spread_choice *choice = target;
    unsigned part, parts;
    int end = 0;
    (void)option;
    if (sscanf(text, "%6u/%6u%n", &part, &parts, &end) != 2 || text[end] != '\0' || part < 1 || part > parts)
        return cli_error(CLI_USAGE, "--part: '%s' is no part (expected K/N, the K-th of N, from 1)", text);
    choice->part = part;
    choice->parts = parts;
    return CLI_OK;
}

int parts_hand_out(const struct plan *plan, const uint32_t *todo, uint32_t count)
{
    char *folder = parts_folder(plan), *path = path_of(plan, LIST), *text = NULL;
    struct text_stream stream;
    if (text_stream_open(&stream)) {
        for (uint32_t i = 0; i < count; i++)
            fprintf(stream.out, "%s\n", plan->ids[todo[i]]);
        text = text_stream_close(&stream);
    }
    bool memory = folder != NULL && path != NULL && text != NULL;
    int code = memory ? make_folder(folder) : cli_error_memory();
    for (uint32_t i = 0; i < count && code == CLI_OK; i++)
        parcel_unmark(folder, plan->ids[todo[i]]); /* of a failure, or of results that were lost */
    if (code == CLI_OK && !output_file_save(path, text, strlen(text)))
        code = CLI_INTERNAL;
    remove_file(plan, "/" PARTS_OVER); /* runs are made again from now on */
    free(folder);
    free(path);
    free(text);
    return code;
}

/* Whether the folder has a parcel that is not a mark; takes the marks away if asked to. */
static bool look_through(const char *name, bool unmark)
{
    DIR *folder = opendir(name);
    bool found = false;
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        struct stat about;
        if (!parcel_is_name(entry->d_name) || fstatat(dirfd(folder), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        found |= about.st_size > 0;
        if (unmark)
            parcel_unmark(name, entry->d_name);
    }
    if (folder != NULL)
        closedir(folder);
    return found;
}

bool parts_have_come(const struct plan *plan)
{
    char *folder = parts_folder(plan);
    bool found = folder != NULL && look_through(folder, false);
    free(folder);
    return found;
}

void parts_finish(const struct plan *plan)
{
    char *folder = parts_folder(plan);
    remove_file(plan, LIST);
    remove_file(plan, "/" PARTS_OVER);
    if (folder != NULL) {
        look_through(folder, true);
        rmdir(folder);
    }
    free(folder);
}

struct part {
    const struct plan *plan;
    const struct spread_choice *choice;
    char *folder;
    uint32_t *todo; /* what is to be made now */
    uint32_t todo_count;
    struct sweep_progress progress;
    int worst;
};

/* A run of the part: missing unless its parcel is there. */
static int add_run(struct part *part, uint32_t run)
{
    const struct plan *plan = part->plan;
    struct parcel parcel;
    uint8_t *bytes;
    char name[CODE_NAME_MAX];
    enum parcel_file file = parcel_load(part->folder, plan->ids[run], &parcel, &bytes);
    bool done = file == PARCEL_STORED || (file == PARCEL_GOOD && parcel_is_finished(&parcel) &&
                                          code_compare(parcel.code, plan->codes[run], name) == CODE_SAME);
    free(bytes);
    part->progress.total++;
    part->progress.there += done;
    if (!done)
        part->todo[part->todo_count++] = run;
    return file == PARCEL_NO_MEMORY ? cli_error_memory() : CLI_OK;
}

static bool is_own(const struct part *part, uint32_t number)
{
    return number % part->choice->parts == part->choice->part - 1;
}

/* By id; the plan's number of runs: it has none such. Lists mostly follow the plan. */
static uint32_t find_run(const struct plan *plan, const char *id, uint32_t from)
{
    for (uint32_t i = 0; i < plan->runs; i++) {
        uint32_t run = (from + i) % plan->runs;
        if (plan->first[run] == run && strcmp(plan->ids[run], id) == 0)
            return run;
    }
    return plan->runs;
}

/* The runs of this part among those that were handed out. */
static int read_list(struct part *part, FILE *list, const char *path)
{
    const struct plan *plan = part->plan;
    char id[EXPERIMENT_ID_MAX + 1];
    uint32_t next = 0;
    int code = CLI_OK;
    for (uint32_t number = 0; code == CLI_OK && fscanf(list, "%17s", id) == 1; number++) {
        uint32_t run = find_run(plan, id, next);
        if (run == plan->runs || part->progress.total >= plan->runs)
            return cli_error(CLI_INPUT,
                             "%s: '%s' is no run of %s (it has changed: hand the runs out again, 'weir run "
                             "--slurm')",
                             path, id, plan->file);
        next = run + 1;
        if (is_own(part, number))
            code = add_run(part, run);
    }
    return code;
}

/* Without a list: of the whole sweep. */
static int find_runs(struct part *part)
{
    const struct plan *plan = part->plan;
    char *path = path_of(plan, LIST);
    FILE *list = path != NULL ? fopen(path, "re") : NULL;
    int code = path == NULL ? cli_error_memory() : CLI_OK;
    if (list != NULL) {
        code = read_list(part, list, path);
        fclose(list);
    }
    for (uint32_t i = 0; list == NULL && i < plan->todo_count && code == CLI_OK; i++)
        if (is_own(part, i) && !plan->real[plan->todo[i]] && decide_is_first(plan, plan->todo[i]))
            code = add_run(part, plan->todo[i]);
    free(path);
    return code;
}

static int keep(void *context, const struct pool_done *done, const char *version)
{
    struct part *part = context;
    const struct plan *plan = part->plan;
    struct parcel parcel = {.code = plan->codes[done->item], .version = version, .done = *done};
    memcpy(parcel.id, plan->ids[done->item], sizeof parcel.id);
    if (!parcel_save(part->folder, &parcel))
        return CLI_INTERNAL;
    struct spread_sent sent;
    char reason[SPREAD_REASON_MAX];
    int failed = spread_work_take(plan, done, &sent, reason);
    if (failed == CLI_OK) {
        sweep_progress_add(&part->progress, &sent.measures);
    } else {
        char name[256];
        experiment_run_name(&plan->experiment, done->item, name);
        part->progress.failed++;
        part->worst = failed > part->worst ? failed : part->worst;
        cli_error(CLI_OK, "%s: failed: %s", name, reason);
    }
    measures_free(&sent.measures);
    return CLI_OK;
}

int spread_part(const struct plan *plan, const struct spread_choice *choice)
{
    struct part part = {.plan = plan,
                        .choice = choice,
                        .folder = parts_folder(plan),
                        .todo = calloc(plan->runs, sizeof *part.todo),
                        .worst = CLI_OK};
    int code = part.folder != NULL && part.todo != NULL ? make_folder(part.folder) : cli_error_memory();
    remove_file(plan, "/" PARTS_OVER); /* runs are made again from now on */
    if (code == CLI_OK)
        code = find_runs(&part);
    if (code == CLI_OK) {
        uint32_t jobs = spread_jobs(part.choice, part.plan->threads, part.todo_count);
        struct spread_work work = {.plan = part.plan, .jobs = jobs};
        const struct makers makers = {
            .settings = spread_pool(&work, jobs),
            .todo = part.todo,
            .count = part.todo_count,
            .progress = &part.progress,
            .keep = keep,
            .context = &part,
        };
        sweep_progress_start(&part.progress, part.todo_count, part.choice->quiet);
        code = part.todo_count > 0 ? makers_run(&makers) : CLI_OK;
    }
    if (code == CLI_INTERRUPTED || (code == CLI_OK && !choice->quiet))
        cli_error(CLI_OK, "%s: part %u of %u: %s%u of %u runs are done%s", part.folder, choice->part, choice->parts,
                  code == CLI_INTERRUPTED ? "interrupted: " : "", part.progress.there + part.progress.done,
                  part.progress.total, code == CLI_INTERRUPTED ? " (the same command makes the rest)" : "");
    free(part.folder);
    free(part.todo);
    return code != CLI_OK ? code : part.worst;
}
