/*
 * policy.c - `policy` and `headroom`: a policy of the egress or of the ingress side, and its parameters. The table
 * of keys is made from the policy's own descriptors, so a new policy is known here without a change.
 *
 * `file` says where a policy is from that is not the library's. A scenario may come from anywhere, and a policy is
 * code: the key loads nothing. It holds the policy to the file that the command line has named.
 */
#include <stdio.h>
#include <string.h>

#include "lib/plugin/plugin.h"
#include "scenario/read/switch_settings.h"

/* One of the two sides. */
struct side {
    const char *key, *what, *help; /* "policy", and what its value is called in messages */
    bool (*has)(const struct weir_policy *policy);
};

bool policy_is_egress(const struct weir_policy *policy)
{
    return !(policy->needs & WEIR_NEED_INGRESS);
}

bool policy_is_headroom(const struct weir_policy *policy)
{
    return policy->needs & WEIR_NEED_INGRESS;
}

static const struct side egress_side = {"policy", "policy", "the name of a policy", policy_is_egress};
static const struct side headroom_side = {"headroom", "headroom scheme", "the name of a headroom scheme",
                                          policy_is_headroom};

/* A policy there is, but for something else. */
static bool refuse_policy(struct reader *reader, const struct side *side, const struct node *node,
                          const struct weir_policy *policy, const char *const *names)
{
    if (side == &headroom_side)
        return reader_fail(reader, node, "headroom: %s is a buffer policy, for 'policy'%s", policy->name,
                           error_hint(policy->name, names).text);
    return reader_fail(reader, node, "policy: %s is a headroom scheme, for 'headroom' (expected a buffer policy)",
                       policy->name);
}

/* The key `name` of the map, its value already found. */
static bool find_policy(struct build *build, const struct side *side, const struct node *node,
                        const struct weir_policy **policy)
{
    struct reader *reader = &build->reader;
    const char *names[64];
    uint32_t count = 0;
    if (node->kind != NODE_SCALAR)
        return reader_fail(reader, node, "%s: %s is here (expected a name, or a map)", side->key,
                           node_kind_name(node->kind));
    for (uint32_t i = 0; i < plugin_policy_count() && count < 63; i++)
        if (side->has(plugin_policy_at(i)))
            names[count++] = plugin_policy_at(i)->name;
    names[count] = NULL;
    *policy = plugin_policy_find(node->text);
    char hint[PLUGIN_HINT_MAX];
    if (*policy == NULL && plugin_missing(node->text, hint))
        return reader_fail(reader, node, "unknown %s '%s' (%s)", side->what, error_text(node->text).text, hint);
    const char *end = strpbrk(node->text, ":(,= ");
    for (size_t i = 0; *policy == NULL && end != NULL && names[i] != NULL; i++)
        if (strlen(names[i]) == (size_t)(end - node->text) && strncmp(names[i], node->text, strlen(names[i])) == 0)
            return reader_fail(reader, node, "unknown %s '%s' (expected parameters as a map: {name: %s, alpha: 2})",
                               side->what, error_text(node->text).text, names[i]);
    if (*policy == NULL)
        return reader_fail(reader, node, "unknown %s '%s'%s", side->what, error_text(node->text).text,
                           error_hint(node->text, names).text);
    return side->has(*policy) || refuse_policy(reader, side, node, *policy, names);
}

struct params {
    struct weir_values values; /* first: the offsets of keys are of this */
    const char *name, *file;   /* file: null for a policy of the library */
};

/* The file that the map names is the one that the policy `name` was loaded from. */
static bool check_file(struct build *build, const struct side *side, const struct node *file, const struct node *name)
{
    struct reader *reader = &build->reader;
    if (file->kind != NODE_SCALAR || name->kind != NODE_SCALAR)
        return reader_fail(reader, file, "%s.file: %s is here (expected the name of a file)", side->key,
                           node_kind_name(file->kind));
    const char *path = read_file_path(build, file->text);
    if (path == NULL)
        return build->files == NULL ? reader_fail(reader, file, "%s.file: files cannot be read here", side->key)
                                    : weir_fail_memory(reader->error);
    const struct weir_policy *policy = plugin_policy_find(name->text);
    const struct plugin_policy *own = policy != NULL ? plugin_of_policy(policy) : NULL;
    if (policy != NULL && own == NULL)
        return reader_fail(reader, file, "%s.file: %s is a policy of weir itself (expected no file)", side->key,
                           policy->name);
    if (own == NULL)
        return reader_fail(reader, file,
                           "%s.file: '%s' is code, which no scenario loads by itself (expected --policy-file %s on the "
                           "command line, if you trust it)",
                           side->key, error_text(file->text).text, error_text(path).text);
    return strcmp(own->path, path) == 0 ||
           reader_fail(reader, file, "%s.file: %s is from %s (expected '%s', as --policy-file)", side->key,
                       own->policy->name, error_text(own->path).text, error_text(file->text).text);
}

static bool read_side(struct build *build, const struct side *side, const struct node *node, struct read_policy *out)
{
    struct reader *reader = &build->reader;
    struct key keys[WEIR_PARAMS_MAX + 2] = {{.name = "name",
                                             .kind = KEY_TEXT,
                                             .required = true,
                                             KEY_FIELD(struct params, name),
                                             .min = 1,
                                             .max = 64,
                                             .help = side->help},
                                            {.name = "file",
                                             .kind = KEY_TEXT,
                                             KEY_FIELD(struct params, file),
                                             .min = 1,
                                             .max = 4096,
                                             .help = "the file of a policy that is not weir's own"}};
    char title[64];
    const struct node *name = node->kind == NODE_MAP ? node_find(node, "name") : node;
    const struct node *file = node->kind == NODE_MAP ? node_find(node, "file") : NULL;
    struct section section = {.name = side->key, .keys = keys, .count = file != NULL ? 2 : 1};
    if (name == NULL)
        return section_check_names(reader, &section, node, 0);
    if ((file != NULL && !check_file(build, side, file, name)) || !find_policy(build, side, name, &out->policy))
        return false;
    const struct plugin_policy *own = plugin_of_policy(out->policy);
    struct params params = {.name = out->policy->name};
    section.count = own != NULL ? 2 : 1;
    weir_values_init(&params.values, out->policy);
    for (uint32_t i = 0; i < out->policy->param_count; i++)
        keys[section.count++] = key_of_param(&out->policy->params[i], i);
    snprintf(title, sizeof title, "%s %s", side->key, out->policy->name);
    section.name = title;
    if (node->kind == NODE_MAP && !section_read(reader, &section, node, 0, &params))
        return false;
    params.file = own != NULL ? own->path : NULL;
    *out->values = params.values;
    out->shown = section_show(reader, &section, 0, &params);
    return out->shown != NULL || weir_fail_memory(reader->error);
}

bool scenario_set_parameter(const struct scenario *scenario, const struct scenario_parameter *change,
                            struct weir_values *values, struct weir_error *error)
{
    const struct sim_wire *wire = &scenario->config.wire;
    const struct weir_mmu_config *mmu = &scenario->config.tiers[0].mmu;
    const struct weir_policy *policy = change->headroom ? mmu->ingress : mmu->egress;
    const struct mark mark = {change->origin, 0, 0};
    struct arena arena = {.blocks = NULL};
    struct key keys[WEIR_PARAMS_MAX];
    char title[64];
    snprintf(title, sizeof title, "%s %s", change->headroom ? headroom_side.key : egress_side.key, policy->name);
    struct section section = {.name = title, .keys = keys};
    struct reader reader = {.arena = &arena,
                            .error = error,
                            .scale = {.frame_bytes = (int64_t)wire->mss_bytes + wire->header_bytes,
                                      .segment_bytes = wire->mss_bytes,
                                      .buffer_bytes = mmu->buffer_cells * mmu->cell_bytes},
                            .classes = mmu->classes};
    *error = (struct weir_error){.code = WEIR_ERROR_NONE};
    for (; section.count < policy->param_count; section.count++)
        keys[section.count] = key_of_param(&policy->params[section.count], section.count);
    struct node *map = node_collection(&arena, NODE_MAP);
    struct node *value = document_read_value(&arena, mark, change->value, error);
    bool good = value != NULL;
    if (good && node_add_key(map, change->name, value) == NULL)
        good = weir_fail_memory(error);
    if (good)
        value->key_mark = map->mark = mark;
    struct params params = {.values = *values};
    good = good && section_read(&reader, &section, map, 0, &params);
    if (good)
        *values = params.values;
    arena_free(&arena);
    return good;
}

bool read_policy(struct build *build, const struct node *node, struct read_policy *out)
{
    return read_side(build, &egress_side, node, out);
}

bool read_headroom(struct build *build, const struct node *node, struct read_policy *out)
{
    return read_side(build, &headroom_side, node, out);
}
