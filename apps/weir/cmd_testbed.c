/*
 * cmd_testbed.c - `weir testbed`: hosts in network namespaces, a switch between them, and the TCP of this kernel.
 * This is the command line of its commands; the parts are listed in lab/testbed/testbed.h, the sweep is shared with
 * `weir run`.
 */
#define _GNU_SOURCE 1
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "lab/spread/options.h"
#include "lab/testbed/guard.h"
#include "lab/testbed/process.h"
#include "lab/testbed/testbed.h"
#include "lab/testbed/work.h"
#include "show/writers/write.h"

#define SCALE_MAX 1000000u

struct choice {
    struct spread_choice run; /* as of `weir run`, as far as it goes */
    struct spread_testbed testbed;
    char scale[48]; /* a --set */
    bool all, json;
};

/* It becomes a change of the file, among those of --set. */
static int read_scale(void *target, const struct cli_option *option, const char *text)
{
    struct choice *choice = target;
    struct plan_changes *changes = &choice->run.changes;
    uint64_t scale;
    int code = cli_parse_number("--scale", text, 1, SCALE_MAX, &scale);
    (void)option;
    if (code != CLI_OK)
        return code;
    if (changes->sets == PLAN_SETS_MAX)
        return cli_error(CLI_USAGE, "testbed: --set: too many (expected at most %u)", PLAN_SETS_MAX);
    snprintf(choice->scale, sizeof choice->scale, "testbed.scale=%" PRIu64, scale);
    changes->set[changes->sets++] = choice->scale;
    return CLI_OK;
}

static int read_name(void *target, const struct cli_option *option, const char *text)
{
    (void)option;
    *(const char **)target = text;
    if (testbed_name_is_good(text))
        return CLI_OK;
    return cli_error(CLI_USAGE, "--name: '%s' cannot name a testbed (expected 1 to %u letters, digits or '_')", text,
                     TESTBED_NAME_MAX - 1);
}

/* clang-format off */
#define OPTION_NAME \
    .name = "name", \
    .value = "NAME", \
    .help = "name of the testbed; default: " TESTBED_NAME, \
    .more = "Up to 16 letters, digits or underscores. Testbeds of different names do not see each other, but share " \
            "the processors.", \
    CLI_READ(struct choice, testbed.name, read_name)

#define BED_OPTIONS \
    {.name = "scale", \
     .value = "S", \
     .help = "divide rates and multiply times by S: same as --set testbed.scale=S", \
     CLI_READ_ALL(read_scale)}, \
    {OPTION_NAME}, \
    {.name = "network", \
     .value = "ADDRESS", \
     .help = "network of the hosts; default: " TESTBED_NETWORK, \
     .more = "A /24; host 0 has the address that ends in 1.", \
     CLI_TEXT(struct choice, testbed.network)}
/* clang-format on */

static const struct cli_option up_options[] = {
    SPREAD_OPTION_SET(struct choice),
    BED_OPTIONS,
    {.name = NULL},
};

static const struct cli_option run_options[] = {
    SPREAD_OPTIONS(struct choice),
    BED_OPTIONS,
    {.name = NULL},
};

static const struct cli_option down_options[] = {
    {OPTION_NAME, .not_with = "all"},
    {.name = "all",
     .help = "take down every testbed of this machine",
     .not_with = "name",
     CLI_FLAG(struct choice, all)},
    {.name = NULL},
};

static const struct cli_option status_options[] = {
    {.name = "json", .help = "print JSON instead of a table", CLI_FLAG(struct choice, json)},
    {.name = NULL},
};

static const struct cli_operand scenario_file[] = {
    {.name = "FILE", .what = "scenario", .expected = "a file", .offer = CLI_SCENARIOS},
    {.name = NULL},
};

static int run_up(int argc, char **argv);
static int run_run(int argc, char **argv);
static int run_down(int argc, char **argv);
static int run_status(int argc, char **argv);

const struct cli_command cmd_testbed = {
    .name = "testbed",
    .summary = "run experiments on real packets, with the TCP of this kernel",
    .about =
        "Hosts as network namespaces on this machine, weir-switch or bmv2 between them, and the TCP of this kernel. "
        "Rates are divided by a factor to suit the machine, and all times multiplied by it. Needs root, and leaves "
        "nothing behind.",
    .examples = "weir testbed run scenarios/testbed/occamy-fig12.yaml --quick",
};

const struct cli_command cmd_testbed_up = {
    .name = "testbed up",
    .summary = "create the testbed of a scenario and leave it up",
    .about =
        "Creates the hosts of a scenario as network namespaces with their links, and starts the switch between them. "
        "They stay until 'weir testbed down'. Needs root.",
    .options = up_options,
    .operands = scenario_file,
    .examples = "weir testbed up scenarios/examples/incast.yaml --scale 1000\n"
                "ip netns exec weir-" TESTBED_NAME "-h0 ping 10.77.0.2",
    .rights = CONFINE_NOTHING,
    .run = run_up,
};

const struct cli_command cmd_testbed_run = {
    .name = "testbed run",
    .summary = "run an experiment, its runs on real packets included",
    .about =
        "Runs the experiment of a scenario file like 'weir run', its runs on real packets (testbed.use: yes) "
        "included. Those come last, one at a time, each in a testbed of its own, with the TCP of this kernel; leave "
        "the machine alone meanwhile. Results go to NAME.db as runs finish; the same command resumes. Needs root.",
    .options = run_options,
    .operands = scenario_file,
    .examples = "weir testbed run scenarios/testbed/occamy-fig12.yaml --quick",
    .rights = CONFINE_NOTHING,
    .run = run_run,
};

const struct cli_command cmd_testbed_down = {
    .name = "testbed down",
    .summary = "remove a testbed, or what a crash left of it",
    .about =
        "Stops everything in a testbed and removes its namespaces, also those that a crash left. Succeeds when there "
        "is no such testbed. Needs root.",
    .options = down_options,
    .examples = "weir testbed down",
    .rights = CONFINE_NOTHING,
    .run = run_down,
};

const struct cli_command cmd_testbed_status = {
    .name = "testbed status",
    .summary = "list the testbeds",
    .about = "Lists the testbeds of this machine.",
    .options = status_options,
    .examples = "weir testbed status",
    .rights = CONFINE_NOTHING,
    .run = run_status,
};

static bool read_line(struct cli_line *line, const struct cli_command *command, int argc, char **argv,
                      struct choice *choice)
{
    *choice = (struct choice){.testbed = testbed_runs(TESTBED_NAME, NULL)};
    if (!cli_read(line, command, argc, argv, choice))
        return false;
    choice->run.files = line->operands;
    choice->run.file_count = line->count;
    choice->run.testbed = &choice->testbed;
    return true;
}

/* Nothing is made where something of that name is. */
static int check_free(const char *name)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    if (testbed_is_there(name))
        return cli_error(CLI_INPUT, "testbed '%s' already exists ('weir testbed down --name %s' removes it)", name,
                         name);
    if (!testbed_real_time(&error))
        cli_error(CLI_OK,
                  "warning: hosts and switch have no priority over other programs: %s (leave the machine alone, and "
                  "see 'testbed.late')",
                  error.text);
    return CLI_OK;
}

/* The first run that wants a testbed, or else the first. */
static uint32_t first_run(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->todo_count; i++)
        if (plan->real[plan->todo[i]])
            return plan->todo[i];
    return 0;
}

static int bring_up(struct testbed *bed, const char *text)
{
    struct testbed_guard guard;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    int code = testbed_possible(bed->settings.sw, &error) ? check_free(bed->name) : cli_report(&error);
    if (code != CLI_OK)
        return code;
    if (!testbed_guard_set(&guard, bed->name, &error))
        return cli_report(&error);
    bool up = testbed_up(bed, text, &error);
    if (up || testbed_down(bed->name))
        testbed_guard_lift(&guard); /* else it tries again when this process has ended */
    if (!up)
        return cli_report(&error);
    const struct testbed_settings *settings = &bed->settings;
    char first[16], last[16], second[16], space[TESTBED_SPACE_MAX];
    testbed_address(settings, 0, first);
    testbed_address(settings, settings->hosts - 1, last);
    testbed_address(settings, settings->hosts > 1 ? 1 : 0, second);
    testbed_space(bed->name, 0, space);
    printf("testbed %s: %u hosts, %s to %s, times %u\n", bed->name, settings->hosts, first, last, settings->scale);
    printf("try: ip netns exec %s ping -c 3 %s\n", space, second);
    return CLI_OK;
}

static int report_settings(const char *file, struct weir_error *error)
{
    weir_fail_at(error, file, 0, 0);
    return cli_report(error);
}

static int up_scenario(const struct choice *choice, const struct scenario *scenario)
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

static int run_up(int argc, char **argv)
{
    struct choice choice;
    struct plan plan;
    struct scenario scenario = {.name = NULL};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct cli_line line;
    if (!read_line(&line, &cmd_testbed_up, argc, argv, &choice))
        return line.code;
    int code = plan_make(&plan, choice.run.files[0], &choice.run.changes, NULL);
    if (code == CLI_OK)
        code = plan_scenario(&plan, first_run(&plan), &scenario, &error) ? up_scenario(&choice, &scenario)
                                                                         : cli_report(&error);
    scenario_free(&scenario);
    plan_free(&plan);
    return code;
}

static int run_plan_of(struct plan *plan, const struct choice *choice)
{
    if (choice->run.list)
        return spread_print_list(plan);
    if (plan->todo_real == 0)
        return cli_error(CLI_INPUT,
                         "%s: no run is for the testbed (expected `testbed: {use: yes}`; 'weir run' simulates)",
                         plan->file);
    /* What the testbed cannot do is known before the first run. */
    int code = CLI_OK;
    for (uint32_t i = 0; i < plan->todo_count && code == CLI_OK; i++) {
        struct scenario scenario;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        struct testbed_settings settings;
        if (!plan->real[plan->todo[i]])
            continue;
        if (!plan_scenario(plan, plan->todo[i], &scenario, &error))
            code = cli_report(&error);
        else if (!testbed_settings_read(&settings, &scenario, choice->testbed.network, &error))
            code = report_settings(plan->file, &error);
        else if (!testbed_possible(settings.sw, &error))
            code = cli_report(&error);
        scenario_free(&scenario);
    }
    if (code == CLI_OK)
        code = check_free(choice->testbed.name);
    return code == CLI_OK ? spread_sweep(plan, &choice->run) : code;
}

static int run_run(int argc, char **argv)
{
    struct choice choice;
    struct plan plan;
    struct cli_line line;
    if (!read_line(&line, &cmd_testbed_run, argc, argv, &choice))
        return line.code;
    choice.run.changes.seed_given = cli_given(&line, "seed");
    choice.run.changes.seeds_given = cli_given(&line, "seeds");
    int code = spread_check_input(&choice.run, choice.run.files[0]);
    if (code != CLI_OK)
        return code;
    code = plan_make(&plan, choice.run.files[0], &choice.run.changes, choice.run.output);
    if (code == CLI_OK)
        code = spread_check_database(&choice.run, plan.database);
    if (code == CLI_OK)
        code = plan_choose(&plan, &choice.run.only, &choice.run.again_only);
    if (code == CLI_OK)
        code = run_plan_of(&plan, &choice);
    plan_free(&plan);
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

static int run_down(int argc, char **argv)
{
    struct choice choice;
    struct downs downs = {.code = CLI_OK};
    struct cli_line line;
    if (!read_line(&line, &cmd_testbed_down, argc, argv, &choice))
        return line.code;
    if (geteuid() != 0)
        return cli_error(CLI_INTERNAL, "a testbed needs root, for network namespaces (try with sudo)");
    if (!choice.all && testbed_is_there(choice.testbed.name))
        take_down(&downs, choice.testbed.name);
    if (choice.all && !testbed_each(take_down, &downs))
        return cli_error_memory();
    if (downs.count == 0)
        puts(choice.all ? "no testbed is running" : "no such testbed");
    return downs.code;
}

static void list(void *context, const char *name)
{
    struct data_frame *frame = context;
    struct testbed_state state;
    bool known = testbed_state_read(name, &state);
    const char *what = known && testbed_switch_runs(name, &state) ? "up"
                       : known                                    ? "without its switch"
                       : geteuid() != 0                           ? "known to root only"
                                                                  : "unfinished";
    data_row(frame, cell_text(name), cell_text(what), cell_integer(state.hosts), cell_integer(state.scale),
             cell_text(state.addresses), cell_integer(state.switch_pid), cell_text(state.scenario));
}

static int run_status(int argc, char **argv)
{
    static const struct data_column columns[] = {DATA_COLUMN("name", "testbed", WORD),
                                                 DATA_COLUMN("state", "state", TEXT),
                                                 DATA_COLUMN("hosts", "hosts", INTEGER),
                                                 DATA_COLUMN("scale", "scale", INTEGER),
                                                 DATA_COLUMN("addresses", "addresses", TEXT),
                                                 DATA_COLUMN("switch_pid", "switch", INTEGER),
                                                 DATA_COLUMN("scenario", "scenario", TEXT, .width = 60)};
    struct choice choice;
    struct cli_line line;
    if (!read_line(&line, &cmd_testbed_status, argc, argv, &choice))
        return line.code;
    struct data_frame *frame = data_frame_new(DATA_ROWS, DATA_COLUMNS(columns));
    if (!testbed_each(list, frame)) {
        data_frame_free(frame);
        return cli_error_memory();
    }
    if (choice.json || data_frame_failed(frame) || data_frame_rows(frame) > 0)
        return write_result(frame, choice.json);
    data_frame_free(frame);
    puts("no testbed is running");
    return CLI_OK;
}
