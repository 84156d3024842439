/*
 * cmd_run.c - `weir run`: a scenario file, simulated. Its parts: the command line (run_choice.c), the file to a config
 * (run_load.c), the run (run_progress.c), the numbers (run_result.c), and how they are shown (run_show.c and below).
 */
#include "cmd_run.h"

#include <stdlib.h>
#include <string.h>

/* What sim_create has to say: out of memory, or what is wrong with the scenario. */
static int report_create(const struct scenario *scenario, const char *message)
{
    if (strstr(message, "out of memory") != NULL)
        return cli_error_memory();
    return cli_error(CLI_INPUT, "%s: %s", scenario->origin, message);
}

static int run_scenario(const struct scenario *scenario, const struct run_choice *choice)
{
    char message[WEIR_MESSAGE_MAX] = "";
    bool interrupted = false;
    struct sim *sim = sim_create(&scenario->config, message);
    if (sim == NULL)
        return report_create(scenario, message);
    int code = run_simulate(sim, choice->quiet, &interrupted);
    struct run_result *result = code == CLI_OK ? malloc(sizeof *result) : NULL;
    if (code == CLI_OK && result == NULL)
        code = cli_error_memory();
    if (result != NULL) {
        code = run_result_make(result, scenario, sim, interrupted) ? run_show(result, choice) : cli_error_memory();
        run_result_free(result);
    }
    free(result);
    sim_free(sim);
    return code == CLI_OK && interrupted ? RUN_INTERRUPTED : code;
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
    if (code == CLI_OK && choice.print_config)
        node_print(scenario.effective, stdout);
    else if (code == CLI_OK)
        code = run_scenario(&scenario, &choice);
    scenario_free(&scenario);
    return code;
}
