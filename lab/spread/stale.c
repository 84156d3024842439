/*
 * stale.c - see stale.h. `weir run` notices all of this and runs again what is stale; these commands only warn about
 * it.
 */
#define _GNU_SOURCE 1
#include "lab/spread/stale.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/version.h"
#include "lab/store/code.h"
#include "lab/store/find.h"
#include "lib/plugin/plugin.h"

#define NAMES_MAX 256u

static const char *digest_now(const char *name)
{
    const struct weir_policy *policy = plugin_policy_find(name);
    if (strcmp(name, CODE_SIMULATED) == 0 || strcmp(name, CODE_TESTBED) == 0)
        return version_of_code(strcmp(name, CODE_TESTBED) == 0);
    return policy != NULL ? version_of_policy(policy) : NULL;
}

/* "the simulator, dt": each once. */
static void add_name(char names[NAMES_MAX], const char *name)
{
    const char *shown = strcmp(name, CODE_SIMULATED) == 0 ? "the simulator"
                        : strcmp(name, CODE_TESTBED) == 0 ? "the software switch"
                                                          : name;
    size_t used = strlen(names), length = strlen(shown);
    for (const char *at = names; (at = strstr(at, shown)) != NULL; at += length)
        if ((at == names || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0'))
            return;
    if (used + length + 3 < NAMES_MAX)
        snprintf(names + used, NAMES_MAX - used, "%s%s", used > 0 ? ", " : "", shown);
}

/* A scenario of that name in the folder of the results; null: none, or none that can be read. */
static char *read_beside(const struct table *table, size_t *size)
{
    const char *slash = strrchr(table->path, '/'), *name = strrchr(table->source, '/');
    char *path = NULL;
    if (asprintf(&path, "%.*s%s", slash != NULL ? (int)(slash - table->path) + 1 : 0, table->path,
                 name != NULL ? name + 1 : table->source) < 0)
        return NULL;
    char *text = find_scenario_text(path, size);
    free(path);
    return text;
}

static bool same_section(const struct document *a, const struct document *b, const char *name)
{
    const struct node *of_a = node_find(a->root, name), *of_b = node_find(b->root, name);
    return of_a != NULL && of_b != NULL ? node_equal(of_a, of_b) : of_a == of_b;
}

void stale_warn(const struct table *table)
{
    char names[NAMES_MAX] = "", name[CODE_NAME_MAX];
    uint32_t old = 0;
    for (uint32_t i = 0; i < experiment_runs(&table->experiment); i++)
        if (table->runs[i].finished && code_is_old(table->runs[i].code, digest_now, name)) {
            add_name(names, name);
            old++;
        }
    if (old > 0)
        cli_error(CLI_OK,
                  "warning: %s: %u of %u runs are of other code than this weir's (%s); `weir run %s` makes %s again",
                  table->path, old, table->finished, names, CLI_PASTE(table->source), old == 1 ? "it" : "them");
    struct document stored = {.origin = NULL}, beside = {.origin = NULL};
    struct weir_error error;
    size_t size = 0;
    char *text = table->experiment.quick ? NULL : read_beside(table, &size);
    if (text != NULL && document_read(&beside, table->source, text, size, &error) &&
        document_read(&stored, table->path, table->scenario, strlen(table->scenario), &error)) {
        bool figures = !same_section(&stored, &beside, "figures"), claims = !same_section(&stored, &beside, "claims");
        if (figures || claims)
            cli_error(CLI_OK, "warning: %s: %s has other %s%s%s by now; `weir run %s` takes them over", table->path,
                      table->source, figures ? "figures" : "", figures && claims ? " and " : "", claims ? "claims" : "",
                      CLI_PASTE(table->source));
    }
    document_free(&stored);
    document_free(&beside);
    free(text);
}
