/*
 * cmd_run.c - `weir run`: a scenario file, simulated. Its parts: the command line (run_choice.c), the file to a config
 * (run_load.c), the run (run_progress.c) and its traces (run_traces.c), the numbers (run_result.c), and how they are
 * shown (run_show.c and below).
 */
#include "cmd_run.h"

#include <stdlib.h>

static int show(const struct scenario *scenario, const struct run_choice *choice, const struct sim *sim,
                struct run_traces *traces, bool interrupted)
{
    struct run_result *result = malloc(sizeof *result);
    if (result == NULL)
        return cli_error_memory();
    int code =
        run_result_make(result, scenario, sim, interrupted) ? run_show(result, choice, traces) : cli_error_memory();
    run_result_free(result);
    free(result);
    return code;
}

static int run_scenario(const struct scenario *scenario, const struct run_choice *choice)
{
    struct scenario_error error;
    bool interrupted = false;
    struct sim *sim = scenario_create(scenario, &error);
    if (sim == NULL)
        return run_report(&error);
    struct run_traces *traces = calloc(1, sizeof *traces);
    int code = traces != NULL ? run_traces_open(traces, choice, scenario, sim) : cli_error_memory();
    if (code == CLI_OK)
        code = run_simulate(sim, choice->quiet, &interrupted);
    if (code == CLI_OK && !run_traces_end(traces, interrupted))
        code = CLI_INTERNAL;
    if (code == CLI_OK)
        code = show(scenario, choice, sim, traces, interrupted);
    if (traces != NULL)
        run_traces_discard(traces);
    free(traces);
    sim_free(sim);
    return code == CLI_OK && interrupted ? RUN_INTERRUPTED : code;
}

/* Only what can be built is shown. */
static int print_config(const struct scenario *scenario)
{
    struct scenario_error error;
    struct sim *sim = scenario_create(scenario, &error);
    if (sim == NULL)
        return run_report(&error);
    sim_free(sim);
    node_print(scenario->effective, stdout);
    return CLI_OK;
}

int weir_cmd_run(int argc, char **argv)
{
    struct run_choice choice;
    struct scenario scenario;
    bool stop;
    int code = run_choice_read(&choice, argc, argv, &stop);
    if (stop || code != CLI_OK)
        return code;
    if (choice.reference)
        return scenario_reference(stdout) ? CLI_OK : cli_error_memory();
    code = run_load(&scenario, &choice);
    if (code == CLI_OK)
        code = choice.print_config ? print_config(&scenario) : run_scenario(&scenario, &choice);
    scenario_free(&scenario);
    return code;
}
