/*
 * test_config.c - reading of configurations: both syntaxes of references, keys, places, what is not understood, lookup
 * tables, and that a configuration survives a round trip.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/error_line.h"
#include "tests/support/sonic_text.h"

static void read_json(struct sonic_config *config, const char *text)
{
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    sonic_config_init(config);
    if (!sonic_config_add_json(config, "c.json", text, strlen(text), &error) || !sonic_config_finish(config, &error))
        fail_msg("%s", ERROR_LINE(&error));
}

static void read__takes_both_forms_of_references(void **state)
{
    (void)state;
    struct sonic_config config;
    read_json(&config, "{\"BUFFER_PROFILE\": {\"a\": {\"pool\": \"[BUFFER_POOL|p]\"}, \"b\": {\"pool\": \"p\"}},"
                       " \"BUFFER_PORT_INGRESS_PROFILE_LIST\": {\"Ethernet0\": {\"profile_list\": "
                       "\"[BUFFER_PROFILE|a],b\"}}}");
    assert_string_equal(sonic_find_profile(&config, "a")->pool.name, "p");
    assert_true(sonic_find_profile(&config, "a")->pool.is_old);
    assert_string_equal(sonic_find_profile(&config, "b")->pool.name, "p");
    assert_false(sonic_find_profile(&config, "b")->pool.is_old);
    const struct sonic_use *use = SONIC_AT(&config, sonic_use, SONIC_PORT_INGRESS_LIST, 0);
    assert_int_equal(use->profile_count, 2);
    assert_string_equal(use->profiles[0].name, "a");
    assert_string_equal(use->profiles[1].name, "b");
    sonic_config_free(&config);
}

static void read__takes_keys_of_several_ports_and_of_chassis(void **state)
{
    (void)state;
    struct sonic_config config;
    read_json(&config,
              "{\"BUFFER_QUEUE\": {\"Ethernet0,Ethernet4|3-4\": {\"profile\": \"x\"}, \"h|asic0|Ethernet8|15\": {}}}");
    const struct sonic_use *use = SONIC_AT(&config, sonic_use, SONIC_BUFFER_QUEUE, 0);
    assert_ptr_equal(sonic_find_use(&config, SONIC_BUFFER_QUEUE, "Ethernet4", 4), use);
    assert_null(sonic_find_use(&config, SONIC_BUFFER_QUEUE, "Ethernet4", 5));
    assert_null(sonic_find_use(&config, SONIC_BUFFER_QUEUE, "Ethernet8", 3));
    assert_true(use[1].of.is_remote);
    assert_int_equal(use[1].of.last, 15);
    assert_int_equal(SONIC_COUNT(&config, SONIC_PORT), 2); /* that the keys name; none of another host */
    sonic_config_free(&config);
}

static void read__knows_every_place(void **state)
{
    (void)state;
    struct sonic_config config;
    read_json(
        &config,
        "{\n \"X\": {\"k\": {\"a\": [\"b\", {\"c\": 1}]}},\n \"BUFFER_POOL\": {\n  \"p\": {\"type\": \"ingress\",\n"
        "   \"size\": \"1\\\"0\"}}}");
    const struct sonic_pool *pool = sonic_find_pool(&config, "p");
    struct sonic_place place = sonic_entry_place(&config, &pool->entry, NULL);
    assert_int_equal(place.line, 4);
    assert_int_equal(place.column, 3);
    place = sonic_entry_place(&config, &pool->entry, "size");
    assert_int_equal(place.line, 5);
    assert_int_equal(place.column, 4);
    const struct sonic_problem *problems = config.problems.at;
    assert_int_equal(config.problems.count, 2);
    assert_int_equal(problems[0].kind, SONIC_UNREAD);
    assert_int_equal(problems[0].place.line, 2);
    assert_int_equal(problems[1].kind, SONIC_UNREADABLE);
    assert_int_equal(problems[1].place.line, 5);
    assert_string_equal(problems[1].text, "'1\"0' is not a number");
    assert_true(pool->size == SONIC_ABSENT);
    sonic_config_free(&config);
}

static void read__lists_what_it_does_not_understand(void **state)
{
    (void)state;
    static const struct {
        const char *text, *problem;
    } cases[] = {
        {"{\"BUFFER_POOL\": {\"p\": {\"sise\": \"1\"}}}", "the table has no such field (did you mean 'size'?)"},
        {"{\"BUFFER_POOL\": {\"p\": {\"type\": \"side\"}}}", "'side' is not ingress or egress or both"},
        {"{\"BUFFER_POOL\": {\"p\": []}}", "'p' is not an entry with fields"},
        {"{\"BUFFER_POOL\": {\"p\": {\"size\": [1]}}}", "'this' is not a string"},
        {"{\"BUFFER_POOL\": {\"p\": {\"size\": \"9223372036854775808\"}}}", "'9223372036854775808' is not a number"},
        {"{\"BUFFER_POOL\": []}", "the table is no object"},
        {"{\"BUFFER_PG\": {\"Ethernet0\": {}}}",
         "'Ethernet0' is not a key of a port and its groups, of 0 to 7, such as Ethernet0|3-4"},
        {"{\"PORT_QOS_MAP\": {\"E\": {\"pfc_enable\": \"3,8\"}}}", "'3,8' is not a list of priorities, such as 3,4"},
        {"{\"TC_TO_QUEUE_MAP\": {\"A\": {\"16\": \"1\"}}}", "'16' is not a number that this map is from"},
        {"{\"CABLE_LENGTH\": {\"A\": {\"E\": \"5\"}}}", "'5' is not a length in metres, such as 300m"},
        {"{\"BUFFER_POOL\": {}, \"ACL\": {\"a\": {}, \"b\": {}}}", "2 entries are not read: not a table about buffers"},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sonic_config config;
        read_json(&config, cases[i].text);
        assert_int_equal(config.problems.count, 1);
        assert_string_equal(((struct sonic_problem *)config.problems.at)[0].text, cases[i].problem);
        sonic_config_free(&config);
    }
}

static void read__refuses_what_is_no_configuration(void **state)
{
    (void)state;
    static const struct {
        const char *text, *line;
    } cases[] = {
        {"{", "c.json:1:1: no JSON: string or '}' expected near end of file"},
        {"{\"PORT\": {}, \"PORT\": {}}", "c.json:1:19: no JSON: duplicate object key near '\"PORT\"'"},
        {"[]", "c.json: has no table about buffers (expected config_db.json, buffers.json or qos.json: an object with "
               "BUFFER_POOL, PORT_QOS_MAP, ...)"},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sonic_config config;
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        sonic_config_init(&config);
        assert_false(sonic_config_add_json(&config, "c.json", cases[i].text, strlen(cases[i].text), &error));
        assert_string_equal(ERROR_LINE(&error), cases[i].line);
        sonic_config_free(&config);
    }
}

static void read__refuses_an_entry_that_another_file_has(void **state)
{
    (void)state;
    struct sonic_config config;
    struct weir_error error;
    static const char one[] = "{\"BUFFER_POOL\": {\"p\": {\"size\": \"1\"}}}",
                      two[] = "{\"BUFFER_POOL\": {\"p\": {}, \"q\": {}}}";
    sonic_config_init(&config);
    assert_true(sonic_config_add_json(&config, "1.json", one, strlen(one), &error));
    assert_true(sonic_config_add_json(&config, "2.json", two, strlen(two), &error));
    assert_int_equal(SONIC_COUNT(&config, SONIC_BUFFER_POOL), 2);
    assert_int_equal(config.problems.count, 1);
    assert_string_equal(((struct sonic_problem *)config.problems.at)[0].place.file, "2.json");
    json_t *tree = sonic_config_tree(&config);
    assert_int_equal(json_object_size(json_object_get(tree, "BUFFER_POOL")), 2);
    json_decref(tree);
    sonic_config_free(&config);
}

static void read__takes_lookup_tables(void **state)
{
    (void)state;
    static const char text[] =
        "# PG lossless profiles.\n# speed cable size xon xoff threshold xon_offset\n"
        "  10000  5m 1248 2288 35776 0 2288 # of old\n\n 40000 2.5m 1 2 3 -4\n40000 5m 1 2 x 0\n1 5m 1\n"
        "10000 5m 1 2 3 4 5 6\n";
    struct sonic_config config;
    struct weir_error error;
    sonic_config_init(&config);
    assert_true(sonic_config_add_lookup(&config, "l.ini", text, strlen(text), &error));
    const struct sonic_row *rows = config.rows.at;
    assert_int_equal(config.rows.count, 2);
    assert_int_equal(rows[0].speed_mbps, 10000);
    assert_int_equal(rows[0].xoff, 35776);
    assert_int_equal(rows[0].xon_offset, 2288);
    assert_true(rows[1].cable_m == 2.5 && rows[1].dynamic_th == -4 && rows[1].xon_offset == SONIC_ABSENT);
    const struct sonic_problem *problems = config.problems.at;
    assert_int_equal(config.problems.count, 3);
    assert_int_equal(problems[0].place.line, 6);
    assert_string_equal(problems[0].field, "xoff");
    assert_string_equal(problems[1].field, "xon");
    assert_string_equal(problems[2].field, "after xon_offset");
    assert_true(sonic_config_add_lookup(&config, "l.ini", "# none\n", 7, &error)); /* a finding, not an end */
    sonic_config_free(&config);
}

/* Import, export, import. */
static void tree__is_the_same_configuration(void **state)
{
    (void)state;
    struct sonic_config config, again;
    read_json(&config, sonic_sane);
    json_t *tree = sonic_config_tree(&config), *as_it_was = json_loads(sonic_sane, 0, NULL);
    assert_true(json_equal(tree, as_it_was));
    char *text = json_dumps(tree, 0);
    read_json(&again, text);
    for (uint32_t id = 0; id < SONIC_TABLES; id++)
        assert_int_equal(SONIC_COUNT(&config, id), SONIC_COUNT(&again, id));
    assert_int_equal(again.problems.count, 0);
    free(text);
    json_decref(tree);
    json_decref(as_it_was);
    sonic_config_free(&config);
    sonic_config_free(&again);
}

static void clean_text__replaces_what_is_no_character(void **state)
{
    (void)state;
    char text[] = "a\xc3\xa4\xff z\xe2\x82", good[] = "\xf0\x9f\x98\x80\xe2\x82\xac";
    sonic_clean_text(text);
    assert_string_equal(text, "a\xc3\xa4? z??");
    sonic_clean_text(good);
    assert_string_equal(good, "\xf0\x9f\x98\x80\xe2\x82\xac");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read__takes_both_forms_of_references),
        cmocka_unit_test(read__takes_keys_of_several_ports_and_of_chassis),
        cmocka_unit_test(read__knows_every_place),
        cmocka_unit_test(read__lists_what_it_does_not_understand),
        cmocka_unit_test(read__refuses_what_is_no_configuration),
        cmocka_unit_test(read__refuses_an_entry_that_another_file_has),
        cmocka_unit_test(read__takes_lookup_tables),
        cmocka_unit_test(tree__is_the_same_configuration),
        cmocka_unit_test(clean_text__replaces_what_is_no_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
