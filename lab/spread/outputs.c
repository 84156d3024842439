/*
 * outputs.c - which files one run writes, and that none of them takes the place of another, of what the run reads,
 * or of its database.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "lab/spread/spread.h"

/* The files that a run writes. */
struct outputs {
    const char *name[8 + SPREAD_TRACES_MAX + SPREAD_PACKETS_MAX], *path[8 + SPREAD_TRACES_MAX + SPREAD_PACKETS_MAX];
    uint32_t count;
};

static void add_output(struct outputs *outputs, const char *name, const char *path)
{
    if (path == NULL)
        return;
    outputs->name[outputs->count] = name;
    outputs->path[outputs->count++] = path;
}

static struct outputs outputs_of(const struct spread_choice *c)
{
    struct outputs outputs = {.count = 0};
    add_output(&outputs, "--records", c->records);
    add_output(&outputs, "--series", c->series);
    add_output(&outputs, "--losses", c->losses);
    add_output(&outputs, "--pauses", c->pauses);
    add_output(&outputs, "--timeline", c->timeline);
    add_output(&outputs, "--flows", c->flows);
    add_output(&outputs, "--rows", c->rows);
    add_output(&outputs, "--csv", c->csv);
    for (uint32_t i = 0; i < c->traces; i++)
        add_output(&outputs, "--trace", c->trace[i].path);
    for (uint32_t i = 0; i < c->packet_files; i++)
        add_output(&outputs, "--packets", c->packets[i]);
    return outputs;
}

int spread_read_again(void *target, const struct cli_option *option, const char *text)
{
    struct spread_choice *choice = target;
    struct plan_selection *only = &choice->again_only;
    (void)option;
    choice->again = true;
    choice->again_all |= text == NULL;
    if (text != NULL && only->count == PLAN_WORDS_MAX)
        return cli_error(CLI_USAGE, "--again: too many (expected at most %u)", PLAN_WORDS_MAX);
    if (text != NULL)
        only->word[only->count++] = text;
    if (choice->again_all && only->count > 0)
        return cli_error(CLI_USAGE, "--again means all runs, --again %s some of them (expected one)", only->word[0]);
    return CLI_OK;
}

int spread_check_outputs(const struct spread_choice *choice)
{
    const struct outputs outputs = outputs_of(choice);
    const char *printed = choice->json ? "--json" : NULL;
    for (uint32_t i = 0; i < outputs.count; i++) {
        const char *name = outputs.name[i], *path = outputs.path[i];
        for (uint32_t j = 0; j < i; j++)
            if (output_same_file(path, outputs.path[j]))
                return cli_error(CLI_USAGE, "run: %s and %s are the same file (expected two)", outputs.name[j], name);
        if (!output_is_stdout(path))
            continue;
        if (printed != NULL)
            return cli_error(CLI_USAGE, "run: %s and %s both write to standard output (expected one of them)", printed,
                             name);
        printed = name;
    }
    /* What is printed instead of running anything. */
    const char *asked = choice->print_config ? "--print-config" : choice->list ? "--list" : NULL;
    if (choice->print_config && choice->list)
        return cli_error(CLI_USAGE, "run: --print-config and --list both print instead of running (expected one)");
    if (asked != NULL && (outputs.count > 0 || choice->json || choice->profile || choice->again))
        return cli_error(CLI_USAGE, "run: %s does not go with %s, which runs nothing",
                         outputs.count > 0 ? outputs.name[0]
                         : choice->json    ? "--json"
                         : choice->profile ? "--profile"
                                           : "--again",
                         asked);
    return CLI_OK;
}

int spread_check_input(const struct spread_choice *choice, const char *input)
{
    const struct outputs outputs = outputs_of(choice);
    for (uint32_t i = 0; i < outputs.count; i++) {
        char partial[PATH_MAX]; /* what an interrupted run writes */
        if (output_is_stdout(outputs.path[i]))
            continue;
        snprintf(partial, sizeof partial, "%s.partial", outputs.path[i]);
        if (output_same_file(outputs.path[i], input) || output_same_file(partial, input))
            return cli_error(CLI_USAGE, "run: %s would overwrite %s, which the run reads (expected another file)",
                             outputs.name[i], input);
    }
    return CLI_OK;
}

int spread_check_lists(const struct spread_choice *choice, const struct scenario *scenario)
{
    int code = CLI_OK;
    for (uint32_t i = 0; code == CLI_OK && i < scenario->config.traffic_count; i++)
        if (scenario->lists[i].path != NULL)
            code = spread_check_input(choice, scenario->lists[i].path);
    for (const struct scenario_model *file = scenario->models; code == CLI_OK && file != NULL; file = file->next)
        code = spread_check_input(choice, file->path);
    return code;
}

int spread_check_database(const struct spread_choice *choice, const char *database)
{
    const struct outputs outputs = outputs_of(choice);
    for (uint32_t i = 0; i < outputs.count; i++)
        if (output_same_file(outputs.path[i], database))
            return cli_error(CLI_USAGE, "run: %s and the database are both %s (expected two files)", outputs.name[i],
                             database);
    return CLI_OK;
}

/* What says the same of all runs, if something does. */
static const char *instead_of(const char *asked)
{
    static const struct {
        const char *asked, *instead;
    } all[] = {{"--csv", "; 'weir export --csv' has the measures of all"},
               {"--json", "; 'weir export --json' has the measures of all"},
               {"--series", "; 'weir export --csv --curves' has the curves of all"}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].asked, asked) == 0)
            return all[i].instead;
    return "";
}

int spread_check_many(const struct spread_choice *choice, const struct plan *plan)
{
    const struct outputs outputs = outputs_of(choice);
    const char *asked = choice->json ? "--json" : NULL;
    for (uint32_t i = 0; i < outputs.count && asked == NULL; i++)
        if (choice->file_count > 1 || strcmp(outputs.name[i], "--records") != 0) /* flows of a sweep are one file */
            asked = outputs.name[i];
    if (asked == NULL)
        return outputs.count > 0 ? spread_check_database(choice, plan->database) : CLI_OK;
    if (choice->file_count > 1)
        return cli_error(CLI_USAGE, "run: %s is of one %s (expected one scenario, found %u)", asked,
                         strcmp(asked, "--records") == 0 ? "experiment" : "run", choice->file_count);
    return cli_error(CLI_USAGE, "run: %s is of one run, and %s has %u (expected --only RUN%s)", asked, plan->file,
                     plan->todo_count, instead_of(asked));
}
