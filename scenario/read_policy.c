/*
 * read_policy.c - `policy`: a buffer policy and its parameters. The table of keys is made from the policy's own
 * descriptors, so a new policy is known here without a change.
 */
#include <stdio.h>
#include <string.h>

#include "scenario/switch_settings.h"

/* The key `name` of the map, its value already found. */
static bool find_policy(struct build *build, const struct node *node, const struct weir_policy **policy)
{
    struct reader *reader = &build->reader;
    const char *names[64];
    uint32_t count = 0;
    if (node->kind != NODE_SCALAR)
        return reader_fail(reader, node, "policy: %s is here (expected a name, or a map)", node_kind_name(node->kind));
    *policy = weir_policy_find(node->text);
    if (*policy == NULL) {
        for (; count < weir_policy_count && count < 63; count++)
            names[count] = weir_policies[count]->name;
        names[count] = NULL;
        return reader_fail(reader, node, "unknown policy '%s'%s", error_text(node->text).text,
                           error_hint(node->text, names).text);
    }
    if ((*policy)->needs & WEIR_NEED_ORACLE)
        return reader_fail(reader, node, "policy %s needs an oracle (expected a policy without one)", (*policy)->name);
    if ((*policy)->needs & WEIR_NEED_INGRESS)
        return reader_fail(reader, node, "policy %s is for the ingress side (expected one for the egress side)",
                           (*policy)->name);
    return true;
}

struct params {
    struct weir_values values; /* first: the offsets of keys are of this */
    const char *name;
};

bool read_policy(struct build *build, const struct node *node, const struct weir_policy **policy,
                 struct weir_values *values, struct node **shown)
{
    struct reader *reader = &build->reader;
    struct key keys[WEIR_PARAMS_MAX + 1] = {{.name = "name",
                                             .kind = KEY_TEXT,
                                             .required = true,
                                             KEY_FIELD(struct params, name),
                                             .min = 1,
                                             .max = 64,
                                             .help = "the name of a policy"}};
    char title[64];
    struct section section = {.name = "policy", .keys = keys, .count = 1};
    const struct node *name = node->kind == NODE_MAP ? node_find(node, "name") : node;
    if (name == NULL)
        return section_check_names(reader, &section, node, 0);
    if (!find_policy(build, name, policy))
        return false;
    struct params params = {.name = (*policy)->name};
    weir_values_init(&params.values, *policy);
    for (uint32_t i = 0; i < (*policy)->param_count; i++)
        keys[section.count++] = key_of_param(&(*policy)->params[i], i);
    snprintf(title, sizeof title, "policy %s", (*policy)->name);
    section.name = title;
    if (node->kind == NODE_MAP && !section_read(reader, &section, node, 0, &params))
        return false;
    *values = params.values;
    *shown = section_show(reader, &section, 0, &params);
    return *shown != NULL || error_memory(reader->error);
}
