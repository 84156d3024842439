/*
 * fuzz_scenario.c - any bytes at all as a scenario: it is built or refused with a message that names the place, and
 * what was built prints as a scenario that builds again and prints the same. The same of experiments: what one used
 * reads back as itself, at whichever size. And the bytes as an expression. Files are never read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/experiment/experiment.h"
#include "scenario/read/scenario.h"
#include "tests/support/error_line.h"

#define BUILT_MAX 4u /* runs of one experiment that are built */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every mistake is found where there is one, and none where there is none. */
static void check_all(const struct document *document, bool good)
{
    struct scenario scenario = {.name = NULL};
    struct error_list all = {.at = NULL};
    if (scenario_build_all(&scenario, document, NULL, &all) != good || (all.count == 0 && !all.no_memory) != good)
        abort();
    scenario_free(&scenario);
    error_list_free(&all);
}

static void check_all_parts(const struct document *document, bool quick, bool good)
{
    struct experiment experiment = {.name = NULL};
    struct error_list all = {.at = NULL};
    struct document run = {.origin = NULL};
    bool read = experiment_read_all(&experiment, document, quick, &all);
    if (experiment.base != NULL)
        read = experiment_run_all(&experiment, 0, &run, &all) && read;
    if ((good && !read) || (all.count == 0 && !all.no_memory) != read)
        abort();
    document_free(&run);
    experiment_free(&experiment);
    error_list_free(&all);
}

/* As text, to be freed. */
static char *printed(const struct node *node)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        abort();
    node_print(node, out);
    fclose(out);
    return text;
}

static void check_message(const struct weir_error *error)
{
    if (error->code != WEIR_ERROR_MEMORY && strncmp(ERROR_LINE(error), "f:", 2) != 0)
        abort();
}

/* The effective scenario, to be freed; null when it was refused. */
static char *build(const struct document *document)
{
    struct scenario scenario = {.name = NULL};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    char *text = NULL;
    bool good = scenario_build(&scenario, document, NULL, &error);
    if (good)
        text = printed(scenario.effective);
    else
        check_message(&error);
    scenario_free(&scenario);
    check_all(document, good);
    return text;
}

/* The same for the software switch. */
static char *build_switch(const struct document *document)
{
    struct scenario scenario = {.name = NULL};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    char *text = NULL;
    if (scenario_build_switch(&scenario, document, NULL, &error))
        text = printed(scenario.effective);
    else
        check_message(&error);
    scenario_free(&scenario);
    return text;
}

static void build_runs(const struct experiment *experiment)
{
    for (uint32_t run = 0; run < experiment_runs(experiment) && run < BUILT_MAX; run++) {
        struct document document;
        struct weir_error error;
        if (experiment_run(experiment, run, &document, &error))
            free(build(&document));
        else
            check_message(&error);
        document_free(&document);
    }
}

/* The document as the experiment used it, to be freed; null when it was refused. */
static char *read_experiment(const struct document *document, bool quick)
{
    struct experiment experiment = {.name = NULL};
    struct weir_error error;
    char *whole = NULL;
    if (experiment_read(&experiment, document, quick, &error)) {
        whole = printed(experiment.whole);
        build_runs(&experiment);
    } else {
        check_message(&error);
    }
    experiment_free(&experiment);
    check_all_parts(document, quick, whole != NULL);
    return whole;
}

static bool read_document(struct document *document, const char *text, size_t size)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    bool good = document_read(document, "f", text, size, &error);
    if (!good)
        check_message(&error);
    return good;
}

/* What `use` makes of a document is a document of which it makes the same. */
static void check_stays(char *first, char *(*use)(const struct document *document))
{
    struct document document;
    if (first == NULL)
        return;
    char *second = read_document(&document, first, strlen(first)) ? use(&document) : NULL;
    if (second == NULL || strcmp(first, second) != 0)
        abort();
    document_free(&document);
    free(second);
    free(first);
}

static char *read_full(const struct document *document)
{
    return read_experiment(document, false);
}

static char *read_quick(const struct document *document)
{
    return read_experiment(document, true);
}

static void read_expression(const char *data, size_t size)
{
    static const struct axis_value values[] = {{.label = "1", .number = 1, .numeric = true}, {.label = "b"}};
    static const struct axis axes[] = {{.name = "x", .unit = "", .values = values, .count = 1},
                                       {.name = "y", .values = values, .count = 2}};
    struct arena arena = {.blocks = NULL};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    const char *text = arena_text(&arena, data, size);
    if (text == NULL)
        abort();
    const struct expression *e =
        expression_read(&arena, &(struct expression_axes){axes, 2, size % 2}, (struct mark){"f", 1, 1}, text, &error);
    if (e == NULL)
        check_message(&error);
    else if (e->depth > EXPRESSION_DEPTH_MAX)
        abort();
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct document document;
    read_expression((const char *)data, size);
    if (read_document(&document, (const char *)data, size)) {
        check_stays(build(&document), build);
        check_stays(build_switch(&document), build_switch);
        check_stays(read_full(&document), read_full);
        check_stays(read_quick(&document), read_full);
        check_stays(read_quick(&document), read_quick);
    }
    document_free(&document);
    return 0;
}
