/*
 * schema_value.c - what one key may hold, as JSON Schema: see schema.h. Units become patterns. YAML readers of editors
 * make numbers and flags of plain texts, so a count is an integer here, and a text may be a number.
 */
#include <string.h>

#include "scenario/schema/schema.h"

#define NUMBER "[0-9]+([.][0-9]+)?"
#define SPACE "(B|KB|KiB|MB|MiB|GB|GiB"
#define EXACT_MAX ((int64_t)1 << 53) /* beyond it JSON numbers are not exact */

json_t *schema_put(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) == 0)
        return object;
    json_decref(object);
    return NULL;
}

json_t *schema_append(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) == 0)
        return array;
    json_decref(array);
    return NULL;
}

json_t *schema_ref(const char *name)
{
    return json_pack("{s:s+}", "$ref", "#/$defs/", name);
}

json_t *schema_list(json_t *item, uint32_t least)
{
    json_t *list = json_pack("{s:s, s:i}", "type", "array", "minItems", (int)least);
    return schema_put(list, "items", item);
}

json_t *schema_map(json_t *value)
{
    return schema_put(json_pack("{s:s}", "type", "object"), "additionalProperties", value);
}

json_t *schema_either(json_t *a, json_t *b)
{
    return schema_put(json_object(), "anyOf", schema_append(schema_append(json_array(), a), b));
}

json_t *schema_names(const char *const *names)
{
    json_t *all = json_array();
    for (size_t i = 0; names[i] != NULL; i++)
        all = schema_append(all, json_string(names[i]));
    return schema_put(json_object(), "enum", all);
}

json_t *schema_text(void)
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

json_t *schema_value(const struct key *key)
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
