/*
 * test_catalogue.c - the catalogue is JSON and says of every policy what its descriptor says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdlib.h>

#include "show/playground/play.h"
#include "weir/policy.h"

static json_t *read_catalogue(void)
{
    char *text = NULL;
    size_t size;
    json_error_t error;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    play_catalogue(out);
    fclose(out);
    json_t *catalogue = json_loads(text, 0, &error);
    if (catalogue == NULL)
        fail_msg("line %d: %s", error.line, error.text);
    free(text);
    return catalogue;
}

static const char *text_at(const json_t *map, const char *key)
{
    return json_string_value(json_object_get(map, key));
}

static void check_param(const json_t *said, const struct weir_param *param)
{
    int64_t value;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    assert_string_equal(text_at(said, "name"), param->name);
    assert_string_equal(text_at(said, "help"), param->help);
    /* Texts that the parser takes for the same values. */
    assert_true(weir_value_parse(param, text_at(said, "initial"), &value, &error));
    assert_int_equal(value, param->initial);
    size_t choices = 0;
    while (param->choices != NULL && param->choices[choices] != NULL)
        choices++;
    assert_int_equal(json_array_size(json_object_get(said, "choices")), choices);
}

static void play_catalogue__says_what_descriptors_say(void **state)
{
    json_t *catalogue = read_catalogue(), *policies = json_object_get(catalogue, "policies");
    (void)state;
    assert_int_equal(json_array_size(policies), weir_policy_count);
    for (uint32_t i = 0; i < weir_policy_count; i++) {
        const json_t *said = json_array_get(policies, i);
        const struct weir_policy *policy = weir_policies[i];
        assert_string_equal(text_at(said, "name"), policy->name);
        assert_string_equal(text_at(said, "title"), policy->title);
        assert_true(json_is_true(json_object_get(said, "ingress")) == ((policy->needs & WEIR_NEED_INGRESS) != 0));
        const json_t *params = json_object_get(said, "params");
        assert_int_equal(json_array_size(params), policy->param_count);
        for (uint32_t p = 0; p < policy->param_count; p++)
            check_param(json_array_get(params, p), &policy->params[p]);
    }
    assert_int_equal(json_array_size(json_object_get(catalogue, "reasons")), WEIR_REASON_COUNT);
    json_decref(catalogue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(play_catalogue__says_what_descriptors_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
