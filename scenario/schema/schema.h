/*
 * schema.h - JSON Schema from tables of keys: schema_value.c has the values that one key may hold, schema.c the
 * sections and the whole. For these two only; experiment_schema (experiment.h) is the way in.
 */
#ifndef SCENARIO_SCHEMA_SCHEMA_H
#define SCENARIO_SCHEMA_SCHEMA_H

#include <jansson.h>

#include "scenario/keys/section.h"

/* Every function that makes a value gives null when memory is short, and takes null for a part that could not be made;
 * what it is given becomes part of the result or is released. */

/* {key: value} added to an object, which is given back. */
json_t *schema_put(json_t *object, const char *key, json_t *value);
json_t *schema_append(json_t *array, json_t *value);

/* {"$ref": "#/$defs/NAME"} */
json_t *schema_ref(const char *name);

/* {"type": "array", "items": item}, with at least `least` items. */
json_t *schema_list(json_t *item, uint32_t least);

/* {"type": "object", "additionalProperties": value}: names are free. */
json_t *schema_map(json_t *value);

/* {"anyOf": [a, b]} */
json_t *schema_either(json_t *a, json_t *b);

/* {"enum": [names]}; a null name ends them. */
json_t *schema_names(const char *const *names);

/* What a key other than KEY_OTHER may hold. */
json_t *schema_value(const struct key *key);

/* A text that YAML may also take for a number or a flag: "12", "no". */
json_t *schema_text(void);

#endif
