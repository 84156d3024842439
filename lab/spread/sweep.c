/*
 * sweep.c - the runs of a sweep, made in processes of their own and stored as they finish.
 *
 * The database is the only memory of what is done: a sweep that was stopped, by whatever, is the same command again. A
 * run that fails is written down and the others go on; one in which something happened that must not is kept, and the
 * end names it; a database that cannot be written stops everything, since what
 * follows could not be kept either.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/version.h"
#include "lab/spread/decide.h"
#include "lab/spread/live.h"
#include "lab/spread/makers.h"
#include "lab/spread/parcel.h"
#include "lab/spread/parts.h"
#include "lab/spread/spread.h"
#include "lab/spread/work.h"
#include "lab/store/code.h"
#include "show/writers/results_show.h"
#include "show/writers/run_violations.h"
#include "sim/engine/processors.h"

/* Runs that are made again because one part of what made them has changed. */
#define REASONS_MAX 32u
struct reasons {
    struct {
        enum code_change change;
        char name[CODE_NAME_MAX];
        uint32_t runs;
    } at[REASONS_MAX];
    uint32_t count;
};

#define SPREAD_LATER (-1) /* instead of an exit code: another process is writing to the database */
#define COLLECT_S 1u      /* between two looks at what parts have made */
#define LOOK_S 5u         /* between two looks into the database: others may have taken it in */
#define BUSY_S 60u        /* how long --slurm waits for who is writing, such as --collect */

struct sweep {
    const struct plan *plan;
    const struct spread_choice *choice;
    struct store *store;
    bool *wanted;           /* [runs]: of a sweep until decided, those that it wants now; null: all */
    bool turned;            /* to what open claims want: the first seeds are there */
    double spent_s;         /* by runs of seeds beyond the least */
    bool *again;            /* [runs]: repeated whatever is there; null: none */
    const char **forgotten; /* ids of those among `todo` */
    uint32_t forgotten_count;
    uint32_t *todo; /* runs that are missing, those in the testbed last */
    uint32_t todo_count, next;
    uint32_t simulated; /* how many of them come first */
    uint32_t end;       /* of the part that is being made */
    struct sweep_progress progress;
    struct live live;
    struct reasons reasons;
    struct sweep_records records;
    char *folder;   /* of results that were made elsewhere (parcel.h) */
    uint32_t taken; /* from there */
    int worst;      /* exit code of the runs that failed */
    int differs;    /* CLI_VIOLATION when a run that was made twice gave two results */
};

static void add_reason(struct reasons *reasons, enum code_change change, const char *name)
{
    uint32_t i = 0;
    while (i < reasons->count && !(reasons->at[i].change == change && strcmp(reasons->at[i].name, name) == 0))
        i++;
    if (i == REASONS_MAX)
        return;
    if (i == reasons->count) {
        reasons->at[i].change = change;
        snprintf(reasons->at[i].name, sizeof reasons->at[i].name, "%s", name);
        reasons->count++;
    }
    reasons->at[i].runs++;
}

static int open_store(struct sweep *sweep)
{
    const struct timespec pause = {1, 0};
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    sweep->store = store_open_to_write(sweep->plan->database, &status);
    uint32_t waits = sweep->choice->slurm > 0 && sweep->store == NULL ? BUSY_S : 0;
    if (waits > 0 && status.code == WEIR_ERROR_BUSY && !sweep->choice->quiet)
        cli_error(CLI_OK, "%s: another process is writing to it: waits for %u s at most", sweep->plan->database, waits);
    for (; sweep->store == NULL && status.code == WEIR_ERROR_BUSY && waits > 0; waits--) {
        nanosleep(&pause, NULL);
        sweep->store = store_open_to_write(sweep->plan->database, &status);
    }
    if (sweep->store == NULL)
        return status.code == WEIR_ERROR_BUSY && sweep->choice->collect ? SPREAD_LATER : cli_report(&status);
    return plan_write(sweep->plan, sweep->store, &status) ? CLI_OK : cli_report(&status);
}

/* A run is missing when it is not there, when other code made it, or when it is wanted again. */
static int look_at_run(struct sweep *sweep, uint32_t run)
{
    struct weir_error status;
    char *made, name[CODE_NAME_MAX];
    if (sweep->again != NULL && sweep->again[run]) {
        sweep->forgotten[sweep->forgotten_count++] = sweep->plan->ids[run];
        sweep->todo[sweep->todo_count++] = run;
        return CLI_OK;
    }
    if (!store_find_run(sweep->store, sweep->plan->ids[run], &made, &status))
        return cli_report(&status);
    enum code_change change = made != NULL ? code_compare(made, sweep->plan->codes[run], name) : CODE_SAME;
    if (made == NULL || change != CODE_SAME)
        sweep->todo[sweep->todo_count++] = run;
    if (change != CODE_SAME)
        add_reason(&sweep->reasons, change, name);
    free(made);
    return CLI_OK;
}

static int add_missing(struct sweep *sweep, bool real)
{
    const struct plan *plan = sweep->plan;
    int code = CLI_OK;
    for (uint32_t i = 0; i < plan->todo_count && code == CLI_OK; i++)
        if (plan->real[plan->todo[i]] == real && (sweep->wanted == NULL || sweep->wanted[plan->todo[i]]))
            code = look_at_run(sweep, plan->todo[i]);
    return code;
}

/* The runs that --again means, at whichever of their places it names them. */
static int find_again(struct sweep *sweep)
{
    const struct plan *plan = sweep->plan;
    sweep->forgotten = calloc(plan->runs, sizeof *sweep->forgotten);
    sweep->again = sweep->choice->again ? calloc(plan->runs, sizeof *sweep->again) : NULL;
    if (sweep->forgotten == NULL || (sweep->choice->again && sweep->again == NULL))
        return cli_error_memory();
    int code = sweep->again != NULL ? plan_find(plan, "--again", &sweep->choice->again_only, sweep->again) : CLI_OK;
    for (uint32_t run = 0; run < plan->runs && sweep->again != NULL; run++)
        sweep->again[plan->first[run]] |= sweep->again[run];
    return code;
}

static int find_missing(struct sweep *sweep)
{
    const struct plan *plan = sweep->plan;
    if (sweep->todo == NULL)
        sweep->todo = calloc(plan->todo_count, sizeof *sweep->todo);
    if (sweep->todo == NULL)
        return cli_error_memory();
    sweep->todo_count = sweep->next = 0;
    sweep->progress.total = 0;
    for (uint32_t i = 0; i < plan->todo_count; i++)
        sweep->progress.total += sweep->wanted == NULL || sweep->wanted[plan->todo[i]];
    int code = add_missing(sweep, false);
    sweep->simulated = sweep->todo_count;
    if (code == CLI_OK && sweep->choice->testbed != NULL)
        code = add_missing(sweep, true);
    else
        sweep->progress.total -= sweep->plan->todo_real; /* what `weir run` cannot make is not missing */
    sweep->progress.there = sweep->progress.total - sweep->todo_count;
    return code;
}

static void tell_missing(const struct sweep *sweep)
{
    const struct plan *plan = sweep->plan;
    const char *database = plan->database;
    if (sweep->choice->testbed == NULL && plan->todo_real > 0 && !sweep->choice->quiet)
        cli_error(CLI_OK, "%s: %u of %u runs are for the testbed and left out ('weir testbed run' makes them)",
                  plan->file, plan->todo_real, plan->todo_count);
    const struct reasons *reasons = &sweep->reasons;
    for (uint32_t i = 0; i < reasons->count; i++) {
        const char *name = reasons->at[i].name;
        uint32_t runs = reasons->at[i].runs;
        bool shared = strcmp(name, CODE_SIMULATED) == 0 || strcmp(name, CODE_TESTBED) == 0;
        if (reasons->at[i].change == CODE_UNKNOWN)
            cli_error(CLI_OK, "%s: %u %s not say which code made %s (an older weir did): made again", database, runs,
                      runs == 1 ? "run does" : "runs do", runs == 1 ? "it" : "them");
        else
            cli_error(CLI_OK, "%s: %u %s made by another build of %s%s: made again", database, runs,
                      runs == 1 ? "run was" : "runs were",
                      !shared                           ? "policy "
                      : strcmp(name, CODE_TESTBED) == 0 ? "the "
                                                        : "",
                      name);
    }
    if (sweep->progress.there == 0 || sweep->choice->quiet)
        return;
    if (sweep->todo_count == 0)
        cli_error(CLI_OK, "%s: all %u runs are done (--again repeats them)", database, sweep->progress.total);
    else
        cli_error(CLI_OK, "%s: resuming: %u of %u runs are done", database, sweep->progress.there,
                  sweep->progress.total);
}

/* A run must not read what the sweep writes. Another seed reads the same. */
static int check_inputs(const struct sweep *sweep)
{
    const struct plan *plan = sweep->plan;
    int code = CLI_OK;
    for (uint32_t i = 0; i < plan->todo_count && code == CLI_OK; i++) {
        struct scenario scenario;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        if (i > 0 && plan->todo[i] / plan->experiment.seed_count == plan->todo[i - 1] / plan->experiment.seed_count)
            continue;
        bool built = plan_scenario(plan, plan->todo[i], &scenario, &error);
        code = built ? spread_check_lists(sweep->choice, &scenario) : cli_report(&error);
        scenario_free(&scenario);
    }
    return code;
}

/* The database keeps no flows: what is not made now has none, and a part of them must not pass for the whole. */
static int open_records(struct sweep *sweep)
{
    const struct plan *plan = sweep->plan;
    const char *path = sweep->choice->records;
    if (path == NULL)
        return CLI_OK;
    if (sweep->wanted != NULL)
        return cli_error(CLI_INPUT,
                         "run: --records: %s does not say how many runs there are, but until decided "
                         "(expected a number, --seeds N)",
                         plan->file);
    if (plan->todo_real > 0)
        return cli_error(CLI_INPUT,
                         "run: --records: %u of %u runs are for the testbed and not made here (expected --only "
                         "AXIS=LABEL with the others)",
                         plan->todo_real, plan->todo_count);
    if (sweep->choice->ranks != NULL)
        return cli_error(CLI_USAGE, "run: --records does not go with several ranks: flows stay on the machine that "
                                    "made them (expected no mpirun)");
    if (sweep->progress.there > 0)
        return cli_error(CLI_INPUT,
                         "run: --records: %u of %u runs are done, and %s keeps no flows (expected --again, which makes "
                         "them all, or --output with a new file)",
                         sweep->progress.there, sweep->progress.total, plan->database);
    int code = check_inputs(sweep);
    return code == CLI_OK ? sweep_records_open(&sweep->records, path) : code;
}

static int finish_records(struct sweep *sweep)
{
    if (sweep->records.folder == NULL)
        return CLI_OK;
    if (sweep->progress.failed > 0)
        return cli_error(sweep->worst, "%s: not written: %u of %u runs failed", sweep->choice->records,
                         sweep->progress.failed, sweep->progress.total);
    return sweep_records_finish(&sweep->records, sweep->todo, sweep->todo_count);
}

/* Results that --again repeats are forgotten before the first of them is made: an interruption leaves no mix of old and
 * new ones. Those of other code stay until they are replaced, and can be told. */
static int forget(struct sweep *sweep)
{
    struct weir_error status;
    if (sweep->forgotten_count == 0 ||
        store_forget_runs(sweep->store, sweep->forgotten, sweep->forgotten_count, &status))
        return CLI_OK;
    return cli_report(&status);
}

/* Stores what a process left. */
static int keep(void *context, const struct pool_done *done, const char *version)
{
    struct sweep *sweep = context;
    const struct plan *plan = sweep->plan;
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    struct spread_sent sent;
    char reason[SPREAD_REASON_MAX];
    bool stored;
    live_release(&sweep->live, done->item);
    sweep->spent_s += decide_is_first(plan, done->item) ? 0 : done->seconds;
    int failed = spread_work_take(plan, done, &sent, reason);
    if (failed == CLI_OK) {
        const struct store_run run = {
            .id = plan->ids[done->item],
            .seed = plan->experiment.first_seed + done->item % plan->experiment.seed_count,
            .config = sent.config,
            .measures = &sent.measures,
            .seconds = done->seconds,
            .memory_bytes = done->memory_bytes,
            .version = version,
            .code = plan->codes[done->item],
        };
        stored = store_add_run(sweep->store, &run, &status);
        sweep_progress_add(&sweep->progress, &sent.measures);
    } else {
        stored = store_add_failure(sweep->store, plan->ids[done->item], reason, &status);
        sweep->progress.failed++;
        sweep->worst = failed > sweep->worst ? failed : sweep->worst;
    }
    measures_free(&sent.measures);
    return stored ? CLI_OK : cli_report(&status);
}

/* A result that is there already must be the same, whoever made it. */
static int compare(struct sweep *sweep, const struct parcel *parcel)
{
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    struct spread_sent sent;
    char reason[SPREAD_REASON_MAX];
    bool same = true, asked = true;
    if (spread_work_take(sweep->plan, &parcel->done, &sent, reason) == CLI_OK)
        asked = store_has_digest(sweep->store, parcel->id, sent.measures.digest, &same, &status);
    measures_free(&sent.measures);
    if (!asked)
        return cli_report(&status);
    if (same)
        return CLI_OK;
    sweep->differs = CLI_VIOLATION;
    cli_error(CLI_VIOLATION,
              "%s: run %s was made twice, and %s/%s differs (one of two machines, or weir, is wrong: the file is kept "
              "as %s.differs)",
              sweep->plan->database, parcel->id, sweep->folder, parcel->id, parcel->id);
    return parcel_set_aside(sweep->folder, parcel->id) ? CLI_OK : CLI_INTERNAL;
}

/* Stores a run that was made elsewhere. What other code made is not wanted, nor what --again repeats. */
static int take_in(struct sweep *sweep, uint32_t run, struct parcel *parcel)
{
    const struct plan *plan = sweep->plan;
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    char *made = NULL, name[CODE_NAME_MAX];
    parcel->done.item = run;
    if (code_compare(parcel->code, plan->codes[run], name) != CODE_SAME ||
        (sweep->again != NULL && sweep->again[run])) {
        parcel_remove(sweep->folder, parcel->id);
        return CLI_OK;
    }
    if (!store_find_run(sweep->store, plan->ids[run], &made, &status))
        return cli_report(&status);
    bool there = made != NULL && code_compare(made, plan->codes[run], name) == CODE_SAME;
    free(made);
    int code = there ? compare(sweep, parcel) : keep(sweep, &parcel->done, parcel->version);
    sweep->taken += !there;
    if (code == CLI_OK)
        parcel_mark(sweep->folder, parcel->id);
    return code;
}

static int take_in_all(struct sweep *sweep)
{
    const struct plan *plan = sweep->plan;
    int code = CLI_OK;
    sweep->folder = parts_folder(plan);
    if (sweep->folder == NULL)
        return cli_error_memory();
    uint32_t runs = access(sweep->folder, F_OK) == 0 ? plan->runs : 0;
    for (uint32_t run = 0; run < runs && code == CLI_OK; run++) {
        struct parcel parcel;
        uint8_t *bytes = NULL;
        enum parcel_file file =
            plan->first[run] == run ? parcel_load(sweep->folder, plan->ids[run], &parcel, &bytes) : PARCEL_MISSING;
        if (file == PARCEL_NO_MEMORY)
            code = cli_error_memory();
        else if (file == PARCEL_GOOD)
            code = take_in(sweep, run, &parcel);
        free(bytes);
    }
    if (sweep->taken > 0 && !sweep->choice->quiet && !sweep->choice->collect)
        cli_error(CLI_OK, "%s: took in %u %s made elsewhere", plan->database, sweep->taken,
                  sweep->taken == 1 ? "run" : "runs");
    return code;
}

/* The next part of the list, up to sweep->end. */
static int make_part(struct sweep *sweep, const struct pool_settings *settings, struct spread_ranks *ranks)
{
    bool profile = sweep->choice->profile;
    struct maker *by = profile ? calloc(spread_ranks_count(ranks), sizeof *by) : NULL;
    const struct makers makers = {
        .settings = *settings,
        .ranks = ranks,
        .todo = sweep->todo + sweep->next,
        .count = sweep->end - sweep->next,
        .progress = &sweep->progress,
        .by = by,
        .keep = keep,
        .context = sweep,
    };
    if (profile && by == NULL)
        return cli_error_memory();
    sweep_progress_start(&sweep->progress, makers.count, sweep->choice->quiet);
    sweep->progress.live = &sweep->live;
    live_open(&sweep->live, sweep->plan->database, settings->jobs);
    int code = makers_run(&makers);
    live_close(&sweep->live);
    if (code == CLI_OK && profile)
        spread_profile_put_sweep(sweep->plan, by, spread_ranks_count(ranks), sweep->progress.started);
    free(by);
    sweep->next = sweep->end;
    bool again = sweep->choice->again, records = sweep->choice->records != NULL;
    if (code == CLI_INTERRUPTED)
        cli_error(CLI_OK, "%s: interrupted: %u of %u runs are done (the same command%s%s%s makes the rest)",
                  sweep->plan->database, sweep->progress.there + sweep->progress.done, sweep->progress.total,
                  again || records ? " without " : "", again ? "--again" : "",
                  !records ? ""
                  : again  ? " and --records"
                           : "--records");
    return code;
}

uint32_t spread_jobs(const struct spread_choice *choice, uint32_t threads, uint32_t count)
{
    uint32_t processors = choice->ranks != NULL ? 1 : processors_count(); /* ranks share the processors already */
    uint64_t own = threads < processors ? processors / threads : 1;
    uint64_t jobs = choice->jobs > 0 ? choice->jobs : own;
    return jobs < count ? (uint32_t)jobs : count;
}

void spread_warn_threads(const struct spread_choice *choice, uint32_t threads)
{
    uint32_t processors = processors_count();
    if (threads <= processors || choice->quiet)
        return;
    cli_error(CLI_OK, "warning: %u threads have %u processor%s, and wait for one another (expected --threads %u%s)",
              threads, processors, processors == 1 ? "" : "s", processors,
              choice->ranks != NULL ? ", or mpirun --bind-to none, if it has bound its ranks to cores"
                                    : ", or more processors from taskset or the batch system");
}

/* One at a time, and nothing beside it: they need the machine for themselves, and last as long as their traffic. */
static int make_in_testbed(struct sweep *sweep)
{
    const struct spread_testbed *testbed = sweep->choice->testbed;
    struct spread_in_testbed place = {sweep->plan, testbed};
    uint32_t count = sweep->todo_count - sweep->next;
    sweep->end = sweep->todo_count;
    if (count == 0)
        return CLI_OK;
    struct spread_work work = {.plan = sweep->plan, .engine = testbed->engine, .engine_context = &place};
    struct spread_real_time time = testbed->time(sweep->plan, sweep->todo + sweep->next, count);
    struct pool_settings settings = spread_pool(&work, 1);
    settings.time_s = time.limit;
    if (!sweep->choice->quiet)
        cli_error(CLI_OK, "%s: %u %s in the testbed, one after the other: at most %u min %02u s", sweep->plan->file,
                  count, count == 1 ? "run" : "runs", (uint32_t)time.all / 60, (uint32_t)time.all % 60);
    sweep->progress.planned_s = time.all;
    int code = make_part(sweep, &settings, NULL);
    testbed->settle(testbed);
    return code;
}

static int show_results(const struct sweep *sweep)
{
    struct results_page page;
    char *again = spread_command_text(sweep->choice, sweep->plan->file);
    int code = results_page_make(&page, sweep->plan->database, RESULTS_OF_A_RUN);
    if (code == CLI_OK && again == NULL)
        code = cli_error_memory();
    const char *records = sweep->choice->records;
    if (code == CLI_OK && !(records != NULL && output_is_stdout(records))) /* else flows stay alone there */
        results_page_put(&page, again);
    if (code == CLI_OK)
        code = run_violations_report_sweep(&page.table);
    results_page_free(&page);
    free(again);
    return code;
}

#define BATCHES 2u /* runs that are asked for at once, per job: fewer looks at the database, and some too many */

/* Of a sweep until decided: what its open claims want next becomes what is missing. */
static int turn_to_open(struct sweep *sweep)
{
    const struct plan *plan = sweep->plan;
    if (sweep->wanted == NULL)
        return CLI_OK;
    uint32_t jobs = sweep->choice->slurm > 0 ? (uint32_t)sweep->choice->slurm
                                             : spread_jobs(sweep->choice, plan->threads, plan->runs) *
                                                   spread_ranks_here(sweep->choice->ranks);
    sweep->turned = true;
    if (sweep->again != NULL)
        memset(sweep->again, 0, plan->runs * sizeof *sweep->again);
    sweep->forgotten_count = 0;
    int code = decide_next(plan, BATCHES * jobs, sweep->wanted);
    return code == CLI_OK ? find_missing(sweep) : code;
}

/* What there is, what was made elsewhere, and what is missing then. */
static int prepare(struct sweep *sweep)
{
    int code = open_store(sweep);
    if (code == CLI_OK)
        code = find_again(sweep);
    if (code == CLI_OK)
        code = take_in_all(sweep);
    if (code == CLI_OK && sweep->plan->experiment.until_decided) {
        const struct plan *plan = sweep->plan;
        sweep->wanted = calloc(plan->runs, sizeof *sweep->wanted);
        for (uint32_t run = 0; run < plan->runs && sweep->wanted != NULL; run++)
            sweep->wanted[plan->first[run]] |= decide_is_first(plan, run);
        code = sweep->wanted != NULL ? CLI_OK : cli_error_memory();
    }
    if (code == CLI_OK)
        code = find_missing(sweep);
    if (code == CLI_OK && sweep->todo_count == 0)
        code = turn_to_open(sweep);
    return code;
}

static int make(struct sweep *sweep)
{
    sweep->progress.done = sweep->progress.failed = 0; /* what was taken in is there, or is tried again */
    sweep->worst = CLI_OK;
    int code = open_records(sweep);
    if (code == CLI_OK) {
        if (!sweep->turned)
            tell_missing(sweep);
        code = forget(sweep);
    }
    if (code == CLI_OK) {
        const struct plan *plan = sweep->plan;
        uint32_t jobs = spread_jobs(sweep->choice, plan->threads, sweep->simulated);
        struct spread_work work = {
            .plan = plan,
            .records = sweep->records.folder != NULL ? &sweep->records : NULL,
            .jobs = jobs * spread_ranks_here(sweep->choice->ranks),
            .live = &sweep->live,
        };
        const struct pool_settings settings = spread_pool(&work, jobs);
        sweep->end = sweep->simulated;
        code = sweep->end > 0 ? make_part(sweep, &settings, sweep->choice->ranks) : CLI_OK;
    }
    if (code == CLI_OK)
        code = make_in_testbed(sweep);
    int written = code == CLI_OK ? finish_records(sweep) : CLI_OK;
    sweep_records_discard(&sweep->records);
    sweep->worst = written > sweep->worst ? written : sweep->worst;
    return code;
}

/* Whatever is missing now is for jobs of Slurm. */
static int hand_out(struct sweep *sweep)
{
    tell_missing(sweep);
    int code = forget(sweep);
    if (code == CLI_OK && sweep->simulated == 0)
        return CLI_OK;
    if (code == CLI_OK)
        code = parts_hand_out(sweep->plan, sweep->todo, sweep->simulated);
    return code == CLI_OK ? slurm_print(sweep->plan, sweep->choice, sweep->simulated) : code;
}

/* Closes what `prepare` has opened. */
static int close_sweep(struct sweep *sweep, int code)
{
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    bool made = sweep->choice->slurm == 0 && !sweep->choice->collect && sweep->progress.failed == 0;
    bool whole = sweep->choice->only.count == 0 || sweep->choice->slurm > 0; /* of what was handed out */
    if (code == CLI_OK && whole && (sweep->todo_count == 0 || made))
        parts_finish(sweep->plan);
    free(sweep->todo);
    free(sweep->wanted);
    free(sweep->again);
    free(sweep->forgotten);
    free(sweep->folder);
    if (sweep->store != NULL && !store_close(sweep->store, &status) && (code == CLI_OK || code == CLI_INTERRUPTED))
        code = cli_report(&status);
    return code;
}

static int worst_of(const struct sweep *sweep, int code)
{
    code = code > sweep->differs ? code : sweep->differs;
    return code > sweep->worst ? code : sweep->worst;
}

/* What has come in so far of what parts make, whoever took it in. */
struct collected {
    bool started;
    uint32_t missing; /* runs that the database does not have */
    uint32_t left;    /* of them, those not tried yet */
    struct sweep_progress progress;
    int worst, differs;
};

static void count_collected(struct collected *collected, const struct sweep *sweep)
{
    struct sweep_progress *all = &collected->progress;
    const struct sweep_progress *now = &sweep->progress;
    collected->missing = sweep->todo_count;
    collected->left = 0;
    for (uint32_t i = 0; i < sweep->todo_count; i++)
        collected->left += !parcel_is_marked(sweep->folder, sweep->plan->ids[sweep->todo[i]]);
    all->there = now->there < all->there ? now->there : all->there; /* somebody may make runs again */
    all->done = now->there - all->there;
    all->failed = collected->missing - collected->left;
    all->hops += now->hops;
    all->simulated_s += now->simulated_s;
}

static int look_for_parts(const struct plan *plan, const struct spread_choice *choice, struct collected *collected)
{
    struct sweep sweep = {.plan = plan, .choice = choice, .worst = CLI_OK};
    struct sweep_progress *all = &collected->progress;
    int code = prepare(&sweep);
    if (code == CLI_OK && !collected->started) {
        tell_missing(&sweep);
        *all = (struct sweep_progress){.total = sweep.progress.total, .there = sweep.progress.there};
        sweep_progress_start(all, sweep.todo_count, choice->quiet);
        sweep.progress.hops = 0; /* made before */
        sweep.progress.simulated_s = 0;
        collected->started = true;
    }
    if (code == CLI_OK)
        count_collected(collected, &sweep);
    collected->worst = sweep.worst > collected->worst ? sweep.worst : collected->worst;
    collected->differs = sweep.differs > collected->differs ? sweep.differs : collected->differs;
    return close_sweep(&sweep, code);
}

/* Waits until nothing is missing but what has failed, or nobody makes more. Between two looks nobody is kept from the
 * database: the last job of Slurm wants it too. */
static int await_parts(const struct plan *plan, const struct spread_choice *choice, struct collected *collected)
{
    const struct timespec pause = {COLLECT_S, 0};
    int code = CLI_OK;
    for (uint32_t waited = LOOK_S;; waited += COLLECT_S) {
        bool over = parts_are_over(plan); /* before the look: what came last is in then */
        if (waited >= LOOK_S || over || !collected->started || parts_have_come(plan)) {
            code = look_for_parts(plan, choice, collected);
            waited = 0;
        }
        if (code != SPREAD_LATER && (code != CLI_OK || collected->left == 0 || over))
            return code;
        sweep_progress_show(&collected->progress, PROGRESS_UNKNOWN);
        nanosleep(&pause, NULL);
    }
}

static int collect(const struct plan *plan, const struct spread_choice *choice)
{
    const struct sweep shown = {.plan = plan, .choice = choice};
    struct collected collected = {.worst = CLI_OK, .differs = CLI_OK};
    int code = await_parts(plan, choice, &collected);
    sweep_progress_clear(&collected.progress);
    if (code == CLI_OK)
        code = show_results(&shown);
    if (code <= CLI_VIOLATION && collected.left > 0)
        code = cli_error(CLI_INTERNAL,
                         "%s: %u of %u runs are missing, and nobody makes them: the rounds of Slurm are over ('weir "
                         "run --slurm' starts more; logs are in %s.runs)",
                         plan->database, collected.missing, collected.progress.total, plan->database);
    int failed = collected.missing == 0 ? CLI_OK : collected.worst > CLI_OK ? collected.worst : CLI_INTERNAL;
    code = code > failed ? code : failed;
    return code > collected.differs ? code : collected.differs;
}

int spread_sweep(const struct plan *plan, const struct spread_choice *choice)
{
    struct sweep sweep = {
        .plan = plan, .choice = choice, .records = {.plan = plan, .file = OUTPUT_FILE_NONE}, .worst = CLI_OK};
    if (choice->collect)
        return collect(plan, choice);
    int code = prepare(&sweep);
    if (code == CLI_OK)
        code = choice->slurm > 0 ? hand_out(&sweep) : make(&sweep);
    while (code == CLI_OK && sweep.worst == CLI_OK && sweep.wanted != NULL && choice->slurm == 0 &&
           (choice->decide_s == 0 || sweep.spent_s < choice->decide_s)) {
        code = turn_to_open(&sweep);
        if (code != CLI_OK || sweep.todo_count == 0)
            break;
        code = make(&sweep);
    }
    if (code == CLI_OK && sweep.wanted != NULL && choice->slurm == 0)
        code = decide_report(plan);
    code = close_sweep(&sweep, code);
    if (choice->slurm > 0) /* runs that have failed are handed out again */
        return code > sweep.differs ? code : sweep.differs;
    if (code != CLI_OK)
        return worst_of(&sweep, code);
    return worst_of(&sweep, show_results(&sweep));
}
