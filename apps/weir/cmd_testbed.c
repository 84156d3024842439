/*
 * cmd_testbed.c - `weir testbed`: hosts in network namespaces, weir-switch between them, and the TCP of this kernel.
 * Its parts are listed in testbed.h; the command line is in testbed_choice.c, the sweep is that of `weir run`.
 */
#define _GNU_SOURCE 1
#include "cmd_testbed.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "testbed/guard.h"
#include "testbed/process.h"

static const char testbed_help[] =
    "usage: weir testbed COMMAND [OPTION...]\n"
    "\n"
    "Hosts as network namespaces on this machine, weir-switch between them, and the TCP\n"
    "of this kernel. Rates are divided by a factor to suit the machine, and all times\n"
    "multiplied by it. Needs root, and leaves nothing behind.\n"
    "\n"
    "commands:\n"
    "  up       make the testbed of a scenario, and leave it there\n"
    "  run      run an experiment with its runs on real packets\n"
    "  down     take a testbed down, also what a crash has left of it\n"
    "  status   list the testbeds that are there\n"
    "\n"
    "example: weir testbed run scenarios/testbed/occamy-fig12.yaml --quick\n";

/* Nothing is made where something of that name is. */
static int check_free(const char *name)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (!testbed_possible(&error))
        return cli_report(&error);
    if (testbed_is_there(name))
        return cli_error(CLI_INPUT, "a testbed '%s' is there already ('weir testbed down --name %s' takes it down)",
                         name, name);
    if (!testbed_real_time(&error))
        cli_error(CLI_OK,
                  "warning: hosts and switch have no priority over other programs: %s (leave the machine alone, and "
                  "see 'testbed.late')",
                  error.text);
    return CLI_OK;
}

/* The first run that wants a testbed, or else the first. */
static uint32_t first_run(const struct run_plan *plan)
{
    for (uint32_t i = 0; i < plan->todo_count; i++)
        if (plan->real[plan->todo[i]])
            return plan->todo[i];
    return 0;
}

static void tell(const struct testbed *bed)
{
    const struct testbed_settings *settings = &bed->settings;
    char first[16], last[16], second[16], space[TESTBED_SPACE_MAX];
    testbed_address(settings, 0, first);
    testbed_address(settings, settings->hosts - 1, last);
    testbed_address(settings, settings->hosts > 1 ? 1 : 0, second);
    testbed_space(bed->name, 0, space);
    printf("testbed %s: %u hosts, %s to %s, times %u\n", bed->name, settings->hosts, first, last, settings->scale);
    printf("try: ip netns exec %s ping -c 3 %s\n", space, second);
}

static int bring_up(struct testbed *bed, const char *text)
{
    struct testbed_guard guard;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    int code = check_free(bed->name);
    if (code != CLI_OK)
        return code;
    if (!testbed_guard_set(&guard, bed->name, &error))
        return cli_report(&error);
    bool up = testbed_up(bed, text, &error);
    if (up || testbed_down(bed->name))
        testbed_guard_lift(&guard); /* else it tries again when this process has ended */
    if (!up)
        return cli_report(&error);
    tell(bed);
    return CLI_OK;
}

static int report_settings(const char *file, struct weir_error *error)
{
    weir_fail_at(error, file, 0, 0);
    return cli_report(error);
}

static int up_scenario(const struct bed_choice *choice, const struct scenario *scenario)
{
    struct testbed bed = {.scenario = choice->run.files[0], .stays = true};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    snprintf(bed.name, sizeof bed.name, "%s", choice->testbed.name);
    if (!testbed_settings_read(&bed.settings, scenario, choice->testbed.network, &error))
        return report_settings(choice->run.files[0], &error);
    char *text = node_text(scenario->effective);
    int code = text != NULL ? bring_up(&bed, text) : cli_error_memory();
    free(text);
    return code;
}

static int cmd_up(int argc, char **argv)
{
    struct bed_choice choice;
    struct run_plan plan;
    struct scenario scenario = {.name = NULL};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    bool stop;
    int code = bed_choice_up(&choice, argc, argv, &stop);
    if (stop || code != CLI_OK)
        return code;
    code = run_plan_make(&plan, choice.run.files[0], &choice.run.changes, NULL);
    if (code == CLI_OK)
        code = run_plan_scenario(&plan, first_run(&plan), &scenario, &error) ? up_scenario(&choice, &scenario)
                                                                             : cli_report(&error);
    scenario_free(&scenario);
    run_plan_free(&plan);
    return code;
}

/* What the testbed cannot do is known before the first run. */
static int check_real(const struct run_plan *plan, const struct run_testbed *testbed)
{
    int code = CLI_OK;
    for (uint32_t i = 0; i < plan->todo_count && code == CLI_OK; i++) {
        struct scenario scenario;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        struct testbed_settings settings;
        if (!plan->real[plan->todo[i]])
            continue;
        if (!run_plan_scenario(plan, plan->todo[i], &scenario, &error))
            code = cli_report(&error);
        else if (!testbed_settings_read(&settings, &scenario, testbed->network, &error))
            code = report_settings(plan->file, &error);
        scenario_free(&scenario);
    }
    return code;
}

static int run_plan_of(struct run_plan *plan, const struct bed_choice *choice)
{
    if (choice->run.list)
        return run_print_list(plan);
    if (plan->todo_real == 0)
        return cli_error(CLI_INPUT,
                         "%s: no run is for the testbed (expected `testbed: {use: yes}`; 'weir run' simulates)",
                         plan->file);
    if (choice->run.only != NULL) {
        uint32_t run = 0;
        int code = run_find_only(plan, choice->run.only, &run);
        if (code != CLI_OK)
            return code;
        plan->todo[0] = run;
        plan->todo_count = 1;
    }
    int code = check_real(plan, &choice->testbed);
    if (code == CLI_OK)
        code = check_free(choice->testbed.name);
    return code == CLI_OK ? run_sweep(plan, &choice->run) : code;
}

static int cmd_run(int argc, char **argv)
{
    struct bed_choice choice;
    struct run_plan plan;
    bool stop;
    int code = bed_choice_run(&choice, argc, argv, &stop);
    if (stop || code != CLI_OK)
        return code;
    code = run_plan_make(&plan, choice.run.files[0], &choice.run.changes, choice.run.output);
    if (code == CLI_OK)
        code = run_check_database(&choice.run, plan.database);
    if (code == CLI_OK)
        code = run_plan_of(&plan, &choice);
    run_plan_free(&plan);
    return code;
}

struct downs {
    int code;
    uint32_t count;
};

static void take_down(void *context, const char *name)
{
    struct downs *downs = context;
    downs->count++;
    if (testbed_down(name))
        printf("testbed %s: down\n", name);
    else
        downs->code = cli_error(CLI_INTERNAL, "testbed %s: something of it cannot be removed", name);
}

static int cmd_down(int argc, char **argv)
{
    struct bed_choice choice;
    struct downs downs = {.code = CLI_OK};
    bool stop;
    int code = bed_choice_down(&choice, argc, argv, &stop);
    if (stop || code != CLI_OK)
        return code;
    if (geteuid() != 0)
        return cli_error(CLI_INTERNAL, "a testbed needs root, for network namespaces (try with sudo)");
    if (!choice.all && testbed_is_there(choice.testbed.name))
        take_down(&downs, choice.testbed.name);
    if (choice.all && !testbed_each(take_down, &downs))
        return cli_error_memory();
    if (downs.count == 0)
        puts(choice.all ? "no testbed is there" : "that testbed is not there");
    return downs.code;
}

/* A row or an object per testbed. */
struct listing {
    struct output_table *table;
    json_t *all;
    uint32_t count;
};

static void list(void *context, const char *name)
{
    struct listing *listing = context;
    struct testbed_state state;
    bool known = testbed_state_read(name, &state);
    bool works = known && state.switch_pid > 0 && kill(state.switch_pid, 0) == 0;
    const char *what = works ? "up" : known ? "without its switch" : "unfinished";
    listing->count++;
    if (listing->all != NULL) {
        listing->all = output_json_append(
            listing->all, json_pack("{s:s, s:s, s:i, s:i, s:s, s:i, s:o}", "name", name, "state", what, "hosts",
                                    (int)state.hosts, "scale", (int)state.scale, "addresses", state.addresses,
                                    "switch_pid", state.switch_pid, "scenario", output_json_string(state.scenario)));
        return;
    }
    output_table_cell(listing->table, "%s", name);
    output_table_cell(listing->table, "%s", what);
    output_table_cell(listing->table, "%u", state.hosts);
    output_table_cell(listing->table, "%u", state.scale);
    output_table_cell(listing->table, "%s", state.addresses);
    output_table_cell(listing->table, "%d", state.switch_pid);
    output_table_cell_cut(listing->table, state.scenario, 60);
}

static int cmd_status(int argc, char **argv)
{
    static const struct output_column columns[] = {{"testbed", false}, {"state", false},     {"hosts", true},
                                                   {"scale", true},    {"addresses", false}, {"switch", true},
                                                   {"scenario", false}};
    struct bed_choice choice;
    struct listing listing = {.count = 0};
    bool stop;
    int code = bed_choice_status(&choice, argc, argv, &stop);
    if (stop || code != CLI_OK)
        return code;
    listing.all = choice.json ? json_array() : NULL;
    listing.table = choice.json ? NULL : output_table_new(columns, sizeof columns / sizeof columns[0]);
    if (!testbed_each(list, &listing)) {
        json_decref(listing.all);
        output_table_free(listing.table);
        return cli_error_memory();
    }
    if (choice.json)
        return output_json(listing.all);
    if (listing.count == 0) {
        output_table_free(listing.table);
        puts("no testbed is there");
        return CLI_OK;
    }
    return output_table_print(listing.table);
}

int weir_cmd_testbed(int argc, char **argv)
{
    static const struct cli_entry commands[] = {
        {"up", cmd_up}, {"run", cmd_run}, {"down", cmd_down}, {"status", cmd_status}, {NULL, NULL}};
    static const struct option options[] = {CLI_OPTIONS_END};
    static const struct cli_command command = {"testbed", testbed_help, options};
    if (argc < 2 || (argc == 2 && strcmp(argv[1], "help") == 0)) {
        fputs(testbed_help, stdout);
        return CLI_OK;
    }
    if (argv[1][0] != '-')
        return cli_dispatch("testbed", commands, argc - 1, argv + 1);
    int code = CLI_OK;
    cli_start_options();
    if (cli_next_option(&command, 2, argv, &code) == CLI_OPTION_END)
        return cli_error(CLI_USAGE, "testbed: unexpected '%s' (expected a command)", argv[1]);
    return code;
}
