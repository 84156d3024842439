/*
 * test_schema.c - the JSON Schema of scenario files: that it is JSON, that what it refers to is there, and
 * that it says what the tables say. Whether it accepts scenarios is for a validator to try.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "scenario/experiment/experiment.h"
#include "weir/policy.h"

static int make_schema(void **state)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    json_error_t error;
    if (out == NULL || !experiment_schema(out) || fclose(out) != 0)
        return -1;
    *state = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    free(text);
    return *state != NULL ? 0 : -1;
}

static int free_schema(void **state)
{
    json_decref(*state);
    return 0;
}

/* What is at "a/b/0/c". */
static const json_t *at(const json_t *from, const char *path)
{
    char step[64];
    for (; from != NULL && *path != '\0'; path += strspn(path, "/")) {
        size_t length = strcspn(path, "/");
        snprintf(step, sizeof step, "%.*s", (int)length, path);
        path += length;
        from = json_is_array(from) ? json_array_get(from, strtoul(step, NULL, 10)) : json_object_get(from, step);
    }
    return from;
}

static bool has_text(const json_t *array, const char *text)
{
    size_t i;
    json_t *item;
    json_array_foreach(array, i,
                       item) if (json_is_string(item) && strcmp(json_string_value(item), text) == 0) return true;
    return false;
}

static void experiment_schema__facts(void **state)
{
    const json_t *schema = *state;
    assert_string_equal(json_string_value(at(schema, "$schema")), "https://json-schema.org/draft/2020-12/schema");
    assert_int_equal(json_array_size(at(schema, "required")), 2); /* of a file for weir-switch, too */
    assert_true(has_text(at(schema, "required"), "topology") && has_text(at(schema, "required"), "switch"));
    assert_int_equal(json_array_size(at(schema, "anyOf/0/required")), 3);
    assert_true(has_text(at(schema, "anyOf/0/required"), "until"));
    assert_true(has_text(at(schema, "anyOf/0/required"), "transports"));
    assert_true(has_text(at(schema, "anyOf/0/required"), "traffic"));
    assert_true(has_text(at(schema, "anyOf/1/required"), "dataplane"));
    assert_true(json_is_false(at(schema, "additionalProperties")));
    assert_string_equal(json_string_value(at(schema, "properties/until/pattern")),
                        "^[0-9]+([.][0-9]+)? ?(ps|ns|us|ms|s)$");
    assert_non_null(at(schema, "properties/until/description"));
    assert_string_equal(json_string_value(at(schema, "properties/topology/$ref")), "#/$defs/topology");
    assert_true(has_text(at(schema, "$defs/topology/properties/kind/enum"), "leaf-spine"));
    assert_true(has_text(at(schema, "$defs/switch/required"), "policy"));
    assert_int_equal(json_array_size(at(schema, "$defs/tier/required")), 0);
    assert_true(has_text(at(schema, "$defs/switch/properties/scheduler/enum"), "strict-drr"));
    assert_true(has_text(at(schema, "$defs/figure/properties/kind/enum"), "evolution"));
    assert_true(has_text(at(schema, "$defs/claim/properties/rule/enum"), "up-to"));
    assert_string_equal(json_string_value(at(schema, "$defs/axis/additionalProperties/anyOf/1/$ref")), "#/$defs/range");
}

/* Each policy of one side has a case with its parameters. */
static void check_policies(const json_t *policy, uint32_t side)
{
    uint32_t cases = 0;
    for (uint32_t i = 0; i < weir_policy_count; i++) {
        const struct weir_policy *p = weir_policies[i];
        bool here = (p->needs & WEIR_NEED_INGRESS) == side;
        assert_int_equal(has_text(at(policy, "0/enum"), p->name), here);
        if (!here)
            continue;
        const json_t *one = json_array_get(at(policy, "1/allOf"), cases++);
        assert_string_equal(json_string_value(at(one, "if/properties/name/const")), p->name);
        assert_int_equal(json_object_size(at(one, "then/properties")), p->param_count + 1);
        for (uint32_t k = 0; k < p->param_count; k++)
            assert_non_null(json_object_get(at(one, "then/properties"), p->params[k].name));
    }
    assert_int_equal(json_array_size(at(policy, "1/allOf")), cases);
    assert_true(cases > 0);
}

static void experiment_schema__policies(void **state)
{
    check_policies(at(*state, "$defs/switch/properties/policy/anyOf"), 0);
    check_policies(at(*state, "$defs/switch/properties/headroom/anyOf/0/anyOf"), WEIR_NEED_INGRESS);
}

static void check_refs(const json_t *schema, const json_t *value)
{
    const char *key;
    json_t *child;
    size_t i;
    if (json_is_array(value))
        json_array_foreach(value, i, child) check_refs(schema, child);
    if (!json_is_object(value))
        return;
    json_object_foreach((json_t *)value, key, child)
    {
        if (strcmp(key, "$ref") == 0)
            assert_non_null(at(schema, json_string_value(child) + strlen("#/")));
        else
            check_refs(schema, child);
    }
}

static void experiment_schema__references(void **state)
{
    check_refs(*state, *state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(experiment_schema__facts),
        cmocka_unit_test(experiment_schema__policies),
        cmocka_unit_test(experiment_schema__references),
    };
    return cmocka_run_group_tests(tests, make_schema, free_schema);
}
