/*
 * fix.c - mends a configuration: makes the changes of the first rule that has any, reads the result as a new
 * configuration, judges it, and so on until no finding knows a change. A change of one rule may cause a finding of a
 * later one (a smaller pool), so one pass is not enough.
 */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operate/lint/lint.h"

#define PASSES_MAX 64u

/* "/TABLE/key/field" with '~' and '/' escaped (RFC 6901). */
static json_t *pointer(const char *const *names)
{
    size_t length = 1;
    for (uint32_t i = 0; names[i] != NULL; i++)
        length += 1 + 2 * strlen(names[i]);
    char *text = malloc(length), *at = text;
    for (uint32_t i = 0; text != NULL && names[i] != NULL; i++) {
        *at++ = '/';
        for (const char *from = names[i]; *from != '\0'; from++) {
            if (*from == '~' || *from == '/')
                *at++ = '~';
            *at++ = *from == '~' ? '0' : *from == '/' ? '1' : *from;
        }
    }
    if (text == NULL)
        return NULL;
    *at = '\0';
    json_t *string = json_string(text);
    free(text);
    return string;
}

static bool add_operation(json_t *patch, const char *operation, const char *const *names, json_t *value)
{
    json_t *row = json_pack("{s:s, s:o, s:o}", "op", operation, "path", pointer(names), "value", value);
    return json_array_append_new(patch, row) == 0;
}

/* The object of this name in another, added where it is not there. Null: out of memory, or it is no object. */
static json_t *child(struct lint_fix *fix, json_t *parent, const char *const *names, uint32_t depth)
{
    const char *path[4] = {NULL};
    json_t *found = json_object_get(parent, names[depth]);
    if (found != NULL)
        return json_is_object(found) ? found : NULL;
    for (uint32_t i = 0; i <= depth; i++)
        path[i] = names[i];
    found = json_object();
    if (json_object_set_new(parent, names[depth], found) != 0 || !add_operation(fix->patch, "add", path, json_object()))
        return NULL;
    return found;
}

static bool apply(struct lint_fix *fix, const struct lint_change *change)
{
    const char *const names[4] = {change->table, change->key, change->field, NULL};
    json_t *table = child(fix, fix->tree, names, 0);
    json_t *entry = table != NULL ? child(fix, table, names, 1) : NULL;
    if (entry == NULL)
        return false;
    json_t *old = json_object_get(entry, change->field);
    if (old == NULL && change->value == NULL) /* it is gone already */
        return true;
    bool good = old == NULL || add_operation(fix->patch, "test", names, json_deep_copy(old));
    fix->changes++;
    if (change->value == NULL)
        return good &&
               json_array_append_new(fix->patch, json_pack("{s:s, s:o}", "op", "remove", "path", pointer(names))) ==
                   0 &&
               json_object_del(entry, change->field) == 0;
    return good && add_operation(fix->patch, old != NULL ? "replace" : "add", names, json_string(change->value)) &&
           json_object_set_new(entry, change->field, json_string(change->value)) == 0;
}

/* Applies it unless an earlier change of this pass has set the field: `set` has those. False: out of memory. */
static bool apply_once(struct lint_fix *fix, json_t *set, const struct lint_change *change)
{
    char *place = NULL;
    if (asprintf(&place, "%zu %s%s %s", strlen(change->key), change->table, change->key, change->field) < 0)
        return false;
    bool is_set = json_object_get(set, place) != NULL;
    bool good = is_set || (json_object_set_new(set, place, json_true()) == 0 && apply(fix, change));
    free(place);
    return good;
}

/* The changes of the first rule that has any. */
static bool apply_first(struct lint_fix *fix, const struct lint *lint)
{
    const struct lint_finding *findings = LINT_FINDINGS(lint);
    const struct lint_change *changes = LINT_CHANGES(lint);
    const struct lint_rule *rule = NULL;
    json_t *set = json_object();
    bool good = set != NULL;
    for (uint32_t i = 0; good && i < lint->findings.count; i++) {
        const struct lint_finding *finding = &findings[i];
        if (finding->changes == 0 || (rule != NULL && finding->rule != rule))
            continue;
        rule = finding->rule;
        for (uint32_t c = finding->first_change; good && c < finding->first_change + finding->changes; c++)
            good = apply_once(fix, set, &changes[c]);
    }
    json_decref(set);
    return good;
}

/* The tree as it is now, judged. */
static bool judge(struct lint *lint, struct sonic_model *model, struct sonic_config *config,
                  const struct sonic_model *as, const json_t *tree)
{
    struct weir_error error;
    bool good =
        sonic_config_again(config, as->config, tree, &error) && sonic_model_make(model, config, &as->given, &error);
    return good && lint_run(lint, model);
}

static bool mend(struct lint_fix *fix, const struct sonic_model *model)
{
    for (uint32_t pass = 0; pass < PASSES_MAX; pass++) {
        struct sonic_config config;
        struct sonic_model now = {.config = NULL};
        struct lint lint = {.model = NULL};
        uint32_t before = fix->changes;
        sonic_config_init(&config);
        bool good = judge(&lint, &now, &config, model, fix->tree) && apply_first(fix, &lint);
        lint_free(&lint);
        sonic_model_free(&now);
        sonic_config_free(&config);
        if (!good || fix->changes == before)
            return good;
    }
    return true;
}

bool lint_mend(struct lint_fix *fix, const struct sonic_model *model, struct weir_error *error)
{
    *fix = (struct lint_fix){.tree = sonic_config_tree(model->config), .patch = json_array()};
    return (fix->tree != NULL && fix->patch != NULL && mend(fix, model)) || weir_fail_memory(error);
}

void lint_fix_free(struct lint_fix *fix)
{
    json_decref(fix->tree);
    json_decref(fix->patch);
    *fix = (struct lint_fix){.tree = NULL};
}
