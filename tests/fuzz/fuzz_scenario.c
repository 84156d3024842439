/*
 * fuzz_scenario.c - any bytes at all as a scenario: it is built or refused with a message that names the place, and
 * what was built prints as a scenario that builds again and prints the same. Files are never read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The effective scenario as text, to be freed; null when it was refused. */
static char *build(const char *text, size_t size)
{
    struct document document;
    struct scenario scenario = {.name = NULL};
    struct scenario_error error = {.memory = false};
    char *printed = NULL;
    size_t length = 0;
    bool good = document_read(&document, "f", text, size, &error) && scenario_build(&scenario, &document, NULL, &error);
    if (good) {
        FILE *out = open_memstream(&printed, &length);
        if (out == NULL)
            abort();
        node_print(scenario.effective, out);
        fclose(out);
    } else if (!error.memory && strncmp(error.message, "f:", 2) != 0) {
        abort();
    }
    scenario_free(&scenario);
    document_free(&document);
    return printed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *first = build((const char *)data, size);
    if (first == NULL)
        return 0;
    char *second = build(first, strlen(first));
    if (second == NULL || strcmp(first, second) != 0)
        abort();
    free(first);
    free(second);
    return 0;
}
