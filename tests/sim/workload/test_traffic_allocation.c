/*
 * test_traffic_allocation.c - traffic and the readers of lists when memory runs short: each allocation fails in turn,
 * and every time there is a message, nothing leaks and nothing is half made.
 */
#include "tests/support/traffic_world.h"

#include "sim/workload/flow_list.h"
#include "sim/workload/packet_arrivals.h"
#include "tests/support/error_line.h"
#include "tests/support/failing_alloc.h"

enum { ATTEMPTS_MAX = 200 };

/* What needs memory; true: it succeeded, and has given everything back. */
typedef bool attempt(void *context, struct weir_error *error);

static void fail_each_allocation(attempt *function, void *context)
{
    for (uint64_t n = 1; n < ATTEMPTS_MAX; n++) {
        struct weir_error error = {.code = WEIR_ERROR_NONE};
        failing_alloc_start(n);
        bool succeeded = function(context, &error);
        bool failed = failing_alloc_stop();
        if (succeeded == failed || failing_alloc_held() != 0)
            fail_msg("allocation %d: %lld blocks held, message '%s'", (int)n, (long long)failing_alloc_held(),
                     ERROR_LINE(&error));
        if (succeeded)
            return;
        assert_non_null(strstr(ERROR_LINE(&error), "out of memory"));
    }
    fail_msg("it never ends");
}

static bool attempt_create(void *context, struct weir_error *error)
{
    struct world *world = context;
    const struct workload workload = sim_config_workload(&world->config, world->host_switch);
    struct traffic *traffic = traffic_create(&workload, error);
    traffic_free(traffic);
    return traffic != NULL;
}

static void traffic_create__survives_every_failed_allocation(void **state)
{
    (void)state;
    static const struct traffic_settings traffics[] = {
        {.kind = TRAFFIC_POISSON, .load = 1, .oversubscription = 1, .pattern = TRAFFIC_PATTERN_NEXT_RACK},
        {.kind = TRAFFIC_QUERY, .rate_per_s = 1, .bytes = 1000, .pattern = TRAFFIC_PATTERN_OTHER_RACK},
        {.kind = TRAFFIC_LONG, .concurrency = 1, .pattern = TRAFFIC_PATTERN_PERMUTATION},
        {.kind = TRAFFIC_ALL_TO_ALL, .bytes = 10, .concurrency = 1, .rounds = 1},
        {.kind = TRAFFIC_ALL_REDUCE, .bytes = 10, .rounds = 1},
    };
    struct world world;
    world_init(&world, 4, 4);
    for (size_t i = 0; i < sizeof traffics / sizeof traffics[0]; i++) {
        world.config.traffic_count = 2;
        world.traffics[0] = traffics[i];
        world.traffics[0].sizes = size_table_find("websearch");
        world.traffics[0].until_ps = WEIR_PS_PER_S;
        world.traffics[1] = world.traffics[0];
        fail_each_allocation(attempt_create, &world);
    }
    world_free(&world);
}

static bool attempt_flow_list(void *context, struct weir_error *error)
{
    const char *text = context;
    struct flow_tags tags = {0};
    struct listed_flows list = {0};
    struct flow_list_setup setup = {.hosts = 4, .tags = &tags};
    bool read = flow_list_read(&list, text, strlen(text), &setup, error);
    listed_flows_free(&list);
    flow_tags_free(&tags);
    return read;
}

static void flow_list_read__survives_every_failed_allocation(void **state)
{
    (void)state;
    char text[4096] = "9 1 2 3 first\n8 1 2 3 second\n";
    for (uint32_t i = 0; i < 200; i++)
        strncat(text, "7 2 1 5\n", sizeof text - strlen(text) - 1);
    fail_each_allocation(attempt_flow_list, text);
}

enum { CAPTURED = 200, RECORD = 16 + 34 };

static bool attempt_pcap(void *context, struct weir_error *error)
{
    struct packet_arrivals arrivals = {0};
    bool read = packet_arrivals_from_capture(&arrivals, context, 24 + CAPTURED * RECORD, 4, error);
    packet_arrivals_free(&arrivals);
    return read;
}

/* So many packets that the list and the table of addresses grow, in falling order of time. */
static void packet_arrivals_from_capture__survives_every_failed_allocation(void **state)
{
    (void)state;
    static uint8_t capture[24 + CAPTURED * RECORD] = {0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, [20] = 1};
    for (uint32_t i = 0; i < CAPTURED; i++) {
        uint8_t *record = capture + 24 + i * RECORD;
        record[4] = (uint8_t)(255 - i);
        record[8] = record[12] = 34;
        record[16 + 12] = 8;
        record[16 + 14] = 0x45;
        record[16 + 26] = (uint8_t)i;
        record[16 + 30] = (uint8_t)(i + 1);
        record[16 + 33] = 1;
    }
    fail_each_allocation(attempt_pcap, capture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traffic_create__survives_every_failed_allocation),
        cmocka_unit_test(flow_list_read__survives_every_failed_allocation),
        cmocka_unit_test(packet_arrivals_from_capture__survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
