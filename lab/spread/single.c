/*
 * single.c - one run in this process, in every detail: tables, files of flows and series, traces. It goes into the
 * database like the runs of a sweep, unless it was interrupted: then it says less than a whole one.
 */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/clock.h"
#include "cli/version.h"
#include "lab/spread/guard.h"
#include "lab/spread/ranks.h"
#include "lab/spread/run.h"
#include "lab/spread/work.h"
#include "show/writers/results_show.h"
#include "show/writers/run_violations.h"

struct single {
    const struct run_plan *plan;
    const struct run_choice *choice;
    uint32_t run;
    struct store *store; /* null: closed */
    struct sim *sim;
    struct run_traces *traces;
    struct run_rows rows;
    struct fabric *fabric; /* null: this process alone */
    bool interrupted;
    double seconds;
};

/* Before the simulation, which may take long: a database that cannot be written is known now. */
static int open_store(struct single *single)
{
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    single->store = store_open_to_write(single->plan->database, &status);
    return single->store != NULL ? CLI_OK : cli_report(&status);
}

static uint64_t memory_used(void)
{
    struct rusage usage = {.ru_maxrss = 0};
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_maxrss * 1024;
}

static int keep(struct single *single, const struct scenario *scenario)
{
    const struct run_plan *plan = single->plan;
    struct weir_error status = {.code = WEIR_ERROR_NONE};
    struct measures measures;
    bool measured = run_work_measure(scenario, single->sim, &measures);
    char *config = measured ? node_text(scenario->effective) : NULL;
    const struct store_run run = {.id = plan->ids[single->run],
                                  .seed = scenario->config.seed,
                                  .config = config,
                                  .measures = &measures,
                                  .seconds = single->seconds,
                                  .memory_bytes = memory_used(),
                                  .version = version_text(),
                                  .code = plan->codes[single->run]};
    int code = config != NULL ? CLI_OK : cli_error_memory();
    if (code == CLI_OK &&
        !(run_plan_write(plan, single->store, &status) && store_add_run(single->store, &run, &status)))
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
static bool prints_tables(const struct run_choice *choice)
{
    const char *const paths[] = {choice->records, choice->series, choice->losses, choice->pauses, choice->csv};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (paths[i] != NULL && output_is_stdout(paths[i]))
            return false;
    return !choice->json;
}

static int show(struct single *single, const struct scenario *scenario)
{
    struct run_result *result = malloc(sizeof *result);
    struct results_page page = {.path = NULL};
    bool stored = !single->interrupted && prints_tables(single->choice);
    if (result == NULL)
        return cli_error_memory();
    int code = run_result_make(result, scenario, single->sim, single->interrupted) ? CLI_OK : cli_error_memory();
    if (code == CLI_OK && stored)
        code = results_page_make(&page, single->plan->database, RESULTS_OF_ONE);
    if (code == CLI_OK)
        code = run_show(result, single->choice, single->traces, &single->rows);
    if (code == CLI_OK && stored)
        results_page_put(&page, NULL);
    if (code == CLI_OK)
        code = run_violations_report(result);
    results_page_free(&page);
    run_result_free(result);
    free(result);
    return code;
}

static int simulate(struct single *single)
{
    const struct run_limits *limits = &single->plan->experiment.limits;
    double started = clock_seconds();
    int code = run_simulate(single->sim, (double)limits->time_ps / (double)WEIR_PS_PER_S, single->choice->quiet,
                            &single->interrupted);
    single->seconds = clock_seconds() - started;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (code == CLI_OK && single->fabric != NULL && !run_fabric_end(single->fabric, &error))
        return cli_report(&error);
    return code;
}

static const char *rows_path(const struct single *single, const struct scenario *scenario)
{
    return single->choice->rows != NULL ? single->choice->rows : scenario->rows.file;
}

/* The simulation, and the files that are written while it runs. */
static int create(struct single *single, struct scenario *scenario)
{
    struct weir_error error;
    const char *rows = rows_path(single, scenario);
    if (rows != NULL || scenario->rows.forest != NULL)
        run_rows_ask(&single->rows, scenario);
    if (single->choice->profile)
        run_profile_ask(scenario);
    guard_start(&single->plan->experiment.limits, run_ranks_here(single->choice->ranks),
                GUARD_STDERR); /* the time of foreseeing does not count */
    if (run_ranks_split(single->choice, single->plan)) {
        single->fabric = run_fabric_begin(single->choice->ranks, single->plan, single->run, &error);
        if (single->fabric == NULL)
            return cli_report(&error);
        scenario->config.ranks = run_fabric_ranks(single->fabric);
    }
    single->sim = scenario_create(scenario, &error);
    if (single->sim == NULL)
        return cli_report(&error);
    single->traces = calloc(1, sizeof *single->traces);
    int code = single->traces != NULL ? run_traces_open(single->traces, single->choice, scenario, single->sim)
                                      : cli_error_memory();
    if (code == CLI_OK && rows != NULL && !run_rows_open(&single->rows, rows, scenario, single->sim))
        code = CLI_INTERNAL;
    return code;
}

static int foresee(struct single *single, struct scenario *scenario)
{
    double limit = (double)single->plan->experiment.limits.time_ps / (double)WEIR_PS_PER_S;
    return scenario_is_foreseen(scenario) ? run_foresee(scenario, limit, single->choice->quiet, &single->interrupted)
                                          : CLI_OK;
}

static int run_scenario(struct single *single, struct scenario *scenario)
{
    int code = open_store(single);
    guard_start(&single->plan->experiment.limits, run_ranks_here(single->choice->ranks), GUARD_STDERR);
    if (code == CLI_OK)
        code = foresee(single, scenario);
    if (code != CLI_OK || single->interrupted)
        return code;
    code = create(single, scenario);
    if (code == CLI_OK)
        code = simulate(single);
    guard_stop();
    if (code == CLI_OK && single->rows.failed)
        code = CLI_INTERNAL;
    if (code == CLI_OK && !run_traces_end(single->traces, single->interrupted))
        code = CLI_INTERNAL;
    if (code == CLI_OK && !single->interrupted)
        code = keep(single, scenario);
    if (code != CLI_OK)
        return code;
    run_rows_warn(single->sim);
    if (single->choice->profile)
        run_profile_put(single->sim);
    return show(single, scenario);
}

/* What the run reads must not be what it writes. */
static int check_files(const struct single *single, const struct scenario *scenario)
{
    int code = run_check_database(single->choice, single->plan->database);
    return code == CLI_OK ? run_check_lists(single->choice, scenario) : code;
}

int run_single(const struct run_plan *plan, const struct run_choice *choice, uint32_t run)
{
    struct single single = {.plan = plan, .choice = choice, .run = run};
    struct scenario scenario;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    int code = run_plan_scenario(plan, run, &scenario, &error) ? check_files(&single, &scenario) : cli_report(&error);
    if (code == CLI_OK)
        code = run_scenario(&single, &scenario);
    guard_stop();
    if (single.store != NULL)
        store_abandon(single.store);
    run_rows_discard(&single.rows);
    if (single.traces != NULL)
        run_traces_discard(single.traces);
    free(single.traces);
    if (single.sim != NULL)
        sim_free(single.sim);
    run_fabric_free(single.fabric);
    scenario_free(&scenario);
    return code <= CLI_VIOLATION && single.interrupted ? RUN_INTERRUPTED : code;
}
