/*
 * test_run_fields.c - columns of CSV and keys of JSON of flows and queries: other programs read them by these names.
 */
#define _GNU_SOURCE 1
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tables/run_fields.h"

static const struct summary_flows flows = {
    .flows = 5,
    .finished = 4,
    .fct_ps = {.count = 4, .mean = 2.5, .min = 1, .max = 4, .p50 = 2, .p90 = 3, .p95 = 3.5, .p99 = 3.75, .p999 = 4},
    .timeouts = 3,
    .flows_with_timeouts = 2,
    .again = 7,
    .delivered_bytes = 1500,
    .goodput_bps = 1e9,
};

/* What `put` or a heading writes; to be freed. */
static char *written(const struct run_field *fields, uint32_t count, const void *of, bool heading)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    if (heading)
        run_fields_csv_heading(fields, count, out);
    else
        run_fields_csv(fields, count, of, out);
    fclose(out);
    return text;
}

static void csv__columns_and_values(void **state)
{
    const struct {
        const struct run_field *fields;
        uint32_t count;
        const void *of;
        bool heading;
        const char *expected;
    } cases[] = {
        {run_flow_fields, RUN_FLOW_FIELDS, NULL, true,
         ",flows,finished,fct_mean_ps,fct_p50_ps,fct_p99_ps,fct_max_ps,slowdown_mean,slowdown_p50,slowdown_p99,"
         "slowdown_max,timeouts,resent,delivered_bytes,goodput_bps"},
        {run_query_fields, RUN_QUERY_FIELDS, NULL, true,
         ",queries,queries_finished,qct_mean_ps,qct_p50_ps,qct_p99_ps,qct_max_ps,qct_slowdown_mean,qct_slowdown_p50,"
         "qct_slowdown_p99,qct_slowdown_max"},
        {run_flow_fields, RUN_FLOW_FIELDS, &flows, false, ",5,4,2.5,2,3.75,4,,,,,3,7,1500,1e+09"},
        {run_query_fields, RUN_QUERY_FIELDS, NULL, false, ",,,,,,,,,,"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = written(cases[i].fields, cases[i].count, cases[i].of, cases[i].heading);
        assert_string_equal(text, cases[i].expected);
        free(text);
    }
}

static void json__keys_and_values(void **state)
{
    (void)state;
    json_t *json = run_fields_json(run_flow_fields, RUN_FLOW_FIELDS, &flows);
    assert_non_null(json);
    char *text = json_dumps(json, JSON_COMPACT);
    assert_non_null(text);
    assert_string_equal(
        text,
        "{\"flows\":5,\"finished\":4,\"unfinished\":0,\"fct_ps\":{\"count\":4,\"mean\":2.5,\"min\":1.0,\"max\":4.0,"
        "\"p50\":2.0,\"p90\":3.0,\"p95\":3.5,\"p99\":3.75,\"p999\":4.0},\"slowdown\":null,"
        "\"timeouts\":3,\"flows_with_timeouts\":2,\"resent\":7,\"delivered_bytes\":1500,"
        "\"goodput_bps\":1000000000.0}");
    free(text);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv__columns_and_values),
        cmocka_unit_test(json__keys_and_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
