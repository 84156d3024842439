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
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/version.h"
#include "experiment/pool.h"
#include "experiment/progress.h"
#include "experiment/run.h"
#include "experiment/work.h"
#include "results/code.h"
#include "scenario/yaml/text_stream.h"
#include "tables/results_show.h"
#include "tables/run_violations.h"

#define WAIT_S 0.1 /* the line is looked after at least so often */

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

struct sweep {
    const struct run_plan *plan;
    const struct run_choice *choice;
    struct store *store;
    struct pool pool;
    bool *again;            /* [runs]: repeated whatever is there; null: none */
    const char **forgotten; /* ids of those among `todo` */
    uint32_t forgotten_count;
    uint32_t *todo; /* runs that are missing, those in the testbed last */
    uint32_t todo_count, next;
    uint32_t simulated; /* how many of them come first */
    uint32_t end;       /* of the part that is being made */
    struct sweep_progress progress;
    struct reasons reasons;
    struct sweep_records records;
    int worst; /* exit code of the runs that failed */
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

static void tell_reasons(const struct reasons *reasons, const char *database)
{
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
}

static int open_store(struct sweep *sweep)
{
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    sweep->store = store_open_to_write(sweep->plan->database, &status);
    if (sweep->store == NULL)
        return cli_report(&status);
    return run_plan_write(sweep->plan, sweep->store, &status) ? CLI_OK : cli_report(&status);
}

/* What `weir run` cannot make is not missing. */
static void leave_out(struct sweep *sweep)
{
    const struct run_plan *plan = sweep->plan;
    if (plan->todo_real > 0 && !sweep->choice->quiet)
        cli_error(CLI_OK, "%s: %u of %u runs are for the testbed and left out ('weir testbed run' makes them)",
                  plan->file, plan->todo_real, plan->todo_count);
    sweep->progress.total -= plan->todo_real;
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
    const struct run_plan *plan = sweep->plan;
    int code = CLI_OK;
    for (uint32_t i = 0; i < plan->todo_count && code == CLI_OK; i++)
        if (plan->real[plan->todo[i]] == real)
            code = look_at_run(sweep, plan->todo[i]);
    return code;
}

/* The runs that --again means, at whichever of their places it names them. */
static int find_again(struct sweep *sweep)
{
    const struct run_plan *plan = sweep->plan;
    sweep->forgotten = calloc(plan->runs, sizeof *sweep->forgotten);
    sweep->again = sweep->choice->again ? calloc(plan->runs, sizeof *sweep->again) : NULL;
    if (sweep->forgotten == NULL || (sweep->choice->again && sweep->again == NULL))
        return cli_error_memory();
    int code = sweep->again != NULL ? run_plan_find(plan, "--again", &sweep->choice->again_only, sweep->again) : CLI_OK;
    for (uint32_t run = 0; run < plan->runs && sweep->again != NULL; run++)
        sweep->again[plan->first[run]] |= sweep->again[run];
    return code;
}

static int find_missing(struct sweep *sweep)
{
    sweep->todo = calloc(sweep->plan->todo_count, sizeof *sweep->todo);
    if (sweep->todo == NULL)
        return cli_error_memory();
    sweep->progress.total = sweep->plan->todo_count;
    int code = find_again(sweep);
    if (code == CLI_OK)
        code = add_missing(sweep, false);
    sweep->simulated = sweep->todo_count;
    if (code == CLI_OK && sweep->choice->testbed != NULL)
        code = add_missing(sweep, true);
    else if (code == CLI_OK)
        leave_out(sweep);
    sweep->progress.there = sweep->progress.total - sweep->todo_count;
    return code;
}

static void tell_missing(const struct sweep *sweep)
{
    const char *database = sweep->plan->database;
    tell_reasons(&sweep->reasons, database);
    if (sweep->progress.there == 0 || sweep->choice->quiet)
        return;
    if (sweep->todo_count == 0)
        cli_error(CLI_OK, "%s: all %u runs are done (--again repeats them)", database, sweep->progress.total);
    else
        cli_error(CLI_OK, "%s: resuming: %u of %u runs are done", database, sweep->progress.there,
                  sweep->progress.total);
}

/* What a run reads must not be what is written. Another seed reads the same. */
static int check_inputs(const struct sweep *sweep)
{
    const struct run_plan *plan = sweep->plan;
    int code = CLI_OK;
    for (uint32_t i = 0; i < plan->todo_count && code == CLI_OK; i++) {
        struct scenario scenario;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        if (i > 0 && plan->todo[i] / plan->experiment.seed_count == plan->todo[i - 1] / plan->experiment.seed_count)
            continue;
        bool built = run_plan_scenario(plan, plan->todo[i], &scenario, &error);
        code = built ? run_check_lists(sweep->choice, &scenario) : cli_report(&error);
        scenario_free(&scenario);
    }
    return code;
}

/* The database keeps no flows: what is not made now has none, and a part of them must not pass for the whole. */
static int open_records(struct sweep *sweep)
{
    const struct run_plan *plan = sweep->plan;
    const char *path = sweep->choice->records;
    if (path == NULL)
        return CLI_OK;
    if (plan->todo_real > 0)
        return cli_error(CLI_INPUT,
                         "run: --records: %u of %u runs are for the testbed and not made here (expected --only "
                         "AXIS=LABEL with the others)",
                         plan->todo_real, plan->todo_count);
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

/* Stores what a child left. */
static int keep(struct sweep *sweep, const struct pool_done *done)
{
    const struct run_plan *plan = sweep->plan;
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    struct run_sent sent;
    char reason[RUN_REASON_MAX];
    bool stored;
    int failed = run_work_take(plan, done, &sent, reason);
    if (failed == CLI_OK) {
        const struct store_run run = {
            .id = plan->ids[done->item],
            .seed = plan->experiment.first_seed + done->item % plan->experiment.seed_count,
            .config = sent.config,
            .measures = &sent.measures,
            .seconds = done->seconds,
            .memory_bytes = done->memory_bytes,
            .version = version_text(),
            .code = plan->codes[done->item],
        };
        stored = store_add_run(sweep->store, &run, &status);
        sweep->progress.done++;
        sweep->progress.hops += sent.measures.hops;
        for (uint32_t i = 0; i < sent.measures.value_count; i++)
            if (strcmp(sent.measures.values[i].name, "end") == 0)
                sweep->progress.simulated_s += sent.measures.values[i].value;
    } else {
        stored = store_add_failure(sweep->store, plan->ids[done->item], reason, &status);
        sweep->progress.failed++;
        sweep->worst = failed > sweep->worst ? failed : sweep->worst;
    }
    measures_free(&sent.measures);
    return stored ? CLI_OK : cli_report(&status);
}

/* As many as there is room for. A system that has no processes or descriptors left is asked again when a child has
 * ended. */
static int start_more(struct sweep *sweep)
{
    while (sweep->next < sweep->end && pool_has_room(&sweep->pool)) {
        if (pool_start(&sweep->pool, sweep->todo[sweep->next])) {
            sweep->next++;
            continue;
        }
        if (sweep->pool.running > 0)
            return CLI_OK;
        return cli_error(CLI_INTERNAL, "cannot start a process: %s%s", strerror(errno),
                         errno == EMFILE ? " (raise the limit, 'ulimit -n')" : "");
    }
    return CLI_OK;
}

static int make_runs(struct sweep *sweep)
{
    int code = start_more(sweep), started;
    while (code == CLI_OK && sweep->pool.running > 0) {
        struct pool_done done = {.bytes = NULL};
        switch (pool_wait(&sweep->pool, WAIT_S, &done)) {
        case POOL_DONE:
            started = start_more(sweep); /* first: runs must not wait for the database */
            code = keep(sweep, &done);
            code = code == CLI_OK ? started : code;
            free(done.bytes);
            break;
        case POOL_SIGNAL:
            return RUN_INTERRUPTED;
        case POOL_NO_MEMORY:
            return cli_error_memory();
        case POOL_FAILED:
            return cli_error(CLI_INTERNAL, "cannot wait for processes: %s", strerror(errno));
        case POOL_TIME:
            break;
        }
        sweep_progress_show(&sweep->progress, sweep->pool.running);
    }
    return code;
}

/* The next part of the list, up to sweep->end. */
static int run_pool(struct sweep *sweep, const struct pool_settings *settings)
{
    sweep_progress_start(&sweep->progress, sweep->end - sweep->next, sweep->choice->quiet);
    bool ready = pool_init(&sweep->pool, settings);
    int code = ready ? make_runs(sweep) : cli_error(CLI_INTERNAL, "cannot start processes: %s", strerror(errno));
    sweep_progress_clear(&sweep->progress);
    pool_free(&sweep->pool);
    bool again = sweep->choice->again, records = sweep->choice->records != NULL;
    if (code == RUN_INTERRUPTED)
        cli_error(CLI_OK, "%s: interrupted: %u of %u runs are done (the same command%s%s%s makes the rest)",
                  sweep->plan->database, sweep->progress.there + sweep->progress.done, sweep->progress.total,
                  again || records ? " without " : "", again ? "--again" : "",
                  !records ? ""
                  : again  ? " and --records"
                           : "--records");
    return code;
}

static int run_simulations(struct sweep *sweep)
{
    const struct run_plan *plan = sweep->plan;
    const struct run_limits *limits = &plan->experiment.limits;
    uint32_t processors = pool_processors();
    uint32_t fitting = plan->threads < processors ? processors / plan->threads : 1;
    uint32_t jobs = sweep->choice->jobs > 0 ? (uint32_t)sweep->choice->jobs : fitting;
    struct run_in_simulator context = {plan, sweep->records.folder != NULL ? &sweep->records : NULL,
                                       jobs < sweep->simulated ? jobs : sweep->simulated};
    const struct pool_settings settings = {
        .jobs = jobs < sweep->simulated ? jobs : sweep->simulated,
        .time_s = (double)limits->time_ps / (double)WEIR_PS_PER_S,
        .work = run_work,
        .context = &context,
    };
    sweep->end = sweep->simulated;
    return sweep->end > 0 ? run_pool(sweep, &settings) : CLI_OK;
}

/* One at a time, and nothing beside it: they need the machine for themselves, and last as long as their traffic. */
static int run_in_testbed(struct sweep *sweep)
{
    const struct run_testbed *testbed = sweep->choice->testbed;
    struct run_in_testbed context = {sweep->plan, testbed};
    uint32_t count = sweep->todo_count - sweep->next;
    sweep->end = sweep->todo_count;
    if (count == 0)
        return CLI_OK;
    struct run_real_time time = testbed->time(sweep->plan, sweep->todo + sweep->next, count);
    const struct pool_settings settings = {.jobs = 1, .time_s = time.limit, .work = testbed->work, .context = &context};
    if (!sweep->choice->quiet)
        cli_error(CLI_OK, "%s: %u %s in the testbed, one after the other: at most %u min %02u s", sweep->plan->file,
                  count, count == 1 ? "run" : "runs", (uint32_t)time.all / 60, (uint32_t)time.all % 60);
    sweep->progress.planned_s = time.all;
    int code = run_pool(sweep, &settings);
    testbed->settle(testbed);
    return code;
}

/* A word of a shell's command line. */
static void put_word(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./%+=:,@-";
    putc(' ', out);
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        fputs(word, out);
        return;
    }
    putc('\'', out);
    for (; *word != '\0'; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, out);
    putc('\'', out);
}

/* This command again, as far as it decides what is run; to be freed. Null: out of memory. */
static char *command_text(const struct run_choice *choice, const char *file)
{
    struct text_stream stream;
    if (!text_stream_open(&stream))
        return NULL;
    FILE *out = stream.out;
    fputs(choice->testbed != NULL ? "weir testbed run" : "weir run", out);
    fputs(choice->changes.quick ? " --quick" : "", out);
    for (uint32_t i = 0; i < choice->changes.sets; i++) {
        fputs(" --set", out);
        put_word(out, choice->changes.set[i]);
    }
    if (choice->changes.seed_given)
        fprintf(out, " --seed %" PRIu64, choice->changes.seed);
    if (choice->changes.seeds_given)
        fprintf(out, " --seeds %" PRIu64, choice->changes.seeds);
    if (choice->output != NULL) {
        fputs(" --output", out);
        put_word(out, choice->output);
    }
    put_word(out, file);
    return text_stream_close(&stream);
}

static int show_results(const struct sweep *sweep)
{
    struct results_page page;
    char *again = command_text(sweep->choice, sweep->plan->file);
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

int run_sweep(const struct run_plan *plan, const struct run_choice *choice)
{
    struct sweep sweep = {
        .plan = plan, .choice = choice, .records = {.plan = plan, .file = OUTPUT_FILE_NONE}, .worst = CLI_OK};
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    int code = open_store(&sweep);
    if (code == CLI_OK)
        code = find_missing(&sweep);
    if (code == CLI_OK)
        code = open_records(&sweep);
    if (code == CLI_OK) {
        tell_missing(&sweep);
        code = forget(&sweep);
    }
    if (code == CLI_OK)
        code = run_simulations(&sweep);
    if (code == CLI_OK)
        code = run_in_testbed(&sweep);
    int written = code == CLI_OK ? finish_records(&sweep) : CLI_OK;
    sweep_records_discard(&sweep.records);
    free(sweep.todo);
    free(sweep.again);
    free(sweep.forgotten);
    if (sweep.store != NULL && !store_close(sweep.store, &status) && (code == CLI_OK || code == RUN_INTERRUPTED))
        code = cli_report(&status);
    if (code != CLI_OK)
        return code;
    code = show_results(&sweep);
    code = written > code ? written : code;
    return code > sweep.worst ? code : sweep.worst;
}
