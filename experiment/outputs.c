/*
 * outputs.c - which files one run writes, and that none of them takes the place of another, of what the run reads,
 * or of its database.
 */
#include <limits.h>
#include <stdio.h>

#include "experiment/run.h"

/* The files that a run writes. */
struct outputs {
    const char *name[6 + RUN_TRACES_MAX], *path[6 + RUN_TRACES_MAX];
    uint32_t count;
};

static void add_output(struct outputs *outputs, const char *name, const char *path)
{
    if (path == NULL)
        return;
    outputs->name[outputs->count] = name;
    outputs->path[outputs->count++] = path;
}

static struct outputs outputs_of(const struct run_choice *c)
{
    struct outputs outputs = {.count = 0};
    add_output(&outputs, "--records", c->records);
    add_output(&outputs, "--series", c->series);
    add_output(&outputs, "--losses", c->losses);
    add_output(&outputs, "--pauses", c->pauses);
    add_output(&outputs, "--rows", c->rows);
    add_output(&outputs, "--csv", c->csv);
    for (uint32_t i = 0; i < c->traces; i++)
        add_output(&outputs, "--trace", c->trace[i].path);
    return outputs;
}

/* What is printed instead of running anything. */
static int check_questions(const struct run_choice *c, const struct outputs *outputs)
{
    const char *asked = c->print_config ? "--print-config" : c->list ? "--list" : NULL;
    if (c->print_config && c->list)
        return cli_error(CLI_USAGE, "run: --print-config and --list both print instead of running (expected one)");
    if (asked != NULL && (outputs->count > 0 || c->json))
        return cli_error(CLI_USAGE, "run: %s does not go with %s, which runs nothing",
                         outputs->count > 0 ? outputs->name[0] : "--json", asked);
    return CLI_OK;
}

int run_check_outputs(const struct run_choice *choice)
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
    return check_questions(choice, &outputs);
}

int run_check_input(const struct run_choice *choice, const char *input)
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

int run_check_database(const struct run_choice *choice, const char *database)
{
    const struct outputs outputs = outputs_of(choice);
    for (uint32_t i = 0; i < outputs.count; i++)
        if (output_same_file(outputs.path[i], database))
            return cli_error(CLI_USAGE, "run: %s and the database are both %s (expected two files)", outputs.name[i],
                             database);
    return CLI_OK;
}

int run_check_many(const struct run_choice *choice, const struct run_plan *plan)
{
    const struct outputs outputs = outputs_of(choice);
    const char *asked = outputs.count > 0 ? outputs.name[0] : choice->json ? "--json" : NULL;
    if (asked == NULL)
        return CLI_OK;
    if (choice->file_count > 1)
        return cli_error(CLI_USAGE, "run: %s is of one run (expected one scenario, found %u)", asked,
                         choice->file_count);
    return cli_error(CLI_USAGE,
                     "run: %s is of one run, and %s has %u (expected --only ID; 'weir export' writes them all)", asked,
                     plan->file, plan->runs);
}
