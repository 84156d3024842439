/*
 * cmd_run.c - `weir run`: scenario files, run as experiments. Its parts: the command line (run_choice.c,
 * run_outputs.c), files to runs (run_load.c, run_plan.c), one run in this process (run_single.c) or many in their own
 * (run_sweep.c, pool.h), the numbers (run_result.c, run_measures.c), and how they are shown (run_show.c, results_show.c
 * and below).
 */
#include "experiment/run.h"

#include <stdlib.h>
#include <string.h>

int run_find_only(const struct run_plan *plan, const char *only, uint32_t *run)
{
    uint32_t found = 0;
    size_t length = strlen(only);
    for (uint32_t i = plan->todo_count; i-- > 0;)
        if (strncmp(plan->ids[plan->todo[i]], only, length) == 0) {
            *run = plan->todo[i];
            found++;
        }
    if (found == 0)
        return cli_error(CLI_INPUT, "--only: %s has no run '%s' (see 'weir run --list')", plan->file, only);
    if (found > 1)
        return cli_error(CLI_INPUT, "--only: %u runs of %s start with '%s' (expected more of the id)", found,
                         plan->file, only);
    return CLI_OK;
}

static int run_one(const struct run_plan *plan, const struct run_choice *choice, uint32_t run)
{
    if (plan->real[run])
        return cli_error(CLI_INPUT, "%s: run %s is for the testbed ('weir testbed run' makes it)", plan->file,
                         plan->ids[run]);
    return run_single(plan, choice, run);
}

static int run_experiment(const struct run_plan *plan, const struct run_choice *choice)
{
    uint32_t run = 0;
    if (choice->print_config)
        return run_print_config(plan);
    if (choice->list)
        return run_print_list(plan);
    if (choice->only != NULL) {
        int code = run_find_only(plan, choice->only, &run);
        return code == CLI_OK ? run_one(plan, choice, run) : code;
    }
    return plan->runs == 1 ? run_one(plan, choice, 0) : run_sweep(plan, choice);
}

/* Before anything runs: results of two files must not go to one place, and some things are of one run only. */
static int check_plans(const struct run_plan *plans, const struct run_choice *choice)
{
    for (uint32_t i = 0; i < choice->file_count; i++) {
        for (uint32_t j = 0; j < i; j++)
            if (output_same_file(plans[i].database, plans[j].database))
                return cli_error(CLI_USAGE, "run: the results of %s and %s would both be %s (expected other names)",
                                 plans[j].file, plans[i].file, plans[i].database);
        bool many = choice->file_count > 1 || (plans[i].runs > 1 && choice->only == NULL);
        int code = many ? run_check_many(choice, &plans[i]) : CLI_OK;
        if (code != CLI_OK)
            return code;
    }
    return CLI_OK;
}

static int run_files(const struct run_choice *choice)
{
    struct run_plan *plans = calloc(choice->file_count, sizeof *plans);
    int code = plans != NULL ? CLI_OK : cli_error_memory(), worst = CLI_OK;
    uint32_t made = 0;
    for (; code == CLI_OK && made < choice->file_count; made++)
        code = run_plan_make(&plans[made], choice->files[made], &choice->changes, choice->output);
    if (code == CLI_OK)
        code = check_plans(plans, choice);
    for (uint32_t i = 0; code == CLI_OK && i < choice->file_count; i++) {
        int done = run_experiment(&plans[i], choice);
        worst = done > worst ? done : worst;
        code = done == RUN_INTERRUPTED ? done : CLI_OK; /* a file that fails keeps no other from running */
    }
    for (uint32_t i = 0; i < made; i++)
        run_plan_free(&plans[i]);
    free(plans);
    return code != CLI_OK ? code : worst;
}

int weir_cmd_run(int argc, char **argv)
{
    struct run_choice choice;
    bool stop;
    int code = run_choice_read(&choice, argc, argv, &stop);
    if (stop || code != CLI_OK)
        return code;
    if (choice.reference)
        return scenario_reference(stdout) ? CLI_OK : cli_error_memory();
    if (choice.schema)
        return experiment_schema(stdout) ? CLI_OK : cli_error_memory();
    return run_files(&choice);
}
