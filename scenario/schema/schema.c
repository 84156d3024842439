/*
 * schema.c - the JSON Schema (draft 2020-12) of scenario files, so that editors complete keys and mark mistakes while
 * a file is written. It is made from the tables that also read the files: a section becomes an object with its keys,
 * one with kinds a choice by `kind`, a policy a choice by `name`. What depends on the scenario (is there a host h9,
 * does a path lead anywhere) only reading can tell.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/experiment/reading.h"
#include "scenario/keys/section.h"
#include "scenario/read/switch_settings.h"
#include "scenario/yaml/text_stream.h"
#include "weir/policy.h"

/* Every function that makes a value gives null when memory is short, and takes null for a part that could not be made;
 * what it is given becomes part of the result or is released. */

/* The values that one key may hold. Units become patterns. YAML readers of editors make numbers and flags of plain
 * texts, so a count is an integer here, and a text may be a number. */

#define NUMBER "[0-9]+([.][0-9]+)?"
#define SPACE "(B|KB|KiB|MB|MiB|GB|GiB"
#define EXACT_MAX ((int64_t)1 << 53) /* beyond it JSON numbers are not exact */

static json_t *schema_put(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) == 0)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *schema_append(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) == 0)
        return array;
    json_decref(array);
    return NULL;
}

/* {"$ref": "#/$defs/NAME"} */
static json_t *schema_ref(const char *name)
{
    return json_pack("{s:s+}", "$ref", "#/$defs/", name);
}

/* {"type": "array", "items": item}, with at least `least` items. */
static json_t *schema_list(json_t *item, uint32_t least)
{
    json_t *list = json_pack("{s:s, s:i}", "type", "array", "minItems", (int)least);
    return schema_put(list, "items", item);
}

/* {"type": "object", "additionalProperties": value}: names are free. */
static json_t *schema_map(json_t *value)
{
    return schema_put(json_pack("{s:s}", "type", "object"), "additionalProperties", value);
}

/* {"anyOf": [a, b]} */
static json_t *schema_either(json_t *a, json_t *b)
{
    return schema_put(json_object(), "anyOf", schema_append(schema_append(json_array(), a), b));
}

/* {"enum": [names]}; a null name ends them. */
static json_t *schema_names(const char *const *names)
{
    json_t *all = json_array();
    for (size_t i = 0; names[i] != NULL; i++)
        all = schema_append(all, json_string(names[i]));
    return schema_put(json_object(), "enum", all);
}

/* A text that YAML may also take for a number or a flag: "12", "no". */
static json_t *schema_text(void)
{
    return json_pack("{s:[s,s,s]}", "type", "string", "number", "boolean");
}

static json_t *pattern(const char *text)
{
    return json_pack("{s:s, s:s}", "type", "string", "pattern", text);
}

static json_t *count(const struct key *key)
{
    json_t *value = json_pack("{s:s, s:I}", "type", "integer", "minimum", (json_int_t)key->min);
    return key->max > EXACT_MAX ? value : schema_put(value, "maximum", json_integer(key->max));
}

/* Texts of these kinds: a number and a unit. */
static const char *const patterns[] = {
    [KEY_TIME] = "^" NUMBER " ?(ps|ns|us|ms|s)$",
    [KEY_SPACE] = "^" NUMBER " ?" SPACE "|pkt|% buffer)$",
    [KEY_PAYLOAD] = "^" NUMBER " ?" SPACE "|pkt|% buffer)$",
    [KEY_BUFFER] = "^" NUMBER " ?" SPACE "|pkt|(B|KB|KiB|MB) per (port|Gbps))$",
    [KEY_RATE] = "^" NUMBER " ?([KMGT]?(bps|b/s|bit/s)|[KMGT])$",
    [KEY_FREQUENCY] = "^" NUMBER "/s$",
    [KEY_NODE] = "^[hs][0-9]+$",
    [KEY_HOST] = "^h[0-9]+$",
    [KEY_HOSTS] = "^(all|h[0-9]+(-h[0-9]+)?)$",
};

#define RANGE "^[0-9]+-[0-9]+$"

/* One class or range, or a list of them. */
static json_t *classes(const struct key *key)
{
    json_t *one = schema_either(count(key), pattern(RANGE));
    json_t *list = schema_list(json_incref(one), 1);
    return schema_either(one, list);
}

static json_t *one_value(const struct key *key)
{
    switch (key->kind) {
    case KEY_COUNT:
        return count(key);
    case KEY_COUNTS:
        return schema_either(count(key), pattern(RANGE));
    case KEY_CLASSES:
        return classes(key);
    case KEY_RATIO:
    case KEY_REAL:
        return schema_either(json_pack("{s:s, s:i}", "type", "number", "minimum", 0),
                             pattern("^(" NUMBER "%|[0-9]+/[0-9]+)$"));
    case KEY_FLAG:
        return json_pack("{s:[b,b,s,s]}", "enum", 1, 0, "yes", "no");
    case KEY_CHOICE:
        return schema_names(key->choices);
    case KEY_TEXT:
        return schema_text();
    default:
        return pattern(patterns[key->kind]);
    }
}

/* What a key other than KEY_OTHER may hold. */
static json_t *schema_value(const struct key *key)
{
    const char *const words[] = {key->word, key->other_word, NULL};
    json_t *value = one_value(key);
    if (key->word != NULL)
        value = schema_either(value, schema_names(words));
    if (key->shape != KEY_PER_CLASS)
        return value;
    json_t *list = schema_list(json_incref(value), 1);
    return schema_either(value, list);
}

static json_t *seeds_schema(void)
{
    return schema_either(json_pack("{s:s, s:i}", "type", "integer", "minimum", 1),
                         pattern("^([0-9]+ )?until decided, at most [0-9]+$"));
}

static json_t *threads_schema(void)
{
    return json_pack("{s:s, s:i, s:i}", "type", "integer", "minimum", 1, "maximum", SIM_THREADS_MAX);
}

/* Paths are free, and so are their values. */
static json_t *quick_schema(void)
{
    static const char *const used[] = {"used", NULL};
    return schema_either(schema_map(json_true()), schema_names(used));
}

static json_t *labels_schema(void)
{
    return schema_list(schema_text(), 1);
}

static json_t *where_schema(void)
{
    return schema_map(schema_text());
}

static json_t *where_many_schema(void)
{
    return schema_map(
        schema_either(schema_either(schema_text(), schema_list(schema_text(), 1)), schema_map(schema_text())));
}

static json_t *rates_schema(void)
{
    const struct key rate = {.kind = KEY_RATE};
    return schema_list(schema_value(&rate), 1);
}

static json_t *bins_schema(void)
{
    const struct key size = {.kind = KEY_PAYLOAD};
    return schema_list(schema_value(&size), 0);
}

static json_t *tiers_schema(void)
{
    return schema_map(schema_ref("tier"));
}

/* One number or range, or a list of them: written as classes are. */
static json_t *numbers_schema(void)
{
    const struct key number = {.kind = KEY_CLASSES, .max = INT32_MAX};
    return schema_value(&number);
}

static json_t *class_map_schema(void)
{
    return schema_map(numbers_schema());
}

static json_t *trim_dscp_schema(void)
{
    return schema_either(numbers_schema(), class_map_schema());
}

static json_t *addresses_schema(void)
{
    const struct key port = {.kind = KEY_COUNT, .max = DATAPLANE_PORTS_MAX - 1};
    return schema_map(schema_value(&port));
}

/* The name of a table, or points of size and probability. */
static json_t *sizes_schema(void)
{
    const struct key size = {.kind = KEY_PAYLOAD}, chance = {.kind = KEY_REAL};
    json_t *names = json_array();
    for (uint32_t i = 0; i < size_table_count(); i++)
        names = schema_append(names, json_string(size_table_at(i)->name));
    json_t *pair = schema_append(schema_append(json_array(), schema_value(&size)), schema_value(&chance));
    json_t *point =
        schema_put(json_pack("{s:s, s:i, s:i}", "type", "array", "minItems", 2, "maxItems", 2), "prefixItems", pair);
    json_t *file = schema_put(schema_map(json_pack("{s:s}", "type", "string")), "required", json_pack("[s]", "file"));
    return schema_either(schema_put(json_object(), "enum", names), schema_either(schema_list(point, 2), file));
}

static json_t *file_schema(void)
{
    return json_pack("{s:s}", "type", "string");
}

/* {"if": {key is value}, "then": then} */
static json_t *in_case(const char *key, const char *value, json_t *then)
{
    json_t *test = json_pack("{s:{s:{s:s}}}", "properties", key, "const", value);
    return schema_put(schema_put(json_object(), "if", test), "then", then);
}

static json_t *described(json_t *value, const char *help)
{
    return schema_put(value, "description", json_string(help));
}

static json_t *params_schema(const struct weir_policy *policy)
{
    json_t *properties = schema_put(json_object(), "name", json_true());
    for (uint32_t i = 0; i < policy->param_count; i++) {
        const struct key key = key_of_param(&policy->params[i], i);
        properties = schema_put(properties, key.name, described(schema_value(&key), key.help));
    }
    json_t *object = schema_put(json_pack("{s:s}", "title", policy->title), "properties", properties);
    return schema_put(object, "additionalProperties", json_false());
}

/* A name, or a map of name and parameters, of the policies that a key may name. */
static json_t *policies_schema(bool (*has)(const struct weir_policy *policy))
{
    json_t *names = json_array(), *cases = json_array();
    for (uint32_t i = 0; i < weir_policy_count; i++) {
        const struct weir_policy *policy = weir_policies[i];
        if (!has(policy))
            continue;
        names = schema_append(names, json_string(policy->name));
        cases = schema_append(cases, in_case("name", policy->name, params_schema(policy)));
    }
    json_t *name = schema_put(json_object(), "enum", names);
    json_t *object = json_pack("{s:s, s:[s]}", "type", "object", "required", "name");
    object = schema_put(object, "properties", schema_put(json_object(), "name", json_incref(name)));
    json_t *either = schema_either(name, schema_put(object, "allOf", cases));
    /* A policy from a file: its parameters are not known here. */
    json_t *text = json_pack("{s:s}", "type", "string");
    json_t *both = schema_put(json_object(), "name", json_incref(text));
    json_t *file = schema_put(json_pack("{s:s, s:[s, s]}", "type", "object", "required", "name", "file"), "properties",
                              schema_put(both, "file", text));
    if (json_array_append_new(json_object_get(either, "anyOf"), file) == 0)
        return either;
    json_decref(either);
    return NULL;
}

static json_t *policy_schema(void)
{
    return policies_schema(policy_is_egress);
}

static json_t *models_schema(void)
{
    return schema_map(json_pack("{s:s}", "type", "string"));
}

static json_t *headroom_schema(void)
{
    static const char *const none[] = {"none", NULL};
    return schema_either(policies_schema(policy_is_headroom), schema_names(none));
}

/* What a key of kind KEY_OTHER holds where it is not a section. */
static const struct other {
    const struct section *in;
    const char *key;
    json_t *(*schema)(void);
} others[] = {
    {&top_section, "seeds", seeds_schema},
    {&top_section, "threads", threads_schema},
    {&top_section, "quick", quick_schema},
    {&topology_section, "rates", rates_schema},
    {&topology_section, "file", file_schema},
    {&switch_section, "policy", policy_schema},
    {&switch_section, "headroom", headroom_schema},
    {&switch_section, "tiers", tiers_schema},
    {&oracle_section, "models", models_schema},
    {&rows_section, "switches", labels_schema},
    {&traffic_section, "sizes", sizes_schema},
    {&measure_section, "size_bins", bins_schema},
    {&axis_section, "labels", labels_schema},
    {&figure_section, "y_range", labels_schema},
    {&figure_section, "x_ticks", labels_schema},
    {&figure_section, "y_ticks", labels_schema},
    {&figure_section, "where", where_schema},
    {&claim_section, "where", where_many_schema},
    {&traffic_section, "dscp", class_map_schema},
    {&dataplane_section, "devices", labels_schema},
    {&dataplane_section, "dscp", class_map_schema},
    {&dataplane_section, "pcp", class_map_schema},
    {&dataplane_section, "trim_dscp", trim_dscp_schema},
    {&dataplane_section, "addresses", addresses_schema},
    {&cpus_section, "rx", numbers_schema},
    {&cpus_section, "forwarding", numbers_schema},
    {&cpus_section, "tx", numbers_schema},
    {&cpus_section, "expulsion", numbers_schema},
};

static const struct section *const defined[] = {
    &topology_section, &link_section,      &wire_section,    &ecn_section,     &trim_section,     &switch_section,
    &oracle_section,   &online_section,    &rows_section,    &pfc_section,     &watchdog_section, &routing_section,
    &host_section,     &transport_section, &traffic_section, &failure_section, &route_section,    &measure_section,
    &probe_section,    &dataplane_section, &cpus_section,    &testbed_section, &slot_section,     &paper_section,
    &limits_section,   &axis_section,      &range_section,   &figure_section,  &claim_section,    &trial_section,
};

static json_t *nested_schema(const struct key *key)
{
    json_t *section = schema_ref(key->of->name);
    if (key->nesting == KEY_ONE_SECTION)
        return section;
    return key->nesting == KEY_LIST_OF_SECTIONS ? schema_list(section, 0) : schema_map(section);
}

static json_t *other_schema(const struct section *section, const struct key *key)
{
    size_t i = 0;
    if (key->of != NULL)
        return nested_schema(key);
    while (others[i].in != section || strcmp(others[i].key, key->name) != 0)
        i++;
    return others[i].schema();
}

/* An object with the keys of one kind; `complete`: the required ones must be there. */
static json_t *kind_schema(const struct section *section, uint32_t kind, bool complete)
{
    json_t *properties = json_object(), *required = json_array();
    struct key key;
    if (section_kind_count(section) > 0)
        properties = schema_put(properties, "kind", json_true());
    for (uint32_t i = 0; section_key(section, i, &key); i++) {
        if (!section_has(&key, kind))
            continue;
        json_t *value = key.kind == KEY_OTHER ? other_schema(section, &key) : schema_value(&key);
        properties = schema_put(properties, key.name, described(value, key.help));
        if (key.required && complete)
            required = schema_append(required, json_string(key.name));
    }
    bool of_file =
        section == &topology_section && json_object_get(properties, "file") != NULL; /* instead of the rest */
    json_t *object = schema_put(json_pack("{s:s}", "type", "object"), "properties", properties);
    object = of_file
                 ? schema_put(object, "anyOf", json_pack("[{s:o},{s:[s]}]", "required", required, "required", "file"))
                 : schema_put(object, "required", required);
    return schema_put(object, "additionalProperties", json_false());
}

static json_t *section_schema(const struct section *section)
{
    const struct section_kinds kinds = section_kinds(section);
    if (kinds.names[0] == NULL)
        return described(kind_schema(section, 0, true), section->help);
    json_t *cases = json_array();
    for (uint32_t kind = 0; kinds.names[kind] != NULL; kind++)
        cases = schema_append(cases, in_case("kind", kinds.names[kind], kind_schema(section, kind, true)));
    json_t *names = schema_put(json_object(), "kind", schema_names(kinds.names));
    json_t *object = json_pack("{s:s, s:[s]}", "type", "object", "required", "kind");
    return described(schema_put(schema_put(object, "properties", names), "allOf", cases), section->help);
}

static json_t *definitions(void)
{
    json_t *all = schema_put(json_object(), "tier", kind_schema(&switch_section, 0, false));
    for (size_t i = 0; i < sizeof defined / sizeof defined[0]; i++) {
        json_t *one = section_schema(defined[i]);
        /* Other keys of an axis are paths. */
        all = schema_put(all, defined[i]->name,
                         defined[i] == &axis_section
                             ? schema_put(one, "additionalProperties",
                                          schema_either(schema_list(json_true(), 1), schema_ref("range")))
                             : one);
    }
    return all;
}

/* What an experiment must have may be missing in a file for weir-switch alone, which has a dataplane instead. */
static json_t *top_schema(void)
{
    json_t *always = json_array(), *of_run = json_array();
    for (uint32_t i = 0; i < top_section.count; i++) {
        const struct key *key = &top_section.keys[i];
        bool both = strcmp(key->name, "topology") == 0 || strcmp(key->name, "switch") == 0;
        if (key->required && both)
            always = schema_append(always, json_string(key->name));
        else if (key->required)
            of_run = schema_append(of_run, json_string(key->name));
    }
    json_t *run = schema_put(json_object(), "required", of_run);
    json_t *either = schema_append(schema_append(json_array(), run), json_pack("{s:[s]}", "required", "dataplane"));
    json_t *top = schema_put(section_schema(&top_section), "required", always);
    return schema_put(top, "anyOf", either);
}

/* Not json_dumps: it loses a key without an error when memory is short just there. */
static char *schema_print(const json_t *schema)
{
    struct text_stream stream;
    if (!text_stream_open(&stream))
        return NULL;
    bool whole = json_dumpf(schema, stream.out, JSON_INDENT(1)) == 0;
    char *text = text_stream_close(&stream);
    if (whole)
        return text;
    free(text);
    return NULL;
}

bool experiment_schema(FILE *out)
{
    json_t *schema =
        json_pack("{s:s, s:s}", "$schema", "https://json-schema.org/draft/2020-12/schema", "title", "weir scenario");
    if (schema == NULL || json_object_update_new(schema, top_schema()) != 0) {
        json_decref(schema);
        return false;
    }
    schema = schema_put(schema, "$defs", definitions());
    char *text = schema != NULL ? schema_print(schema) : NULL;
    json_decref(schema);
    if (text == NULL)
        return false;
    fprintf(out, "%s\n", text);
    free(text);
    return true;
}
