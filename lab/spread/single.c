/*
 * single.c - one run in this process, in every detail: tables, files of flows and series, traces. It goes into the
 * database like the runs of a sweep, unless it was interrupted: then it says less than a whole one.
 */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <sys/resource.h>

#include "cli/version.h"
#include "lab/plan/guard.h"
#include "lab/spread/ranks.h"
#include "lab/spread/spread.h"
#include "show/writers/results_show.h"
#include "show/writers/run_violations.h"
#include "sim/waits.h"

struct single {
    const struct plan *plan;
    const struct spread_choice *choice;
    uint32_t run;
    struct store *store; /* null: closed */
    struct run *made;
    struct spread_written *written;
    struct fabric *fabric; /* null: this process alone */
};

static int keep(struct single *single)
{
    const struct plan *plan = single->plan;
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    struct measures measures;
    struct rusage usage = {.ru_maxrss = 0};
    getrusage(RUSAGE_SELF, &usage);
    bool measured = run_measures(single->made, &measures);
    char *config = measured ? node_text(single->made->scenario.effective) : NULL;
    const struct store_run run = {.id = plan->ids[single->run],
                                  .seed = single->made->scenario.config.seed,
                                  .config = config,
                                  .measures = &measures,
                                  .seconds = single->made->seconds,
                                  .memory_bytes = (uint64_t)usage.ru_maxrss * 1024,
                                  .version = version_text(),
                                  .code = plan->codes[single->run]};
    int code = config != NULL ? CLI_OK : cli_error_memory();
    if (code == CLI_OK && !(plan_write(plan, single->store, &status) && store_add_run(single->store, &run, &status)))
        code = cli_report(&status);
    if (code == CLI_OK) {
        if (!store_close(single->store, &status))
            code = cli_report(&status);
        single->store = NULL;
    }
    measures_free(&measures);
    free(config);
    return code;
}

/* The tables are for people; JSON and CSV on standard output stay alone. */
static bool prints_tables(const struct spread_choice *choice)
{
    const char *const paths[] = {choice->records,  choice->series, choice->losses, choice->pauses,
                                 choice->timeline, choice->flows,  choice->csv};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (paths[i] != NULL && output_is_stdout(paths[i]))
            return false;
    return !choice->json;
}

static int show(struct single *single)
{
    struct run_result *result = malloc(sizeof *result);
    struct results_page page = {.points = NULL};
    bool stored = single->made->end == RUN_DONE && prints_tables(single->choice);
    if (result == NULL)
        return cli_error_memory();
    int code = run_measure(single->made, result) ? CLI_OK : cli_error_memory();
    if (code == CLI_OK && stored)
        code = results_page_make(&page, single->plan->database, RESULTS_OF_ONE);
    if (code == CLI_OK)
        code = spread_show(result, single->choice, single->written);
    if (code == CLI_OK && stored)
        results_page_put(&page, NULL);
    if (code == CLI_OK)
        code = run_violations_report(result);
    results_page_free(&page);
    run_result_free(result);
    free(result);
    return code;
}

/* The run as it is asked for, ready to go, and the files that are written while it does. */
static int begin(struct single *single)
{
    const struct run_limits *limits = &single->plan->experiment.limits;
    const struct spread_choice *choice = single->choice;
    struct run *run = single->made;
    struct weir_error error;
    const char *rows = choice->rows != NULL ? choice->rows : run->scenario.rows.file;
    bool jobs = false;
    for (uint32_t i = 0; i < run->scenario.config.traffic_count; i++)
        jobs = jobs || run->scenario.config.traffic[i].job != NULL;
    if (choice->timeline != NULL && !jobs)
        return cli_error(CLI_USAGE, "run: --timeline: %s has no job (expected traffic of kind job or collective)",
                         single->plan->file);
    if (choice->timeline != NULL && spread_ranks_split(choice, single->plan))
        return cli_error(CLI_USAGE,
                         "run: --timeline needs all hosts in one process (expected --threads instead of mpirun)");
    if (spread_ranks_split(choice, single->plan)) {
        single->fabric = spread_fabric_begin(choice->ranks, single->plan, single->run, &error);
        if (single->fabric == NULL)
            return cli_report(&error);
    }
    const struct run_options options = {
        .time_s = (double)limits->time_ps / (double)WEIR_PS_PER_S,
        .profile_ns = choice->profile ? spread_profile_ns : NULL,
        .ranks = single->fabric != NULL ? spread_fabric_ranks(single->fabric) : NULL,
        .take_row = rows != NULL ? spread_rows_take : NULL,
        .rows_context = &single->written->rows,
        .follow = choice->packet_files > 0 ? &single->written->packets.follow.follow : NULL,
    };
    run_ask(run, &options);
    guard_start(limits, spread_ranks_here(choice->ranks), GUARD_STDERR);
    int code = spread_begin(run, choice->quiet);
    if (code != CLI_OK || run->end == RUN_STOPPED)
        return code;
    if (choice->timeline != NULL && !sim_keep_jobs(run_sim(run)))
        return cli_error_memory();
    if (run->foreseen)
        guard_start(limits, spread_ranks_here(choice->ranks), GUARD_STDERR); /* the time of foreseeing does not count */
    code = spread_traces_open(&single->written->traces, choice, run);
    if (code == CLI_OK && rows != NULL && !spread_rows_open(&single->written->rows, rows, run))
        code = CLI_INTERNAL;
    return code;
}

static int go(struct single *single)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    int code = spread_go(single->made, single->choice->quiet);
    if (code == CLI_OK && single->fabric != NULL && !spread_fabric_end(single->fabric, &error))
        code = cli_report(&error);
    guard_stop();
    const bool interrupted = single->made->end == RUN_STOPPED;
    if (code == CLI_OK && (single->written->rows.failed || !spread_traces_end(&single->written->traces, interrupted) ||
                           !spread_packets_end(&single->written->packets, interrupted)))
        code = CLI_INTERNAL;
    if (code == CLI_OK && single->made->end == RUN_DONE)
        code = keep(single);
    if (code != CLI_OK)
        return code;
    spread_rows_warn(single->made);
    if (single->choice->profile)
        spread_profile_put(run_sim(single->made));
    return show(single);
}

int spread_single(const struct plan *plan, const struct spread_choice *choice, uint32_t run)
{
    const struct run_source source = plan_source(plan, run);
    struct run own = {.end = RUN_PAUSED};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct single single = {.plan = plan, .choice = choice, .run = run, .made = plan->tried};
    int code = CLI_OK;
    if (single.made == NULL) {
        single.made = &own;
        if (!run_open(&own, &source, NULL))
            code = cli_report(&own.error);
    }
    if (code == CLI_OK) /* what the run reads must not be what it writes */
        code = spread_check_database(choice, plan->database);
    if (code == CLI_OK)
        code = spread_check_lists(choice, &single.made->scenario);
    if (code == CLI_OK) { /* the run may take long: a database that cannot be written is known now */
        single.store = store_open_to_write(plan->database, &error);
        code = single.store != NULL ? CLI_OK : cli_report(&error);
    }
    if (code == CLI_OK && (single.written = calloc(1, sizeof *single.written)) == NULL)
        code = cli_error_memory();
    if (code == CLI_OK)
        code = spread_packets_open(&single.written->packets, choice, single.made);
    if (code == CLI_OK)
        code = begin(&single);
    if (code == CLI_OK && single.made->end == RUN_PAUSED)
        code = go(&single);
    guard_stop();
    bool interrupted = single.made->end == RUN_STOPPED;
    if (single.store != NULL)
        store_abandon(single.store);
    if (single.written != NULL) {
        spread_rows_discard(&single.written->rows);
        spread_traces_discard(&single.written->traces);
        spread_packets_discard(&single.written->packets);
    }
    free(single.written);
    run_close(single.made);
    spread_fabric_free(single.fabric);
    return code <= CLI_VIOLATION && interrupted ? CLI_INTERRUPTED : code;
}
